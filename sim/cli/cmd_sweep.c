/* cmd_sweep.c - acesim sweep: runs all points of a sweep and writes one CSV */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/sweep/folder_owner.h"
#include "sim/cli/sweep/sweep_attribution.h"
#include "sim/host/output.h"
#include "sim/study/inflight_window_notes.h"
#include "sim/sweep/reading/sweep_csv.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/sweep_check.h"
#include "sim/sweep/sweep_estimate.h"
#include "sim/sweep/sweep_run.h"

/* Lists the points and prints an estimate of their run time. */
static int print_sweep_estimate(const SweepPlan *plan, RunOptions run_options,
                                guint n_jobs)
{
    g_autofree char *estimate = NULL;
    guint n = sweep_plan_count_points(plan);
    int number;

    for (guint i = 0; sweep_plan_count_axes(plan) > 0 && i < n; i++) {
        g_autofree char *text = sweep_plan_describe_point(plan, i);

        puts(text);
    }
    printf("%u point%s\n", n, n == 1 ? "" : "s");
    fflush(stdout);
    estimate = sweep_estimate(plan, run_options, n_jobs, &number);
    if (!estimate)
        return CLI_SIGNALLED + number;
    puts(estimate);
    return CLI_OK;
}

/* Collects parts of a CSV. Only the first part has the header, which is put
 * before each of the others. */
typedef struct {
    WindowTally *tally;
    char *header; /* owned; NULL before the header */
} RowCollector;

static gboolean collect_csv_rows(gpointer self, const GString *part,
                                 GError **error)
{
    RowCollector *collector = self;
    g_autofree char *text = NULL;
    g_autoptr(CsvTable) table = NULL;

    if (!collector->header) {
        collector->header = g_strdup(part->str);
        return TRUE;
    }
    text = g_strconcat(collector->header, part->str, NULL);
    table = csv_table_parse("runs.csv", text, strlen(text), error);
    if (table)
        window_tally_add_table(collector->tally, table);
    return table != NULL;
}

/* Prints where the rows are, and a note about the window, because users
 * overlook that column. */
static void print_result_location(const SweepFolder *folder,
                                  const SweepRun *run)
{
    g_autofree char *path = sweep_folder_csv(folder, ROWS_RUNS);
    g_autoptr(WindowTally) tally = window_tally_new();
    RowCollector collector = { .tally = tally };
    g_autofree char *note = NULL;

    if (sweep_run_write_csv(run, ROWS_RUNS, collect_csv_rows, &collector, NULL))
        note = note_on_chunk_window_tally(tally);
    g_free(collector.header);
    fprintf(stderr, "wrote %s\n", path);
    if (note)
        fprintf(stderr, "%s\n", note);
}

/* Writes the completed rows as a CSV for users; the journal has them in any
 * case. */
static int finish_after_signal(const SweepFolder *folder, const SweepRun *run,
                               int number)
{
    g_autofree char *path = sweep_folder_path(folder, SWEEP_PARTIAL);
    g_autoptr(GError) error = NULL;

    if (!sweep_folder_write_partial(folder, run, &error))
        cli_report_error(error);
    fprintf(stderr,
            "interrupted: %s has the %u of %u points that are done; the same "
            "command continues from there\n",
            error ? folder->path : path, run->progress.n_done,
            run->progress.n_total);
    return CLI_SIGNALLED + number;
}

static int finish_after_error(const SweepOptions *options, const SweepRun *run)
{
    cli_report_error(run->error);
    if (g_file_test(options->folder, G_FILE_TEST_IS_DIR))
        fprintf(stderr,
                "stopped: %s has what was done before; the same command "
                "continues from there\n",
                options->folder);
    return CLI_FAILED;
}

