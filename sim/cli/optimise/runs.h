/*
 * runs.h - how acesim optimise has its runs made and remembered
 *
 * Owner    the caller owns the Runs, which owns what it puts into the
 *          TrialMaker
 */
#ifndef SIM_CLI_OPTIMISE_RUNS_H
#define SIM_CLI_OPTIMISE_RUNS_H

#include "sim/study/optimise/optimise.h"

typedef struct Runs Runs;

/* Of the run @path, or of the point @point of the sweep, counted from 1; fills
 * in @maker but for what the command line says of it.  What is `auto` of the
 * endpoint is chosen for the default.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
Runs *runs_new(const char *path, char *const *sets, guint point,
               TrialMaker *maker, GError **error);
void runs_free(Runs *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Runs, runs_free)

/* Remembers in the file @path, which may be there already; NULL: nowhere. */
G_GNUC_WARN_UNUSED_RESULT
gboolean runs_resume(Runs *runs, const char *path, GError **error);

void runs_prepare(Runs *runs, guint n_jobs, gboolean is_terminal);

/* Clears the line that says how far it is. */
void runs_say_no_more(gpointer runs);

/* FALSE: the run file at @path is none, or does not take @time_ps. */
G_GNUC_WARN_UNUSED_RESULT
gboolean runs_check_file(const char *path, FoldMode fold, SimTime time_ps,
                         GError **error);

#endif
