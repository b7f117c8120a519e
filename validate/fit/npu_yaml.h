/*
 * npu_yaml.h - a fitted NPU as configs/npus/NAME.yaml
 *
 * Its head says how far off it is on rows that nothing was fitted to, family
 * by family, and what was never measured; each value says where it is from.
 *
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_FIT_NPU_YAML_H
#define VALIDATE_FIT_NPU_YAML_H

#include "validate/fit/npu_fit.h"

/* A fit to fewer threads, which says how well the range above is met. */
typedef struct {
    const char *words; /* "at most 512 threads an SM"; static */
    NpuRange range;
    NpuConfig npu;
} NpuTrial;

/* @like_rows are those that products of .products_like were fitted to, which
 * @npu has taken; NULL: none. */
char *npu_yaml_text(const GArray *rows, const GArray *like_rows,
                    const Sheet *sheet, const NpuConfig *npu,
                    const NpuTrial *trials, guint n_trials);

#endif
