/*
 * training_runs.h - the training sweep, offload held against baselines
 *
 * A pair is a workload on a platform size.  Its best baseline is the one with
 * the shortest iteration.  The ceiling is what freeing SMs and bandwidth
 * could give if both hid all their communication,
 *
 *     compute roofline on the baseline's share / on ACE's share
 *
 * and has a meaning for overlapping baselines alone: no-overlap computes with
 * the whole NPU and communicates in the open.
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

typedef struct {
    const char *workload; /* borrowed from the table */
    guint n_npus;
    TrainingRun best, ace, ideal; /* best: of the baselines */
    double best_net_gb_per_s;     /* the most that any baseline has */
    gboolean is_ordered;          /* ideal <= ace <= every baseline */
} TrainingPair;

/* The pairs of @table (a runs.csv), in its order. */
G_GNUC_WARN_UNUSED_RESULT
GArray *training_pairs(const CsvTable *table, GError **error);

double training_speedup(const TrainingPair *pair);

/* 0 where it has no meaning. */
double training_ceiling(const TrainingPair *pair);

/* Effective network bandwidth of ACE over that of the best baseline. */
double training_network_gain(const TrainingPair *pair);

/* Of @what over the pairs of @workload, or over all when it is NULL; values
 * of 0 do not count.  0 when none is left. */
typedef double (*TrainingFn)(const TrainingPair *pair);
double training_mean(const GArray *pairs, const char *workload,
                     TrainingFn what);
double training_max(const GArray *pairs, const char *workload, TrainingFn what);

guint training_n_ordered(const GArray *pairs);

/* Appends a table with a line for each pair. */
void training_render(const GArray *pairs, GString *out);

#endif
