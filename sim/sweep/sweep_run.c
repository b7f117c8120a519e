/* sweep_run.c - runs the points of a sweep; see sweep_run.h */
#include "sim/sweep/sweep_run.h"

#include <stdio.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/csv.h"
#include "sim/host/process_pool.h"
#include "sim/sweep/shared_runs/point_rows_from_run.h"
#include "sim/sweep/sweep_check.h"
#include "sim/sweep/sweep_id.h"
#include "sim/sweep/sweep_point_text.h"

#define PS_PER_US UINT64_C(1000000)

static void free_result_text(gpointer text)
{
    g_string_free(text, TRUE);
}

void sweep_run_init(SweepRun *run, const SweepPlan *plan)
{
    *run = (SweepRun){ .plan = plan, .wanted = { [ROWS_RUNS] = TRUE } };
    run->records = g_array_new(FALSE, TRUE, sizeof(guint));
    g_array_set_size(run->records, sweep_plan_count_points(plan));
    run->others = g_hash_table_new_full(NULL, NULL, NULL, free_result_text);
    run->reader = sweep_reader_new(plan);
    run->ids = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(run->ids, (gint)sweep_plan_count_points(plan));
    run->todo = g_array_new(FALSE, FALSE, sizeof(guint));
    run->failed = g_array_new(FALSE, FALSE, sizeof(guint));
}

void sweep_run_clear(SweepRun *run)
{
    g_clear_pointer(&run->records, g_array_unref);
    g_clear_pointer(&run->others, g_hash_table_unref);
    g_clear_pointer(&run->reader, sweep_reader_free);
    g_clear_pointer(&run->ids, g_ptr_array_unref);
    g_clear_pointer(&run->share, run_cache_free);
    g_clear_pointer(&run->todo, g_array_unref);
    g_clear_pointer(&run->failed, g_array_unref);
    g_clear_error(&run->error);
}

/* ---- storing the results of points --------------------------------------- */

/* Stores the number of the record that was found or added last for @point. */
static void store_record_number(SweepRun *run, guint point)
{
    g_array_index(run->records, guint, point) =
        journal_last_record_number(run->journal);
}

static void store_result_in_memory(SweepRun *run, guint point, const char *text,
                                   gsize n_bytes)
{
    g_hash_table_insert(run->others, GUINT_TO_POINTER(point),
                        g_string_new_len(text, (gssize)n_bytes));
}

/* ---- running a point in a child process ---------------------------------- */

static PointRun make_run_of_sweep_point(const SweepRun *run)
{
    PointRun ret = { .run_options = run->run_options,
                     .point_memory = run->point_memory,
                     .share = run->share,
                     .n_checks = run->n_share_checks };

    if (run->point_memory)
        ret.run_options.limits.memory_bytes = run->memory_bytes;
    memcpy(ret.wanted, run->wanted, sizeof ret.wanted);
    return ret;
}

/* Reads the point as a whole and runs it again after a failure, so that the
 * error has the position in the text of this point.  The point may have been
 * read by changing the configuration of another point. */
static const SystemConfig *rerun_with_full_read(const SweepRun *run,
                                                guint point, const char *axes,
                                                GString **rows, GError **error)
{
    PointRun how_to = make_run_of_sweep_point(run);
    const SystemConfig *config;
    PointMethod how = POINT_SIMULATED;

    g_clear_error(error);
    config = sweep_reader_read_point_afresh(run->reader, point, error);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_truncate(rows[file], 0);
    how_to.share = NULL;
    if (config &&
        !point_run_make_rows(&how_to, point, axes, config, rows, &how, error))
        g_assert(*error);
    return config;
}

static void run_point_in_child(gpointer self, guint point, GString *out)
{
    const SweepRun *run = self;
    g_autofree char *axes = sweep_axis_cells(run->plan, point);
    g_autofree char *id = NULL;
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    const PointRun how_to = make_run_of_sweep_point(run);
    PointMethod how = POINT_SIMULATED;
    const SystemConfig *config = sweep_reader_read(run->reader, point, &error);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    if (config)
        id = sweep_reader_point_id(run->reader, run->wanted,
                                   run->run_options.fold);
    if (config &&
        !point_run_make_rows(&how_to, point, axes, config, rows, &how,
                             &error) &&
        how == POINT_SIMULATED && sweep_reader_changes(run->reader))
        config = rerun_with_full_read(run, point, axes, rows, &error);
    if (error)
        rows_append_failure(rows[ROWS_RUNS], axes, config, error->message);
    g_string_append_c(out, (gchar)how);
    point_text_append_section(out, id ? id : "");
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        point_text_append_section(out, rows[file]->str);
        g_string_free(rows[file], TRUE);
    }
    point_text_append_section(out, error ? error->message : "");
}

