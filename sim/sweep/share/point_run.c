/* point_run.c - see point_run.h */
#include "sim/sweep/share/point_run.h"

#include "sim/host/machine.h"
#include "sim/study/tune.h"

static SystemSize most_of(const PointRun *run)
{
    return (SystemSize){ run->point_memory ? run->memory_bytes : 0, 0 };
}

/* Adds a hint to the error of a system that is too large, if a lower limit of
 * the user is the cause. */
static void explain_refusal(const PointRun *run, GError *reason, GError **error)
{
    if (run->point_memory && run->memory_bytes < machine_memory_bytes() &&
        g_error_matches(reason, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE)) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "%s; or raise --point-memory '%s'", reason->message,
                    run->point_memory);
        g_error_free(reason);
    } else {
        g_propagate_error(error, reason);
    }
}

static void add_rows(const PointRun *run, const char *axes,
                     const SystemConfig *config, const System *system,
                     const Utilisation *utilisation, GString **rows)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file])
            rows_add(rows[file], file, axes, config, system, utilisation);
}

/* Simulates the point once, with a utilisation listener if requested.  If @key
 * is given, keeps the run for other points. */
static gboolean run_once(const PointRun *run, const char *axes,
                         const RunCacheKey *key, const SystemConfig *config,
                         GString **rows, GError **error)
{
    g_autoptr(System) system =
        system_new_within(config, run->fold, most_of(run), error);
    g_autoptr(Utilisation) utilisation = NULL;

    if (system && run->wanted[ROWS_UTILISATION])
        utilisation = utilisation_new(system, 0);
    if (system)
        system_set_skip(system, run->skip);
    if (!system || !system_run(system, error))
        return FALSE;
    if (utilisation)
        utilisation_finish(utilisation);
    add_rows(run, axes, config, system, utilisation, rows);
    if (key)
        run_cache_add(run->share, key, run->wanted, config, system,
                      utilisation);
    return TRUE;
}

/* Uses the last run of the search, unless utilisation is requested, because the
 * search runs without a listener. */
static gboolean run_tuned(const PointRun *run, const char *axes,
                          const SystemConfig *config, GString **rows,
                          GError **error)
{
    g_autoptr(TuneResult) tuned =
        tune_new(config, run->fold, most_of(run), error);

    if (!tuned)
        return FALSE;
    if (run->wanted[ROWS_UTILISATION] || run->skip != SKIP_AUTO)
        return run_once(run, axes, NULL, tuned->config, rows, error);
    add_rows(run, axes, tuned->config, tuned->system, NULL, rows);
    return TRUE;
}

static gboolean run_alone(const PointRun *run, const char *axes,
                          const RunCacheKey *key, const SystemConfig *config,
                          GString **rows, GError **error)
{
    GError *reason = NULL;

    if (tune_is_needed(config)
            ? run_tuned(run, axes, config, rows, &reason)
            : run_once(run, axes, key, config, rows, &reason))
        return TRUE;
    explain_refusal(run, reason, error);
    return FALSE;
}

/* Simulates @point and compares the rows with @rows, which are from another
 * run. */
static gboolean check_shared(const PointRun *run, const char *axes,
                             const SystemConfig *config, GString **rows,
                             GError **error)
{
    GString *own[ROWS_N_FILES];
    gboolean is_run;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        own[file] = g_string_new(NULL);
    is_run = run_alone(run, axes, NULL, config, own, error);
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

static gboolean use_shared_run(const PointRun *run, guint point,
                               const char *axes, const SystemConfig *config,
                               const RowsSnapshot *kept, GString **rows,
                               PointMethod *how, GError **error)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_snapshot_add(rows[file], file, axes, config, kept);
    *how = POINT_SHARED;
    if (!run_cache_draws_check(run->share, run->n_checks, point))
        return TRUE;
    *how = POINT_CHECKED;
    if (check_shared(run, axes, config, rows, error))
        return TRUE;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_truncate(rows[file], 0);
    return FALSE;
}

/* Points that are tuned are not shared, because they depend on runs of many
 * configurations. */
gboolean point_rows(const PointRun *run, guint point, const char *axes,
                    const SystemConfig *config, GString **rows,
                    PointMethod *how, GError **error)
{
    const RowsSnapshot *kept;
    RunCacheKey key;

    if (!run->share || tune_is_needed(config))
        return run_alone(run, axes, NULL, config, rows, error);
    key = run_cache_key(run->wanted, run->fold, config);
    kept = run_cache_find(run->share, &key, run->fold, most_of(run), config);
    return kept ? use_shared_run(run, point, axes, config, kept, rows, how,
                                 error)
                : run_alone(run, axes, &key, config, rows, error);
}
