/*
 * watch.h - telling those who listen to a run, if there are any
 *
 * Cost     one comparison where nobody listens to that
 */
#ifndef MODELS_TRACE_WATCH_H
#define MODELS_TRACE_WATCH_H

#include "models/trace/trace.h"
#include "sim/core/engine.h"

typedef struct TraceListener TraceListener;

struct TraceListener {
    const TraceOps *ops;  /* static */
    gpointer self;        /* borrowed */
    TraceListener *after; /* owned; told next */
};

/* Who listens to one run. */
typedef struct {
    const SimEngine *engine;  /* borrowed: the time that is told */
    TraceListener *listeners; /* owned; NULL: nobody */
    TraceOps heard; /* what is not NULL here, some listener has: so nothing is
                     * worked out that nobody is told */
    gpointer only;  /* borrowed: all listen for it, each to something else: so
                     * .heard is who is told; NULL: not so */
} Watch;

/* From now on; what of @ops is NULL is not told. */
void watch_add(Watch *watch, const TraceOps *ops, gpointer self);
/* Nobody listens any more. */
void watch_clear(Watch *watch);

/* All who listen can be told of less than all, see TraceOps.steady. */
gboolean watch_can_be_steady(const Watch *watch);
void watch_steady(const Watch *watch, SteadyWalk *walk);
/* Who is one listener and can be told of no more than repeats; NULL: nobody
 * listens, or others do. */
const TraceListener *watch_repeats(const Watch *watch);

/* One of them has had enough: see TraceOps.stops. */
gboolean watch_may_stop(const Watch *watch); /* some ask for it at all */
gboolean watch_stops(const Watch *watch);
/* TRUE: all are content with how the run has come to its end. */
G_GNUC_WARN_UNUSED_RESULT
gboolean watch_end(const Watch *watch, const TraceEnd *end, GError **error);

/* TRACE(watch, kernel_ends, npu, op, iteration); the time is added. */
#define TRACE(watch, call, ...)                                                \
    do {                                                                       \
        if (!G_UNLIKELY((watch)->heard.call))                                  \
            break;                                                             \
        if ((watch)->only) {                                                   \
            (watch)->heard.call((watch)->only, __VA_ARGS__,                    \
                                sim_engine_now((watch)->engine));              \
            break;                                                             \
        }                                                                      \
        for (const TraceListener *listener_ = (watch)->listeners; listener_;   \
             listener_ = listener_->after)                                     \
            if (listener_->ops->call)                                          \
                listener_->ops->call(listener_->self, __VA_ARGS__,             \
                                     sim_engine_now((watch)->engine));         \
    } while (0)

static inline const TraceChunk *trace_chunk(const Chunk *chunk, uint32_t npu,
                                            TraceChunk *ret)
{
    *ret = (TraceChunk){ .npu = npu,
                         .op = chunk->op,
                         .iteration = chunk->iteration,
                         .index = chunk->index,
                         .slot = chunk->slot,
                         .plan = chunk->plan,
                         .bytes = chunk->bytes,
                         .chunk = chunk };
    return ret;
}

/* TRACE_CHUNK(watch, npu, chunk, phase_begins, phase). */
#define TRACE_CHUNK(watch, npu, chunk, call, ...)                              \
    TRACE((watch), call, trace_chunk((chunk), (npu), &(TraceChunk){ 0 }),      \
          ##__VA_ARGS__)

#endif
