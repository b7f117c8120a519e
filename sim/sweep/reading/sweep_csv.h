/*
 * sweep_csv.h - writes the rows of a sweep's points as a CSV, in the order of
 * the points
 *
 * The rows are read from the journal, which has them in the order of
 * completion, because together they may not fit into memory.
 *
 * Errors   those of the journal and of the callback
 */
#ifndef SIM_SWEEP_READING_SWEEP_CSV_H
#define SIM_SWEEP_READING_SWEEP_CSV_H

#include "sim/sweep/sweep_run.h"

/* Receives a part of a CSV, which consists of whole rows.  Returns FALSE and
 * sets @error to stop. */
typedef gboolean (*SweepCsvFn)(gpointer self, const GString *part,
                               GError **error);

/* Passes the header and then the rows of all completed points to @take, in
 * parts of some hundred kilobytes. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_run_write_csv(const SweepRun *run, RowsFile file,
                             SweepCsvFn take, gpointer self, GError **error);

#endif
