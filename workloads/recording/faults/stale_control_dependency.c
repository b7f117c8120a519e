/*
 * stale_control_dependency.c - control dependencies with outdated ids
 *
 * Chakra files from 2023 renumber nodes, but not control dependencies: some
 * nodes depend on themselves, and host nodes on their own kernels.
 */
#include "workloads/recording/lint_impl.h"

static void find_stale_control_dependency_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++)
            if (lint_node_depends_on_itself(rank, record_node(rank, i)))
                lint_add_fault(lint, r, i, "is called by itself");
    }
}

const FaultKind fault_stale_control = {
    .base = { .name = "stale-control",
              .summary = "control dependencies name what nodes were once" },
    .severity = FAULT_WARNING,
    .import = "leaves all control dependencies of the file out",
    .find_faults = find_stale_control_dependency_faults,
};
