/*
 * begins_before_dependency.c - a device node begins before a dependency of it
 * has ended
 *
 * Formats with whole microseconds have an error of one at both ends.  Host
 * nodes are not checked, as they enclose each other.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

#define ROUNDED_PS INT64_C(2000000)

static gboolean node_has_time(const RecordNode *node)
{
    return inventory_is_device(node) && node->begin_ps != RECORD_NO_TIME;
}

static void check_node_begin(Lint *lint, guint rank_index, uint32_t i)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const RecordNode *node = record_node(rank, i);

    for (uint32_t d = 0; d < node->n_deps; d++) {
        uint32_t on = lint_find_node(
            lint, rank_index,
            g_array_index(rank->deps, uint64_t, node->first_dep + d));
        const RecordNode *before =
            on == RECORD_NONE || on == i ? NULL : record_node(rank, on);

        if (!before || !node_has_time(before) ||
            lint_node_end_ps(before) / 2 - node->begin_ps / 2 <= ROUNDED_PS / 2)
            continue;
        lint_add_fault(lint, rank_index, i,
                       "begins %.3f us before node %" PRIu64
                       ", for which it waits, has ended",
                       (double)lint_node_end_ps(before) / 1e6 -
                           (double)node->begin_ps / 1e6,
                       before->id);
    }
}

static void find_begins_before_dependency_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        for (uint32_t i = 0; i < lint_rank(lint, r)->nodes->len; i++)
            if (node_has_time(record_node(lint_rank(lint, r), i)))
                check_node_begin(lint, r, i);
}

const FaultKind fault_before_dependency = {
    .base = { .name = "before-dependency",
              .summary =
                  "work of the device begins before the work that it depends "
                  "on has ended" },
    .severity = FAULT_WARNING,
    .import = "keeps the dependency: in the replay the node begins later",
    .find_faults = find_begins_before_dependency_faults,
};
