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

/* Exit statuses. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the input is wrong, or a run or point failed */
    CLI_USAGE = 2,
    CLI_BUG = 70,
    CLI_SIGNALLED = 128, /* and the signal's number */
};

typedef struct CliCommand CliCommand;

struct CliCommand {
    const char *name;
    const char *arguments; /* "CONFIG" */
    const char *summary;   /* one line */
    const char *detail;    /* below the options: an example, the columns */
    /* @argv begins with the command's name and ends with NULL.  Returns an
     * exit status. */
    int (*run)(const CliCommand *command, char **argv);
};

extern const CliCommand cmd_run;
extern const CliCommand cmd_sweep;
extern const CliCommand cmd_compare;
extern const CliCommand cmd_check;
extern const CliCommand cmd_list;

/* Prints the message and gives CLI_FAILED. */
int cli_fail(const GError *error);

/* Prints the text and where to read on, and gives CLI_USAGE. */
int cli_usage(const CliCommand *command, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

#endif
