/*
 * gpu_chain_study.h - broadcasts and all-reduces over chains of GPUs of a
 * DGX-1V
 *
 * A row of validate/data/blink/nvlink_bandwidth.csv is a broadcast or an
 * all-reduce between two GPUs.  Its payload is split over chains of GPUs, in
 * proportion to the number of links of each chain.  Each chain is a separate
 * communicator that begins with one of the two GPUs and ends with the other.
 * The simulated run is a program with one collective per chain, all concurrent.
 *
 * Units    bytes, us, percent
 * Errors   those of acesim_process.h and CSV_ERROR, with file and line
 * Owner    the caller owns arrays, the strings in them and texts
 */
#ifndef VALIDATE_COLLECTIVES_GPU_CHAIN_STUDY_H
#define VALIDATE_COLLECTIVES_GPU_CHAIN_STUDY_H

#include "validate/acesim_process.h"

#define CHAIN_LARGE_BYTES (64.0 * 1024 * 1024)

typedef struct {
    char *log, *collective; /* The collective is "broadcast" or "all-reduce". */
    /* The chains, such as "0-1 0-2-1", and the number of links of each, such as
     * "1 1". */
    char *chains, *links;
    /* TRUE if the row counts in the errors; otherwise it is only printed. */
    gboolean is_counted;
    double bytes, measured_us, simulated_us;
    /* The error relative to the measured time, with its sign. */
    double error_percent;
} ChainResult;

/* Reads @path and runs each row.  Output files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *chain_study_run(const Simulator *simulator, const char *name,
                        const char *path, GError **error);

/* Returns the workload section of a row as YAML in one line. */
char *chain_workload_yaml(const ChainResult *row);

typedef struct {
    guint n;
    double mean_percent, worst_percent;
} ChainErrors;

/* Returns the errors of counted rows with at least @least_bytes. */
ChainErrors chain_study_errors(const GArray *results, double least_bytes);

/* Appends a table with a line for each row. */
void chain_study_render(const GArray *results, GString *out);

/* Returns CSV with a header and a row for each result. */
char *chain_study_csv(const GArray *results);

#endif
