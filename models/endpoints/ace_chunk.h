/*
 * ace_chunk.h - what of a chunk ACE reads, holds and writes at an NPU
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_ACE_CHUNK_H
#define MODELS_ENDPOINTS_ACE_CHUNK_H

#include "models/collectives/chunk.h"

static inline uint32_t ace_n_phases(const Chunk *chunk)
{
    return chunk->plan->n_phases;
}

/* A gather begins with the rank's own block only, a reduce-scatter ends with
 * it; else a chunk is read and written whole. */
static inline uint64_t ace_read_bytes(const CollPlan *plan,
                                      uint64_t chunk_bytes)
{
    g_assert(plan->n_phases > 0); /* what has no phase has no chunk */
    return plan->kind == COLL_ALL_GATHER
               ? coll_block_bytes(&plan->phases[0], chunk_bytes)
               : chunk_bytes;
}

static inline uint64_t ace_written_bytes(const CollPlan *plan,
                                         uint64_t chunk_bytes)
{
    g_assert(plan->n_phases > 0);
    return plan->kind == COLL_REDUCE_SCATTER
               ? coll_block_bytes(&plan->phases[plan->n_phases - 1],
                                  chunk_bytes)
               : chunk_bytes;
}

/* At @npu, of a message the sender: who receives has nothing to read, */
static inline uint64_t ace_tx_bytes(const Chunk *chunk, uint32_t npu)
{
    const CollPhase *phase = &chunk->plan->phases[0];

    if (chunk->plan->kind == COLL_SEND &&
        coll_rank(phase, npu) != phase->group.from)
        return 0;
    return ace_read_bytes(chunk->plan, chunk->bytes);
}

/* and who sends nothing to write. */
static inline uint64_t ace_rx_bytes(const Chunk *chunk, uint32_t npu)
{
    const CollPhase *phase = &chunk->plan->phases[0];

    if (chunk->plan->kind == COLL_SEND &&
        coll_rank(phase, npu) != phase->group.to)
        return 0;
    return ace_written_bytes(chunk->plan, chunk->bytes);
}

/* Of @chunk at @npu in the partition of @phase, or in the terminal one. */
static inline uint64_t ace_held_bytes(const Chunk *chunk, uint32_t npu,
                                      uint32_t phase)
{
    return phase == ace_n_phases(chunk)
               ? ace_rx_bytes(chunk, npu)
               : coll_phase_bytes(chunk_phase(chunk, phase), chunk->bytes);
}

#endif
