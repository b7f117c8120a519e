/* simulated_candidates.c - candidates and their simulated times; each candidate
 * is run once */
#include "sim/study/optimise/simulated_candidates.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/study/optimise/gradient_messages.h"

/* ---- parsing and storing the results of trials --------------------------- */

static void free_trial_record(gpointer data)
{
    Trial *trial = data;

    g_free(trial->text);
    candidate_free(trial->candidate);
    g_free(trial->reason);
    g_clear_pointer(&trial->messages, g_array_unref);
    g_free(trial);
}

static void parse_trial_result(Trial *trial, const char *text)
{
    TrialPath *path = &trial->path;
    int n = 0;

    if (sscanf(text, TRIAL_CUT_OFF "%" SCNu64, &trial->cut_off_ps) == 1)
        text = "";
    else if (text[0] == ' ' ||
             sscanf(text,
                    "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                    " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                    "%n",
                    &trial->time_ps, &trial->memory_bytes, &trial->bubble_ps,
                    &trial->mfu_ppm, &path->kernels_ps, &path->hosts_ps,
                    &path->idle_ps, &path->messages_ps, &path->lanes_ps,
                    &path->gaps_ps, &n) != 10)
        trial->reason = g_strdup(text[0] == ' ' ? text + 1 : "nothing came");
    trial->messages = gradient_messages_parse(trial->reason ? "" : text + n);
}

/* Returns the key under which a result is kept.  It contains the limit, because
 * a run that may be cut off has a different result. */
static char *result_key_of_trial(const Trials *trials, const Trial *trial)
{
    const TrialMaker *maker = trials->maker;
    g_autofree char *all =
        g_strdup_printf("%s\n%" PRIu64 " %" PRIu64 "\n%s", maker->id,
                        maker->memory_bytes, trials->limit_ps, trial->text);

    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
}

static void recall_candidate_result(const Trials *trials, Trial *trial)
{
    const TrialMaker *maker = trials->maker;
    g_autofree char *id = result_key_of_trial(trials, trial);
    const char *text = maker->recall ? maker->recall(maker->self, id) : NULL;

    if (!text)
        return;
    parse_trial_result(trial, text);
    trial->is_recalled = TRUE;
}

static void store_candidate_result(const Trials *trials, const Trial *trial,
                                   const char *text)
{
    const TrialMaker *maker = trials->maker;
    g_autofree char *id = result_key_of_trial(trials, trial);

    if (maker->keep)
        maker->keep(maker->self, id, text);
}

/* ---- the list of trials of a search -------------------------------------- */

void init_candidate_trials(Trials *trials, const TrialMaker *maker,
                           guint n_most)
{
    *trials = (Trials){
        .maker = maker,
        .n_most = n_most,
        .trials = g_ptr_array_new_with_free_func(free_trial_record),
        .by_text = g_hash_table_new(g_str_hash, g_str_equal),
    };
}

void clear_trials(Trials *trials)
{
    g_clear_pointer(&trials->by_text, g_hash_table_unref);
    g_clear_pointer(&trials->trials, g_ptr_array_unref);
}

const Trial *find_candidate_trial(const Trials *trials,
                                  const Candidate *candidate)
{
    g_autofree char *text = candidate_id_text(candidate);
    const Trial *trial = g_hash_table_lookup(trials->by_text, text);

    return trial && trial->messages ? trial : NULL;
}

/* Returns whether @a has fewer changes than @b, or else fewer messages, or else
 * less time. */
static gboolean is_simpler_trial(const Trial *a, const Trial *b)
{
    guint x = candidate_n_changes(a->candidate);
    guint y = candidate_n_changes(b->candidate);

    if (x != y)
        return x < y;
    if (a->messages->len != b->messages->len)
        return a->messages->len < b->messages->len;
    return a->time_ps < b->time_ps;
}

const Trial *find_simplest_best_trial(const Trials *trials)
{
    const Trial *best = trials->best;

    for (guint i = 0; best && i < trials->trials->len; i++) {
        const Trial *trial = g_ptr_array_index(trials->trials, i);

        if (trial_is_about_as_fast(trial, trials->best->time_ps) &&
            is_simpler_trial(trial, best))
            best = trial;
    }
    return best;
}

