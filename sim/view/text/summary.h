/*
 * summary.h - a run in a few lines for people
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_SUMMARY_H
#define SIM_VIEW_TEXT_SUMMARY_H

#include "models/run/system.h"

/* What was run, what came out, and which resource was busiest.  @wall_s is how
 * long the simulation took. */
char *summary_text(const SystemConfig *config, const System *system,
                   double wall_s);

#endif
