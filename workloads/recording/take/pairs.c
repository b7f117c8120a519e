/* pairs.c - operations and what they wait for, while they are found */
#include "workloads/recording/take/take_impl.h"

uint32_t take_add_op(TakeMaker *m, const TakeOp *op, int64_t key)
{
    g_array_append_val(m->keys, key);
    g_array_append_vals(m->ops, op, 1);
    return m->ops->len - 1;
}

void take_add_pair(TakeMaker *m, uint32_t op, uint32_t on)
{
    TakePair pair = { .op = op, .on = on };

    g_assert(op < m->ops->len && on < m->ops->len && op != on);
    g_array_append_val(m->pairs, pair);
}
