/* critical_path_lanes.c - the causes of loads: what the collectives of a lane
 * wait for */
#include "models/observe/critical_path_impl.h"

#include "models/run/stack_costs.h"

static CauseChain *cause_chain_in_array(GArray *chains, gsize i)
{
    if (i >= chains->len)
        g_array_set_size(chains, (guint)(2 * i + 16));
    return &g_array_index(chains, CauseChain, i);
}

static CauseChain *cause_chain_of_copy(const CriticalPath *path, uint32_t npu,
                                       const TraceLoad *load)
{
    return cause_chain_in_array(
        path->copies, load->slot * system_n_simulated_npus(path->system) +
                          path_npu_index(path, npu));
}

static void on_op_submitted_to_lane(gpointer self, uint32_t npu, uint32_t op,
                                    uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    (void)iteration;
    (void)now_ps;
    cause_chain_copy(&path->pool, &path->submitted[op], &path->wait_chain);
}

/* Returns the chain of the member of @load that became ready last. */
static const CauseChain *
find_chain_of_last_ready_member(const CriticalPath *path, const TraceLoad *load)
{
    const CauseChain *last = &path->submitted[load->members[0].op];

    for (uint32_t i = 1; i < load->n_members; i++)
        if (path->submitted[load->members[i].op].to_ps > last->to_ps)
            last = &path->submitted[load->members[i].op];
    return last;
}

/* Event: a collective lane starts a load of collectives, that is, the
 * collectives that it fuses. A load becomes ready, then its lane has room, then
 * the lane polls, then the ranks negotiate. If the lane became free after the
 * load was ready, the load waited for its turn from the poll, or, if the poll
 * came later, from when it was ready. */
static void on_load_released_by_lane(gpointer self, const TraceLoad *load,
                                     SimTime now_ps)
{
    CriticalPath *path = self;
    const OpLane *rules = op_graph_lane(system_graph(path->system), load->lane);
    const CauseChain *freed = &path->freed[load->lane];
    const CauseChain *ready = find_chain_of_last_ready_member(path, load);
    CauseChain *chain = cause_chain_in_array(path->loads, load->slot);
    gboolean has_waited = freed->to_ps > ready->to_ps;

    cause_chain_copy(&path->pool, chain, has_waited ? freed : ready);
    if (has_waited)
        cause_chain_mark_room_wait(
            &path->pool, chain, PATH_RESOURCES + RESOURCE_LANE_TURN, load->op,
            freed->to_ps > load->taken_ps ? load->taken_ps : ready->to_ps,
            FALSE);
    path_extend_cause_chain(path, chain,
                            PATH_RESOURCES + (rules->cycle_ps > 0
                                                  ? RESOURCE_LANE_CYCLE
                                                  : RESOURCE_LANE_TURN),
                            load->taken_ps, load->taken_ps, now_ps);
    path_extend_cause_chain(path, chain,
                            PATH_RESOURCES + RESOURCE_LANE_NEGOTIATION, 0,
                            load->begin_ps, now_ps);
}

static void on_load_begins(gpointer self, uint32_t npu, const TraceLoad *load,
                           SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    (void)now_ps;
    path_set_cause(path, cause_chain_in_array(path->loads, load->slot));
}

static void on_fusion_buffer_copy_begins(gpointer self, uint32_t npu,
                                         const TraceLoad *load, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    cause_chain_copy(&path->pool, cause_chain_of_copy(path, npu, load),
                     &path->wait_chain);
}

/* Event: a copy into or out of a fusion buffer has ended.  A launch follows
 * only a copy into the buffer. */
static void on_fusion_buffer_copied(gpointer self, uint32_t npu,
                                    const TraceLoad *load, SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = cause_chain_of_copy(path, npu, load);

    path_extend_cause_chain(path, chain, PATH_RESOURCES + RESOURCE_LANE_COPY, 0,
                            now_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
    *path_issue_time_of_op(path, npu, load->op) = now_ps;
    if (system_launch_ps(path->system, npu, load->op) > 0)
        cause_chain_copy(&path->pool,
                         path_launch_chain_of_op(path, npu, load->op),
                         &path->wait_chain);
}

static void on_load_ends(gpointer self, uint32_t npu, const TraceLoad *load,
                         SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    (void)now_ps;
    cause_chain_copy(&path->pool, &path->freed[load->lane], &path->wait_chain);
}

const TraceOps critical_path_lanes = {
    .collective_queued = on_op_submitted_to_lane,
    .load_released = on_load_released_by_lane,
    .load_begins = on_load_begins,
    .load_copies = on_fusion_buffer_copy_begins,
    .load_copied = on_fusion_buffer_copied,
    .load_ends = on_load_ends,
};
