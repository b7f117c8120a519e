/*
 * shared_sweep.c - a sweep that several processes share, on one machine or
 * several; see shared_sweep.h
 */
#include "sim/cli/sweep/shared_sweep.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/sweep/folder_owner.h"
#include "sim/cli/sweep/slurm.h"
#include "sim/host/output.h"
#include "sim/sweep/journal/journal_damage.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/merge_shard_results.h"
#include "sim/sweep/shard/sweep_worker.h"
#include "sim/sweep/shard/worker_rank.h"

#define STALE_S   120
#define PS_PER_US UINT64_C(1000000)
#define MAX_PARTS 1000000

/* ---- evaluating the options of a shared sweep ---------------------------- */

void shared_sweep_options_clear(SharedSweepOptions *options)
{
    g_free(options->shard);
    g_free(options->stale);
    g_free(options->slurm);
    g_free(options->found);
}

static gboolean parse_worker_count(const char *text, guint *ret)
{
    guint64 value;

    if (!g_ascii_string_to_unsigned(text, 10, 1, MAX_PARTS, &value, NULL))
        return FALSE;
    *ret = (guint)value;
    return TRUE;
}

/* Parses "3/8", "auto" or "auto/8". */
static gboolean parse_shard_option(const CliCommand *command,
                                   SharedSweepOptions *options, int *status)
{
    g_auto(GStrv) words = g_strsplit(options->shard, "/", 2);
    g_autoptr(GError) error = NULL;
    gboolean is_auto = g_strcmp0(words[0], "auto") == 0;
    guint index = 1, n = 0;

    if ((words[0] && words[1] && !parse_worker_count(words[1], &n)) ||
        (!is_auto &&
         (n == 0 || !parse_worker_count(words[0], &index) || index > n))) {
        *status = cli_report_usage_error(
            command,
            "--shard: expected I/N, the I-th from 1 of N "
            "workers, or auto, got '%s'",
            options->shard);
        return FALSE;
    }
    options->part = (ShardPart){ index - 1, n };
    if (!is_auto ||
        find_worker_rank(n, &options->part, &options->found, &error))
        return TRUE;
    *status =
        cli_report_usage_error(command, "--shard auto: %s", error->message);
    return FALSE;
}

static gboolean check_slurm_options(const CliCommand *command,
                                    const SharedSweepOptions *options,
                                    int *status)
{
    if (options->submit && !options->slurm)
        *status =
            cli_report_usage_error(command, "--submit: only with --slurm");
    else if (options->slurm && options->shard)
        *status = cli_report_usage_error(command, "--slurm: not with --shard");
    else if (options->slurm && !slurm_has_no_control_chars(options->slurm))
        *status = cli_report_usage_error(
            command, "--slurm: expected options on one line");
    else
        return TRUE;
    return FALSE;
}

gboolean shared_sweep_options_evaluate(const CliCommand *command,
                                       SharedSweepOptions *options, int *status)
{
    guint64 stale_ps = STALE_S * (guint64)G_USEC_PER_SEC * PS_PER_US;

    if (!options_parse_quantity(command, "--stale", options->stale, CONFIG_TIME,
                                &stale_ps, status))
        return FALSE;
    options->stale_us = (gint64)(stale_ps / PS_PER_US);
    if (options->stale_us < G_USEC_PER_SEC) {
        *status =
            cli_report_usage_error(command, "--stale: expected 1 s or more");
        return FALSE;
    }
    return check_slurm_options(command, options, status) &&
           (!options->shard || parse_shard_option(command, options, status));
}

int shared_sweep_run_slurm(const SharedSweepOptions *options, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) script = slurm_make_script(options->slurm, argv, &error);
    g_autofree char *command = slurm_gather_command(argv);

    if (!script)
        return cli_report_error(error);
    if (!options->submit) {
        fputs(script->str, stdout);
        return CLI_OK;
    }
    if (slurm_submit(script) != CLI_OK)
        return CLI_FAILED;
    fprintf(stderr, "when it has ended: %s\n", command);
    return CLI_OK;
}

guint shared_sweep_default_jobs(const SharedSweepOptions *options)
{
    guint n = options->shard ? find_assigned_processors() : 0;

    return n > 0 ? n : g_get_num_processors();
}

static void print_shared_sweep_message(gpointer self, const char *text)
{
    (void)self;
    fprintf(stderr, "%s\n", text);
}

/* ---- running as a worker ------------------------------------------------- */

static int finish_worker(const SweepFolder *folder, const SweepRun *run,
                         const PointBlockCount *count, int number)
{
    if (run->error)
        cli_report_error(run->error);
    if (run->stop && !g_file_test(folder->path, G_FILE_TEST_IS_DIR))
        /* The results folder does not exist, so the worker cannot continue. */
        return CLI_FAILED;
    if (number != 0 || run->stop) {
        fprintf(stderr,
                "%s: %s has what was done; others go on with what was not\n",
                number != 0 ? "interrupted" : "stopped", folder->path);
        return number != 0 ? CLI_SIGNALLED + number : CLI_FAILED;
    }
    if (!run->progress.is_quiet) {
        sweep_folder_report_shared(run);
        fprintf(stderr,
                "%s; the same command without --shard gathers all rows\n",
                count->n_open == 0 ? "all points are done"
                                   : "other workers have the remaining points");
    }
    return run->progress.n_failed == 0 ? CLI_OK : CLI_FAILED;
}

