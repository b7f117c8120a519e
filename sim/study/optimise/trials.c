/* trials.c - candidates, simulated, each once */
#include "sim/study/optimise/trials.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/study/load.h"
#include "sim/study/optimise/memory.h"
#include "sim/study/optimise/messages.h"
#include "workloads/layer.h"

/* ---- one run, which may be in a process of its own ----------------------- */

ConfigDoc *trial_load(const TrialMaker *maker, const Candidate *candidate,
                      SystemConfig *config, GError **error)
{
    g_autoptr(ConfigDoc) doc = maker->open(maker->self, error);
    g_auto(GStrv) sets = candidate_sets(candidate);

    if (!doc)
        return NULL;
    for (guint i = 0; maker->sets && maker->sets[i]; i++)
        if (!load_apply_set(doc, maker->sets[i], error))
            return NULL;
    for (guint i = 0; sets[i]; i++)
        if (!load_apply_set(doc, sets[i], error))
            return NULL;
    if (!config_doc_read(doc, system_fields, config, error))
        return NULL;
    return g_steal_pointer(&doc);
}

TrialWork trial_work(const OpGraph *graph)
{
    TrialWork work = { .n_weights = graph->n_weights };

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->pass != OP_UPDATE)
            work.flop = layer_add(work.flop, op->work.flop);
    }
    return work;
}

/* A move that leaves out what is to be computed would be the fastest of all. */
static gboolean does_all(const TrialMaker *maker, const System *system,
                         GError **error)
{
    TrialWork work = trial_work(system_graph(system));

    if (work.flop >= maker->work.flop &&
        work.n_weights >= maker->work.n_weights)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                "it does less than the default: a mistake of who proposed it");
    return FALSE;
}

static gboolean fits(const TrialMaker *maker, const System *system,
                     uint64_t *ret_bytes, GError **error)
{
    if (!does_all(maker, system, error))
        return FALSE;
    *ret_bytes = memory_of_rank(system);
    if (maker->memory_bytes == 0 || *ret_bytes <= maker->memory_bytes)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                "a rank needs %" PRIu64 " B of its memory, and has %" PRIu64
                " B",
                *ret_bytes, maker->memory_bytes);
    return FALSE;
}

/* "TIME MEMORY PATH MESSAGES"; a path that is too long stays unknown. */
static void write_run(const System *system, const MessageListener *listener,
                      RankPath *path, uint64_t memory_bytes, GString *out)
{
    SystemResult r = system_result(system);
    g_autofree SimTime *ops_ps = NULL;
    TrialPath parts = { 0 };

    if (path) {
        rank_path_finish(path, &r);
        parts = trial_path(system, path);
        ops_ps = trial_path_ops(system, path);
    }
    g_string_append_printf(out,
                           "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                           " %" PRIu64 " %" PRIu64,
                           r.iteration_ps, memory_bytes, parts.kernels_ps,
                           parts.messages_ps, parts.lanes_ps, parts.gaps_ps);
    message_listener_write(listener, ops_ps, out);
}

/* What write_run() writes, or a blank and the reason. */
static void simulate(const TrialMaker *maker, const Candidate *candidate,
                     GString *out)
{
    SystemConfig config;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = trial_load(maker, candidate, &config, &error);
    g_autoptr(System) system = NULL;
    g_autoptr(MessageListener) listener = NULL;
    g_autoptr(RankPath) path = NULL;
    uint64_t memory_bytes = 0;

    if (doc)
        system =
            system_new_within(&config, maker->fold,
                              (SystemSize){ .n_hops = maker->n_hops }, &error);
    if (system && fits(maker, system, &memory_bytes, &error)) {
        listener = message_listener_new(system);
        path = rank_path_new(system, NULL);
        if (system_run(system, &error)) {
            write_run(system, listener, path, memory_bytes, out);
            return;
        }
    }
    g_string_append_printf(out, " %s", error->message);
}

/* ---- what came of it ----------------------------------------------------- */

static void trial_free(gpointer data)
{
    Trial *trial = data;

    g_free(trial->text);
    candidate_free(trial->candidate);
    g_free(trial->reason);
    g_clear_pointer(&trial->messages, g_array_unref);
    g_free(trial);
}

static void take(Trial *trial, const char *text)
{
    TrialPath *path = &trial->path;
    int n = 0;

    if (text[0] == ' ' ||
        sscanf(text,
               "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 "%n",
               &trial->time_ps, &trial->memory_bytes, &path->kernels_ps,
               &path->messages_ps, &path->lanes_ps, &path->gaps_ps, &n) != 6)
        trial->reason = g_strdup(text[0] == ' ' ? text + 1 : "nothing came");
    trial->messages = messages_parse(trial->reason ? "" : text + n);
}

static char *id_of(const TrialMaker *maker, const Trial *trial)
{
    g_autofree char *both = g_strdup_printf("%s\n%" PRIu64 "\n%s", maker->id,
                                            maker->memory_bytes, trial->text);

    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);
}

