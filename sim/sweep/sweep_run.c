/* sweep_run.c - the points of a sweep, run */
#include "sim/sweep/sweep_run.h"

#include <stdio.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/csv.h"
#include "sim/host/machine.h"
#include "sim/host/pool.h"
#include "sim/study/tune.h"
#include "sim/sweep/point_text.h"
#include "sim/sweep/sweep_check.h"
#include "sim/sweep/sweep_id.h"

#define PS_PER_US UINT64_C(1000000)

void sweep_run_init(SweepRun *run, const SweepPlan *plan)
{
    *run = (SweepRun){ .plan = plan, .wanted = { [ROWS_RUNS] = TRUE } };
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        run->rows[file] = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_set_size(run->rows[file], (gint)sweep_plan_n_points(plan));
    }
    run->ids = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(run->ids, (gint)sweep_plan_n_points(plan));
    run->todo = g_array_new(FALSE, FALSE, sizeof(guint));
    run->failed = g_array_new(FALSE, FALSE, sizeof(guint));
}

void sweep_run_clear(SweepRun *run)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_clear_pointer(&run->rows[file], g_ptr_array_unref);
    g_clear_pointer(&run->ids, g_ptr_array_unref);
    g_clear_pointer(&run->todo, g_array_unref);
    g_clear_pointer(&run->failed, g_array_unref);
    g_clear_error(&run->error);
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

static void keep_rows(SweepRun *run, guint point, const char *const *parts)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_ptr_array_index(run->rows[file], point) = g_strdup(parts[file]);
}

/* ---- in the child ----------------------------------------------------- */

static SystemSize most_of(const SweepRun *run)
{
    return (SystemSize){ run->point_memory ? run->memory_bytes : 0, 0 };
}

/* What is refused for its size can be allowed more only by who said less. */
static void explain_refusal(const SweepRun *run, GError *reason, GError **error)
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

static void add_rows(const SweepRun *run, const char *axes,
                     const SystemConfig *config, const System *system,
                     const Utilisation *utilisation, GString **rows)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file])
            rows_add(rows[file], file, axes, config, system, utilisation);
}

/* Once, listening where that is asked for. */
static gboolean run_once(const SweepRun *run, const char *axes,
                         const SystemConfig *config, GString **rows,
                         GError **error)
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
    return TRUE;
}

/* The search leaves a run behind, which nobody listened to. */
static gboolean run_tuned(const SweepRun *run, const char *axes,
                          const SystemConfig *config, GString **rows,
                          GError **error)
{
    g_autoptr(Tuned) tuned = tune_new(config, run->fold, most_of(run), error);

    if (!tuned)
        return FALSE;
    if (run->wanted[ROWS_UTILISATION] || run->skip != SKIP_AUTO)
        return run_once(run, axes, tuned->config, rows, error);
    add_rows(run, axes, tuned->config, tuned->system, NULL, rows);
    return TRUE;
}

static gboolean run_point(const SweepRun *run, const char *axes,
                          const SystemConfig *config, GString **rows,
                          GError **error)
{
    GError *reason = NULL;

    if (tune_is_needed(config) ? run_tuned(run, axes, config, rows, &reason)
                               : run_once(run, axes, config, rows, &reason))
        return TRUE;
    explain_refusal(run, reason, error);
    return FALSE;
}

static void work(gpointer self, guint job, GString *out)
{
    const SweepRun *run = self;
    guint point = g_array_index(run->todo, guint, job);
    g_autofree char *axes = sweep_cells(run->plan, point);
    g_autofree char *id = NULL;
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        sweep_read_point(run->plan, point, &config, &error);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    if (doc)
        id = sweep_id(axes, run->wanted, run->fold, &config);
    if (!doc || !run_point(run, axes, &config, rows, &error))
        rows_add_failure(rows[ROWS_RUNS], axes, doc ? &config : NULL,
                         error->message);
    point_text_add(out, id ? id : "");
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        point_text_add(out, rows[file]->str);
        g_string_free(rows[file], TRUE);
    }
    point_text_add(out, error ? error->message : "");
}

/* ---- in the parent ---------------------------------------------------- */

static void report(SweepRun *run, guint point, const char *reason)
{
    g_autofree char *where = sweep_plan_describe(run->plan, point);

    run->progress.n_failed++;
    progress_say(&run->progress, "failed: %s: %s", where, reason);
}

static void tell_source(const SweepRun *run, guint point)
{
    if (run->source)
        run->source->done(run->source->self, point);
}

static void keep(SweepRun *run, const char *id, const char *text, gsize n_bytes)
{
    if (!run->stop)
        run->stop = !journal_add(run->journal, id, text, n_bytes, &run->error);
}

/* The child is gone, so what is known of its point is found out anew. */
static void lose_point(SweepRun *run, guint point, const char *reason)
{
    g_autofree char *axes = sweep_cells(run->plan, point);
    GString *row = g_string_new(NULL);
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        sweep_read_point(run->plan, point, &config, NULL);

    rows_add_failure(row, axes, doc ? &config : NULL, reason);
    if (run->source && sweep_run_id(run, point)) {
        g_autoptr(GString) text = point_text_of_failure(row->str, reason);

        keep(run, sweep_run_id(run, point), text->str, text->len);
    }
    g_ptr_array_index(run->rows[ROWS_RUNS], point) = g_string_free(row, FALSE);
    report(run, point, reason);
    tell_source(run, point);
}

static gboolean is_for_journal(const SweepRun *run, const char *id,
                               const char *const *parts)
{
    return *parts[POINT_TEXT_REASON] == '\0' || (run->source && *id != '\0');
}

