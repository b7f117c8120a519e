/*
 * collective_text.h - writes collectives as tables, CSV and points of plots
 *
 * Units    percent in texts, bytes, us, GB/s
 * Owner    the caller owns the texts
 */
#ifndef VALIDATE_COLLECTIVES_COLLECTIVE_TEXT_H
#define VALIDATE_COLLECTIVES_COLLECTIVE_TEXT_H

#include "validate/collectives/collective_study.h"

/* Appends the errors by system and range of sizes, with the constants of the
 * library and with the fitted start time and rate of the system. */
void collective_study_render(const CollectiveRows *rows, GString *out);

/* Returns CSV with a header and a line for each row. */
char *collective_study_csv(const CollectiveRows *rows);

/* Returns one line per row for the @n rows from @first on: bytes, and
 * published, simulated and own busbw in GB/s.  Sets *@ret_name, which the
 * caller owns, to a file name for them.  Returns NULL if there are too few
 * points for a curve, if settings are pinned, or if nothing was simulated. */
char *collective_study_points(const CollectiveRows *rows, guint first, guint n,
                              char **ret_name);

#endif
