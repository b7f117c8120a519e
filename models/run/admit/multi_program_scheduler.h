/*
 * multi_program_scheduler.h - the order in which NPUs with several programs
 * take in chunks
 *
 * If all NPUs have one program, the first NPU that can take in a chunk decides
 * for all, and the others follow (chunk_scheduler.c). With several programs
 * that is wrong. Another NPU may not have issued the collective yet, and may
 * have to do other work first, which the decision would delay.
 *
 * Therefore a decision here is that one set of NPUs, those of one group, takes
 * in the next chunk of a collective, and it is made only when all of them have
 * issued the collective.  Each NPU has a queue of decisions and follows them in
 * order, as its window and its endpoint have room.
 *
 * Deadlock freedom.  All decisions form one order.  Let D be the first decision
 * whose chunk is not complete.  All NPUs of its set have issued the collective,
 * so none of them has other work to do for it.  Earlier decisions in their
 * queues are taken in and complete, because D is the first that is not.  An NPU
 * takes in chunks in order, so it has nothing in flight that was decided after
 * D.  Hence an NPU that has not taken in D has nothing in flight, and has room
 * for D.  Endpoints that hold chunks between phases (ACE) let them into each
 * phase in the same order (EndpointHost.in_turn), so later chunks never block
 * D.  If all decisions are complete, windows are empty, and whatever a whole
 * set has issued is decided.  If no set has issued a collective completely,
 * NPUs wait for each other only by the program.
 *
 * collective_precedence.c defines the precedence of collectives, as with one
 * program. The age of a collective counts from the instant at which a set has
 * issued it completely, because a server issues all receive operations at the
 * start, in an order without meaning. Candidates are the collectives for which
 * an NPU of the set has room and no earlier decision to follow. All sets of one
 * collective are decided together, the decisions are followed, and then the
 * best collective is searched again. This happens when nothing more happens at
 * the same instant. Therefore decisions do not depend on NPU numbers, and a run
 * with symmetry reduction decides as a full one.
 *
 * Owner    the system owns its MultiProgram
 */
#ifndef MODELS_RUN_ADMIT_MULTI_PROGRAM_SCHEDULER_H
#define MODELS_RUN_ADMIT_MULTI_PROGRAM_SCHEDULER_H

#include "models/run/collective_instance_impl.h"
#include "models/run/npu_impl.h"

MultiProgram *multi_program_new(System *system);
void multi_program_free(MultiProgram *scheduler);

/* Notes that @npu has issued @coll, whose chunks may start. */
void multi_program_issue_collective(Npu *npu, CollInstance *coll);
/* Starts the chunks that were decided for @npu, and requests a further decision
 * if there is still room. */
void multi_program_start_chunks(Npu *npu);
/* Returns an NPU of @coll's set that has yet to issue it, or NULL if all
 * have. */
const Npu *multi_program_find_npu_without_chunk(const Npu *npu,
                                                const CollInstance *coll);

#endif
