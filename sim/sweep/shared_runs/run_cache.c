/*
 * run_cache.c - a cache of runs, whose rows other points of a sweep can use;
 * see run_cache.h
 */
#include "sim/sweep/shared_runs/run_cache.h"

#include <string.h>

#include "models/run/report/configs_with_same_results.h"
#include "sim/core/rng.h"

#define SEED 17 /* an arbitrary seed for choosing checks */

/* Runs with the same key: they differ only in fields that
 * configs_with_same_results.h judges. */
typedef struct {
    RunCacheKey key;
    GQueue runs; /* of CachedRun, the most recently used first */
} RunFamily;

typedef struct {
    RunFamily *family;            /* borrowed */
    ResultInvariance *invariance; /* owned */
    RowsSnapshot *rows;           /* owned */
    gsize n_bytes;
    GList in_family, in_all; /* the links in RunFamily.runs and RunCache.runs */
} CachedRun;

struct RunCache {
    GHashTable *families; /* owned: of RunFamily, by key */
    GQueue runs;          /* of CachedRun, the most recently used first */
    gsize n_bytes;
    guint n_drawn; /* the number of calls of run_cache_selects_check() */
};

static guint hash_run_key(gconstpointer data)
{
    guint ret;

    memcpy(&ret, ((const RunCacheKey *)data)->sum, sizeof ret);
    return ret;
}

static gboolean are_run_keys_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(RunCacheKey)) == 0;
}

RunCache *run_cache_new(void)
{
    RunCache *cache = g_new0(RunCache, 1);

    cache->families =
        g_hash_table_new_full(hash_run_key, are_run_keys_equal, NULL, g_free);
    g_queue_init(&cache->runs);
    return cache;
}

/* ---- adding runs to the cache and dropping them -------------------------- */

static void drop_cached_run(RunCache *cache, CachedRun *run)
{
    RunFamily *family = run->family;

    g_queue_unlink(&family->runs, &run->in_family);
    g_queue_unlink(&cache->runs, &run->in_all);
    cache->n_bytes -= run->n_bytes;
    result_invariance_free(run->invariance);
    rows_snapshot_free(run->rows);
    g_free(run);
    if (g_queue_is_empty(&family->runs))
        g_hash_table_remove(cache->families, &family->key);
}

static void insert_cached_run(RunCache *cache, CachedRun *run)
{
    g_queue_push_head_link(&run->family->runs, &run->in_family);
    g_queue_push_head_link(&cache->runs, &run->in_all);
    cache->n_bytes += run->n_bytes;
    while (cache->n_bytes > RUN_CACHE_MAX_BYTES)
        drop_cached_run(cache, g_queue_peek_tail(&cache->runs));
}

/* Marks @run as most recently used. */
static void mark_recently_used(RunCache *cache, CachedRun *run)
{
    g_queue_unlink(&run->family->runs, &run->in_family);
    g_queue_push_head_link(&run->family->runs, &run->in_family);
    g_queue_unlink(&cache->runs, &run->in_all);
    g_queue_push_head_link(&cache->runs, &run->in_all);
}

void run_cache_free(RunCache *cache)
{
    if (!cache)
        return;
    while (!g_queue_is_empty(&cache->runs))
        drop_cached_run(cache, g_queue_peek_head(&cache->runs));
    g_hash_table_unref(cache->families);
    g_free(cache);
}

guint run_cache_count(const RunCache *cache)
{
    return cache->runs.length;
}

/* ---- looking up the run that a point can share --------------------------- */

RunCacheKey run_cache_make_key(const gboolean *wanted, FoldMode fold,
                               const SystemConfig *config)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree gpointer params = NULL;
    const SystemConfig rest = result_invariance_neutral_config(config, &params);
    RunCacheKey key;
    gsize n = sizeof key.sum;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_append_c(text, wanted[file] ? '1' : '0');
    g_string_append_printf(text, " %d\n", (int)fold);
    config_append_values(text, system_fields, &rest);
    workload_append_inputs(&config->workload, text);
    stack_append_input_checksums(&config->stack, text);
    g_checksum_update(sum, (const guchar *)text->str, (gssize)text->len);
    g_checksum_get_digest(sum, key.sum, &n);
    return key;
}

const RowsSnapshot *run_cache_find(RunCache *cache, const RunCacheKey *key,
                                   RunOptions run_options,
                                   const SystemConfig *config)
{
    const RunFamily *family = g_hash_table_lookup(cache->families, key);
    g_auto(ResultInvariancePlan) plan = { .run_options = run_options };

    for (GList *l = family ? family->runs.head : NULL; l; l = l->next) {
        CachedRun *run = l->data;

        if (!result_invariance_has_same_results(run->invariance, config, &plan))
            continue;
        mark_recently_used(cache, run);
        return run->rows;
    }
    return NULL;
}

static RunFamily *find_or_add_run_family(RunCache *cache,
                                         const RunCacheKey *key)
{
    RunFamily *family = g_hash_table_lookup(cache->families, key);

    if (family)
        return family;
    family = g_new0(RunFamily, 1);
    family->key = *key;
    g_queue_init(&family->runs);
    g_hash_table_insert(cache->families, &family->key, family);
    return family;
}

void run_cache_add(RunCache *cache, const RunCacheKey *key,
                   const gboolean *wanted, const SystemConfig *config,
                   const System *system, const Utilisation *utilisation)
{
    CachedRun *run = g_new0(CachedRun, 1);

    run->family = find_or_add_run_family(cache, key);
    run->invariance = result_invariance_new(system);
    run->rows = rows_snapshot_new(wanted, config, system, utilisation);
    run->n_bytes = sizeof *run + result_invariance_bytes(run->invariance) +
                   rows_snapshot_memory_bytes(run->rows);
    run->in_family.data = run->in_all.data = run;
    insert_cached_run(cache, run);
}

gboolean run_cache_selects_check(RunCache *cache, guint n, guint point)
{
    uint64_t drawn =
        rng_value_at_indices(rng_new_stream(SEED, "share"), point, 0, 0);

    return ++cache->n_drawn <= n || drawn % cache->n_drawn < n;
}
