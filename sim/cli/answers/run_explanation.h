/*
 * run_explanation.h - the explanation of a run: options and output files
 *
 * Owner    the caller owns what is returned and what the options contain
 */
#ifndef SIM_CLI_ANSWERS_RUN_EXPLANATION_H
#define SIM_CLI_ANSWERS_RUN_EXPLANATION_H

#include "sim/study/explain/explain.h"

typedef struct {
    gboolean wanted;
    char *csv, *what_if_csv; /* owned; NULL: not requested */
} ExplainOptions;

/* clang-format off */
#define OPTIONS_EXPLAIN(Explain)                                               \
    { "explain", 0, 0, G_OPTION_ARG_NONE, &(Explain).wanted,                   \
      "Print the causes of the time, and what would shorten it", NULL },            \
    { "explain-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Explain).csv,              \
      "Write a row for each resource on the critical path", "FILE" },          \
    { "what-if-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Explain).what_if_csv,      \
      "Write a row for each resource made twice as good", "FILE" }
/* clang-format on */

gboolean explanation_is_requested(const ExplainOptions *options);
void explain_options_clear(ExplainOptions *options);

/* An explanation in progress, if one is requested. */
typedef struct {
    WhatIfSource source;
    ExplainTask *begun; /* owned; NULL: not requested */
    Explanation *ended; /* owned; NULL: not finished */
} RunExplanation;

void explanation_clear(RunExplanation *explained);

/* Starts the explanation before the run. .source must be set, except .run_many
 * and .ahead.  @follows is as in explain_task_new(). */
void explanation_start(const ExplainOptions *options, RunExplanation *explained,
                       System *follows);
/* Finishes the explanation after the run and writes the requested rows.  Sets
 * *@to_stdout if rows go to standard output.  With @all, or if .what_if_csv is
 * requested, numbers of all what-ifs are computed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean explanation_finish(const ExplainOptions *options,
                            RunExplanation *explained, gboolean all,
                            gboolean *to_stdout, GError **error);

#endif
