/*
 * moves_impl.h - for this folder only: what is sent from rank to rank, and what
 * becomes of it there
 *
 * A rank's value of a chunk has versions: 0 is its own part, and each message
 * that is taken in makes the next one.
 */
#ifndef MODELS_STACKS_MSCCL_MOVES_IMPL_H
#define MODELS_STACKS_MSCCL_MOVES_IMPL_H

#include "models/stacks/msccl/form.h"

typedef enum {
    MOVE_UNUSED, /* nobody has looked at it yet */
    MOVE_ADDED,
    MOVE_STORED,
} MoveEffect;

/* One chunk of one message. */
typedef struct {
    uint32_t from, to, chunk;
    uint32_t version; /* of its sender's value */
    uint32_t made;    /* version of its receiver's value, if used */
    MoveEffect effect;
    uint32_t message; /* number of; one after the other */
    uint32_t step;    /* that sent it, of all, */
    uint32_t taken;   /* and that received it */
} Move;

/* Of all messages, in the order in which they are sent.  NULL: a rank does what
 * none can here. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_moves(const Msccl *msccl, const GArray *order, GError **error);

#endif
