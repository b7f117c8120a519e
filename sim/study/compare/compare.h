/*
 * compare.h - compares offload endpoints with the best baseline, group by group
 *
 * Rows of runs.csv are comparable if they agree in workload, n_npus and all
 * group columns; such rows form a group.  A column before `workload` is a group
 * column if two rows with the same workload, n_npus and endpoint differ in it:
 * the sweep varies it in addition to the endpoint.  (A column that a zip axis
 * changes together with the endpoint is none, nor is the platform that
 * determines n_npus.)
 *
 *     speedup = best baseline's iteration time / offload's iteration time
 *     ceiling = best baseline's iteration time / offload's compute roofline
 *
 * The ceiling is the speedup if all communication of the offload were hidden.
 * An iteration takes at least the time of its kernels alone (except for
 * jitter), so no speedup exceeds it.  The difference is what a better network
 * or endpoint could still gain with the same SMs and share of memory bandwidth.
 *
 * Baselines may be tuned or not.  The best that could be built is the fastest
 * of the baselines and of the endpoints named as best; if none is named, the
 * tuned ones count, whose values were found by simulation (`n_tried`).
 * Therefore each speedup is reported twice.
 *
 * Group columns can be named over which each endpoint takes its fastest value,
 * such as plans of a language model: rows that differ in them only are one
 * group, and of each offload the fastest row of a group counts.
 *
 * A speedup has an expected error: the larger of those of its two runs
 * (expected_error.h).  A speedup within it is no measurable difference.
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
#include "sim/study/csv_columns.h"
#include "sim/study/expected_error/expected_error.h"

#define COMPARE_IDEAL "ideal" /* a baseline only if it is named as one */

typedef struct {
    guint row;       /* the row of the offload in the table */
    guint best_row;  /* the row of the offload's best baseline */
    guint built_row; /* the row of the best baseline that could be built */
    SimTime time_ps, best_ps;
    SimTime built_ps; /* time of .built_row; 0: the group has none */
    /* Compute roofline of the offload; 0: not in the table. */
    SimTime roofline_ps;
    SimTime ideal_ps; /* time of the ideal endpoint in the group; 0: none */
    /* The expected errors of the two speedups; 0: not in the table. */
    double error_percent, built_error_percent;
    const char *error_family; /* static: of .error_percent; NULL: none */
    guint set; /* number of its set: all pairs with the same workload and
                * group columns */
} ComparePair;

typedef struct {
    const CsvTable *table;            /* borrowed */
    guint workload, n_npus, endpoint; /* indices of these columns */
    GArray *keys;                     /* owned, of guint: group columns */
    GArray *chosen; /* owned, of guint: group columns of which each endpoint
                     * takes the fastest value; not among .keys */
    GArray *pairs;  /* owned: of ComparePair */
    GPtrArray *baselines, *best, *offloads; /* owned, of borrowed names */
    gboolean has_tried;                     /* the table has the next three
                                             * columns */
    guint tried, sms, share;                /* indices of these columns */
    gboolean has_run_notes;                 /* the table has .run_notes */
    guint run_notes;                        /* column: notes of a run */
    gboolean has_errors; /* the table has the next two columns */
    guint error_from, error_basis;
    GPtrArray *notes; /* owned, of owned text: rows that were left out, and runs
                       * that the window limited */
    GArray *first_pairs; /* owned, of guint: the first pair of each set */
    GPtrArray *means;    /* owned: one table per set, offload -> CompareMean */
} Comparison;

/* Names of endpoints; each list ends with NULL.  If a list is empty, its
 * default is: all endpoints but the others and `ideal`; the tuned ones;
 * `ace`.  .fastest_over names axes (.chosen); NULL: none. */
typedef struct {
    char *const *baselines, *const *best, *const *offloads;
    char *const *fastest_over;
} CompareNames;

/* Returns the comparison, or NULL and sets @error.  @name is the name of the
 * table in messages.  The contents of @names must outlive the Comparison. */
G_GNUC_WARN_UNUSED_RESULT
Comparison *compare_sweep_table(const CsvTable *table, const char *name,
                                const CompareNames *names, GError **error);
void compare_free(Comparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, compare_free)

static inline const ComparePair *compare_pair(const Comparison *comparison,
                                              guint i)
{
    return &g_array_index(comparison->pairs, ComparePair, i);
}

/* Returns FALSE if there are no baselines but those that stand for the best
 * that could be built: then both speedups are the same. */
gboolean compare_has_published(const Comparison *comparison);

/* Returns the name of the offload endpoint of a pair. */
const char *compare_offload_name(const Comparison *comparison,
                                 const ComparePair *pair);
double compare_speedup(const ComparePair *pair);
/* Returns 0 if the ceiling is not known. */
double compare_speedup_ceiling(const ComparePair *pair);
/* Returns the speedup over the best that could be built, or 0 if there is
 * none. */
double compare_built_speedup(const ComparePair *pair);

/* A speedup below COMPARE_MIN_GAIN is no gain, and one above COMPARE_MAX_LOSS
 * is no loss, because both are 1.00 after rounding. */
#define COMPARE_MIN_GAIN 1.005
#define COMPARE_MAX_LOSS 0.995

typedef enum {
    COMPARE_FASTER,
    COMPARE_SLOWER,
    COMPARE_NO_DIFFERENCE,
} CompareVerdict;

/* "faster", "slower", "no measurable difference". */
extern const char *const compare_verdict_names[];

/* Returns the verdict on a speedup with an expected error, which may be 0: then
 * two times differ unless their ratio is 1.00 after rounding. */
CompareVerdict compare_verdict(double speedup, double error_percent);

/* Returns TRUE if the offload gains over the baselines but not over the best
 * that could be built. */
gboolean compare_gains_over_baselines_only(const ComparePair *pair);

/* Returns the best that could be built, such as "tuned (3 SMs, 240 GB/s)", or
 * "-" if there is none.  The caller owns the text. */
char *compare_built_text(const Comparison *comparison, const ComparePair *pair);

/* Means are geometric, because ratios multiply; 0: none is known. */
typedef struct {
    double speedup, max_speedup, ceiling; /* .ceiling is a mean, too */
    double built_speedup, max_built_speedup;
    guint n_pairs, n_ceilings, n_built; /* known values of each mean */
    guint first; /* the index of the first pair of the mean */
} CompareMean;

/* Returns TRUE if pair @i is the first of its set. */
gboolean compare_is_first_of_set(const Comparison *comparison, guint i);

/* Returns the means over the numbers of NPUs: of the pairs of @offload in the
 * set of @like. */
CompareMean compare_mean(const Comparison *comparison, const ComparePair *like,
                         const char *offload);

/* Returns the message for the case that no pair has a tuned baseline, which the
 * caller owns.  It says that there is none, or that all rows of some endpoint
 * failed, which may be a tuned one. */
char *compare_untuned_note(const Comparison *comparison);

/* Columns of compare_csv() after the group columns. */
extern const Column compare_columns[];

/* Returns compare.csv, which the caller owns. */
GString *compare_csv(const Comparison *comparison);

#endif
