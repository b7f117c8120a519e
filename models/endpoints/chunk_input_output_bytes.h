/*
 * chunk_input_output_bytes.h - bytes of a chunk that an NPU reads first and
 * writes last
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_CHUNK_INPUT_OUTPUT_BYTES_H
#define MODELS_ENDPOINTS_CHUNK_INPUT_OUTPUT_BYTES_H

#include "models/collectives/chunk.h"

/* Returns the bytes of share @part of a chunk.  The size of a rank's own block
 * is that in @phase, which is the first or the last phase. */
static inline uint64_t endpoint_bytes_of_chunk_share(CollShare part,
                                                     const CollPhase *phase,
                                                     uint64_t chunk_bytes)
{
    if (part == COLL_BLOCK)
        return coll_block_bytes(phase, chunk_bytes) *
               MAX(1, phase->n_blocks / phase->group.n_ranks);
    return part == COLL_PAYLOAD ? chunk_bytes : 0;
}

/* Return the most bytes that an NPU reads of a chunk, and that it writes. */
static inline uint64_t endpoint_max_bytes_read_of_chunk(const CollPlan *plan,
                                                        uint64_t chunk_bytes)
{
    const CollContract *contract = coll_contract(plan->kind);

    g_assert(plan->n_phases > 0); /* a plan without phases has no chunks */
    return endpoint_bytes_of_chunk_share(
        MAX(contract->root_has, contract->others_have), &plan->phases[0],
        chunk_bytes);
}

static inline uint64_t endpoint_max_bytes_written_of_chunk(const CollPlan *plan,
                                                           uint64_t chunk_bytes)
{
    const CollContract *contract = coll_contract(plan->kind);

    const CollPhase *last = &plan->phases[plan->n_phases - 1];

    g_assert(plan->n_phases > 0);
    if (last->group.weights) /* a rank gets one block of each rank */
        return last->group.n_ranks * coll_block_bytes(last, chunk_bytes);
    return endpoint_bytes_of_chunk_share(
        MAX(contract->root_gets, contract->others_get), last, chunk_bytes);
}

/* Returns the bytes that @npu reads: 0 for a rank without initial data. */
static inline uint64_t endpoint_bytes_read_of_chunk(const Chunk *chunk,
                                                    uint32_t npu)
{
    const CollContract *contract = coll_contract(chunk->plan->kind);
    const CollPhase *phase = &chunk->plan->phases[0];

    if (contract->root_has == contract->others_have)
        return endpoint_max_bytes_read_of_chunk(chunk->plan, chunk->bytes);
    return endpoint_bytes_of_chunk_share(coll_rank_of_npu(phase, npu) ==
                                                 phase->group.from
                                             ? contract->root_has
                                             : contract->others_have,
                                         phase, chunk->bytes);
}

/* Returns the bytes that @npu writes: 0 for a rank without a result. */
static inline uint64_t endpoint_bytes_written_of_chunk(const Chunk *chunk,
                                                       uint32_t npu)
{
    const CollContract *contract = coll_contract(chunk->plan->kind);
    const CollPhase *phase = &chunk->plan->phases[chunk->plan->n_phases - 1];

    if (phase->group.weights)
        return phase->group.n_ranks *
               coll_block_bytes_for_rank(phase, chunk->bytes,
                                         coll_rank_of_npu(phase, npu));
    if (contract->root_gets == contract->others_get)
        return endpoint_max_bytes_written_of_chunk(chunk->plan, chunk->bytes);
    return endpoint_bytes_of_chunk_share(
        coll_rank_of_npu(phase, npu) == phase->group.to ? contract->root_gets
                                                        : contract->others_get,
        phase, chunk->bytes);
}

#endif
