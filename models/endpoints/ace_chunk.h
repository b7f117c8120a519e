/*
 * ace_chunk.h - what of a chunk ACE holds at an NPU
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_ACE_CHUNK_H
#define MODELS_ENDPOINTS_ACE_CHUNK_H

#include "models/endpoints/moved.h"

static inline uint32_t ace_n_phases(const Chunk *chunk)
{
    return chunk->plan->n_phases;
}

/* Of @chunk at @npu in the partition of @phase, or in the terminal one. */
static inline uint64_t ace_held_bytes(const Chunk *chunk, uint32_t npu,
                                      uint32_t phase)
{
    return phase == ace_n_phases(chunk)
               ? endpoint_rx_bytes(chunk, npu)
               : coll_phase_bytes(chunk_phase(chunk, phase), chunk->bytes);
}

#endif
