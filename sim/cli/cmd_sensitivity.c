/*
 * cmd_sensitivity.c - acesim sensitivity: ranks the assumptions that a result
 * depends on
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/core/aligned_table.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/output.h"
#include "sim/host/progress.h"
#include "sim/sensitivity/sensitivity_text.h"
#include "sim/study/csv_columns.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/run_rows.h"
#include "sim/view/plots/plot_files.h"

#define MAX_JOBS  1000
#define CSV_NAME  "sensitivity.csv"
#define PLOT_NAME "sensitivity"

typedef struct {
    char **sets, **ranges; /* owned; all may be NULL */
    char *baselines, *only, *skip, *metric, *file, *fold, *csv, *folder;
    int n_jobs;
    gboolean json;
} SensitivityOptions;

static void clear_sensitivity_options(SensitivityOptions *options)
{
    g_strfreev(options->sets);
    g_strfreev(options->ranges);
    g_free(options->baselines);
    g_free(options->only);
    g_free(options->skip);
    g_free(options->metric);
    g_free(options->file);
    g_free(options->fold);
    g_free(options->csv);
    g_free(options->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SensitivityOptions, clear_sensitivity_options)

/* ---- printing and writing the results ------------------------------------ */

/* Draws the plot.  A missing gnuplot is not an error, because the rows are
 * written. */
static gboolean draw_sensitivity_plot(const char *folder, OutputGroup *group,
                                      GError **error)
{
    g_autoptr(SweepResults) results = results_load_sensitivity(folder, error);
    const PlotKind *kind = plot_find_kind(PLOT_NAME);
    g_autofree char *reason_not = NULL;
    g_autoptr(GError) reason = NULL;

    if (!results || !plot_fits_results(kind, results, &reason_not, error))
        return FALSE;
    if (!reason_not &&
        !plot_write_kind(kind, results, CANVAS_WIDTH_PX, group, NULL,
                         &reason) &&
        !g_error_matches(reason, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)) {
        g_propagate_error(error, g_steal_pointer(&reason));
        return FALSE;
    }
    if (reason_not || reason)
        fprintf(stderr, "no plot: %s\n",
                reason_not ? reason_not : reason->message);
    else
        fprintf(stderr, "wrote %s/plots/" PLOT_NAME ".svg and .png\n", folder);
    return TRUE;
}

static gboolean write_study_folder(const SensitivityStudy *study,
                                   const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, CSV_NAME, NULL);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) rows = sensitivity_study_to_csv(study);

    if (!output_make_folder(folder, error) ||
        !output_replace_file(path, rows, error))
        return FALSE;
    fprintf(stderr, "wrote %s\n", path);
    return draw_sensitivity_plot(folder, group, error) &&
           output_group_commit(group, error);
}

/* Prints the result before writing files, because it took long to compute and a
 * file may fail. */
static gboolean print_sensitivity_study(const SensitivityStudy *study,
                                        const SensitivityOptions *options,
                                        GError **error)
{
    g_autoptr(GString) rows = sensitivity_study_to_csv(study);

    if (options->json) {
        g_autoptr(GString) json = sensitivity_study_to_json(study);

        fputs(json->str, stdout);
    } else if (!options->csv || !output_is_stdout_name(options->csv)) {
        g_autofree char *text =
            sensitivity_study_text(study, table_terminal_width());

        fputs(text, stdout);
    }
    fflush(stdout);
    return (!options->csv ||
            output_write_user_path(options->csv, rows, error)) &&
           (!options->folder ||
            write_study_folder(study, options->folder, error));
}

/* ---- running the study --------------------------------------------------- */

static void show_study_progress(gpointer self, guint n_done, guint n_total)
{
    Progress *progress = self;

    progress->n_done = n_done;
    progress->n_total = n_total;
    progress_show(progress);
}

/* Adds the file of assumptions, and the files that its cases and baselines
 * name. */
static void add_assumption_input_files(NamedFiles *files, const char *path)
{
    g_autoptr(ConfigDoc) doc = load_run_or_sweep_file(path, NULL);

    named_files_add_path(files, path);
    if (doc)
        named_files_add_values(files, doc);
}

