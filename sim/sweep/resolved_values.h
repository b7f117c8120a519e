/*
 * resolved_values.h - records every value that the points of a sweep had, and
 * its origin
 *
 * config.csv has one row for each value of a parameter and each place where it
 * was set:
 *
 *     key       platform.npu.sms
 *     value     80
 *     n_points  the number of points that had this value from this place
 *     place     FILE:LINE, or "default", or "--set"
 *     source    for a default: the source in its table.  Otherwise the comment
 *               on the same line of the file, or the comment lines right above
 *               it.  Without a comment: the source in the table if the value
 *               equals the default, else "not said".  Empty for names and --set
 *
 * The comment at the beginning of a file applies to the file and to no value.
 * It is in a row with the key RESOLVED_FILE, whose value and place are the
 * file.
 *
 * A list with more than RESOLVED_MAX_ITEMS items is recorded as a number of
 * items.  The layers of a workload are always recorded as a number.
 *
 * Order    sections as in a run file; within a section, in order of first
 *          appearance
 * Owner    no part of a document or configuration is kept
 */
#ifndef SIM_SWEEP_RESOLVED_VALUES_H
#define SIM_SWEEP_RESOLVED_VALUES_H

#include "sim/sweep/reading/sweep_reader.h"

#define RESOLVED_MAX_ITEMS 6
#define RESOLVED_FILE      "(file)"

typedef struct ResolvedValues ResolvedValues;

ResolvedValues *resolved_values_new(void);
void resolved_values_free(ResolvedValues *resolved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ResolvedValues, resolved_values_free)

/* Adds the values of a point, which were read from @doc. */
void resolved_values_record_point(ResolvedValues *resolved, ConfigDoc *doc,
                                  const SystemConfig *config);
/* Adds the values of a point that differs from the point before only by
 * @changes (sweep_reader_changes()). */
void resolved_values_record_changes(ResolvedValues *resolved,
                                    const GArray *changes);

/* Returns the contents of config.csv.  The caller owns the text. */
GString *resolved_values_to_csv(const ResolvedValues *resolved);

#endif
