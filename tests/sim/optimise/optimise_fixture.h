/*
 * optimise_fixture.h - searches over runs of a network of five layers
 *
 * Runs are executed in this process, one after the other, and their results are
 * kept.
 */
#ifndef TESTS_SIM_OPTIMISE_OPTIMISE_FIXTURE_H
#define TESTS_SIM_OPTIMISE_OPTIMISE_FIXTURE_H

#include <string.h>

#include "sim/config/config.h"
#include "sim/study/optimise/optimise.h"
#include "tests/test.h"

/* The network has five layers whose gradients take longer to send than to
 * compute. */
static const char run_text[] =
    "platform:\n"
    "  name: four\n"
    "  topology: {kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 20 us}\n"
    "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
    "        hbm: {bandwidth: 900 GB/s}}\n"
    "endpoint: {kind: ideal, name: i}\n"
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: five\n"
    "  batch: 1\n"
    "  samples_per_s: 1000\n"
    "  layers:\n"
    "    - {kind: counted, name: a, tensors: [1000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: b, tensors: [90000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: c, tensors: [500], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: d, tensors: [70000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: e, tensors: [2000], forward_flop: 1000000, "
    "activations: 100}\n"
    "training:\n"
    "  iterations: 1\n"
    "  compute: measured\n"
    "  synchronise: step\n"
    "  exchange: {kind: tensor}\n";

#define N_TENSORS 5

/* A runner that executes runs and keeps their results. */
typedef struct {
    /* The struct owns this table from the id of a run to its result. */
    GHashTable *results;
    guint n_run;
    /* The number of runs after which the search is interrupted; 0 for never. */
    guint max_runs;
    gboolean backwards;
} TestRunner;

static inline ConfigDoc *open_config_text(gpointer self, GError **error)
{
    (void)self;
    return config_doc_parse("run.yaml", run_text, strlen(run_text), error);
}

static inline gboolean run_all_in_process(gpointer self, const RunMany *many,
                                          GError **error)
{
    TestRunner *m = self;

    for (guint k = 0; k < many->n; k++) {
        guint i = m->backwards ? many->n - 1 - k : k;
        g_autoptr(GString) text = g_string_new(NULL);

        if (m->max_runs > 0 && m->n_run == m->max_runs) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
            return FALSE;
        }
        m->n_run++;
        many->work(many->self, i, text);
        many->piece_ended(many->self, i, text, NULL);
    }
    return TRUE;
}

static const char *recall_kept_trial_result(gpointer self, const char *id)
{
    return g_hash_table_lookup(((TestRunner *)self)->results, id);
}

static inline void keep_trial_result(gpointer self, const char *id,
                                     const char *text)
{
    g_hash_table_replace(((TestRunner *)self)->results, g_strdup(id),
                         g_strdup(text));
}

static inline OptimiseTask
optimise_task_of_runner(TestRunner *m, const SearchMove **allowed, guint n)
{
    *m = (TestRunner){ .results = g_hash_table_new_full(g_str_hash, g_str_equal,
                                                        g_free, g_free) };
    return (OptimiseTask){
        .maker = { .open = open_config_text,
                   .run_many = run_all_in_process,
                   .recall = recall_kept_trial_result,
                   .keep = keep_trial_result,
                   .id = "a test",
                   .self = m },
        .moves = allowed,
        .seed = 1,
        .n_evaluations = n,
    };
}

static inline OptimiseResult *run_optimise_task(const OptimiseTask *task)
{
    GError *error = NULL;
    OptimiseResult *result = optimise_run(task, &error);

    assert_no_error(error);
    assert_true(result->best->time_ps <= result->default_trial->time_ps);
    return result;
}

static inline const SearchMove **single_move_list(const SearchMove **list,
                                                  const char *name)
{
    list[0] = find_search_move(name);
    list[1] = NULL;
    assert_non_null(list[0]);
    return list;
}

#endif
