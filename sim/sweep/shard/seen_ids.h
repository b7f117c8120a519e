/*
 * seen_ids.h - the ids of points that have rows in any journal of a folder
 *
 * Owner    the caller owns what is seen
 */
#ifndef SIM_SWEEP_SHARD_SEEN_IDS_H
#define SIM_SWEEP_SHARD_SEEN_IDS_H

#include <glib.h>

typedef struct SeenIds SeenIds;

/* @ours is the journal that is not read: whoever writes it knows. */
SeenIds *seen_ids_new(const char *folder, const char *ours);
void seen_ids_free(SeenIds *seen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SeenIds, seen_ids_free)

/* Reads what has been added since. */
G_GNUC_WARN_UNUSED_RESULT
gboolean seen_ids_update(SeenIds *seen, GError **error);

guint seen_ids_n(const SeenIds *seen);
gboolean seen_ids_has(const SeenIds *seen, const char *id);

#endif
