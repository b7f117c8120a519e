/*
 * info.h - what a sweep says of itself beside its results, as JSON
 *
 * All that differs from one run to the next is here and in no CSV.  JSON is
 * YAML, so the configuration reader reads it back.
 *
 * Errors   CONFIG_ERROR when reading
 * Owner    the caller owns the text and the lists
 */
#ifndef SIM_SWEEP_INFO_H
#define SIM_SWEEP_INFO_H

#include <glib.h>

typedef struct {
    const char *sweep;    /* the file, as it was given, */
    const char *path;     /* and from the root on */
    char *const *command; /* after `acesim`; ends with NULL */
    guint n_jobs, n_points, n_done, n_found, n_failed;
    guint n_simulated, n_shared, n_checked; /* see SweepRun */
    double wall_s;
    char *const *baselines; /* end with NULL, may be empty */
    char *const *best;
    char *const *offload;
} Info;

GString *info_text(const Info *info);

/* The texts of the list at @key ("compare.offload", "command") in the file at
 * @path; empty where it has none. */
G_GNUC_WARN_UNUSED_RESULT
char **info_read_list(const char *path, const char *key, GError **error);

/* The text at @key, "" where there is none.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
char *info_read_text(const char *path, const char *key, GError **error);

#endif
