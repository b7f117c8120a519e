/*
 * folder_owner.h - decides whether a results folder belongs to a sweep
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
 * the first one decides (folder_creator.h).
 *
 * Order    folder_owner_check(), lock the folder, folder_owner_confirm(); for a
 *          worker folder_owner_claim(); then folder_owner_report()
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_CLI_SWEEP_FOLDER_OWNER_H
#define SIM_CLI_SWEEP_FOLDER_OWNER_H

#include "sim/cli/sweep/sweep_folder.h"

/* The result of checking whether a results folder belongs to a sweep; all
 * fields are zero before the check. */
typedef struct {
    char *other; /* owned: the file of another sweep, or NULL */
    char *note;  /* owned: a message about rows that are dropped, or NULL */
} FolderOwner;

void folder_owner_clear(FolderOwner *owner);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FolderOwner, folder_owner_clear)

/* Returns FALSE and sets @error if @folder has results of a sweep other than
 * @sweep, and none of its rows are of @sweep as well.  Reads the folder's
 * journal, so it must be called before this is locked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_owner_check(const SweepFolder *folder, const char *sweep,
                            SweepRun *run, FolderOwner *ret, GError **error);

/* Returns FALSE and sets @error if another sweep has started in @folder since
 * folder_owner_check(). */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_owner_confirm(const SweepFolder *folder, const char *sweep,
                              const FolderOwner *owner, GError **error);

/* Does all checks for a worker. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_owner_claim(const SweepFolder *folder, const char *sweep,
                            SweepRun *run, FolderOwner *ret, GError **error);

/* Prints the message about dropped rows to standard error, if any. */
void folder_owner_report(const FolderOwner *owner);

#endif
