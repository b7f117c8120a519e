/*
 * fusion_buffers.c - collectives through a buffer: copy in, communicate, copy
 * out; see fusion_buffers.h
 *
 * A copy takes time and counts as HBM traffic, one read and one write of each
 * byte.  The bandwidth that it takes from kernels is not modelled.
 */
#include "models/run/admit/fusion_buffers.h"

#include "models/run/admit/collective_lanes.h"
#include "models/run/admit/collective_launch.h"

static SimTime buffer_copy_ps(const System *system, const TraceLoad *load)
{
    const OpLane *rules = op_graph_lane(system->plan.graph, load->lane);

    return rules->copy_bytes_per_s == 0
               ? 0
               : sim_time_from_bytes(load->bytes, rules->copy_bytes_per_s);
}

/* Calls @then after the copy into or out of the buffer, or immediately if the
 * copy takes no time. */
static void start_buffer_copy(Npu *npu, CollInstance *coll, SimEventFn then)
{
    SimEngine *engine = npu->system->state.engine;
    SimTime now_ps = sim_engine_now_ps(engine);
    SimTime takes_ps = buffer_copy_ps(npu->system, coll->load);

    if (takes_ps == 0) {
        then(coll, npu->index, now_ps);
        return;
    }
    TRACE(npu->host.watch, load_copies, npu->host.id, coll->load);
    sim_engine_schedule(engine, sim_time_add(now_ps, takes_ps), SIM_PHASE_ACT,
                        then, coll, npu->index);
}

/* Counts the bytes of a finished buffer copy, and reports its end to listeners,
 * if the copy took time. */
static void finish_buffer_copy(Npu *npu, const TraceLoad *load)
{
    if (buffer_copy_ps(npu->system, load) == 0)
        return;
    collective_lanes_count_copy(npu, load->bytes);
    TRACE(npu->host.watch, load_copied, npu->host.id, load);
}

static void on_buffer_filled(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    Npu *npu = &coll->system->state.npus[index];

    (void)now_ps;
    finish_buffer_copy(npu, coll->load);
    launch_collective(npu, coll);
}

void fusion_buffers_begin(Npu *npu, const TraceLoad *load)
{
    System *system = npu->system;
    CollInstance *coll =
        collective_instance_find(system, load->op, load->iteration);

    if (!coll)
        coll = trace_is_fused(load)
                   ? collective_instance_new_for_load(system, load)
                   : collective_instance_find_or_create(system, load->op,
                                                        load->iteration);
    coll->load = load;
    npu_collective_begins(npu);
    start_buffer_copy(npu, coll, on_buffer_filled);
}

static void on_buffer_emptied(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    System *system = coll->system;
    Npu *npu = &system->state.npus[index];
    const TraceLoad *load = coll->load;

    (void)now_ps;
    finish_buffer_copy(npu, load);
    collective_instance_count_npu_done(system, coll);
    npu_collective_ends(npu);
    npu->callbacks->load_ends(npu, load);
}

void fusion_buffers_end(Npu *npu, CollInstance *coll)
{
    start_buffer_copy(npu, coll, on_buffer_emptied);
}
