/*
 * time_buckets.h - quantities over the time of a run of unknown length
 *
 * The run is divided into equal buckets.  When all buckets are used up, each
 * two become one, so that a run of more than 1024 ns has 1024 to 2048 buckets.
 * A bucket keeps the exact integral of each quantity over its time.
 *
 * Units    ps; a quantity's own unit times ps
 * Cost     32 KiB for each quantity, independent of the length of the run
 */
#ifndef MODELS_OBSERVE_TIME_BUCKETS_H
#define MODELS_OBSERVE_TIME_BUCKETS_H

#include "sim/core/time.h"

typedef struct TimeBuckets TimeBuckets;

TimeBuckets *time_buckets_new(guint n_quantities);
void time_buckets_free(TimeBuckets *buckets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TimeBuckets, time_buckets_free)

/* Adds @value to @quantity from @from_ps to @to_ps. */
void time_buckets_add(TimeBuckets *buckets, guint quantity, uint64_t value,
                      SimTime from_ps, SimTime to_ps);

SimTime time_buckets_width_ps(const TimeBuckets *buckets);
/* Returns the number of buckets up to the last one that is used. */
guint time_buckets_n_used(const TimeBuckets *buckets);
/* Returns the integral of @quantity over bucket @bucket. */
SimWide time_buckets_integral(const TimeBuckets *buckets, guint quantity,
                              guint bucket);

#endif
