/*
 * seen_ids.h - the ids of all points that have rows in any journal of a folder
 *
 * Owner    the caller owns the SeenIds
 */
#ifndef SIM_SWEEP_SHARD_SEEN_IDS_H
#define SIM_SWEEP_SHARD_SEEN_IDS_H

#include <glib.h>

typedef struct SeenIds SeenIds;

/* Returns an empty set.  @ours is the journal of this process, which is not
 * read. */
SeenIds *seen_ids_new(const char *folder, const char *ours);
void seen_ids_free(SeenIds *seen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SeenIds, seen_ids_free)

/* Reads the records that were added to the journals since the last call. */
G_GNUC_WARN_UNUSED_RESULT
gboolean seen_ids_update(SeenIds *seen, GError **error);

guint seen_ids_n(const SeenIds *seen);
gboolean seen_ids_has(const SeenIds *seen, const char *id);

#endif
