/* sweep_run.c - the points of a sweep, run */
#include "sim/sweep/sweep_run.h"

#include <stdio.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/csv.h"
#include "sim/host/pool.h"
#include "sim/sweep/share/point.h"
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
}

void sweep_run_clear(SweepRun *run)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_clear_pointer(&run->rows[file], g_ptr_array_unref);
    g_clear_pointer(&run->ids, g_ptr_array_unref);
    g_clear_pointer(&run->share, share_free);
    g_clear_pointer(&run->todo, g_array_unref);
    g_clear_error(&run->error);
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

/* ---- the text of a point ---------------------------------------------- */

/* The rows of all files and the reason where it failed, each ended by a NUL:
 * what the journal keeps.  A child puts a PointHow and the id before them. */
#define N_PARTS (ROWS_N_FILES + 1)
#define REASON  ROWS_N_FILES

static void send_text(GString *out, const char *text)
{
    g_string_append_len(out, text, (gssize)strlen(text) + 1);
}

/* FALSE: that is not what a child sends. */
static gboolean split(const char *text, gsize n_bytes, const char **parts)
{
    const char *p = text, *end = text + n_bytes;

    for (guint i = 0; i < N_PARTS; i++) {
        const char *nul = p < end ? memchr(p, '\0', (gsize)(end - p)) : NULL;

        if (!nul)
            return FALSE;
        parts[i] = p;
        p = nul + 1;
    }
    return p == end;
}

static void keep_rows(SweepRun *run, guint point, const char *const *parts)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_ptr_array_index(run->rows[file], point) = g_strdup(parts[file]);
}

/* ---- in the child ----------------------------------------------------- */

static PointRun point_run_of(const SweepRun *run)
{
    PointRun ret = { .fold = run->fold,
                     .memory_bytes = run->memory_bytes,
                     .point_memory = run->point_memory,
                     .share = run->share,
                     .n_checks = run->n_share_checks };

    memcpy(ret.wanted, run->wanted, sizeof ret.wanted);
    return ret;
}

static void work(gpointer self, guint job, GString *out)
{
    const SweepRun *run = self;
    guint point = g_array_index(run->todo, guint, job);
    g_autofree char *axes = axis_cells(run->plan, point);
    g_autofree char *id = NULL;
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    const PointRun how_to = point_run_of(run);
    PointHow how = POINT_RUN;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        sweep_read_point(run->plan, point, &config, &error);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    if (doc)
        id = sweep_id(axes, run->wanted, run->fold, &config);
    if (!doc || !point_rows(&how_to, point, axes, &config, rows, &how, &error))
        rows_add_failure(rows[ROWS_RUNS], axes, doc ? &config : NULL,
                         error->message);
    g_string_append_c(out, (gchar)how);
    send_text(out, id ? id : "");
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
    GString *row = g_string_new(NULL);
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        sweep_read_point(run->plan, point, &config, NULL);

    rows_add_failure(row, axes, doc ? &config : NULL, reason);
    g_ptr_array_index(run->rows[ROWS_RUNS], point) = g_string_free(row, FALSE);
    report(run, point, reason);
}

static void count(SweepRun *run, char how)
{
    run->n_simulated += how != POINT_SHARED;
    run->n_shared += how != POINT_RUN;
    run->n_checked += how == POINT_CHECKED;
}

static void done(gpointer self, guint job, const GString *text,
                 const char *reason)
{
    SweepRun *run = self;
    guint point = g_array_index(run->todo, guint, job);
    const char *id = reason || text->len == 0 ? "" : text->str + 1;
    gsize n_head = strlen(id) + 2;
    const char *parts[N_PARTS];

    run->progress.n_done++;
    if (!reason && (n_head > text->len ||
                    !split(text->str + n_head, text->len - n_head, parts)))
        reason = "its result is not whole";
    if (reason) {
        lose_point(run, point, reason);
        return;
    }
    count(run, text->str[0]);
    keep_rows(run, point, parts);
    if (*parts[REASON] != '\0')
        report(run, point, parts[REASON]);
    else if (!run->stop)
        run->stop = !journal_add(run->journal, id, text->str + n_head,
                                 text->len - n_head, &run->error);
}

static void say(gpointer self, const char *text)
{
    SweepRun *run = self;

    progress_say(&run->progress, "%s", text);
}

static void tick(gpointer self)
{
    SweepRun *run = self;

    progress_show(&run->progress);
    if (!run->stop)
        run->stop = !journal_sync(run->journal, FALSE, &run->error);
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
                        .n_jobs = CLAMP(n_jobs, 1, MAX(run->todo->len, 1)),
                        .timeout_us = run->timeout_us,
                        .memory_bytes = run->memory_bytes,
                        .timeout_name = timeout,
                        .memory_name = limit,
                        .work = work,
                        .done = done,
                        .say = say,
                        .tick = tick,
                        .stop = &run->stop,
                        .self = run };
    guint n_points = sweep_plan_n_points(run->plan);
    int number;

    if (run->is_shared)
        run->share = share_new(); /* each worker fills its own */
    progress_begin(&run->progress, n_points, n_points - run->todo->len);
    number = pool_run(&pool);
    progress_end(&run->progress);
    if (!run->stop)
        run->stop = !journal_sync(run->journal, TRUE, &run->error);
    return number;
}

/* ---- what is done ----------------------------------------------------- */

void sweep_run_note(SweepRun *run, guint point, const SystemConfig *config)
{
    g_autofree char *axes = axis_cells(run->plan, point);

    g_ptr_array_index(run->ids, point) =
        sweep_id(axes, run->wanted, run->fold, config);
}

/* What is wrong with a configuration is said when its point is run. */
static void note_others(SweepRun *run)
{
    for (guint i = 0; i < sweep_plan_n_points(run->plan); i++) {
        g_autoptr(ConfigDoc) doc = NULL;
        SystemConfig config;

        if (g_ptr_array_index(run->ids, i))
            continue;
        doc = sweep_read_point(run->plan, i, &config, NULL);
        if (doc)
            sweep_run_note(run, i, &config);
    }
}

static gboolean find_point(SweepRun *run, guint point)
{
    const char *id = g_ptr_array_index(run->ids, point);
    const char *parts[N_PARTS];
    const char *text;
    gsize n_bytes;

    text = id ? journal_find(run->journal, id, &n_bytes) : NULL;
    if (!text || !split(text, n_bytes, parts))
        return FALSE;
    keep_rows(run, point, parts);
    return TRUE;
}

gboolean sweep_run_find(SweepRun *run, GError **error)
{
    gboolean any = journal_n_records(run->journal) > 0;

    if (any)
        note_others(run);
    for (guint i = 0; i < sweep_plan_n_points(run->plan); i++)
        if (!any || !find_point(run, i))
            g_array_append_val(run->todo, i);
    return journal_prune(run->journal, error);
}
