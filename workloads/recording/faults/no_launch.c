/*
 * no_launch.c - a device node without a launch, in a file that has launches
 *
 * The node was launched before the recording began, or by a graph.
 */
#include "workloads/recording/lint_impl.h"

static gboolean rank_has_launches(const RecordRank *rank)
{
    for (uint32_t i = 0; i < rank->nodes->len; i++)
        if (record_node(rank, i)->launch != RECORD_NONE)
            return TRUE;
    return FALSE;
}

static void find_no_launch_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        if (!rank_has_launches(rank))
            continue;
        for (uint32_t i = 0; i < rank->nodes->len; i++)
            if (inventory_is_device(record_node(rank, i)) &&
                record_node(rank, i)->launch == RECORD_NONE)
                lint_add_fault(lint, r, i, "has no launch");
    }
}

const FaultKind fault_no_launch = {
    .base = { .name = "no-launch",
              .summary =
                  "work of the device has no launch, and other work has" },
    .severity = FAULT_WARNING,
    .import = "orders it by its stream alone",
    .find_faults = find_no_launch_faults,
};
