/* answers.c - see answers.h */
#include "sim/cli/answers/answers.h"

#include "sim/cli/run_alone.h"

void answers_clear(Answers *answers)
{
    rank_path_free(answers->followed);
    explained_clear(&answers->explained);
    g_free(answers->ranks);
    if (answers->rank_what_ifs)
        g_array_unref(answers->rank_what_ifs);
    if (answers->alone)
        g_array_unref(answers->alone);
    g_free(answers->note);
    *answers = (Answers){ 0 };
}

/* The critical path is followed in the run itself, except with SKIP_CHECK,
 * because periods are not skipped in a run with a listener. */
void answers_begin(Answers *a, const char *path, const RunOptions *o,
                   System *system)
{
    a->explained.source =
        (WhatIfSource){ path, o->sets, o->fold, system, NULL, NULL };
    system_set_skip(system, o->skip_mode);
    explained_begin(&o->explain, &a->explained,
                    o->skip_mode == SKIP_CHECK ? NULL : system);
}

gboolean answers_ask(Answers *a, const char *path, const RunOptions *o,
                     const System *system, gboolean *to_stdout, GError **error)
{
    if (!explained_end(&o->explain, &a->explained, o->json, to_stdout, error))
        return FALSE;
    if (a->followed && !(a->ranks = ranks_answer(
                             &o->ranks, path, o->sets, o->fold, system,
                             a->followed, &a->rank_what_ifs, to_stdout, error)))
        return FALSE;
    if (o->alone &&
        !(a->alone = alone_run_and_write(path, o->sets, o->fold, system,
                                         o->alone_csv, to_stdout, error)))
        return FALSE;
    return TRUE;
}

gboolean answers_are_whole(const Answers *a, GError **error)
{
    const Explanation *explanation = a->explained.ended;

    return (!explanation ||
            what_ifs_none_failed(explanation->what_ifs, error)) &&
           (!a->rank_what_ifs ||
            what_ifs_none_failed(a->rank_what_ifs, error)) &&
           (!a->alone || job_slowdowns_none_failed(a->alone, error));
}
