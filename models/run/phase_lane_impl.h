/*
 * phase_lane_impl.h - the operations on a lane that chunk_progress.c and
 * partial_phase.c share
 *
 * A parallel lane is at step .n_done. It is done when every step is sent and
 * received. Then its chunk may leave the phase, and end, before the call
 * returns.
 */
#ifndef MODELS_RUN_PHASE_LANE_IMPL_H
#define MODELS_RUN_PHASE_LANE_IMPL_H

#include "models/run/step_messages_impl.h"

/* Operations of chunk_progress.c, which it passes to partial_phase.c. */
typedef struct {
    /* Sends the message of step @step, as the new record @message. */
    void (*send)(Npu *npu, const LaneRef *lane_ref, uint32_t step,
                 uint32_t message);
    /* Processes the messages that have arrived, up to the first step whose
     * message is missing. */
    void (*try_receive)(Npu *npu, const LaneRef *lane_ref);
    /* Ends the phase if all its parallel lanes are done. Must be called after a
     * step was sent or received. */
    void (*check)(Npu *npu, const LaneRef *lane_ref);
} LaneOps;

/* ---- partial_phase.c: phases of .partial algorithms ---------------------- */

void partial_phase_enter(Npu *npu, Chunk *chunk, uint32_t phase,
                         const LaneOps *ops);
/* Sends the message of step .n_done, if any, and advances the parallel lane to
 * the next step that receives something. */
void partial_phase_advance(Npu *npu, const LaneRef *lane_ref,
                           const LaneOps *ops);

#endif
