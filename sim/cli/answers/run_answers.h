/* run_answers.h - the additional results of a run that its options request */
#ifndef SIM_CLI_ANSWERS_RUN_ANSWERS_H
#define SIM_CLI_ANSWERS_RUN_ANSWERS_H

#include "sim/cli/answers/run_command_options.h"

/* The answers for one run; initially zero. */
typedef struct {
    /* Each field is owned by the Answers and is NULL if the user did not
     * request it. */
    RankPath *followed;
    RunExplanation explained;
    char *ranks;
    GArray *rank_what_ifs;
    GArray *alone;
    char *note;
} RunAnswers;

void run_answers_clear(RunAnswers *answers);

/* Starts what has to listen to the run of @system, which was loaded from
 * @path. */
void run_answers_start_listening(RunAnswers *answers, const char *path,
                                 const RunCommandOptions *options,
                                 System *system);
/* Computes the answers after the run.  @to_stdout is as in
 * explanation_finish(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_answers_compute(RunAnswers *answers, const char *path,
                             const RunCommandOptions *options,
                             const System *system, gboolean *to_stdout,
                             GError **error);
/* Returns FALSE and sets @error if a part of the answers is missing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_answers_are_complete(const RunAnswers *answers, GError **error);

#endif
