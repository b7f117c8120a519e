/*
 * npu_fit_stages.h - the keys of an NPU that are fitted, and the kernels used
 * for each
 *
 * A parameter is a key of npu_fields, so a fit can only change what a run
 * reads.  Each has a range that physics or the data sheet determines, and a
 * usual value.  The usual value is used if no row depends on the parameter, and
 * attracts it a little if few do.  Stages are fitted one after the other; the
 * results of earlier stages stay fixed.  A key belongs to the first of its
 * stages that has rows.
 *
 * Units    base units of the type of the key
 * (quantity.h) */
#ifndef VALIDATE_FIT_NPU_FIT_STAGES_H
#define VALIDATE_FIT_NPU_FIT_STAGES_H

#include "models/npu/kernel_time.h"
#include "validate/fit/data_sheet.h"

typedef struct {
    /* The path of the parameter in npu_fields, such as "hbm.efficiency". */
    const char *key;
    double low, high;
    /* The bounds in words, for messages that refuse a value. */
    const char *low_text, *high_text;
    /* The usual value. A deviation of one .spread costs as much as a mean error
     * of half a percent. */
    double usual, spread;
    /* TRUE if the parameter is searched on a logarithmic scale; .spread is then
     * in e-folds. */
    gboolean is_log;
} NpuParam;

typedef struct {
    const char *name;
    const char *const *families; /* The list of families ends with NULL. */
    /* The list of parameters ends with a key of NULL. */
    const NpuParam *params;
} NpuStage;

/* The table of stages ends with a name of NULL. */
extern const NpuStage npu_stages[];

/* Returns whether @stage is fitted to rows of the kernel family @family. */
gboolean npu_stage_has_family(const NpuStage *stage, const char *family);

/* Returns the kernel family without whose rows nothing is known about @param,
 * or NULL if there is none.  Without them, @param is not fitted, and keeps the
 * default of its key. */
const char *npu_family_that_param_needs(const NpuParam *param);
/* Returns whether @param needs a family and has the default of its key. */
gboolean npu_param_is_default(const NpuParam *param, const NpuConfig *npu);

/* Returns the field at @path, which must be a number.  Sets *@ret_offset to its
 * offset in NpuConfig. */
const ConfigField *npu_field_at_path(const char *path, size_t *ret_offset);
uint64_t get_npu_field_at_path(const NpuConfig *npu, const char *path);
void set_npu_field_at_path(NpuConfig *npu, const char *path, uint64_t value);

/* Returns whether the key belongs to products, convolutions and recurrent
 * layers. */
gboolean npu_field_belongs_to_matrix_products(const char *path);

/* Returns whether the peaks of the data sheet imply tensor cores. */
gboolean npu_sheet_has_tensor_cores(const Sheet *sheet);

/* Fills @npu with the values of the data sheet, the usual values of all
 * parameters, and the defaults of other keys. */
void npu_init_from_sheet(NpuConfig *npu, const Sheet *sheet);

#define NPU_FIT_ERROR npu_fit_error_quark()
GQuark npu_fit_error_quark(void);
typedef enum {
    NPU_FIT_ERROR_BOUND, /* The error of an impossible value. */
    NPU_FIT_ERROR_ROWS,  /* The error of an NPU without rows to fit to. */
} NpuFitErrorCode;

/* Returns FALSE and sets NPU_FIT_ERROR_BOUND if a value is outside .low and
 * .high or exceeds the data sheet.  The error names the first such key. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_check_bounds(const NpuConfig *npu, const Sheet *sheet,
                          GError **error);

#endif
