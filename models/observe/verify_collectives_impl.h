/* verify_collectives_impl.h - the state of a verifier, for verify*.c */
#ifndef MODELS_OBSERVE_VERIFY_COLLECTIVES_IMPL_H
#define MODELS_OBSERVE_VERIFY_COLLECTIVES_IMPL_H

#include "models/observe/verify_buffers.h"
#include "models/observe/verify_chunk.h"
#include "models/observe/verify_collectives.h"
#include "models/observe/verify_ops.h"

/* Identifies a step that waits for a message.  .step is 0 for steps that wait
 * for no other step, because the receiver cannot distinguish them. */
typedef struct {
    uint64_t seq; /* sequence number of the chunk */
    uint32_t npu, phase, lane, step;
} VerifyStepPlace;

struct Verify {
    const OpGraph *graph; /* borrowed */
    uint32_t n_npus;
    const CollPlacement
        *placement;          /* borrowed; NULL: all NPUs run all operations */
    CollMembers all_members; /* the group of all NPUs, if .placement is NULL */
    VerifyOps *ops;          /* owned */
    VerifyBuffers *loads;    /* owned: fused buffers of collective lanes */
    GHashTable *chunks;      /* owned: maps Chunk.seq to a VerifyChunk */
    GHashTable *in_flight;   /* owned: maps a message to its VerifyNumbers */
    /* Owned: maps a VerifyStepPlace to the queue of messages that
     * wait there. */
    GHashTable *arrived;
    GHashTable *reductions; /* owned: maps rank 0's VerifyStepPlace to
                               VerifyReduction */
    char *error;            /* owned: the first error, or NULL */
    uint64_t n_chunks;
};

/* Keeps an error at @step with the text @what, and frees @what.  Does nothing
 * if it is NULL. */
void verify_keep_error_at_step(Verify *verify, const TraceStep *step,
                               char *what);
/* Same as verify_keep_error_at_step(), with a constant text. */
void verify_keep_constant_error_at_step(Verify *verify, const TraceStep *step,
                                        const char *what);

/* Returns the chunk of @step.  Returns NULL if there is an error, or if the
 * chunk or step does not exist, which becomes the error. */
VerifyChunk *verify_find_chunk_of_step(Verify *verify, const TraceStep *step);

#endif
