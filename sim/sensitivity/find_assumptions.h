/*
 * find_assumptions.h - finds what a configuration assumes
 *
 * A value is an assumption if its source says "assumed", "fitted" or
 * "recalled", or if a file of assumptions has a range for it.  A value under
 * `endpoint` belongs to one endpoint only.  The items of a list are one
 * assumption together.
 *
 * Without a range, a number is halved and doubled within its limits, and an
 * enum gets all other words.  A value that is 0 or chosen by the program has no
 * alternatives.
 *
 * Errors   CONFIG_ERROR
 * Order    as in the configuration, then cases
 * Owner    the caller owns the array, which borrows endpoints and the file
 */
#ifndef SIM_SENSITIVITY_FIND_ASSUMPTIONS_H
#define SIM_SENSITIVITY_FIND_ASSUMPTIONS_H

#include "sim/sensitivity/assumption_filter.h"

/* Returns the assumptions (of owned Assumption), or NULL and sets @error.
 * @config may be NULL.  Values that are in no file are stored in the map
 * @holder, which must outlive the array. */
G_GNUC_WARN_UNUSED_RESULT
GPtrArray *find_assumptions(const ComparedEndpoints *endpoints,
                            const AssumptionsConfig *config,
                            const AssumptionFilter *filter, ConfigDoc *holder,
                            GError **error);

#endif
