/*
 * verify.h - data carried along, to prove that collectives keep their promise
 *
 * The payload of a chunk is cut into as many atoms as there are NPUs, and
 * every NPU's copy of every atom begins as a number of its own.  Messages
 * carry the numbers that their blocks hold when they are sent, reducing steps
 * add them (mod 2^64), others store them.  In the end each NPU must hold
 * what its collective promises (workloads/collective.h): sums of all NPUs'
 * numbers, or every NPU's own.  A model that drops, duplicates, reorders or
 * sends too early ends with other numbers, but for one time in 2^64.
 *
 * Lanes carry the same numbers side by side and must agree when a phase ends.
 *
 * Cost     memory of chunks in flight x NPUs^2 x lanes x 8 bytes
 * Errors   the first thing wrong is kept, verify_error(); later calls do
 *          nothing
 * Assumes  every NPU is simulated
 */
#ifndef MODELS_VERIFY_H
#define MODELS_VERIFY_H

#include "models/chunk_impl.h"

typedef struct Verify Verify;

Verify *verify_new(uint32_t n_npus);
void verify_free(Verify *verify);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verify, verify_free)

/* NULL: nothing is wrong so far. */
const char *verify_error(const Verify *verify);
/* Chunks that were followed to their end on every NPU. */
uint64_t verify_n_chunks(const Verify *verify);

/* A step of a chunk on an NPU, in one of its lanes. */
typedef struct {
    const Chunk *chunk; /* borrowed */
    uint32_t npu, phase, lane, step;
} VerifyStep;

void verify_begin(Verify *verify, const Chunk *chunk);
/* @message sets out with what the NPU has now. */
void verify_send(Verify *verify, const VerifyStep *at, uint32_t message);
/* @message is at the NPU; it waits there until the step is handled. */
void verify_arrive(Verify *verify, const VerifyStep *at, uint32_t message);
void verify_handle(Verify *verify, const VerifyStep *at);
/* The NPU leaves @phase. */
void verify_leave(Verify *verify, const Chunk *chunk, uint32_t npu,
                  uint32_t phase);
/* The NPU is done with @chunk. */
void verify_finish(Verify *verify, const Chunk *chunk, uint32_t npu);
/* All are, and its record will serve another. */
void verify_end(Verify *verify, const Chunk *chunk);

/* VERIFY(system, leave, chunk, npu, phase), where anybody asked. */
#define VERIFY(system, call, ...)                                              \
    do {                                                                       \
        if (G_UNLIKELY((system)->verify))                                      \
            verify_##call((system)->verify, __VA_ARGS__);                      \
    } while (0)

#endif
