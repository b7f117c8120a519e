/*
 * repeated_iterations.h - skips iterations that repeat the one before
 *
 * A snapshot is taken when an iteration is at its mark (kernel_loop.h), if
 * nothing is in flight then but the kernel at the mark, which begins just then
 * on every NPU.  If the snapshot equals the one at the mark of the iteration
 * before, all iterations that follow repeat this one.  So the run is ended
 * there: every count grows by its growth in one iteration, times the number of
 * iterations left.  Excepted are kernels that would belong to one iteration too
 * many (last_iteration.h).  The kernel at the mark never begins.
 *
 * The next iterations may repeat this one, and a later one may use other ring
 * directions.  Then the run continues at the mark of that later one.
 *
 * Without kernels, an iteration begins with collectives.  If a single NPU is
 * simulated, it is held just before it begins an iteration, when nothing at all
 * is in flight.
 *
 * Rings may be mirrored: see ring_mirror.h.  If one NPU could represent all,
 * the order in which NPUs begin their kernels does not matter.
 *
 * How long a bus has been idle is a part of the state only as far as it could
 * affect the first message (steady_visit_time_that_may_be_past()).
 */
#ifndef MODELS_RUN_STEADY_REPEATED_ITERATIONS_H
#define MODELS_RUN_STEADY_REPEATED_ITERATIONS_H

#include "models/run/steady/last_iteration.h"
#include "models/run/steady/periods.h"
#include "models/run/steady/ring_mirror.h"

typedef struct {
    StateWalker *walker; /* borrowed */
    Snapshot *at_mark; /* owned: at the mark of this iteration; NULL: something
                        * was in flight */
    uint64_t iteration;
    RingMirror mirror;
    LastIteration last;
    gboolean may_hold; /* one NPU is simulated, and has no kernels */
    GArray *predicted; /* owned: of SimWide: expected growth in this iteration;
                        * NULL: not checked */
} RepeatedIterations;

void repeated_iterations_init(RepeatedIterations *iterations,
                              StateWalker *walker);
void repeated_iterations_clear(RepeatedIterations *iterations);

/* Returns whether NPU 0 is to be held: there are no kernels, and nothing is in
 * flight. */
gboolean
repeated_iterations_should_hold_npu(const RepeatedIterations *iterations);

/* Returns the position on the main stream at which a snapshot is taken
 * (kernel_loop.h). */
guint repeated_iterations_find_mark(const RepeatedIterations *iterations);
/* To be called when the last kernel of an iteration just ended on @npu. */
void repeated_iterations_record_computation_end(RepeatedIterations *iterations,
                                                Npu *npu);

/* Called when the kernel at the mark just began on NPU 0; events must be out of
 * the engine.  Returns TRUE if the run was ended, so that no event is to be put
 * back.  With @checks nothing is skipped: the growth is predicted, and asserted
 * at the next mark. */
gboolean repeated_iterations_handle_mark(RepeatedIterations *iterations,
                                         uint64_t n_ends, gboolean checks);
/* Notes that @n times @period is about to be skipped.  It would make chunks of
 * @coll, from number @first on. */
void repeated_iterations_record_skip(RepeatedIterations *iterations,
                                     const Period *period,
                                     const CollInstance *coll, uint32_t first,
                                     uint64_t n);

#endif
