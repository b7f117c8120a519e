/*
 * training.c - one NPU runs the op graph, iteration after iteration
 *
 * Counting instances that are done is all the state there is: instance i of
 * an operation may begin when each dependency {op, back} has i + 1 - back
 * instances done, and its own i before it.  Kernels begin in the order of
 * their stream, collectives as soon as they may.  What is of other roles than
 * the NPU's is not there for it.
 */
#include "models/run/training_impl.h"

#include "models/run/admit/scheduler.h"
#include "models/run/admit/turns.h"
#include "models/run/chunk_impl.h"
#include "models/run/decided.h"

typedef struct {
    guint position; /* in System.role_ops */
    uint64_t iteration;
    gboolean running;
    SimTime since_ps; /* it has been running, or waiting */
} Stream;

struct Training {
    Npu *npu;                    /* borrowed */
    uint32_t *n_done, *n_issued; /* owned: one an op */
    Stream streams[OP_N_STREAMS];
    SimTime compute_end_ps, end_ps;
    SimTime *busy_ps, *wait_ps;   /* owned: by layer and pass; NPU 0 only */
    SimTime *issued_ps, *took_ps; /* owned: by op */
};

static uint64_t n_iterations(const Training *t)
{
    return t->npu->system->config->training.n_iterations;
}

void training_free(Training *t)
{
    if (!t)
        return;
    g_free(t->n_done);
    g_free(t->n_issued);
    g_free(t->busy_ps);
    g_free(t->wait_ps);
    g_free(t->issued_ps);
    g_free(t->took_ps);
    g_free(t);
}

static gboolean runs(const Training *t, uint32_t op)
{
    return op_has_role(op_graph_op(t->npu->system->graph, op), t->npu->role);
}

/* Other roles' dependencies are none here. */
static gboolean dep_is_met(const Training *t, const OpDep *dep,
                           uint64_t iteration)
{
    return !(dep->roles >> t->npu->role & 1) ||
           t->n_done[dep->op] + (uint64_t)dep->back >= iteration + 1;
}

static gboolean is_ready(const Training *t, const Op *op, uint64_t iteration)
{
    for (uint32_t d = 0; d < op->n_deps; d++)
        if (!dep_is_met(t, &op->deps[d], iteration))
            return FALSE;
    return TRUE;
}

static void book(Training *t, SimTime *times_ps, uint32_t op, SimTime ps)
{
    const Op *o = op_graph_op(t->npu->system->graph, op);

    if (times_ps && o->stream == OP_STREAM_MAIN)
        times_ps[o->layer * OP_N_PASSES + o->pass] += ps;
}

static const GArray *stream_ops(const Training *t, OpStream s)
{
    return t->npu->system->role_ops[t->npu->role].of[s];
}

static void try_kernel(Training *t, OpStream s)
{
    System *system = t->npu->system;
    Stream *stream = &t->streams[s];
    const GArray *ops = stream_ops(t, s);
    SimTime now_ps = sim_engine_now(system->engine);
    uint32_t op;

    if (ops->len == 0 || stream->running ||
        stream->iteration == n_iterations(t))
        return;
    op = g_array_index(ops, uint32_t, stream->position);
    if (!is_ready(t, op_graph_op(system->graph, op), stream->iteration))
        return;
    book(t, t->wait_ps, op, now_ps - stream->since_ps);
    stream->running = TRUE;
    stream->since_ps = now_ps;
    TRACE(&system->watch, kernel_begins, t->npu->host.id, op,
          stream->iteration);
    npu_start_kernel(t->npu, op, stream->iteration);
}

/* ---- collectives ------------------------------------------------------ */

static void on_collective(Npu *npu, CollInstance *coll);

/* A collective of one NPU is through at once, but not within the call. */
static void on_trivial(gpointer self, uint32_t op, uint64_t now_ps)
{
    Training *t = self;

    (void)now_ps;
    on_collective(t->npu,
                  instance_find(t->npu->system, op, t->n_issued[op] - 1));
}

/* Its chunks may start. */
static void launched(Training *t, CollInstance *coll)
{
    coll->parts[t->npu->index].issued = TRUE;
    scheduler_add(t->npu, coll);
}

