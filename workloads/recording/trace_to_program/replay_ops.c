/* replay_ops.c - adds operations and their dependencies to a replay under
 * construction */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

uint32_t replay_add_op(ReplayBuilder *builder, const ReplayOp *op, int64_t key)
{
    g_array_append_val(builder->keys, key);
    g_array_append_vals(builder->ops, op, 1);
    return builder->ops->len - 1;
}

void replay_add_pair(ReplayBuilder *builder, uint32_t op, uint32_t dependency)
{
    ReplayPair pair = { .op = op, .on = dependency };

    g_assert(op < builder->ops->len && dependency < builder->ops->len &&
             op != dependency);
    g_array_append_val(builder->pairs, pair);
}
