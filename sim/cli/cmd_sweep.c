/* cmd_sweep.c - acesim sweep: all points of a sweep into one CSV */
#include <stdio.h>
#include <unistd.h>

#include "sim/cli/info.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/plots/write.h"
#include "sim/cli/resolved.h"
#include "sim/cli/sweep_estimate.h"
#include "sim/cli/sweep_run.h"

#define MAX_JOBS 1000

typedef struct {
    char **argv;  /* borrowed */
    char **sets;  /* owned */
    char *folder; /* owned */
    char *fold;   /* owned */
    int n_jobs;   /* 0: one a processor */
    gboolean dry_run, per_layer, per_link;
} SweepOptions;

static void clear_options(SweepOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->folder);
    g_free(options->fold);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepOptions, clear_options)

static const char *const file_names[ROWS_N_FILES] = {
    [ROWS_RUNS] = "runs",
    [ROWS_LAYERS] = "layers",
    [ROWS_PORTS] = "links",
};

/* results/NAME for .../NAME.yaml */
static char *default_folder(const char *sweep)
{
    g_autofree char *name = g_path_get_basename(sweep);
    g_auto(GStrv) parts = g_strsplit(name, ".", 2);

    return g_build_filename("results", *parts[0] ? parts[0] : name, NULL);
}

/* Lists the points and how long they will take. */
static int dry_run(const SweepPlan *plan, FoldMode fold, guint n_jobs)
{
    g_autofree char *estimate = NULL;
    int number;

    for (guint i = 0; i < sweep_plan_n_points(plan); i++) {
        g_autofree char *text = sweep_plan_describe(plan, i);

        puts(text);
    }
    printf("%u points\n", sweep_plan_n_points(plan));
    fflush(stdout);
    estimate = sweep_estimate(plan, fold, n_jobs, &number);
    if (!estimate)
        return CLI_SIGNALLED + number;
    puts(estimate);
    return CLI_OK;
}

static gboolean write_csv(const SweepOptions *options, const SweepRun *run,
                          RowsFile file, gboolean partial, GError **error)
{
    g_autofree char *name = g_strdup_printf("%s%s.csv", file_names[file],
                                            partial ? ".partial" : "");
    g_autofree char *path = g_build_filename(options->folder, name, NULL);
    GString *text = sweep_run_csv(run, file);
    gboolean ok = output_write(path, text, error);

    g_string_free(text, TRUE);
    if (ok && partial)
        fprintf(stderr,
                "interrupted: %s has the %u of %u points that are "
                "done\n",
                path, run->progress.n_done, run->progress.n_total);
    return ok;
}

static gboolean write_info(const SweepOptions *options, const SweepRun *run,
                           const char *sweep, GError **error)
{
    g_autofree char *path =
        g_build_filename(options->folder, "info.json", NULL);
    const Progress *progress = &run->progress;
    const Info info = { .sweep = sweep,
                        .command = options->argv,
                        .n_jobs = (guint)options->n_jobs,
                        .n_points = progress->n_total,
                        .n_done = progress->n_done,
                        .n_failed = progress->n_failed,
                        .wall_s = progress_seconds(progress),
                        .baselines = sweep_plan_baselines(run->plan),
                        .offload = sweep_plan_offload(run->plan) };
    GString *text = info_text(&info);
    gboolean ok = output_write(path, text, error);

    g_string_free(text, TRUE);
    return ok;
}

static gboolean write_config(const SweepOptions *options, const SweepRun *run,
                             GError **error)
{
    g_autofree char *path =
        g_build_filename(options->folder, "config.csv", NULL);
    g_autoptr(GString) text = resolved_csv(run->plan);

    return output_write(path, text, error);
}

/* What an earlier sweep left in the folder says nothing about this one. */
static void remove_stale(const SweepOptions *options, const SweepRun *run)
{
    g_autofree char *compare =
        g_build_filename(options->folder, "compare.csv", NULL);
    g_autofree char *report =
        g_build_filename(options->folder, "report.html", NULL);

    unlink(compare);
    unlink(report);
    plot_remove_all(options->folder);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autofree char *name = g_strdup_printf("%s.csv", file_names[file]);
        g_autofree char *path = g_build_filename(options->folder, name, NULL);

        if (!run->wanted[file])
            unlink(path);
    }
}

