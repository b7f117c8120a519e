/*
 * communicators.h - chunks of several communicators are admitted fairly
 *
 * A communicator is what a group of the program uses: its collectives and its
 * messages start in order, as they were posted, and it has a window of chunks
 * of its own on each NPU.  A chunk of one communicator never waits until there
 * is room in the window of another.  Communicators of one NPU share what the
 * NPU and its links do, chunk by chunk (`scheduler: fair`, the default, where
 * some NPU is in more than one of them).
 *
 * Fair shares are computed once, at admission, and not in each server.  Every
 * chunk gets a tag, a number of bytes, and every server (links, memory, bus,
 * units of the endpoint) serves the least tag first, as it serves by the order
 * of the scheduler anyway.  A message stands later than its chunk by what an
 * NPU sends of the chunk before it, so that a chunk, however large, shares
 * message by message.  A communicator stands on an NPU where its oldest chunk
 * in flight does: its tag + what was sent of it.  The tags are those of
 * start-time fair queueing.  For the next chunk of a communicator, on each of
 * the NPUs of the set:
 *
 *   it has chunks in flight   the end of the last: its tag + its bytes
 *   it has none, others have  where the last of them stands: it has no debt and
 *                             no credit from before
 *   none has any              the end of the last chunk of all
 *   in any case               no less than where any other stands less the
 *                             bytes that that one has in flight: who is slow
 *                             because of a slow link does not collect credit
 *                             for ever
 *
 * The chunk's tag is the greatest of these, the same on all NPUs of the set; so
 * NPUs that communicate carry each other forward and their tags can be
 * compared where their messages meet.  Sets of one collective have tags of
 * their own.
 *
 * A chunk is admitted when all NPUs of its set have issued its collective, it
 * is the next of its communicator on all of them, and each of their windows has
 * room.  That is decided when nothing happens any more at this instant, the
 * least tag first, so that no NPU's number matters, and folded runs decide as
 * full ones.
 *
 * Nothing waits for ever.  The next collectives of a communicator stand in the
 * same order on all NPUs (order_before()), so of those that all NPUs of a set
 * have issued and that still have chunks to admit, the first is the next
 * everywhere; it waits only until chunks in flight are through.  An endpoint
 * may have no room for a chunk that was admitted.  Then the NPU takes in what
 * was admitted in that order, of all communicators together, and nothing
 * overtakes.  Of the chunks that were admitted and are not through let D be the
 * first.  On each of its NPUs, everything admitted before D is through and
 * nothing after D is taken in, so the endpoint is empty and has room for D.
 * Endpoints that hold chunks between phases (ACE) let them into each phase in
 * that same order (EndpointHost.in_turn).
 *
 * Owner    the system owns its communicators
 * Sources  Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996, recalled;
 *          a NCCL communicator has its own stream and its own queue pairs, and
 *          a NIC serves queue pairs in turn
 * Assumes  equal shares; the bytes of a chunk are what an NPU sends of it, on
 *          whatever links, in steps of equal size
 */
#ifndef MODELS_RUN_ADMIT_COMMUNICATORS_H
#define MODELS_RUN_ADMIT_COMMUNICATORS_H

#include "models/run/instance_impl.h"
#include "models/run/npu_impl.h"

Communicators *communicators_new(System *system);
void communicators_free(Communicators *all);

/* @npu has issued @coll, whose chunks may start. */
void communicators_issue(Npu *npu, CollInstance *coll);
/* Takes in what was admitted, and has more admitted where there is room. */
void communicators_pump(Npu *npu);
/* @chunk is through on @npu. */
void communicators_let_go(Npu *npu, const Chunk *chunk);

#endif
