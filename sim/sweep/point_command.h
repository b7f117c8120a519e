/*
 * point_command.h - the arguments of `acesim run` that simulate a point of a
 * sweep
 *
 * They are the file of `base:` and, in the order in which a sweep sets them,
 * the values of the axes and of --set.  File names are relative to the current
 * folder where they are below it.
 *
 * Owner    the caller owns texts and arrays
 */
#ifndef SIM_SWEEP_POINT_COMMAND_H
#define SIM_SWEEP_POINT_COMMAND_H

#include "sim/sweep/sweep_plan.h"

/* Returns the path of the base file, or NULL if the base is a map in the sweep
 * file, so that no command simulates a point. */
char *point_command_base(const SweepPlan *plan);

/* Returns the settings "KEY=VALUE" of @point, an array of owned texts that ends
 * with NULL. */
GPtrArray *point_command_settings(const SweepPlan *plan, guint point);

/* Returns the settings of value @i of @axis for a shell: " --set KEY=VALUE"
 * for each. */
char *point_command_value_text(const SweepPlan *plan, guint axis, guint i);

/* Returns @text, quoted for a shell if necessary. */
char *point_command_quote(const char *text);

#endif
