/* answers.h - the additional results of a run that its options request */
#ifndef SIM_CLI_ANSWERS_ANSWERS_H
#define SIM_CLI_ANSWERS_ANSWERS_H

#include "sim/cli/answers/run_options.h"

/* The answers for one run; initially zero. */
typedef struct {
    /* Each field is owned by the Answers and is NULL if the user did not
     * request it. */
    RankPath *followed;
    Explained explained;
    char *ranks;
    GArray *rank_what_ifs;
    GArray *alone;
    char *note;
} Answers;

void answers_clear(Answers *answers);

/* Starts what has to listen to the run of @system, which was loaded from
 * @path. */
void answers_begin(Answers *answers, const char *path,
                   const RunOptions *options, System *system);
/* Computes the answers after the run.  @to_stdout is as in explained_end(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean answers_ask(Answers *answers, const char *path,
                     const RunOptions *options, const System *system,
                     gboolean *to_stdout, GError **error);
/* Returns FALSE and sets @error if a part of the answers is missing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean answers_are_whole(const Answers *answers, GError **error);

#endif
