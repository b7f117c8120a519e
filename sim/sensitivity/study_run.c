/* study_run.c - a study from its options to its ranking */
#include <string.h>

#include "sim/sensitivity/combine.h"
#include "sim/sensitivity/find.h"
#include "sim/sensitivity/running.h"

#define TIME_COLUMN "iteration_time_us"

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

/* What is as it is now, whatever was tried, is no other value. */
static gboolean want_tries(Running *r, Assumption *assumption, GError **error)
{
    guint i = 0;

    while (i < assumption->tries->len) {
        gboolean is_other;

        if (!study_want_try(r, assumption_try(assumption, i), &is_other, error))
            return FALSE;
        if (is_other)
            i++;
        else
            g_ptr_array_remove_index(assumption->tries, i);
    }
    return TRUE;
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

/* What is tried, of which assumption: " with release 'given back'". */
static void add_try(const Study *study, const Try *attempt, GString *out)
{
    for (guint i = 0; i < study->all->len; i++) {
        const Assumption *assumption = assumption_at(study->all, i);

        if (g_ptr_array_find(assumption->tries, attempt, NULL))
            g_string_append_printf(out, " with %s '%s'", assumption->name,
                                   attempt->label);
    }
}

static char *name_of(const Study *study, const BatchRun *run)
{
    GString *name = g_string_new(run->contender->name);

    for (guint i = 0; i < run->tries->len; i++)
        add_try(study, g_ptr_array_index(run->tries, i), name);
    return g_string_free(name, FALSE);
}

/* Of combinations some are told of to nobody, so runs are counted and no
 * outcomes.  The first that is lost is the one that is named. */
static void count_losses(Study *study, const Batch *batch)
{
    Losses *losses = &study->losses;

    for (guint i = 0; i < batch_n_runs(batch); i++) {
        const BatchRun *run = batch_at(batch, i);

        if (run->is_lost && losses->n_lost == 0)
            losses_count(losses, name_of(study, run), g_strdup(run->reason));
        else
            losses_count(losses, NULL, run->is_lost ? run->reason : NULL);
    }
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
    g_autoptr(Batch) batch = NULL;
    g_auto(Running) running = { 0 };

    *number = 0;
    study->options = options;
    study->combinations = g_ptr_array_new_with_free_func(combination_free);
    if (!load(study, error))
        return NULL;
    batch = batch_new(study->contenders, options->fold,
                      study_is_speedup(study) ? TIME_COLUMN : options->metric);
    running_init(&running, study, batch);
    *number = run_all(&running, error);
    study->n_runs = batch_n_runs(batch);
    count_losses(study, batch);
    if (*number == 0)
        return g_steal_pointer(&study);
    *number = MAX(*number, 0);
    return NULL;
}
