/*
 * no_step.c - a recorded rank has no steps, so its iterations are unknown
 *
 * PyTorch's profiler names steps "ProfilerStep".
 */
#include "workloads/recording/lint_impl.h"

static gboolean rank_has_steps(const RecordRank *rank)
{
    for (uint32_t i = 0; i < rank->nodes->len; i++)
        if (record_node(rank, i)->flags & RECORD_STEP)
            return TRUE;
    return FALSE;
}

static void find_no_step_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        if (lint_has_device_work(lint, r) &&
            !rank_has_steps(lint_rank(lint, r)))
            lint_add_fault(lint, r, RECORD_NONE, "names no step");
}

const FaultKind fault_no_step = {
    .base = { .name = "no-step", .summary = "a rank that ran names no step" },
    .severity = FAULT_NOTE,
    .import = "takes all that was recorded as one iteration",
    .find_faults = find_no_step_faults,
};
