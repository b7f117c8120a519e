/*
 * places.h - what several workers leave in a results folder, and where
 *
 *   runs.journal.WHO              what a worker has done
 *   claims/founder.json           whose workers were the first, see founder.h
 *   claims/MODEL-SWEEP/N.N[/WHO]  blocks, see blocks.h
 *   claims/MODEL-SWEEP/worker.WHO there while a worker is at it, and touched
 *
 * MODEL is a word for the program, SWEEP one for the points: workers of another
 * program or of other points do not share blocks.
 *
 * Owner    texts and lists are the caller's
 */
#ifndef SIM_SWEEP_SHARD_PLACES_H
#define SIM_SWEEP_SHARD_PLACES_H

#include <glib.h>

#define PLACES_JOURNAL "runs.journal"
#define PLACES_CLAIMS  "claims"
#define PLACES_FOUNDER "founder.json"
#define PLACES_WORKER  "worker."

/* Names in @folder that begin with @prefix and do not end as those of files
 * that are being written, in their order.  Ends with NULL. */
char **places_list(const char *folder, const char *prefix);

/* Paths of journals of workers. */
char **places_journals(const char *folder);

/* Names in claims/ of those who share blocks: MODEL-SWEEP. */
char **places_sweeps(const char *folder);

char *places_journal_of(const char *folder, const char *who);

/* TRUE: there is no such folder any more, which is *@error. */
gboolean places_is_gone(const char *folder, GError **error);

/* Removes what workers left, when nobody needs it. */
void places_clean(const char *folder);

#endif
