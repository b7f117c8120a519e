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

gboolean explanation_is_requested(const ExplainOptions *options)
{
    return options->wanted || options->csv || options->what_if_csv;
}

void explanation_clear(RunExplanation *explanation)
{
    explain_task_free(explanation->begun);
    explain_free(explanation->ended);
}

void explanation_start(const ExplainOptions *options,
                       RunExplanation *explanation, System *follows)
{
    if (!explanation_is_requested(options))
        return;
    explanation->source.run_many = run_many_pool;
    explanation->source.ahead = &run_ahead_child;
    explanation->begun = explain_task_new(&explanation->source, follows);
}

gboolean explanation_finish(const ExplainOptions *options,
                            RunExplanation *explanation, gboolean all,
                            gboolean *to_stdout, GError **error)
{
    if (!explanation->begun)
        return TRUE;
    explanation->ended = explain_task_finish(
        explanation->begun, !all && !options->what_if_csv, error);
    return explanation->ended &&
           write_explanation_rows(options->csv, explanation->ended,
                                  explain_append_rows_csv, to_stdout, error) &&
           write_explanation_rows(options->what_if_csv, explanation->ended,
                                  explain_append_what_ifs_csv, to_stdout,
                                  error);
}
