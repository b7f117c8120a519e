/*
 * measurement_table.h - the measurements as a CSV table: columns, cells, keys
 *
 * One row is the time of one kernel.  A cell is empty if its column does not
 * apply, which a value of zero means.  The columns that describe the case, and
 * not its time, identify the row.  Its key is the FNV-1a hash (64 bits) of
 * their cells joined by '|', in 16 hex digits.  The two rows of a pair share
 * the key of the row of the compute kernel.
 *
 * Units    in the names of the columns
 * Order    columns as listed in
 * measurement_table.c */
#ifndef VALIDATE_GPU_HOST_MEASUREMENT_TABLE_H
#define VALIDATE_GPU_HOST_MEASUREMENT_TABLE_H

#include <stdio.h>

#include "validate/gpu/host/measured_case.h"
#include "validate/gpu/host/sm_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double median_us, p10_us, p90_us;
    double alone_us; /* The median time of the same kernel without a partner. */
    uint64_t repetitions;
    /* The number of launches in one repetition; times are per launch. */
    uint64_t batch_launches;
    /* The total size of the buffer sets that launches use in rotation. */
    uint64_t rotated_bytes;
    /* The reason why no model may be fitted to the row, or "". */
    const char *caveat;
    /* The SM clock right after the last repetition. For a sustained run, it is
     * the mean clock that the driver reported during the second.  For a kernel
     * with a partner, it is the mean of clocks right after windows with
     * both. */
    double sm_mhz;
    /* The mean of clocks right after windows without a partner. */
    double alone_mhz;
    uint64_t second; /* The second of a sustained run, counted from 1. */
    /* Values of the driver right after the last repetition, or in the second
     * of a sustained run. */
    double power_w, celsius;
    /* The reasons why the GPU lowered its clock, as bits of NVML. */
    uint64_t throttle;
    /* The SMs of the kernel and of its partner, if they are known. */
    SmSet sms, beside_sms;
} MeasureResult;

/* Buffer size that is sufficient for every identity. */
#define TABLE_IDENTITY_SIZE 512

/* Writes the text that identifies a case. Its hash is the key of the row. */
void table_identity_of_case(const MeasureCase *measure_case, char *ret,
                            size_t size);
/* Writes the label of a case for the user, such as "reduce: kernel=copy
 * bytes=1048576 n_sms=8". */
void table_label_of_case(const MeasureCase *measure_case, char *ret,
                         size_t size);
uint64_t table_key_of_case(const MeasureCase *measure_case);

/* Returns the FNV-1a hash of @text, 64 bits. */
uint64_t table_hash_fnv_1a(const char *text);

/* The functions below return false if the file cannot be written. */
bool table_write_header(FILE *file);
bool table_write_row(FILE *file, const MeasureCase *measure_case, uint64_t key,
                     const MeasureResult *result);
/* Writes a cell.  The cell is quoted if it contains a comma, a quote or a line
 * break. */
bool table_write_text(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif

#endif
