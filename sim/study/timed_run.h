/*
 * timed_run.h - the same file again with something set, for its time alone
 *
 * For studies that have many such runs made by run_many.h: what one of them
 * hands back is a text.
 *
 * Units    ps
 * Errors   those of the RunManyFn; what a run itself has to complain of is its
 *          .reason
 * Owner    the caller frees what is returned; TimedRuns borrows all
 */
#ifndef SIM_STUDY_TIMED_RUN_H
#define SIM_STUDY_TIMED_RUN_H

#include "models/run/system.h"
#include "sim/study/run_many.h"

typedef struct {
    const char *path;
    char *const *sets; /* of all runs; may be NULL */
    FoldMode fold;
    SimTime (*time_of)(const System *system); /* of one that has ended */
    ConfigDoc *library; /* of the files; NULL: each run reads them anew */
} TimedRuns;

/* What is set in all runs, and @more.  Owner: the caller, of the array alone.
 */
char **timed_run_sets(const TimedRuns *runs, char *const *more);

/* Runs it with @more set, too, which NULL ends; adds to @out what
 * timed_run_done() reads. */
void timed_run_work(const TimedRuns *runs, char *const *more, GString *out);

/* NULL and *@ret_ps, or why there is none; @reason is run_many's. */
char *timed_run_done(const GString *text, const char *reason, SimTime *ret_ps);

#endif
