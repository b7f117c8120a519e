/*
 * point_rows_from_run.c - makes the rows of a point, by simulation or from a
 * run that it shares; see point_rows_from_run.h
 */
#include "sim/sweep/shared_runs/point_rows_from_run.h"

#include "sim/host/machine_memory.h"
#include "sim/study/tune_endpoint.h"

/* Adds a hint to the error of a system that is too large, if a lower limit of
 * the user is the cause. */
static void explain_size_refusal(const PointRun *run, GError *reason,
                                 GError **error)
{
    if (run->point_memory &&
        run->run_options.limits.memory_bytes < machine_memory_bytes() &&
        g_error_matches(reason, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE)) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "%s; or raise --point-memory '%s'", reason->message,
                    run->point_memory);
        g_error_free(reason);
    } else {
        g_propagate_error(error, reason);
    }
}

static void append_result_rows(const PointRun *run, const char *axes,
                               const SystemConfig *config, const System *system,
                               const Utilisation *utilisation, GString **rows)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file])
            rows_append(rows[file], file, axes, config, system, utilisation);
}

/* Simulates the point once, with a utilisation listener if requested.  If @key
 * is given, keeps the run for other points. */
static gboolean simulate_point(const PointRun *run, const char *axes,
                               const RunCacheKey *key,
                               const SystemConfig *config, GString **rows,
                               GError **error)
{
    g_autoptr(System) system = system_new(config, run->run_options, error);
    g_autoptr(Utilisation) utilisation = NULL;

    if (system && run->wanted[ROWS_UTILISATION])
        utilisation = utilisation_new(system, 0);
    if (!system || !system_run(system, error))
        return FALSE;
    if (utilisation)
        utilisation_finish(utilisation);
    append_result_rows(run, axes, config, system, utilisation, rows);
    if (key)
        run_cache_add(run->share, key, run->wanted, config, system,
                      utilisation);
    return TRUE;
}

/* Uses the last run of the search as the result of the point.  The point is
 * simulated again if utilisation is requested, since the search has no
 * listener, or if repeated iterations may not be skipped, since the search
 * skips them. */
static gboolean tune_and_simulate_point(const PointRun *run, const char *axes,
                                        const SystemConfig *config,
                                        GString **rows, GError **error)
{
    RunOptions search = run->run_options;
    g_autoptr(TuneResult) tuned = NULL;

    search.skip = SKIP_AUTO;
    tuned = tune_endpoint(config, search, error);
    if (!tuned)
        return FALSE;
    if (run->wanted[ROWS_UTILISATION] || run->run_options.skip != SKIP_AUTO)
        return simulate_point(run, axes, NULL, tuned->config, rows, error);
    append_result_rows(run, axes, tuned->config, tuned->system, NULL, rows);
    return TRUE;
}

static gboolean simulate_unshared_point(const PointRun *run, const char *axes,
                                        const RunCacheKey *key,
                                        const SystemConfig *config,
                                        GString **rows, GError **error)
{
    GError *reason = NULL;

    if (endpoint_tuning_is_needed(config)
            ? tune_and_simulate_point(run, axes, config, rows, &reason)
            : simulate_point(run, axes, key, config, rows, &reason))
        return TRUE;
    explain_size_refusal(run, reason, error);
    return FALSE;
}

/* Simulates @point and compares the rows with @rows, which are from another
 * run. */
static gboolean check_shared_rows(const PointRun *run, const char *axes,
                                  const SystemConfig *config, GString **rows,
                                  GError **error)
{
    GString *own[ROWS_N_FILES];
    gboolean is_run;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        own[file] = g_string_new(NULL);
    is_run = simulate_unshared_point(run, axes, NULL, config, own, error);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        if (is_run && !*error && !g_string_equal(own[file], rows[file]))
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                        "the rows of a run that it shares are not its own, "
                        "which is a mistake of acesim; --share=off does "
                        "without: shared: %s, its own: %s",
                        rows[file]->str, own[file]->str);
        g_string_free(own[file], TRUE);
    }
    return !*error;
}

static gboolean use_cached_run(const PointRun *run, guint point,
                               const char *axes, const SystemConfig *config,
                               const RowsSnapshot *snapshot, GString **rows,
                               PointMethod *method, GError **error)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_snapshot_append(rows[file], file, axes, config, snapshot);
    *method = POINT_SHARED;
    if (!run_cache_selects_check(run->share, run->n_checks, point))
        return TRUE;
    *method = POINT_CHECKED;
    if (check_shared_rows(run, axes, config, rows, error))
        return TRUE;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_truncate(rows[file], 0);
    return FALSE;
}

/* Points that are tuned are not shared, because they depend on runs of many
 * configurations. */
gboolean point_run_make_rows(const PointRun *run, guint point, const char *axes,
                             const SystemConfig *config, GString **rows,
                             PointMethod *method, GError **error)
{
    const RowsSnapshot *snapshot;
    RunCacheKey key;

    if (!run->share || endpoint_tuning_is_needed(config))
        return simulate_unshared_point(run, axes, NULL, config, rows, error);
    key = run_cache_make_key(run->wanted, run->run_options.fold, config);
    snapshot = run_cache_find(run->share, &key, run->run_options, config);
    return snapshot
               ? use_cached_run(run, point, axes, config, snapshot, rows,
                                method, error)
               : simulate_unshared_point(run, axes, &key, config, rows, error);
}
