/*
 * npu_stage.h - which keys of an NPU are fitted to which published kernels
 *
 * A parameter is a key of npu_fields, so that what is fitted is what a run
 * has, and nothing else can be.  Each has a range that physics or the data
 * sheet sets and a usual value, which holds where rows say nothing and pulls a
 * little where they say little.  Stages follow each other; what an earlier one
 * found is held, and a key belongs to the first of its stages that has rows.
 *
 * Units    base units of the key's type (quantity.h)
 */
#ifndef VALIDATE_FIT_NPU_STAGE_H
#define VALIDATE_FIT_NPU_STAGE_H

#include "models/npu/compute.h"
#include "validate/fit/sheet.h"

typedef struct {
    const char *key; /* of npu_fields, "hbm.efficiency" */
    double low, high;
    const char *low_is, *high_is; /* in words, for whoever is refused */
    double usual, spread;         /* a spread off costs as much as a mean error
                                     of half a percent */
    gboolean is_log;              /* searched by ratio; .spread is e-folds */
} NpuParam;

typedef struct {
    const char *name;
    const char *const *families; /* ends with NULL */
    const NpuParam *params;      /* ends with a key of NULL */
} NpuStage;

extern const NpuStage npu_stages[]; /* ends with a name of NULL */

gboolean npu_stage_has_family(const NpuStage *stage, const char *family);

/* The field at a path; asserts that it is a number.  @ret_offset is that in
 * NpuConfig. */
const ConfigField *npu_key(const char *path, size_t *ret_offset);
uint64_t npu_key_get(const NpuConfig *npu, const char *path);
void npu_key_set(NpuConfig *npu, const char *path, uint64_t value);

/* Of products, convolutions and recurrent layers. */
gboolean npu_key_is_of_products(const char *path);

/* By its data sheet. */
gboolean npu_has_tensor_cores(const Sheet *sheet);

/* The data sheet's values, usual ones of all parameters, and the fallbacks of
 * other keys. */
void npu_fit_init(NpuConfig *npu, const Sheet *sheet);

#define NPU_FIT_ERROR npu_fit_error_quark()
GQuark npu_fit_error_quark(void);
typedef enum {
    NPU_FIT_ERROR_BOUND, /* a value that cannot be */
    NPU_FIT_ERROR_ROWS,  /* nothing to fit to */
} NpuFitErrorCode;

/* FALSE and NPU_FIT_ERROR_BOUND, which names the first key that is beyond what
 * .low and .high or the data sheet allow. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_fit_check(const NpuConfig *npu, const Sheet *sheet,
                       GError **error);

#endif
