/*
 * chain_study.h - two GPUs of a DGX-1V over chains of helpers, as measured
 *
 * A row of validate/data/blink/nvlink_bandwidth.csv is a broadcast or an
 * all-reduce whose payload is split over chains of GPUs, in proportion to the
 * links of a chain; each chain is a communicator of its own, which begins with
 * one user and ends with the other.  So is the run: a program of as many
 * collectives at once, each on the GPUs of its chain.
 *
 * Units    bytes, us, percent
 * Errors   those of simulator.h and CSV_ERROR, with file and line
 * Owner    the caller owns arrays, the strings in them and texts
 */
#ifndef VALIDATE_COLLECTIVES_CHAIN_STUDY_H
#define VALIDATE_COLLECTIVES_CHAIN_STUDY_H

#include "validate/simulator.h"

#define CHAIN_LARGE_BYTES (64.0 * 1024 * 1024)

typedef struct {
    char *log, *collective; /* "broadcast" or "all-reduce" */
    char *chains, *links;   /* "0-1 0-2-1" and "1 1": links of each */
    gboolean is_counted;    /* else it is shown only */
    double bytes, measured_us, simulated_us;
    double error_percent; /* of what was measured, with its sign */
} ChainResult;

/* Reads @path and runs each row; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *chain_study_run(const Simulator *simulator, const char *name,
                        const char *path, GError **error);

/* The workload section of a row, as YAML in one line. */
char *chain_workload(const ChainResult *row);

typedef struct {
    guint n;
    double mean_percent, worst_percent;
} ChainErrors;

/* Of rows that count and have @least_bytes at least. */
ChainErrors chain_errors(const GArray *results, double least_bytes);

/* A line for each row. */
void chain_render(const GArray *results, GString *out);

/* With a header, a row for each result. */
char *chain_csv(const GArray *results);

#endif
