/*
 * skip_count.h - how many periods can be skipped
 *
 * At least two chunks must be left to admit, because the last may be smaller
 * and NPUs examine the size of the next one.  The skip must also end before any
 * event outside communication that communication could notice.
 */
#ifndef MODELS_RUN_STEADY_SKIP_COUNT_H
#define MODELS_RUN_STEADY_SKIP_COUNT_H

#include "models/run/steady/kernels_during_skips.h"
#include "models/run/steady/periods.h"

/* Returns the number of chunks of @coll that some NPU has admitted. */
uint32_t skip_count_admitted(const System *system, const CollInstance *coll);
/* Returns how many periods can be skipped, as far as the number of chunks left
 * in @coll, and their plans, allow. */
uint64_t skip_count_by_chunks(const StateWalker *walker, const Period *period,
                              const CollInstance *coll);
/* Returns how many of @n periods can be skipped, as far as events outside
 * communication allow; events must be out of the engine.  The independent
 * kernels have then run up to the end of these periods.  If @dry_run, they have
 * not. */
uint64_t skip_count_by_kernels(StateWalker *walker,
                               KernelsDuringSkips *independent,
                               const Period *period, uint64_t n,
                               gboolean dry_run);

#endif
