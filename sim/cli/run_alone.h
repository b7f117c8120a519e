/*
 * run_alone.h - the jobs of a run, each by itself, and their rows where a file
 * is wanted
 *
 * Owner    the caller owns the array
 */
#ifndef SIM_CLI_RUN_ALONE_H
#define SIM_CLI_RUN_ALONE_H

#include "sim/study/jobs/alone.h"

/* alone_run(); @csv is where rows go, or NULL, and *@to_stdout whether that is
 * standard output, or was before.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *alone_written(const char *path, char *const *sets, FoldMode fold,
                      const System *system, const char *csv,
                      gboolean *to_stdout, GError **error);

#endif
