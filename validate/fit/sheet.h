/*
 * sheet.h - what data sheets say of GPUs: validate/data/gpus.csv
 *
 * These values bound what may be fitted: no memory moves more than its pins,
 * no SM computes beyond its peak.  A line whose bandwidth is beyond bits x rate
 * of its own pins is refused.
 *
 * Units    bytes/s, FLOP/s, Hz
 * Errors   CSV_ERROR, with the file's name
 * Owner    the caller owns the array and the strings in it
 */
#ifndef VALIDATE_FIT_SHEET_H
#define VALIDATE_FIT_SHEET_H

#include "sim/core/csv.h"

typedef struct {
    char *gpu, *npu, *source; /* .npu: a file of configs/npus */
    char *like; /* an NPU with the same memory, whose rows hold; "": none */
    char *products_like; /* one of the same chip, whose products hold, too */
    uint64_t n_sms, clock_hz;
    uint64_t memory_bytes_per_s;
    uint64_t fp32_flop_per_s, fp16_flop_per_s;
    uint64_t operand_bytes_per_cycle; /* into what tiles are computed from */
} Sheet;

/* Of Sheet, in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *sheets_load(const char *path, GError **error);
G_GNUC_WARN_UNUSED_RESULT
GArray *sheets_parse(const char *name, const char *text, GError **error);

/* NULL: there is none. */
const Sheet *sheets_find(const GArray *sheets, const char *npu);

#endif