static int run_sweep_points(const SweepOptions *options, const char *sweep,
                            SweepRun *run, const ResolvedValues *resolved)
{
    const SweepFolder folder = { options->folder, options->argv,
                                 (guint)options->n_jobs };
    g_auto(SharedSweepFolder) opened = { 0 };
    g_auto(FolderOwner) owner = { 0 };
    g_autoptr(GError) error = NULL;
    int number;

    /* A closed pipe of the log must not end a sweep. */
    signal(SIGPIPE, SIG_IGN);
    if (!output_make_folder(options->folder, &error) ||
        (!options->fresh &&
         !folder_owner_check(&folder, sweep, run, &owner, &error)) ||
        !sweep_folder_check_writable(&folder, run, &error) ||
        !shared_sweep_folder_open(&options->shared_sweep, &folder, run,
                                  options->fresh, &opened, &error) ||
        (!options->fresh &&
         !folder_owner_confirm(&folder, sweep, &owner, &error)))
        return cli_report_error(error);
    folder_owner_report(&owner);
    sweep_folder_remove_leftovers(&folder);
    if (!sweep_run_find_done_points(run, &error) ||
        !sweep_folder_write_missing_info(&folder, run, sweep, &error))
        return cli_report_error(error);
    shared_sweep_report_merged(&opened, options->folder);
    number = sweep_run_all_points(run, (guint)options->n_jobs);
    if (number != 0)
        return finish_after_signal(&folder, run, number);
    if (run->stop)
        return finish_after_error(options, run);
    if (!sweep_folder_write(&folder, run, resolved, sweep, &error))
        return cli_report_error(error);
    claim_paths_remove_all(options->folder);
    if (!options->quiet) {
        sweep_folder_report_shared(run);
        print_result_location(&folder, run);
    }
    if (run->progress.n_failed > 0)
        fprintf(stderr,
                "%u of %u points failed: the column `status` says why, the "
                "same command tries them again\n",
                run->progress.n_failed, run->progress.n_total);
    number = sweep_find_causes(options);
    return number != CLI_OK              ? number
           : run->progress.n_failed == 0 ? CLI_OK
                                         : CLI_FAILED;
}

static int run_sweep_as_worker(const SweepOptions *options, const char *sweep,
                               SweepRun *run)
{
    const SweepFolder folder = { options->folder, options->argv,
                                 (guint)options->n_jobs };

    return shared_sweep_run_worker(&options->shared_sweep, &folder, sweep, run);
}

/* Collects everything that is needed of a point when it is read, because
 * reading it is expensive. */
typedef struct {
    SweepRun *run;
    ResolvedValues *resolved;
    NamedFiles *files;
} PointFacts;

static void collect_point_facts(gpointer self, guint point, SweepReader *reader,
                                const SystemConfig *config)
{
    const PointFacts *reading = self;
    const GArray *changes = sweep_reader_changes(reader);

    sweep_run_store_point_id(reading->run, point, reader);
    if (changes) {
        resolved_values_record_changes(reading->resolved, changes);
        return;
    }
    resolved_values_record_point(reading->resolved,
                                 sweep_reader_document(reader), config);
    named_files_add(reading->files, sweep_reader_document(reader));
}

static void init_sweep_run(const SweepOptions *options, const SweepPlan *plan,
                           SweepRun *run)
{
    sweep_run_init(run, plan);
    run->run_options = options->run_options;
    run->progress.is_quiet = options->quiet;
    run->wanted[ROWS_LAYERS] = options->per_layer;
    run->wanted[ROWS_PORTS] = options->per_link;
    run->wanted[ROWS_UTILISATION] = options->utilisation;
    run->wanted[ROWS_JOBS] = options->per_job;
    run->timeout_us = options->timeout_us;
    run->memory_bytes = options->memory_bytes;
    run->point_memory = options->point_memory;
    run->is_shared = options->is_shared;
    run->n_share_checks = (guint)options->n_share_checks;
}

static int run_sweep_file(SweepOptions *options, const char *sweep)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = sweep_plan_load(sweep, options->sets, &error);
    g_autoptr(ResolvedValues) resolved = resolved_values_new();
    g_autoptr(NamedFiles) files = named_files_new();
    g_auto(SweepRun) run = { 0 };
    PointFacts reading = { &run, resolved, files };

    if (!plan)
        return cli_report_error(error);
    init_sweep_run(options, plan, &run);
    if (!sweep_check(plan, FALSE, options->dry_run ? NULL : collect_point_facts,
                     &reading, &error))
        return cli_report_error(error);
    if (options->dry_run)
        return print_sweep_estimate(plan, options->run_options,
                                    (guint)options->n_jobs);
    if (!options->folder)
        options->folder = sweep_folder_default_path(sweep);
    if (!sweep_folder_check_inputs(options->folder, sweep, files, &error))
        return cli_report_error(error);
    if (options->shared_sweep.slurm)
        return shared_sweep_run_slurm(&options->shared_sweep, options->argv);
    if (options->shared_sweep.shard)
        return run_sweep_as_worker(options, sweep, &run);
    return run_sweep_points(options, sweep, &run, resolved);
}

