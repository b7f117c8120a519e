/*
 * resolved.h - every value that the points of a sweep had, and where from
 *
 * config.csv, a row for each value that a parameter had and each place where
 * it was set:
 *
 *     key       platform.npu.sms
 *     value     80
 *     n_points  that had it from there
 *     place     FILE:LINE, or "default", or "--set"
 *     source    of a default: what its table says; else the comment in the
 *               file on the same line, or the lines of comment right above
 *               it; without one what the table says, where the value is the
 *               default's, else "not said".  Nothing of names and --set
 *
 * The comment that a file begins with is of the file and no value's.  Rows of
 * the key RESOLVED_FILE have it: value and place are the file.
 *
 * A list that is longer than RESOLVED_MAX_ITEMS is a number of items, and so
 * are the layers of a workload.
 *
 * Order    sections as in a run file; in them, as they first appear
 * Owner    nothing of a document or configuration is kept
 */
#ifndef SIM_SWEEP_RESOLVED_H
#define SIM_SWEEP_RESOLVED_H

#include "sim/sweep/reading/reader.h"

#define RESOLVED_MAX_ITEMS 6
#define RESOLVED_FILE      "(file)"

typedef struct Resolved Resolved;

Resolved *resolved_new(void);
void resolved_free(Resolved *resolved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Resolved, resolved_free)

/* Adds the values of a point, which were read from @doc. */
void resolved_add(Resolved *resolved, ConfigDoc *doc,
                  const SystemConfig *config);
/* The same with those of the point before, but for what changed
 * (sweep_reader_changes()). */
void resolved_add_changes(Resolved *resolved, const GArray *changes);

/* The file.  Owner: the caller. */
GString *resolved_csv(const Resolved *resolved);

#endif
