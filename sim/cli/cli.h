/*
 * cli.h - the interface of the commands of `acesim`
 *
 * A command is one file cmd_NAME.c and one line in the table of main.c.  Only
 * this folder prints or exits.  Results go to standard output and everything
 * else to standard error; the message of an error is printed unchanged.
 *
 * Owner    commands are static
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <glib.h>

#include "sim/host/interrupt.h"

/* The exit statuses of `acesim`. */
enum {
    CLI_OK = 0,
    /* The input is wrong, or a run or a point of a sweep failed. */
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BUG = 70,
    /* A signal ended the command; the number of the signal is added to this
     * status. */
    CLI_SIGNALLED = INTERRUPT_STATUS,
};

typedef struct CliCommand CliCommand;

struct CliCommand {
    const char *name;
    const char *arguments; /* "CONFIG" */
    const char *summary;   /* one line */
    /* The text that --help prints below the options, such as the list of
     * columns and an example. */
    const char *detail;
    /* Returns what --help prints before .detail, such as a list from a table;
     * the caller owns the text.  NULL: nothing. */
    char *(*introduce)(void);
    /* Runs the command and returns an exit status.  @argv begins with the
     * command's name and ends with NULL. Must first call options_parse(). */
    int (*run)(const CliCommand *command, char **argv);
    /* Returns the words that an operand may be, which are borrowed; ends with
     * NULL. The caller owns the array.  NULL: operands are files. */
    const char **(*words)(void);
    /* The function that receives the option table.  Only options_visit_tables()
     * sets it. */
    void (*visit)(gpointer self, const GOptionEntry *entries);
    gpointer self;
};

extern const CliCommand cmd_run;
extern const CliCommand cmd_sweep;
extern const CliCommand cmd_solve;
extern const CliCommand cmd_sensitivity;
extern const CliCommand cmd_compare;
extern const CliCommand cmd_kernels;
extern const CliCommand cmd_collectives;
extern const CliCommand cmd_classes;
extern const CliCommand cmd_export;
extern const CliCommand cmd_optimise;
extern const CliCommand cmd_plot;
extern const CliCommand cmd_report;
extern const CliCommand cmd_check;
extern const CliCommand cmd_import;
extern const CliCommand cmd_lint_trace;
extern const CliCommand cmd_list;
extern const CliCommand cmd_schema;
extern const CliCommand cmd_completion;
extern const CliCommand cmd_man;

/* All commands; ends with NULL. Defined in main.c. */
extern const CliCommand *const cli_commands[];

/* Returns TRUE if @fd is a terminal and the user has not disabled formatting
 * (NO_COLOR, TERM). */
gboolean cli_use_bold(int fd);

/* Prints @text to standard output.  If cli_use_bold(), prints in bold the
 * lines that begin in column 1 and end in @end (0: any character). */
void cli_print_page(const char *text, char end);

/* Returns the text that --help prints below the options.  The caller owns
 * it. */
char *cli_command_detail(const CliCommand *command);
/* Returns @before, "a, b, c" and @after in lines of a help page.  The caller
 * owns the text. */
char *cli_wrap_names(const char *before, const char *const *names,
                     const char *after);

/* Prints the message and returns CLI_FAILED. */
int cli_report_error(const GError *error);
/* Same as cli_report_error(), but returns the status of a signal if one has
 * arrived. */
int cli_report_error_or_signal(const GError *error);

/* Prints the text and a hint to --help, and returns CLI_USAGE. */
int cli_report_usage_error(const CliCommand *command, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

#endif