static gboolean
check_sensitivity_outputs(const StudyOptions *options,
                          const SensitivityOptions *sensitivity_options,
                          GError **error)
{
    g_autofree char *rows =
        sensitivity_options->folder
            ? g_build_filename(sensitivity_options->folder, CSV_NAME, NULL)
            : NULL;
    const NamedOutput outputs[] = { { "-o", rows },
                                    { "--csv", sensitivity_options->csv },
                                    { 0 } };

    g_autoptr(NamedFiles) files = named_files_new();

    input_files_add_run(files, options->path, options->sets, 0);
    if (options->file)
        add_assumption_input_files(files, options->file);
    for (guint i = 0; options->baselines && options->baselines[i]; i++) {
        const InputPart endpoint[] = { { "endpoint", options->baselines[i] },
                                       { 0 } };

        input_files_add_parts(files, endpoint, NULL);
    }
    return input_files_check(outputs, files, error);
}

/* Checks before the first run that the results can be written. */
static gboolean check_results_are_writable(const SensitivityOptions *options,
                                           GError **error)
{
    g_autofree char *rows = NULL;

    if (!options->folder)
        return TRUE;
    rows = g_build_filename(options->folder, CSV_NAME, NULL);
    return output_make_folder(options->folder, error) &&
           output_check_writable(rows, error);
}

static int run_and_write_study(const StudyOptions *options,
                               const SensitivityOptions *sensitivity_options)
{
    Progress *progress = options->self;
    g_autoptr(GError) error = NULL;
    g_autoptr(SensitivityStudy) study = NULL;
    int number;

    if (!check_sensitivity_outputs(options, sensitivity_options, &error) ||
        !check_results_are_writable(sensitivity_options, &error))
        return cli_report_error(error);
    progress_start_display(progress, 0, 0);
    study = sensitivity_study_run(options, &number, &error);
    if (progress->is_terminal)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    if (number != 0) {
        fprintf(stderr, "interrupted by signal %d (%s)\n", number,
                strsignal(number));
        return CLI_SIGNALLED + number;
    }
    if (!study ||
        !print_sensitivity_study(study, sensitivity_options, &error) ||
        !failed_runs_check_none(&study->failed_runs, "configurations", &error))
        return cli_report_error(error);
    return CLI_OK;
}

/* ---- checking the command line ------------------------------------------- */

