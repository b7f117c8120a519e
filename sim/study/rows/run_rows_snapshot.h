/*
 * run_rows_snapshot.h - the rows of a run, stored for other points of a sweep
 * that share it
 *
 * Such points differ only in their axes and in the capacities of the endpoint's
 * own resources (models/run/report/configs_with_same_results.h). Only the cells
 * `busiest_share` and `notes` depend on these capacities, so they are written
 * anew for each point. The rows are equal to those of a separate run, byte for
 * byte.
 *
 * Owner    the caller owns the RowsSnapshot, which does not refer to the run
 * Cost     memory for the rows as text
 */
#ifndef SIM_STUDY_ROWS_RUN_ROWS_SNAPSHOT_H
#define SIM_STUDY_ROWS_RUN_ROWS_SNAPSHOT_H

#include "sim/study/rows/run_rows.h"

typedef struct RowsSnapshot RowsSnapshot;

/* Stores the rows of the files flagged in @wanted; @utilisation is as in
 * rows_append(). */
RowsSnapshot *rows_snapshot_new(const gboolean *wanted,
                                const SystemConfig *config,
                                const System *system,
                                const Utilisation *utilisation);
void rows_snapshot_free(RowsSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RowsSnapshot, rows_snapshot_free)

/* Returns the memory that the rows take. */
gsize rows_snapshot_memory_bytes(const RowsSnapshot *snapshot);

/* Appends the rows that rows_append() would append for a point with @axes and
 * @config; nothing for a file that was not stored. */
void rows_snapshot_append(GString *out, RowsFile file, const char *axes,
                          const SystemConfig *config,
                          const RowsSnapshot *snapshot);

#endif
