/*
 * cluster.h - a sweep that several processes share, on one machine or many
 *
 * As a worker, or as who gathers what workers have done and runs what is left:
 * any sweep without --shard is that.
 *
 * Owner    the caller owns options and what was opened
 */
#ifndef SIM_CLI_SWEEP_CLUSTER_H
#define SIM_CLI_SWEEP_CLUSTER_H

#include "sim/cli/options.h"
#include "sim/cli/sweep/sweep_folder.h"
#include "sim/sweep/shard/blocks.h"
#include "sim/sweep/shard/folder_lock.h"

typedef struct {
    char *shard, *stale, *slurm; /* owned: as they were given */
    gboolean submit;
    ShardPart part;
    char *found; /* owned: who says so; NULL: the command line */
    gint64 stale_us;
} ClusterOptions;

/* clang-format off */
#define OPTIONS_CLUSTER(Options)                                               \
    { "shard", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->shard,                 \
      "Be the I-th of N workers that share DIR; auto: as launchers say",       \
      "I/N|auto" },                                                            \
    { "stale", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->stale,                 \
      "Who gives no sign of life for so long is dead; '120 s' by default",     \
      "TIME" },                                                                \
    { "slurm", 0, 0, G_OPTION_ARG_FILENAME, &(Options)->slurm,                 \
      "Print a job for sbatch whose tasks are workers; '' for no options",     \
      "OPTIONS" },                                                             \
    { "submit", 0, 0, G_OPTION_ARG_NONE, &(Options)->submit,                   \
      "Hand the job of --slurm to sbatch", NULL }
/* clang-format on */

/* FALSE: the command is over with *@status. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cluster_read(const CliCommand *command, ClusterOptions *options,
                      int *status);
void cluster_clear(ClusterOptions *options);

/* Points at a time where nobody says how many: of a machine's processors a
 * worker may have a part only. */
guint cluster_jobs(const ClusterOptions *options);

/* Prints a job for Slurm, or submits it.  Gives an exit status. */
int cluster_slurm(const ClusterOptions *options, char *const *argv);

/* Runs @run, of the file @sweep, as a worker.  Gives an exit status. */
int cluster_work(const ClusterOptions *options, const SweepFolder *folder,
                 const char *sweep, SweepRun *run);

/* The folder as one sweep has it for itself. */
typedef struct {
    FolderLock *lock;     /* owned */
    Journal *journal;     /* owned, with what workers have done */
    GHashTable *failures; /* owned */
    GHashTable *hows;     /* owned */
    guint n_journals;     /* of workers */
    SweepRun *run;        /* borrowed */
} ClusterFolder;

/* Makes @run one of it.  With @fresh nothing counts that was done. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cluster_open(const ClusterOptions *options, const SweepFolder *folder,
                      SweepRun *run, gboolean fresh, ClusterFolder *ret,
                      GError **error);
void cluster_close(ClusterFolder *opened);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ClusterFolder, cluster_close)

/* Says what was gathered in @folder and what could not be read there; after
 * sweep_run_find(). */
void cluster_say_found(const ClusterFolder *opened, const char *folder);

#endif
