/*
 * run_explained.h - the explanation of a run: its options, its files
 *
 * Owner    the caller owns what is returned, and what the options hold
 */
#ifndef SIM_CLI_ANSWERS_RUN_EXPLAINED_H
#define SIM_CLI_ANSWERS_RUN_EXPLAINED_H

#include "sim/study/explain.h"

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

void explain_options_clear(ExplainOptions *options);

/* explain_follow(), if an explanation is wanted. */
CriticalPath *explained_follow(const ExplainOptions *options, System *system);

/* explain_followed() of @system, in which @followed listened (may be NULL), if
 * it is wanted, with its rows where they are: *@ret is NULL, if not;
 * *@to_stdout is whether rows go to standard output, or did before.  @all:
 * numbers of all what-ifs are told, as they are where .what_if_csv is. */
G_GNUC_WARN_UNUSED_RESULT
gboolean explained(const ExplainOptions *options, const char *path,
                   char *const *sets, FoldMode fold, const System *system,
                   CriticalPath *followed, gboolean all, Explanation **ret,
                   gboolean *to_stdout, GError **error);

#endif
