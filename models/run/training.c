/*
 * training.c - executes the operation graph on an NPU, iteration after
 * iteration
 *
 * The state is the number of instances of each operation that are done.
 * Instance i of an operation may begin when each of its dependencies {op, back}
 * has i + 1 - back instances done, and its own instances before i are done.
 * Kernels begin in the order of their stream, and collectives as soon as they
 * may.  Operations of other roles do not exist for the NPU.
 */
#include "models/run/training_impl.h"

#include "models/run/admit/chunk_scheduler.h"
#include "models/run/admit/collective_lanes.h"
#include "models/run/admit/collective_launch.h"
#include "models/run/admit/communicators.h"
#include "models/run/admit/fixed_time_queues.h"
#include "models/run/admit/fusion_buffers.h"
#include "models/run/admit/recorded_collectives.h"
#include "models/run/stack_costs.h"

void training_free(Training *training)
{
    if (!training)
        return;
    g_free(training->n_done);
    g_free(training->busy_ps);
    g_free(training->wait_ps);
    g_free(training->collectives);
    wait_state_free(training->waits);
    g_free(training);
}

/* Returns whether the NPU executes @op as an operation of its program.  A
 * buffer of a lane is not one: no operation depends on it. */
static gboolean npu_executes_op(const Training *training, uint32_t op)
{
    const Op *o = op_graph_op(training->npu->system->plan.graph, op);

    return op_has_role(o, training->npu->role) && !o->is_buffer;
}

static gboolean op_dependencies_have_ended(const Training *training,
                                           const Op *op, uint64_t iteration)
{
    for (uint32_t d = 0; d < op->n_deps; d++)
        if (!training_dependency_is_met(training, &op->deps[d], iteration))
            return FALSE;
    return TRUE;
}

static void add_layer_time(Training *training, SimTime *times_ps, uint32_t op,
                           SimTime ps)
{
    const Op *o = op_graph_op(training->npu->system->plan.graph, op);

    if (times_ps && o->stream == OP_STREAM_MAIN)
        times_ps[o->layer * OP_N_PASSES + o->pass] += ps;
}

static uint32_t nth_ready_kernel(const Training *training, OpStream stream)
{
    return g_array_index(training_stream(training, stream), uint32_t,
                         training->streams[stream].position);
}

static void start_kernel(Training *training, OpStream op_stream)
{
    System *system = training->npu->system;
    TrainingStream *stream = &training->streams[op_stream];
    uint32_t op = nth_ready_kernel(training, op_stream);
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    add_layer_time(training, training->wait_ps, op, now_ps - stream->since_ps);
    if (training->waits && op_stream == OP_STREAM_MAIN)
        wait_state_add(training->waits, op, stream->position, stream->since_ps);
    stream->since_ps = now_ps;
    stream->beside_ps = npu_communication_time_ps(training->npu);
    TRACE(&system->state.watch, kernel_begins, training->npu->host.id, op,
          stream->iteration);
    npu_start_kernel(training->npu, op, stream->iteration);
    if (system->state.steady && training->npu->index == 0 &&
        op_stream == OP_STREAM_MAIN)
        system->state.period_listener->kernel_begins(system->state.steady,
                                                     stream->position);
}

static void on_gap_end(gpointer self, uint32_t s, uint64_t now_ps)
{
    Training *training = self;

    (void)now_ps;
    TRACE(&training->npu->system->state.watch, gap_ends, training->npu->host.id,
          nth_ready_kernel(training, (OpStream)s),
          training->streams[s].iteration);
    start_kernel(training, (OpStream)s);
}

