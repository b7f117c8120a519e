/*
 * collective_text.h - published and simulated collectives, for people, as CSV
 * and for plots
 *
 * Units    percent in texts, bytes, us, GB/s
 * Owner    the caller owns the texts
 */
#ifndef VALIDATE_COLLECTIVES_COLLECTIVE_TEXT_H
#define VALIDATE_COLLECTIVES_COLLECTIVE_TEXT_H

#include "validate/collectives/collective_study.h"

/* Errors by system and range of sizes, of the library's constants and of the
 * system's own. */
void collective_render(const CollectiveRows *rows, GString *out);

/* With a header, a row for each row. */
char *collective_csv(const CollectiveRows *rows);

/* Lines of bytes, published, simulated and own busbw in GB/s of the @n rows
 * from @first on, and in *@ret_name (the caller's) a file for them; NULL: too
 * few for a curve, or something was pinned. */
char *collective_points(const CollectiveRows *rows, guint first, guint n,
                        char **ret_name);

#endif