/* Returns whether the trial was cut off at a limit below the present one, so
 * that it must be run again. */
static gboolean must_rerun_cut_off_trial(const Trials *trials,
                                         const Trial *trial)
{
    return trial->cut_off_ps > 0 &&
           (trials->limit_ps == 0 || trials->limit_ps > trial->cut_off_ps);
}

static Trial *record_candidate_trial(Trials *trials, const Candidate *candidate,
                                     char *text, const char *by)
{
    Trial *trial = g_new0(Trial, 1);

    trial->text = text;
    trial->candidate = candidate_copy(candidate);
    trial->move = by;
    g_ptr_array_add(trials->trials, trial);
    g_hash_table_insert(trials->by_text, trial->text, trial);
    return trial;
}

/* Adds the new trials of @candidates as far as .n_most allows.  Returns those
 * that must be run (of borrowed Trial). */
static GPtrArray *add_new_candidate_trials(Trials *trials,
                                           const GPtrArray *candidates,
                                           const char *by)
{
    GPtrArray *ret = g_ptr_array_new();

    for (guint i = 0;
         i < candidates->len && trials_count_remaining_runs(trials) > 0; i++) {
        const Candidate *candidate = g_ptr_array_index(candidates, i);
        g_autofree char *text = candidate_id_text(candidate);
        Trial *trial = g_hash_table_lookup(trials->by_text, text);

        if (trial && !must_rerun_cut_off_trial(trials, trial))
            continue;
        if (trial) {
            g_clear_pointer(&trial->messages, g_array_unref);
            trial->cut_off_ps = 0;
        } else {
            trial = record_candidate_trial(trials, candidate,
                                           g_steal_pointer(&text), by);
        }
        g_ptr_array_add(ret, trial);
    }
    return ret;
}

typedef struct {
    Trials *trials;
    GPtrArray *todo; /* borrowed: of borrowed Trial */
} TrialBatch;

static void run_candidate_trial_of_batch(gpointer self, guint i, GString *out)
{
    const TrialBatch *batch = self;
    const Trial *trial = g_ptr_array_index(batch->todo, i);

    run_optimise_candidate(batch->trials->maker, trial->candidate,
                           batch->trials->limit_ps, out);
}

static void receive_candidate_result(gpointer self, guint i,
                                     const GString *text, const char *reason)
{
    const TrialBatch *batch = self;
    Trials *trials = batch->trials;
    const TrialMaker *maker = trials->maker;
    Trial *trial = g_ptr_array_index(batch->todo, i);
    guint n_done = 0;

    if (reason) {
        trial->reason = g_strdup(reason);
        trial->has_crashed = TRUE;
        trial->messages = gradient_messages_parse("");
    } else {
        parse_trial_result(trial, text->str);
        store_candidate_result(trials, trial, text->str);
    }
    for (guint k = 0; k < trials->trials->len; k++)
        n_done +=
            ((const Trial *)g_ptr_array_index(trials->trials, k))->messages !=
            NULL;
    if (maker->on_trial)
        maker->on_trial(maker->self, n_done, trials->n_most,
                        trials->best ? trials->best->time_ps : trial->time_ps);
}

gboolean run_new_candidate_trials(Trials *trials, const GPtrArray *candidates,
                                  const char *by, GError **error)
{
    g_autoptr(GPtrArray) fresh =
        add_new_candidate_trials(trials, candidates, by);
    g_autoptr(GPtrArray) todo = g_ptr_array_new();
    TrialBatch batch = { trials, todo };
    RunMany many = { .work = run_candidate_trial_of_batch,
                     .piece_ended = receive_candidate_result,
                     .self = &batch };
    gboolean ok;

    for (guint i = 0; i < fresh->len; i++) {
        Trial *trial = g_ptr_array_index(fresh, i);

        recall_candidate_result(trials, trial);
        if (!trial->messages)
            g_ptr_array_add(todo, trial);
    }
    many.n = todo->len;
    ok = todo->len == 0 ||
         trials->maker->run_many(trials->maker->self, &many, error);
    for (guint i = 0; i < fresh->len; i++) {
        const Trial *trial = g_ptr_array_index(fresh, i);

        if (candidate_trial_is_faster(trial, trials->best))
            trials->best = trial;
    }
    return ok;
}