static gboolean check_range_options(const CliCommand *command,
                                    char *const *ranges, int *status)
{
    for (guint i = 0; ranges && ranges[i]; i++) {
        const char *equals = strchr(ranges[i], '=');

        if (equals && equals > ranges[i] && equals[1] != '\0')
            continue;
        *status = cli_report_usage_error(
            command, "--range: expected KEY=VALUE..VALUE, got '%s'", ranges[i]);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_metric_name(const CliCommand *command, const char *metric,
                                  int *status)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    const char *nearest;

    if (!metric || g_str_equal(metric, STUDY_SPEEDUP) ||
        rows_unit_of_column(metric))
        return TRUE;
    g_ptr_array_add(known, (gpointer)STUDY_SPEEDUP);
    for (const Column *column = columns; column->name; column++)
        if (column_scale_of_unit(column->unit))
            g_ptr_array_add(known, (gpointer)column->name);
    g_ptr_array_add(known, NULL);
    nearest = words_find_nearest(metric, (const char *const *)known->pdata);
    *status = cli_report_usage_error(
        command, "--metric: no column of numbers '%s'%s%s%s", metric,
        nearest ? "; did you mean '" : "", nearest ? nearest : "",
        nearest ? "'?" : "");
    return FALSE;
}

static gboolean check_job_count(const CliCommand *command, int *n_jobs,
                                int *status)
{
    if (*n_jobs == 0)
        *n_jobs = (int)MIN(g_get_num_processors(), MAX_JOBS);
    if (*n_jobs > 0 && *n_jobs <= MAX_JOBS)
        return TRUE;
    *status =
        cli_report_usage_error(command, "--jobs: expected 1 to %d", MAX_JOBS);
    return FALSE;
}

static gboolean check_output_options(const CliCommand *command,
                                     const SensitivityOptions *options,
                                     int *status)
{
    if (!options->json || !options->csv || !output_is_stdout_name(options->csv))
        return TRUE;
    *status = cli_report_usage_error(
        command, "--json and rows both want standard output");
    return FALSE;
}

static char **split_name_list(const char *text)
{
    return text ? options_split_names(text) : NULL;
}

static int run_sensitivity_study(const SensitivityOptions *sensitivity_options,
                                 const char *path, FoldMode fold)
{
    g_auto(GStrv) baselines = split_name_list(sensitivity_options->baselines);
    g_auto(GStrv) only = split_name_list(sensitivity_options->only);
    g_auto(GStrv) skip = split_name_list(sensitivity_options->skip);
    g_autofree char *file = sensitivity_options->file
                                ? g_strdup(sensitivity_options->file)
                                : assumptions_find_file(path);
    Progress progress;
    const StudyOptions options = {
        .path = path,
        .file = file,
        .sets = sensitivity_options->sets,
        .baselines = baselines,
        .filter = { .ranges = sensitivity_options->ranges,
                    .only = only,
                    .skip = skip },
        .metric = sensitivity_options->metric ? sensitivity_options->metric
                                              : STUDY_SPEEDUP,
        .run_options.fold = fold,
        .n_jobs = (guint)sensitivity_options->n_jobs,
        .on_progress = show_study_progress,
        .self = &progress,
    };

    return run_and_write_study(&options, sensitivity_options);
}

static int run_sensitivity_command(const CliCommand *command, char **argv)
{
    g_auto(SensitivityOptions) o = { 0 };
    g_auto(GStrv) rest = NULL;
    FoldMode fold;
    const GOptionEntry entries[] = {
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &o.n_jobs,
          "Runs at a time; one a processor by default", "N" },
        OPTIONS_SET(&o.sets),
        { "baselines", 0, 0, G_OPTION_ARG_FILENAME, &o.baselines,
          "Baselines: names in the file of assumptions, or endpoints",
          "FILE,FILE" },
        { "metric", 0, 0, G_OPTION_ARG_FILENAME, &o.metric,
          "A column of run --csv, of the offload; speedup by default",
          "COLUMN" },
        { "range", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.ranges,
          "Try these values of KEY and no others; x0.5 is a factor",
          "KEY=LOW..HIGH" },
        { "only", 0, 0, G_OPTION_ARG_FILENAME, &o.only,
          "Vary these only: names as the table has them, or sections",
          "NAME,NAME" },
        { "skip", 0, 0, G_OPTION_ARG_FILENAME, &o.skip, "Vary all but these",
          "NAME,NAME" },
        { "assumptions", 0, 0, G_OPTION_ARG_FILENAME, &o.file,
          "Ranges, cases and baselines; sensitivity.yaml beside CONFIG or "
          "above by default",
          "FILE" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.folder,
          "Write DIR/" CSV_NAME ", and a plot of it", "DIR" },
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv,
          "Write a row for each value tried; - is standard output", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "Print the ranking as JSON",
          NULL },
        OPTIONS_FOLD(&o.fold),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !options_check_sets(command, o.sets, &status) ||
        !options_parse_fold(command, o.fold, &fold, &status) ||
        !check_range_options(command, o.ranges, &status) ||
        !check_metric_name(command, o.metric, &status) ||
        !check_job_count(command, &o.n_jobs, &status) ||
        !check_output_options(command, &o, &status))
        return status;
    return run_sensitivity_study(&o, rest[0], fold);
}

const CliCommand cmd_sensitivity = {
    .name = "sensitivity",
    .arguments = "CONFIG",
    .summary = "Rank the assumptions by their effect on a speedup",
    .detail =
        "Varies, one at a time, every value of which the source says that it\n"
        "is assumed, fitted or recalled, and the ranges and cases of a file\n"
        "of assumptions; ranks them by how far they move the speedup of\n"
        "CONFIG's endpoint over the best baseline; then changes together all\n"
        "that lower it, and all that raise it.\n\n"
        "CONFIG is a run, or a sweep: then the speedup is the mean over its\n"
        "points, by the names under compare:.  Without a range a number is\n"
        "halved and doubled, and of words every other is tried.\n"
        "`acesim list sensitivity` has what a file of assumptions may say.\n\n"
        "Example:\n"
        "  acesim sensitivity configs/runs/isca21.yaml\n"
        "  acesim sensitivity configs/runs/isca21.yaml --only release,tuning\n"
        "  acesim sensitivity configs/runs/isca21.yaml \\\n"
        "      --range platform.npu.flops_efficiency='30 %..90 %'",
    .run = run_sensitivity_command,
};