static void on_launched(gpointer self, uint32_t op, uint64_t now_ps)
{
    Training *t = self;
    uint64_t iteration = t->n_issued[op] - 1;

    (void)now_ps;
    TRACE(&t->npu->system->watch, collective_launched, t->npu->host.id, op,
          iteration);
    launched(t, instance_find(t->npu->system, op, iteration));
}

static void try_issue(Training *t, uint32_t op)
{
    System *system = t->npu->system;
    uint64_t iteration = t->n_issued[op];
    SimTime launch_ps = system_launch_ps(system, t->npu->host.id, op);
    SimTime now_ps = sim_engine_now(system->engine);
    CollInstance *coll;

    if (iteration == n_iterations(t) || t->n_done[op] < iteration ||
        !is_ready(t, op_graph_op(system->graph, op), iteration))
        return;
    t->n_issued[op]++;
    t->issued_ps[op] = now_ps;
    coll = instance_get(system, op, iteration);
    npu_collective_begins(t->npu);
    TRACE(&system->watch, collective_begins, t->npu->host.id, op, iteration);
    if (coll->n_chunks == 0)
        sim_engine_at(system->engine, now_ps, SIM_PHASE_ACT, on_trivial, t, op);
    else if (launch_ps == 0)
        launched(t, coll);
    else
        sim_engine_at(system->engine, sim_time_add(now_ps, launch_ps),
                      SIM_PHASE_ACT, on_launched, t, op);
}

/* Operation @op has one more instance done. */
static void go_on(Training *t, uint32_t op)
{
    System *system = t->npu->system;
    const GArray *dependents = system->dependents[op];

    t->n_done[op]++;
    t->end_ps = sim_engine_now(system->engine);
    for (guint i = 0; i < dependents->len; i++) {
        uint32_t next = g_array_index(dependents, uint32_t, i);

        if (op_graph_op(system->graph, next)->type == OP_COLLECTIVE &&
            runs(t, next))
            try_issue(t, next);
    }
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        try_kernel(t, s);
}

static void on_collective(Npu *npu, CollInstance *coll)
{
    Training *t = npu->training;
    System *system = npu->system;
    uint32_t op = coll->op;

    TRACE(&system->watch, collective_ends, t->npu->host.id, op,
          coll->iteration);
    t->took_ps[op] += sim_engine_now(system->engine) - t->issued_ps[op];
    instance_part_done(system, coll);
    npu_collective_ends(t->npu);
    go_on(t, op);
}

static void on_kernel(Npu *npu, uint32_t op)
{
    Training *t = npu->training;
    System *system = npu->system;
    OpStream s = op_graph_op(system->graph, op)->stream;
    Stream *stream = &t->streams[s];
    SimTime now_ps = sim_engine_now(system->engine);

    TRACE(&system->watch, kernel_ends, t->npu->host.id, op, stream->iteration);
    book(t, t->busy_ps, op, now_ps - stream->since_ps);
    stream->running = FALSE;
    stream->since_ps = now_ps;
    stream->position++;
    if (stream->position == stream_ops(t, s)->len) {
        stream->position = 0;
        stream->iteration++;
    }
    if (s == OP_STREAM_MAIN)
        t->compute_end_ps = now_ps;
    go_on(t, op);
}

static const NpuDone done = {
    .kernel = on_kernel,
    .chunk = scheduler_pump,
    .collective = on_collective,
};

Training *training_new(Npu *npu)
{
    const OpGraph *graph = npu->system->graph;
    gsize n_times = (gsize)graph->layers->len * OP_N_PASSES;
    Training *t = g_new0(Training, 1);

    t->npu = npu;
    npu->training = t;
    npu->done = &done;
    t->n_done = g_new0(uint32_t, graph->ops->len);
    t->n_issued = g_new0(uint32_t, graph->ops->len);
    t->issued_ps = g_new0(SimTime, graph->ops->len);
    t->took_ps = g_new0(SimTime, graph->ops->len);
    if (npu->index == 0) {
        t->busy_ps = g_new0(SimTime, n_times);
        t->wait_ps = g_new0(SimTime, n_times);
    }
    return t;
}

void training_begin(Training *t)
{
    const OpGraph *graph = t->npu->system->graph;

    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (op_graph_op(graph, op)->type == OP_COLLECTIVE && runs(t, op))
            try_issue(t, op);
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        try_kernel(t, s);
}

