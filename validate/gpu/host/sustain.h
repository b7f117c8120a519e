/*
 * sustain.h - one kernel in a row for many seconds, second by second
 *
 * Windows of milliseconds end before a GPU that draws too much power or grows
 * too hot lowers its clock.  Here a kernel goes on, in steps of a tenth of a
 * second; a row sums up the steps that began in one second, and a record sums
 * up the rows.
 *
 * Units    microseconds, MHz, watts, degrees Celsius; 0: not known
 */
#ifndef VALIDATE_GPU_HOST_SUSTAIN_H
#define VALIDATE_GPU_HOST_SUSTAIN_H

#include "validate/gpu/host/record.h"
#include "validate/gpu/host/table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUSTAIN_STEP_US 100e3
/* Steps that fit into a second, with some to spare: those of a kernel that
 * grows faster. */
#define SUSTAIN_STEPS 40

/* What the driver said while a step ran. */
typedef struct {
    double sm_mhz, watts, celsius;
    uint64_t throttle; /* reasons, as NVML has them */
} SustainSample;

/* One second so far; zero before its first step. */
typedef struct {
    double us[SUSTAIN_STEPS]; /* of one launch */
    size_t n;
    size_t n_samples[3]; /* of clock, power, temperature: those known */
    double sums[3];
    uint64_t throttle;
} SustainSecond;

void sustain_add(SustainSecond *second, double launch_us,
                 const SustainSample *sample);

/* The row of second @nth, from 1: the median step, means of what was sampled,
 * all reasons seen.  There was a step. */
MeasureResult sustain_row(SustainSecond *second, uint32_t nth,
                          uint64_t step_launches);

/* Takes @row, the next second, into @sum: times and clocks of the first second
 * and of the latest. */
void sustain_sum(Sustained *sum, const MeasureResult *row);

/* A line for people. */
void sustain_tell(const Sustained *sum, char *ret, size_t size);

#ifdef __cplusplus
}
#endif

#endif
