/*
 * cmd_schema.c - acesim schema: prints JSON Schemas, by which editors check
 * files
 */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"
#include "sim/view/config_json_schema.h"

static char *describe_file_kinds(void)
{
    g_autofree const char **names = topic_files();

    return cli_wrap_names("A FILE-KIND is one of: ", names,
                          ".  The default is run.");
}

static int report_unknown_schema(const CliCommand *command, const char *name)
{
    g_autofree const char **names = topic_files();
    const char *nearest = words_find_nearest(name, names);
    g_autofree char *all = g_strjoinv(", ", (char **)names);

    if (nearest)
        return cli_report_usage_error(
            command, "no file holds a '%s'; did you mean '%s'?", name, nearest);
    return cli_report_usage_error(command, "no file holds a '%s'; known: %s",
                                  name, all);
}

static int run_schema_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autoptr(GString) text = NULL;
    const GOptionEntry entries[] = { OPTIONS_END };
    const ListTopic *topic;
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 0, 1, &status))
        return status;
    topic = topic_find_file(rest[0] ? rest[0] : "run");
    if (!topic)
        return report_unknown_schema(command, rest[0]);
    text = make_json_schema(topic);
    fputs(text->str, stdout);
    return CLI_OK;
}

const CliCommand cmd_schema = {
    .name = "schema",
    .arguments = "[FILE-KIND]",
    .summary = "Print a JSON Schema of a kind of file, for your editor",
    .detail =
        "An editor with a YAML language server completes and checks a file by\n"
        "it; `make install` puts all in share/acesim/schema.\n\n"
        "Example:\n"
        "  acesim schema run >run.schema.json\n"
        "  # and the first line of the file:\n"
        "  # yaml-language-server: $schema=run.schema.json",
    .introduce = describe_file_kinds,
    .run = run_schema_command,
    .words = topic_files,
};
