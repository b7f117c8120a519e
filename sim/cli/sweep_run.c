/* sweep_run.c - the points of a sweep, run */
#include "sim/cli/sweep_run.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/pool.h"
#include "sim/core/csv.h"

void sweep_run_init(SweepRun *run, const SweepPlan *plan)
{
    *run = (SweepRun){ .plan = plan, .wanted = { [ROWS_RUNS] = TRUE } };
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        run->rows[file] = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_set_size(run->rows[file], (gint)sweep_plan_n_points(plan));
    }
}

void sweep_run_clear(SweepRun *run)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_clear_pointer(&run->rows[file], g_ptr_array_unref);
}

/* ---- cells of the axes ------------------------------------------------ */

/* A key that is a column of its own is not said twice. */
static char *axis_cells(const SweepPlan *plan, guint point)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_n_axes(plan); i++)
        if (!rows_is_column(sweep_plan_key(plan, i)))
            csv_add_text(out, sweep_plan_label(plan, point, i));
    return g_string_free(out, FALSE);
}

GString *sweep_run_csv(const SweepRun *run, RowsFile file)
{
    const SweepPlan *plan = run->plan;
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_n_axes(plan); i++)
        if (!rows_is_column(sweep_plan_key(plan, i)))
            csv_add_text(out, sweep_plan_key(plan, i));
    rows_add_header(out, file);
    for (guint i = 0; i < run->rows[file]->len; i++) {
        const char *rows = g_ptr_array_index(run->rows[file], i);

        g_string_append(out, rows ? rows : "");
    }
    return out;
}

/* ---- in the child ----------------------------------------------------- */

/* What comes back: the files one after the other, each ended by a NUL, then
 * the reason where the point failed. */
static void send_text(GString *out, const char *text)
{
    g_string_append_len(out, text, (gssize)strlen(text) + 1);
}

static gboolean run_point(const SweepRun *run, guint point, const char *axes,
                          SystemConfig *config, ConfigDoc **doc, GString **rows,
                          GError **error)
{
    g_autoptr(System) system = NULL;

    *doc = sweep_plan_point(run->plan, point, error);
    if (!*doc)
        return FALSE;
    if (!config_doc_read(*doc, system_fields, config, error)) {
        g_clear_pointer(doc, config_doc_free);
        return FALSE;
    }
    system = system_new(config, run->fold, error);
    if (!system || !system_run(system, error))
        return FALSE;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file])
            rows_add(rows[file], file, axes, config, system);
    return TRUE;
}

static void work(gpointer self, guint point, GString *out)
{
    const SweepRun *run = self;
    g_autofree char *axes = axis_cells(run->plan, point);
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    SystemConfig config;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    if (!run_point(run, point, axes, &config, &doc, rows, &error))
        rows_add_failure(rows[ROWS_RUNS], axes, doc ? &config : NULL,
                         error->message);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        send_text(out, rows[file]->str);
        g_string_free(rows[file], TRUE);
    }
    send_text(out, error ? error->message : "");
}

/* ---- in the parent ---------------------------------------------------- */

static void report(SweepRun *run, guint point, const char *reason)
{
    g_autofree char *where = sweep_plan_describe(run->plan, point);

    run->progress.n_failed++;
    progress_say(&run->progress, "failed: %s: %s", where, reason);
}

/* The child is gone, so what is known of its point is found out anew. */
static void lose_point(SweepRun *run, guint point, const char *reason)
{
    g_autofree char *axes = axis_cells(run->plan, point);
    g_autoptr(ConfigDoc) doc = sweep_plan_point(run->plan, point, NULL);
    GString *row = g_string_new(NULL);
    SystemConfig config;
    gboolean known = doc && config_doc_read(doc, system_fields, &config, NULL);

    rows_add_failure(row, axes, known ? &config : NULL, reason);
    g_ptr_array_index(run->rows[ROWS_RUNS], point) = g_string_free(row, FALSE);
    report(run, point, reason);
}

static void done(gpointer self, guint point, const GString *text,
                 const char *reason)
{
    SweepRun *run = self;
    const char *p = text ? text->str : NULL;

    run->progress.n_done++;
    if (reason) {
        lose_point(run, point, reason);
        return;
    }
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_ptr_array_index(run->rows[file], point) = g_strdup(p);
        p += strlen(p) + 1;
    }
    if (*p != '\0')
        report(run, point, p);
}

static void tick(gpointer self)
{
    progress_show(&((SweepRun *)self)->progress);
}

int sweep_run_all(SweepRun *run, guint n_jobs)
{
    const Pool pool = { .n_points = sweep_plan_n_points(run->plan),
                        .n_jobs = MIN(n_jobs, sweep_plan_n_points(run->plan)),
                        .work = work,
                        .done = done,
                        .tick = tick,
                        .self = run };
    int number;

    progress_begin(&run->progress, pool.n_points);
    number = pool_run(&pool);
    progress_end(&run->progress);
    return number;
}

/* ---- checking --------------------------------------------------------- */

/* Names in the order in which they first come; .known borrows them. */
typedef struct {
    GPtrArray *names;  /* owned, of owned text */
    GHashTable *known; /* owned */
} Names;

static void names_add(Names *names, const char *name)
{
    char *copy;

    if (g_hash_table_contains(names->known, name))
        return;
    copy = g_strdup(name);
    g_ptr_array_add(names->names, copy);
    g_hash_table_add(names->known, copy);
}

static gboolean check_point(const SweepPlan *plan, guint point, gboolean build,
                            Names *endpoints, GError **error)
{
    g_autoptr(ConfigDoc) doc = sweep_plan_point(plan, point, error);
    g_autoptr(System) system = NULL;
    SystemConfig config;

    if (!doc || !config_doc_read(doc, system_fields, &config, error))
        return FALSE;
    names_add(endpoints, rows_endpoint_name(&config));
    if (build)
        system = system_new(&config, FOLD_AUTO, error);
    return !build || system;
}

static void add_problems(GHashTable *known, GString *all, const char *message)
{
    g_auto(GStrv) lines = g_strsplit(message, "\n", -1);

    for (char **line = lines; *line; line++)
        if (g_hash_table_add(known, g_strdup(*line)))
            g_string_append_printf(all, "%s%s", all->len > 0 ? "\n" : "",
                                   *line);
}

/* All problems of the first @n points, each once. */
static GString *problems_of(const SweepPlan *plan, guint n, gboolean build,
                            Names *endpoints)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GString *all = g_string_new(NULL);

    for (guint i = 0; i < n; i++) {
        g_autoptr(GError) reason = NULL;

        if (!check_point(plan, i, build, endpoints, &reason))
            add_problems(known, all, reason->message);
    }
    return all;
}

gboolean sweep_run_check(const SweepPlan *plan, gboolean build, GError **error)
{
    guint n = MIN(sweep_plan_n_points(plan), SWEEP_CHECK_POINTS);
    Names endpoints = { g_ptr_array_new_with_free_func(g_free),
                        g_hash_table_new(g_str_hash, g_str_equal) };
    g_autoptr(GString) all = problems_of(plan, n, build, &endpoints);
    gboolean ok = all->len == 0;

    g_ptr_array_add(endpoints.names, NULL);
    if (!ok)
        g_set_error_literal(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                            all->str);
    else if (n == sweep_plan_n_points(plan)) /* else not all are known */
        ok = sweep_plan_check_names(
            plan, (const char *const *)endpoints.names->pdata, error);
    g_hash_table_unref(endpoints.known);
    g_ptr_array_unref(endpoints.names);
    return ok;
}
