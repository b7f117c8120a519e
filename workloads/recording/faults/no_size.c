/*
 * no_size.c - communication of the device or of a plan without a size
 *
 * Traces of PyTorch before 2.2 have sizes only in the host execution trace.
 */
#include "workloads/recording/lint_impl.h"

static void find_no_size_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);
            const RecordComm *comm = record_node_communication(rank, node);

            if (inventory_is_comm(node) && inventory_is_device(node) &&
                (!comm || (!comm->has_bytes && comm->kind != COLL_BARRIER)))
                lint_add_fault(lint, r, i, "has no size");
        }
    }
}

const FaultKind fault_no_size = {
    .base = { .name = "no-size",
              .summary = "a collective or message without a size" },
    .severity = FAULT_WARNING,
    .import =
        "takes sizes from a host ET of the rank; else it writes 1 B, and only "
        "the recorded time can be replayed",
    .find_faults = find_no_size_faults,
};
