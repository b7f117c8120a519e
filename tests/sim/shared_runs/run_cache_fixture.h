/*
 * run_cache_fixture.h - points that are looked up in the cache of runs, and
 * simulated as well
 *
 * Owner    all is
 * borrowed */
#ifndef TESTS_SIM_SHARED_RUNS_RUN_CACHE_FIXTURE_H
#define TESTS_SIM_SHARED_RUNS_RUN_CACHE_FIXTURE_H

#include "sim/sweep/shared_runs/point_rows_from_run.h"
#include "tests/system_fixture.h"

#include "models/observe/utilisation.h"

static const gboolean all_files[ROWS_N_FILES] = { TRUE, TRUE, TRUE, TRUE,
                                                  TRUE };

typedef struct {
    /* The number of simulated points, and the number of those that found a
     * shared run. */
    guint n, n_shared;
} Count;

/* ---- simulation of one point with the cache ------------------------------ */

/* Returns the text of rows_append() for all files, with the axes of a point. */
static GString *csv_rows_of_run(const Run *run, const Utilisation *utilisation)
{
    GString *rows = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_append(rows, file, "a,b,", &run->config, run->system, utilisation);
    return rows;
}

static GString *csv_rows_of_snapshot(const RowsSnapshot *snapshot,
                                     const SystemConfig *config)
{
    GString *rows = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_snapshot_append(rows, file, "a,b,", config, snapshot);
    return rows;
}

/* Simulates a point.  Sets *@ret_shared to the rows found in the cache, or to
 * NULL. Returns FALSE if the system is refused. */
static gboolean run_point_with_cache(const Setup *setup, FoldMode fold,
                                     RunCache *cache, GString **ret_shared,
                                     GString **ret_own)
{
    Run run;
    RunCacheKey key;
    const RowsSnapshot *snapshot;
    g_autoptr(Utilisation) utilisation = NULL;
    g_autoptr(GError) error = NULL;

    read_run_setup(&run, setup);
    key = run_cache_make_key(all_files, fold, &run.config);
    snapshot =
        run_cache_find(cache, &key, (RunOptions){ .fold = fold }, &run.config);
    *ret_shared = snapshot ? csv_rows_of_snapshot(snapshot, &run.config) : NULL;
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    if (run.system) {
        utilisation = utilisation_new(run.system, 0);
        if (!system_run(run.system, &error)) {
            g_printerr("%s", setup_text(setup));
            fail_msg("%s", error->message);
        }
        utilisation_finish(utilisation);
        *ret_own = csv_rows_of_run(&run, utilisation);
        if (!snapshot)
            run_cache_add(cache, &key, all_files, &run.config, run.system,
                          utilisation);
    }
    g_clear_pointer(&utilisation, utilisation_free);
    run_clear(&run);
    return !error;
}

static void ask_cache_for_point(const Setup *setup, FoldMode fold,
                                RunCache *cache, Count *count)
{
    g_autoptr(GString) own = NULL;
    GString *shared = NULL;
    gboolean is_run = run_point_with_cache(setup, fold, cache, &shared, &own);

    if (shared && (!is_run || !g_string_equal(shared, own))) {
        g_printerr("%s\nshared:\n%s\nits own:\n%s", setup_text(setup),
                   shared->str, own ? own->str : "it is refused");
        fail_msg("a run is shared by one that differs");
    }
    count->n += is_run ? 1 : 0;
    count->n_shared += shared ? 1 : 0;
    if (shared)
        g_string_free(shared, TRUE);
}

#endif
