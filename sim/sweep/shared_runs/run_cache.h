/*
 * run_cache.h - a cache of runs, whose rows other points of a sweep can use
 *
 * The cache keeps the rows of past runs, and the data by which
 * report/configs_with_same_results.h decides whether a change of configuration
 * would have affected a run.  A point that differs from a run only in values
 * that did not affect it gets the rows of that run.
 *
 * Owner    the caller owns the Share, which does not refer to the systems that
 *          were run
 * Cost     at most RUN_CACHE_MAX_BYTES; the least recently used runs are
 *          dropped
 */
#ifndef SIM_SWEEP_SHARED_RUNS_RUN_CACHE_H
#define SIM_SWEEP_SHARED_RUNS_RUN_CACHE_H

#include "sim/study/rows/run_rows_snapshot.h"

#define RUN_CACHE_MAX_BYTES (8U << 20)

typedef struct RunCache RunCache;

RunCache *run_cache_new(void);
void run_cache_free(RunCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunCache, run_cache_free)

/* A hash of the requested outputs and all values except those that
 * report/configs_with_same_results.h judges.  Only points with the same key can
 * share a run. */
typedef struct {
    guint8 sum[32];
} RunCacheKey;

RunCacheKey run_cache_make_key(const gboolean *wanted, FoldMode fold,
                               const SystemConfig *config);

/* Returns the rows of a run that would be the same with @config, which has the
 * key @key and must not exceed @most.  Returns NULL if there is none.  Valid
 * until the next call. */
const RowsSnapshot *run_cache_find(RunCache *cache, const RunCacheKey *key,
                                   RunOptions run_options,
                                   const SystemConfig *config);

/* Keeps the result of @system, which was run with @config.  @utilisation is as
 * in rows_append(). */
void run_cache_add(RunCache *cache, const RunCacheKey *key,
                   const gboolean *wanted, const SystemConfig *config,
                   const System *system, const Utilisation *utilisation);

/* Returns the number of runs that are kept; for tests. */
guint run_cache_count(const RunCache *cache);

/*
 * Returns whether the shared point @point is to be simulated as a check.  The
 * first @n points are; of the k-th point, n / k are, chosen at random by the
 * number of the point.  So every set of @n points is equally likely.
 */
gboolean run_cache_selects_check(RunCache *cache, guint n, guint point);

#endif
