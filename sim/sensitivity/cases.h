/* cases.h - assumptions that a file makes of several keys, or of baselines */
#ifndef SIM_SENSITIVITY_CASES_H
#define SIM_SENSITIVITY_CASES_H

#include "sim/sensitivity/assumption.h"

/* Adds the cases of @config that concern these contenders to @all. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cases_add(GPtrArray *all, const Contenders *contenders,
                   const AssumptionsConfig *config, GError **error);

#endif
