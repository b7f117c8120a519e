/* run_outputs.c - the files that acesim run writes; see run_outputs.h */
#include "sim/cli/answers/run_outputs.h"

#include "sim/host/output.h"

static const char *const row_options[ROWS_N_FILES] = {
    [ROWS_RUNS] = "--csv",
    [ROWS_LAYERS] = "--per-layer",
    [ROWS_PORTS] = "--per-link",
    [ROWS_JOBS] = "--per-job",
    [ROWS_UTILISATION] = "--utilisation",
};

void run_outputs_add_rows(RunOutputs *outputs, char *const files[ROWS_N_FILES])
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        outputs->outputs[RUN_OUTPUTS_N_OTHERS + file] =
            (NamedOutput){ row_options[file], files[file] };
}

gboolean run_outputs_use_stdout(const RunOutputs *outputs)
{
    for (const NamedOutput *at = outputs->outputs; at->option; at++)
        if (at->path && output_is_stdout_name(at->path))
            return TRUE;
    return FALSE;
}

gboolean run_outputs_check(const RunOutputs *outputs, const char *path,
                           char *const *traces, GError **error)
{
    for (; traces && *traces; traces++)
        if (!distinct_files_check_input(outputs->outputs, *traces, error))
            return FALSE;
    return distinct_files_check_input(outputs->outputs, path, error) &&
           distinct_files_check_outputs(outputs->outputs, error);
}