static int run_sweep_command(const CliCommand *command, char **argv)
{
    g_auto(SweepOptions) o = sweep_options_init(argv);
    g_auto(GStrv) rest = NULL;
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
        { "per-job", 0, 0, G_OPTION_ARG_NONE, &o.per_job,
          "Write DIR/jobs.csv too", NULL },
        { "utilisation", 0, 0, G_OPTION_ARG_NONE, &o.utilisation,
          "Write DIR/utilisation.csv too, for the plot of that name", NULL },
        { "attribution", 0, 0, G_OPTION_ARG_NONE, &o.attribution,
          "Write the parts of each point's time to DIR/attribution.csv", NULL },
        { "what-ifs", 0, 0, G_OPTION_ARG_NONE, &o.what_ifs,
          "Write what changes would bring to DIR/what_ifs.csv too", NULL },
        { "fresh", 0, 0, G_OPTION_ARG_NONE, &o.fresh,
          "Run all points, also those that DIR has", NULL },
        { "point-timeout", 0, 0, G_OPTION_ARG_FILENAME, &o.point_timeout,
          "A point that takes longer has failed; '600 s'", "TIME" },
        { "point-memory", 0, 0, G_OPTION_ARG_FILENAME, &o.point_memory,
          "A point that needs more has failed; that of the machine by default",
          "SIZE" },
        { "share", 0, 0, G_OPTION_ARG_FILENAME, &o.share,
          "Whether points share a run that would be the same for them",
          "auto|off" },
        { "share-check", 0, 0, G_OPTION_ARG_INT, &o.n_share_checks,
          "Also simulate about N of those points, and compare", "N" },
        OPTIONS_CLUSTER(&o.shared_sweep),
        OPTIONS_FOLD(&o.fold),
        OPTIONS_SKIP(&o.skip),
        OPTIONS_QUIET(&o.quiet, "Print errors only"),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !sweep_options_evaluate(command, &o, &status))
        return status;
    return run_sweep_file(&o, rest[0]);
}

const CliCommand cmd_sweep = {
    .name = "sweep",
    .arguments = "SWEEP",
    .summary = "Simulate every point of a sweep; one CSV row a point",
    .detail =
        "A SWEEP has base:, a run file, and axes:, a list of maps: KEY: [A, "
        "B]\nvaries a key of the run, each value with each of the other axes; "
        "zip:\nhas such lists that go on together; cases: names sets of "
        "values.\nexclude: leaves points out, compare: names the endpoints to "
        "compare.\n`acesim list sweep` has all of it, docs/sweeps.md an "
        "example of each.\n\nWrites DIR/runs.csv, the same bytes for any "
        "number of jobs, and\nDIR/info.json with what differs from run to "
        "run, and DIR/config.csv\nwith every value that the points had and "
        "where it is from.  A point\nthat fails has its reason in the column "
        "`status`; the others go on.\n\nDIR/runs.journal has what is done.  "
        "After ^C, a kill or a full disk\nthe same command continues from "
        "there; after a change of files or of\nthe program it runs the points "
        "that the change concerns.\n\nWith --shard it is one of several "
        "workers that share DIR, on one machine\nor many; the command without "
        "it then gathers what they have done.\ndocs/clusters.md has what may "
        "happen.\n\nHow far it is goes to standard error: a line that is "
        "written over on\na terminal, else a line every few seconds.  "
        "--dry-run runs up to 16\npoints, 3 s at most, to say how long all "
        "will take.\n\nExample:\n  acesim sweep configs/papers/ace/isca21.yaml -j "
        "2 -o results/isca21",
    .run = run_sweep_command,
};
