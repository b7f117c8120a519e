/*
 * options.h - parses command lines by GLib's parser
 *
 * Options of all commands (--help, operands) and of several commands (--set,
 * --fold) are defined here, so they are the same everywhere.
 *
 * Errors   printed, with CLI_USAGE as the status
 */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "models/run/regions/thread_count.h"
#include "models/run/steady/skip_mode.h"
#include "sim/cli/cli.h"
#include "sim/study/rows/run_rows.h"

#define OPTIONS_SET(Sets)                                                      \
    {                                                                          \
        "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, (Sets),                    \
            "Replace the value of KEY by VALUE (platform.npu.sms=60)",         \
            "KEY=VALUE"                                                        \
    }
#define OPTIONS_FOLD(Text)                                                     \
    {                                                                          \
        "fold", 0, 0, G_OPTION_ARG_FILENAME, (Text),                           \
            "Whether one NPU may represent all equivalent ones",               \
            "auto|off|require"                                                 \
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
/* One option per file of rows. */
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
      "Write the utilisation of NPU 0 over time, in at most 256 rows",       \
      "FILE" }
/* clang-format on */
#define OPTIONS_END                                                            \
    {                                                                          \
        NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL                        \
    }

/* Parses @argv into the variables of @entries, and the operands into *@rest
 * (owned by the caller, never NULL).  Returns FALSE if the command ends with
 * *@status. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_parse(const CliCommand *command, const GOptionEntry *entries,
                       char **argv, char ***rest, int *status);

/* Passes the option table of @command and that of the common options to @visit,
 * without running the command.  So the manual and the completions are made from
 * the same tables that are parsed. */
void options_visit_tables(const CliCommand *command,
                          void (*visit)(gpointer self,
                                        const GOptionEntry *entries),
                          gpointer self);

/* Returns FALSE and sets *@status unless there are @min to @max operands. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_check_operand_count(const CliCommand *command,
                                     char *const *rest, guint min, guint max,
                                     int *status);

/* Both functions set *@ret to the mode that @text names; a @text of NULL means
 * automatic.  They return FALSE and set *@status if the mode is unknown. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_parse_fold(const CliCommand *command, const char *text,
                            FoldMode *ret, int *status);

gboolean options_parse_skip(const CliCommand *command, const char *text,
                            SkipMode *ret, int *status);

/* Sets *@ret to the number in @text, 1 to RUN_MOST_THREADS, or to
 * RUN_THREADS_AUTO if it is NULL or auto.  Returns FALSE and sets *@status
 * on failure. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_parse_threads(const CliCommand *command, const char *text,
                               uint32_t *ret, int *status);

/* Returns FALSE and sets *@status if one of @sets (may be NULL) is not
 * KEY=VALUE. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_check_sets(const CliCommand *command, char *const *sets,
                            int *status);

/* Sets *@ret to a value with a unit; leaves it unchanged if @text is NULL.
 * @option is used in messages.  Returns FALSE and sets *@status on failure. */
G_GNUC_WARN_UNUSED_RESULT
gboolean options_parse_quantity(const CliCommand *command, const char *option,
                                const char *text, ConfigType type, guint64 *ret,
                                int *status);

/* Returns "a,b" as {"a", "b", NULL} without blanks.  The caller owns it. */
char **options_split_names(const char *text);

#endif
