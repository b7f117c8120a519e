/*
 * unknown_kind.c - a communication kernel of unknown kind
 *
 * ROCm gives all such kernels the same name.
 */
#include "workloads/recording/lint_impl.h"

static void find_unknown_kind_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);
            const RecordComm *comm = record_node_communication(rank, node);

            if (comm && inventory_is_device(node) &&
                comm->kind == COLL_N_ALL_KINDS)
                lint_add_fault(lint, r, i, "does not name its collective");
        }
    }
}

const FaultKind fault_unknown_kind = {
    .base = { .name = "unknown-kind",
              .summary = "a kernel does not name its collective" },
    .severity = FAULT_WARNING,
    .import = "takes it for a barrier, of its recorded time",
    .find_faults = find_unknown_kind_faults,
};
