/* run_cache.c - see run_cache.h */
#include "sim/sweep/share/run_cache.h"

#include <string.h>

#include "models/run/report/invariance.h"
#include "sim/core/rng.h"

#define SEED 17 /* an arbitrary seed for choosing checks */

/* Runs with the same key: they differ only in what invariance.h judges. */
typedef struct {
    RunCacheKey key;
    GQueue runs; /* of Run, the most recently used first */
} Family;

typedef struct {
    Family *family;     /* borrowed */
    Invariance *slack;  /* owned */
    RowsSnapshot *rows; /* owned */
    gsize n_bytes;
    GList in_family, in_all; /* the links in Family.runs and Share.all */
} Run;

struct RunCache {
    GHashTable *families; /* owned: of Family, by key */
    GQueue all;           /* of Run, the most recently used first */
    gsize n_bytes;
    guint n_drawn; /* the number of calls of run_cache_draws_check() */
};

static guint hash(gconstpointer data)
{
    guint ret;

    memcpy(&ret, ((const RunCacheKey *)data)->sum, sizeof ret);
    return ret;
}

static gboolean is_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(RunCacheKey)) == 0;
}

RunCache *run_cache_new(void)
{
    RunCache *share = g_new0(RunCache, 1);

    share->families = g_hash_table_new_full(hash, is_equal, NULL, g_free);
    g_queue_init(&share->all);
    return share;
}

/* ---- adding runs to the cache and dropping them -------------------------- */

static void drop(RunCache *share, Run *run)
{
    Family *family = run->family;

    g_queue_unlink(&family->runs, &run->in_family);
    g_queue_unlink(&share->all, &run->in_all);
    share->n_bytes -= run->n_bytes;
    invariance_free(run->slack);
    rows_snapshot_free(run->rows);
    g_free(run);
    if (g_queue_is_empty(&family->runs))
        g_hash_table_remove(share->families, &family->key);
}

static void add(RunCache *share, Run *run)
{
    g_queue_push_head_link(&run->family->runs, &run->in_family);
    g_queue_push_head_link(&share->all, &run->in_all);
    share->n_bytes += run->n_bytes;
    while (share->n_bytes > RUN_CACHE_MAX_BYTES)
        drop(share, g_queue_peek_tail(&share->all));
}

/* Marks @run as most recently used. */
static void mark_used(RunCache *share, Run *run)
{
    g_queue_unlink(&run->family->runs, &run->in_family);
    g_queue_push_head_link(&run->family->runs, &run->in_family);
    g_queue_unlink(&share->all, &run->in_all);
    g_queue_push_head_link(&share->all, &run->in_all);
}

void run_cache_free(RunCache *share)
{
    if (!share)
        return;
    while (!g_queue_is_empty(&share->all))
        drop(share, g_queue_peek_head(&share->all));
    g_hash_table_unref(share->families);
    g_free(share);
}

guint run_cache_n(const RunCache *share)
{
    return share->all.length;
}

/* ---- looking up the run that a point can share --------------------------- */

RunCacheKey run_cache_key(const gboolean *wanted, FoldMode fold,
                          const SystemConfig *config)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree gpointer params = NULL;
    const SystemConfig rest = invariance_forget(config, &params);
    RunCacheKey key;
    gsize n = sizeof key.sum;

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        g_string_append_c(text, wanted[file] ? '1' : '0');
    g_string_append_printf(text, " %d\n", (int)fold);
    config_append_values(text, system_fields, &rest);
    workload_append_inputs(&config->workload, text);
    stack_append_inputs(&config->stack, text);
    g_checksum_update(sum, (const guchar *)text->str, (gssize)text->len);
    g_checksum_get_digest(sum, key.sum, &n);
    return key;
}

const RowsSnapshot *run_cache_find(RunCache *share, const RunCacheKey *key,
                                   FoldMode fold, SystemSize most,
                                   const SystemConfig *config)
{
    const Family *family = g_hash_table_lookup(share->families, key);
    g_auto(InvariancePlan) plan = { .fold = fold, .most = most };

    for (GList *l = family ? family->runs.head : NULL; l; l = l->next) {
        Run *run = l->data;

        if (!invariance_covers(run->slack, config, &plan))
            continue;
        mark_used(share, run);
        return run->rows;
    }
    return NULL;
}

static Family *family_of(RunCache *share, const RunCacheKey *key)
{
    Family *family = g_hash_table_lookup(share->families, key);

    if (family)
        return family;
    family = g_new0(Family, 1);
    family->key = *key;
    g_queue_init(&family->runs);
    g_hash_table_insert(share->families, &family->key, family);
    return family;
}

void run_cache_add(RunCache *share, const RunCacheKey *key,
                   const gboolean *wanted, const SystemConfig *config,
                   const System *system, const Utilisation *utilisation)
{
    Run *run = g_new0(Run, 1);

    run->family = family_of(share, key);
    run->slack = invariance_new(system);
    run->rows = rows_snapshot_new(wanted, config, system, utilisation);
    run->n_bytes = sizeof *run + invariance_bytes(run->slack) +
                   rows_snapshot_bytes(run->rows);
    run->in_family.data = run->in_all.data = run;
    add(share, run);
}

gboolean run_cache_draws_check(RunCache *share, guint n, guint point)
{
    uint64_t drawn = rng_at(rng_stream(SEED, "share"), point, 0, 0);

    return ++share->n_drawn <= n || drawn % share->n_drawn < n;
}
