/* study.c - what a speedup hangs on */
#include "sim/sensitivity/study.h"

#include <math.h>
#include <string.h>

#include "sim/sensitivity/study_impl.h"

#define TIME_COLUMN "iteration_time_us"
#define EVEN        0.005 /* what is told as 1.00x wins nothing */

/* What is changed together, and the runs that tell what comes of it. */
typedef struct {
    GPtrArray *tries;      /* owned, of borrowed Try */
    GPtrArray *contenders; /* owned, of borrowed Contender: those added, too */
    GPtrArray *runs;       /* owned, of borrowed BatchRun, one for each */
    Outcome *outcome;      /* borrowed */
} Cell;

static void cell_free(gpointer data)
{
    Cell *cell = data;

    g_ptr_array_unref(cell->tries);
    g_ptr_array_unref(cell->contenders);
    g_ptr_array_unref(cell->runs);
    g_free(cell);
}

gboolean study_is_speedup(const Study *study)
{
    return g_str_equal(study->options->metric, STUDY_SPEEDUP);
}

double study_effect(const Study *study, const Assumption *assumption)
{
    double base = fabs(study->base.value);

    return base > 0 ? (assumption->most - assumption->least) / base : 0;
}

gboolean study_turns(const Study *study, const Outcome *outcome)
{
    if (!study_is_speedup(study) || !outcome->ok)
        return FALSE;
    return study->base.value > 1 ? outcome->value < 1 - EVEN
                                 : outcome->value > 1 + EVEN;
}

/* ---- what is run ------------------------------------------------------ */

static gboolean is_left_out(const Cell *cell, const Contender *c)
{
    for (guint i = 0; i < cell->tries->len; i++)
        if (try_leaves_out(g_ptr_array_index(cell->tries, i), c))
            return TRUE;
    return FALSE;
}

/* Those who matter: without a speedup to tell, offloads alone. */
static void add_contenders(const Study *study, Cell *cell)
{
    const GPtrArray *all = study_is_speedup(study)
                               ? study->contenders->all
                               : study->contenders->offloads;

    for (guint i = 0; i < all->len; i++)
        if (!is_left_out(cell, contender_at(all, i)))
            g_ptr_array_add(cell->contenders, all->pdata[i]);
    for (guint i = 0; i < cell->tries->len; i++) {
        const Try *attempt = g_ptr_array_index(cell->tries, i);

        g_ptr_array_extend(cell->contenders, attempt->added, NULL, NULL);
    }
}

gboolean study_want(Running *r, const GPtrArray *tries, Outcome *outcome,
                    GError **error)
{
    Cell *cell = g_new0(Cell, 1);

    cell->tries = g_ptr_array_new();
    cell->contenders = g_ptr_array_new();
    cell->runs = g_ptr_array_new();
    cell->outcome = outcome;
    g_ptr_array_add(r->cells, cell);
    if (tries)
        g_ptr_array_extend(cell->tries, (GPtrArray *)tries, NULL, NULL);
    add_contenders(r->study, cell);
    for (guint i = 0; i < cell->contenders->len; i++) {
        BatchRun *run = batch_want(r->batch, contender_at(cell->contenders, i),
                                   cell->tries, error);

        if (!run)
            return FALSE;
        g_ptr_array_add(cell->runs, run);
    }
    return TRUE;
}

static gboolean want_try(Running *r, Try *attempt, GError **error)
{
    g_autoptr(GPtrArray) alone = g_ptr_array_new();

    g_ptr_array_add(alone, attempt);
    return study_want(r, alone, &attempt->outcome, error);
}

static gboolean is_same(const Cell *a, const Cell *b)
{
    return a->runs->len == b->runs->len &&
           memcmp(a->runs->pdata, b->runs->pdata,
                  a->runs->len * sizeof(gpointer)) == 0;
}

/* What is as it is now, whatever was tried, is no other value. */
static gboolean want_tries(Running *r, Assumption *assumption, GError **error)
{
    guint i = 0;

    while (i < assumption->tries->len) {
        if (!want_try(r, assumption_try(assumption, i), error))
            return FALSE;
        if (is_same(g_ptr_array_index(r->cells, 0),
                    g_ptr_array_index(r->cells, r->cells->len - 1))) {
            g_ptr_array_set_size(r->cells, (gint)r->cells->len - 1);
            g_ptr_array_remove_index(assumption->tries, i);
        } else {
            i++;
        }
    }
    return TRUE;
}

/* ---- what came of it -------------------------------------------------- */

static void fail(Outcome *outcome, const Contender *c, const char *reason)
{
    if (!outcome->reason)
        outcome->reason = g_strdup_printf("%s: %s", c->name, reason);
}

/* Of a group: the offload's run, and the fastest of the others. */
typedef struct {
    const BatchRun *offload, *best;
    const char *best_name;
} Pair;

static void take_run(Pair *pair, const Contender *c, const BatchRun *run)
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

