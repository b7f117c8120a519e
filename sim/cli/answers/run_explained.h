/*
 * run_explained.h - the explanation of a run: its options, its files
 *
 * Owner    the caller owns what is returned, and what the options hold
 */
#ifndef SIM_CLI_ANSWERS_RUN_EXPLAINED_H
#define SIM_CLI_ANSWERS_RUN_EXPLAINED_H

#include "sim/study/explain/explain.h"

typedef struct {
    gboolean wanted;
    char *csv, *what_if_csv; /* owned; NULL: not wanted */
} ExplainOptions;

/* clang-format off */
#define OPTIONS_EXPLAIN(Explain)                                               \
    { "explain", 0, 0, G_OPTION_ARG_NONE, &(Explain).wanted,                   \
      "Say where the time went, and what would shorten it", NULL },            \
    { "explain-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Explain).csv,              \
      "Write a row for each resource on the critical path", "FILE" },          \
    { "what-if-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Explain).what_if_csv,      \
      "Write a row for each resource made twice as good", "FILE" }
/* clang-format on */

gboolean explain_is_wanted(const ExplainOptions *options);
void explain_options_clear(ExplainOptions *options);

/* An explanation that is under way, if one is wanted. */
typedef struct {
    WhatIfSource source;
    Explaining *begun;  /* owned; NULL: none is wanted */
    Explanation *ended; /* owned; NULL: not yet */
} Explained;

void explained_clear(Explained *explained);

/* Before the run: .source is set, but for who runs what-ifs.  @follows is as in
 * explaining_new(). */
void explained_begin(const ExplainOptions *options, Explained *explained,
                     System *follows);
/* After it, with its rows where they are wanted; *@to_stdout is whether rows go
 * to standard output, or did before.  @all: numbers of all what-ifs are told,
 * as they are where .what_if_csv is. */
G_GNUC_WARN_UNUSED_RESULT
gboolean explained_end(const ExplainOptions *options, Explained *explained,
                       gboolean all, gboolean *to_stdout, GError **error);

#endif
