/*
 * moves_impl.h - private to this folder: which chunks are sent between ranks,
 * and how the receivers use them
 *
 * The value of a chunk on a rank has versions.  Version 0 is the rank's own
 * contribution, and each received chunk that is used makes the next version.
 */
#ifndef MODELS_STACKS_MSCCL_MOVES_IMPL_H
#define MODELS_STACKS_MSCCL_MOVES_IMPL_H

#include "models/stacks/msccl/xml_schedule.h"

typedef enum {
    MOVE_UNUSED, /* not yet known */
    MOVE_ADDED,
    MOVE_STORED,
} MoveEffect;

/* One chunk of one message. */
typedef struct {
    uint32_t from, to, chunk;
    uint32_t version; /* version of the sender's value */
    uint32_t made; /* version that it makes of the receiver's value, if used */
    MoveEffect effect;
    uint32_t message; /* index of the message */
    uint32_t step;    /* step that sent it, over all GPUs */
    uint32_t taken;   /* step that received it */
} Move;

/* Returns the moves of all messages in sending order.  Returns NULL and sets
 * @error at a step that the simulator's schedules cannot express. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_find_moves(const MscclSchedule *msccl, const GArray *order,
                         GError **error);

#endif