static void evaluate(const Study *study, const Cell *cell)
{
    guint n = study->contenders->offloads->len;
    g_autofree Pair *pairs = g_new0(Pair, n);
    Outcome *outcome = cell->outcome;
    guint n_fixed = cell->contenders->len;
    double sum = 0;

    for (guint i = 0; i < cell->tries->len; i++)
        n_fixed -= ((const Try *)g_ptr_array_index(cell->tries, i))->added->len;
    for (guint i = 0; i < cell->runs->len; i++) {
        const Contender *c = contender_at(cell->contenders, i);
        const BatchRun *run = g_ptr_array_index(cell->runs, i);

        g_assert(run->done);
        if (!run->reason)
            take_run(&pairs[c->group], c, run);
        else if (i < n_fixed) /* of those added some may be impossible */
            fail(outcome, c, run->reason);
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

int study_run_wanted(Running *r)
{
    const StudyOptions *o = r->study->options;
    int number = batch_run(r->batch, o->n_jobs, o->on_progress, o->self);

    for (guint i = 0; number == 0 && i < r->cells->len; i++)
        evaluate(r->study, g_ptr_array_index(r->cells, i));
    g_ptr_array_set_size(r->cells, 0);
    return number;
}

/* ---- ranking ---------------------------------------------------------- */

static void find_extremes(const Study *study, Assumption *assumption)
{
    assumption->least = assumption->most = study->base.value;
    for (guint i = 0; i < assumption->tries->len; i++) {
        const Outcome *outcome = &assumption_try(assumption, i)->outcome;

        if (!outcome->ok)
            continue;
        assumption->least = MIN(assumption->least, outcome->value);
        assumption->most = MAX(assumption->most, outcome->value);
    }
}

/* By insertion: equal ones keep their order, and they are few. */
static void rank(Study *study)
{
    for (guint i = 0; i < study->all->len; i++)
        find_extremes(study, assumption_at(study->all, i));
    for (guint i = 1; i < study->all->len; i++) {
        Assumption *moved = assumption_at(study->all, i);
        guint k = i;

        for (; k > 0 && study_effect(study, assumption_at(study->all, k - 1)) <
                            study_effect(study, moved);
             k--)
            study->all->pdata[k] = study->all->pdata[k - 1];
        study->all->pdata[k] = moved;
    }
}

/* ---- all -------------------------------------------------------------- */

static gboolean load(Study *study, GError **error)
{
    const StudyOptions *o = study->options;
    const AssumptionsConfig *config = NULL;

    if (o->file) {
        study->assumptions = assumptions_load(o->file, error);
        if (!study->assumptions)
            return FALSE;
        config = &study->assumptions->config;
    }
    study->holder = config_doc_parse("values", "{}", 2, error);
    if (!study->holder)
        return FALSE;
    study->contenders = contenders_load(o->path, o->sets, config, o->baselines,
                                        study_is_speedup(study), error);
    if (!study->contenders)
        return FALSE;
    study->all = assumptions_of(study->contenders, config, &o->filter,
                                study->holder, error);
    return study->all != NULL;
}

static gboolean want_all(Running *r, GError **error)
{
    GPtrArray *all = r->study->all;
    guint i = 0;

    if (!study_want(r, NULL, &r->study->base, error))
        return FALSE;
    while (i < all->len) {
        Assumption *assumption = assumption_at(all, i);
        gboolean has_range = assumption->tries->len > 0;

        if (!want_tries(r, assumption, error))
            return FALSE;
        if (has_range && assumption->tries->len == 0)
            g_ptr_array_remove_index(all, i); /* it is somebody else's */
        else
            i++;
    }
    return TRUE;
}

static gboolean check_base(const Study *study, GError **error)
{
    const char *reason;

    if (study->base.ok)
        return TRUE;
    reason = strstr(study->base.reason, ": ");
    g_assert(reason); /* behind a contender's name */
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                "%s (%.*s of %s, as it is)", reason + 2,
                (int)(reason - study->base.reason), study->base.reason,
                study->options->path);
    return FALSE;
}

/* 0, a signal's number, or -1 on error. */
static int run_all(Running *r, GError **error)
{
    int number;

    if (!want_all(r, error))
        return -1;
    number = study_run_wanted(r);
    if (number != 0)
        return number;
    if (!check_base(r->study, error))
        return -1;
    rank(r->study);
    return study_combine(r, error);
}

Study *study_run(const StudyOptions *options, int *number, GError **error)
{
    g_autoptr(Study) study = g_new0(Study, 1);
    g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(cell_free);
    g_autoptr(Batch) batch = NULL;
    Running running = { study, NULL, cells };

    *number = 0;
    study->options = options;
    study->combinations = g_ptr_array_new_with_free_func(combination_free);
    if (!load(study, error))
        return NULL;
    batch = batch_new(study->contenders, options->fold,
                      study_is_speedup(study) ? TIME_COLUMN : options->metric);
    running.batch = batch;
    *number = run_all(&running, error);
    study->n_runs = batch_n_runs(batch);
    if (*number == 0)
        return g_steal_pointer(&study);
    *number = MAX(*number, 0);
    return NULL;
}

void study_free(Study *study)
{
    if (!study)
        return;
    g_ptr_array_unref(study->combinations);
    g_clear_pointer(&study->all, g_ptr_array_unref);
    outcome_clear(&study->base);
    contenders_free(study->contenders);
    g_clear_pointer(&study->holder, config_doc_free);
    assumptions_free(study->assumptions);
    g_free(study);
}
