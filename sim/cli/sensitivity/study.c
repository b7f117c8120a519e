/* study.c - what a speedup hangs on */
#include "sim/cli/sensitivity/study.h"

#include <math.h>
#include <string.h>

#include "sim/cli/sensitivity/batch.h"

#define TIME_COLUMN  "iteration_time_us"
#define MAX_PARTNERS 5 /* of which all pairs are run */

/* What is changed together, and the runs that tell what comes of it. */
typedef struct {
    GPtrArray *tries;      /* owned, of borrowed Try */
    GPtrArray *contenders; /* owned, of borrowed Contender: those added, too */
    GPtrArray *runs;       /* owned, of borrowed BatchRun, one for each */
    Outcome *outcome;      /* borrowed */
} Cell;

typedef struct {
    Study *study;
    Batch *batch;
    GPtrArray *cells; /* owned, of owned Cell: not evaluated yet */
} Running;

static void cell_free(gpointer data)
{
    Cell *cell = data;

    g_ptr_array_unref(cell->tries);
    g_ptr_array_unref(cell->contenders);
    g_ptr_array_unref(cell->runs);
    g_free(cell);
}

static void combination_free(gpointer data)
{
    Combination *combination = data;

    g_free(combination->name);
    g_ptr_array_unref(combination->members);
    g_ptr_array_unref(combination->tries);
    outcome_clear(&combination->outcome);
    g_free(combination);
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
    return study_is_speedup(study) && outcome->ok &&
           (outcome->value > 1) != (study->base.value > 1);
}

/* ---- what is run ------------------------------------------------------ */

/* Those who matter: without a speedup to tell, offloads alone. */
static void add_contenders(const Study *study, Cell *cell)
{
    const GPtrArray *all = study_is_speedup(study)
                               ? study->contenders->all
                               : study->contenders->offloads;

    g_ptr_array_extend(cell->contenders, (GPtrArray *)all, NULL, NULL);
    for (guint i = 0; i < cell->tries->len; i++) {
        const Try *attempt = g_ptr_array_index(cell->tries, i);

        g_ptr_array_extend(cell->contenders, attempt->added, NULL, NULL);
    }
}

/* @tries may be NULL: the configuration as it is. */
static gboolean want(Running *r, const GPtrArray *tries, Outcome *outcome,
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
    return want(r, alone, &attempt->outcome, error);
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
    for (guint g = 0; g < n; g++)
        sum += value_of(study, &pairs[g]);
    outcome->value = sum / n;
    outcome->ok = TRUE;
    if (n == 1)
        outcome->best = g_strdup(pairs[0].best_name);
}

/* 0, or the number of a signal. */
static int run_wanted(Running *r)
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

/* ---- several together ------------------------------------------------- */

/* The try of the assumption that moves the value most, @sign being the
 * direction; NULL: none does. */
static Try *strongest(const Study *study, const Assumption *assumption,
                      int sign)
{
    double most = STUDY_NEGLIGIBLE * fabs(study->base.value);
    Try *found = NULL;

    for (guint i = 0; i < assumption->tries->len; i++) {
        Try *attempt = assumption_try(assumption, i);
        double moved = sign * (attempt->outcome.value - study->base.value);

        if (!attempt->outcome.ok || moved <= most)
            continue;
        most = moved;
        found = attempt;
    }
    return found;
}

static Combination *combination_new(const char *name)
{
    Combination *combination = g_new0(Combination, 1);

    combination->name = g_strdup(name);
    combination->members = g_ptr_array_new();
    combination->tries = g_ptr_array_new();
    return combination;
}

static void add_member(Combination *combination, Assumption *assumption,
                       Try *attempt)
{
    g_ptr_array_add(combination->members, assumption);
    g_ptr_array_add(combination->tries, attempt);
}

/* All that move it by @sign, the strongest first. */
static Combination *movers(const Study *study, int sign)
{
    Combination *all =
        combination_new(sign < 0 ? "all that lower it" : "all that raise it");

    for (guint i = 0; i < study->all->len; i++) {
        Assumption *assumption = assumption_at(study->all, i);
        Try *attempt = strongest(study, assumption, sign);

        if (attempt)
            add_member(all, assumption, attempt);
    }
    return all;
}

static gboolean add_wanted(Running *r, Combination *combination,
                           GPtrArray *list, GError **error)
{
    g_ptr_array_add(list, combination);
    return want(r, combination->tries, &combination->outcome, error);
}

static gboolean add_pairs(Running *r, const Combination *all, GPtrArray *pairs,
                          GError **error)
{
    guint n = MIN(all->tries->len, MAX_PARTNERS);

    for (guint a = 0; a < n; a++) {
        for (guint b = a + 1; b < n; b++) {
            Combination *pair = combination_new("");

            add_member(pair, all->members->pdata[a], all->tries->pdata[a]);
            add_member(pair, all->members->pdata[b], all->tries->pdata[b]);
            if (!add_wanted(r, pair, pairs, error))
                return FALSE;
        }
    }
    return TRUE;
}

/* Moves the strongest of @pairs to the study's. */
static void keep_strongest(Study *study, GPtrArray *pairs, int sign)
{
    guint found = G_MAXUINT;

    for (guint i = 0; i < pairs->len; i++) {
        const Combination *pair = g_ptr_array_index(pairs, i);
        const Combination *best =
            found < pairs->len ? g_ptr_array_index(pairs, found) : NULL;

        if (pair->outcome.ok &&
            (!best || sign * (pair->outcome.value - best->outcome.value) > 0))
            found = i;
    }
    if (found < pairs->len) {
        Combination *kept = g_ptr_array_steal_index(pairs, found);

        g_free(kept->name);
        kept->name = g_strdup(sign < 0 ? "the pair that lowers it most"
                                       : "the pair that raises it most");
        g_ptr_array_add(study->combinations, kept);
    }
}

/* 0, a signal's number, or -1 on error. */
static int combine(Running *r, int sign, GError **error)
{
    g_autoptr(GPtrArray) pairs =
        g_ptr_array_new_with_free_func(combination_free);
    Combination *all = movers(r->study, sign);
    int number;

    if (all->tries->len < 2) {
        combination_free(all);
        return 0;
    }
    if (!add_wanted(r, all, r->study->combinations, error) ||
        !add_pairs(r, all, pairs, error))
        return -1;
    number = run_wanted(r);
    if (number == 0)
        keep_strongest(r->study, pairs, sign);
    return number;
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
    if (!want(r, NULL, &r->study->base, error))
        return FALSE;
    for (guint i = 0; i < r->study->all->len; i++)
        if (!want_tries(r, assumption_at(r->study->all, i), error))
            return FALSE;
    return TRUE;
}

static gboolean check_base(const Study *study, GError **error)
{
    if (study->base.ok)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED, "%s: as it is, %s",
                study->options->path, study->base.reason);
    return FALSE;
}

/* 0, a signal's number, or -1 on error. */
static int run_all(Running *r, GError **error)
{
    int number;

    if (!want_all(r, error))
        return -1;
    number = run_wanted(r);
    if (number != 0)
        return number;
    if (!check_base(r->study, error))
        return -1;
    rank(r->study);
    number = combine(r, -1, error);
    return number == 0 ? combine(r, 1, error) : number;
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
