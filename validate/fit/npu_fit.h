/*
 * npu_fit.h - an NPU's parameters from kernels measured on a GPU
 *
 * Lowers, stage by stage, the mean penalty of log(simulated / measured) over
 * the training rows of the stage's families (its square up to 5 %, and growing
 * straight beyond: P. Huber, "Robust estimation of a location parameter",
 * 1964), and what usual values pull.  Times are those of compute_alone(), which
 * `acesim kernels` prints.  Never looks at a row that is held out.
 *
 * Units    us
 * Order    deterministic
 * Errors   NPU_FIT_ERROR, CONFIG_ERROR of a row
 */
#ifndef VALIDATE_FIT_NPU_FIT_H
#define VALIDATE_FIT_NPU_FIT_H

#include "validate/fit/npu_stage.h"
#include "validate/kernels/kernel_rows.h"
#include "workloads/kernel.h"

/* A row, and its kernels as the models have them. */
typedef struct {
    const KernelRow *row; /* borrowed */
    OpWork works[KERNEL_MAX_WORKS];
    uint64_t n_sms; /* 0: all */
} NpuRow;

/* Those of @rows that are of @npu, and published ones of @like; of NpuRow, to
 * be freed before @rows. */
G_GNUC_WARN_UNUSED_RESULT
GArray *npu_rows_new(const GArray *rows, const char *npu, const char *like,
                     GError **error);

double npu_row_us(const NpuConfig *npu, const NpuRow *row);

/* Which training rows a fit may use: of streams with at most this many of
 * their bytes in flight on an SM, in ppm of all that they move; 0: all. */
typedef struct {
    double most_in_flight_ppm;
} NpuRange;

gboolean npu_range_has(NpuRange range, const NpuRow *row);

/* Fits all stages that have rows; @npu has been filled by npu_fit_init(). */
void npu_fit(const GArray *rows, NpuRange range, NpuConfig *npu);

/* The stage that @key was fitted in, and its training rows; NULL: none. */
const NpuStage *npu_fit_stage_of(const GArray *rows, const char *key,
                                 guint *ret_n_rows);

typedef struct {
    guint n;
    double mean_percent, median_percent, worst_percent; /* absolute */
} NpuScore;

/* @family NULL: of all.  Without a range, of rows that the data hold out, or of
 * training rows; with one, of published training rows of the first stage that
 * it leaves out, or has. */
NpuScore npu_fit_score(const GArray *rows, const NpuConfig *npu,
                       const char *family, NpuRange range,
                       gboolean is_held_out);

#endif
