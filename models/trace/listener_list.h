/*
 * listener_list.h - the listeners of a run, and the macros that report to them
 *
 * Cost     one comparison if no listener implements the callback
 */
#ifndef MODELS_TRACE_LISTENER_LIST_H
#define MODELS_TRACE_LISTENER_LIST_H

#include "models/trace/trace.h"
#include "sim/core/engine.h"

typedef struct TraceListener TraceListener;

struct TraceListener {
    const TraceOps *ops; /* static: the callbacks of the listener */
    gpointer self;       /* borrowed: first argument of the callbacks */
    TraceListener *next; /* owned: the listener that is called next */
};

/* The listeners of one run. */
typedef struct {
    /* Borrowed: its time is the time that is reported. */
    const SimEngine *engine;
    TraceListener *listeners; /* owned: the listeners; NULL: none */
    TraceOps heard; /* a callback is set here if some listener has it, so that
                       arguments are computed only if they are needed */
    gpointer only;  /* borrowed: the self of all listeners if it is the same and
                       no two implement the same callback: .heard can be called
                       directly; otherwise NULL */
} Watch;

/* Adds a listener, which is called from now on.  Callbacks that are NULL in
 * @ops are not called. */
void trace_watch_add_listener(Watch *watch, const TraceOps *ops, gpointer self);
/* Removes all listeners. */
void trace_watch_clear(Watch *watch);

/* Returns whether all listeners allow iterations to be skipped: see
 * TraceOps.steady. */
gboolean trace_watch_allows_skipping(const Watch *watch);
void trace_watch_visit_state(const Watch *watch, SteadyWalk *walk);
/* Returns the listener whose .repeats allow periods to be skipped, if all
 * listeners have the same self and have .repeats.  Returns NULL otherwise, and
 * if there are no listeners. */
const TraceListener *trace_watch_period_listener(const Watch *watch);

/* Returns whether all listeners hear of operations only, whose times are the
 * same however the collectives between them are computed.  No listener hears of
 * a chunk, a message, a link or a server, or after each event. */
gboolean trace_watch_receives_only_operation_events(const Watch *watch);

/* Returns whether some listener can end the run, see TraceOps.stops. */
gboolean trace_watch_may_stop_run(const Watch *watch);
gboolean trace_watch_listener_stops_run(const Watch *watch);
/* Returns TRUE if all listeners accept how the run ended; otherwise sets
 * @error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_watch_report_run_end(const Watch *watch, const TraceEnd *end,
                                    GError **error);

/* TRACE(watch, kernel_ends, npu, op, iteration) reports an event.  The macro
 * appends the time. */
#define TRACE(watch, call, ...)                                                \
    do {                                                                       \
        if (!G_UNLIKELY((watch)->heard.call))                                  \
            break;                                                             \
        if ((watch)->only) {                                                   \
            (watch)->heard.call((watch)->only, __VA_ARGS__,                    \
                                sim_engine_now_ps((watch)->engine));           \
            break;                                                             \
        }                                                                      \
        for (const TraceListener *listener_ = (watch)->listeners; listener_;   \
             listener_ = listener_->next)                                      \
            if (listener_->ops->call)                                          \
                listener_->ops->call(listener_->self, __VA_ARGS__,             \
                                     sim_engine_now_ps((watch)->engine));      \
    } while (0)

static inline const TraceChunk *trace_chunk_of(const Chunk *chunk, uint32_t npu,
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

/* TRACE_CHUNK(watch, npu, chunk, phase_begins, phase) reports an event of
 * @chunk on @npu. */
#define TRACE_CHUNK(watch, npu, chunk, call, ...)                              \
    TRACE((watch), call, trace_chunk_of((chunk), (npu), &(TraceChunk){ 0 }),   \
          ##__VA_ARGS__)

#endif
