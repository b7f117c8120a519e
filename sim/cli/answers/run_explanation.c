/*
 * run_explanation.c - the explanation of a run: options and output files; see
 * run_explanation.h
 */
#include "sim/cli/answers/run_explanation.h"

#include "sim/host/output.h"
#include "sim/sweep/run_many_pool.h"

void explain_options_clear(ExplainOptions *options)
{
    g_free(options->csv);
    g_free(options->what_if_csv);
}

static gboolean
write_explanation_rows(const char *path, const Explanation *explanation,
                       void (*add)(GString *, const Explanation *),
                       gboolean *to_stdout, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!path)
        return TRUE;
    add(text, explanation);
    *to_stdout |= output_is_stdout_name(path);
    return output_write_user_path(path, text, error);
}

gboolean explanation_is_requested(const ExplainOptions *o)
{
    return o->wanted || o->csv || o->what_if_csv;
}

void explanation_clear(RunExplanation *x)
{
    explain_task_free(x->begun);
    explain_free(x->ended);
}

void explanation_start(const ExplainOptions *o, RunExplanation *x,
                       System *follows)
{
    if (!explanation_is_requested(o))
        return;
    x->source.run_many = run_many_pool;
    x->source.ahead = &run_ahead_child;
    x->begun = explain_task_new(&x->source, follows);
}

gboolean explanation_finish(const ExplainOptions *o, RunExplanation *x,
                            gboolean all, gboolean *to_stdout, GError **error)
{
    if (!x->begun)
        return TRUE;
    x->ended = explain_task_finish(x->begun, !all && !o->what_if_csv, error);
    return x->ended &&
           write_explanation_rows(o->csv, x->ended, explain_append_rows_csv,
                                  to_stdout, error) &&
           write_explanation_rows(o->what_if_csv, x->ended,
                                  explain_append_what_ifs_csv, to_stdout,
                                  error);
}
