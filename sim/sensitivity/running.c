/* running.c - what is changed together, run, and what came of it */
#include "sim/sensitivity/running.h"

#include <string.h>

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

void running_init(Running *r, Study *study, Batch *batch)
{
    *r = (Running){ study, batch, g_ptr_array_new_with_free_func(cell_free) };
}

void running_clear(Running *r)
{
    g_clear_pointer(&r->cells, g_ptr_array_unref);
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

static gboolean is_same(const Cell *a, const Cell *b)
{
    return a->runs->len == b->runs->len &&
           memcmp(a->runs->pdata, b->runs->pdata,
                  a->runs->len * sizeof(gpointer)) == 0;
}

gboolean study_want_try(Running *r, Try *attempt, gboolean *is_other,
                        GError **error)
{
    g_autoptr(GPtrArray) alone = g_ptr_array_new();

    g_ptr_array_add(alone, attempt);
    if (!study_want(r, alone, &attempt->outcome, error))
        return FALSE;
    *is_other = !is_same(g_ptr_array_index(r->cells, 0),
                         g_ptr_array_index(r->cells, r->cells->len - 1));
    if (!*is_other)
        g_ptr_array_set_size(r->cells, (gint)r->cells->len - 1);
    return TRUE;
}

/* ---- what came of it -------------------------------------------------- */

static void fail(Outcome *outcome, const Contender *c, const BatchRun *run)
{
    if (outcome->reason)
        return;
    outcome->reason = g_strdup_printf("%s: %s", c->name, run->reason);
    outcome->is_lost = run->is_lost;
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
        else if (i < n_fixed || run->is_lost) /* some added are impossible */
            fail(outcome, c, run);
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
