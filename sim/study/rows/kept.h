/*
 * kept.h - the rows of a run, stored for other points of a sweep that share it
 *
 * Such points differ only in their axes and in the capacities of the endpoint's
 * own resources (models/run/report/slack.h).  Only the cells `busiest_share`
 * and `notes` depend on these capacities, so they are written anew for each
 * point.  The rows are equal to those of a separate run, byte for byte.
 *
 * Owner    the caller owns the RowsKept, which does not refer to the run
 * Cost     memory for the rows as text
 */
#ifndef SIM_STUDY_ROWS_KEPT_H
#define SIM_STUDY_ROWS_KEPT_H

#include "sim/study/rows/rows.h"

typedef struct RowsKept RowsKept;

/* Stores the rows of the files flagged in @wanted; @utilisation is as in
 * rows_add(). */
RowsKept *rows_keep(const gboolean *wanted, const SystemConfig *config,
                    const System *system, const Utilisation *utilisation);
void rows_kept_free(RowsKept *kept);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RowsKept, rows_kept_free)

/* Returns the memory that the rows take. */
gsize rows_kept_bytes(const RowsKept *kept);

/* Appends the rows that rows_add() would append for a point with @axes and
 * @config; nothing for a file that was not stored. */
void rows_add_kept(GString *out, RowsFile file, const char *axes,
                   const SystemConfig *config, const RowsKept *kept);

#endif
