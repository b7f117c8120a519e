/*
 * host_memory_state_impl.h - the state of the host endpoint, shared by its
 * sources
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_STATE_IMPL_H
#define MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_STATE_IMPL_H

#include "models/endpoints/chunk_io.h"
#include "models/endpoints/endpoint_impl.h"
#include "models/endpoints/host_memory/params.h"

/* A flag in a job of the cores: set for the slot of a chunk, clear for a
 * message. */
#define HOST_MEMORY_IS_CHUNK (UINT32_C(1) << 31)

typedef struct {
    Endpoint base;
    const HostMemoryParams *params; /* borrowed */
    /* Owned: one server each; their unit of work is ps. */
    SimServer *cores, *out, *back;
    GByteArray *is_done; /* by slot: whether the chunk has finished its steps */
    uint64_t read_bytes, written_bytes;
} HostMemory;

/* Returns the order of the job of @chunk before its first phase, or after its
 * last. */
static inline uint64_t host_memory_order(const HostMemory *memory,
                                         const Chunk *chunk)
{
    gboolean is_done = memory->is_done->data[chunk->slot];

    return chunk_order_in(chunk, memory->base.host->place,
                          is_done ? chunk->plan->n_phases : 0);
}

/* ---- steady.c --------------------------------------------------------- */

/* See EndpointOps. */
void host_memory_steady(Endpoint *endpoint, SteadyWalk *walk);

#endif