gboolean training_is_done(const Training *t)
{
    const OpGraph *graph = t->npu->system->graph;

    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (t->n_done[op] < n_iterations(t) && runs(t, op))
            return FALSE;
    return TRUE;
}

SimTime training_compute_end_ps(const Training *t)
{
    return t->compute_end_ps;
}

SimTime training_end_ps(const Training *t)
{
    return t->end_ps;
}

SimTime training_layer_ps(const Training *t, uint32_t layer, OpPass pass)
{
    return t->busy_ps[layer * OP_N_PASSES + pass];
}

SimTime training_collective_ps(const Training *t, uint32_t op)
{
    return t->took_ps[op];
}

SimTime training_wait_ps(const Training *t, uint32_t layer, OpPass pass)
{
    return t->wait_ps[layer * OP_N_PASSES + pass];
}

/* ---- stalls ----------------------------------------------------------- */

/* For whom it waits by the program. */
static void explain_turn(const Npu *npu, const CollInstance *coll,
                         GString *text)
{
    const Npu *other = npu->system->turns ? turns_awaited(npu, coll) : NULL;

    if (other)
        g_string_append_printf(text, "; waits for NPU %u to come to it",
                               other->host.id);
}

static void explain_collective(const Training *t, uint32_t op, GString *text)
{
    const Npu *npu = t->npu;
    const CollInstance *coll =
        instance_find(npu->system, op, t->n_issued[op] - 1);

    if (!coll)
        return;
    g_string_append(text, "  ");
    op_graph_name(npu->system->graph, op, text);
    g_string_append_printf(text, " has %u of %u chunks done",
                           coll->parts[npu->index].n_chunks_done,
                           coll->n_chunks);
    for (uint32_t i = 0; i < coll->n_chunks; i++) {
        const Chunk *chunk = coll->chunks[i];
        const ChunkState *state = chunk ? chunk_state(chunk, npu->index) : NULL;

        if (!state || !state->started)
            continue;
        g_string_append_printf(text, "; chunk %u %s phase %u of %u", i,
                               state->in_phase ? "is in" : "waits for",
                               state->phase + 1, coll->plan->n_phases);
        break;
    }
    explain_turn(npu, coll, text);
    g_string_append_c(text, '\n');
}

static void explain_stream(const Training *t, OpStream s, GString *text)
{
    const System *system = t->npu->system;
    const Stream *stream = &t->streams[s];
    uint32_t op;

    if (stream_ops(t, s)->len == 0 || stream->iteration == n_iterations(t))
        return;
    op = g_array_index(stream_ops(t, s), uint32_t, stream->position);
    g_string_append(text, "  ");
    op_graph_name(system->graph, op, text);
    if (stream->running) {
        g_string_append(text, " has no SMs or no HBM bandwidth to run with\n");
        return;
    }
    g_string_append(text, " waits for");
    for (uint32_t d = 0; d < op_graph_op(system->graph, op)->n_deps; d++) {
        const OpDep *dep = &op_graph_op(system->graph, op)->deps[d];

        if (dep_is_met(t, dep, stream->iteration))
            continue;
        g_string_append_c(text, ' ');
        op_graph_name(system->graph, dep->op, text);
    }
    g_string_append_c(text, '\n');
}

#define MAX_EXPLAINED 5

void training_explain(const Training *t, GString *text)
{
    const OpGraph *graph = t->npu->system->graph;
    const EndpointOps *ops = t->npu->endpoint->ops;
    uint32_t n = 0;

    g_string_append_printf(text, "NPU %u:\n", t->npu->host.id);
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        explain_stream(t, s, text);
    for (uint32_t op = 0; op < graph->ops->len; op++) {
        if (op_graph_op(graph, op)->type != OP_COLLECTIVE ||
            t->n_done[op] == t->n_issued[op])
            continue;
        if (n++ < MAX_EXPLAINED)
            explain_collective(t, op, text);
    }
    if (n > MAX_EXPLAINED)
        g_string_append_printf(text, "  and %u more collectives under way\n",
                               n - MAX_EXPLAINED);
    if (ops->explain)
        ops->explain(t->npu->endpoint, text);
}

uint64_t training_n_done(const Training *t)
{
    uint64_t n = n_iterations(t);

    for (guint op = 0; op < t->npu->system->graph->ops->len; op++)
        if (runs(t, op))
            n = MIN(n, t->n_done[op]);
    return n;
}
