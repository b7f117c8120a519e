/*
 * data_sheet.h - the data sheets of GPUs: validate/data/gpus.csv
 *
 * These values bound what may be fitted: no memory exceeds the rate of its
 * pins, and no SM exceeds its peak.  A line is refused if its bandwidth exceeds
 * bits x rate of its own pins.
 *
 * Units    bytes, bytes/s, FLOP/s, Hz
 * Errors   CSV_ERROR, with the name of the file
 * Owner    the caller owns the array and the strings in
 * it */
#ifndef VALIDATE_FIT_DATA_SHEET_H
#define VALIDATE_FIT_DATA_SHEET_H

#include "sim/core/csv.h"

typedef struct {
    /* The member .npu names a file of configs/npus. */
    char *gpu, *npu, *source;
    /* An NPU with the same memory, whose published rows also count; "" if there
     * is none. */
    char *like;
    /* An NPU of the same chip, whose product rows also count; "" if there is
     * none. */
    char *products_like;
    uint64_t n_sms, clock_hz;
    uint64_t memory_bytes_per_s;
    /* Column memory_gib: data sheets write GB and mean GiB, because a stack of
     * memory has a power of two of bytes. */
    uint64_t memory_bytes;
    uint64_t fp32_flop_per_s, fp16_flop_per_s;
    /* The number of bytes per cycle from which an SM reads operands of
     * tiles. */
    uint64_t operand_bytes_per_cycle;
    gboolean operands_overlap; /* of products on tensor cores */
} Sheet;

/* Returns an array of Sheet, in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *data_sheets_load(const char *path, GError **error);
G_GNUC_WARN_UNUSED_RESULT
GArray *data_sheets_parse(const char *name, const char *text, GError **error);

/* Returns the data sheet of @npu, or NULL if there is none. */
const Sheet *data_sheets_find_npu(const GArray *sheets, const char *npu);

#endif
