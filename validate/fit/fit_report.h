/*
 * fit_report.h - what a fit found, how far off it is on rows held out, and
 * what runs beside what cost
 *
 * Owner    the caller owns the texts
 */
#ifndef VALIDATE_FIT_FIT_REPORT_H
#define VALIDATE_FIT_FIT_REPORT_H

#include "validate/fit/fit.h"
#include "validate/fit/gpu_record.h"

/* What a family may be off on held-out rows, on average and at worst. */
#define FIT_MEAN_PERCENT  5
#define FIT_WORST_PERCENT 20

/* The verdict first, then tables. */
char *fit_report_text(const Measurements *all, const GpuModel *gpu,
                      const GpuRecord *record, const char *path);

/* A row each: what it is, measured, predicted, which part it belongs to. */
char *fit_report_csv(const Measurements *all, const GpuModel *gpu);

#endif
