/*
 * sustained_run_summary.h - summarises a kernel that runs for many seconds, per
 * second
 *
 * Windows of milliseconds end before a GPU lowers its clock because of its
 * power or temperature.  Here a kernel runs continuously, in steps of a tenth
 * of a second.  A row of the table summarises the steps that began in one
 * second, and a record summarises the rows.
 *
 * Units    microseconds, MHz, watts, degrees Celsius; 0 if
 * unknown */
#ifndef VALIDATE_GPU_HOST_SUSTAINED_RUN_SUMMARY_H
#define VALIDATE_GPU_HOST_SUSTAINED_RUN_SUMMARY_H

#include "validate/gpu/host/measurement_record.h"
#include "validate/gpu/host/measurement_table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUSTAIN_STEP_US 100e3
/* Maximum number of steps per second, with a reserve for a kernel that becomes
 * faster during the run. */
#define SUSTAIN_STEPS 40

/* Values that the driver reported while a step ran. */
typedef struct {
    double sm_mhz, watts, celsius;
    uint64_t throttle; /* The throttle reasons as bits of NVML. */
} SustainSample;

/* The samples of one second; all zero before its first step. */
typedef struct {
    double us[SUSTAIN_STEPS]; /* The time of one launch in each step. */
    size_t n;
    /* The number of known samples of clock, power and temperature. */
    size_t n_samples[3];
    double sums[3];
    uint64_t throttle;
} SustainSecond;

/* Adds one step: the time of a launch, and the values of the driver. */
void sustain_add_sample(SustainSecond *second, double launch_us,
                        const SustainSample *sample);

/* Returns the row of second @nth, counted from 1: the median of the steps, the
 * means of the samples, and all throttle reasons.  There must be at least one
 * step. */
MeasureResult sustain_row_of_second(SustainSecond *second, uint32_t nth,
                                    uint64_t step_launches);

/* Adds @row, the next second, to @sum.  @sum keeps the times and clocks of the
 * first second and of the latest. */
void sustain_add_row(Sustained *sum, const MeasureResult *row);

/* Writes a line that summarises the sustained run for the user. */
void sustain_describe(const Sustained *sum, char *ret, size_t size);

#ifdef __cplusplus
}
#endif

#endif
