/* sensitivity_experiment.c - runs the alternatives of a study and computes the
 * outcomes */
#include "sim/sensitivity/sensitivity_experiment.h"

#include <string.h>

/* Alternatives that are tried together, and the runs that give their
 * outcome. */
typedef struct {
    GPtrArray *alternatives; /* owned, of borrowed Alternative */
    GPtrArray *endpoints;    /* owned, of borrowed ComparedEndpoint: the study's
                              * and those that alternatives add */
    GPtrArray *runs;         /* owned, of borrowed BatchRun, one per endpoint */
    AlternativeOutcome *outcome; /* borrowed */
} ExperimentTrial;

static void free_sensitivity_trial(gpointer data)
{
    ExperimentTrial *trial = data;

    g_ptr_array_unref(trial->alternatives);
    g_ptr_array_unref(trial->endpoints);
    g_ptr_array_unref(trial->runs);
    g_free(trial);
}

void sensitivity_experiment_init(SensitivityExperiment *experiment,
                                 SensitivityStudy *study, RunBatch *batch)
{
    *experiment = (SensitivityExperiment){
        study, batch, g_ptr_array_new_with_free_func(free_sensitivity_trial)
    };
}

void sensitivity_experiment_clear(SensitivityExperiment *experiment)
{
    g_clear_pointer(&experiment->trials, g_ptr_array_unref);
}

/* ---- the runs of a trial ------------------------------------------------- */

static gboolean is_endpoint_excluded(const ExperimentTrial *trial,
                                     const ComparedEndpoint *endpoint)
{
    for (guint i = 0; i < trial->alternatives->len; i++)
        if (assumption_alternative_excludes_endpoint(
                g_ptr_array_index(trial->alternatives, i), endpoint))
            return TRUE;
    return FALSE;
}

/* Adds the endpoints that the outcome needs: if the metric is not a speedup,
 * only the offloads. */
static void add_trial_endpoints(const SensitivityStudy *study,
                                ExperimentTrial *trial)
{
    const GPtrArray *all = sensitivity_study_is_speedup(study)
                               ? study->endpoints->endpoints
                               : study->endpoints->offloads;

    for (guint i = 0; i < all->len; i++)
        if (!is_endpoint_excluded(trial, compared_endpoint_at(all, i)))
            g_ptr_array_add(trial->endpoints, all->pdata[i]);
    for (guint i = 0; i < trial->alternatives->len; i++) {
        const Alternative *alternative =
            g_ptr_array_index(trial->alternatives, i);

        g_ptr_array_extend(trial->endpoints, alternative->added, NULL, NULL);
    }
}

gboolean sensitivity_experiment_add_trial(SensitivityExperiment *experiment,
                                          const GPtrArray *alternatives,
                                          AlternativeOutcome *outcome,
                                          GError **error)
{
    ExperimentTrial *trial = g_new0(ExperimentTrial, 1);

    trial->alternatives = g_ptr_array_new();
    trial->endpoints = g_ptr_array_new();
    trial->runs = g_ptr_array_new();
    trial->outcome = outcome;
    g_ptr_array_add(experiment->trials, trial);
    if (alternatives)
        g_ptr_array_extend(trial->alternatives, (GPtrArray *)alternatives, NULL,
                           NULL);
    add_trial_endpoints(experiment->study, trial);
    for (guint i = 0; i < trial->endpoints->len; i++) {
        BatchRun *run = run_batch_add_run(
            experiment->batch, compared_endpoint_at(trial->endpoints, i),
            trial->alternatives, error);

        if (!run)
            return FALSE;
        g_ptr_array_add(trial->runs, run);
    }
    return TRUE;
}

static gboolean has_same_runs(const ExperimentTrial *a,
                              const ExperimentTrial *b)
{
    return a->runs->len == b->runs->len &&
           memcmp(a->runs->pdata, b->runs->pdata,
                  a->runs->len * sizeof(gpointer)) == 0;
}

