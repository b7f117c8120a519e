/*
 * gpu_model.h - what the simulator's models say of a measured kernel
 *
 * The parameters of a GPU, and the time that models/compute.h and models/hbm.h
 * give a kernel on it:
 *
 *     alone    start + max(flop / rate x waves, bytes / draw(SMs, mix))
 *     beside   the same on the SMs that are left, and with what sharing the
 *              HBM leaves: max-min fair, weighted by SMs, each stream capped
 *              by what it could use alone
 *     engine   set-up + bytes / rate
 *
 * What a measured kernel is and the models cannot know is put into what they
 * are given: how a matrix product is cut (product.h), that an SM waits for
 * loads and hardly for stores, that a scattered row costs more than its bytes.
 *
 * Units    in each parameter's row; predictions in us
 * Sources  models/compute.h, models/hbm.h: the formulas.  Values are fitted
 */
#ifndef VALIDATE_FIT_GPU_MODEL_H
#define VALIDATE_FIT_GPU_MODEL_H

#include "models/compute.h"
#include "validate/fit/measured.h"
#include "validate/fit/product.h"

typedef enum {
    GPU_MOVE_START,
    GPU_HBM,
    GPU_TURNAROUND,
    GPU_PORT,
    GPU_PORT_WRITE,
    GPU_PORT_QUEUEING,
    GPU_LATENCY,
    GPU_QUEUEING,
    GPU_STREAM_START,
    GPU_VECTOR,
    GPU_OWN_START,
    GPU_OWN_GEMM,
    GPU_OWN_DEPTH,
    GPU_LIBRARY_START,
    GPU_LIBRARY_GEMM,
    GPU_LIBRARY_DEPTH,
    GPU_TILE_LOSS,
    GPU_LOOKUP_START,
    GPU_LOOKUP,
    GPU_ROW_LOSS,
    GPU_ROUNDTRIPS,
    GPU_TO_HOST,
    GPU_FROM_HOST,
    GPU_HOST_SETUP,
    GPU_ON_DEVICE,
    GPU_BATCH_ON_DEVICE,
    GPU_DEVICE_SETUP,
    GPU_WEIGHT,
    GPU_ENGINE_WEIGHT,
    GPU_CONFLICT,
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
    /* The library's blocks stay on their SMs to the end, as many as it counts
     * on: one SM less makes two waves. */
    gboolean library_stays;
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

/* GB/s that one SM moves with @in_flight_bytes of loads, of a mix of which
 * @read is read; 0 bytes: as many as it takes. */
double gpu_model_sm_rate(const GpuModel *gpu, uint64_t in_flight_bytes,
                         double read);

/* How a library cuts the matrix product of @m, when it counts on all SMs. */
Product gpu_model_library_cut(const GpuModel *gpu, const Measured *m);

#endif
