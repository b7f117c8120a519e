/* cmd_completion.c - acesim completion: prints completion scripts for shells */
#include <stdio.h>

#include "sim/cli/completion/completion.h"
#include "sim/cli/options.h"

static const struct {
    const char *name;
    GString *(*text)(const CliCommand *const *commands);
} shells[] = {
    { "bash", completion_bash },
    { "zsh", completion_zsh },
};

static const char **list_shell_names(void)
{
    const char **names = g_new0(const char *, G_N_ELEMENTS(shells) + 1);

    for (guint i = 0; i < G_N_ELEMENTS(shells); i++)
        names[i] = shells[i].name;
    return names;
}

static int run_completion_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status))
        return status;
    for (guint i = 0; i < G_N_ELEMENTS(shells); i++) {
        g_autoptr(GString) text = NULL;

        if (!g_str_equal(shells[i].name, rest[0]))
            continue;
        text = shells[i].text(cli_commands);
        fputs(text->str, stdout);
        return CLI_OK;
    }
    return cli_report_usage_error(
        command, "no completion for '%s'; known: bash, zsh", rest[0]);
}

const CliCommand cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh",
    .summary = "Print a completion script for a shell",
    .detail = "`make install` puts both where the shells look.\n\n"
              "Example:\n"
              "  source <(acesim completion bash)",
    .run = run_completion_command,
    .words = list_shell_names,
};
