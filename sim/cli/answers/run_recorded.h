/*
 * run_recorded.h - reads recorded traces that a timeline shows in addition to a
 * run
 *
 * Owner    the caller clears the options
 */
#ifndef SIM_CLI_ANSWERS_RUN_RECORDED_H
#define SIM_CLI_ANSWERS_RUN_RECORDED_H

#include "sim/view/timeline/timeline.h"

typedef struct {
    char **names; /* owned: names of files and folders; NULL: not requested */
    Recording *recording;
    RecordWindow *window;
    TimelineRecorded timeline;
} RecordedTraceOptions;

/* clang-format off */
#define OPTIONS_RECORDED(Beside)                                                 \
    { "beside", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(Beside).names,            \
      "With --timeline: show there, too, what was recorded of these NPUs' "    \
      "ranks; a file or a folder, any number of times", "TRACE" }
/* clang-format on */

void recorded_trace_options_clear(RecordedTraceOptions *options);

/* Reads the traces and selects the iteration that `acesim import` would select.
 * Sets *@ret to NULL if none are requested. */
G_GNUC_WARN_UNUSED_RESULT
gboolean read_recorded_traces(RecordedTraceOptions *options,
                              const TimelineRecorded **ret, GError **error);

#endif
