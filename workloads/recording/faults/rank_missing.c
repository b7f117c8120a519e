/*
 * rank_missing.c - fewer ranks are given than took part
 *
 * The duration of a collective begins with its last rank, which may be absent.
 */
#include "workloads/recording/lint_impl.h"

static gboolean rank_is_recorded(const Recording *recording, uint32_t rank)
{
    for (guint i = 0; i < recording->ranks->len; i++)
        if (record_rank(recording, i)->rank == rank)
            return TRUE;
    return FALSE;
}

static gboolean rank_represents_all_ranks(const Recording *recording)
{
    return recording->ranks->len == 0 ||
           record_rank(recording, 0)->rank == RECORD_NO_RANK;
}

static void find_rank_missing_faults(Lint *lint)
{
    const Recording *of = lint->recording;

    /* In a large world, all missing ranks are one fault. */
    if (rank_represents_all_ranks(of) || of->n_world <= of->ranks->len)
        return;
    for (uint32_t rank = 0; rank < of->n_world; rank++)
        if (!rank_is_recorded(of, rank)) {
            lint_add_fault(
                lint, RECORD_NONE, RECORD_NONE,
                "%u of %u ranks are given: rank %u is the first that is "
                "missing",
                of->ranks->len, of->n_world, rank);
            return;
        }
}

const FaultKind fault_rank_missing = {
    .base = { .name = "rank-missing",
              .summary = "fewer ranks are given than took part" },
    .severity = FAULT_WARNING,
    .import = "takes times of collectives as upper bounds, and lets the "
              "missing ranks do what a given one does",
    .find_faults = find_rank_missing_faults,
};
