/*
 * run_beside.h - what was recorded, to stand beside a run on its timeline
 *
 * Owner    the caller clears it
 */
#ifndef SIM_CLI_ANSWERS_RUN_BESIDE_H
#define SIM_CLI_ANSWERS_RUN_BESIDE_H

#include "sim/view/timeline/timeline.h"

typedef struct {
    char **names; /* owned: of files and folders; NULL: not wanted */
    Recording *recording;
    RecordWindow *window;
    TimelineBeside beside;
} BesideOptions;

/* clang-format off */
#define OPTIONS_BESIDE(Beside)                                                 \
    { "beside", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(Beside).names,            \
      "With --timeline: show there, too, what was recorded of these NPUs' "    \
      "ranks; a file or a folder, any number of times", "TRACE" }
/* clang-format on */

void beside_options_clear(BesideOptions *options);

/* Reads them and takes the iteration that import takes: *@ret is NULL, if
 * nothing is wanted. */
G_GNUC_WARN_UNUSED_RESULT
gboolean beside_read(BesideOptions *options, const TimelineBeside **ret,
                     GError **error);

#endif
