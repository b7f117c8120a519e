/* run_batch.c - runs configurations of the compared endpoints in parallel, each
 * once */
#include "sim/sensitivity/run_batch.h"

#include <string.h>

#include "sim/host/process_pool.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/tune_endpoint.h"

struct RunBatch {
    const ComparedEndpoints *endpoints; /* borrowed */
    RunOptions run_options;
    const char *column; /* borrowed */
    GPtrArray *runs;    /* owned, of owned BatchRun */
    GHashTable *index;  /* owned: checksum of all values -> borrowed BatchRun */
    guint n_done;
    void (*on_progress)(gpointer self, guint n_done, guint n_total);
    gpointer self;
};

static void free_batch_run(gpointer data)
{
    BatchRun *run = data;

    g_ptr_array_unref(run->alternatives);
    g_free(run->reason);
    g_free(run);
}

RunBatch *run_batch_new(const ComparedEndpoints *endpoints,
                        RunOptions run_options, const char *column)
{
    RunBatch *batch = g_new0(RunBatch, 1);

    batch->endpoints = endpoints;
    batch->run_options = run_options;
    batch->column = column;
    batch->runs = g_ptr_array_new_with_free_func(free_batch_run);
    batch->index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return batch;
}

void run_batch_free(RunBatch *batch)
{
    if (!batch)
        return;
    g_hash_table_unref(batch->index);
    g_ptr_array_unref(batch->runs);
    g_free(batch);
}

guint run_batch_n_runs(const RunBatch *batch)
{
    return batch->runs->len;
}

const BatchRun *run_batch_get_run(const RunBatch *batch, guint i)
{
    return g_ptr_array_index(batch->runs, i);
}

/* ---- the configurations of the runs -------------------------------------- */

static gboolean apply_alternative_values(const RunBatch *batch,
                                         const Alternative *alternative,
                                         const ComparedEndpoint *endpoint,
                                         ConfigDoc *doc, GError **error)
{
    for (guint i = 0; i < alternative->changes->len; i++)
        if (!value_change_apply(
                &g_array_index(alternative->changes, ValueChange, i),
                batch->endpoints, endpoint, doc, error))
            return FALSE;
    return TRUE;
}

/* Returns the run file of @endpoint with all of @alternatives, and reads it
 * into
 * *@config. */
