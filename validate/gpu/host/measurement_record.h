/*
 * measurement_record.h - the origin of the measurements, as JSON next to the
 * CSV table
 *
 * The record contains the device, its clocks, the versions of the software, the
 * command line, and the cases that failed or were skipped.
 *
 * Units    in the names of the keys; an unknown value is null
 * Owner    texts are copied, and truncated if they do not
 * fit */
#ifndef VALIDATE_GPU_HOST_MEASUREMENT_RECORD_H
#define VALIDATE_GPU_HOST_MEASUREMENT_RECORD_H

#include <stdio.h>

#include "validate/gpu/host/measured_case.h"
#include "validate/gpu/host/sm_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of notes of each kind that are stored.  Further notes are only
 * counted. */
#define RECORD_NOTES     200
#define RECORD_TEXT_SIZE 256

typedef enum { CLOCK_BEFORE, CLOCK_MID, CLOCK_AFTER, N_CLOCKS } ClockPlace;

/* Clock rates at one time; 0 if unknown. */
typedef struct {
    /* The SM clock is the number of counted cycles divided by the global
     * timer. */
    double sm_measured_mhz;
    double sm_nvml_mhz, memory_nvml_mhz;
} Clocks;

typedef struct {
    char what[2 * RECORD_TEXT_SIZE], why[RECORD_TEXT_SIZE];
} RecordNote;

/* Summary of a kernel that ran for many seconds; 0 if unknown. */
typedef struct {
    char what[2 * RECORD_TEXT_SIZE];
    uint32_t seconds;
    /* The time of a launch in the first and in the last second. */
    double first_us, last_us;
    double first_mhz, last_mhz; /* The SM clock that the driver reported. */
    double most_w, limit_w, most_celsius;
    uint64_t throttle; /* The throttle reasons as bits of NVML. */
} Sustained;

#define RECORD_SUSTAINED 16

typedef struct {
    RecordNote notes[RECORD_NOTES];
    size_t n;
} RecordNotes;

typedef struct {
    char device_name[RECORD_TEXT_SIZE], command_line[4 * RECORD_TEXT_SIZE];
    char driver[RECORD_TEXT_SIZE], cublas[RECORD_TEXT_SIZE];
    /* The reason why cuBLAS is missing; "" if it was found. */
    char cublas_missing[RECORD_TEXT_SIZE];
    char host_compiler[RECORD_TEXT_SIZE], date_utc[32];
    int compute_capability[2], cuda_driver_version, cuda_runtime_version;
    int nvcc_version[2];
    uint32_t n_sms, memory_bus_bits;
    uint64_t l2_bytes, memory_bytes, shared_bytes_per_block;
    double sm_max_mhz, memory_max_mhz;
    Clocks clocks[N_CLOCKS];
    /* The SMs of each GPC, as far as they were found; a GPC may have several
     * sets. */
    SmGroups gpcs;
    uint32_t repetitions, n_passes;
    uint64_t seed;
    double duration_s;
    bool is_complete;
    size_t n_rows;
    size_t n_left_out; /* The cases that --budget left out of the plan. */
    Sustained sustained[RECORD_SUSTAINED];
    size_t n_sustained;
    /* The cases that should have given a row but did not. */
    RecordNotes failed;
    RecordNotes skipped; /* The cases that this machine cannot run. */
} Record;

/* Adds a note that case @what failed or was skipped, with the reason @why. */
void record_add_note(RecordNotes *notes, const char *what, const char *why);

/* Writes the whole record as one JSON object. */
void record_write_json(FILE *file, const Record *record);
/* Writes @text in quotes and escapes what JSON does not allow.  Each byte that
 * is not ASCII becomes '?'. */
void record_write_json_text(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif

#endif
