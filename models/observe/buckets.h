/*
 * buckets.h - quantities over the time of a run of unknown length
 *
 * The run is divided into equal buckets.  When all buckets are used up, each
 * two become one, so that a run of more than 1024 ns has 1024 to 2048 buckets.
 * A bucket keeps the exact integral of each quantity over its time.
 *
 * Units    ps; a quantity's own unit times ps
 * Cost     32 KiB for each quantity, independent of the length of the run
 */
#ifndef MODELS_OBSERVE_BUCKETS_H
#define MODELS_OBSERVE_BUCKETS_H

#include "sim/core/time.h"

typedef struct Buckets Buckets;

Buckets *buckets_new(guint n_quantities);
void buckets_free(Buckets *buckets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Buckets, buckets_free)

/* Adds @value to @quantity from @from_ps to @to_ps. */
void buckets_add(Buckets *buckets, guint quantity, uint64_t value,
                 SimTime from_ps, SimTime to_ps);

SimTime buckets_width_ps(const Buckets *buckets);
/* Returns the number of buckets up to the last one that is used. */
guint buckets_n(const Buckets *buckets);
/* Returns the integral of @quantity over bucket @bucket. */
SimWide buckets_integral(const Buckets *buckets, guint quantity, guint bucket);

#endif
