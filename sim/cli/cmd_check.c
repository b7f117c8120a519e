/* cmd_check.c - acesim check: checks files */
#include <stdio.h>

#include "sim/cli/check_any_file.h"
#include "sim/cli/options.h"

static int run_check_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_auto(GStrv) sets = NULL;
    const GOptionEntry entries[] = { OPTIONS_SET(&sets), OPTIONS_END };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, G_MAXUINT, &status) ||
        !options_check_sets(command, sets, &status))
        return status;
    for (char **path = rest; *path; path++) {
        g_autoptr(GError) error = NULL;
        const char *with;

        if (check_config_file(*path, sets, &with, &error))
            printf("%s: ok%s%s\n", *path, with ? ", with " : "",
                   with ? with : "");
        else
            status = cli_report_error(error);
    }
    return status;
}

const CliCommand cmd_check = {
    .name = "check",
    .arguments = "FILE...",
    .summary = "Find mistakes in files without running them",
    .detail =
        "A file is a run, a sweep, or a part of a run: a platform, an NPU, an\n"
        "endpoint, a topology, a workload, a language model (also the\n"
        "config.json of a Hugging Face model).  Its keys say which.\n"
        "A workload is fine when some setting can run it, which is then named.\n"
        "--set is put into each file before it is checked.\n\n"
        "Example:\n"
        "  acesim check configs/runs/isca21.yaml configs/sweeps/*.yaml",
    .run = run_check_command,
};
