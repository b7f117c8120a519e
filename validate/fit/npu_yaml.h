/*
 * npu_yaml.h - writes a fitted NPU as configs/npus/NAME.yaml
 *
 * The head of the file shows the errors on rows that were not used in the fit,
 * family by family, and what was never measured.  A comment at each value says
 * how it was found.
 *
 * Owner    the caller owns the
 * text */
#ifndef VALIDATE_FIT_NPU_YAML_H
#define VALIDATE_FIT_NPU_YAML_H

#include "validate/fit/npu_fit.h"

/* A fit to rows with fewer threads, which shows how well a fit extrapolates to
 * more threads. */
typedef struct {
    /* The label of the line in the head of the file, a static text. */
    const char *words;
    NpuRange range;
    NpuConfig npu;
} NpuTrial;

/* Returns the text of the file.  @like_rows are the rows of .products_like that
 * the products of @npu were fitted to; NULL if there are none. */
char *npu_yaml_text(const GArray *rows, const GArray *like_rows,
                    const Sheet *sheet, const NpuConfig *npu,
                    const NpuTrial *trials, guint n_trials);

#endif
