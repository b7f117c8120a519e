/* unknown_group.c - the group of a collective is unknown, and need not be all
 * ranks */
#include "workloads/recording/lint_impl.h"

static void find_unknown_group_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);
            const RecordComm *comm = record_node_communication(rank, node);

            if (comm && node->kind == RECORD_COLLECTIVE &&
                !(node->flags & RECORD_ON_HOST) && comm->group == RECORD_NONE)
                lint_add_fault(lint, r, i, "does not name its ranks");
        }
    }
}

const FaultKind fault_unknown_group = {
    .base = { .name = "unknown-group",
              .summary = "a collective does not name its ranks" },
    .severity = FAULT_NOTE,
    .import = "takes all ranks of the world",
    .find_faults = find_unknown_group_faults,
};
