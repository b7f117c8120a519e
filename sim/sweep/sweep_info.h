/*
 * sweep_info.h - information about one run of a sweep, as JSON in info.json
 *
 * Everything that differs between two runs of the same sweep is here, and not
 * in a CSV. JSON is YAML, so the configuration reader can read it.
 *
 * Errors   CONFIG_ERROR when reading
 * Owner    the caller owns the text and the lists
 */
#ifndef SIM_SWEEP_SWEEP_INFO_H
#define SIM_SWEEP_SWEEP_INFO_H

#include <glib.h>

typedef struct {
    const char *sweep;    /* the sweep file as the user gave it */
    const char *path;     /* the absolute path of the sweep file */
    char *const *command; /* the arguments after `acesim`; ends with NULL */
    guint n_jobs, n_points, n_done, n_found, n_failed;
    guint n_simulated, n_shared, n_checked; /* see SweepRun */
    double wall_s;
    char *const *baselines; /* these lists end with NULL and may be empty */
    char *const *best;
    char *const *offload;
    char *const *fastest_over;
} SweepInfo;

GString *info_json_text(const SweepInfo *info);

/* Returns the texts of the list at @key ("compare.offload", "command") in the
 * file at @path; an empty list if there is no such key.  Returns NULL and sets
 * @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
char **sweep_info_read_list(const char *path, const char *key, GError **error);

/* Returns the text at @key, or "" if there is none.  Returns NULL and sets
 * @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
char *sweep_info_read_text(const char *path, const char *key, GError **error);

#endif
