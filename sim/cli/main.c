/* main.c - the table of commands, and what is common to all of them */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/config/config.h"
#include "sim/config/installed_files.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/interrupt.h"
#include "sim/host/memory_limits.h"
#include "sim/host/output.h"

/* A name for `run --explain`. */
#define EXPLAIN "explain"

/* A new command needs a file and a line here, in the group of its question. */
/* clang-format off */
const CliCommand *const cli_commands[] = {
    &cmd_run,
    &cmd_sweep,
    &cmd_solve,
    &cmd_sensitivity,
    &cmd_optimise,
    &cmd_report,
    &cmd_compare,
    &cmd_plot,
    &cmd_collectives,
    &cmd_kernels,
    &cmd_classes,
    &cmd_import,
    &cmd_export,
    &cmd_lint_trace,
    &cmd_check,
    &cmd_list,
    &cmd_schema,
    &cmd_completion,
    &cmd_man,
    NULL,
};
/* clang-format on */

/* The headings of --help, each before its first command. */
static const struct {
    const CliCommand *first;
    const char *title;
} groups[] = {
    { &cmd_run, "Answer a question" },
    { &cmd_report, "Look at results" },
    { &cmd_collectives, "Time parts" },
    { &cmd_import, "Use recorded traces" },
    { &cmd_check, "Write configurations" },
    { &cmd_completion, "Set up" },
};

static void print_group_title(const CliCommand *command)
{
    for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
        if (groups[i].first == command)
            puts(groups[i].title);
}

static void print_help(void)
{
    puts("Usage: acesim COMMAND [OPTION...] [OPERAND...]\n\n"
         "Simulates one training step on many accelerators: how long it takes, "
         "what\nlimits it, and how much faster a collective engine makes "
         "it.\n");
    for (guint i = 0; cli_commands[i]; i++) {
        print_group_title(cli_commands[i]);
        printf("  %-11s %-13s %s\n", cli_commands[i]->name,
               cli_commands[i]->arguments, cli_commands[i]->summary);
    }
    printf("\nacesim help COMMAND says more of each; acesim explain CONFIG is "
           "run --explain.\n\n"
           "Start with:  acesim run configs/runs/isca21.yaml --explain\n"
           "Files:       configs/ of the source tree, or %s after `make "
           "install`\n",
           installed_folder());
}

static const CliCommand *find_command(const char *name)
{
    for (guint i = 0; cli_commands[i]; i++)
        if (g_str_equal(cli_commands[i]->name, name))
            return cli_commands[i];
    return NULL;
}

/* Words that are not commands, and what the user probably means. */
static const struct {
    const char *name, *meant;
} others[] = {
    { "timeline", "run --timeline" },
    { "utilisation", "run --utilisation" },
    { "version", "--version" },
};

static const char *suggest_command(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        if (g_str_equal(others[i].name, name))
            return others[i].meant;
    return NULL;
}

static int report_unknown_command(const char *name)
{
    const char *names[G_N_ELEMENTS(cli_commands)] = { NULL };
    const char *nearest;

    for (guint i = 0; cli_commands[i]; i++)
        names[i] = cli_commands[i]->name;
    nearest = suggest_command(name);
    if (!nearest)
        nearest = words_find_nearest(name, names);
    if (nearest)
        fprintf(stderr, "unknown command '%s'; did you mean '%s'?\n", name,
                nearest);
    else
        fprintf(stderr, "unknown command '%s'; acesim --help lists them\n",
                name);
    return CLI_USAGE;
}

/* A failed assertion is a bug of the program and has a separate exit status. */
static void exit_on_assertion_failure(int number)
{
    static const char text[] =
        "this is a bug in acesim; please report the lines above\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);

    (void)number;
    (void)ignored;
    _exit(CLI_BUG);
}

/* Opens descriptors for standard streams that are closed.  Otherwise a file
 * could get such a number and receive the messages.  Writing to these
 * descriptors still fails. */
static void reserve_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Makes `help CMD` the same as `CMD --help`. */
static int show_command_help(char **argv)
{
    char option[] = "--help";
    char *asked[] = { argv[0], option, NULL };
    const CliCommand *command = !argv[0] ? NULL
                                : g_str_equal(argv[0], EXPLAIN)
                                    ? &cmd_run
                                    : find_command(argv[0]);

    if (command)
        return command->run(command, asked);
    if (argv[0])
        return report_unknown_command(argv[0]);
    print_help();
    return CLI_OK;
}

/* Runs `explain ARGS` as `run --explain ARGS`. */
static int run_explain(char **argv)
{
    char name[] = "run", option[] = "--explain";
    guint n = g_strv_length(argv);
    g_autofree char **args = g_new0(char *, n + 2);

    args[0] = name;
    args[1] = option;
    for (guint i = 1; i < n; i++)
        args[i + 1] = argv[i];
    return cmd_run.run(&cmd_run, args);
}

static int run_named_command(char **argv)
{
    const CliCommand *command;

    if (!argv[0] || !argv[1]) {
        fputs("missing command; acesim --help lists them\n", stderr);
        return CLI_USAGE;
    }
    if (g_str_equal(argv[1], "--help") || g_str_equal(argv[1], "-h")) {
        print_help();
        return CLI_OK;
    }
    if (g_str_equal(argv[1], "help"))
        return show_command_help(argv + 2);
    if (g_str_equal(argv[1], "--version") || g_str_equal(argv[1], "-V")) {
        puts("acesim " ACESIM_VERSION);
        return CLI_OK;
    }
    if (g_str_equal(argv[1], EXPLAIN))
        return run_explain(argv + 1);
    command = find_command(argv[1]);
    return command ? command->run(command, argv + 1)
                   : report_unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    int status;

    (void)argc;
    reserve_standard_streams();
    signal(SIGABRT, exit_on_assertion_failure);
    interrupt_install_default();
    memory_tune_allocator();
    memory_report_exhaustion();
    /* With SIGXFSZ ignored, writing a file that is too large is an ordinary
     * error and does not kill the process. */
    signal(SIGXFSZ, SIG_IGN);
    status = run_named_command(argv);
    if (status != CLI_OK)
        output_discard_temporaries();
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "standard output cannot be written: %s\n",
            g_strerror(errno));
    return CLI_FAILED;
}
