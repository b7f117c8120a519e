/*
 * cli.h - what the commands of `acesim` share
 *
 * A command is one file cmd_NAME.c and one line in the table of main.c.  Only
 * this folder prints or exits: results go to standard output, everything else
 * to standard error, an error's message as it is.
 *
 * Owner    commands are static
 */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include <glib.h>

#include "sim/host/interrupt.h"

/* Exit statuses. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the input is wrong, or a run or point failed */
    CLI_USAGE = 2,
    CLI_BUG = 70,
    CLI_SIGNALLED = INTERRUPT_STATUS, /* and the signal's number */
};

typedef struct CliCommand CliCommand;

struct CliCommand {
    const char *name;
    const char *arguments; /* "CONFIG" */
    const char *summary;   /* one line */
    const char *detail;    /* below the options: the columns, an "Example:" */
    /* @argv begins with the command's name and ends with NULL.  Returns an
     * exit status.  Begins with options_parse(). */
    int (*run)(const CliCommand *command, char **argv);
    /* What an operand may be; NULL: files.  The array is the caller's, ends
     * with NULL and borrows. */
    const char **(*words)(void);
    /* Not of the command: see options_visit(). */
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

/* All of them, as main.c has them; ends with NULL. */
extern const CliCommand *const cli_commands[];

/* TRUE: @fd is a terminal and nobody asked for plain text (NO_COLOR, TERM). */
gboolean cli_wants_bold(int fd);

/* Prints @text to standard output; where that is to be, lines that stand in
 * column 1 and end in @end (0: all of them) are bold. */
void cli_print_page(const char *text, char end);

/* Prints the message and gives CLI_FAILED. */
int cli_fail(const GError *error);
/* The same, with the status of the signal where one came. */
int cli_fail_or_end(const GError *error);

/* Prints the text and where to read on, and gives CLI_USAGE. */
int cli_usage(const CliCommand *command, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

#endif
