/*
 * claim_paths.h - the files and folders that the workers of a sweep create in a
 * results folder
 *
 *   runs.journal.NAME              the finished points of a worker
 *   claims/founder.json           the first sweep in the folder, see
 * folder_creator.h claims/MODEL-SWEEP/N.N[/NAME]  blocks, see point_blocks.h
 *   claims/MODEL-SWEEP/worker.NAME exists, and is touched, while a worker runs
 *
 * NAME is the name of a process (worker_liveness.h).  MODEL identifies the
 * program and SWEEP the points: only workers with the same program and the same
 * points share blocks.
 *
 * Owner    the caller owns texts and lists
 */
#ifndef SIM_SWEEP_SHARD_CLAIM_PATHS_H
#define SIM_SWEEP_SHARD_CLAIM_PATHS_H

#include <glib.h>

#define CLAIM_PATHS_JOURNAL "runs.journal"
#define CLAIM_PATHS_CLAIMS  "claims"
#define CLAIM_PATHS_CREATOR "founder.json"
#define CLAIM_PATHS_WORKER  "worker."

/* Returns the sorted names in @folder that begin with @prefix, without
 * temporary files of output.h.  The list ends with NULL. */
char **claim_paths_list_names(const char *folder, const char *prefix);

/* Returns the paths of the journals of workers. */
char **claim_paths_list_journals(const char *folder);

/* Returns the names MODEL-SWEEP in claims/, one per set of workers that share
 * blocks. */
char **claim_paths_list_sweeps(const char *folder);

char *claim_paths_journal_of(const char *folder, const char *process);

/* Returns TRUE and sets @error if @folder does not exist any more. */
gboolean claim_paths_check_folder_gone(const char *folder, GError **error);

/* Removes everything that workers left in the folder.  Call only if no worker
 * needs it. */
void claim_paths_remove_all(const char *folder);

#endif
