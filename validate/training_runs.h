/*
 * training_runs.h - the training sweep, offload held against baselines
 *
 * A pair is a workload on a platform size.  Its best baseline is the one with
 * the shortest iteration.
 *
 *     speedup       best baseline's iteration time / ACE's
 *     compute gain  largest compute roofline of a baseline / ACE's: what
 *                   freeing SMs and bandwidth gives.  The baseline with the
 *                   largest gives most to communication; where that hides
 *                   it, no speedup over the best can be larger
 *
 * Errors   VALIDATE_ERROR_RESULT when a run is missing or failed, CSV_ERROR
 * Owner    the caller owns the array and frees it with its table
 */
#ifndef VALIDATE_TRAINING_RUNS_H
#define VALIDATE_TRAINING_RUNS_H

#include "validate/simulator.h"

typedef struct {
    const char *endpoint; /* borrowed from the table */
    double iteration_us, exposed_us, roofline_us, net_gb_per_s;
} TrainingRun;

#define TRAINING_N_BASELINES 3

/* What the published best one is taken from; the first does not overlap. */
extern const char *const training_baselines[TRAINING_N_BASELINES + 1];

typedef struct {
    const char *workload; /* borrowed from the table */
    guint n_npus;
    TrainingRun baselines[TRAINING_N_BASELINES], ace, ideal;
    const TrainingRun *best; /* of the baselines; borrowed from this struct */
    gboolean is_ordered;     /* ideal <= ace <= every baseline */
} TrainingPair;

/* The pairs of @table (a runs.csv), in its order; the array must not grow. */
G_GNUC_WARN_UNUSED_RESULT
GArray *training_pairs(const CsvTable *table, GError **error);

double training_speedup(const TrainingPair *pair);

double training_compute_gain(const TrainingPair *pair);

/* Over the best of the baselines that overlap. */
double training_overlap_speedup(const TrainingPair *pair);

/* Effective network bandwidth of ACE over that of the best baseline, each
 * while it communicates; and over that of baseline @i, mean of all pairs. */
double training_network_gain(const TrainingPair *pair);
double training_mean_network_gain(const GArray *pairs, guint i);

/* Of @what over the pairs of @workload, or over all when it is NULL; values
 * of 0 do not count.  0 when none is left. */
typedef double (*TrainingFn)(const TrainingPair *pair);
double training_mean(const GArray *pairs, const char *workload,
                     TrainingFn what);
double training_max(const GArray *pairs, const char *workload, TrainingFn what);

/* "2 no-overlap, 2 comp-opt": the best baselines of @workload.  Owner: the
 * caller. */
char *training_best_names(const GArray *pairs, const char *workload);

guint training_n_ordered(const GArray *pairs);

/* Appends a table with a line for each pair. */
void training_render(const GArray *pairs, GString *out);

#endif