static void recall(const TrialMaker *maker, Trial *trial)
{
    g_autofree char *id = id_of(maker, trial);
    const char *text = maker->recall ? maker->recall(maker->self, id) : NULL;

    if (!text)
        return;
    take(trial, text);
    trial->is_recalled = TRUE;
}

static void keep(const TrialMaker *maker, const Trial *trial, const char *text)
{
    g_autofree char *id = id_of(maker, trial);

    if (maker->keep)
        maker->keep(maker->self, id, text);
}

/* ---- many ---------------------------------------------------------------- */

void trials_init(Trials *trials, const TrialMaker *maker, guint n_most)
{
    *trials = (Trials){
        .maker = maker,
        .n_most = n_most,
        .all = g_ptr_array_new_with_free_func(trial_free),
        .by_text = g_hash_table_new(g_str_hash, g_str_equal),
    };
}

void trials_clear(Trials *trials)
{
    g_clear_pointer(&trials->by_text, g_hash_table_unref);
    g_clear_pointer(&trials->all, g_ptr_array_unref);
}

const Trial *trials_find(const Trials *trials, const Candidate *candidate)
{
    g_autofree char *text = candidate_text(candidate);
    const Trial *trial = g_hash_table_lookup(trials->by_text, text);

    return trial && trial->messages ? trial : NULL;
}

static gboolean is_simpler(const Trial *a, const Trial *b)
{
    guint x = candidate_n_changes(a->candidate);
    guint y = candidate_n_changes(b->candidate);

    if (x != y)
        return x < y;
    if (a->messages->len != b->messages->len)
        return a->messages->len < b->messages->len;
    return a->time_ps < b->time_ps;
}

const Trial *trials_simplest(const Trials *trials)
{
    const Trial *best = trials->best;

    for (guint i = 0; best && i < trials->all->len; i++) {
        const Trial *trial = g_ptr_array_index(trials->all, i);

        if (trial_is_alike(trial, trials->best->time_ps) &&
            is_simpler(trial, best))
            best = trial;
    }
    return best;
}

/* What is new of @candidates, as far as there may be trials. */
static void add_new(Trials *trials, const GPtrArray *candidates, const char *by)
{
    for (guint i = 0; i < candidates->len && trials_n_left(trials) > 0; i++) {
        const Candidate *candidate = g_ptr_array_index(candidates, i);
        g_autofree char *text = candidate_text(candidate);
        Trial *trial;

        if (g_hash_table_contains(trials->by_text, text))
            continue;
        trial = g_new0(Trial, 1);
        trial->text = g_steal_pointer(&text);
        trial->candidate = candidate_copy(candidate);
        trial->by = by;
        g_ptr_array_add(trials->all, trial);
        g_hash_table_insert(trials->by_text, trial->text, trial);
    }
}

typedef struct {
    Trials *trials;
    GPtrArray *todo; /* of borrowed Trial */
} Batch;

static void batch_work(gpointer self, guint i, GString *out)
{
    const Batch *batch = self;
    const Trial *trial = g_ptr_array_index(batch->todo, i);

    simulate(batch->trials->maker, trial->candidate, out);
}

static void batch_done(gpointer self, guint i, const GString *text,
                       const char *reason)
{
    const Batch *batch = self;
    Trials *trials = batch->trials;
    const TrialMaker *maker = trials->maker;
    Trial *trial = g_ptr_array_index(batch->todo, i);
    guint n_done = 0;

    if (reason) {
        trial->reason = g_strdup(reason);
        trial->messages = messages_parse("");
    } else {
        take(trial, text->str);
        keep(maker, trial, text->str);
    }
    for (guint k = 0; k < trials->all->len; k++)
        n_done +=
            ((const Trial *)g_ptr_array_index(trials->all, k))->messages !=
            NULL;
    if (maker->on_trial)
        maker->on_trial(maker->self, n_done, trials->n_most,
                        trials->best ? trials->best->time_ps : trial->time_ps);
}

gboolean trials_make(Trials *trials, const GPtrArray *candidates,
                     const char *by, GError **error)
{
    guint first = trials->all->len;
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    Batch batch = { trials, todo };
    RunMany many = { .work = batch_work, .done = batch_done, .self = &batch };
    gboolean ok;

    add_new(trials, candidates, by);
    for (guint i = first; i < trials->all->len; i++) {
        Trial *trial = g_ptr_array_index(trials->all, i);

        recall(trials->maker, trial);
        if (!trial->messages)
            g_ptr_array_add(todo, trial);
    }
    many.n = todo->len;
    ok = todo->len == 0 ||
         trials->maker->run_many(trials->maker->self, &many, error);
    for (guint i = first; i < trials->all->len; i++) {
        const Trial *trial = g_ptr_array_index(trials->all, i);

        if (trial_is_less(trial, trials->best))
            trials->best = trial;
    }
    return ok;
}