static void start_kernel_if_ready(Training *training, OpStream op_stream)
{
    System *system = training->npu->system;
    TrainingStream *stream = &training->streams[op_stream];
    const Op *op;
    SimTime gap_ps;

    if (training_stream(training, op_stream)->len == 0 || stream->running ||
        stream->iteration == training_n_iterations(training))
        return;
    op = op_graph_op(system->plan.graph, nth_ready_kernel(training, op_stream));
    if (!op_dependencies_have_ended(training, op, stream->iteration))
        return;
    stream->running = TRUE;
    gap_ps = op_gap_of_rank_ps(op, training->npu->rank);
    if (gap_ps == 0) {
        start_kernel(training, op_stream);
        return;
    }
    TRACE(&system->state.watch, gap_begins, training->npu->host.id,
          nth_ready_kernel(training, op_stream), stream->iteration);
    sim_engine_schedule(
        system->state.engine,
        sim_time_add(sim_engine_now_ps(system->state.engine), gap_ps),
        SIM_PHASE_ACT, on_gap_end, training, op_stream);
}

static void start_stage_if_ready(const Training *training, uint32_t queue)
{
    uint64_t iteration;
    uint32_t op;

    if (fixed_time_queues_next_op_of_queue(training->npu, queue, &op,
                                           &iteration) &&
        op_dependencies_have_ended(
            training, op_graph_op(training->npu->system->plan.graph, op),
            iteration))
        fixed_time_queues_start_next_op(training->npu, queue);
}

static void start_ready_kernels(Training *training)
{
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        start_kernel_if_ready(training, stream);
}

/* ---- collectives ------------------------------------------------------ */

/* Issues the collective @op: its instance n_issued[op] - 1. */
static void issue_collective(Training *training, uint32_t op)
{
    System *system = training->npu->system;
    uint64_t iteration = training->n_issued[training_slot(training, op)] - 1;
    CollInstance *coll =
        collective_instance_find_or_create(system, op, iteration);

    training_collective(training, op)->issued_ps =
        sim_engine_now_ps(system->state.engine);
    if (training->waits)
        wait_state_note_issue(training->waits, coll);
    npu_collective_begins(training->npu);
    TRACE(&system->state.watch, collective_begins, training->npu->host.id, op,
          iteration);
    if (op_graph_op(system->plan.graph, op)->is_recorded)
        recorded_collective_begin(training->npu, coll);
    else
        launch_collective(training->npu, coll);
}

static void issue_op_if_ready(Training *training, uint32_t op)
{
    const Op *o = op_graph_op(training->npu->system->plan.graph, op);
    uint64_t iteration = training->n_issued[training_slot(training, op)];

    if (iteration == training_n_iterations(training) ||
        training->n_done[training_slot(training, op)] < iteration ||
        !op_dependencies_have_ended(training, o, iteration))
        return;
    training->n_issued[training_slot(training, op)]++;
    if (o->lane == OP_NO_LANE)
        issue_collective(training, op);
    else
        collective_lanes_submit_op(training->npu, op, iteration);
}

/* Tries the queues of the stages that depend on @op, and the queue of @op
 * itself. */
static void start_dependent_stages(const Training *training, uint32_t op)
{
    const System *system = training->npu->system;
    uint32_t n;
    const uint32_t *dependents = system_dependents(system, op, &n);
    const Op *o = op_graph_op(system->plan.graph, op);

    for (uint32_t i = 0; i < n; i++) {
        const Op *next = op_graph_op(system->plan.graph, dependents[i]);

        if (next->type == OP_STAGE && op_has_role(next, training->npu->role))
            start_stage_if_ready(training, next->queue);
    }
    if (o->type == OP_STAGE)
        start_stage_if_ready(training, o->queue);
}

/* Begins the operations that depend on @op, of which an instance is done. */
static void begin_dependent_ops(Training *training, uint32_t op)
{
    const System *system = training->npu->system;
    uint32_t n;
    const uint32_t *dependents = system_dependents(system, op, &n);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = dependents[i];

        if (op_graph_op(system->plan.graph, next)->type == OP_COLLECTIVE &&
            npu_executes_op(training, next))
            issue_op_if_ready(training, next);
    }
    start_ready_kernels(training);
    if (system->state.stages)
        start_dependent_stages(training, op);
}

/* Argument of on_held events at the begin: no operation. */
#define AT_BEGIN UINT32_MAX

