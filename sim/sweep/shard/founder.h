/*
 * founder.h - whose workers were the first in a results folder
 *
 * Workers of two sweeps may come to an empty folder at once.  Whoever is first
 * makes claims/, see places.h, and all at once: with a file in it that says
 * whose it is.  The others find it there, whatever they looked at before.
 *
 * Assumes  a folder cannot be renamed to the name of one that has something in
 *          it, as folder_lock.h does
 * Errors   G_FILE_ERROR
 * Owner    texts are the caller's
 */
#ifndef SIM_SWEEP_SHARD_FOUNDER_H
#define SIM_SWEEP_SHARD_FOUNDER_H

#include <glib.h>

/* Makes claims/ of the sweep that @info tells of, as info.json would, with the
 * points of @word, see sweep_word.h; or leaves to others what is theirs. */
G_GNUC_WARN_UNUSED_RESULT
gboolean founder_claim(const char *folder, const char *word,
                       const GString *info, GError **error);

/* The file with what the first told; it need not be there. */
char *founder_path(const char *folder);

/* Whether workers with the points of @word have been here. */
gboolean founder_knows(const char *folder, const char *word);

#endif
