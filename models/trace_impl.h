/*
 * trace_impl.h - telling the listener, if there is one; for models/ only
 *
 * Cost     one comparison where nobody listens
 */
#ifndef MODELS_TRACE_IMPL_H
#define MODELS_TRACE_IMPL_H

#include "models/chunk_impl.h"
#include "models/trace.h"

/* TRACE(system, kernel_ends, npu, op, iteration); the time is added. */
#define TRACE(system, call, ...)                                               \
    do {                                                                       \
        if (G_UNLIKELY((system)->listens) && (system)->listens->call)          \
            (system)->listens->call((system)->listener, __VA_ARGS__,           \
                                    sim_engine_now((system)->engine));         \
    } while (0)

static inline const TraceChunk *trace_chunk(const Chunk *chunk, uint32_t npu,
                                            TraceChunk *ret)
{
    *ret = (TraceChunk){ .npu = npu,
                         .op = chunk->coll->op,
                         .iteration = chunk->coll->iteration,
                         .index = chunk->index,
                         .slot = chunk->slot,
                         .bytes = chunk->bytes };
    return ret;
}

/* TRACE_CHUNK(npu, chunk, phase_begins, phase). */
#define TRACE_CHUNK(npu, chunk, call, ...)                                     \
    TRACE((npu)->system, call,                                                 \
          trace_chunk(chunk, (npu)->id, &(TraceChunk){ 0 }), ##__VA_ARGS__)

#endif
