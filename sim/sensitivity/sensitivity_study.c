/* sensitivity_study.c - results of a sensitivity study */
#include "sim/sensitivity/sensitivity_study.h"

#include <math.h>

/* A speedup that rounds to 1.00x has no winner. */
#define DRAW_TOLERANCE 0.005

gboolean sensitivity_study_is_speedup(const SensitivityStudy *study)
{
    return g_str_equal(study->options->metric, STUDY_SPEEDUP);
}

double sensitivity_study_assumption_effect(const SensitivityStudy *study,
                                           const Assumption *assumption)
{
    double base = fabs(study->base.value);

    return base > 0 ? (assumption->most - assumption->least) / base : 0;
}

gboolean sensitivity_study_changes_winner(const SensitivityStudy *study,
                                          const AlternativeOutcome *outcome)
{
    if (!sensitivity_study_is_speedup(study) || !outcome->ok)
        return FALSE;
    return study->base.value > 1 ? outcome->value < 1 - DRAW_TOLERANCE
                                 : outcome->value > 1 + DRAW_TOLERANCE;
}

void sensitivity_study_free(SensitivityStudy *study)
{
    if (!study)
        return;
    g_ptr_array_unref(study->combinations);
    g_clear_pointer(&study->assumption_list, g_ptr_array_unref);
    clear_assumption_outcome(&study->base);
    g_free((gpointer)study->failed_runs.name);
    g_free((gpointer)study->failed_runs.reason);
    compared_endpoints_free(study->endpoints);
    g_clear_pointer(&study->holder, config_doc_free);
    assumptions_free(study->assumptions);
    g_free(study);
}
