/*
 * host_memory_impl.h - what the parts of a host that does collectives share
 *
 * Units    bytes
 */
#ifndef MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_IMPL_H
#define MODELS_ENDPOINTS_HOST_MEMORY_HOST_MEMORY_IMPL_H

#include "models/endpoints/endpoint_impl.h"
#include "models/endpoints/host_memory/params.h"
#include "models/endpoints/moved.h"

/* Of what cores do: with a chunk, else with a message. */
#define HOST_MEMORY_IS_CHUNK (UINT32_C(1) << 31)

typedef struct {
    Endpoint base;
    const HostMemoryParams *params; /* borrowed */
    /* Owned: one each, whose units of work are ps. */
    SimServer *cores, *out, *back;
    GByteArray *is_done; /* by slot: it is through its steps */
    uint64_t read_bytes, written_bytes;
} HostMemory;

/* Of what is done with @chunk before its first phase, or after its last. */
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
