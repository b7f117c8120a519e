/*
 * run_timeline.h - runs a system and writes its timeline if requested
 *
 * Owner    the caller clears the options
 */
#ifndef SIM_CLI_ANSWERS_RUN_TIMELINE_H
#define SIM_CLI_ANSWERS_RUN_TIMELINE_H

#include "sim/cli/answers/run_recorded.h"
#include "sim/cli/options.h"

#define TIMELINE_NOT_GIVEN G_MININT64

typedef struct {
    char *file, *npus_text; /* owned; NULL: not given */
    gint64 max_slices;      /* initially TIMELINE_NOT_GIVEN */
    GArray *npus;           /* owned, of uint32_t */
    RecordedTraceOptions recorded_trace;
} TimelineOptions;

/* clang-format off */
#define OPTIONS_TIMELINE(Timeline)                                             \
    { "timeline", 0, 0, G_OPTION_ARG_FILENAME, &(Timeline).file,               \
      "Write what happens as a trace for ui.perfetto.dev: small as "           \
      "F.pftrace.gz, or JSON (F.json, F.json.gz)", "FILE" },                   \
    { "timeline-npus", 0, 0, G_OPTION_ARG_STRING, &(Timeline).npus_text,       \
      "NPUs on the timeline (0), or all", "N,..." },                           \
    { "timeline-events", 0, 0, G_OPTION_ARG_INT64, &(Timeline).max_slices,     \
      "Slices that are written at most (10000000, of JSON 2000000)", "N" },    \
    OPTIONS_RECORDED((Timeline).recorded_trace)
/* clang-format on */

void timeline_options_clear(TimelineOptions *options);

/* Evaluates the options together.  Returns FALSE if the command ends with
 * *@status. */
gboolean timeline_options_evaluate(const CliCommand *command,
                                   TimelineOptions *options, int *status);

/* Runs @system.  Sets *@note to what was written, if a timeline is
 * requested. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_with_timeline(System *system, TimelineOptions *options,
                           char **note, gboolean *to_stdout, GError **error);

#endif
