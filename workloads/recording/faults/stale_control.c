/*
 * stale_control.c - who called a node is told by numbers that nodes once had
 *
 * Chakra files of 2023 number nodes anew and leave control dependencies as they
 * were: some nodes wait for themselves, and hosts for their own kernels.
 */
#include "workloads/recording/lint_impl.h"

static void find(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++)
            if (lint_calls_itself(rank, record_node(rank, i)))
                lint_tell(lint, r, i, "is called by itself");
    }
}

const FaultKind fault_stale_control = {
    .base = { .name = "stale-control",
              .summary = "control dependencies name what nodes were once" },
    .severity = FAULT_WARNING,
    .import = "leaves all control dependencies of the file out",
    .find = find,
};
