/* assumption_combinations.h - changes several assumptions together */
#ifndef SIM_SENSITIVITY_ASSUMPTION_COMBINATIONS_H
#define SIM_SENSITIVITY_ASSUMPTION_COMBINATIONS_H

#include "sim/sensitivity/sensitivity_experiment.h"

/* Runs the combinations after the assumptions are ranked by their own effects.
 * Returns 0, the number of a signal, or -1 and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
int sensitivity_experiment_run_combinations(SensitivityExperiment *experiment,
                                            GError **error);

void free_combination(gpointer combination);

#endif
