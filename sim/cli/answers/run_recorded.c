/*
 * run_recorded.c - reads recorded traces that a timeline shows in addition to a
 * run; see run_recorded.h
 */
#include "sim/cli/answers/run_recorded.h"

#include "sim/cli/traces/trace_files.h"

void recorded_trace_options_clear(RecordedTraceOptions *options)
{
    g_strfreev(options->names);
    record_window_free(options->window);
    recording_free(options->recording);
}

gboolean read_recorded_traces(RecordedTraceOptions *recorded_trace_options,
                              const TimelineRecorded **ret, GError **error)
{
    const ReadOptions options = { 0 };

    *ret = NULL;
    if (!recorded_trace_options->names)
        return TRUE;
    recorded_trace_options->recording = trace_files_read(
        recorded_trace_options->names, READ_AUTO, &options, error);
    if (!recorded_trace_options->recording)
        return FALSE;
    align_free(
        trace_files_align_clocks(recorded_trace_options->recording, NULL));
    recorded_trace_options->window = record_select_window(
        recorded_trace_options->recording, RECORD_ITERATION_MEDIAN, error);
    if (!recorded_trace_options->window)
        return FALSE;
    recorded_trace_options->timeline =
        (TimelineRecorded){ recorded_trace_options->recording,
                            recorded_trace_options->window };
    *ret = &recorded_trace_options->timeline;
    return TRUE;
}
