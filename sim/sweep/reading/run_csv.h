/*
 * run_csv.h - the rows of a sweep's points, in the order of the points
 *
 * They are in the journal in the order in which they were done, and are read
 * from there, since all of them need not fit into memory.
 *
 * Errors   those of the journal and of who takes the rows
 */
#ifndef SIM_SWEEP_READING_RUN_CSV_H
#define SIM_SWEEP_READING_RUN_CSV_H

#include "sim/sweep/sweep_run.h"

/* Takes a part of a CSV, whole rows, or says what is wrong. */
typedef gboolean (*SweepCsvFn)(gpointer self, const GString *part,
                               GError **error);

/* The CSV of the points that are done, in the order of the points: its header,
 * then rows by some hundred kilobytes, since all of them need not fit into
 * memory. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_run_csv(const SweepRun *run, RowsFile file, SweepCsvFn take,
                       gpointer self, GError **error);

#endif
