/* sensitivity_run.c - runs a study from its options to the ranking */
#include <string.h>

#include "sim/sensitivity/assumption_combinations.h"
#include "sim/sensitivity/find_assumptions.h"
#include "sim/sensitivity/sensitivity_experiment.h"

#define TIME_COLUMN "iteration_time_us"

/* ---- ranking assumptions by their effect --------------------------------- */

static void find_extreme_values(const SensitivityStudy *study,
                                Assumption *assumption)
{
    assumption->least = assumption->most = study->base.value;
    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const AlternativeOutcome *outcome =
            &assumption_alternative(assumption, i)->outcome;

        if (!outcome->ok)
            continue;
        assumption->least = MIN(assumption->least, outcome->value);
        assumption->most = MAX(assumption->most, outcome->value);
    }
}

/* Sorts by insertion, which is stable; the number of assumptions is small. */
static void rank_assumptions(SensitivityStudy *study)
{
    for (guint i = 0; i < study->assumption_list->len; i++)
        find_extreme_values(study, assumption_at(study->assumption_list, i));
    for (guint i = 1; i < study->assumption_list->len; i++) {
        Assumption *moved = assumption_at(study->assumption_list, i);
        guint k = i;

        for (;
             k > 0 && sensitivity_study_assumption_effect(
                          study, assumption_at(study->assumption_list, k - 1)) <
                          sensitivity_study_assumption_effect(study, moved);
             k--)
            study->assumption_list->pdata[k] =
                study->assumption_list->pdata[k - 1];
        study->assumption_list->pdata[k] = moved;
    }
}

/* ---- running the study --------------------------------------------------- */

static gboolean load_sensitivity_study(SensitivityStudy *study, GError **error)
{
    const StudyOptions *options = study->options;
    const AssumptionsConfig *config = NULL;

    if (options->file) {
        study->assumptions = assumptions_load(options->file, error);
        if (!study->assumptions)
            return FALSE;
        config = &study->assumptions->config;
    }
    study->holder = config_doc_parse("values", "{}", 2, error);
    if (!study->holder)
        return FALSE;
    study->endpoints = compared_endpoints_load(
        options->path, options->sets, config, options->baselines,
        sensitivity_study_is_speedup(study), error);
    if (!study->endpoints)
        return FALSE;
    study->assumption_list = find_assumptions(
        study->endpoints, config, &options->filter, study->holder, error);
    return study->assumption_list != NULL;
}

/* Adds a trial for each alternative, and removes alternatives that equal the
 * base. */
static gboolean add_alternative_trials(SensitivityExperiment *experiment,
                                       Assumption *assumption, GError **error)
{
    guint i = 0;

    while (i < assumption->alternatives->len) {
        gboolean is_other;

        if (!sensitivity_experiment_add_alternative(
                experiment, assumption_alternative(assumption, i), &is_other,
                error))
            return FALSE;
        if (is_other)
            i++;
        else
            g_ptr_array_remove_index(assumption->alternatives, i);
    }
    return TRUE;
}

static gboolean add_all_trials(SensitivityExperiment *experiment,
                               GError **error)
{
    GPtrArray *all = experiment->study->assumption_list;
    guint i = 0;

    if (!sensitivity_experiment_add_trial(experiment, NULL,
                                          &experiment->study->base, error))
        return FALSE;
    while (i < all->len) {
        Assumption *assumption = assumption_at(all, i);
        gboolean has_range = assumption->alternatives->len > 0;

        if (!add_alternative_trials(experiment, assumption, error))
            return FALSE;
        if (has_range && assumption->alternatives->len == 0)
            g_ptr_array_remove_index(all, i); /* the keys belong to another
                                               * assumption */
        else
            i++;
    }
    return TRUE;
}

static gboolean check_base_run(const SensitivityStudy *study, GError **error)
{
    const char *reason;

    if (study->base.ok)
        return TRUE;
    reason = strstr(study->base.reason, ": ");
    g_assert(reason); /* follows the name of an endpoint */
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                "%s (%.*s of %s, as it is)", reason + 2,
                (int)(reason - study->base.reason), study->base.reason,
                study->options->path);
    return FALSE;
}

/* Appends the alternative with its assumption: " with release 'given back'". */
static void append_alternative_text(const SensitivityStudy *study,
                                    const Alternative *alternative,
                                    GString *out)
{
    for (guint i = 0; i < study->assumption_list->len; i++) {
        const Assumption *assumption = assumption_at(study->assumption_list, i);

        if (g_ptr_array_find(assumption->alternatives, alternative, NULL))
            g_string_append_printf(out, " with %s '%s'", assumption->name,
                                   alternative->label);
    }
}

static char *describe_batch_run(const SensitivityStudy *study,
                                const BatchRun *run)
{
    GString *name = g_string_new(run->endpoint->name);

    for (guint i = 0; i < run->alternatives->len; i++)
        append_alternative_text(study, g_ptr_array_index(run->alternatives, i),
                                name);
    return g_string_free(name, FALSE);
}

/* Counts runs, not outcomes, because not all combinations are reported.  The
 * first failed run is the one that is named. */
static void count_failed_study_runs(SensitivityStudy *study,
                                    const RunBatch *batch)
{
    FailedRuns *failed_runs = &study->failed_runs;

    for (guint i = 0; i < run_batch_n_runs(batch); i++) {
        const BatchRun *run = run_batch_get_run(batch, i);

        if (run->has_crashed && failed_runs->n_failed == 0)
            failed_runs_count_run(failed_runs, describe_batch_run(study, run),
                                  g_strdup(run->reason));
        else
            failed_runs_count_run(failed_runs, NULL,
                                  run->has_crashed ? run->reason : NULL);
    }
}

/* Returns 0, the number of a signal, or -1 on error. */
static int run_all_trials(SensitivityExperiment *experiment, GError **error)
{
    int number;

    if (!add_all_trials(experiment, error))
        return -1;
    number = sensitivity_experiment_run(experiment);
    if (number != 0)
        return number;
    if (!check_base_run(experiment->study, error))
        return -1;
    rank_assumptions(experiment->study);
    return sensitivity_experiment_run_combinations(experiment, error);
}

SensitivityStudy *sensitivity_study_run(const StudyOptions *options,
                                        int *number, GError **error)
{
    g_autoptr(SensitivityStudy) study = g_new0(SensitivityStudy, 1);
    g_autoptr(RunBatch) batch = NULL;
    g_auto(SensitivityExperiment) experiment = { 0 };

    *number = 0;
    study->options = options;
    study->combinations = g_ptr_array_new_with_free_func(free_combination);
    if (!load_sensitivity_study(study, error))
        return NULL;
    batch = run_batch_new(
        study->endpoints, options->run_options,
        sensitivity_study_is_speedup(study) ? TIME_COLUMN : options->metric);
    sensitivity_experiment_init(&experiment, study, batch);
    *number = run_all_trials(&experiment, error);
    study->n_runs = run_batch_n_runs(batch);
    count_failed_study_runs(study, batch);
    if (*number == 0)
        return g_steal_pointer(&study);
    *number = MAX(*number, 0);
    return NULL;
}
