/*
 * cmd_classes.c - acesim classes: groups the sets of NPUs of a machine into
 * isomorphism classes, and evaluates each class
 */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/host/output.h"
#include "sim/study/classes/simulate_isomorphic_npu_sets.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/plots/isomorphic_npu_sets_plot.h"
#include "sim/view/text/isomorphic_npu_sets_text.h"

typedef struct {
    char **sets;        /* owned; may be NULL */
    char *link, *host;  /* owned; NULL: not given */
    char *csv, *folder; /* owned; NULL: not given */
    char *payload;      /* owned, as are .stack and .over; NULL: not given */
    char *stack, *over;
    int least, most;
} ClassesOptions;

#define STACK "blink"
#define OVER  "nccl"

static void clear_classes_options(ClassesOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->link);
    g_free(options->host);
    g_free(options->csv);
    g_free(options->payload);
    g_free(options->stack);
    g_free(options->over);
    g_free(options->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ClassesOptions, clear_classes_options)

/* Writes the rows and the plot as one group. */
static gboolean write_classes_folder(const Classes *classes, const char *folder,
                                     GError **error)
{
    g_autoptr(GString) rows = npu_set_classes_csv(classes);
    g_autofree char *path = g_build_filename(folder, "classes.csv", NULL);
    g_autoptr(OutputGroup) group = output_group_new();

    return output_make_folder(folder, error) &&
           output_group_add_file(group, path, rows, error) &&
           plot_write_classes(classes, folder, group, error) &&
           output_group_commit(group, error);
}

static gboolean print_npu_set_classes(const Classes *classes,
                                      const ClassesOptions *options,
                                      GError **error)
{
    g_autoptr(GString) rows =
        options->csv ? npu_set_classes_csv(classes) : NULL;

    if (!options->csv || !output_is_stdout_name(options->csv)) {
        g_autoptr(GString) text = npu_set_classes_text(classes);

        fputs(text->str, stdout);
    }
    if (options->csv && !output_write_user_path(options->csv, rows, error))
        return FALSE;
    if (!options->folder)
        return TRUE;
    if (!write_classes_folder(classes, options->folder, error))
        return FALSE;
    if (!options->csv || !output_is_stdout_name(options->csv))
        printf("wrote %s/classes.csv, plots/classes.svg and .png\n",
               options->folder);
    return TRUE;
}

static gboolean check_class_sizes(const CliCommand *command,
                                  const ClassesOptions *options, int *status)
{
    if (options->least >= 2 && options->least <= options->most)
        return TRUE;
    *status = cli_report_usage_error(
        command, "--least and --most: expected 2 <= %d <= %d", options->least,
        options->most);
    return FALSE;
}

/* Fills @task from the options.  The caller owns @ret_rest, whose first text is
 * the platform. */
