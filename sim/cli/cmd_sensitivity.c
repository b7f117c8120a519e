/*
 * cmd_sensitivity.c - acesim sensitivity: ranks the assumptions that a result
 * depends on
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/core/table.h"
#include "sim/core/words.h"
#include "sim/host/output.h"
#include "sim/host/progress.h"
#include "sim/sensitivity/study_text.h"
#include "sim/study/load.h"
#include "sim/study/rows/rows.h"
#include "sim/study/units.h"
#include "sim/view/plots/write.h"

#define MAX_JOBS  1000
#define CSV_NAME  "sensitivity.csv"
#define PLOT_NAME "sensitivity"

typedef struct {
    char **sets, **ranges; /* owned; all may be NULL */
    char *baselines, *only, *skip, *metric, *file, *fold, *csv, *folder;
    int n_jobs;
    gboolean json;
} SensitivityOptions;

static void clear_options(SensitivityOptions *o)
{
    g_strfreev(o->sets);
    g_strfreev(o->ranges);
    g_free(o->baselines);
    g_free(o->only);
    g_free(o->skip);
    g_free(o->metric);
    g_free(o->file);
    g_free(o->fold);
    g_free(o->csv);
    g_free(o->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SensitivityOptions, clear_options)

/* ---- printing and writing the results ------------------------------------ */

/* Draws the plot.  A missing gnuplot is not an error, because the rows are
 * written. */
static gboolean draw(const char *folder, OutputGroup *group, GError **error)
{
    g_autoptr(Results) results = results_load_sensitivity(folder, error);
    const PlotKind *kind = plot_find(PLOT_NAME);
    g_autofree char *reason_not = NULL;
    g_autoptr(GError) reason = NULL;

    if (!results || !plot_fits(kind, results, &reason_not, error))
        return FALSE;
    if (!reason_not && !plot_write(kind, results, group, NULL, &reason) &&
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

static gboolean write_folder(const Study *study, const char *folder,
                             GError **error)
{
    g_autofree char *path = g_build_filename(folder, CSV_NAME, NULL);
    g_autoptr(OutputGroup) group = output_group_new();
    g_autoptr(GString) rows = study_csv(study);

    if (!output_make_folder(folder, error) ||
        !output_replace(path, rows, error))
        return FALSE;
    fprintf(stderr, "wrote %s\n", path);
    return draw(folder, group, error) && output_group_commit(group, error);
}

/* Prints the result before writing files, because it took long to compute and a
 * file may fail. */
static gboolean print(const Study *study, const SensitivityOptions *o,
                      GError **error)
{
    g_autoptr(GString) rows = study_csv(study);

    if (o->json) {
        g_autoptr(GString) json = study_json(study);

        fputs(json->str, stdout);
    } else if (!o->csv || !output_is_stdout(o->csv)) {
        g_autofree char *text = study_text(study, table_terminal_width());

        fputs(text, stdout);
    }
    fflush(stdout);
    return (!o->csv || output_write(o->csv, rows, error)) &&
           (!o->folder || write_folder(study, o->folder, error));
}

/* ---- running the study --------------------------------------------------- */

static void on_progress(gpointer self, guint n_done, guint n_total)
{
    Progress *progress = self;

    progress->n_done = n_done;
    progress->n_total = n_total;
    progress_show(progress);
}

/* Adds the file of assumptions, and the files that its cases and baselines
 * name. */
static void add_assumptions(NamedFiles *files, const char *path)
{
    g_autoptr(ConfigDoc) doc = load_file(path, NULL);

    named_files_add_path(files, path);
    if (doc)
        named_files_add_values(files, doc);
}

static gboolean check_outputs(const StudyOptions *options,
                              const SensitivityOptions *o, GError **error)
{
    g_autofree char *rows =
        o->folder ? g_build_filename(o->folder, CSV_NAME, NULL) : NULL;
    const NamedOutput outputs[] = { { "-o", rows },
                                    { "--csv", o->csv },
                                    { 0 } };

    g_autoptr(NamedFiles) files = named_files_new();

    input_files_add_run(files, options->path, options->sets, 0);
    if (options->file)
        add_assumptions(files, options->file);
    for (guint i = 0; options->baselines && options->baselines[i]; i++) {
        const InputPart endpoint[] = { { "endpoint", options->baselines[i] },
                                       { 0 } };

        input_files_add_parts(files, endpoint, NULL);
    }
    return input_files_check(outputs, files, error);
}

/* Checks before the first run that the results can be written. */
static gboolean check_writable(const SensitivityOptions *o, GError **error)
{
    g_autofree char *rows = NULL;

    if (!o->folder)
        return TRUE;
    rows = g_build_filename(o->folder, CSV_NAME, NULL);
    return output_make_folder(o->folder, error) && output_probe(rows, error);
}

static int run_study(const StudyOptions *options, const SensitivityOptions *o)
{
    Progress *progress = options->self;
    g_autoptr(GError) error = NULL;
    g_autoptr(Study) study = NULL;
    int number;

    if (!check_outputs(options, o, &error) || !check_writable(o, &error))
        return cli_fail(error);
    progress_begin(progress, 0, 0);
    study = study_run(options, &number, &error);
    if (progress->is_terminal)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    if (number != 0) {
        fprintf(stderr, "interrupted by signal %d (%s)\n", number,
                strsignal(number));
        return CLI_SIGNALLED + number;
    }
    if (!study || !print(study, o, &error) ||
        !failed_runs_are_none(&study->failed_runs, "configurations", &error))
        return cli_fail(error);
    return CLI_OK;
}

/* ---- checking the command line ------------------------------------------- */

static gboolean check_ranges(const CliCommand *command, char *const *ranges,
                             int *status)
{
    for (guint i = 0; ranges && ranges[i]; i++) {
        const char *equals = strchr(ranges[i], '=');

        if (equals && equals > ranges[i] && equals[1] != '\0')
            continue;
        *status = cli_usage(
            command, "--range: expected KEY=VALUE..VALUE, got '%s'", ranges[i]);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_metric(const CliCommand *command, const char *metric,
                             int *status)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    g_autofree Column *columns = rows_columns(ROWS_RUNS);
    const char *nearest;

    if (!metric || g_str_equal(metric, STUDY_SPEEDUP) || rows_unit(metric))
        return TRUE;
    g_ptr_array_add(known, (gpointer)STUDY_SPEEDUP);
    for (const Column *c = columns; c->name; c++)
        if (unit_of(c->unit))
            g_ptr_array_add(known, (gpointer)c->name);
    g_ptr_array_add(known, NULL);
    nearest = words_nearest(metric, (const char *const *)known->pdata);
    *status = cli_usage(command, "--metric: no column of numbers '%s'%s%s%s",
                        metric, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
    return FALSE;
}

static gboolean check_jobs(const CliCommand *command, int *n_jobs, int *status)
{
    if (*n_jobs == 0)
        *n_jobs = (int)MIN(g_get_num_processors(), MAX_JOBS);
    if (*n_jobs > 0 && *n_jobs <= MAX_JOBS)
        return TRUE;
    *status = cli_usage(command, "--jobs: expected 1 to %d", MAX_JOBS);
    return FALSE;
}

static gboolean check_output(const CliCommand *command,
                             const SensitivityOptions *o, int *status)
{
    if (!o->json || !o->csv || !output_is_stdout(o->csv))
        return TRUE;
    *status = cli_usage(command, "--json and rows both want standard output");
    return FALSE;
}

static char **names_of(const char *text)
{
    return text ? options_names(text) : NULL;
}

static int run_with_options(const SensitivityOptions *o, const char *path,
                            FoldMode fold)
{
    g_auto(GStrv) baselines = names_of(o->baselines);
    g_auto(GStrv) only = names_of(o->only);
    g_auto(GStrv) skip = names_of(o->skip);
    g_autofree char *file =
        o->file ? g_strdup(o->file) : assumptions_find(path);
    Progress progress;
    const StudyOptions options = {
        .path = path,
        .file = file,
        .sets = o->sets,
        .baselines = baselines,
        .filter = { .ranges = o->ranges, .only = only, .skip = skip },
        .metric = o->metric ? o->metric : STUDY_SPEEDUP,
        .fold = fold,
        .n_jobs = (guint)o->n_jobs,
        .on_progress = on_progress,
        .self = &progress,
    };

    return run_study(&options, o);
}

static int run(const CliCommand *command, char **argv)
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
          "Vary these alone: names as the table has them, or sections",
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
        { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "Print it as JSON", NULL },
        OPTIONS_FOLD(&o.fold),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_count(command, rest, 1, 1, &status) ||
        !options_sets(command, o.sets, &status) ||
        !options_fold(command, o.fold, &fold, &status) ||
        !check_ranges(command, o.ranges, &status) ||
        !check_metric(command, o.metric, &status) ||
        !check_jobs(command, &o.n_jobs, &status) ||
        !check_output(command, &o, &status))
        return status;
    return run_with_options(&o, rest[0], fold);
}

const CliCommand cmd_sensitivity = {
    .name = "sensitivity",
    .arguments = "CONFIG",
    .summary = "Rank the assumptions that a speedup depends on",
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
    .run = run,
};
