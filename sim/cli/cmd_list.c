/* cmd_list.c - acesim list: lists kinds and parameters */
#include "sim/cli/options.h"
#include "sim/core/aligned_table.h"
#include "sim/view/list_topic_text.h"
#include "sim/view/reference_page.h"

static char *describe_topics(void)
{
    g_autofree const char **names = list_topic_names();

    return cli_wrap_names("A TOPIC is one of: ", names,
                          "; or the name of a kind or algorithm.");
}

static int report_unknown_topic(const CliCommand *command, const char *name)
{
    const char *nearest = list_nearest_topic(name);
    g_autofree const char **names = list_topic_names();
    g_autofree char *all = g_strjoinv(", ", (char **)names);

    if (nearest)
        return cli_report_usage_error(
            command,
            "there is nothing called '%s' to list; did you mean "
            "'%s'?",
            name, nearest);
    return cli_report_usage_error(
        command, "there is nothing called '%s' to list; known: %s", name, all);
}

static int run_list_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_autofree char *text = NULL;
    gboolean is_markdown = FALSE;
    const GOptionEntry entries[] = {
        { "markdown", 0, 0, G_OPTION_ARG_NONE, &is_markdown,
          "As a page of docs/reference, with an example of each key", NULL },
        OPTIONS_END
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 0, 1, &status))
        return status;
    text = is_markdown ? reference_page_text(rest[0])
                       : list_topic_text(rest[0], table_terminal_width());
    if (!text)
        return report_unknown_topic(command, rest[0]);
    cli_print_page(text, 0);
    return CLI_OK;
}

const CliCommand cmd_list = {
    .name = "list",
    .arguments = "[TOPIC]",
    .summary = "List platforms, parameters, units, defaults, ranges",
    .detail = "Example:\n"
              "  acesim list machines\n"
              "  acesim list endpoints\n"
              "  acesim list ace",
    .introduce = describe_topics,
    .run = run_list_command,
    .words = list_topic_words,
};
