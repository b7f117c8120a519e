/*
 * experiment.h - runs the alternatives of a study and computes their outcomes
 *
 * Owner    the Experiment owns its trials and borrows everything else
 */
#ifndef SIM_SENSITIVITY_EXPERIMENT_H
#define SIM_SENSITIVITY_EXPERIMENT_H

#include "sim/sensitivity/batch.h"
#include "sim/sensitivity/study.h"

typedef struct {
    Study *study;      /* borrowed */
    Batch *batch;      /* borrowed */
    GPtrArray *trials; /* owned, of Trial: to be run and evaluated */
} Experiment;

void experiment_init(Experiment *r, Study *study, Batch *batch);
void experiment_clear(Experiment *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Experiment, experiment_clear)

/* Adds a trial: *@outcome will be the result with all of @alternatives.  If it
 * is NULL, the trial is the base, the unchanged configuration, which must be
 * added first.  Returns FALSE and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
gboolean experiment_add(Experiment *r, const GPtrArray *alternatives,
                        Outcome *outcome, GError **error);

/* Adds a trial of @alternative only.  If it equals the base, sets *@is_other to
 * FALSE and adds nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean experiment_add_alternative(Experiment *r, Alternative *alternative,
                                    gboolean *is_other, GError **error);

/* Runs and evaluates all trials.  Returns 0, or the number of a signal that
 * ended them. */
G_GNUC_WARN_UNUSED_RESULT
int experiment_run(Experiment *r);

#endif
