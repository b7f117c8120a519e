/* op_slots_impl.h - counters by operation on an NPU, and the kernels of its
 * streams */
#ifndef MODELS_RUN_OP_SLOTS_IMPL_H
#define MODELS_RUN_OP_SLOTS_IMPL_H

#include "models/run/npu_impl.h"

/* Returns the index of @op, an operation of the NPU's role, in the counters by
 * slot. */
static inline uint32_t npu_op_slot(const Npu *npu, uint32_t op)
{
    const System *system = npu->system;
    uint32_t slot = system->plan.slots.of_op[op];

    if (G_LIKELY(slot < OP_SLOT_SHARED))
        return slot;
    slot += role_set_index_of_role(op_graph_op(system->plan.graph, op)->roles,
                                   npu->role);
    return g_array_index(system->plan.slots.shared, uint32_t,
                         slot - OP_SLOT_SHARED);
}

/* Returns the length of the counters by slot. */
static inline uint32_t npu_n_op_slots(const Npu *npu)
{
    return npu->system->plan.slots.n_slots[npu->role];
}

/* Returns the number of the first slots, which are those of collectives. */
static inline uint32_t npu_n_collective_slots(const Npu *npu)
{
    return npu->system->plan.slots.n_collectives[npu->role];
}

static inline gboolean npu_has_op(const Npu *npu, uint32_t op)
{
    return op_has_role(op_graph_op(npu->system->plan.graph, op), npu->role);
}

/* Returns the operations of the NPU's program, without the buffers of lanes. */
static inline const GArray *npu_ops(const Npu *npu)
{
    return npu->system->plan.role_ops[npu->role].ops;
}

static inline const GArray *npu_stream_ops(const Npu *npu, OpStream stream)
{
    return npu->system->plan.role_ops[npu->role].by_stream[stream];
}

#endif
