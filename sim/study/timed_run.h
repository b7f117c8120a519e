/*
 * timed_run.h - one run of a file with other settings, of which only the time
 * is needed
 *
 * It is for studies that make many such runs with run_many.h: the result is a
 * text.
 *
 * Units    ps
 * Errors   those of the RunManyFn.  A run that ends with an error is no error
 *          here; its message becomes .reason.
 * Owner    the caller frees results; TimedRuns borrows everything
 */
#ifndef SIM_STUDY_TIMED_RUN_H
#define SIM_STUDY_TIMED_RUN_H

#include "models/run/run.h"
#include "sim/study/run_many.h"

typedef struct {
    const char *path;
    char *const *sets; /* settings of all runs; may be NULL */
    RunOptions run_options;
    SimTime (*time_of)(const System *system); /* the time of a run that has
                                               * ended */
    ConfigDoc *library; /* cache of files; NULL: each run reads them anew */
    RunWatch watch;     /* called in every run */
} TimedRuns;

/* Returns the settings of all runs and @more; the caller owns the array, not
 * the texts. */
char **timed_run_join_settings(const TimedRuns *runs, char *const *more);

/* Runs the file with @more (ends with NULL) and appends a result to @out that
 * timed_run_parse_result() can read.  Returns FALSE if the watch ended the
 * run. */
gboolean timed_run_simulate(const TimedRuns *runs, char *const *more,
                            GString *out);

/* Returns NULL and sets *@ret_ps, or returns why there is no time.  @reason is
 * that of RunMany.piece_ended. */
char *timed_run_parse_result(const GString *text, const char *reason,
                             SimTime *ret_ps);

#endif
