/*
 * missing_dependency.c - a node depends on one that the file does not have
 *
 * The writer of the file dropped nodes, but not the dependencies on them.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

static void check_node_dependencies(Lint *lint, guint rank_index, uint32_t i)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const RecordNode *node = record_node(rank, i);

    for (uint32_t d = 0; d < node->n_deps; d++) {
        uint64_t id = g_array_index(rank->deps, uint64_t, node->first_dep + d);

        if (lint_find_node(lint, rank_index, id) == RECORD_NONE)
            lint_add_fault(
                lint, rank_index, i,
                "waits for node %" PRIu64 ", which is not in the file", id);
    }
}

static void find_missing_dependency_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        for (uint32_t i = 0; i < lint_rank(lint, r)->nodes->len; i++)
            check_node_dependencies(lint, r, i);
}

const FaultKind fault_absent_dependency = {
    .base = { .name = "absent-dependency",
              .summary = "a node waits for one that is not in the file" },
    .severity = FAULT_WARNING,
    .import = "leaves these dependencies out",
    .find_faults = find_missing_dependency_faults,
};
