/* cmd_collectives.c - acesim collectives: times one collective by size */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/host/interrupt.h"
#include "sim/host/output.h"
#include "sim/study/collectives/collectives.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/plots/collectives_plot.h"
#include "sim/view/text/collectives_text.h"

#define SIZES "8 B..16 GiB"
#define KIND  "all-reduce"

typedef struct {
    char **sets;                /* owned; may be NULL */
    char *stack, *kind, *sizes; /* owned; NULL: not given */
    char *fold, *csv, *folder;  /* owned; NULL: not given */
} CollectivesOptions;

static void clear_collectives_options(CollectivesOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->stack);
    g_free(options->kind);
    g_free(options->sizes);
    g_free(options->fold);
    g_free(options->csv);
    g_free(options->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CollectivesOptions, clear_collectives_options)

/* Writes DIR/collectives.csv and plots of it. */
static gboolean write_collectives_folder(const Collectives *collectives,
                                         const char *folder, GError **error)
{
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) rows = collectives_csv(collectives);
    g_autofree char *path = g_build_filename(folder, "collectives.csv", NULL);
    Interrupt interrupt;
    gboolean ok;

    interrupt_begin_deferring(&interrupt);
    ok = output_make_folder(folder, error) &&
         output_group_add_file(group, path, rows, error) &&
         plot_write_collectives(collectives, folder, group, error) &&
         output_group_commit(group, error);
    interrupt_end_deferring(&interrupt);
    if (ok)
        fprintf(stderr, "wrote %s and %s/plots/collectives.svg and .png\n",
                path, folder);
    return ok;
}

static int print_collectives(const Collectives *collectives, const char *csv,
                             const char *folder)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) rows = NULL;

    if (!csv || !output_is_stdout_name(csv)) {
        g_autoptr(GString) text = collectives_text(collectives);

        fputs(text->str, stdout);
        fflush(stdout);
    }
    if (folder && !write_collectives_folder(collectives, folder, &error))
        return cli_report_error_or_signal(error);
    if (csv) {
        rows = collectives_csv(collectives);
        if (!output_write_user_path(csv, rows, &error))
            return cli_report_error(error);
    }
    return collectives_check_none_failed(collectives, &error)
               ? CLI_OK
               : cli_report_error(error);
}

/* Returns FALSE if the command ends with *@status. */
static gboolean parse_payload_sizes(const CliCommand *command, const char *text,
                                    GArray **ret, int *status)
{
    g_autoptr(GError) error = NULL;

    *ret = collectives_parse_sizes(text ?: SIZES, &error);
    if (!*ret)
        *status =
            cli_report_usage_error(command, "--sizes: %s", error->message);
    return *ret != NULL;
}

static gboolean check_collectives_outputs(const CollectivesOptions *options,
                                          const char *platform, GError **error)
{
    g_autofree char *rows =
        options->folder
            ? g_build_filename(options->folder, "collectives.csv", NULL)
            : NULL;
    const NamedOutput outputs[] = { { "--csv", options->csv },
                                    { "-o", rows },
                                    { 0 } };
    const InputPart parts[] = { { "platform", platform },
                                { "stack", options->stack },
                                { 0 } };
    g_autoptr(NamedFiles) files = named_files_new();

    input_files_add_parts(files, parts, options->sets);
    return input_files_check(outputs, files, error);
}

static int run_collectives_command(const CliCommand *command, char **argv)
{
    g_auto(CollectivesOptions) o = { 0 };
    g_auto(GStrv) rest = NULL;
    g_autoptr(GArray) sizes = NULL;
    g_autoptr(Collectives) collectives = NULL;
    g_autoptr(GError) error = NULL;
    CollectivesTask task = { 0 };
    const GOptionEntry entries[] = {
        { "stack", 0, 0, G_OPTION_ARG_FILENAME, &o.stack,
          "The library that decides how: a file, or its name", "FILE" },
        { "kind", 0, 0, G_OPTION_ARG_STRING, &o.kind,
          "The collective; " KIND " by default", "KIND" },
        { "sizes", 0, 0, G_OPTION_ARG_STRING, &o.sizes,
          "Payloads, from the first by doubling to the last; or a list",
          "FROM..TO" },
        OPTIONS_SET(&o.sets),
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv,
          "Write a row for each; - is standard output", "FILE" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.folder,
          "Write the rows and a plot of busbw against payload there", "DIR" },
        OPTIONS_FOLD(&o.fold),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !options_check_sets(command, o.sets, &status) ||
        !options_parse_fold(command, o.fold, &task.run_options.fold, &status) ||
        !parse_payload_sizes(command, o.sizes, &sizes, &status))
        return status;
    if (!check_collectives_outputs(&o, rest[0], &error))
        return cli_report_error(error);
    task.platform = rest[0];
    task.stack = o.stack;
    task.kind = o.kind ?: KIND;
    task.sizes = sizes;
    task.sets = o.sets;
    collectives = collectives_run(&task, run_many_pool, &error);
    return collectives ? print_collectives(collectives, o.csv, o.folder)
                       : cli_report_error_or_signal(error);
}

const CliCommand cmd_collectives = {
    .name = "collectives",
    .arguments = "PLATFORM",
    .summary = "Time one collective by size, as nccl-tests does",
    .detail =
        "All NPUs take part, and have nothing else to do.  PLATFORM is a file\n"
        "or a name, as `platform` of a run has it.  Payloads are " SIZES
        " by default.\n"
        "algbw is payload over time; busbw is that times what a link has to\n"
        "carry of it, so that it may stand beside the link's own.  The "
        "endpoint\nis the baseline with all SMs and all of the memory.\n\n"
        "With --stack a thread of the host calls the library for all GPUs of\n"
        "a machine, as nccl-tests -g does: see `acesim list calls`.\n"
        "--set calls.gpus_per_thread=1 has a process for each GPU.\n\n"
        "Example:\n"
        "  acesim collectives hgx-h200 --stack nccl\n"
        "  acesim collectives dgx-a100 --stack nccl \\\n"
        "      --kind all-gather --sizes '1 MiB..1 GiB' --csv -",
    .run = run_collectives_command,
};
