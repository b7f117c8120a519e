/*
 * trace_emit_impl.h - reports steps and their messages to listeners
 *
 * Units    bytes of payload, without the overhead of a protocol
 */
#ifndef MODELS_RUN_TRACE_EMIT_IMPL_H
#define MODELS_RUN_TRACE_EMIT_IMPL_H

#include "models/run/step_messages_impl.h"

/* Reports a step if there is a listener for it.  Costs one comparison
 * otherwise. */
#define TRACE_STEP(npu, call, ...)                                             \
    do {                                                                       \
        if (G_UNLIKELY((npu)->system->state.watch.listeners) &&                \
            listener_wants_##call##_message(                                   \
                &(npu)->system->state.watch.heard))                            \
            trace_report_##call##_message(npu, __VA_ARGS__);                   \
    } while (0)

static inline gboolean listener_wants_sent_message(const TraceOps *callbacks)
{
    return callbacks->message_submitted || callbacks->step_sent;
}

static inline gboolean listener_wants_arrived_message(const TraceOps *callbacks)
{
    return callbacks->message_arrives || callbacks->step_arrives;
}

static inline gboolean
listener_wants_received_message(const TraceOps *callbacks)
{
    return callbacks->message_submitted || callbacks->step_received;
}

static inline gboolean
listener_wants_processed_message(const TraceOps *callbacks)
{
    return callbacks->step_handled != NULL;
}

/* Returns the description of @step of the lane @lane_ref for listeners. */
static inline TraceStep
trace_record_of_step(const Npu *npu, const LaneRef *lane_ref, uint32_t step)
{
    return (TraceStep){ lane_ref->chunk, npu->host.id, lane_ref->phase_index,
                        lane_ref->lane_index, step };
}

static inline TraceStep trace_record_of_message(const Npu *npu,
                                                const LaneRef *lane_ref,
                                                uint32_t message)
{
    return trace_record_of_step(
        npu, lane_ref,
        step_number_of_message_key(host_get_message(&npu->host, message)));
}

__attribute__((cold)) void
trace_report_sent_message(const Npu *npu, TraceStep step, uint32_t message);
__attribute__((cold)) void
trace_report_arrived_message(const Npu *npu, TraceStep step, uint32_t message);
__attribute__((cold)) void
trace_report_received_message(const Npu *npu, TraceStep step, uint32_t message);
__attribute__((cold)) void
trace_report_processed_message(const Npu *npu, TraceStep step, gboolean added);

#endif
