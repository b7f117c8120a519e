/*
 * gpu_record.h - which GPU was measured, and when, from the JSON beside the CSV
 *
 * Errors   CONFIG_ERROR: no file, no JSON, a fact missing
 * Owner    the caller owns the record, which owns its texts
 */
#ifndef VALIDATE_FIT_GPU_RECORD_H
#define VALIDATE_FIT_GPU_RECORD_H

#include "sim/core/config.h"

typedef struct {
    ConfigDoc *doc;
    const char *device, *date_utc, *driver; /* borrowed from .doc */
    double clock_mhz; /* of the SMs, seen in the midst of measuring */
    gboolean is_complete;
} GpuRecord;

G_GNUC_WARN_UNUSED_RESULT
GpuRecord *gpu_record_load(const char *path, GError **error);
void gpu_record_free(GpuRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GpuRecord, gpu_record_free)

#endif
