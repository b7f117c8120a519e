/*
 * shared_sweep.h - a sweep that several processes share, on one machine or
 * several
 *
 * A process is a worker (--shard), or it merges the results of workers and runs
 * the remaining points.  Every sweep without --shard does the latter.
 *
 * Owner    the caller owns the options and the SharedSweepFolder
 */
#ifndef SIM_CLI_SWEEP_SHARED_SWEEP_H
#define SIM_CLI_SWEEP_SHARED_SWEEP_H

#include "sim/cli/options.h"
#include "sim/cli/sweep/sweep_folder.h"
#include "sim/sweep/shard/folder_lock.h"
#include "sim/sweep/shard/point_blocks.h"

typedef struct {
    char *shard, *stale, *slurm; /* owned: the texts of the options */
    gboolean submit;
    ShardPart part;
    /* The environment variables that determined .part (owned text); NULL if the
     * command line did. */
    char *found;
    gint64 stale_us;
} SharedSweepOptions;

/* clang-format off */
#define OPTIONS_CLUSTER(Options)                                               \
    { "shard", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->shard,                 \
      "Run as worker I of N that share DIR; auto: as launchers say",       \
      "I/N|auto" },                                                            \
    { "stale", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->stale,                 \
      "Time without a sign of life after which a worker counts as dead; '120 s' by default",     \
      "TIME" },                                                                \
    { "slurm", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->slurm,                 \
      "Print a job for sbatch whose tasks are workers; '' for no options",     \
      "OPTIONS" },                                                             \
    { "submit", 0, 0, G_OPTION_ARG_NONE, &(Options)->submit,                   \
      "Submit the job of --slurm to sbatch", NULL }
/* clang-format on */

/* Evaluates the options.  Returns FALSE if the command ends with *@status. */
G_GNUC_WARN_UNUSED_RESULT
gboolean shared_sweep_options_evaluate(const CliCommand *command,
                                       SharedSweepOptions *options,
                                       int *status);
void shared_sweep_options_clear(SharedSweepOptions *options);

/* Returns the default number of parallel points: the processors that the
 * scheduler has assigned to a worker, or else those of the machine. */
guint shared_sweep_default_jobs(const SharedSweepOptions *options);

/* Prints a job script for Slurm, or submits it.  Returns an exit status. */
int shared_sweep_run_slurm(const SharedSweepOptions *options,
                           char *const *argv);

/* Runs @run, of the file @sweep, as a worker.  Returns an exit status. */
int shared_sweep_run_worker(const SharedSweepOptions *options,
                            const SweepFolder *folder, const char *sweep,
                            SweepRun *run);

/* A results folder that is locked for one sweep. */
typedef struct {
    FolderLock *lock;     /* owned */
    Journal *journal;     /* owned; includes the results of workers */
    GHashTable *failures; /* owned */
    GHashTable *methods;  /* owned */
    guint n_journals;     /* the number of journals of workers */
    SweepRun *run;        /* borrowed */
} SharedSweepFolder;

/* Locks the folder, merges the results of workers and attaches them to @run.
 * With @fresh, ignores all results. */
G_GNUC_WARN_UNUSED_RESULT
gboolean shared_sweep_folder_open(const SharedSweepOptions *options,
                                  const SweepFolder *folder, SweepRun *run,
                                  gboolean fresh, SharedSweepFolder *ret,
                                  GError **error);
void shared_sweep_folder_close(SharedSweepFolder *opened);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SharedSweepFolder, shared_sweep_folder_close)

/* Reports what was merged in @folder and what could not be read there.  Call
 * after sweep_run_find_done_points(). */
void shared_sweep_report_merged(const SharedSweepFolder *opened,
                                const char *folder);

#endif
