/* experiment.c - runs the alternatives of a study and computes the outcomes */
#include "sim/sensitivity/experiment.h"

#include <string.h>

/* Alternatives that are tried together, and the runs that give their
 * outcome. */
typedef struct {
    GPtrArray *alternatives; /* owned, of borrowed Alternative */
    GPtrArray *endpoints;    /* owned, of borrowed ComparedEndpoint: the study's
                              * and those that alternatives add */
    GPtrArray *runs;         /* owned, of borrowed BatchRun, one per endpoint */
    Outcome *outcome;        /* borrowed */
} Trial;

static void trial_free(gpointer data)
{
    Trial *trial = data;

    g_ptr_array_unref(trial->alternatives);
    g_ptr_array_unref(trial->endpoints);
    g_ptr_array_unref(trial->runs);
    g_free(trial);
}

void experiment_init(Experiment *r, Study *study, Batch *batch)
{
    *r = (Experiment){ study, batch,
                       g_ptr_array_new_with_free_func(trial_free) };
}

void experiment_clear(Experiment *r)
{
    g_clear_pointer(&r->trials, g_ptr_array_unref);
}

/* ---- the runs of a trial ------------------------------------------------- */

static gboolean is_excluded(const Trial *trial, const ComparedEndpoint *c)
{
    for (guint i = 0; i < trial->alternatives->len; i++)
        if (alternative_excludes(g_ptr_array_index(trial->alternatives, i), c))
            return TRUE;
    return FALSE;
}

/* Adds the endpoints that the outcome needs: if the metric is not a speedup,
 * only the offloads. */
static void add_endpoints(const Study *study, Trial *trial)
{
    const GPtrArray *all = study_is_speedup(study) ? study->endpoints->all
                                                   : study->endpoints->offloads;

    for (guint i = 0; i < all->len; i++)
        if (!is_excluded(trial, compared_endpoint_at(all, i)))
            g_ptr_array_add(trial->endpoints, all->pdata[i]);
    for (guint i = 0; i < trial->alternatives->len; i++) {
        const Alternative *alternative =
            g_ptr_array_index(trial->alternatives, i);

        g_ptr_array_extend(trial->endpoints, alternative->added, NULL, NULL);
    }
}

gboolean experiment_add(Experiment *r, const GPtrArray *alternatives,
                        Outcome *outcome, GError **error)
{
    Trial *trial = g_new0(Trial, 1);

    trial->alternatives = g_ptr_array_new();
    trial->endpoints = g_ptr_array_new();
    trial->runs = g_ptr_array_new();
    trial->outcome = outcome;
    g_ptr_array_add(r->trials, trial);
    if (alternatives)
        g_ptr_array_extend(trial->alternatives, (GPtrArray *)alternatives, NULL,
                           NULL);
    add_endpoints(r->study, trial);
    for (guint i = 0; i < trial->endpoints->len; i++) {
        BatchRun *run =
            batch_add(r->batch, compared_endpoint_at(trial->endpoints, i),
                      trial->alternatives, error);

        if (!run)
            return FALSE;
        g_ptr_array_add(trial->runs, run);
    }
    return TRUE;
}

static gboolean is_same(const Trial *a, const Trial *b)
{
    return a->runs->len == b->runs->len &&
           memcmp(a->runs->pdata, b->runs->pdata,
                  a->runs->len * sizeof(gpointer)) == 0;
}

gboolean experiment_add_alternative(Experiment *r, Alternative *alternative,
                                    gboolean *is_other, GError **error)
{
    g_autoptr(GPtrArray) alone = g_ptr_array_new();

    /* The base trial must have been added first. */
    g_assert(r->trials->len > 0);
    g_ptr_array_add(alone, alternative);
    if (!experiment_add(r, alone, &alternative->outcome, error))
        return FALSE;
    *is_other = !is_same(g_ptr_array_index(r->trials, 0),
                         g_ptr_array_index(r->trials, r->trials->len - 1));
    if (!*is_other)
        g_ptr_array_set_size(r->trials, (gint)r->trials->len - 1);
    return TRUE;
}

/* ---- the outcome of a trial ---------------------------------------------- */

static void set_failure(Outcome *outcome, const ComparedEndpoint *c,
                        const BatchRun *run)
{
    if (outcome->reason)
        return;
    outcome->reason = g_strdup_printf("%s: %s", c->name, run->reason);
    outcome->has_crashed = run->has_crashed;
}

/* The result of a group of comparable runs: the run of the offload, and the
 * fastest run of its baselines. */
typedef struct {
    const BatchRun *offload, *best;
    const char *best_name;
} Pair;

static void update_pair(Pair *pair, const ComparedEndpoint *c,
                        const BatchRun *run)
{
    if (c->is_offload) {
        pair->offload = run;
    } else if (!pair->best || run->value < pair->best->value) {
        pair->best = run;
        pair->best_name = c->name;
    }
}

static double value_of(const Study *study, const Pair *pair)
{
    if (!study_is_speedup(study))
        return pair->offload->value;
    return pair->offload->value > 0 ? pair->best->value / pair->offload->value
                                    : 1;
}

static void evaluate(const Study *study, const Trial *trial)
{
    guint n = study->endpoints->offloads->len;
    g_autofree Pair *pairs = g_new0(Pair, n);
    Outcome *outcome = trial->outcome;
    guint n_fixed = trial->endpoints->len;
    double sum = 0;

    for (guint i = 0; i < trial->alternatives->len; i++)
        n_fixed -=
            ((const Alternative *)g_ptr_array_index(trial->alternatives, i))
                ->added->len;
    for (guint i = 0; i < trial->runs->len; i++) {
        const ComparedEndpoint *c = compared_endpoint_at(trial->endpoints, i);
        const BatchRun *run = g_ptr_array_index(trial->runs, i);

        g_assert(run->done);
        if (!run->reason)
            update_pair(&pairs[c->group], c, run);
        else if (i < n_fixed || run->has_crashed) /* an added baseline may be
                                                   * impossible */
            set_failure(outcome, c, run);
    }
    if (outcome->reason)
        return;
    for (guint g = 0; g < n && !outcome->reason; g++) {
        if (study_is_speedup(study) && !pairs[g].best)
            outcome->reason = g_strdup("no baseline is left");
        else
            sum += value_of(study, &pairs[g]);
    }
    if (outcome->reason)
        return;
    outcome->value = sum / n;
    outcome->ok = TRUE;
    if (n == 1)
        outcome->best = g_strdup(pairs[0].best_name);
}

int experiment_run(Experiment *r)
{
    const StudyOptions *o = r->study->options;
    int number = batch_run(r->batch, o->n_jobs, o->on_progress, o->self);

    for (guint i = 0; number == 0 && i < r->trials->len; i++)
        evaluate(r->study, g_ptr_array_index(r->trials, i));
    g_ptr_array_set_size(r->trials, 0);
    return number;
}
