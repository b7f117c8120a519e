/* replay_ops.c - adds operations and their dependencies to a replay under
 * construction */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

uint32_t replay_add_op(ReplayBuilder *m, const ReplayOp *op, int64_t key)
{
    g_array_append_val(m->keys, key);
    g_array_append_vals(m->ops, op, 1);
    return m->ops->len - 1;
}

void replay_add_pair(ReplayBuilder *m, uint32_t op, uint32_t on)
{
    ReplayPair pair = { .op = op, .on = on };

    g_assert(op < m->ops->len && on < m->ops->len && op != on);
    g_array_append_val(m->pairs, pair);
}