static ConfigDoc *make_changed_config(const RunBatch *batch,
                                      const ComparedEndpoint *endpoint,
                                      const GPtrArray *alternatives,
                                      SystemConfig *config, GError **error)
{
    g_autoptr(ConfigDoc) doc =
        compared_endpoint_copy(batch->endpoints, endpoint, error);

    for (guint i = 0; doc && i < alternatives->len; i++)
        if (!apply_alternative_values(batch, g_ptr_array_index(alternatives, i),
                                      endpoint, doc, error))
            return NULL;
    if (!doc || !config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

static BatchRun *add_batch_run(RunBatch *batch,
                               const ComparedEndpoint *endpoint,
                               const GPtrArray *alternatives)
{
    BatchRun *run = g_new0(BatchRun, 1);

    run->endpoint = endpoint;
    run->alternatives = g_ptr_array_new();
    g_ptr_array_extend(run->alternatives, (GPtrArray *)alternatives, NULL,
                       NULL);
    g_ptr_array_add(batch->runs, run);
    return run;
}

BatchRun *run_batch_add_run(RunBatch *batch, const ComparedEndpoint *endpoint,
                            const GPtrArray *alternatives, GError **error)
{
    g_autoptr(GString) values = g_string_new(NULL);
    g_autofree char *hash = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;
    BatchRun *run;

    doc = make_changed_config(batch, endpoint, alternatives, &config, error);
    if (!doc)
        return NULL;
    config_append_values(values, system_fields, &config);
    workload_append_inputs(&config.workload, values);
    stack_append_input_checksums(&config.stack, values);
    hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, values->str,
                                         (gssize)values->len);
    run = g_hash_table_lookup(batch->index, hash);
    if (!run) {
        run = add_batch_run(batch, endpoint, alternatives);
        g_hash_table_insert(batch->index, g_steal_pointer(&hash), run);
    }
    return run;
}

/* ---- running in child processes ------------------------------------------ */

/* The runs that are being made. */
typedef struct {
    RunBatch *batch;
    GPtrArray *runs; /* borrowed: of BatchRun */
} BatchWork;

static gboolean simulate_and_write_row(const RunBatch *batch,
                                       const SystemConfig *config, GString *out,
                                       GError **error)
{
    g_autoptr(System) system = system_new(config, batch->run_options, error);

    if (!system || !system_run(system, error))
        return FALSE;
    rows_append(out, ROWS_RUNS, NULL, config, system, NULL);
    return TRUE;
}

/* Values that are `auto` are chosen again for each alternative, because a
 * designer would tune the endpoint for the system in question. */
static gboolean tune_and_simulate(const RunBatch *batch,
                                  const SystemConfig *config, GString *out,
                                  GError **error)
{
    g_autoptr(TuneResult) tuned =
        tune_endpoint(config, batch->run_options, error);

    if (!tuned)
        return FALSE;
    rows_append(out, ROWS_RUNS, NULL, tuned->config, tuned->system, NULL);
    return TRUE;
}

/* Writes the CSV row with its header, or a blank and the error. */
static void run_in_child(gpointer self, guint i, GString *out)
{
    const BatchWork *work = self;
    const BatchRun *run = g_ptr_array_index(work->runs, i);
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = make_changed_config(
        work->batch, run->endpoint, run->alternatives, &config, &error);
    gboolean ok =
        doc &&
        (endpoint_tuning_is_needed(&config)
             ? tune_and_simulate(work->batch, &config, out, &error)
             : simulate_and_write_row(work->batch, &config, out, &error));

    if (!ok)
        g_string_append_printf(out, " %s", error->message);
}

static void read_result_row(BatchRun *run, const RunBatch *batch,
                            const GString *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table =
        csv_table_parse("runs", text->str, text->len, &error);
    guint column;

    if (!table || !csv_table_column(table, batch->column, &column, &error) ||
        !csv_table_number(table, 0, column, &run->value, &error))
        run->reason = g_strdup(error->message);
}

static void receive_run_result(gpointer self, guint i, const GString *text,
                               const char *reason)
{
    const BatchWork *work = self;
    BatchRun *run = g_ptr_array_index(work->runs, i);

    run->has_crashed = reason != NULL;
    if (!reason && text->str[0] == ' ')
        reason = text->str + 1;
    if (reason)
        run->reason = g_strdup(reason);
    else
        read_result_row(run, work->batch, text);
    run->is_done = TRUE;
    work->batch->n_done++;
}

static void report_batch_progress(gpointer self)
{
    const RunBatch *batch = ((const BatchWork *)self)->batch;

    if (batch->on_progress)
        batch->on_progress(batch->self, batch->n_done, batch->runs->len);
}

int run_batch_simulate_all(RunBatch *batch, guint n_jobs,
                           void (*on_progress)(gpointer self, guint n_done,
                                               guint n_total),
                           gpointer self)
{
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    BatchWork w = { batch, todo };
    ProcessPool pool = { .n_jobs = n_jobs,
                         .work = run_in_child,
                         .point_ended = receive_run_result,
                         .tick = report_batch_progress,
                         .self = &w };

    for (guint i = 0; i < batch->runs->len; i++) {
        BatchRun *run = g_ptr_array_index(batch->runs, i);

        if (!run->is_done)
            g_ptr_array_add(todo, run);
    }
    batch->on_progress = on_progress;
    batch->self = self;
    pool.n_points = todo->len;
    return todo->len > 0 ? pool_run(&pool) : 0;
}
