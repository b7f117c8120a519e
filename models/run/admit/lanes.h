/*
 * lanes.h - lanes at run time: who lets collectives begin (workloads/lane.h)
 *
 * What an NPU could begin it hands over.  When all NPUs that take part have,
 * the operation is ready; a lane looks at what is ready when nothing happens
 * any more at an instant, so that neither NPUs' numbers nor the order of what
 * happens at once matter, and NPUs that cannot be told apart do the same:
 * folded runs decide as full ones.  What it lets go is a load: one operation,
 * or a buffer of several.  It begins on all NPUs at once.  Where an operation
 * has several sets (groups by dimension), a lane decides for all of them
 * together: it is ready when it is in all sets, and done when it is in all.
 *
 * Nothing can wait for ever, however lanes and operations without a lane are
 * mixed.  Say that nothing moves any more.  Then what has begun is through: as
 * each operation begins on all its NPUs at once, lanes take nothing from the
 * argument that chunks that were decided get through (scheduler.c, turns.h);
 * who has to follow waits for what is let go on it, too, or for what others
 * have had through.  So no lane has anything under way, and none holds what is
 * ready: at least one has room where nothing is, and a look comes, at the next
 * multiple of a cycle.  Of instances that are not done anywhere take the first
 * by iteration and place in the graph: all that it waits for stands before it,
 * and is done.  So it has begun, or, if it has a lane, was handed over on all
 * NPUs that take part, and is let go: it is none that waits.
 *
 * Owner    the system owns its lanes
 */
#ifndef MODELS_RUN_ADMIT_LANES_H
#define MODELS_RUN_ADMIT_LANES_H

#include "models/run/npu_impl.h"

/* NULL: the graph has none. */
Lanes *lanes_new(System *system);
void lanes_free(Lanes *lanes);

/* Instance @iteration of @op, which has a lane, could begin on @npu.  Its load
 * comes to NpuDone.let_go(). */
void lanes_hand_over(Npu *npu, uint32_t op, uint64_t iteration);
/* What single operation @op is, that was let go and is not done; */
const TraceLoad *lanes_load_of(const System *system, uint32_t op);
/* and what has begun as @slot. */
const TraceLoad *lanes_load_at(const System *system, uint32_t slot);
/* @load is done on @npu, which does not use it any more. */
void lanes_part_done(Npu *npu, const TraceLoad *load);
/* @npu has read and written @bytes, into a buffer or out of it; */
void lanes_count_copy(Npu *npu, uint64_t bytes);
/* so many in all. */
uint64_t lanes_copied_bytes(const Npu *npu);
/* Why @op, which @npu has handed over, does not begin: added to @text. */
void lanes_explain(const System *system, uint32_t op, GString *text);

#endif
