/* run_command_options.h - the options of acesim run */
#ifndef SIM_CLI_ANSWERS_RUN_COMMAND_OPTIONS_H
#define SIM_CLI_ANSWERS_RUN_COMMAND_OPTIONS_H

#include "models/run/run_options.h"
#include "sim/cli/answers/run_critical_path.h"
#include "sim/cli/answers/run_explanation.h"
#include "sim/cli/answers/run_outputs.h"
#include "sim/cli/answers/run_timeline.h"
#include "sim/study/rows/run_rows.h"

typedef struct {
    char **sets;               /* owned */
    char *files[ROWS_N_FILES]; /* owned; NULL: not requested */
    char *fold_text, *skip;    /* owned */
    char *threads;             /* owned */
    char *fidelity;            /* owned; NULL: as configured */
    gboolean verify, quiet, alone, json;
    char *alone_csv;  /* owned; NULL: not requested */
    char *memory_csv; /* owned; NULL: not requested */
    ExplainOptions explain;
    TimelineOptions timeline;
    CriticalPathOptions ranks;
    RunOutputs outputs;
    RunOptions run_options; /* of the run; from .fold_text, .skip, .threads */
} RunCommandOptions;

/* Returns the options of further runs of the same file, whose results are for
 * the answers: one thread, and periods are skipped. */
static inline RunOptions
run_options_of_command(const RunCommandOptions *options)
{
    return (RunOptions){ .fold = options->run_options.fold };
}

#endif
