/*
 * communicators.h - admits chunks of several communicators in fair order
 *
 * Each group of the program uses one communicator.  The collectives and
 * messages of a communicator start in the order in which they were posted, and
 * it has a separate window of chunks on each NPU.  A full window of one
 * communicator never delays a chunk of another.  With `scheduler: fair`, the
 * default, communicators share an NPU and its links chunk by chunk if some NPU
 * has several of them.
 *
 * Fair shares are computed once, at admission, and not in each server.  Every
 * chunk gets a tag, a number of bytes.  Every server (link, memory, bus, unit
 * of the endpoint) serves the smallest tag first, through the order of the
 * scheduler.  The tag of a message is that of its chunk plus the bytes that an
 * NPU sends of the chunk before it.  So large chunks, too, share a server
 * message by message.
 *
 * The position of a communicator on an NPU is the tag of its oldest chunk in
 * flight plus the bytes that were sent of it.  Tags follow start-time fair
 * queueing.  The tag of the next chunk of a communicator is, on an NPU:
 *
 *   it has chunks in flight   the end of the last one: its tag + its bytes
 *   only others have some     the smallest of their positions: time without
 *                             chunks gives neither debt nor credit
 *   none has any              the end of the last chunk of all
 *   in any case               at least the position of every other, less the
 *                             bytes that it has in flight: a communicator on a
 *                             slow link collects no unlimited credit
 *
 * The chunk's tag is the largest of these over the NPUs of the set, so NPUs
 * that communicate have comparable tags where their messages meet.  Different
 * sets of one collective have separate tags.
 *
 * Tags grow with the bytes that an NPU has sent, so they are far apart on NPUs
 * whose traffic differed before.  If the largest exceeds the tag that an NPU
 * computed, all its chunks in flight get larger tags by the difference.  The
 * new chunk then has its share there.  Without this, a message to an NPU that
 * had sent 7 GiB more waited until the sender's gradients were 7 GiB further.
 * Messages that already wait for a link keep their order: a new chunk comes
 * behind those of all chunks in flight on the NPUs that were behind.
 *
 * A chunk is admitted if all NPUs of its set have issued its collective, if it
 * is the next of its communicator on all of them, and if all their windows have
 * room.  The decision is made when nothing more happens at the same instant,
 * the smallest tag first.  Therefore it does not depend on NPU numbers, and a
 * run with symmetry reduction decides as a full one.
 *
 * Deadlock freedom.  The next collectives of a communicator have the same order
 * on all NPUs (collective_has_precedence()).  Of those that a whole set has
 * issued and that have chunks to admit, the first is the next on every NPU of
 * its set; it waits only for chunks in flight.  If an endpoint has no room for
 * an admitted chunk, the NPU takes in admitted chunks in the order of
 * admission, of all communicators together, without overtaking.  Let D be the
 * first admitted chunk that is not complete.  On each of its NPUs all chunks
 * before D are complete and none after D is taken in, so the endpoint is empty
 * and has room for D.  Endpoints that hold chunks between phases (ACE) let them
 * into each phase in the same order (EndpointHost.in_turn).
 *
 * Owner    the system owns its communicators
 * Sources  Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996, recalled;
 *          a NCCL communicator has its own stream and its own queue pairs, and
 *          a NIC serves queue pairs in turn
 * Assumes  equal shares; the bytes of a chunk are those that an NPU sends of
 *          it, on any link, in steps of equal size
 */
#ifndef MODELS_RUN_ADMIT_COMMUNICATORS_H
#define MODELS_RUN_ADMIT_COMMUNICATORS_H

#include "models/run/collective_instance_impl.h"
#include "models/run/npu_impl.h"

Communicators *communicators_new(System *system);
void communicators_free(Communicators *communicators);

/* Posts @coll, whose chunks may start on @npu. */
void communicators_post_collective(Npu *npu, CollInstance *coll);
/* Starts admitted chunks of @npu, and requests a decision about further
 * ones. */
void communicators_start_chunks(Npu *npu);
/* Notes that @chunk is complete on @npu, which makes room in the window. */
void communicators_end_chunk(Npu *npu, const Chunk *chunk);

/* Admits the next chunk of set @set of @coll, for which all windows have room,
 * without a decision, because no other collective is on these NPUs. */
void communicators_admit_replayed_chunk(CollInstance *coll, uint32_t set);
/* Calls sim_engine_run_missed_events() from within a decision, before it
 * decides.  The decisions about past instants cover only the part that was not
 * simulated. */
uint64_t communicators_run_missed_events(Communicators *communicators,
                                         SimTime from_ps, SimSettledFn begin,
                                         gpointer self);

#endif
