/*
 * sweep_attribution.h - finds out why the points of a finished sweep take their
 * time
 */
#ifndef SIM_CLI_SWEEP_SWEEP_ATTRIBUTION_H
#define SIM_CLI_SWEEP_SWEEP_ATTRIBUTION_H

#include "sim/cli/sweep/sweep_options.h"

/* Writes attribution.csv, and what_ifs.csv if requested, in the folder of the
 * sweep, which is finished.  What these files already have is kept if it still
 * fits, so the same command continues after a signal.  Returns the exit status
 * of the command; CLI_OK if nothing is requested. */
G_GNUC_WARN_UNUSED_RESULT
int sweep_find_causes(const SweepOptions *options);

#endif
