/*
 * owner.h - whose results a folder has
 *
 * A sweep that is changed goes on in its folder, and what is no more of it
 * goes.  A folder of another sweep is a slip of the keyboard, or two files of
 * one name: its rows would be lost.
 *
 * Two files are one sweep when they are one file.  Where the file that the
 * folder names is no more (it was moved, or is another machine's), they are
 * when they have one name.
 *
 * Errors   G_FILE_ERROR
 */
#ifndef SIM_CLI_SWEEP_OWNER_H
#define SIM_CLI_SWEEP_OWNER_H

#include "sim/cli/sweep_folder.h"

/* FALSE: @folder has results of another sweep than @sweep, and none that are
 * of it, too.  Where some are, those that go are told to standard error.
 * Before the folder's journal is locked, since it reads it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean owner_check(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, GError **error);

#endif
