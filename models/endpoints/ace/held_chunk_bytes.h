/*
 * held_chunk_bytes.h - bytes of a chunk that ACE holds at an NPU
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_ACE_HELD_CHUNK_BYTES_H
#define MODELS_ENDPOINTS_ACE_HELD_CHUNK_BYTES_H

#include "models/endpoints/chunk_input_output_bytes.h"

static inline uint32_t ace_n_phases_of_chunk(const Chunk *chunk)
{
    return chunk->plan->n_phases;
}

/* Returns the bytes that @chunk occupies at @npu in the partition of @phase.
 * The number of phases stands for the terminal partition. */
static inline uint64_t ace_bytes_held_in_partition(const Chunk *chunk,
                                                   uint32_t npu, uint32_t phase)
{
    return phase == ace_n_phases_of_chunk(chunk)
               ? endpoint_bytes_written_of_chunk(chunk, npu)
               : coll_phase_bytes(chunk_phase(chunk, phase), chunk->bytes);
}

#endif
