/*
 * sensitivity_experiment.h - runs the alternatives of a study and computes
 * their outcomes
 *
 * Owner    the Experiment owns its trials and borrows everything else
 */
#ifndef SIM_SENSITIVITY_SENSITIVITY_EXPERIMENT_H
#define SIM_SENSITIVITY_SENSITIVITY_EXPERIMENT_H

#include "sim/sensitivity/run_batch.h"
#include "sim/sensitivity/sensitivity_study.h"

typedef struct {
    SensitivityStudy *study; /* borrowed */
    RunBatch *batch;         /* borrowed */
    GPtrArray *trials; /* owned, of ExperimentTrial: to be run and evaluated */
} SensitivityExperiment;

void sensitivity_experiment_init(SensitivityExperiment *experiment,
                                 SensitivityStudy *study, RunBatch *batch);
void sensitivity_experiment_clear(SensitivityExperiment *experiment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SensitivityExperiment,
                                 sensitivity_experiment_clear)

/* Adds a trial: *@outcome will be the result with all of @alternatives.  If it
 * is NULL, the trial is the base, the unchanged configuration, which must be
 * added first.  Returns FALSE and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sensitivity_experiment_add_trial(SensitivityExperiment *experiment,
                                          const GPtrArray *alternatives,
                                          AlternativeOutcome *outcome,
                                          GError **error);

/* Adds a trial of @alternative only.  If it equals the base, sets *@is_other to
 * FALSE and adds nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean
sensitivity_experiment_add_alternative(SensitivityExperiment *experiment,
                                       Alternative *alternative,
                                       gboolean *is_other, GError **error);

/* Runs and evaluates all trials.  Returns 0, or the number of a signal that
 * ended them. */
G_GNUC_WARN_UNUSED_RESULT
int sensitivity_experiment_run(SensitivityExperiment *experiment);

#endif
