/*
 * folder_creator.h - records which workers were the first to use a results
 * folder
 *
 * Workers of two different sweeps may start in an empty folder at the same
 * time.  The first worker creates claims/ (see claim_paths.h) in one step,
 * already with a file that describes its sweep.  The other workers find this
 * file, whatever they checked before.
 *
 * Assumes  rename() to the name of a folder that is not empty fails, as
 *          folder_lock.h assumes as well
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the texts
 */
#ifndef SIM_SWEEP_SHARD_FOLDER_CREATOR_H
#define SIM_SWEEP_SHARD_FOLDER_CREATOR_H

#include <glib.h>

/* Creates claims/ for the sweep that @info describes (in the format of
 * info.json) and whose points have the word @word (see sweep_fingerprint.h).
 * Does nothing if claims/ exists. */
G_GNUC_WARN_UNUSED_RESULT
gboolean folder_creator_claim_folder(const char *folder, const char *word,
                                     const GString *info, GError **error);

/* Returns the path of the file that describes the first sweep, which need not
 * exist. */
char *folder_creator_info_path(const char *folder);

/* Returns whether workers with the points of @word have used the folder. */
gboolean folder_creator_has_word(const char *folder, const char *word);

#endif
