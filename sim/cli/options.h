/*
 * options.h - the command line, by GLib's parser
 *
 * What every command has (--help, operands) and what several have (--set,
 * --fold) is here, so that it is the same everywhere.
 *
 * Errors   printed, with CLI_USAGE as the status
 */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "models/run/regions/threads.h"
#include "models/run/steady/skip.h"
#include "sim/cli/cli.h"
#include "sim/study/rows/rows.h"

#define OPTIONS_SET(Sets)                                                      \
    {                                                                          \
        "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, (Sets),                    \
            "Put VALUE in place of what KEY has (platform.npu.sms=60)",        \
            "KEY=VALUE"                                                        \
    }
#define OPTIONS_FOLD(Text)                                                     \
    {                                                                          \
        "fold", 0, 0, G_OPTION_ARG_FILENAME, (Text),                           \
            "Whether one NPU may stand for all", "auto|off|require"            \
    }
#define OPTIONS_SKIP(Text)                                                      \
    {                                                                           \
        "skip", 0, 0, G_OPTION_ARG_FILENAME, (Text),                            \
            "Whether what provably repeats is simulated once; check: simulate " \
            "all and compare",                                                  \
            "auto|off|check"                                                    \
    }
#define OPTIONS_THREADS(Text)                                                    \
    {                                                                            \
        "threads", 0, 0, G_OPTION_ARG_FILENAME, (Text),                          \
            "Threads that simulate NPUs in full; auto: two of a large run with " \
            "`perturb`, else one",                                               \
            "auto|N"                                                             \
    }
#define OPTIONS_QUIET(Quiet, What)                                             \
    {                                                                          \
        "quiet", 'q', 0, G_OPTION_ARG_NONE, (Quiet), (What), NULL              \
    }
/* A file of each. */
/* clang-format off */
#define OPTIONS_ROWS(Files)                                                    \
    { "csv", 0, 0, G_OPTION_ARG_FILENAME, &(Files)[ROWS_RUNS],                 \
      "Write the run as a row of CSV; - is standard output", "FILE" },         \
    { "per-layer", 0, 0, G_OPTION_ARG_FILENAME, &(Files)[ROWS_LAYERS],         \
      "Write a row for each layer and pass", "FILE" },                         \
    { "per-link", 0, 0, G_OPTION_ARG_FILENAME, &(Files)[ROWS_PORTS],           \
      "Write a row for each port of NPU 0", "FILE" },                          \
    { "per-job", 0, 0, G_OPTION_ARG_FILENAME, &(Files)[ROWS_JOBS],             \
      "Write a row for each job", "FILE" },                                    \
    { "utilisation", 0, 0, G_OPTION_ARG_FILENAME, &(Files)[ROWS_UTILISATION],  \
      "Write what is in use on NPU 0 as time goes, in 256 rows at most",       \
      "FILE" }
/* clang-format on */
#define OPTIONS_END                                                            \
    {                                                                          \
        NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL                        \
    }

/* Parses @argv by @entries into their variables, and the operands into *@rest
 * (owned by the caller, never NULL).  FALSE: the command is over with
 * *@status. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_parse(const CliCommand *command, const GOptionEntry *entries,
                       char **argv, char ***rest, int *status);

/* Hands the table of @command's options to @visit, what all commands have
 * included, and runs nothing: how a manual and completions come by the very
 * tables that are parsed. */
void options_visit(const CliCommand *command,
                   void (*visit)(gpointer self, const GOptionEntry *entries),
                   gpointer self);

/* The text of a help page.  Owner: the caller. */
char *options_help(const CliCommand *command, const GOptionEntry *entries);

/* FALSE: there are not @min to @max operands, and *@status says so. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_count(const CliCommand *command, char *const *rest, guint min,
                       guint max, int *status);

/* @text NULL is auto. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_fold(const CliCommand *command, const char *text,
                      FoldMode *ret, int *status);

gboolean options_skip(const CliCommand *command, const char *text,
                      SkipMode *ret, int *status);

/* Likewise, of SYSTEM_THREADS_AUTO, or 1 to SYSTEM_MOST_THREADS. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_threads(const CliCommand *command, const char *text,
                         uint32_t *ret, int *status);

/* FALSE: one of @sets (may be NULL) is not KEY=VALUE. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_sets(const CliCommand *command, char *const *sets,
                      int *status);

/* A value with a unit; @text NULL leaves *@ret.  @option is for messages. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_quantity(const CliCommand *command, const char *option,
                          const char *text, ConfigType type, guint64 *ret,
                          int *status);

/* "a,b" as {"a", "b", NULL}, blanks removed.  Owner: the caller. */
char **options_names(const char *text);

#endif
