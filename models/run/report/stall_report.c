/* stall_report.c - describes what each NPU waits for when a run stalls; see
 * stall_report.h */
#include "models/run/report/stall_report.h"

#include "models/run/admit/collective_lanes.h"
#include "models/run/admit/fixed_time_queues.h"
#include "models/run/admit/multi_program_scheduler.h"
#include "models/run/admit/recorded_collectives.h"
#include "models/run/chunk_impl.h"

/* Appends the NPU that has to reach @coll before the collective can start, if
 * there is one. */
static void explain_awaited_operation(const Npu *npu, const CollInstance *coll,
                                      GString *text)
{
    const Npu *other = NULL;

    if (collective_class_is_recorded(coll->coll_class))
        other = recorded_collective_find_missing_npu(npu, coll);
    else if (npu->system->state.multi_program ||
             npu->system->state.communicators)
        other = multi_program_find_npu_without_chunk(npu, coll);
    if (other)
        g_string_append_printf(text, "; waits for NPU %u to come to it",
                               other->host.id);
}

static void explain_stalled_collective(const Training *training, uint32_t op,
                                       GString *text)
{
    const Npu *npu = training->npu;
    const CollInstance *coll = collective_instance_find(
        npu->system, op, training->n_issued[training_slot(training, op)] - 1);

    g_string_append(text, "  ");
    op_graph_append_op_name(npu->system->plan.graph, op, text);
    if (!coll && op_graph_op(npu->system->plan.graph, op)->lane != OP_NO_LANE)
        collective_lanes_explain_wait(npu->system, op, text);
    if (!coll) {
        g_string_append_c(text, '\n');
        return;
    }
    if (collective_class_is_recorded(coll->coll_class))
        g_string_append(text, " has begun");
    else
        g_string_append_printf(text, " has %u of %u chunks done",
                               coll->parts[npu->index].n_chunks_done,
                               coll->n_chunks);
    for (uint32_t i = 0; i < coll->n_chunks; i++) {
        const Chunk *chunk = coll->chunks[i];
        const ChunkState *state =
            chunk ? chunk_state_of_npu(chunk, npu->index) : NULL;

        if (!state || !state->started)
            continue;
        g_string_append_printf(text, "; chunk %u %s phase %u of %u", i,
                               state->in_phase ? "is in" : "waits for",
                               state->phase + 1, coll->plan->n_phases);
        break;
    }
    explain_awaited_operation(npu, coll, text);
    g_string_append_c(text, '\n');
}

static void explain_stalled_stream(const Training *training, OpStream op_stream,
                                   GString *text)
{
    const System *system = training->npu->system;
    const TrainingStream *stream = &training->streams[op_stream];
    uint32_t op;

    if (training_stream(training, op_stream)->len == 0 ||
        stream->iteration == training_n_iterations(training))
        return;
    op = g_array_index(training_stream(training, op_stream), uint32_t,
                       stream->position);
    g_string_append(text, "  ");
    op_graph_append_op_name(system->plan.graph, op, text);
    if (stream->running) {
        g_string_append(text, " has no SMs or no HBM bandwidth to run with\n");
        return;
    }
    g_string_append(text, " waits for");
    for (uint32_t d = 0; d < op_graph_op(system->plan.graph, op)->n_deps; d++) {
        const OpDep *dep = &op_graph_op(system->plan.graph, op)->deps[d];

        if (training_dependency_is_met(training, dep, stream->iteration))
            continue;
        g_string_append_c(text, ' ');
        op_graph_append_op_name(system->plan.graph, dep->op, text);
    }
    g_string_append_c(text, '\n');
}

#define MAX_EXPLAINED 5

void system_explain_stalls(const Training *training, GString *text)
{
    const OpGraph *graph = training->npu->system->plan.graph;
    const EndpointOps *ops = training->npu->endpoint->ops;
    uint32_t n = 0;

    g_string_append_printf(text, "NPU %u:\n", training->npu->host.id);
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        explain_stalled_stream(training, stream, text);
    fixed_time_queues_explain_wait(training->npu, text);
    for (uint32_t op = 0; op < graph->ops->len; op++) {
        if (op_graph_op(graph, op)->type != OP_COLLECTIVE ||
            !training_has_op(training, op) ||
            training->n_done[training_slot(training, op)] ==
                training->n_issued[training_slot(training, op)])
            continue;
        if (n++ < MAX_EXPLAINED)
            explain_stalled_collective(training, op, text);
    }
    if (n > MAX_EXPLAINED)
        g_string_append_printf(text, "  and %u more collectives in flight\n",
                               n - MAX_EXPLAINED);
    if (ops->explain)
        ops->explain(training->npu->endpoint, text);
}