static gboolean write_all(const SweepOptions *options, const SweepRun *run,
                          const char *sweep, GError **error)
{
    g_autofree char *partial =
        g_build_filename(options->folder, "runs.partial.csv", NULL);
    g_autofree char *path = g_build_filename(options->folder, "runs.csv", NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file] && !write_csv(options, run, file, FALSE, error))
            return FALSE;
    if (!write_info(options, run, sweep, error) ||
        !write_config(options, run, error))
        return FALSE;
    unlink(partial); /* of an earlier, interrupted sweep */
    remove_stale(options, run);
    fprintf(stderr, "wrote %s\n", path);
    return TRUE;
}

/* Before the first point: hours of work must not end in nothing. */
static gboolean probe_all(const SweepOptions *options, const SweepRun *run,
                          GError **error)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autofree char *name = g_strdup_printf("%s.csv", file_names[file]);
        g_autofree char *path = g_build_filename(options->folder, name, NULL);

        if (run->wanted[file] && !output_probe(path, error))
            return FALSE;
    }
    return TRUE;
}

static int run_points(const SweepOptions *options, const char *sweep,
                      SweepRun *run)
{
    g_autoptr(GError) error = NULL;
    int number;

    if (!output_make_folder(options->folder, &error) ||
        !probe_all(options, run, &error))
        return cli_fail(error);
    number = sweep_run_all(run, (guint)options->n_jobs);
    if (number != 0) {
        if (!write_csv(options, run, ROWS_RUNS, TRUE, &error))
            cli_fail(error);
        return CLI_SIGNALLED + number;
    }
    if (!write_all(options, run, sweep, &error))
        return cli_fail(error);
    return run->progress.n_failed > 0 ? CLI_FAILED : CLI_OK;
}

static int sweep_file(SweepOptions *options, const char *sweep, FoldMode fold)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = sweep_plan_load(sweep, options->sets, &error);
    g_auto(SweepRun) run = { 0 };

    if (!plan || !sweep_run_check(plan, FALSE, &error))
        return cli_fail(error);
    if (options->n_jobs == 0)
        options->n_jobs = (int)MIN(g_get_num_processors(), MAX_JOBS);
    if (options->dry_run)
        return dry_run(plan, fold, (guint)options->n_jobs);
    sweep_run_init(&run, plan);
    run.fold = fold;
    run.wanted[ROWS_LAYERS] = options->per_layer;
    run.wanted[ROWS_PORTS] = options->per_link;
    if (!options->folder)
        options->folder = default_folder(sweep);
    return run_points(options, sweep, &run);
}

static int run(const CliCommand *command, char **argv)
{
    g_auto(SweepOptions) o = { .argv = argv };
    g_auto(GStrv) rest = NULL;
    FoldMode fold;
    const GOptionEntry entries[] = {
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &o.n_jobs,
          "Points at a time; one a processor by default", "N" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.folder,
          "Where results go; results/SWEEP by default", "DIR" },
        OPTIONS_SET(&o.sets),
        { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &o.dry_run,
          "Check and list the points, say how long they will take", NULL },
        { "per-layer", 0, 0, G_OPTION_ARG_NONE, &o.per_layer,
          "Write DIR/layers.csv too", NULL },
        { "per-link", 0, 0, G_OPTION_ARG_NONE, &o.per_link,
          "Write DIR/links.csv too", NULL },
        OPTIONS_FOLD(&o.fold),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_count(command, rest, 1, 1, &status) ||
        !options_sets(command, o.sets, &status) ||
        !options_fold(command, o.fold, &fold, &status))
        return status;
    if (o.n_jobs < 0 || o.n_jobs > MAX_JOBS)
        return cli_usage(command, "--jobs: expected 1 to %d", MAX_JOBS);
    return sweep_file(&o, rest[0], fold);
}

const CliCommand cmd_sweep = {
    .name = "sweep",
    .arguments = "SWEEP",
    .summary = "Run every point of a sweep; one row of CSV for each",
    .detail =
        "Writes DIR/runs.csv, the same bytes for any number of jobs, and\n"
        "DIR/info.json with what differs from run to run, and DIR/config.csv\n"
        "with every value that the points had and where it is from.  A point\n"
        "that fails has its reason in the column `status`; the others go on.\n\n"
        "How far it is goes to standard error: a line that is written over on\n"
        "a terminal, else a line every few seconds.  --dry-run runs up to 16\n"
        "points, 3 s at most, to say how long all will take.\n\n"
        "Example:\n"
        "  acesim sweep configs/sweeps/isca21.yaml -j 2 -o results/isca21",
    .run = run,
};
