/*
 * owner.h - whose results a folder has
 *
 * A sweep that is changed goes on in its folder, and what is no more of it
 * goes.  A folder of another sweep is a slip of the keyboard, or two files of
 * one name: its rows would be lost.
 *
 * Two files are one sweep when they are one file.  Where the file that the
 * folder names is not here (it was moved, or is another machine's), those of
 * one name may be: then the rows say it.
 *
 * Two sweeps may come to an empty folder at once.  One that has locked it looks
 * once more.  Workers lock nothing: what the first of all says, counts.
 *
 * Order    check, lock the folder, confirm; claim, of a worker; say
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_CLI_SWEEP_OWNER_H
#define SIM_CLI_SWEEP_OWNER_H

#include "sim/cli/sweep/sweep_folder.h"

/* What was seen of a folder; zero before. */
typedef struct {
    char *other; /* owned: the other sweep's file; NULL: there is none */
    char *note;  /* owned: which rows go; NULL: none */
} Owner;

void owner_clear(Owner *owner);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Owner, owner_clear)

/* FALSE: @folder has results of another sweep than @sweep, and none that are
 * of it, too.  Before the folder's journal is locked, since it reads it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_check(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, Owner *ret, GError **error);

/* FALSE: another sweep has begun in @folder since it was checked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_confirm(const SweepFolder *folder, const char *sweep,
                       const Owner *owner, GError **error);

/* The same for a worker, and all at once. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_claim(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, Owner *ret, GError **error);

/* Tells standard error which rows go, when they do. */
void owner_say(const Owner *owner);

#endif
