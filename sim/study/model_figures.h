/*
 * model_figures.h - the results of a run in the terms of a language model
 *
 *     model FLOP      the FLOP of the model for its tokens (transformer.h),
 *                     without recomputation
 *     hardware FLOP   the FLOP of all forward and backward kernels, mean of
 *                     all NPUs
 *     MFU             model FLOP per second / peak of the run's precision
 *
 * Units    FLOP/s, tokens/s; of one NPU
 */
#ifndef SIM_STUDY_MODEL_FIGURES_H
#define SIM_STUDY_MODEL_FIGURES_H

#include "models/run/stream_times.h"
#include "models/run/system.h"

typedef struct {
    uint64_t n_weights, n_active_weights; /* of the whole model */
    uint64_t n_tokens;                    /* of an iteration, over all NPUs */
    double tokens_per_s;
    double model_flop_per_s, hardware_flop_per_s;
    double peak_flop_per_s, mfu;
    const StageMemory *memory; /* of the fullest rank; borrowed */
    StreamTimes times;         /* per iteration, mean of NPUs */
} ModelFigures;

/* Returns FALSE if the workload is no language model. */
gboolean model_figures_of_run(const SystemConfig *config, const System *system,
                              ModelFigures *ret);

#endif
