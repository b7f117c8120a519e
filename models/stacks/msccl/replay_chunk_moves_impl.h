/*
 * replay_chunk_moves_impl.h - private to this folder: which chunks are sent
 * between ranks, and how the receivers use them
 *
 * The value of a chunk on a rank has versions.  Version 0 is the rank's own
 * contribution, and each received chunk that is used makes the next version.
 */
#ifndef MODELS_STACKS_MSCCL_REPLAY_CHUNK_MOVES_IMPL_H
#define MODELS_STACKS_MSCCL_REPLAY_CHUNK_MOVES_IMPL_H

#include "models/stacks/msccl/xml_schedule.h"

typedef enum {
    MOVE_UNUSED, /* the receiver has not used the chunk yet */
    MOVE_ADDED,
    MOVE_STORED,
} MoveEffect;

/* The transfer of one chunk of one message from one GPU to another. */
typedef struct {
    uint32_t from, to, chunk;
    uint32_t version; /* version of the sender's value */
    /* The version of the receiver's value that it makes, if it is used. */
    uint32_t made;
    MoveEffect effect;
    uint32_t message; /* index of the message */
    uint32_t step;    /* sending step, as an index over all GPUs */
    uint32_t taken;   /* receiving step, as an index over all GPUs */
} Move;

/* Returns the moves of all messages in sending order.  Returns NULL and sets
 * @error at a step that the simulator's schedules cannot express. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_find_moves(const MscclSchedule *msccl, const GArray *order,
                         GError **error);

#endif