static gboolean parse_classes_command(const CliCommand *command, char **argv,
                                      ClassesOptions *options,
                                      ClassesTask *task, GStrv *ret_rest,
                                      int *status)
{
    const GOptionEntry entries[] = {
        { "least", 0, 0, G_OPTION_ARG_INT, &options->least,
          "NPUs of the smallest sets; 3 by default", "N" },
        { "most", 0, 0, G_OPTION_ARG_INT, &options->most, "Of the largest",
          "N" },
        { "link", 0, 0, G_OPTION_ARG_FILENAME, &options->link,
          "What a near link carries; as the platform has it by default",
          "BANDWIDTH" },
        { "host", 0, 0, G_OPTION_ARG_FILENAME, &options->host,
          "What a ring through the host carries; likewise", "BANDWIDTH" },
        { "simulate", 0, 0, G_OPTION_ARG_FILENAME, &options->payload,
          "Run both collectives with so much on each example, too", "BYTES" },
        { "stack", 0, 0, G_OPTION_ARG_FILENAME, &options->stack,
          "By this stack; " STACK " by default", "FILE" },
        { "over", 0, 0, G_OPTION_ARG_FILENAME, &options->over,
          "And by that, which it is compared with; " OVER " by default",
          "FILE" },
        OPTIONS_SET(&options->sets),
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv,
          "Write a row for each; - is standard output", "FILE" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->folder,
          "Write classes.csv and plots/classes.svg and .png there", "DIR" },
        OPTIONS_END,
    };

    if (!options_parse(command, entries, argv, ret_rest, status) ||
        !options_check_operand_count(command, *ret_rest, 1, 1, status) ||
        !options_check_sets(command, options->sets, status) ||
        !options_parse_quantity(command, "--link", options->link,
                                CONFIG_BANDWIDTH, &task->link_bytes_per_s,
                                status) ||
        !options_parse_quantity(command, "--host", options->host,
                                CONFIG_BANDWIDTH, &task->host_bytes_per_s,
                                status) ||
        !options_parse_quantity(command, "--simulate", options->payload,
                                CONFIG_BYTES, &task->payload_bytes, status) ||
        !check_class_sizes(command, options, status))
        return FALSE;
    task->platform = (*ret_rest)[0];
    task->sets = options->sets;
    task->least = (uint32_t)options->least;
    task->most = (uint32_t)options->most;
    task->stack = options->stack ?: STACK;
    task->over = options->over ?: OVER;
    return TRUE;
}

static gboolean check_classes_outputs(const ClassesOptions *options,
                                      const ClassesTask *task, GError **error)
{
    g_autofree char *rows =
        options->folder ? g_build_filename(options->folder, "classes.csv", NULL)
                        : NULL;
    const NamedOutput outputs[] = { { "--csv", options->csv },
                                    { "-o", rows },
                                    { 0 } };

    const InputPart stack[] = { { "platform", task->platform },
                                { "stack", task->stack },
                                { 0 } };
    const InputPart over[] = { { "stack", task->over }, { 0 } };
    g_autoptr(NamedFiles) files = named_files_new();

    input_files_add_parts(files, stack, task->sets);
    input_files_add_parts(files, over, NULL);
    return input_files_check(outputs, files, error);
}

static int run_classes_command(const CliCommand *command, char **argv)
{
    g_auto(ClassesOptions) o = { .least = 3, .most = PACK_MAX_RANKS };
    g_auto(GStrv) rest = NULL;
    g_autoptr(Classes) classes = NULL;
    g_autoptr(GError) error = NULL;
    ClassesTask task = { 0 };
    int status;

    if (!parse_classes_command(command, argv, &o, &task, &rest, &status))
        return status;
    if (!check_classes_outputs(&o, &task, &error))
        return cli_report_error(error);
    classes = npu_set_classes_find(&task, &error);
    if (!classes)
        return cli_report_error(error);
    if (task.payload_bytes > 0 &&
        !npu_set_classes_simulate(classes, &task, run_many_pool, &error))
        return cli_report_error_or_signal(error);
    return print_npu_set_classes(classes, &o, &error) &&
                   failed_runs_check_none(&classes->failed_runs, "runs", &error)
               ? CLI_OK
               : cli_report_error(error);
}

const CliCommand cmd_classes = {
    .name = "classes",
    .arguments = "PLATFORM",
    .summary = "Compare rings and trees on every set of a machine's NPUs",
    .detail =
        "A job gets some NPUs of a machine.  Sets that near links join alike "
        "are one\nclass; of each there is an example, how many sets it has, "
        "the links, the most\nrings that share no link, the bounds of "
        "broadcasts and all-reduces along\ntrees in links, with how many trees "
        "an integer program comes within 5 % of\nthem, and what trees are "
        "worth over rings, by links\nalone; with --simulate runs say it, too.\n\n"
        "Example:\n"
        "  acesim classes configs/platforms/dgx-1v.yaml --link '22.9 GB/s' \\\n"
        "      --host '8 GB/s' -o results/classes",
    .run = run_classes_command,
};
