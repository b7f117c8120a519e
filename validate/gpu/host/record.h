/*
 * record.h - where the measurements come from, as JSON beside the table
 *
 * Units    in the keys' names; what is not known is null
 * Owner    texts are copied, and cut where they do not fit
 */
#ifndef VALIDATE_GPU_HOST_RECORD_H
#define VALIDATE_GPU_HOST_RECORD_H

#include <stdio.h>

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Notes that are kept of each kind; the rest is only counted. */
#define RECORD_NOTES     200
#define RECORD_TEXT_SIZE 256

typedef enum { CLOCK_BEFORE, CLOCK_MID, CLOCK_AFTER, N_CLOCKS } ClockPlace;

/* Zero: not known. */
typedef struct {
    double sm_measured_mhz; /* cycles counted over the global timer */
    double sm_nvml_mhz, memory_nvml_mhz;
} Clocks;

typedef struct {
    char what[2 * RECORD_TEXT_SIZE], why[RECORD_TEXT_SIZE];
} RecordNote;

/* How a kernel did that went on for seconds; zero: not known. */
typedef struct {
    char what[2 * RECORD_TEXT_SIZE];
    uint32_t seconds;
    double first_us, last_us;   /* a launch, in the first and last second */
    double first_mhz, last_mhz; /* SM clock as the driver tells it */
    double most_w, limit_w, most_celsius;
    uint64_t throttle; /* reasons, as NVML has them */
} Sustained;

#define RECORD_SUSTAINED 16

typedef struct {
    RecordNote notes[RECORD_NOTES];
    size_t n;
} RecordNotes;

typedef struct {
    char device_name[RECORD_TEXT_SIZE], command_line[4 * RECORD_TEXT_SIZE];
    char driver[RECORD_TEXT_SIZE], cublas[RECORD_TEXT_SIZE];
    char cublas_missing[RECORD_TEXT_SIZE]; /* why there is none */
    char host_compiler[RECORD_TEXT_SIZE], date_utc[32];
    int compute_capability[2], cuda_driver_version, cuda_runtime_version;
    int nvcc_version[2];
    uint32_t n_sms, memory_bus_bits;
    uint64_t l2_bytes, memory_bytes, shared_bytes_per_block;
    double sm_max_mhz, memory_max_mhz;
    Clocks clocks[N_CLOCKS];
    uint32_t repetitions, n_passes;
    uint64_t seed;
    double duration_s;
    bool is_complete;
    size_t n_rows;
    Sustained sustained[RECORD_SUSTAINED];
    size_t n_sustained;
    RecordNotes failed;  /* cases that gave no row, though they should */
    RecordNotes skipped; /* cases that this machine cannot do */
} Record;

void record_note(RecordNotes *notes, const char *what, const char *why);

void record_write(FILE *file, const Record *record);
/* In quotes, with what JSON does not allow escaped; bytes that are no ASCII
 * become '?'. */
void record_write_text(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif

#endif
