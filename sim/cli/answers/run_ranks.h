/*
 * run_ranks.h - the critical path of a run through all NPUs: its options, its
 * file, its text
 *
 * Owner    the caller owns what is returned, and what the options hold
 */
#ifndef SIM_CLI_ANSWERS_RUN_RANKS_H
#define SIM_CLI_ANSWERS_RUN_RANKS_H

#include "models/observe/ranks/rank_path.h"

typedef struct {
    gboolean wanted;
    char *csv;     /* owned; NULL: not wanted */
    char **wishes; /* owned: what-ifs; NULL: none of one's own */
} RanksOptions;

/* clang-format off */
#define OPTIONS_RANKS(Ranks)                                                   \
    { "critical-path", 0, 0, G_OPTION_ARG_NONE, &(Ranks).wanted,               \
      "Say on which operations of which NPUs the time hangs, and who holds "   \
      "the others up", NULL },                                                 \
    { "critical-path-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Ranks).csv,          \
      "Write a row for each part of that path", "FILE" },                     \
    { "what-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(Ranks).wishes,             \
      "With --critical-path: operations of such names, FACTOR as long",        \
      "[KIND:]PATTERN=FACTOR" }
/* clang-format on */

gboolean ranks_are_wanted(const RanksOptions *options);
void ranks_options_clear(RanksOptions *options);

/* Listens to @system, if that is wanted: *@ret is NULL, if not. */
G_GNUC_WARN_UNUSED_RESULT
gboolean ranks_listen(const RanksOptions *options, System *system,
                      RankPath **ret, GError **error);

/* What is said of @system, which was loaded from @file with @sets and has run;
 * rows go where they are wanted, and *@to_stdout is whether that is standard
 * output, or was before; *@ret_what_ifs are those that were run, of WhatIf, or
 * NULL.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
char *ranks_answer(const RanksOptions *options, const char *file,
                   char *const *sets, FoldMode fold, const System *system,
                   RankPath *path, GArray **ret_what_ifs, gboolean *to_stdout,
                   GError **error);

#endif
