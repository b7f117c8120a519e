/* tell.c - steps and their messages, as listeners have them */
#include "models/run/tell_impl.h"

static uint64_t told_bytes(const Npu *npu, const Chunk *chunk, uint32_t message)
{
    return coll_payload_bytes(chunk->plan->recipe,
                              host_message(&npu->host, message)->bytes);
}

void tell_send(const Npu *npu, TraceStep at, uint32_t message)
{
    TRACE(npu->host.watch, message_handed, npu->host.id, message);
    TRACE(npu->host.watch, step_sent, &at, message,
          told_bytes(npu, at.chunk, message));
}

void tell_arrive(const Npu *npu, TraceStep at, uint32_t message)
{
    TRACE(npu->host.watch, message_arrives, npu->host.id, message);
    TRACE(npu->host.watch, step_arrives, &at, message,
          told_bytes(npu, at.chunk, message));
}

void tell_receive(const Npu *npu, TraceStep at, uint32_t message)
{
    TRACE(npu->host.watch, message_handed, npu->host.id, message);
    TRACE(npu->host.watch, step_received, &at);
}

void tell_handle(const Npu *npu, TraceStep at, gboolean added)
{
    TRACE(npu->host.watch, step_handled, &at, added);
}
