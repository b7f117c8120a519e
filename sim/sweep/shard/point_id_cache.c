/*
 * point_id_cache.c - the ids of all points that have rows in any journal of a
 * folder; see point_id_cache.h
 */
#include "sim/sweep/shard/point_id_cache.h"

#include "sim/sweep/journal/journal_read.h"
#include "sim/sweep/shard/claim_paths.h"

struct IdCache {
    char *folder, *ours; /* owned */
    GHashTable *ids;     /* owned, of owned text */
    /* Maps the path of a journal (owned) to the position up to which it was
     * read (an owned goffset). */
    GHashTable *ends;
};

IdCache *id_cache_new(const char *folder, const char *ours)
{
    IdCache *cache = g_new0(IdCache, 1);

    cache->folder = g_strdup(folder);
    cache->ours = g_strdup(ours);
    cache->ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    cache->ends =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return cache;
}

void id_cache_free(IdCache *cache)
{
    if (!cache)
        return;
    g_free(cache->folder);
    g_free(cache->ours);
    g_hash_table_unref(cache->ids);
    g_hash_table_unref(cache->ends);
    g_free(cache);
}

static gboolean read_new_records(IdCache *cache, const char *path,
                                 GError **error)
{
    goffset *end = g_hash_table_lookup(cache->ends, path);
    GError *reason = NULL;
    g_autoptr(JournalReader) reader =
        journal_reader_new(path, end ? *end : 0, &reason);
    JournalRecord record;

    if (reason) {
        g_propagate_error(error, reason);
        return FALSE;
    }
    if (!reader)
        return TRUE;
    if (!end) {
        end = g_new0(goffset, 1);
        g_hash_table_insert(cache->ends, g_strdup(path), end);
    }
    while (journal_reader_next_record(reader, &record)) {
        g_hash_table_add(cache->ids, g_strdup(record.id));
        *end = record.end;
    }
    return TRUE;
}

gboolean id_cache_update(IdCache *cache, GError **error)
{
    g_autofree char *all =
        g_build_filename(cache->folder, CLAIM_PATHS_JOURNAL, NULL);
    g_auto(GStrv) journals = claim_paths_list_journals(cache->folder);

    if (!read_new_records(cache, all, error))
        return FALSE;
    for (char **journal = journals; *journal; journal++)
        if (!g_str_equal(*journal, cache->ours) &&
            !read_new_records(cache, *journal, error))
            return FALSE;
    return TRUE;
}

guint id_cache_count(const IdCache *cache)
{
    return g_hash_table_size(cache->ids);
}

gboolean id_cache_contains(const IdCache *cache, const char *id)
{
    return g_hash_table_contains(cache->ids, id);
}
