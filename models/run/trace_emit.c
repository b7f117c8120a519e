/* trace_emit.c - reports steps and their messages to listeners; see
 * trace_emit_impl.h */
#include "models/run/trace_emit_impl.h"

static uint64_t message_payload_bytes(const Npu *npu, const Chunk *chunk,
                                      uint32_t message)
{
    return coll_payload_bytes(chunk->plan->recipe,
                              host_get_message(&npu->host, message)->bytes);
}

void trace_report_sent_message(const Npu *npu, TraceStep step, uint32_t message)
{
    TRACE(npu->host.watch, message_submitted, npu->host.id, message);
    TRACE(npu->host.watch, step_sent, &step, message,
          message_payload_bytes(npu, step.chunk, message));
}

void trace_report_arrived_message(const Npu *npu, TraceStep step,
                                  uint32_t message)
{
    TRACE(npu->host.watch, message_arrives, npu->host.id, message);
    TRACE(npu->host.watch, step_arrives, &step, message,
          message_payload_bytes(npu, step.chunk, message));
}

void trace_report_received_message(const Npu *npu, TraceStep step,
                                   uint32_t message)
{
    TRACE(npu->host.watch, message_submitted, npu->host.id, message);
    TRACE(npu->host.watch, step_received, &step);
}

void trace_report_processed_message(const Npu *npu, TraceStep step,
                                    gboolean added)
{
    TRACE(npu->host.watch, step_handled, &step, added);
}