static gboolean npu_waits_for_other_ranks(const Training *training,
                                          uint32_t arg)
{
    const System *system = training->npu->system;

    return system->state.steady && system->state.n_instances_live == 0 &&
           system->state.period_listener->holds(system->state.steady, arg);
}

/* Notes that one more instance of @op is done, and begins its dependents unless
 * the NPU is held. */
static void end_op_instance(Training *training, uint32_t op)
{
    training->n_done[training_slot(training, op)]++;
    training->end_ps = sim_engine_now_ps(training->npu->system->state.engine);
    if (!npu_waits_for_other_ranks(training, op))
        begin_dependent_ops(training, op);
}

/* Ends the wait of a collective for its first chunk.  The launch does not count
 * as waiting. */
static void on_first_chunk(Npu *npu, CollInstance *coll)
{
    TrainingCollective *times = training_collective(npu->training, coll->op);
    SimTime ps =
        sim_engine_now_ps(npu->system->state.engine) - times->issued_ps;

    if (!coll->load)
        times->waited_ps +=
            ps - MIN(ps, system_launch_ps(npu->system, npu->host.id, coll->op));
}

static void on_collective_end(Npu *npu, CollInstance *coll)
{
    Training *training = npu->training;
    System *system = npu->system;
    const TraceLoad *load = NULL;
    uint32_t op = coll->op;
    TrainingCollective *times = training_collective(training, op);

    if (coll->load) {
        fusion_buffers_end(npu, coll);
        return;
    }
    TRACE(&system->state.watch, collective_ends, training->npu->host.id, op,
          coll->iteration);
    training->collective_end_ps = sim_engine_now_ps(system->state.engine);
    times->took_ps += training->collective_end_ps - times->issued_ps;
    if (training->waits)
        wait_state_note_end(training->waits, coll, times->issued_ps);
    collective_instance_count_npu_done(system, coll);
    npu_collective_ends(training->npu);
    if (op_graph_op(system->plan.graph, op)->lane != OP_NO_LANE) {
        load = collective_lanes_find_load_of_op(system, op);
        TRACE(&system->state.watch, load_ends, npu->host.id, load);
    }
    end_op_instance(training, op);
    if (load)
        collective_lanes_record_npu_done(npu, load);
}

/* ---- lanes ------------------------------------------------------------ */

static void on_load_begins(Npu *npu, const TraceLoad *load)
{
    const Watch *watch = npu->host.watch;

    if (!fusion_buffers_has(npu->system, load)) {
        issue_collective(npu->training, load->op);
        return;
    }
    TRACE(watch, collective_begins, npu->host.id, load->op, load->iteration);
    for (uint32_t i = 0; trace_is_fused(load) && i < load->n_members; i++)
        TRACE(watch, collective_begins, npu->host.id, load->members[i].op,
              load->members[i].iteration);
    fusion_buffers_begin(npu, load);
}

/* The time of a load of collectives counts for the operation of its buffer. */
static void on_load_ends(Npu *npu, const TraceLoad *load)
{
    Training *training = npu->training;
    const Watch *watch = npu->host.watch;

    training_collective(training, load->op)->took_ps +=
        sim_engine_now_ps(npu->system->state.engine) - load->begin_ps;
    if (trace_is_fused(load))
        TRACE(watch, collective_ends, npu->host.id, load->op, load->iteration);
    TRACE(watch, load_ends, npu->host.id, load);
    for (uint32_t i = 0; i < load->n_members; i++) {
        const TraceMember *member = &load->members[i];

        TRACE(watch, collective_ends, npu->host.id, member->op,
              member->iteration);
        end_op_instance(training, member->op);
    }
    collective_lanes_record_npu_done(npu, load);
}