static void done(gpointer self, guint job, const GString *text,
                 const char *reason)
{
    SweepRun *run = self;
    guint point = g_array_index(run->todo, guint, job);
    gsize n_id = reason ? 0 : strlen(text->str) + 1;
    const char *parts[POINT_TEXT_N_PARTS];

    run->progress.n_done++;
    if (!reason &&
        (n_id > text->len ||
         !point_text_split(text->str + n_id, text->len - n_id, parts)))
        reason = "its result is not whole";
    if (reason) {
        lose_point(run, point, reason);
        return;
    }
    keep_rows(run, point, parts);
    if (*parts[POINT_TEXT_REASON] != '\0')
        report(run, point, parts[POINT_TEXT_REASON]);
    if (is_for_journal(run, text->str, parts))
        keep(run, text->str, text->str + n_id, text->len - n_id);
    tell_source(run, point);
}

static void say(gpointer self, const char *text)
{
    SweepRun *run = self;

    progress_say(&run->progress, "%s", text);
}

static gboolean more(gpointer self, guint *n_points)
{
    SweepRun *run = self;
    gboolean goes_on = run->source->more(run->source->self, run->todo);

    *n_points = run->todo->len;
    run->progress.n_total = MAX(run->progress.n_total, *n_points);
    if (!goes_on)
        run->progress.n_total = *n_points;
    return goes_on;
}

static void tick(gpointer self)
{
    SweepRun *run = self;

    progress_show(&run->progress);
    if (run->source)
        run->source->tick(run->source->self);
    if (!run->stop)
        run->stop = !journal_sync(run->journal, FALSE, &run->error);
}

/* As if it had been here. */
static void report_failed(SweepRun *run)
{
    for (guint i = 0; i < run->failed->len; i++) {
        guint point = g_array_index(run->failed, guint, i);
        const char *id = g_ptr_array_index(run->ids, point);
        const GString *text = g_hash_table_lookup(run->failures, id);
        const char *parts[POINT_TEXT_N_PARTS];

        if (point_text_split(text->str, text->len, parts))
            report(run, point, parts[POINT_TEXT_REASON]);
    }
}

int sweep_run_all(SweepRun *run, guint n_jobs)
{
    g_autofree char *limit =
        run->point_memory
            ? g_strdup_printf("--point-memory '%s'", run->point_memory)
            : g_strdup("the machine has");
    g_autofree char *timeout =
        quantity_format(run->timeout_us * PS_PER_US, CONFIG_TIME);
    const Pool pool = { .n_points = run->todo->len,
                        .n_jobs = run->source ? n_jobs
                                              : CLAMP(n_jobs, 1,
                                                      MAX(run->todo->len, 1)),
                        .timeout_us = run->timeout_us,
                        .memory_bytes = run->memory_bytes,
                        .timeout_name = timeout,
                        .memory_name = limit,
                        .work = work,
                        .done = done,
                        .say = say,
                        .tick = tick,
                        .stop = &run->stop,
                        .more = run->source ? more : NULL,
                        .self = run };
    guint n_points = sweep_plan_n_points(run->plan);
    int number;

    if (run->source)
        progress_begin(&run->progress, run->source->n_expected, 0);
    else
        progress_begin(&run->progress, n_points, n_points - run->todo->len);
    report_failed(run);
    number = pool_run(&pool);
    progress_end(&run->progress);
    if (!run->stop)
        run->stop = !journal_sync(run->journal, TRUE, &run->error);
    return number;
}

/* ---- what is done ----------------------------------------------------- */

void sweep_run_note(SweepRun *run, guint point, const SystemConfig *config)
{
    g_autofree char *axes = sweep_cells(run->plan, point);

    g_ptr_array_index(run->ids, point) =
        sweep_id(axes, run->wanted, run->fold, config);
}

/* What is wrong with a configuration is said when its point is run. */
const char *sweep_run_id(SweepRun *run, guint point)
{
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    if (g_ptr_array_index(run->ids, point))
        return g_ptr_array_index(run->ids, point);
    doc = sweep_read_point(run->plan, point, &config, NULL);
    if (doc)
        sweep_run_note(run, point, &config);
    return g_ptr_array_index(run->ids, point);
}

static gboolean find_row(SweepRun *run, guint point, const char *id)
{
    const char *parts[POINT_TEXT_N_PARTS];
    gsize n_bytes;
    const char *text = journal_find(run->journal, id, &n_bytes);

    if (!text || !point_text_split(text, n_bytes, parts))
        return FALSE;
    keep_rows(run, point, parts);
    return TRUE;
}

static gboolean find_failure(SweepRun *run, guint point, const char *id)
{
    const char *parts[POINT_TEXT_N_PARTS];
    const GString *text =
        run->failures ? g_hash_table_lookup(run->failures, id) : NULL;

    if (!text || !point_text_split(text->str, text->len, parts))
        return FALSE;
    keep_rows(run, point, parts);
    g_array_append_val(run->failed, point);
    return TRUE;
}

static gboolean find_point(SweepRun *run, guint point)
{
    const char *id = sweep_run_id(run, point);

    return id && (find_row(run, point, id) || find_failure(run, point, id));
}

gboolean sweep_run_find(SweepRun *run, GError **error)
{
    gboolean any = journal_n_records(run->journal) > 0 || run->failures;

    for (guint i = 0; i < sweep_plan_n_points(run->plan); i++)
        if (!any || !find_point(run, i))
            g_array_append_val(run->todo, i);
    return journal_prune(run->journal, error);
}
