/*
 * verify_chunk.h - the numbers of one chunk, see verify_collectives.h
 *
 * Errors   a text that the caller frees, or NULL if all is right
 * Owner    the caller owns the chunk's record and the loads
 * Assumes  steps and lanes that exist
 */
#ifndef MODELS_OBSERVE_VERIFY_CHUNK_H
#define MODELS_OBSERVE_VERIFY_CHUNK_H

#include "models/trace/trace.h"

/* The numbers in a message. */
typedef struct {
    uint64_t seq;               /* sequence number of the chunk */
    uint32_t phase, lane, step; /* step that sent the message */
    uint32_t npu;               /* NPU that sent the message */
    gboolean handed;            /* the receiver has given it to its endpoint */
    uint32_t n_blocks, n;
    struct {
        uint32_t atom;
        uint64_t value;
    } items[];
} VerifyNumbers;

typedef struct VerifyChunk VerifyChunk;

/* Returns the record of @chunk.  @kind is the collective that was promised to
 * each group of @members, independent of the plan.  @members is borrowed. */
VerifyChunk *verify_chunk_new(const Chunk *chunk, CollKind kind,
                              const CollMembers *members);
void verify_chunk_free(VerifyChunk *chunk);

/* Returns the numbers that the step sends, which are those that the NPU holds
 * now. */
VerifyNumbers *verify_chunk_send_step(VerifyChunk *chunk,
                                      const TraceStep *step);
/* Returns the atoms that the step receives, with the current numbers of the
 * NPU. */
VerifyNumbers *verify_chunk_expected_message(const VerifyChunk *chunk,
                                             const TraceStep *step);
/* Returns whether the NPU has already sent this step. */
gboolean verify_chunk_has_sent_step(const VerifyChunk *chunk,
                                    const TraceStep *step);

/* Adds the numbers of @load to those of the NPU, or stores them.  @step->step
 * is the step of @load. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_apply_message(VerifyChunk *chunk, const TraceStep *step,
                                 const VerifyNumbers *load, gboolean added);

/* Check the numbers when the NPU leaves the phase, or has finished the chunk.
 * If there is an error, set @step->lane. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_leave_phase(VerifyChunk *chunk, TraceStep *step);
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_finish_on_npu(VerifyChunk *chunk, TraceStep *step);

/* Returns the number of atoms of the payload. */
uint32_t verify_chunk_n_atoms(const VerifyChunk *chunk);

/* Returns the number of NPUs that have finished the chunk. */
uint32_t verify_chunk_n_finished(const VerifyChunk *chunk);

#endif