static void on_kernel_end(Npu *npu, uint32_t op)
{
    Training *training = npu->training;
    System *system = npu->system;
    OpStream op_stream = op_graph_op(system->plan.graph, op)->stream;
    TrainingStream *stream = &training->streams[op_stream];
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    TRACE(&system->state.watch, kernel_ends, training->npu->host.id, op,
          stream->iteration);
    add_layer_time(training, training->busy_ps, op, now_ps - stream->since_ps);
    if (training->waits && op_stream == OP_STREAM_MAIN)
        training->waits->kernels_ps += now_ps - stream->since_ps;
    stream->running = FALSE;
    stream->since_ps = now_ps;
    stream->position++;
    if (stream->position == training_stream(training, op_stream)->len) {
        stream->position = 0;
        stream->iteration++;
    }
    if (op_stream == OP_STREAM_MAIN) {
        training->compute_end_ps = now_ps;
        npu->beside_ps += npu_communication_time_ps(npu) - stream->beside_ps;
        if (system->state.steady && stream->position == 0)
            system->state.period_listener->computed(system->state.steady, npu);
    }
    end_op_instance(training, op);
}

static void on_stage_end(Npu *npu, uint32_t op, uint64_t iteration)
{
    TRACE(&npu->system->state.watch, stage_ends, npu->host.id, op, iteration);
    end_op_instance(npu->training, op);
}

static const NpuCallbacks done = {
    .kernel = on_kernel_end,
    .stage = on_stage_end,
    .chunk = scheduler_start_chunks,
    .first_chunk = on_first_chunk,
    .chunk_complete = communicators_end_chunk,
    .collective = on_collective_end,
    .load_begins = on_load_begins,
    .load_ends = on_load_ends,
};

Training *training_new(Npu *npu)
{
    const OpGraph *graph = npu->system->plan.graph;
    gsize n_times = (gsize)graph->layers->len * OP_N_PASSES;
    Training *training = g_new0(Training, 1);
    gsize n_slots;

    training->npu = npu;
    npu->training = training;
    npu->callbacks = &done;
    npu->asker =
        (AdmissionRequester){ .ops = &scheduler_requester_ops, .self = npu };
    n_slots = training_n_slots(training);
    training->n_done = g_new0(uint32_t, 2 * n_slots);
    training->n_issued = training->n_done + n_slots;
    training->collectives =
        g_new0(TrainingCollective, training_n_collectives(training));
    if (npu->index == 0) {
        training->busy_ps = g_new0(SimTime, n_times);
        training->wait_ps = g_new0(SimTime, n_times);
    }
    training->waits = wait_state_new(npu);
    return training;
}

static void begin_programs_ops(Training *training)
{
    const OpGraph *graph = training->npu->system->plan.graph;
    const GArray *ops = npu_ops(training->npu);

    for (guint i = 0; i < ops->len; i++) {
        uint32_t op = g_array_index(ops, uint32_t, i);

        if (op_graph_op(graph, op)->type == OP_COLLECTIVE)
            issue_op_if_ready(training, op);
    }
    start_ready_kernels(training);
    for (uint32_t q = 0; q < graph->queues->len; q++)
        start_stage_if_ready(training, q);
}

void training_begin(Training *training)
{
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        training->streams[stream].since_ps =
            sim_engine_now_ps(training->npu->system->state.engine);
    if (!npu_waits_for_other_ranks(training, AT_BEGIN))
        begin_programs_ops(training);
}

void training_continue(Training *training, uint32_t arg)
{
    if (arg == AT_BEGIN)
        begin_programs_ops(training);
    else
        begin_dependent_ops(training, arg);
}

gboolean training_is_done(const Training *training)
{
    const GArray *ops = npu_ops(training->npu);

    for (guint i = 0; i < ops->len; i++)
        if (training->n_done[training_slot(training,
                                           g_array_index(ops, uint32_t, i))] <
            training_n_iterations(training))
            return FALSE;
    return TRUE;
}

uint64_t training_n_iterations_done(const Training *training)
{
    const GArray *ops = npu_ops(training->npu);
    uint64_t n = training_n_iterations(training);

    for (guint i = 0; i < ops->len; i++)
        n = MIN(n, training->n_done[training_slot(
                       training, g_array_index(ops, uint32_t, i))]);
    return n;
}
