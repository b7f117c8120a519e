/*
 * stream_overlap.c - two nodes of one device stream run simultaneously
 *
 * A stream never does this: streams were confused, or times are wrong.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

/* Tolerance for times of whole microseconds, which have an error of one at both
 * ends. */
#define ROUNDED_PS INT64_C(2000000)

static void find_overlaps_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const GArray *device = lint->ranks[rank_index].device;
    /* The node with the latest end on the stream so far. */
    const RecordNode *last = NULL;

    for (guint i = 0; i < device->len; i++) {
        uint32_t k = g_array_index(device, uint32_t, i);
        const RecordNode *node = record_node(rank, k);

        if (node->part_of > 0)
            continue;
        if (last && last->stream == node->stream &&
            lint_node_end_ps(last) / 2 - node->begin_ps / 2 > ROUNDED_PS / 2)
            lint_add_fault(lint, rank_index, k,
                           "begins %.3f us before node %" PRIu64
                           " of its stream has ended",
                           (double)lint_node_end_ps(last) / 1e6 -
                               (double)node->begin_ps / 1e6,
                           last->id);
        if (!last || last->stream != node->stream ||
            lint_node_end_ps(node) > lint_node_end_ps(last))
            last = node;
    }
}

static void find_stream_overlap_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_overlaps_of_rank(lint, r);
}

const FaultKind fault_stream_overlap = {
    .base = { .name = "stream-overlap",
              .summary = "two nodes of one device stream overlap" },
    .severity = FAULT_WARNING,
    .import = "runs them one after the other, in the order of their begins",
    .find_faults = find_stream_overlap_faults,
};
