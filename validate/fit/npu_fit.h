/*
 * npu_fit.h - fits the parameters of an NPU to kernels measured on a GPU
 *
 * The fit minimises, stage by stage, the mean penalty of log(simulated /
 * measured) over the training rows of the families of the stage, plus a small
 * cost of values that differ from the usual ones.  The penalty is the square up
 * to 5 %, and grows linearly beyond (P. Huber, "Robust estimation of a location
 * parameter", 1964). Times are those of compute_times_on_whole_hbm(), which
 * `acesim kernels` prints. The fit never reads a held-out row.
 *
 * Units    us
 * Order    deterministic
 * Errors   NPU_FIT_ERROR, CONFIG_ERROR of a
 * row */
#ifndef VALIDATE_FIT_NPU_FIT_H
#define VALIDATE_FIT_NPU_FIT_H

#include "validate/fit/npu_fit_stages.h"
#include "validate/kernels/kernel_rows.h"
#include "workloads/kernel.h"

/* A row with its kernels in the form that the models use. */
typedef struct {
    const KernelRow *row; /* Another object owns this memory. */
    OpWork works[KERNEL_MAX_WORKS];
    uint64_t n_sms; /* The number of SMs that the kernel uses; 0 for all SMs. */
} NpuRow;

/* Returns those of @rows that belong to @npu, and the published ones of @like.
 * The array contains NpuRow and must be freed before @rows. */
G_GNUC_WARN_UNUSED_RESULT
GArray *npu_rows_new(const GArray *rows, const char *npu, const char *like,
                     GError **error);

/* Returns the simulated time of @row. */
double npu_row_modelled_us(const NpuConfig *npu, const NpuRow *row);

/* The training rows that a fit may use: those of streams whose bytes in flight
 * on an SM are at most this part of their traffic, in ppm; 0: all rows. */
typedef struct {
    double most_in_flight_ppm;
} NpuRange;

/* Returns whether @row is in @range. */
gboolean npu_fit_range_contains_row(NpuRange range, const NpuRow *row);

/* Fits all stages that have rows.  npu_init_from_sheet() must have
 * filled @npu. */
void npu_fit(const GArray *rows, NpuRange range, NpuConfig *npu);

/* Returns the stage that @key was fitted in, and sets *@ret_n_rows to the
 * number of its training rows.  Returns NULL if @key was not fitted. */
const NpuStage *npu_fit_stage_of_key(const GArray *rows, const char *key,
                                     guint *ret_n_rows);

/* Returns whether a training row of @stage would take another time on @npu if
 * @param were at an end of its range.  If none would, the search left it where
 * it began. */
gboolean npu_fit_rows_depend_on(const GArray *rows, const NpuStage *stage,
                                const NpuConfig *npu, const NpuParam *param);

typedef struct {
    guint n;
    /* The statistics of the absolute errors. */
    double mean_percent, median_percent, worst_percent;
} NpuScore;

/* Returns the errors of @npu on the rows of @family, or of all families if it
 * is NULL.  Without a range, on the held-out rows of the data or on the
 * training rows.  With a range, on the published training rows of the first
 * stage that are outside it (@is_held_out) or inside it. */
NpuScore npu_fit_score(const GArray *rows, const NpuConfig *npu,
                       const char *family, NpuRange range,
                       gboolean is_held_out);

#endif
