/*
 * point_id_cache.h - the ids of all points that have rows in any journal of a
 * folder
 *
 * Owner    the caller owns the IdCache
 */
#ifndef SIM_SWEEP_SHARD_POINT_ID_CACHE_H
#define SIM_SWEEP_SHARD_POINT_ID_CACHE_H

#include <glib.h>

typedef struct IdCache IdCache;

/* Returns an empty set.  @ours is the journal of this process, which is not
 * read. */
IdCache *id_cache_new(const char *folder, const char *ours);
void id_cache_free(IdCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IdCache, id_cache_free)

/* Reads the records that were added to the journals since the last call. */
G_GNUC_WARN_UNUSED_RESULT
gboolean id_cache_update(IdCache *cache, GError **error);

guint id_cache_count(const IdCache *cache);
gboolean id_cache_contains(const IdCache *cache, const char *id);

#endif
