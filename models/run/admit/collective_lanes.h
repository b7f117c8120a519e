/*
 * collective_lanes.h - starts the collectives of lanes at run time
 * (workloads/collective_lane.h)
 *
 * An NPU hands an operation to its collective lane when the operation could
 * begin. The operation is ready when all NPUs that take part have handed it
 * over. A lane examines its ready operations when nothing more happens at the
 * same instant. Therefore its decisions depend neither on NPU numbers nor on
 * the order of simultaneous events, and a run with symmetry reduction decides
 * as a full one.
 *
 * A collective lane starts loads of collectives: one operation, or a buffer of
 * several. A load begins on all NPUs at the same time. If an operation has
 * several sets (groups by dimension), the lane decides for all of them
 * together: the operation is ready when it is ready in all sets, and done when
 * it is done in all.
 *
 * Deadlock freedom holds for any mix of operations with and without a lane.
 * Assume that nothing moves any more. Every operation begins on all its NPUs at
 * the same time, so the argument of chunk_scheduler.c and
 * multi_program_scheduler.h applies to the chunks of operations that have
 * begun: they are complete. Hence no collective lane has a load of collectives
 * in flight, and a lane without one has room. It examines its ready operations,
 * at the latest at the next multiple of its cycle, so no operation stays ready.
 * Now take the first instance that is not done on some NPU, by iteration and
 * position in the graph. All that it depends on precedes it and is done. So it
 * has begun, or was handed over on all NPUs that take part and is started; in
 * both cases it does not wait.
 *
 * Owner    the system owns its lanes
 */
#ifndef MODELS_RUN_ADMIT_COLLECTIVE_LANES_H
#define MODELS_RUN_ADMIT_COLLECTIVE_LANES_H

#include "models/run/npu_impl.h"

/* Returns the collective lanes of @system, or NULL if its graph has none. */
Lanes *collective_lanes_new(System *system);
void collective_lanes_free(Lanes *lanes);

/* Hands instance @iteration of @op, which has a collective lane and could begin
 * on @npu, to the lane. NpuCallbacks.load_begins() is called when its load of
 * collectives begins. */
void collective_lanes_submit_op(Npu *npu, uint32_t op, uint64_t iteration);
/* Returns the load of operation @op, which was started without a buffer and is
 * not done. */
const TraceLoad *collective_lanes_find_load_of_op(const System *system,
                                                  uint32_t op);
/* Notes that @load is done on @npu, which does not use it any more. */
void collective_lanes_record_npu_done(Npu *npu, const TraceLoad *load);
/* Counts @bytes that @npu has read and written to copy into or out of a
 * buffer. */
void collective_lanes_count_copy(Npu *npu, uint64_t bytes);
/* Returns the bytes that @npu has copied into and out of buffers so far. */
uint64_t collective_lanes_copied_bytes(const Npu *npu);
/* Appends to @text why @op, which @npu has handed to its collective lane, has
 * not begun. */
void collective_lanes_explain_wait(const System *system, uint32_t op,
                                   GString *text);

#endif
