/* cmd_export.c - acesim export: writes a run in a format of other simulators */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/host/output.h"
#include "sim/study/export/flat_program.h"
#include "sim/study/export/goal_schedule.h"
#include "sim/study/load_run_file.h"

typedef struct {
    char **sets;  /* owned; may be NULL */
    char *output; /* owned; NULL: not given */
    int n_iterations;
    gboolean flat, quiet;
} ExportOptions;

static void clear_export_options(ExportOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExportOptions, clear_export_options)

static void print_export_summary(const GoalCounts *counts,
                                 const ExportOptions *options)
{
    uint64_t n = counts->n_counted * (uint64_t)options->n_iterations;

    if (options->quiet || output_is_stdout_name(options->output))
        return;
    printf("wrote %s: %u ranks, %" G_GUINT64_FORMAT
           " messages, %" G_GUINT64_FORMAT " times, %" G_GUINT64_FORMAT
           " requirements\n",
           options->output, counts->n_ranks, counts->n_sends, counts->n_calcs,
           counts->n_requires);
    printf("a rank sends %" G_GUINT64_FORMAT
           " bytes in an iteration, on average; the run: %" G_GUINT64_FORMAT
           "\n",
           counts->sent_bytes / n, counts->run_sent_bytes);
}

static gboolean parse_export_command(const CliCommand *command, char **argv,
                                     ExportOptions *options, GStrv *ret_rest,
                                     int *status)
{
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
          "Write there: X.goal, or X.yaml with --flat; - is standard output",
          "FILE" },
        { "flat", 0, 0, G_OPTION_ARG_NONE, &options->flat,
          "Write the workload as a program with all operations in roles",
          NULL },
        { "iterations", 0, 0, G_OPTION_ARG_INT, &options->n_iterations,
          "So many, one after the other; 1 by default", "N" },
        OPTIONS_SET(&options->sets),
        OPTIONS_QUIET(&options->quiet, "Print no summary of the written files"),
        OPTIONS_END,
    };

    if (!options_parse(command, entries, argv, ret_rest, status) ||
        !options_check_operand_count(command, *ret_rest, 1, 1, status) ||
        !options_check_sets(command, options->sets, status))
        return FALSE;
    if (!options->output ||
        (!output_is_stdout_name(options->output) &&
         !g_str_has_suffix(options->output, options->flat ? ".yaml" : ".goal")))
        *status = cli_report_usage_error(
            command, options->flat ? "--output: expected a file X.yaml"
                                   : "--output: expected a file X.goal");
    else if (options->n_iterations < 1 || options->n_iterations > 1000)
        *status =
            cli_report_usage_error(command, "--iterations: expected 1 to 1000");
    else
        return TRUE;
    return FALSE;
}

static int run_export_command(const CliCommand *command, char **argv)
{
    g_auto(ExportOptions) o = { .n_iterations = 1 };
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GString) text = NULL;
    SystemConfig config;
    GoalCounts counts;
    NamedOutput outputs[] = { { .option = "-o" }, { 0 } };
    int status;

    if (!parse_export_command(command, argv, &o, &rest, &status))
        return status;
    outputs[0].path = o.output;
    doc = load_run(rest[0], o.sets, &config, &error);
    if (doc && input_files_check_doc(outputs, doc, &error) && o.flat)
        text = flat_program_export(&config, &error);
    else if (doc && !error)
        text = goal_export(&config, (uint64_t)o.n_iterations, &counts, &error);
    if (!text || !output_write_user_path(o.output, text, &error))
        return cli_report_error(error);
    if (!o.flat)
        print_export_summary(&counts, &o);
    else if (!o.quiet && !output_is_stdout_name(o.output))
        printf("wrote %s\n", o.output);
    return CLI_OK;
}

const CliCommand cmd_export = {
    .name = "export",
    .arguments = "CONFIG",
    .summary = "Write a run as a GOAL schedule, or its workload as a program",
    .detail =
        "GOAL is what LogGOPSim and ATLAHS read: for each rank sends, receives "
        "and times\nin ns, bound by what each requires.  Collectives are "
        "written as the messages that\ntheir plan makes, kernels as long as "
        "they took here; all NPUs are run, none stands\nfor others.  What an "
        "endpoint spends on a message and in which order chunks are\nserved is "
        "not in it.  acesim reads GOAL, too.\n\n"
        "--flat writes a workload that has segments as a program whose "
        "operations are all\nin roles.  A run of it takes the same times.\n\n"
        "Example:\n"
        "  acesim export configs/runs/isca21.yaml --set "
        "platform.topology.dims='[2, 2, 2]' \\\n"
        "      -o resnet.goal",
    .run = run_export_command,
};
