/*
 * run_timeline.c - runs a system and writes its timeline if requested; see
 * run_timeline.h
 */
#include "sim/cli/answers/run_timeline.h"

#include "sim/cli/run_progress.h"
#include "sim/host/output.h"

void timeline_options_clear(TimelineOptions *options)
{
    g_free(options->file);
    g_free(options->npus_text);
    recorded_trace_options_clear(&options->recorded_trace);
    if (options->npus)
        g_array_unref(options->npus);
}

/* Returns an option that has no effect because no timeline is requested, or
 * NULL. */
static const char *find_unused_timeline_option(const TimelineOptions *options)
{
    if (options->file)
        return NULL;
    if (options->recorded_trace.names)
        return "--beside";
    if (options->npus_text)
        return "--timeline-npus";
    return options->max_slices != TIMELINE_NOT_GIVEN ? "--timeline-events"
                                                     : NULL;
}

gboolean timeline_options_evaluate(const CliCommand *command,
                                   TimelineOptions *options, int *status)
{
    const char *unused = find_unused_timeline_option(options);

    options->npus = timeline_parse_npus(options->npus_text ?: "0");
    if (!options->npus)
        *status = cli_report_usage_error(
            command,
            "--timeline-npus: expected numbers such as 0,5, or all, got '%s'",
            options->npus_text);
    else if (options->max_slices < 0 &&
             options->max_slices != TIMELINE_NOT_GIVEN)
        *status = cli_report_usage_error(
            command, "--timeline-events: expected 0 or more");
    else if (unused)
        *status =
            cli_report_usage_error(command,
                                   "%s is said of a --timeline, and there is "
                                   "none",
                                   unused);
    else
        return TRUE;
    return FALSE;
}

gboolean run_with_timeline(System *system, TimelineOptions *options,
                           char **note, gboolean *to_stdout, GError **error)
{
    g_autoptr(Timeline) timeline = NULL;
    const TimelineRecorded *beside;
    uint64_t max_slices = options->max_slices == TIMELINE_NOT_GIVEN
                              ? TIMELINE_FORMAT_LIMIT
                              : (uint64_t)options->max_slices;

    if (!options->file)
        return run_with_progress(system, error);
    if (!read_recorded_traces(&options->recorded_trace, &beside, error))
        return FALSE;
    timeline = timeline_open_with_recording(options->file, options->npus,
                                            max_slices, beside, system, error);
    if (!timeline || !run_with_progress(system, error) ||
        !timeline_finish(timeline, error))
        return FALSE;
    *to_stdout |= output_is_stdout_name(options->file);
    *note = timeline_note_text(timeline);
    return TRUE;
}
