/* run_explained.c - the explanation of a run, where it is wanted */
#include "sim/cli/answers/run_explained.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"

void explain_options_clear(ExplainOptions *options)
{
    g_free(options->csv);
    g_free(options->what_if_csv);
}

static gboolean write_rows(const char *path, const Explanation *e,
                           void (*add)(GString *, const Explanation *),
                           gboolean *to_stdout, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!path)
        return TRUE;
    add(text, e);
    *to_stdout |= output_is_stdout(path);
    return output_write(path, text, error);
}

static gboolean is_wanted(const ExplainOptions *o)
{
    return o->wanted || o->csv || o->what_if_csv;
}

CriticalPath *explained_follow(const ExplainOptions *o, System *system)
{
    return is_wanted(o) ? explain_follow(system) : NULL;
}

gboolean explained(const ExplainOptions *o, const char *path, char *const *sets,
                   FoldMode fold, const System *system, CriticalPath *followed,
                   gboolean all, Explanation **ret, gboolean *to_stdout,
                   GError **error)
{
    const WhatIfSource source = { path, sets, fold, system, run_many_pool };

    *ret = NULL;
    if (!is_wanted(o))
        return TRUE;
    *ret = explain_followed(&source, followed, !all && !o->what_if_csv, error);
    return *ret &&
           write_rows(o->csv, *ret, explain_add_rows, to_stdout, error) &&
           write_rows(o->what_if_csv, *ret, explain_add_what_ifs, to_stdout,
                      error);
}
