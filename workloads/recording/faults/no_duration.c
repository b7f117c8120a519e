/* no_duration.c - a node without a valid duration, where the file should have
 * one */
#include "workloads/recording/lint_impl.h"

/* Returns whether a replay needs the time of @node. */
static gboolean replay_needs_time(const RecordNode *node)
{
    return inventory_is_device(node) || node->kind == RECORD_HOST ||
           node->kind == RECORD_WAIT || node->flags & RECORD_STEP;
}

static void find_no_duration_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            if (node->flags & RECORD_UNTIMED && replay_needs_time(node))
                lint_add_fault(lint, r, i, "has no number for its duration");
        }
    }
}

const FaultKind fault_no_duration = {
    .base = { .name = "no-duration",
              .summary = "a node has no number for its duration" },
    .severity = FAULT_ERROR,
    .import = "lets it take no time",
    .find_faults = find_no_duration_faults,
};
