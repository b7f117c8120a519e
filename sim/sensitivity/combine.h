/* combine.h - changes several assumptions together */
#ifndef SIM_SENSITIVITY_COMBINE_H
#define SIM_SENSITIVITY_COMBINE_H

#include "sim/sensitivity/experiment.h"

/* Runs the combinations after the assumptions are ranked by their own effects.
 * Returns 0, the number of a signal, or -1 and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
int experiment_combine(Experiment *r, GError **error);

void combination_free(gpointer combination);

#endif
