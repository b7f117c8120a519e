/*
 * verify_chunk.h - the numbers of a chunk that is followed: see verify.h
 *
 * Errors   a text that says what is wrong, for the caller to free; NULL: fine
 * Owner    the caller owns the record and the loads
 * Assumes  steps and lanes that exist
 */
#ifndef MODELS_OBSERVE_VERIFY_CHUNK_H
#define MODELS_OBSERVE_VERIFY_CHUNK_H

#include "models/trace/trace.h"

/* What a message carries. */
typedef struct {
    uint64_t seq;               /* of the chunk that it was sent for, */
    uint32_t phase, lane, step; /* and of what in it */
    uint32_t npu;               /* that sent it */
    gboolean handed;            /* to the endpoint of the NPU where it is */
    uint32_t n_blocks, n;
    struct {
        uint32_t atom;
        uint64_t value;
    } items[];
} VerifyLoad;

typedef struct VerifyChunk VerifyChunk;

/* @kind is what was promised to each group of @members, which are borrowed,
 * whatever the plan does. */
VerifyChunk *verify_chunk_new(const Chunk *chunk, CollKind kind,
                              const CollMembers *members);
void verify_chunk_free(VerifyChunk *c);

/* What the step sends, as the NPU has it now. */
VerifyLoad *verify_chunk_load(VerifyChunk *c, const TraceStep *at);
/* What it brings, by its atoms, with what the NPU has of them now. */
VerifyLoad *verify_chunk_due(const VerifyChunk *c, const TraceStep *at);
/* Whether the NPU has got as far as to send this step. */
gboolean verify_chunk_has_sent(const VerifyChunk *c, const TraceStep *at);

/* @at, whose .step is the load's, adds or stores it. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_take_in(VerifyChunk *c, const TraceStep *at,
                           const VerifyLoad *load, gboolean added);

/* The NPU leaves the phase, or is done with the chunk; with an error @at says
 * in which lane. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_leave(VerifyChunk *c, TraceStep *at);
G_GNUC_WARN_UNUSED_RESULT
char *verify_chunk_finish(VerifyChunk *c, TraceStep *at);

/* Parts that its payload is cut into. */
uint32_t verify_chunk_n_atoms(const VerifyChunk *c);

/* How many NPUs have finished it. */
uint32_t verify_chunk_n_finished(const VerifyChunk *c);

#endif
