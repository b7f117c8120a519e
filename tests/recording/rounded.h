/*
 * rounded.h - times of streams as the program has them that counted the samples
 *
 * It has times as doubles of us, which are of 2^-10 us where a trace counts
 * from the boot of its machine, 4,458,676 s before: its sums of thousands of
 * intervals are off by some 0.07 us.  Ours are exact.  So that its figures are
 * held to the last digit, what it did is done here once more.
 */
#ifndef TESTS_RECORDING_ROUNDED_H
#define TESTS_RECORDING_ROUNDED_H

#include "workloads/recording/recording.h"

typedef struct {
    double span_us, busy_us, comm_busy_us, compute_busy_us, overlap_us;
} RoundedTimes;

/* @zero_ps is what the trace's own clock has where the rank's begins are 0. The
 * rank has nodes on its device. */
RoundedTimes rounded_times(const RecordRank *rank, __int128 zero_ps);

#endif
