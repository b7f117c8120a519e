/*
 * begins_before_launch.c - a device node begins before the call that launched
 * it
 *
 * Either time goes backwards, or device and host have different clocks.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

static void check_node_launch(Lint *lint, guint rank_index, uint32_t i)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const RecordNode *node = record_node(rank, i);
    const RecordNode *launch =
        node->launch == RECORD_NONE ? NULL : record_node(rank, node->launch);

    if (!launch || launch->begin_ps == RECORD_NO_TIME ||
        node->begin_ps >= launch->begin_ps)
        return;
    lint_add_fault(
        lint, rank_index, i, "begins %.3f us before its launch, node %" PRIu64,
        (double)launch->begin_ps / 1e6 - (double)node->begin_ps / 1e6,
        launch->id);
}

static void find_begins_before_launch_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const GArray *device = lint->ranks[r].device;

        for (guint i = 0; i < device->len; i++)
            check_node_launch(lint, r, g_array_index(device, uint32_t, i));
    }
}

const FaultKind fault_before_launch = {
    .base = { .name = "before-launch",
              .summary = "work of the device begins before its launch" },
    .severity = FAULT_ERROR,
    .import = "starts it at its launch, without a gap",
    .find_faults = find_begins_before_launch_faults,
};
