/*
 * gpu_model.h - what the simulator's models say of a measured kernel
 *
 * The parameters of a GPU, and the time that models/compute.h and models/hbm.h
 * give a kernel on it:
 *
 *     alone    launch + max(flop / rate x waves, bytes / draw(SMs, mix))
 *     beside   the same on the SMs that are left, and with what sharing the
 *              HBM leaves: max-min fair, each stream capped by what it could
 *              use alone
 *     engine   set-up + bytes / rate
 *
 * Units    in each parameter's row; predictions in us
 * Sources  models/compute.h, models/hbm.h: the formulas.  Values are fitted
 */
#ifndef VALIDATE_FIT_GPU_MODEL_H
#define VALIDATE_FIT_GPU_MODEL_H

#include "models/compute.h"
#include "validate/fit/measured.h"

typedef enum {
    GPU_LAUNCH,
    GPU_HBM,
    GPU_TURNAROUND,
    GPU_PORT,
    GPU_LATENCY,
    GPU_QUEUEING,
    GPU_OWN_GEMM,
    GPU_LIBRARY_GEMM,
    GPU_VECTOR,
    GPU_LOOKUP,
    GPU_TO_HOST,
    GPU_FROM_HOST,
    GPU_ON_DEVICE,
    GPU_ENGINE_SETUP,
    GPU_WEIGHT,
    GPU_N_PARAMS,
} GpuParam;

typedef struct {
    const char *name, *unit, *meaning; /* static */
    double low, high, start;
    gboolean is_log; /* searched by ratio, not by difference */
} GpuParamInfo;

extern const GpuParamInfo gpu_params[GPU_N_PARAMS];

typedef struct {
    uint64_t n_sms;
    uint64_t library_tile; /* results of a matrix product, per SM; 0: none */
    double values[GPU_N_PARAMS];
} GpuModel;

void gpu_model_init(GpuModel *gpu, uint64_t n_sms);

/* FALSE where the models say nothing of such a row, as of launches of nothing.
 * @partner is what runs beside it; NULL: nothing, or it only holds SMs. */
gboolean gpu_model_predict(const GpuModel *gpu, const Measured *m,
                           const Measured *partner, double *ret_us);
/* The same for a row of @all, with its partner. */
gboolean gpu_model_predict_row(const GpuModel *gpu, const Measurements *all,
                               guint row, double *ret_us);

/* The NPU as the simulator would have it, but for the clock: it stands at
 * 1 MHz, so that the port's bytes a cycle are MB/s. */
NpuConfig gpu_model_npu(const GpuModel *gpu);

#endif
