/*
 * run_summary_text.h - a short summary of a run, as text
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_RUN_SUMMARY_TEXT_H
#define SIM_VIEW_TEXT_RUN_SUMMARY_TEXT_H

#include "models/run/system.h"

/* Returns the configuration, the times and the busiest resource.  @wall_s is
 * the duration of the simulation in seconds. */
char *summary_of_run_text(const SystemConfig *config, const System *system,
                          double wall_s);

#endif
