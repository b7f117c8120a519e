/*
 * run_answers.c - the additional results of a run that its options request; see
 * run_answers.h
 */
#include "sim/cli/answers/run_answers.h"

#include "sim/cli/isolated_job_runs.h"

void run_answers_clear(RunAnswers *answers)
{
    rank_path_free(answers->followed);
    explanation_clear(&answers->explained);
    g_free(answers->ranks);
    if (answers->rank_what_ifs)
        g_array_unref(answers->rank_what_ifs);
    if (answers->alone)
        g_array_unref(answers->alone);
    g_free(answers->note);
    *answers = (RunAnswers){ 0 };
}

/* The critical path is followed in the run itself, except with SKIP_CHECK,
 * because periods are not skipped in a run with a listener. */
void run_answers_start_listening(RunAnswers *answers, const char *path,
                                 const RunCommandOptions *options,
                                 System *system)
{
    answers->explained.source =
        (WhatIfSource){ .path = path,
                        .sets = options->sets,
                        .run_options.fold = options->run_options.fold,
                        .system = system };
    explanation_start(&options->explain, &answers->explained,
                      options->run_options.skip == SKIP_CHECK ? NULL : system);
}

gboolean run_answers_compute(RunAnswers *answers, const char *path,
                             const RunCommandOptions *options,
                             const System *system, gboolean *to_stdout,
                             GError **error)
{
    if (!explanation_finish(&options->explain, &answers->explained,
                            options->json, to_stdout, error))
        return FALSE;
    if (answers->followed &&
        !(answers->ranks = critical_path_text(
              &options->ranks, path, options->sets,
              run_options_of_command(options), system, answers->followed,
              &answers->rank_what_ifs, to_stdout, error)))
        return FALSE;
    if (options->alone &&
        !(answers->alone = run_isolated_jobs(
              path, options->sets, run_options_of_command(options), system,
              options->alone_csv, to_stdout, error)))
        return FALSE;
    return TRUE;
}

gboolean run_answers_are_complete(const RunAnswers *answers, GError **error)
{
    const Explanation *explanation = answers->explained.ended;

    return (!explanation ||
            what_ifs_check_none_failed(explanation->what_ifs, error)) &&
           (!answers->rank_what_ifs ||
            what_ifs_check_none_failed(answers->rank_what_ifs, error)) &&
           (!answers->alone ||
            job_slowdowns_check_none_failed(answers->alone, error));
}
