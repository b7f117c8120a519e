/*
 * rounded_busy_times.h - busy times of a device with the rounding errors of the
 * reference program
 *
 * The program that produced samples-expected.json stores times as doubles in
 * microseconds.  A trace that counts from the boot of its machine, 4,458,676 s
 * earlier, leaves a resolution of 2^-10 us, so sums of thousands of intervals
 * are off by about 0.07 us.  Times in a Recording are exact.  This module
 * repeats the program's calculation, so that tests can compare its figures to
 * the last digit.
 */
#ifndef TESTS_RECORDING_ROUNDED_BUSY_TIMES_H
#define TESTS_RECORDING_ROUNDED_BUSY_TIMES_H

#include "workloads/recording/recording.h"

typedef struct {
    double span_us, busy_us, comm_busy_us, compute_busy_us, overlap_us;
} RoundedTimes;

/* Returns the times of the device of @rank, which must have device nodes.
 * @zero_ps is the time of the trace's clock at which times of @rank begin. */
RoundedTimes rounded_busy_times(const RecordRank *rank, __int128 zero_ps);

#endif
