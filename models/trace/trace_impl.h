/*
 * trace_impl.h - telling the listeners, if there are any; for models/ only
 *
 * Cost     one comparison where nobody listens
 */
#ifndef MODELS_TRACE_TRACE_IMPL_H
#define MODELS_TRACE_TRACE_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/trace/trace.h"

typedef struct TraceListener TraceListener;

struct TraceListener {
    const TraceOps *ops;  /* static */
    gpointer self;        /* borrowed */
    TraceListener *after; /* owned; told next */
};

/* TRACE(system, kernel_ends, npu, op, iteration); the time is added. */
#define TRACE(system, call, ...)                                               \
    do {                                                                       \
        for (const TraceListener *listener_ = (system)->listeners;             \
             G_UNLIKELY(listener_); listener_ = listener_->after)              \
            if (listener_->ops->call)                                          \
                listener_->ops->call(listener_->self, __VA_ARGS__,             \
                                     sim_engine_now((system)->engine));        \
    } while (0)

/* Nobody listens any more. */
void trace_forget(System *system);

static inline const TraceChunk *trace_chunk(const Chunk *chunk, uint32_t npu,
                                            TraceChunk *ret)
{
    *ret = (TraceChunk){ .npu = npu,
                         .op = chunk->coll->op,
                         .iteration = chunk->coll->iteration,
                         .index = chunk->index,
                         .slot = chunk->slot,
                         .plan = chunk->plan,
                         .bytes = chunk->bytes };
    return ret;
}

/* TRACE_CHUNK(npu, chunk, phase_begins, phase). */
#define TRACE_CHUNK(npu, chunk, call, ...)                                     \
    TRACE((npu)->system, call,                                                 \
          trace_chunk(chunk, (npu)->id, &(TraceChunk){ 0 }), ##__VA_ARGS__)

#endif
