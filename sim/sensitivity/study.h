/*
 * study.h - what a speedup hangs on: each assumption changed alone, then some
 * together
 *
 *     speedup = best baseline's iteration time / offload's iteration time
 *
 * or any column of a run's CSV, of the offload.  Of several groups it is the
 * mean.  An assumption's effect is how far apart its least and its largest
 * value lie, what it is now included, as a part of the value now.
 *
 * Configurations that come out the same are run once, whatever was changed to
 * get there.
 *
 * Order    assumptions by falling effect; equal ones as they were found
 * Errors   CONFIG_ERROR, SYSTEM_ERROR of the run as it is; what fails when
 *          something is changed is that value's outcome
 * Owner    the caller owns the Study, which owns all it points to but what its
 *          options do
 */
#ifndef SIM_SENSITIVITY_STUDY_H
#define SIM_SENSITIVITY_STUDY_H

#include "sim/sensitivity/filter.h"
#include "sim/study/losses.h"

#define STUDY_SPEEDUP    "speedup"
#define STUDY_NEGLIGIBLE 0.001 /* an effect */
#define STUDY_MUCH       0.05  /* likewise */

typedef struct {
    const char *path;       /* of a run or a sweep */
    const char *file;       /* of assumptions; NULL: none */
    char *const *sets;      /* may be NULL */
    char *const *baselines; /* may be NULL, see contenders.h */
    AssumptionFilter filter;
    const char *metric; /* STUDY_SPEEDUP, or a column */
    FoldMode fold;
    guint n_jobs;
    /* Runs were made, or found to be needed; may be NULL. */
    void (*on_progress)(gpointer self, guint n_done, guint n_total);
    gpointer self;
} StudyOptions;

/* Several assumptions changed at a time: each pair of those that lower the
 * value most, and as many as lower it further, one after the other; likewise
 * for those that raise it. */
typedef struct {
    const char *name;   /* STUDY_PAIR, STUDY_LOWEST, STUDY_HIGHEST */
    GPtrArray *members; /* owned, of borrowed Assumption */
    GPtrArray *tries;   /* owned, of borrowed Try: one of each */
    Outcome outcome;
} Combination;

typedef struct {
    const StudyOptions *options; /* borrowed */
    Assumptions *assumptions;    /* owned; may be NULL */
    ConfigDoc *holder;           /* owned: values that stand in no file */
    Contenders *contenders;      /* owned */
    GPtrArray *all;              /* owned, of owned Assumption */
    GPtrArray *combinations;     /* owned, of owned Combination */
    Outcome base;
    guint n_runs;
    Losses losses; /* of those; its texts are owned */
} Study;

#define STUDY_PAIR    "two together"
#define STUDY_LOWEST  "together, to lower it"
#define STUDY_HIGHEST "together, to raise it"

/* NULL on error, or, with *@number set, when that signal came. */
G_GNUC_WARN_UNUSED_RESULT
Study *study_run(const StudyOptions *options, int *number, GError **error);
void study_free(Study *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Study, study_free)

gboolean study_is_speedup(const Study *study);

/* As a part of the value now, 0 or more. */
double study_effect(const Study *study, const Assumption *assumption);

/* TRUE when @outcome has another winner than now. */
gboolean study_turns(const Study *study, const Outcome *outcome);

static inline const Combination *study_combination(const Study *study, guint i)
{
    return g_ptr_array_index(study->combinations, i);
}

#endif