gboolean
sensitivity_experiment_add_alternative(SensitivityExperiment *experiment,
                                       Alternative *alternative,
                                       gboolean *is_other, GError **error)
{
    g_autoptr(GPtrArray) alone = g_ptr_array_new();

    /* The base trial must have been added first. */
    g_assert(experiment->trials->len > 0);
    g_ptr_array_add(alone, alternative);
    if (!sensitivity_experiment_add_trial(experiment, alone,
                                          &alternative->outcome, error))
        return FALSE;
    *is_other = !has_same_runs(
        g_ptr_array_index(experiment->trials, 0),
        g_ptr_array_index(experiment->trials, experiment->trials->len - 1));
    if (!*is_other)
        g_ptr_array_set_size(experiment->trials,
                             (gint)experiment->trials->len - 1);
    return TRUE;
}

/* ---- the outcome of a trial ---------------------------------------------- */

static void set_failed_outcome(AlternativeOutcome *outcome,
                               const ComparedEndpoint *endpoint,
                               const BatchRun *run)
{
    if (outcome->reason)
        return;
    outcome->reason = g_strdup_printf("%s: %s", endpoint->name, run->reason);
    outcome->has_crashed = run->has_crashed;
}

/* The result of a group of comparable runs: the run of the offload, and the
 * fastest run of its baselines. */
typedef struct {
    const BatchRun *offload, *best;
    const char *best_name;
} GroupResult;

static void update_group_result(GroupResult *pair,
                                const ComparedEndpoint *endpoint,
                                const BatchRun *run)
{
    if (endpoint->is_offload) {
        pair->offload = run;
    } else if (!pair->best || run->value < pair->best->value) {
        pair->best = run;
        pair->best_name = endpoint->name;
    }
}

static double group_metric_value(const SensitivityStudy *study,
                                 const GroupResult *pair)
{
    if (!sensitivity_study_is_speedup(study))
        return pair->offload->value;
    return pair->offload->value > 0 ? pair->best->value / pair->offload->value
                                    : 1;
}

static void evaluate_experiment_trial(const SensitivityStudy *study,
                                      const ExperimentTrial *trial)
{
    guint n = study->endpoints->offloads->len;
    g_autofree GroupResult *pairs = g_new0(GroupResult, n);
    AlternativeOutcome *outcome = trial->outcome;
    guint n_fixed = trial->endpoints->len;
    double sum = 0;

    for (guint i = 0; i < trial->alternatives->len; i++)
        n_fixed -=
            ((const Alternative *)g_ptr_array_index(trial->alternatives, i))
                ->added->len;
    for (guint i = 0; i < trial->runs->len; i++) {
        const ComparedEndpoint *endpoint =
            compared_endpoint_at(trial->endpoints, i);
        const BatchRun *run = g_ptr_array_index(trial->runs, i);

        g_assert(run->is_done);
        if (!run->reason)
            update_group_result(&pairs[endpoint->group], endpoint, run);
        else if (i < n_fixed || run->has_crashed) /* an added baseline may be
                                                   * impossible */
            set_failed_outcome(outcome, endpoint, run);
    }
    if (outcome->reason)
        return;
    for (guint g = 0; g < n && !outcome->reason; g++) {
        if (sensitivity_study_is_speedup(study) && !pairs[g].best)
            outcome->reason = g_strdup("no baseline is left");
        else
            sum += group_metric_value(study, &pairs[g]);
    }
    if (outcome->reason)
        return;
    outcome->value = sum / n;
    outcome->ok = TRUE;
    if (n == 1)
        outcome->best = g_strdup(pairs[0].best_name);
}

int sensitivity_experiment_run(SensitivityExperiment *experiment)
{
    const StudyOptions *o = experiment->study->options;
    int number = run_batch_simulate_all(experiment->batch, o->n_jobs,
                                        o->on_progress, o->self);

    for (guint i = 0; number == 0 && i < experiment->trials->len; i++)
        evaluate_experiment_trial(experiment->study,
                                  g_ptr_array_index(experiment->trials, i));
    g_ptr_array_set_size(experiment->trials, 0);
    return number;
}
