/*
 * lint.c - the table of faults, and the search for all of them
 *
 * A lint builds its indices once, then runs the search of each kind, and sorts
 * the faults by kind and rank.
 */
#include "workloads/recording/lint_impl.h"

const char *const fault_severity_names[FAULT_N_SEVERITIES + 1] = {
    [FAULT_NOTE] = "note",
    [FAULT_WARNING] = "warning",
    [FAULT_ERROR] = "error",
    [FAULT_N_SEVERITIES] = NULL,
};

/* To add a fault, add a file of faults/ and a line here, and a sample in
 * tests/samples/faults/. */
/* clang-format off */
#define FAULTS(Add)                                                            \
    Add(fault_absent_dependency)                                               \
    Add(fault_before_dependency)                                               \
    Add(fault_before_launch)                                                   \
    Add(fault_circle)                                                          \
    Add(fault_clock_skew)                                                      \
    Add(fault_collective_order)                                                \
    Add(fault_counted_twice)                                                   \
    Add(fault_empty_rank)                                                      \
    Add(fault_id_twice)                                                        \
    Add(fault_lone_message)                                                    \
    Add(fault_missing_collective)                                              \
    Add(fault_no_duration)                                                     \
    Add(fault_no_launch)                                                       \
    Add(fault_no_size)                                                         \
    Add(fault_no_step)                                                         \
    Add(fault_no_successor)                                                    \
    Add(fault_not_in_group)                                                    \
    Add(fault_outside_world)                                                   \
    Add(fault_rank_missing)                                                    \
    Add(fault_rank_twice)                                                      \
    Add(fault_size_differs)                                                    \
    Add(fault_split_mismatch)                                                  \
    Add(fault_stale_control)                                                   \
    Add(fault_stream_overlap)                                                  \
    Add(fault_truncated_step)                                                  \
    Add(fault_unknown_group)                                                   \
    Add(fault_unknown_kind)                                                    \
    Add(fault_waiting)                                                         \
    Add(fault_wrong_unit)                                                      \
    Add(fault_zero_time)
/* clang-format on */

#define DECLARE(Kind) extern const FaultKind Kind;
#define KIND(Kind)    &Kind.base,

FAULTS(DECLARE)

static const ConfigKind *const kinds[] = { FAULTS(KIND) NULL };

const ConfigRegistry fault_registry = { .noun = "fault", .kinds = kinds };

static void free_fault(gpointer data)
{
    Fault *fault = data;

    g_array_unref(fault->places);
    g_free(fault);
}

static int compare_faults_by_rank(gconstpointer a, gconstpointer b)
{
    const Fault *one = *(const Fault *const *)a;
    const Fault *other = *(const Fault *const *)b;
    int names = g_strcmp0(one->kind->base.name, other->kind->base.name);

    if (names != 0)
        return names;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

LintReport *lint_recording(const Recording *recording, guint n_places)
{
    LintReport *report = g_new0(LintReport, 1);
    Lint lint = { .recording = recording,
                  .n_places = n_places,
                  .report = report };

    g_assert(n_places > 0);
    report->recording = recording;
    report->n_places = n_places;
    report->faults = g_ptr_array_new_with_free_func(free_fault);
    lint_index_ranks(&lint);
    for (guint i = 0; kinds[i]; i++) {
        lint.kind = (const FaultKind *)kinds[i];
        lint.kind->find_faults(&lint);
    }
    lint_clear_index(&lint);
    g_ptr_array_sort(report->faults, compare_faults_by_rank);
    return report;
}

void lint_report_free(LintReport *report)
{
    if (!report)
        return;
    g_ptr_array_unref(report->faults);
    g_free(report);
}
