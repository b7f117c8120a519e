/*
 * recorded.h - collectives and messages that take the time they took
 *
 * One begins in a set when the last of its NPUs has come to it, and ends on all
 * of them after its time (Op.duration_ps, `perturb.ops`), whatever else goes
 * on.  It has no chunks, no messages, and holds nothing.  Nothing can wait for
 * ever that does not by the program alone: who has come waits for nobody but
 * those who have yet to come.
 */
#ifndef MODELS_RUN_ADMIT_RECORDED_H
#define MODELS_RUN_ADMIT_RECORDED_H

#include "models/run/npu_impl.h"

/* @npu has come to @coll; its end comes to NpuDone.collective(). */
void recorded_begin(Npu *npu, CollInstance *coll);
/* One of @npu's set that has yet to come; NULL: it is under way. */
const Npu *recorded_awaited(const Npu *npu, const CollInstance *coll);

#endif
