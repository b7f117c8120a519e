/*
 * lane_impl.h - what pipeline.c and partial.c do to a lane
 *
 * A lane is at step .n_done.  It is done when every step is sent and taken in;
 * then its chunk may leave the phase, and be done with, within the call.
 */
#ifndef MODELS_RUN_LANE_IMPL_H
#define MODELS_RUN_LANE_IMPL_H

#include "models/run/step_impl.h"

/* What can be done to a lane; pipeline.c has it, and hands it to partial.c,
 * which it calls, too. */
typedef struct {
    /* Sends step @step, in @message, a record to use. */
    void (*send)(Npu *npu, const Place *at, uint32_t step, uint32_t message);
    /* Takes in what has come, as far as it is the lane's turn. */
    void (*try_receive)(Npu *npu, const Place *at);
    /* After something of it was done. */
    void (*check)(Npu *npu, const Place *at);
} LaneOps;

/* ---- partial.c: phases of .partial algorithms -------------------------- */

void partial_enter(Npu *npu, Chunk *chunk, uint32_t phase, const LaneOps *ops);
/* Sends what there is to send in step .n_done, and goes on as long as there is
 * nothing to receive. */
void partial_go_on(Npu *npu, const Place *at, const LaneOps *ops);

#endif
