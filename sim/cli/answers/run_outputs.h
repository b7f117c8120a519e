/*
 * run_outputs.h - the files that acesim run writes
 */
#ifndef SIM_CLI_ANSWERS_RUN_OUTPUTS_H
#define SIM_CLI_ANSWERS_RUN_OUTPUTS_H

#include "sim/host/distinct_output_files.h"
#include "sim/study/rows/run_rows.h"

#define RUN_OUTPUTS_N_OTHERS 6

/* Ends with an .option of NULL; paths are borrowed. */
typedef struct {
    NamedOutput outputs[RUN_OUTPUTS_N_OTHERS + ROWS_N_FILES + 1];
} RunOutputs;

/* Adds the CSV files of result rows that the user requested to @outputs. */
void run_outputs_add_rows(RunOutputs *outputs, char *const files[ROWS_N_FILES]);

gboolean run_outputs_use_stdout(const RunOutputs *outputs);

/* Returns FALSE and sets @error if two outputs are one file, or one of them is
 * the run file @path or one of @traces (may be NULL). */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_outputs_check(const RunOutputs *outputs, const char *path,
                           char *const *traces, GError **error);

#endif
