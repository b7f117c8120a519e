/* cli.c - the interface of the commands of `acesim`; see cli.h */
#include "sim/cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/aligned_table.h"

#define HELP_WIDTH 72

gboolean cli_use_bold(int fd)
{
    const char *no_color = g_getenv("NO_COLOR");

    return isatty(fd) && !(no_color && *no_color != '\0') &&
           g_strcmp0(g_getenv("TERM"), "dumb") != 0;
}

void cli_print_page(const char *text, char end)
{
    gboolean bold = cli_use_bold(STDOUT_FILENO);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line; line++) {
        gsize n = strlen(*line);
        gboolean is_heading =
            n > 0 && **line != ' ' && (end == 0 || (*line)[n - 1] == end);

        printf("%s%s%s%s", bold && is_heading ? "\033[1m" : "", *line,
               bold && is_heading ? "\033[0m" : "", line[1] ? "\n" : "");
    }
}

char *cli_command_detail(const CliCommand *command)
{
    g_autofree char *first = command->introduce ? command->introduce() : NULL;

    return g_strconcat(first ? first : "", first ? "\n" : "", command->detail,
                       NULL);
}

char *cli_wrap_names(const char *before, const char *const *names,
                     const char *after)
{
    const TableColumn columns[] = { { NULL, FALSE, TABLE_REST } };
    g_autoptr(Table) table = table_new(columns, 1);
    g_autofree char *all = g_strjoinv(", ", (char **)names);
    GString *out = g_string_new(NULL);

    table_add_cell_printf(table, "%s%s%s", before, all, after);
    table_write(table, out, 0, HELP_WIDTH);
    return g_string_free(out, FALSE);
}

int cli_report_error(const GError *error)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", error->message);
    return CLI_FAILED;
}

int cli_report_error_or_signal(const GError *error)
{
    int number = interrupt_signal_number();

    /* Without this, a second message would be printed at the deadline of the
     * signal. */
    interrupt_cancel_deadline();
    cli_report_error(error);
    return number != 0 ? CLI_SIGNALLED + number : CLI_FAILED;
}

int cli_report_usage_error(const CliCommand *command, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\ntry: acesim %s --help\n", command->name);
    return CLI_USAGE;
}
