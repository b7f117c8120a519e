/*
 * sensitivity_study.h - a sensitivity study: how a speedup depends on what is
 * assumed
 *
 *     speedup = best baseline's iteration time / offload's iteration time
 *
 * Instead of the speedup, the metric can be any column of runs.csv, for the
 * offload.  With several groups it is the mean over the groups.
 *
 * The study first changes each assumption alone, then some together.  The
 * effect of an assumption is (largest - least value of the metric) / present
 * value; the present value is among them.
 *
 * Equal configurations are run once, whatever changes lead to them.
 *
 * Order    assumptions by descending effect; equal ones in the order in which
 *          they were found
 * Errors   CONFIG_ERROR; SYSTEM_ERROR if the unchanged run fails.  If a changed
 *          run fails, that is the outcome of the change.
 * Owner    the caller owns the Study, which owns everything but the contents of
 *          its options
 */
#ifndef SIM_SENSITIVITY_SENSITIVITY_STUDY_H
#define SIM_SENSITIVITY_SENSITIVITY_STUDY_H

#include "sim/sensitivity/assumption_filter.h"
#include "sim/study/failed_runs.h"

#define STUDY_SPEEDUP    "speedup"
#define STUDY_NEGLIGIBLE 0.001 /* effects below this are not shown */
/* Effects above this are named in the answer. */
#define STUDY_LARGE_EFFECT 0.05

typedef struct {
    const char *path;       /* path of a run file or a sweep file */
    const char *file;       /* path of a file of assumptions; NULL: none */
    char *const *sets;      /* may be NULL */
    char *const *baselines; /* may be NULL, see compared_endpoints.h */
    AssumptionFilter filter;
    const char *metric; /* STUDY_SPEEDUP, or a column */
    RunOptions run_options;
    guint n_jobs;
    /* Reports the runs that are done and those that are needed; may be NULL. */
    void (*on_progress)(gpointer self, guint n_done, guint n_total);
    gpointer self;
} StudyOptions;

/* Several assumptions that are changed together.  There are all pairs of those
 * that lower the value most.  STUDY_LOWEST collects assumptions, one after
 * another, as long as they lower the value further; STUDY_HIGHEST those that
 * raise it. */
typedef struct {
    const char *name;        /* STUDY_PAIR, STUDY_LOWEST or STUDY_HIGHEST */
    GPtrArray *members;      /* owned, of borrowed Assumption */
    GPtrArray *alternatives; /* owned, of borrowed Alternative: one of each
                              * member */
    AlternativeOutcome outcome;
} AssumptionCombination;

typedef struct {
    const StudyOptions *options;  /* borrowed */
    Assumptions *assumptions;     /* owned; may be NULL */
    ConfigDoc *holder;            /* owned: holds values that are in no file */
    ComparedEndpoints *endpoints; /* owned */
    GPtrArray *assumption_list;   /* owned, of owned Assumption */
    GPtrArray *combinations;      /* owned, of owned Combination */
    AlternativeOutcome base;
    guint n_runs;
    FailedRuns failed_runs; /* of the runs; its texts are owned */
} SensitivityStudy;

#define STUDY_PAIR    "two together"
#define STUDY_LOWEST  "together, to lower it"
#define STUDY_HIGHEST "together, to raise it"

/* Returns the study.  Returns NULL if a signal came, whose number is then in
 * *@number, or sets @error. */
G_GNUC_WARN_UNUSED_RESULT
SensitivityStudy *sensitivity_study_run(const StudyOptions *options,
                                        int *number, GError **error);
void sensitivity_study_free(SensitivityStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SensitivityStudy, sensitivity_study_free)

/* Returns whether the metric is the speedup. */
gboolean sensitivity_study_is_speedup(const SensitivityStudy *study);

/* Returns the effect of an assumption, at least 0. */
double sensitivity_study_assumption_effect(const SensitivityStudy *study,
                                           const Assumption *assumption);

/* Returns TRUE if the winner with @outcome is not the present one. */
gboolean sensitivity_study_changes_winner(const SensitivityStudy *study,
                                          const AlternativeOutcome *outcome);

static inline const AssumptionCombination *
sensitivity_study_combination_at(const SensitivityStudy *study, guint i)
{
    return g_ptr_array_index(study->combinations, i);
}

#endif
