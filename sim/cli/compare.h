/*
 * compare.h - offload against the best baseline, group by group
 *
 * Rows of runs.csv are comparable when they agree in workload, n_npus and all
 * group columns.  A column before `workload` is one when two rows of the same
 * workload, n_npus and endpoint differ in it: it varies something beside the
 * endpoint.  (What a zip axis changes along with the endpoint does not, and
 * neither does the platform that gives n_npus.)
 *
 *     speedup = best baseline's iteration time / offload's iteration time
 *     ceiling = best baseline's iteration time / offload's compute roofline
 *
 * The ceiling is what the speedup would be were all of the offload's
 * communication hidden.  No iteration takes less than its kernels alone
 * (jitter apart), so no speedup is larger; what is missing to it a better
 * network or endpoint could still gain on the same SMs and share of memory.
 *
 * Order    groups as they first appear, offloads as they are given
 * Cost     linear in rows and columns
 * Errors   CSV_ERROR
 * Owner    the caller owns the Comparison, which borrows the table
 */
#ifndef SIM_CLI_COMPARE_H
#define SIM_CLI_COMPARE_H

#include "sim/core/csv.h"
#include "sim/core/time.h"

#define COMPARE_IDEAL "ideal" /* never a baseline unless it is asked for */

typedef struct {
    guint row;      /* of the offload in the table */
    guint best_row; /* of its best baseline */
    SimTime time_ps, best_ps;
    SimTime
        roofline_ps;  /* of the offload; 0: none, or the table does not say */
    SimTime ideal_ps; /* of the ideal endpoint in the group; 0: none */
    guint all_sizes;  /* which set: that of all with its workload and keys */
} ComparePair;

typedef struct {
    const CsvTable *table;            /* borrowed */
    guint workload, n_npus, endpoint; /* columns */
    GArray *keys;                     /* owned, of guint: group columns */
    GArray *pairs;                    /* owned, of ComparePair */
    GPtrArray *baselines, *offloads;  /* owned, of borrowed names */
    GPtrArray *notes; /* owned, of owned text: what was left out */
    GArray *firsts;   /* owned, of guint: the first pair of each set */
    GPtrArray *means; /* owned: of each set, offload -> CompareMean */
} Comparison;

/* @name is what messages call the table.  @baselines and @offloads end with
 * NULL and must outlive the Comparison; empty means all endpoints but offloads
 * and `ideal`, and `ace`. */
G_GNUC_WARN_UNUSED_RESULT
Comparison *compare_table(const CsvTable *table, const char *name,
                          char *const *baselines, char *const *offloads,
                          GError **error);
void compare_free(Comparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, compare_free)

static inline const ComparePair *compare_pair(const Comparison *c, guint i)
{
    return &g_array_index(c->pairs, ComparePair, i);
}

const char *compare_offload(const Comparison *c, const ComparePair *pair);
double compare_speedup(const ComparePair *pair);
double compare_ceiling(const ComparePair *pair); /* 0: not known */

typedef struct {
    double speedup, max_speedup, ceiling; /* the ceiling is a mean too */
    guint n_pairs;
    guint first; /* pair */
} CompareMean;

/* TRUE when no pair before @i agrees with it in workload and all group
 * columns. */
gboolean compare_is_first(const Comparison *c, guint i);

/* Over the numbers of NPUs: of the pairs of @offload that agree with @like in
 * workload and all group columns. */
CompareMean compare_mean(const Comparison *c, const ComparePair *like,
                         const char *offload);

/* compare.csv.  Owner: the caller. */
GString *compare_csv(const Comparison *comparison);

#endif
