/* assumption_cases.h - assumptions of several keys or of baselines, from
 * `cases` of a file */
#ifndef SIM_SENSITIVITY_ASSUMPTION_CASES_H
#define SIM_SENSITIVITY_ASSUMPTION_CASES_H

#include "sim/sensitivity/assumption.h"

/* Adds the cases of @config that apply to these endpoints to @all. */
G_GNUC_WARN_UNUSED_RESULT
gboolean add_case_assumptions(GPtrArray *all,
                              const ComparedEndpoints *endpoints,
                              const AssumptionsConfig *config, GError **error);

#endif
