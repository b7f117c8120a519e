/*
 * find.h - what of a configuration is assumed
 *
 * Every value of which the source says "assumed", "fitted" or "recalled" is
 * an assumption; so is what a file of assumptions has a range for.  A value
 * under `endpoint` is one of its endpoint alone.  Items of a list are one
 * assumption together.
 *
 * Without a range a number is halved and doubled, within what it may be, and
 * of words every other is tried.  What is 0 or left to the program has no
 * range of its own.
 *
 * Errors   CONFIG_ERROR
 * Order    as the configuration has them, then cases
 * Owner    the caller owns the array; it borrows contenders and the file
 */
#ifndef SIM_SENSITIVITY_FIND_H
#define SIM_SENSITIVITY_FIND_H

#include "sim/sensitivity/filter.h"

/* An array of owned Assumption.  @config may be NULL.  Values that stand in no
 * file are put into @holder, which is a map and must outlive the array. */
G_GNUC_WARN_UNUSED_RESULT
GPtrArray *assumptions_of(const Contenders *contenders,
                          const AssumptionsConfig *config,
                          const AssumptionFilter *filter, ConfigDoc *holder,
                          GError **error);

#endif
