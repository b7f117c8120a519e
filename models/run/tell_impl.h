/*
 * tell_impl.h - who listens is told of steps and their messages
 *
 * Units    bytes of payload: without what a protocol adds
 */
#ifndef MODELS_RUN_TELL_IMPL_H
#define MODELS_RUN_TELL_IMPL_H

#include "models/run/step_impl.h"

/* Told where somebody listens, at the cost of one comparison where nobody
 * does. */
#define WATCH(npu, call, ...)                                                  \
    do {                                                                       \
        if (G_UNLIKELY((npu)->system->watch.listeners) &&                      \
            hears_##call(&(npu)->system->watch.heard))                         \
            tell_##call(npu, __VA_ARGS__);                                     \
    } while (0)

static inline gboolean hears_send(const TraceOps *heard)
{
    return heard->message_handed || heard->step_sent;
}

static inline gboolean hears_arrive(const TraceOps *heard)
{
    return heard->message_arrives || heard->step_arrives;
}

static inline gboolean hears_receive(const TraceOps *heard)
{
    return heard->message_handed || heard->step_received;
}

static inline gboolean hears_handle(const TraceOps *heard)
{
    return heard->step_handled != NULL;
}

static inline TraceStep told(const Npu *npu, const Place *at, uint32_t step)
{
    return (TraceStep){ at->chunk, npu->host.id, at->p, at->l, step };
}

static inline TraceStep told_message(const Npu *npu, const Place *at,
                                     uint32_t message)
{
    return told(npu, at, step_of(host_message(&npu->host, message)));
}

__attribute__((cold)) void tell_send(const Npu *npu, TraceStep at,
                                     uint32_t message);
__attribute__((cold)) void tell_arrive(const Npu *npu, TraceStep at,
                                       uint32_t message);
__attribute__((cold)) void tell_receive(const Npu *npu, TraceStep at,
                                        uint32_t message);
__attribute__((cold)) void tell_handle(const Npu *npu, TraceStep at,
                                       gboolean added);

#endif