/* ---- handling results in the parent process ------------------------------ */

static void report_point_failure(SweepRun *run, guint point, const char *reason)
{
    g_autofree char *where = sweep_plan_describe_point(run->plan, point);

    run->progress.n_failed++;
    progress_print_message(&run->progress, "failed: %s: %s", where, reason);
}

static void count_point_by_method(SweepRun *run, char how)
{
    run->n_simulated += how != POINT_SHARED;
    run->n_shared += how != POINT_SIMULATED;
    run->n_checked += how == POINT_CHECKED;
}

static void notify_point_source(const SweepRun *run, guint point)
{
    if (run->source)
        run->source->point_ended(run->source->self, point);
}

static void store_sweep_point_result(SweepRun *run, guint point, const char *id,
                                     const char *text, gsize n_bytes)
{
    if (run->stop)
        return;
    run->stop =
        !journal_add_record(run->journal, id, text, n_bytes, &run->error);
    if (!run->stop)
        store_record_number(run, point);
}

/* Stores the letter as well, for the process that merges the journals. */
static void store_result_with_method(SweepRun *run, guint point, const char *id,
                                     const char *text, gsize n_bytes, char how)
{
    g_autoptr(GString) whole = point_text_with_method(text, n_bytes, how);

    store_sweep_point_result(run, point, id, whole->str, whole->len);
}

/* Stores a failure of a point whose child has ended without a result. */
static void store_lost_point_failure(SweepRun *run, guint point,
                                     const char *reason)
{
    g_autofree char *axes = sweep_axis_cells(run->plan, point);
    g_autoptr(GString) row = g_string_new(NULL);
    g_autoptr(GString) text = NULL;

    rows_append_failure(row, axes, sweep_reader_read(run->reader, point, NULL),
                        reason);
    text = point_text_of_failure(row->str, reason);
    if (run->source && sweep_run_point_id(run, point))
        store_sweep_point_result(run, point, sweep_run_point_id(run, point),
                                 text->str, text->len);
    else
        store_result_in_memory(run, point, text->str, text->len);
    report_point_failure(run, point, reason);
    notify_point_source(run, point);
}

static gboolean is_result_for_journal(const SweepRun *run, const char *id,
                                      const char *const *parts)
{
    return *parts[POINT_TEXT_REASON] == '\0' || (run->source && *id != '\0');
}

static void receive_sweep_point_result(gpointer self, guint job,
                                       const GString *text, const char *reason)
{
    SweepRun *run = self;
    guint point = g_array_index(run->todo, guint, job);
    const char *id = reason || text->len == 0 ? "" : text->str + 1;
    gsize n_head = strlen(id) + 2;
    const char *parts[POINT_TEXT_N_PARTS];

    run->progress.n_done++;
    if (!reason &&
        (n_head > text->len ||
         !point_text_split(text->str + n_head, text->len - n_head, parts)))
        reason = "its result is not whole";
    if (reason) {
        store_lost_point_failure(run, point, reason);
        return;
    }
    count_point_by_method(run, text->str[0]);
    if (*parts[POINT_TEXT_REASON] != '\0')
        report_point_failure(run, point, parts[POINT_TEXT_REASON]);
    if (run->source && is_result_for_journal(run, id, parts))
        store_result_with_method(run, point, id, text->str + n_head,
                                 text->len - n_head, text->str[0]);
    else if (is_result_for_journal(run, id, parts))
        store_sweep_point_result(run, point, id, text->str + n_head,
                                 text->len - n_head);
    else
        store_result_in_memory(run, point, text->str + n_head,
                               text->len - n_head);
    notify_point_source(run, point);
}

static void print_sweep_message(gpointer self, const char *text)
{
    SweepRun *run = self;

    progress_print_message(&run->progress, "%s", text);
}

/* Returns the point of a job.  Points that were added later are not in the list
 * of any child, so the parent passes the number. */
static guint sweep_point_of_job(gpointer self, guint job)
{
    const SweepRun *run = self;

    return g_array_index(run->todo, guint, job);
}

static gboolean add_more_sweep_points(gpointer self, guint *n_points)
{
    SweepRun *run = self;
    gboolean goes_on =
        run->source->find_more_points(run->source->self, run->todo);

    *n_points = run->todo->len;
    run->progress.n_total = MAX(run->progress.n_total, *n_points);
    if (!goes_on)
        run->progress.n_total = *n_points;
    return goes_on;
}

static void update_progress_and_claims(gpointer self)
{
    SweepRun *run = self;

    progress_show(&run->progress);
    if (run->tick)
        run->tick(run->tick_self);
    if (!run->stop)
        run->stop = !journal_sync_to_disk(run->journal, FALSE, &run->error);
}

