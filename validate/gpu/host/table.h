/*
 * table.h - the measurements as tidy CSV: columns, cells, keys
 *
 * One row is one kernel's time.  A cell is empty where its column does not
 * apply, which is where the number is zero.  The columns that say what was
 * measured, and not how long it took, identify the row: its key is the
 * FNV-1a hash (64 bits) of their cells joined by '|', in 16 hex digits.  The
 * two rows of a pair share the key of the compute kernel's row.
 *
 * Units    in the columns' names
 * Order    columns as table.c lists them
 */
#ifndef VALIDATE_GPU_HOST_TABLE_H
#define VALIDATE_GPU_HOST_TABLE_H

#include <stdio.h>

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double median_us, p10_us, p90_us;
    double alone_us; /* the same kernel's median with nothing beside it */
    uint64_t repetitions;
    uint64_t batch_launches; /* launches that one repetition is divided by */
    uint64_t rotated_bytes;  /* all buffers that launches take turns with */
    const char *caveat;      /* why nothing may be fitted to it, or "" */
    /* The clock right after the last repetition; of a row of many, as the
     * driver told it meanwhile. */
    double sm_mhz;
    uint64_t second; /* of a kernel that goes on, from 1 */
    double power_w, celsius;
    uint64_t throttle; /* why its clock was lowered: NVML's bits */
} MeasureResult;

/* Room for any identity. */
#define TABLE_IDENTITY_SIZE 512

/* What the key is the hash of. */
void table_identity(const MeasureCase *c, char *ret, size_t size);
/* For people: "reduce: kernel=copy bytes=1048576 n_sms=8". */
void table_label(const MeasureCase *c, char *ret, size_t size);
uint64_t table_key(const MeasureCase *c);

/* FNV-1a, 64 bits. */
uint64_t table_hash(const char *text);

/* These return false when the file cannot be written. */
bool table_write_header(FILE *file);
bool table_write_row(FILE *file, const MeasureCase *c, uint64_t key,
                     const MeasureResult *result);
/* A cell, quoted when it holds a comma, a quote or a line break. */
bool table_write_text(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif

#endif
