/*
 * trial_runner.h - makes and remembers the runs of acesim optimise
 *
 * Owner    the caller owns the object, which owns the
 *          data that it stores in the TrialMaker
 */
#ifndef SIM_CLI_OPTIMISE_TRIAL_RUNNER_H
#define SIM_CLI_OPTIMISE_TRIAL_RUNNER_H

#include "sim/study/optimise/optimise.h"

typedef struct TrialRunner TrialRunner;

/* Returns an object for the run @path, or for point @point (from 1) of the
 * sweep @path.  Fills @maker except for the command line's options.  If
 * *@plans, its plans shall be searched; this is set to FALSE if it has none.
 * Otherwise values of the endpoint that are `auto` are chosen for the default.
 * Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
TrialRunner *trial_runner_new(const char *path, char *const *sets, guint point,
                              TrialMaker *maker, gboolean *plans,
                              GError **error);
void trial_runner_free(TrialRunner *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TrialRunner, trial_runner_free)

/* Remembers runs in the file @path, which may exist.  NULL: runs are not
 * remembered. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trial_runner_resume(TrialRunner *runs, const char *path,
                             GError **error);

void trial_runner_prepare(TrialRunner *runs, guint n_jobs,
                          gboolean is_terminal);

/* Clears the progress line on the terminal. */
void trial_runner_clear_line(gpointer runs);

/* Returns FALSE and sets @error if the file at @path is not a run file or its
 * run does not take @time_ps. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trial_runner_check_time_of_file(const char *path,
                                         RunOptions run_options,
                                         SimTime time_ps, GError **error);

#endif
