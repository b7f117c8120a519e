/*
 * run_critical_path.h - the critical path of a run through all NPUs: options,
 * output file and text
 *
 * Owner    the caller owns what is returned and what the options contain
 */
#ifndef SIM_CLI_ANSWERS_RUN_CRITICAL_PATH_H
#define SIM_CLI_ANSWERS_RUN_CRITICAL_PATH_H

#include "models/observe/ranks/rank_path.h"

typedef struct {
    gboolean wanted;
    char *csv;            /* owned; NULL: not requested */
    char **user_what_ifs; /* owned: what-ifs of the user; NULL: none */
} CriticalPathOptions;

/* clang-format off */
#define OPTIONS_RANKS(Ranks)                                                   \
    { "critical-path", 0, 0, G_OPTION_ARG_NONE, &(Ranks).wanted,               \
      "Say on which operations of which NPUs the time hangs, and who holds "   \
      "the others up", NULL },                                                 \
    { "critical-path-csv", 0, 0, G_OPTION_ARG_FILENAME, &(Ranks).csv,          \
      "Write a row for each part of that path", "FILE" },                     \
    { "what-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(Ranks).user_what_ifs,             \
      "With --critical-path: operations of such names, FACTOR as long",        \
      "[KIND:]PATTERN=FACTOR" }
/* clang-format on */

gboolean critical_path_is_requested(const CriticalPathOptions *options);
void critical_path_options_clear(CriticalPathOptions *options);

/* Starts listening to @system.  Sets *@ret to NULL if the path is not
 * requested. */
G_GNUC_WARN_UNUSED_RESULT
gboolean critical_path_start_listening(const CriticalPathOptions *options,
                                       System *system, RankPath **ret,
                                       GError **error);

/* Returns the text about @system, which was loaded from @file with @sets and
 * has run.  Writes the requested rows and sets *@to_stdout if they go to
 * standard output.  Sets *@ret_what_ifs to the what-ifs that were run (of
 * WhatIf), or to NULL. Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
char *critical_path_text(const CriticalPathOptions *options, const char *file,
                         char *const *sets, RunOptions run_options,
                         const System *system, RankPath *path,
                         GArray **ret_what_ifs, gboolean *to_stdout,
                         GError **error);

#endif
