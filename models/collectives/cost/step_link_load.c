/* step_link_load.c - follows the path of a message link by link */
#include "models/collectives/cost/step_link_load.h"

#include "network/paths.h"

#define NO_LIMIT UINT64_MAX /* bytes per second of a part without limit */

typedef struct {
    SimTime latency_ps;
    /* Rates of the slowest link on the way to a switch or a rank, and on the
     * way down from a switch. */
    uint64_t bytes_per_s, back_bytes_per_s;
    TopologyReach reach; /* how far apart the ranks are, by the furthest link */
    uint32_t n_hops;
} PathRates;

/* Bytes of a message on the way up to a switch, and down again. */
typedef struct {
    uint64_t bytes, back_bytes;
} MessageBytes;

static SimTime transfer_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return bytes_per_s == 0 || bytes_per_s == NO_LIMIT
               ? 0
               : sim_time_from_bytes(bytes, bytes_per_s);
}

static uint64_t total_bytes_per_s_of_port_links(const TopologyPort *port)
{
    return port->n_links * port->payload_bytes_per_s;
}

/* Returns whether the switch adds the messages of @phase; gathered data is only
 * copied. */
static gboolean switch_adds_messages(const CollPhase *phase)
{
    return phase->algorithm->via_switch && phase->group.kind != COLL_ALL_GATHER;
}

/* Returns the rate of the switch's adder, which limits the way up. */
static uint64_t adder_bytes_per_s(const Topology *topology,
                                  const CollPhase *phase)
{
    const TopologySwitchAdder *adder =
        switch_adds_messages(phase)
            ? topology_in_switch_adder(topology, phase->dim)
            : NULL;

    return adder && adder->bytes_per_s > 0 ? adder->bytes_per_s : NO_LIMIT;
}

/* Follows the path from rank @src to rank @dst.  @message is what a chunk sends
 * along it in each of @steps.  @load_ps may be NULL. */
static PathRates follow_message_path(const Topology *topology,
                                     const CutSteps *steps, uint32_t src,
                                     uint32_t dst, const MessageBytes *message,
                                     SimTime *load_ps)
{
    const CollPhase *phase = steps->phase;
    uint64_t most_bytes_per_s = adder_bytes_per_s(topology, phase);
    uint32_t at = coll_npu_of_rank(phase, phase->sample_npu, src),
             on = steps->path_id;
    uint32_t to = coll_npu_of_rank(phase, phase->sample_npu, dst);
    PathRates route = { .bytes_per_s = NO_LIMIT, .back_bytes_per_s = NO_LIMIT };

    do {
        gboolean is_back = on != steps->path_id;
        uint64_t *slowest =
            is_back ? &route.back_bytes_per_s : &route.bytes_per_s;
        uint32_t link = topology_next_link(topology, at, to, on);
        uint32_t p = link % topology_n_ports(topology);
        const TopologyPort *port = topology_get_port(topology, p);
        uint64_t rate = total_bytes_per_s_of_port_links(port);

        if (!is_back)
            rate = MIN(rate, most_bytes_per_s);
        *slowest = MIN(*slowest, rate);
        route.latency_ps += port->latency_ps;
        route.reach = MAX(route.reach, port->reach);
        if (load_ps)
            load_ps[p] +=
                transfer_ps(is_back ? message->back_bytes : message->bytes,
                            rate) *
                steps->n / steps->divisor;
        at = topology_link_target(topology, link);
        on = topology_path_id_after_switch(topology, at, on);
        route.n_hops++;
    } while (at != to);
    return route;
}

/* Returns a rank that sends in the step, and its actions: the sample rank of
 * the phase if it sends, otherwise the first rank that does. */
static uint32_t find_sending_rank(const CutSteps *steps, CollStep *ret)
{
    const CollPhase *phase = steps->phase;
    const CollGroup *group = steps->group;
    uint32_t sender = phase->sample_rank;

    phase->algorithm->step(group, sender, steps->step, ret);
    for (uint32_t r = 0; r < group->n_ranks && ret->n_blocks == 0; r++) {
        phase->algorithm->step(group, r, steps->step, ret);
        sender = r;
    }
    return sender;
}

/* Returns the bytes of one lane.  Without a switch, both directions carry the
 * same bytes. */
static MessageBytes bytes_of_parallel_lane(const CollPhase *phase,
                                           const Cut *cut,
                                           const CollStep *coll_step,
                                           uint32_t n_lanes)
{
    uint32_t n_back = phase->algorithm->via_switch ? coll_step->n_recv_blocks
                                                   : coll_step->n_blocks;

    return (MessageBytes){
        coll_lane_bytes(phase, cut->chunk_bytes, coll_step->n_blocks, n_lanes),
        coll_lane_bytes(phase, cut->chunk_bytes, n_back, n_lanes),
    };
}

static void add_path_limits(const CutTask *task, const CutSteps *steps,
                            const MessageBytes *lane, const PathRates *route,
                            CutLoad *load)
{
    uint64_t bytes = coll_wire_bytes(steps->recipe, lane->bytes);
    uint64_t back_bytes = coll_wire_bytes(steps->recipe, lane->back_bytes);
    SimTime up_ps = transfer_ps(bytes, route->bytes_per_s);
    SimTime down_ps = transfer_ps(back_bytes, route->back_bytes_per_s);
    SimTime packet_ps =
        transfer_ps(MIN(load->bytes, task->packet_bytes),
                    MIN(route->bytes_per_s, route->back_bytes_per_s));

    load->send_ps = MAX(up_ps, down_ps);
    if (switch_adds_messages(steps->phase) && bytes != back_bytes)
        load->wait_ps = MIN(up_ps, down_ps);
    load->way_ps = route->latency_ps + (route->n_hops - 1) * packet_ps;
    load->step_ps = coll_protocol_step_ps(steps->recipe, route->reach, bytes);
}

CutLoad compute_step_load(const CutTask *task, const CutSteps *steps,
                          const Cut *cut, const CutPace *pace, SimTime *load_ps)
{
    const CollPhase *phase = steps->phase;
    gboolean reduces = steps->step < phase->n_reducing;
    uint32_t n_lanes =
        coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes);
    CutLoad load = { .n_lanes = n_lanes };
    MessageBytes lane, all;
    CollStep what;
    PathRates route;
    uint32_t sender = find_sending_rank(steps, &what);

    load.is_others = sender != phase->sample_rank;
    if (what.n_blocks == 0) /* no rank sends anything */
        return (CutLoad){ 0 };
    lane = bytes_of_parallel_lane(phase, cut, &what, n_lanes);
    load.bytes = lane.bytes;
    all = (MessageBytes){
        coll_wire_bytes(steps->recipe, lane.bytes * n_lanes),
        coll_wire_bytes(steps->recipe, lane.back_bytes * n_lanes),
    };
    route = follow_message_path(task->topology, steps, sender, what.send_to,
                                &all, load.is_others ? NULL : load_ps);
    add_path_limits(task, steps, &lane, &route, &load);
    load.out_ps = transfer_ps(lane.bytes, pace->bus_bytes_per_s);
    load.in_ps = transfer_ps(lane.back_bytes, pace->bus_bytes_per_s);
    load.prepare_ps =
        transfer_ps(load.bytes, reduces ? pace->reduce_bytes_per_s
                                        : pace->store_bytes_per_s);
    if (reduces)
        load.add_ps = transfer_ps(load.bytes, pace->add_bytes_per_s);
    return load;
}
