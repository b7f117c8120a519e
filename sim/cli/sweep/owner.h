/*
 * owner.h - decides whether a results folder belongs to a sweep
 *
 * A changed sweep continues in its folder, and the rows that it no longer has
 * are dropped.  Using the folder of another sweep is probably a mistake, such
 * as two sweep files with the same name: its rows would be lost, so it is
 * refused.
 *
 * Two file names mean the same sweep if they are the same file.  If the file
 * that the folder names does not exist here (because it was moved, or is on
 * another machine), files with the same name may be the same sweep, and the
 * rows decide.
 *
 * Two sweeps may start in an empty folder at the same time.  A sweep that locks
 * the folder checks again afterwards.  Workers do not lock the folder; there,
 * the first one decides (founder.h).
 *
 * Order    owner_check(), lock the folder, owner_confirm(); for a worker
 *          owner_claim(); then owner_say()
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_CLI_SWEEP_OWNER_H
#define SIM_CLI_SWEEP_OWNER_H

#include "sim/cli/sweep/sweep_folder.h"

/* The result of checking a folder; initially zero. */
typedef struct {
    char *other; /* owned: the file of another sweep, or NULL */
    char *note;  /* owned: a message about rows that are dropped, or NULL */
} FolderOwner;

void owner_clear(FolderOwner *owner);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FolderOwner, owner_clear)

/* Returns FALSE and sets @error if @folder has results of a sweep other than
 * @sweep, and none of its rows are of @sweep as well.  Reads the folder's
 * journal, so it must be called before this is locked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_check(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, FolderOwner *ret, GError **error);

/* Returns FALSE and sets @error if another sweep has started in @folder since
 * owner_check(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_confirm(const SweepFolder *folder, const char *sweep,
                       const FolderOwner *owner, GError **error);

/* Does all checks for a worker. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_claim(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, FolderOwner *ret, GError **error);

/* Prints the message about dropped rows to standard error, if any. */
void owner_say(const FolderOwner *owner);

#endif
