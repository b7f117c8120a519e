/* tell.c - steps and their messages, as listeners have them */
#include "models/run/tell_impl.h"

static uint64_t told_bytes(const Npu *npu, const Chunk *chunk, uint32_t message)
{
    return coll_payload_bytes(chunk->plan->recipe,
                              host_message(&npu->host, message)->bytes);
}

static TraceStep told(const Npu *npu, const Place *at, uint32_t step)
{
    return (TraceStep){ at->chunk, npu->host.id, at->p, at->l, step };
}

static TraceStep told_message(const Npu *npu, const Place *at, uint32_t message)
{
    return told(npu, at, step_of(host_message(&npu->host, message)));
}

/* Most listen to messages alone: the step is found out for who hears it. */
void tell_send(const Npu *npu, const Place *at, uint32_t step, uint32_t message)
{
    TRACE(npu->host.watch, message_handed, npu->host.id, message);
    if (npu->host.watch->heard.step_sent) {
        const TraceStep s = told(npu, at, step);

        TRACE(npu->host.watch, step_sent, &s, message,
              told_bytes(npu, at->chunk, message));
    }
}

void tell_arrive(const Npu *npu, const Place *at, uint32_t step,
                 uint32_t message)
{
    TRACE(npu->host.watch, message_arrives, npu->host.id, message);
    if (npu->host.watch->heard.step_arrives) {
        const TraceStep s = told(npu, at, step);

        TRACE(npu->host.watch, step_arrives, &s, message,
              told_bytes(npu, at->chunk, message));
    }
}

void tell_receive(const Npu *npu, const Place *at, uint32_t message)
{
    TRACE(npu->host.watch, message_handed, npu->host.id, message);
    if (npu->host.watch->heard.step_received) {
        const TraceStep s = told_message(npu, at, message);

        TRACE(npu->host.watch, step_received, &s);
    }
}

void tell_handle(const Npu *npu, const Place *at, uint32_t message,
                 gboolean added)
{
    const TraceStep s = told_message(npu, at, message);

    TRACE(npu->host.watch, step_handled, &s, added);
}
