/*
 * memory_rows.h - the memory of the ranks of each pipeline stage over an
 * iteration, as CSV
 *
 * A row is a unit of the schedule (schedule.h): a rank holds the bytes of the
 * row while it runs.  A workload without a schedule has one row, its peak.
 *
 * Units    bytes
 * Errors   those of the workload
 */
#ifndef SIM_STUDY_ROWS_MEMORY_ROWS_H
#define SIM_STUDY_ROWS_MEMORY_ROWS_H

#include "models/run/system.h"
#include "sim/study/csv_columns.h"

extern const Column memory_columns[];

/* Appends CSV with its header. */
G_GNUC_WARN_UNUSED_RESULT
gboolean memory_append_csv(GString *out, const System *system, GError **error);

#endif
