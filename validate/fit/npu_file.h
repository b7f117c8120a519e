/*
 * npu_file.h - a fitted GPU as configs/npus/NAME.yaml, each value with where
 * it is from
 *
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_FIT_NPU_FILE_H
#define VALIDATE_FIT_NPU_FILE_H

#include "validate/fit/fit.h"
#include "validate/fit/gpu_record.h"

/* @path is the CSV's, as the comments are to name it. */
char *npu_file_text(const Measurements *all, const GpuModel *gpu,
                    const GpuRecord *record, const char *path);

#endif
