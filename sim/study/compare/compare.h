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
 * Baselines may be anybody's, tuned or not.  The best that could be built is
 * the fastest of these and of the endpoints named as best; where none is named,
 * those count whose values were found by simulation (`n_tried`).  So each
 * speedup is told twice.
 *
 * Order    groups as they first appear, offloads as they are given
 * Cost     linear in rows and columns
 * Errors   CSV_ERROR
 * Owner    the caller owns the Comparison, which borrows the table
 */
#ifndef SIM_STUDY_COMPARE_COMPARE_H
#define SIM_STUDY_COMPARE_COMPARE_H

#include "sim/core/csv.h"
#include "sim/core/time.h"
#include "sim/study/units.h"

#define COMPARE_IDEAL "ideal" /* never a baseline unless it is asked for */

typedef struct {
    guint row;       /* of the offload in the table */
    guint best_row;  /* of its best baseline */
    guint built_row; /* of the best that could be built */
    SimTime time_ps, best_ps;
    SimTime built_ps; /* 0: there is none in the group */
    SimTime
        roofline_ps;  /* of the offload; 0: none, or the table does not say */
    SimTime ideal_ps; /* of the ideal endpoint in the group; 0: none */
    guint all_sizes;  /* which set: that of all with its workload and keys */
} ComparePair;

typedef struct {
    const CsvTable *table;                  /* borrowed */
    guint workload, n_npus, endpoint;       /* columns */
    GArray *keys;                           /* owned, of guint: group columns */
    GArray *pairs;                          /* owned, of ComparePair */
    GPtrArray *baselines, *best, *offloads; /* owned, of borrowed names */
    gboolean has_tried;                     /* .tried, .sms and .share are */
    guint tried, sms, share;                /* columns */
    GPtrArray *notes; /* owned, of owned text: what was left out, and
                       * where the window bound */
    GArray *firsts;   /* owned, of guint: the first pair of each set */
    GPtrArray *means; /* owned: of each set, offload -> CompareMean */
} Comparison;

/* Names of endpoints; each list ends with NULL.  Empty means: all but the
 * others and `ideal`; those that were tuned; `ace`. */
typedef struct {
    char *const *baselines, *const *best, *const *offloads;
} CompareNames;

/* @name is what messages call the table.  What @names has must outlive the
 * Comparison. */
G_GNUC_WARN_UNUSED_RESULT
Comparison *compare_table(const CsvTable *table, const char *name,
                          const CompareNames *names, GError **error);
void compare_free(Comparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, compare_free)

static inline const ComparePair *compare_pair(const Comparison *c, guint i)
{
    return &g_array_index(c->pairs, ComparePair, i);
}

const char *compare_offload(const Comparison *c, const ComparePair *pair);
double compare_speedup(const ComparePair *pair);
double compare_ceiling(const ComparePair *pair); /* 0: not known */
/* Over the best that could be built; 0: there is none. */
double compare_built_speedup(const ComparePair *pair);

/* Less is no gain, and less than the other no loss, once it is rounded. */
#define COMPARE_GAINS 1.005
#define COMPARE_LOSES 0.995

/* TRUE when the offload gains over the baselines, and not over the best that
 * could be built. */
gboolean compare_is_disputed(const ComparePair *pair);

/* The best that could be built: "tuned (3 SMs, 240 GB/s)"; "-" where there is
 * none.  Owner: the caller. */
char *compare_built_text(const Comparison *c, const ComparePair *pair);

typedef struct {
    double speedup, max_speedup, ceiling;    /* the ceiling is a mean too */
    double built_speedup, max_built_speedup; /* 0: there is none */
    guint n_pairs, n_built;
    guint first; /* pair */
} CompareMean;

/* TRUE when no pair before @i agrees with it in workload and all group
 * columns. */
gboolean compare_is_first(const Comparison *c, guint i);

/* Over the numbers of NPUs: of the pairs of @offload that agree with @like in
 * workload and all group columns. */
CompareMean compare_mean(const Comparison *c, const ComparePair *like,
                         const char *offload);

/* What is said where no pair has a baseline that was tuned: there is none, or
 * all rows of some endpoint, which may have been it, failed.  Owner: the
 * caller. */
char *compare_untuned(const Comparison *comparison);

/* Those of compare_csv(), after those of the keys. */
extern const Column compare_columns[];

/* compare.csv.  Owner: the caller. */
GString *compare_csv(const Comparison *comparison);

#endif