/* Reports failures of other workers like those of this process. */
static void report_failed_sweep_points(SweepRun *run)
{
    for (guint i = 0; i < run->failed->len; i++) {
        guint point = g_array_index(run->failed, guint, i);
        const char *id = g_ptr_array_index(run->ids, point);
        const GString *text = g_hash_table_lookup(run->failures, id);
        const char *parts[POINT_TEXT_N_PARTS];

        if (point_text_split(text->str, text->len, parts))
            report_point_failure(run, point, parts[POINT_TEXT_REASON]);
    }
}

int sweep_run_all_points(SweepRun *run, guint n_jobs)
{
    g_autofree char *limit =
        run->point_memory
            ? g_strdup_printf("--point-memory '%s'", run->point_memory)
            : g_strdup("the machine has");
    g_autofree char *timeout =
        quantity_format(run->timeout_us * PS_PER_US, CONFIG_TIME);
    const ProcessPool pool = {
        .n_points = run->todo->len,
        .n_jobs =
            run->source ? n_jobs : CLAMP(n_jobs, 1, MAX(run->todo->len, 1)),
        .timeout_us = run->timeout_us,
        .memory_bytes = run->memory_bytes,
        .timeout_name = timeout,
        .memory_name = limit,
        .number = sweep_point_of_job,
        .work = run_point_in_child,
        .point_ended = receive_sweep_point_result,
        .print_message = print_sweep_message,
        .tick = update_progress_and_claims,
        .stop = &run->stop,
        .find_more_points = run->source ? add_more_sweep_points : NULL,
        .self = run
    };
    guint n_points = sweep_plan_count_points(run->plan);
    int number;

    if (run->is_shared)
        run->share =
            /* Each worker process fills its own copy of the cache. */
            run_cache_new();
    if (run->source)
        progress_start_display(&run->progress, run->source->n_expected, 0);
    else
        progress_start_display(&run->progress, n_points,
                               n_points - run->todo->len);
    report_failed_sweep_points(run);
    number = pool_run(&pool);
    progress_finish(&run->progress);
    if (!run->stop)
        run->stop = !journal_sync_to_disk(run->journal, TRUE, &run->error);
    return number;
}

/* ---- finding the points that are done ------------------------------------ */

void sweep_run_store_point_id(SweepRun *run, guint point, SweepReader *reader)
{
    g_ptr_array_index(run->ids, point) =
        sweep_reader_point_id(reader, run->wanted, run->run_options.fold);
}

/* Errors in a configuration are reported when the point is run. */
const char *sweep_run_point_id(SweepRun *run, guint point)
{
    if (!g_ptr_array_index(run->ids, point) &&
        sweep_reader_read(run->reader, point, NULL))
        sweep_run_store_point_id(run, point, run->reader);
    return g_ptr_array_index(run->ids, point);
}

static void count_sweep_point_found(SweepRun *run, const char *id)
{
    gpointer how = run->methods ? g_hash_table_lookup(run->methods, id) : NULL;

    if (how)
        count_point_by_method(run, (char)GPOINTER_TO_INT(how));
}

static gboolean find_rows_of_sweep_point(SweepRun *run, guint point,
                                         const char *id)
{
    const char *parts[POINT_TEXT_N_PARTS];
    gsize n_bytes;
    const char *text = journal_find_record(run->journal, id, &n_bytes);

    if (!text || !point_text_split(text, n_bytes, parts))
        return FALSE;
    store_record_number(run, point);
    count_sweep_point_found(run, id);
    return TRUE;
}

static gboolean find_failure_of_sweep_point(SweepRun *run, guint point,
                                            const char *id)
{
    const char *parts[POINT_TEXT_N_PARTS];
    const GString *text =
        run->failures ? g_hash_table_lookup(run->failures, id) : NULL;

    if (!text || !point_text_split(text->str, text->len, parts))
        return FALSE;
    store_result_in_memory(run, point, text->str, text->len);
    g_array_append_val(run->failed, point);
    count_sweep_point_found(run, id);
    return TRUE;
}

static gboolean find_result_of_sweep_point(SweepRun *run, guint point)
{
    const char *id = sweep_run_point_id(run, point);

    return id && (find_rows_of_sweep_point(run, point, id) ||
                  find_failure_of_sweep_point(run, point, id));
}

gboolean sweep_run_find_done_points(SweepRun *run, GError **error)
{
    gboolean any = journal_count_records(run->journal) > 0 || run->failures;

    for (guint i = 0; i < sweep_plan_count_points(run->plan); i++) {
        if (!any || !find_result_of_sweep_point(run, i))
            g_array_append_val(run->todo, i);
        if (run->tick)
            run->tick(run->tick_self);
    }
    return journal_begin_pruned(run->journal, error);
}
