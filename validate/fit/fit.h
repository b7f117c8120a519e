/*
 * fit.h - a GPU's parameters from its measurements
 *
 * Stage by stage: what is known of kernels alone is fitted first, then held
 * while two at once are.  A stage lowers the mean, over its families, of the
 * mean penalty of log(predicted / measured), over training rows alone: its
 * square up to 10 %, and growing straight beyond (P. Huber, "Robust estimation
 * of a location parameter", 1964), lest a few rows that the model cannot
 * explain spoil all others.
 *
 * Order    deterministic
 */
#ifndef VALIDATE_FIT_FIT_H
#define VALIDATE_FIT_FIT_H

#include "validate/fit/gpu_model.h"

typedef struct {
    const char *families;   /* static; that tell of the parameters */
    const GpuParam *params; /* static, GPU_N_PARAMS ends them */
} FitStage;

extern const FitStage fit_stages[];
extern const guint fit_n_stages;

/* Fills @gpu.  FALSE and CSV_ERROR when there is no training row at all. */
G_GNUC_WARN_UNUSED_RESULT
gboolean fit_gpu(const Measurements *all, GpuModel *gpu, GError **error);

/* Training rows that the stage of @param was fitted to; 0: it still has its
 * start value. */
guint fit_n_rows(const Measurements *all, GpuParam param,
                 const char **ret_families);

/* ---- how good it is ----------------------------------------------------- */

typedef struct {
    const char *family; /* borrowed from the measurements */
    guint n_training, n_held_out;
    double mean_percent, worst_percent; /* absolute, of held-out rows */
    guint worst_row;
} FitScore;

/* One a family, in the order of the rows; of FitScore. */
GArray *fit_scores(const Measurements *all, const GpuModel *gpu);

#endif
