/* duplicate_rank.c - two files claim to be the same rank */
#include "workloads/recording/lint_impl.h"

static void find_duplicate_rank_faults(Lint *lint)
{
    const Recording *of = lint->recording;

    for (guint i = 0; i < of->ranks->len; i++) {
        const RecordRank *rank = record_rank(of, i);

        for (guint k = 0; k < i; k++)
            if (record_rank(of, k)->rank == rank->rank) {
                if (rank->rank == RECORD_NO_RANK)
                    lint_add_fault(lint, i, RECORD_NONE,
                                   "says no rank, as does '%s'",
                                   record_rank(of, k)->file);
                else
                    lint_add_fault(lint, i, RECORD_NONE,
                                   "is rank %u, as is '%s'", rank->rank,
                                   record_rank(of, k)->file);
                break;
            }
    }
}

const FaultKind fault_rank_twice = {
    .base = { .name = "rank-twice",
              .summary = "two files say that they are the same rank" },
    .severity = FAULT_ERROR,
    .import = "takes files as ranks, in their order",
    .find_faults = find_duplicate_rank_faults,
};
