/*
 * training_runs.h - the training sweep: ACE compared with the baselines
 *
 * A pair is a workload on a platform size.  Its best baseline is the one with
 * the shortest iteration.
 *
 *     speedup       iteration time of the best baseline / of ACE
 *     compute gain  largest compute roofline of a baseline / of ACE
 *
 * The compute gain comes from the SMs and the bandwidth that ACE frees.  The
 * baseline with the largest roofline reserves most for communication.  If it
 * hides all communication, the speedup over the best baseline cannot exceed the
 * compute gain.
 *
 * Errors   VALIDATE_ERROR_RESULT if a run is missing or failed, CSV_ERROR
 * Owner    the caller owns the array and frees it together with its
 * table */
#ifndef VALIDATE_TRAINING_RUNS_H
#define VALIDATE_TRAINING_RUNS_H

#include "validate/acesim_process.h"

typedef struct {
    const char *endpoint; /* The table owns this text. */
    double iteration_us, exposed_us, roofline_us, net_gb_per_s;
} TrainingRun;

#define TRAINING_N_BASELINES 3

/* The candidates for the best baseline; the first one does not overlap. */
extern const char *const training_baselines[TRAINING_N_BASELINES + 1];

typedef struct {
    const char *workload; /* The table owns this text. */
    guint n_npus;
    TrainingRun baselines[TRAINING_N_BASELINES], ace, ideal;
    /* The best baseline, which points into this struct. */
    const TrainingRun *best;
    gboolean is_ordered; /* TRUE if ideal <= ace <= every baseline in time. */
} TrainingPair;

/* Returns the pairs of @table (a runs.csv), in its order.  The array must not
 * grow, because .best points into it. */
G_GNUC_WARN_UNUSED_RESULT
GArray *training_pairs_from_table(const CsvTable *table, GError **error);

/* Returns the speedup of ACE over the best baseline. */
double training_speedup(const TrainingPair *pair);

/* Returns the compute gain: the largest compute roofline of a baseline divided
 * by that of ACE. */
double training_compute_gain(const TrainingPair *pair);

/* Returns the speedup over the best of the baselines that overlap. */
double training_overlap_speedup(const TrainingPair *pair);

/* Returns the effective network bandwidth of ACE divided by that of the best
 * baseline, each while it communicates.  The second function returns the mean
 * over all pairs for baseline @i. */
double training_network_gain(const TrainingPair *pair);
double training_mean_network_gain(const GArray *pairs, guint i);

/* Return the mean and the maximum of @what over the pairs of @workload, or over
 * all pairs if it is NULL.  Values of 0 are skipped; the result is 0 if no
 * value is left. */
typedef double (*TrainingFn)(const TrainingPair *pair);
double training_mean_over_pairs(const GArray *pairs, const char *workload,
                                TrainingFn statistic);
double training_max_over_pairs(const GArray *pairs, const char *workload,
                               TrainingFn statistic);

/* Returns the best baselines of @workload, such as "2 no-overlap, 2 comp-opt".
 * The caller owns the text. */
char *training_best_baselines_text(const GArray *pairs, const char *workload);

/* Returns the number of pairs with .is_ordered. */
guint training_n_pairs_in_expected_order(const GArray *pairs);

/* Appends a table with a line for each pair. */
void training_render(const GArray *pairs, GString *out);

#endif
