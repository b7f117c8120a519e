/*
 * host_memory_state_impl.h - the state of the host endpoint, shared by its
 * sources
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_STATE_IMPL_H
#define MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_STATE_IMPL_H

#include "models/endpoints/chunk_input_output_bytes.h"
#include "models/endpoints/endpoint_impl.h"
#include "models/endpoints/host_memory/host_memory_params.h"

/* A flag in a job of the cores: set for the slot of a chunk, clear for a
 * message. */
#define HOST_MEMORY_IS_CHUNK (UINT32_C(1) << 31)

typedef struct {
    Endpoint base;
    const HostMemoryParams *params; /* borrowed */
    /* Owned: the servers of the cores, of copies out of the NPU and of copies
     * back, and of messages that leave and that have come; their unit of work
     * is ps. */
    SimServer *cores, *out, *back, *leaving, *coming;
    /* Owned: whether the chunk in each slot has finished its steps. */
    GByteArray *is_done;
    uint64_t read_bytes, written_bytes;
} HostMemory;

/* Returns the order of the job of @chunk before its first phase, or after its
 * last. */
static inline uint64_t host_memory_order_of_chunk_job(const HostMemory *memory,
                                                      const Chunk *chunk)
{
    gboolean is_done = memory->is_done->data[chunk->slot];

    return chunk_priority_in_phase(chunk, memory->base.host->place,
                                   is_done ? chunk->plan->n_phases : 0);
}

/* ---- host_memory_steady_state.c ------------------------------------------ */

/* Implements EndpointOps.steady(). */
void host_memory_visit_state(Endpoint *endpoint, SteadyWalk *walk);

#endif