int shared_sweep_run_worker(const SharedSweepOptions *options,
                            const SweepFolder *folder, const char *sweep,
                            SweepRun *run)
{
    const SweepWorkerSetup setup = { .folder = folder->path,
                                     .run = run,
                                     .part = options->part,
                                     .stale_us = options->stale_us,
                                     .print_message =
                                         print_shared_sweep_message };
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepWorker) worker = NULL;
    g_auto(FolderOwner) owner = { 0 };
    int number;

    signal(SIGPIPE, SIG_IGN);
    if (!output_make_folder(folder->path, &error) ||
        !folder_owner_claim(folder, sweep, run, &owner, &error))
        return cli_report_error(error);
    worker = sweep_worker_new(&setup, &error);
    if (!worker || !sweep_folder_write_missing_info(folder, run, sweep, &error))
        return cli_report_error(error);
    folder_owner_report(&owner);
    if (!run->progress.is_quiet)
        fprintf(stderr, "worker %u of %u%s%s%s\n", options->part.index + 1,
                options->part.n, options->found ? " (" : "",
                options->found ? options->found : "",
                options->found ? ")" : "");
    number = sweep_run_all_points(run, folder->n_jobs);
    return finish_worker(folder, run, sweep_worker_count_blocks(worker),
                         number);
}

/* ---- running as the only sweep ------------------------------------------- */

static void free_error_text(gpointer text)
{
    g_string_free(text, TRUE);
}

static void update_sweep_progress(gpointer self)
{
    SharedSweepFolder *opened = self;
    SweepRun *run = opened->run;

    if (!run->stop)
        run->stop = !folder_lock_touch(opened->lock, &run->error);
}

static gboolean merge_worker_results(const SharedSweepOptions *options,
                                     const char *folder, gboolean fresh,
                                     SharedSweepFolder *ret, GError **error)
{
    const WorkerResultMerge gathering = {
        .folder = folder,
        .clock = folder_lock_server_clock(ret->lock),
        .stale_us = options->stale_us,
        .print_message = print_shared_sweep_message
    };

    ret->failures =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_error_text);
    ret->methods = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return merge_check_no_live_worker(&gathering, error) &&
           journal_load_records(ret->journal, fresh, error) &&
           (fresh || merge_worker_rows(&gathering, ret->journal, ret->failures,
                                       ret->methods, &ret->n_journals, error));
}

gboolean shared_sweep_folder_open(const SharedSweepOptions *options,
                                  const SweepFolder *folder, SweepRun *run,
                                  gboolean fresh, SharedSweepFolder *ret,
                                  GError **error)
{
    g_autofree char *path = sweep_folder_path(folder, SWEEP_JOURNAL);
    FolderLocking locking = { .folder = folder->path,
                              .journal = path,
                              .stale_us = options->stale_us,
                              .print_message = print_shared_sweep_message };

    ret->run = run;
    ret->journal = journal_lock(path, error);
    if (!ret->journal)
        return FALSE;
    locking.has_journal = journal_is_locked(ret->journal);
    ret->lock = folder_lock_new(&locking, error);
    if (!ret->lock ||
        !merge_worker_results(options, folder->path, fresh, ret, error))
        return FALSE;
    run->journal = ret->journal;
    if (g_hash_table_size(ret->failures) > 0)
        run->failures = ret->failures;
    run->methods = ret->methods;
    run->tick = update_sweep_progress;
    run->tick_self = ret;
    return TRUE;
}

/* Releases the journal last: a process that waits for its lock then finds the
 * folder lock free. */
void shared_sweep_folder_close(SharedSweepFolder *opened)
{
    g_clear_pointer(&opened->failures, g_hash_table_unref);
    g_clear_pointer(&opened->methods, g_hash_table_unref);
    g_clear_pointer(&opened->lock, folder_lock_free);
    g_clear_pointer(&opened->journal, journal_close);
}

/* Reports the damage, which has already been removed from the journal. */
static void report_journal_damage(const SharedSweepFolder *opened,
                                  const char *folder)
{
    g_autofree char *path = g_build_filename(folder, CLAIM_PATHS_JOURNAL, NULL);
    g_autofree char *text =
        journal_damage_text(path, journal_damage(opened->journal));
    const SweepRun *run = opened->run;

    if (text)
        fprintf(stderr, "%s; %u of %u points %s\n", text, run->todo->len,
                sweep_plan_count_points(run->plan),
                run->todo->len == 1 ? "has no rows and is run"
                                    : "have no rows and are run");
}

void shared_sweep_report_merged(const SharedSweepFolder *opened,
                                const char *folder)
{
    const SweepRun *run = opened->run;
    guint n_found = sweep_plan_count_points(run->plan) - run->todo->len;
    guint n_rows = journal_count_records(opened->journal) +
                   g_hash_table_size(opened->failures);

    report_journal_damage(opened, folder);
    if (opened->n_journals == 0)
        return;
    if (!run->progress.is_quiet)
        fprintf(stderr, "gathered what %u worker%s done\n", opened->n_journals,
                opened->n_journals == 1 ? " has" : "s have");
    if (n_rows > n_found)
        fprintf(stderr,
                "%u rows do not count: they are of another version of acesim, "
                "or of other files or options\n",
                n_rows - n_found);
}
