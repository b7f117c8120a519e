/*
 * places.h - the files and folders that the workers of a sweep create in a
 * results folder
 *
 *   runs.journal.NAME              the finished points of a worker
 *   claims/founder.json           the first sweep in the folder, see founder.h
 *   claims/MODEL-SWEEP/N.N[/NAME]  blocks, see blocks.h
 *   claims/MODEL-SWEEP/worker.NAME exists, and is touched, while a worker runs
 *
 * NAME is the name of a process (life.h).  MODEL identifies the program and
 * SWEEP the points: only workers with the same program and the same points
 * share blocks.
 *
 * Owner    the caller owns texts and lists
 */
#ifndef SIM_SWEEP_SHARD_PLACES_H
#define SIM_SWEEP_SHARD_PLACES_H

#include <glib.h>

#define PLACES_JOURNAL "runs.journal"
#define PLACES_CLAIMS  "claims"
#define PLACES_FOUNDER "founder.json"
#define PLACES_WORKER  "worker."

/* Returns the sorted names in @folder that begin with @prefix, without
 * temporary files of output.h.  The list ends with NULL. */
char **places_list(const char *folder, const char *prefix);

/* Returns the paths of the journals of workers. */
char **places_journals(const char *folder);

/* Returns the names MODEL-SWEEP in claims/, one per set of workers that share
 * blocks. */
char **places_sweeps(const char *folder);

char *places_journal_of(const char *folder, const char *process);

/* Returns TRUE and sets @error if @folder does not exist any more. */
gboolean places_is_gone(const char *folder, GError **error);

/* Removes everything that workers left in the folder.  Call only if no worker
 * needs it. */
void places_clean(const char *folder);

#endif
