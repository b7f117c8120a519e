/*
 * cmd_compare.c - acesim compare: computes speedups from the results of a sweep
 */
#include <stdio.h>
#include <unistd.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/cli/sweep/sweep_folder.h"
#include "sim/host/output.h"
#include "sim/sweep/sweep_results.h"
#include "sim/view/data_package.h"
#include "sim/view/json_rows.h"
#include "sim/view/text/compare_answer_text.h"
#include "sim/view/text/compare_text.h"

typedef struct {
    char *csv;          /* owned: file to write, or NULL */
    char *baselines;    /* owned: "a,b", or NULL */
    char *best;         /* owned: "a,b", or NULL */
    char *offloads;     /* owned: "a,b", or NULL */
    char *fastest_over; /* owned: "a,b", or NULL */
    gboolean json, answer;
} CompareOptions;

static void clear_compare_options(CompareOptions *options)
{
    g_free(options->csv);
    g_free(options->baselines);
    g_free(options->best);
    g_free(options->offloads);
    g_free(options->fastest_over);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CompareOptions, clear_compare_options)

/* Returns the names from the command line, or else the names in the info.json
 * beside @runs, or else none. */
static char **list_names_to_compare(const char *option, const char *what,
                                    const char *runs, GError **error)
{
    return option ? options_split_names(option)
                  : results_compared_names(runs, what, error);
}

static void print_comparison(const Comparison *comparison,
                             const CompareOptions *options)
{
    gboolean bold = cli_use_bold(STDOUT_FILENO);
    g_autofree char *text =
        options->json     ? g_string_free(json_compare_text(comparison), FALSE)
        : options->answer ? compare_answer_text(comparison)
                          : compare_text(comparison, bold);

    fputs(text, stdout);
    fflush(stdout);
    if (options->answer)
        return;
    for (guint i = 0; i < comparison->notes->len; i++)
        fprintf(stderr, "%s\n",
                (char *)g_ptr_array_index(comparison->notes, i));
}

/* Checks the CSV against the files that are read: the rows, and the info.json
 * beside them. */
static gboolean check_compare_outputs(const char *runs, const char *csv,
                                      GError **error)
{
    const NamedOutput outputs[] = { { "--csv", csv }, { 0 } };
    g_autofree char *folder = g_path_get_dirname(runs);
    g_autofree char *info = g_build_filename(folder, SWEEP_INFO, NULL);
    g_autoptr(NamedFiles) files = named_files_new();

    named_files_add_path(files, runs);
    named_files_add_path(files, info);
    return input_files_check(outputs, files, error);
}

static gboolean compare_sweep_results(const CompareOptions *options,
                                      const char *path, GError **error)
{
    gboolean is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    g_autofree char *runs =
        is_folder ? g_build_filename(path, "runs.csv", NULL) : g_strdup(path);
    g_autofree char *csv = options->csv ? g_strdup(options->csv)
                           : is_folder
                               ? g_build_filename(path, "compare.csv", NULL)
                               : NULL;
    g_autoptr(CsvTable) table = check_compare_outputs(runs, csv, error)
                                    ? results_load_runs(runs, error)
                                    : NULL;
    g_auto(GStrv) baselines = NULL;
    g_auto(GStrv) best = NULL;
    g_auto(GStrv) offloads = NULL;
    g_auto(GStrv) fastest_over = NULL;
    g_autoptr(Comparison) comparison = NULL;
    g_autoptr(GString) text = NULL;

    if (!table)
        return FALSE;
    baselines =
        list_names_to_compare(options->baselines, "baselines", runs, error);
    if (!baselines)
        return FALSE;
    best = list_names_to_compare(options->best, "best", runs, error);
    if (!best)
        return FALSE;
    offloads = list_names_to_compare(options->offloads, "offload", runs, error);
    if (!offloads)
        return FALSE;
    fastest_over = list_names_to_compare(options->fastest_over, "fastest_over",
                                         runs, error);
    if (!fastest_over)
        return FALSE;
    comparison = compare_sweep_table(
        table, runs, &(CompareNames){ baselines, best, offloads, fastest_over },
        error);
    if (!comparison)
        return FALSE;
    if (!csv || !output_is_stdout_name(csv))
        print_comparison(comparison, options);
    if (comparison->pairs->len == 0) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: no two rows can be compared", runs);
        return FALSE;
    }
    text = compare_csv(comparison);
    /* The folder may belong to another user, so an existing compare.csv in it
     * is replaced and not written through. */
    if (csv && !options->csv) {
        output_remove_leftovers(path, "compare.csv");
        output_remove_leftovers(path, DATA_PACKAGE);
        return output_replace_file(csv, text, error) &&
               data_package_write(path, error);
    }
    return !csv || output_write_user_path(csv, text, error);
}

static int run_compare_command(const CliCommand *command, char **argv)
{
    g_auto(CompareOptions) o = { 0 };
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        { "baselines", 0, 0, G_OPTION_ARG_FILENAME, &o.baselines,
          "Endpoints to compare with, the fastest of which counts",
          "NAME,NAME" },
        { "best", 0, 0, G_OPTION_ARG_FILENAME, &o.best,
          "Endpoints that stand, with these, for the best that could be built; "
          "those that were tuned by default",
          "NAME,NAME" },
        { "offload", 0, 0, G_OPTION_ARG_FILENAME, &o.offloads,
          "Endpoints that are compared with them; ace by default",
          "NAME,NAME" },
        { "fastest-over", 0, 0, G_OPTION_ARG_FILENAME, &o.fastest_over,
          "Axes of which each endpoint takes its fastest value, such as plans; "
          "'' for none",
          "AXIS,AXIS" },
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv,
          "Write the comparison as CSV; DIR/compare.csv by default", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &o.json,
          "Print the comparison as JSON", NULL },
        { "answer", 0, 0, G_OPTION_ARG_NONE, &o.answer,
          "Print the answer alone: one line for each workload", NULL },
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status))
        return status;
    if (o.json && o.answer)
        return cli_report_usage_error(command,
                                      "--json and --answer exclude each other");
    if (o.json && o.csv && output_is_stdout_name(o.csv))
        return cli_report_usage_error(
            command, "--json and --csv both want standard output");
    return compare_sweep_results(&o, rest[0], &error) ? CLI_OK
                                                      : cli_report_error(error);
}

const CliCommand cmd_compare = {
    .name = "compare",
    .arguments = "CSV|DIR",
    .summary = "Print speedups over the best and the published baselines",
    .detail =
        "Rows are compared when they agree in workload, n_npus and each axis\n"
        "that varies something beside the endpoint.  Baselines are those in\n"
        "the sweep's `compare:` section, else every endpoint that is neither\n"
        "offload nor `ideal` nor one of `best:`, which is all tuned endpoints\n"
        "unless given.  If no endpoint is left, those of `best:` are the\n"
        "baselines.  Speedups are told over the baselines, and over the best\n"
        "that could be built: the fastest of the baselines and of `best:`.\n"
        "The ceiling is the speedup if all communication of the offload were\n"
        "hidden: the iteration time of the best baseline over the\n"
        "compute_roofline_us of the offload.\n\n"
        "Example:\n"
        "  acesim compare results/isca21 --baselines comm-opt,comp-opt",
    .run = run_compare_command,
};
