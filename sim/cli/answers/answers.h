/* answers.h - what else is told of a run than its rows and its summary */
#ifndef SIM_CLI_ANSWERS_ANSWERS_H
#define SIM_CLI_ANSWERS_ANSWERS_H

#include "sim/cli/answers/run_options.h"

/* Of one run; zeroed at first. */
typedef struct {
    RankPath *followed; /* owned; NULL: not asked for, as below */
    Explained explained;
    char *ranks;
    GArray *rank_what_ifs;
    GArray *alone;
    char *note;
} Answers;

void answers_clear(Answers *answers);

/* Before the run of @system, which was loaded from @path. */
void answers_begin(Answers *answers, const char *path,
                   const RunOptions *options, System *system);
/* Once it has run; *@to_stdout as in explained_end(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean answers_ask(Answers *answers, const char *path,
                     const RunOptions *options, const System *system,
                     gboolean *to_stdout, GError **error);
/* Of what was asked for nothing is missing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean answers_are_whole(const Answers *answers, GError **error);

#endif
