/* cmd_man.c - acesim man: prints the manual page */
#include <stdio.h>

#include "sim/cli/man_page.h"
#include "sim/cli/options.h"

static int run_man_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autoptr(GString) text = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 0, 0, &status))
        return status;
    text = make_man_page(cli_commands);
    fputs(text->str, stdout);
    return CLI_OK;
}

const CliCommand cmd_man = {
    .name = "man",
    .arguments = "",
    .summary = "Print the manual page, acesim(1)",
    .detail = "`make install` puts it where man finds it.\n\n"
              "Example:\n"
              "  acesim man >acesim.1 && man ./acesim.1",
    .run = run_man_command,
};
