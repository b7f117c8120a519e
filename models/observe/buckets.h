/*
 * buckets.h - quantities over the time of a run whose length nobody knows
 *
 * The run is cut into equal buckets, 1024 to 2048 of them once it is longer
 * than 1024 ns: when they are used up, each two become one.  A bucket keeps the
 * integral of each quantity over its time, exactly.
 *
 * Units    ps; a quantity's own unit times ps
 * Cost     32 KiB a quantity, whatever the run
 */
#ifndef SIM_MODELS_OBSERVE_BUCKETS_H
#define SIM_MODELS_OBSERVE_BUCKETS_H

#include "sim/core/time.h"

typedef struct Buckets Buckets;

Buckets *buckets_new(guint n_quantities);
void buckets_free(Buckets *buckets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Buckets, buckets_free)

/* @quantity was @value more from @from_ps to @to_ps. */
void buckets_add(Buckets *buckets, guint quantity, uint64_t value,
                 SimTime from_ps, SimTime to_ps);

SimTime buckets_width_ps(const Buckets *buckets);
/* Buckets that something may have been added to. */
guint buckets_n(const Buckets *buckets);
SimWide buckets_integral(const Buckets *buckets, guint quantity, guint bucket);

#endif
