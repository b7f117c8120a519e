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

gboolean read_recorded_traces(RecordedTraceOptions *o,
                              const TimelineRecorded **ret, GError **error)
{
    const ReadOptions options = { 0 };

    *ret = NULL;
    if (!o->names)
        return TRUE;
    o->recording = trace_files_read(o->names, READ_AUTO, &options, error);
    if (!o->recording)
        return FALSE;
    align_free(trace_files_align_clocks(o->recording, NULL));
    o->window =
        record_select_window(o->recording, RECORD_ITERATION_MEDIAN, error);
    if (!o->window)
        return FALSE;
    o->timeline = (TimelineRecorded){ o->recording, o->window };
    *ret = &o->timeline;
    return TRUE;
}
