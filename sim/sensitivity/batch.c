/* batch.c - configurations of contenders, each run once */
#include "sim/sensitivity/batch.h"

#include <string.h>

#include "sim/host/pool.h"
#include "sim/study/rows/rows.h"
#include "sim/study/tune.h"

struct Batch {
    const Contenders *contenders; /* borrowed */
    FoldMode fold;
    const char *column; /* borrowed */
    GPtrArray *runs;    /* owned, of owned BatchRun */
    GHashTable *index;  /* owned: hash of the values -> borrowed BatchRun */
    guint n_done;
    void (*on_progress)(gpointer self, guint n_done, guint n_total);
    gpointer self;
};

static void run_free(gpointer data)
{
    BatchRun *run = data;

    g_ptr_array_unref(run->tries);
    g_free(run->reason);
    g_free(run);
}

Batch *batch_new(const Contenders *contenders, FoldMode fold,
                 const char *column)
{
    Batch *batch = g_new0(Batch, 1);

    batch->contenders = contenders;
    batch->fold = fold;
    batch->column = column;
    batch->runs = g_ptr_array_new_with_free_func(run_free);
    batch->index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return batch;
}

void batch_free(Batch *batch)
{
    if (!batch)
        return;
    g_hash_table_unref(batch->index);
    g_ptr_array_unref(batch->runs);
    g_free(batch);
}

guint batch_n_runs(const Batch *batch)
{
    return batch->runs->len;
}

const BatchRun *batch_at(const Batch *batch, guint i)
{
    return g_ptr_array_index(batch->runs, i);
}

/* ---- configurations --------------------------------------------------- */

static gboolean apply(const Batch *batch, const Try *attempt,
                      const Contender *c, ConfigDoc *doc, GError **error)
{
    for (guint i = 0; i < attempt->changes->len; i++)
        if (!change_apply(&g_array_index(attempt->changes, Change, i),
                          batch->contenders, c, doc, error))
            return FALSE;
    return TRUE;
}

/* The run file of @c with all of @tries, and what it says. */
static ConfigDoc *configure(const Batch *batch, const Contender *c,
                            const GPtrArray *tries, SystemConfig *config,
                            GError **error)
{
    g_autoptr(ConfigDoc) doc = contender_copy(batch->contenders, c, error);

    for (guint i = 0; doc && i < tries->len; i++)
        if (!apply(batch, g_ptr_array_index(tries, i), c, doc, error))
            return NULL;
    if (!doc || !config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

static BatchRun *add_run(Batch *batch, const Contender *c,
                         const GPtrArray *tries)
{
    BatchRun *run = g_new0(BatchRun, 1);

    run->contender = c;
    run->tries = g_ptr_array_new();
    g_ptr_array_extend(run->tries, (GPtrArray *)tries, NULL, NULL);
    g_ptr_array_add(batch->runs, run);
    return run;
}

BatchRun *batch_want(Batch *batch, const Contender *c, const GPtrArray *tries,
                     GError **error)
{
    g_autoptr(GString) values = g_string_new(NULL);
    g_autofree char *hash = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;
    BatchRun *run;

    doc = configure(batch, c, tries, &config, error);
    if (!doc)
        return NULL;
    config_append_values(values, system_fields, &config);
    workload_append_inputs(&config.workload, values);
    stack_append_inputs(&config.stack, values);
    hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, values->str,
                                         (gssize)values->len);
    run = g_hash_table_lookup(batch->index, hash);
    if (!run) {
        run = add_run(batch, c, tries);
        g_hash_table_insert(batch->index, g_steal_pointer(&hash), run);
    }
    return run;
}

/* ---- in children ------------------------------------------------------ */

/* The runs that are to be made now. */
typedef struct {
    Batch *batch;
    GPtrArray *runs; /* of BatchRun */
} Work;

static gboolean run_once(const Batch *batch, const SystemConfig *config,
                         GString *out, GError **error)
{
    g_autoptr(System) system = system_new(config, batch->fold, error);

    if (!system || !system_run(system, error))
        return FALSE;
    rows_add(out, ROWS_RUNS, NULL, config, system, NULL);
    return TRUE;
}

/* What is `auto` is chosen anew whatever else is changed: who builds a system
 * tunes it for what he has. */
static gboolean run_tuned(const Batch *batch, const SystemConfig *config,
                          GString *out, GError **error)
{
    g_autoptr(Tuned) tuned =
        tune_new(config, batch->fold, (SystemSize){ 0 }, error);

    if (!tuned)
        return FALSE;
    rows_add(out, ROWS_RUNS, NULL, tuned->config, tuned->system, NULL);
    return TRUE;
}

/* Hands back a row with its header, or a blank and the reason. */
static void work(gpointer self, guint i, GString *out)
{
    const Work *w = self;
    const BatchRun *run = g_ptr_array_index(w->runs, i);
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        configure(w->batch, run->contender, run->tries, &config, &error);
    gboolean ok = doc && (tune_is_needed(&config)
                              ? run_tuned(w->batch, &config, out, &error)
                              : run_once(w->batch, &config, out, &error));

    if (!ok)
        g_string_append_printf(out, " %s", error->message);
}

static void take_row(BatchRun *run, const Batch *batch, const GString *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table =
        csv_table_parse("runs", text->str, text->len, &error);
    guint column;

    if (!table || !csv_table_column(table, batch->column, &column, &error) ||
        !csv_table_number(table, 0, column, &run->value, &error))
        run->reason = g_strdup(error->message);
}

static void done(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    const Work *w = self;
    BatchRun *run = g_ptr_array_index(w->runs, i);

    run->is_lost = reason != NULL;
    if (!reason && text->str[0] == ' ')
        reason = text->str + 1;
    if (reason)
        run->reason = g_strdup(reason);
    else
        take_row(run, w->batch, text);
    run->done = TRUE;
    w->batch->n_done++;
}

static void tick(gpointer self)
{
    const Batch *batch = ((const Work *)self)->batch;

    if (batch->on_progress)
        batch->on_progress(batch->self, batch->n_done, batch->runs->len);
}

int batch_run(Batch *batch, guint n_jobs,
              void (*on_progress)(gpointer self, guint n_done, guint n_total),
              gpointer self)
{
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    Work w = { batch, todo };
    Pool pool = {
        .n_jobs = n_jobs, .work = work, .done = done, .tick = tick, .self = &w
    };

    for (guint i = 0; i < batch->runs->len; i++) {
        BatchRun *run = g_ptr_array_index(batch->runs, i);

        if (!run->done)
            g_ptr_array_add(todo, run);
    }
    batch->on_progress = on_progress;
    batch->self = self;
    pool.n_points = todo->len;
    return todo->len > 0 ? pool_run(&pool) : 0;
}
