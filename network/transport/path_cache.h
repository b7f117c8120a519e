/*
 * path_cache.h - a cache of the next links of paths
 *
 * In some kinds of topology, the next link of a path takes hundreds of
 * instructions to compute.  A network asks for the same few paths again and
 * again, so it caches the results.  Each key has one slot, and a new result
 * overwrites the old one.  Paths never change, so a cached result is always
 * valid.
 *
 * Owner    the caller frees the PathCache by g_free()
 * Threads  one cache belongs to one network, and so to one thread
 * Cost     16 bytes per slot
 */
#ifndef NETWORK_TRANSPORT_PATH_CACHE_H
#define NETWORK_TRANSPORT_PATH_CACHE_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t key; /* 0: the slot is empty */
    uint32_t a, b;
} PathCacheSlot;

typedef struct {
    guint shift; /* maps a 64-bit product to a slot */
    PathCacheSlot slots[];
} PathCache;

/* The cache requires that node numbers are below this. */
#define PATH_CACHE_MAX_NODES (1U << 27)

/* Returns a cache with at least @n slots. */
static inline PathCache *path_cache_new(uint64_t n)
{
    guint bits = g_bit_storage((gulong)MAX(n, 2) - 1);
    PathCache *cache =
        g_malloc0(sizeof *cache + ((gsize)1 << bits) * sizeof(PathCacheSlot));

    cache->shift = 64 - bits;
    return cache;
}

/* Returns the slot of the path with id @path_id < 256 from node @node to NPU
 * @dst.  @topic, 0 or 1, distinguishes two kinds of results.  The slot holds
 * the result if its .key is *@ret_key; otherwise the caller writes the key and
 * the result. */
static inline PathCacheSlot *path_cache_slot(PathCache *cache, guint topic,
                                             uint32_t node, uint32_t dst,
                                             uint32_t path_id,
                                             uint64_t *ret_key)
{
    uint64_t key = (uint64_t)node << 37 | (uint64_t)dst << 10 | path_id << 2 |
                   topic << 1 | 1;

    *ret_key = key;
    /* The slot is found by Fibonacci hashing: the multiplier is 2^64 divided by
     * the golden ratio. */
    return &cache->slots[key * UINT64_C(0x9E3779B97F4A7C15) >> cache->shift];
}

#endif
