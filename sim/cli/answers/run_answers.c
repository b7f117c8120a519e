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
void run_answers_start_listening(RunAnswers *a, const char *path,
                                 const RunCommandOptions *o, System *system)
{
    a->explained.source =
        (WhatIfSource){ .path = path,
                        .sets = o->sets,
                        .run_options.fold = o->run_options.fold,
                        .system = system };
    explanation_start(&o->explain, &a->explained,
                      o->run_options.skip == SKIP_CHECK ? NULL : system);
}

gboolean run_answers_compute(RunAnswers *a, const char *path,
                             const RunCommandOptions *o, const System *system,
                             gboolean *to_stdout, GError **error)
{
    if (!explanation_finish(&o->explain, &a->explained, o->json, to_stdout,
                            error))
        return FALSE;
    if (a->followed &&
        !(a->ranks = critical_path_text(&o->ranks, path, o->sets,
                                        repeats_of_run(o), system, a->followed,
                                        &a->rank_what_ifs, to_stdout, error)))
        return FALSE;
    if (o->alone &&
        !(a->alone = run_isolated_jobs(path, o->sets, repeats_of_run(o), system,
                                       o->alone_csv, to_stdout, error)))
        return FALSE;
    return TRUE;
}

gboolean run_answers_are_complete(const RunAnswers *a, GError **error)
{
    const Explanation *explanation = a->explained.ended;

    return (!explanation ||
            what_ifs_check_none_failed(explanation->what_ifs, error)) &&
           (!a->rank_what_ifs ||
            what_ifs_check_none_failed(a->rank_what_ifs, error)) &&
           (!a->alone || job_slowdowns_check_none_failed(a->alone, error));
}
