/*
 * turns.h - in which order NPUs of several programs take chunks in
 *
 * Where all NPUs have one program, the first to get there decides what all take
 * in next, and the others follow (scheduler.c).  With several programs that
 * would be wrong: what one NPU decides another may have yet to issue, and may
 * have to do something for it that the first one's decision keeps it from.  So
 * here what is decided is that the next chunk of a collective is taken in by a
 * set of NPUs, those of one group; and that only when all of them have issued
 * it.  Each has a queue of what was decided for it, and takes that in in
 * order, as its window and its endpoint have room.
 *
 * Nothing can wait for ever.  All decisions form one order.  Say that of those
 * whose chunk is not through, D is the first.  Everybody in its set has issued
 * the collective, so nobody has to do anything else for it.  What stands
 * before D in their queues is taken in and through, or it would be the first.
 * So each of them has D taken in, or has in flight what was decided later: no,
 * for it takes in in order.  So each has nothing in flight before D is, and
 * there is room for it.  Endpoints that hold chunks between phases (ACE) let
 * them into each phase in that same order (EndpointHost.in_turn), so that what
 * came later is never in the way of D.  And if nothing that was decided is
 * left, windows are empty, and whatever a whole set has issued is decided;
 * where no set has, NPUs wait for each other by the program alone.
 *
 * Which collective is decided goes by order.c, as with one program, and its age
 * counts from when the first set has all issued it (a server is there for all
 * pushes from the beginning, in an order that means nothing): of those
 * that somebody in the set has room for, with nothing else before it.  All sets
 * of one collective are looked at together, then what was decided is taken
 * in, then the best is looked for again; and all that when nothing happens any
 * more at this instant.  So no NPU's number matters, and NPUs that cannot be
 * told apart do the same: folded runs decide as full ones.
 *
 * Owner    the system owns its turns
 */
#ifndef MODELS_RUN_ADMIT_TURNS_H
#define MODELS_RUN_ADMIT_TURNS_H

#include "models/run/instance_impl.h"
#include "models/run/npu_impl.h"

Turns *turns_new(System *system);
void turns_free(Turns *turns);

/* @npu has issued @coll, whose chunks may start. */
void turns_issue(Npu *npu, CollInstance *coll);
/* Takes in what was decided, and has more decided where there is room. */
void turns_pump(Npu *npu);
/* One of @coll's set that has yet to issue it; NULL: all have. */
const Npu *turns_awaited(const Npu *npu, const CollInstance *coll);

#endif
