/* flow.c - a chunk is followed through its phases, link by link */
#include "models/collectives/cost/flow.h"

#include <string.h>

#include "models/collectives/cost/closed.h"
#include "models/collectives/cost/load.h"

#define MAX_SAMPLES 64 /* steps looked at of a phase that has many */

/* What chunks that meet take longer, */
typedef struct {
    SimTime wait_ps; /* the first of them, */
    SimTime last_ps; /* and the last that much more */
} Crowd;

/* What chunks of some size do on their way through one plan. */
typedef struct {
    SimTime *load_ps;    /* borrowed: of each port, for a chunk in a phase */
    SimTime prepare_ps;  /* of the endpoint, in all phases, */
    SimTime add_ps;      /* and of one adder */
    SimTime alone_ps;    /* from end to end, with nothing in the way, */
    SimTime furthest_ps; /* the longest round of a phase */
    /* Where all set out at once, by what they meet at. */
    Crowd at_endpoint, at_links[COLL_MAX_DIMS];
    SimWide square; /* what a phase's messages take at the endpoint, squared */
    SimTime period_ps;   /* what phases that hold few chunks allow */
    uint64_t n_messages; /* of a chunk, as in Flow, */
    gboolean is_whole;
    uint64_t most_bytes; /* and the largest of them */
    SimTime *sums_ps;    /* borrowed: of each port, .share such chunks of
                            each order */
    uint64_t share, n_shares, n_chunks;
} Way;

/* What @steps are for a chunk with nothing in the way. */
typedef struct {
    SimTime round_ps; /* from a message to the one that it lets go */
    SimTime gap_ps;   /* from a message of a step to the next of it */
    SimTime busy_ps;  /* until all of a step are sent */
} Pass;

/* How long @steps keep a chunk whose step takes @busy_ps to send. */
static SimTime stay_of(const CutSteps *steps, const Pass *pass, SimTime busy_ps)
{
    const CollPhase *phase = steps->phase;
    SimTime step_ps = MAX(busy_ps, pass->round_ps);
    SimTime last_ps =
        MAX(busy_ps, pass->round_ps + pass->busy_ps - pass->gap_ps);

    if (phase->algorithm->independent) /* all at once, see go_through() */
        return busy_ps * steps->n / steps->of;
    if (steps->step + steps->n < phase->n_steps)
        last_ps = step_ps;
    return (step_ps * (steps->n - 1) + last_ps) / steps->of;
}

/* What takes all chunks @all_ps, and one @own_ps: the older go first, as many
 * as fill that; of those that are left when others are through there are as
 * many as half of it on average. */
static SimTime with_left_over(SimTime all_ps, SimTime own_ps)
{
    return all_ps > own_ps ? all_ps + MIN(own_ps / 2, all_ps - own_ps) : all_ps;
}

static uint64_t n_meeting(const Way *way)
{
    return MIN(way->n_chunks, CUT_MAX_WINDOW);
}

/* Where all chunks are at @steps at once they take @share_ps each, of what they
 * have in common. */
static void meet(const Way *way, const CutSteps *steps, const Pass *pass,
                 SimTime share_ps, Crowd *crowd)
{
    SimTime tail_ps = pass->busy_ps - pass->gap_ps;
    SimTime own_ps = MAX(pass->busy_ps, pass->round_ps);
    SimTime all_ps = MAX(n_meeting(way) * share_ps, pass->busy_ps);

    if (share_ps < own_ps)
        all_ps = with_left_over(all_ps, own_ps);
    crowd->wait_ps +=
        stay_of(steps, pass, all_ps) - stay_of(steps, pass, pass->busy_ps);
    crowd->last_ps = all_ps + pass->round_ps - pass->gap_ps -
                     MAX(all_ps, pass->round_ps + tail_ps);
}

/* CutSteps that have been looked at; of all messages of one, */
typedef struct {
    CutSteps steps;
    Pass pass;
    SimTime shared_ps; /* what they need of the endpoint, */
    SimTime send_ps;   /* and of the slowest port on their way */
} Taken;

static SimWide square(SimTime ps)
{
    return (SimWide)ps * ps;
}

/* Notes what @steps do to ports and endpoint. */
static Taken take_steps(const CutTask *task, const CutSteps *steps,
                        const Cut *cut, const CutPace *pace, Way *way)
{
    CutLoad load = cut_load(task, steps, cut, pace, way->load_ps);
    uint64_t k = load.n_lanes;
    SimTime own_ps = load.prepare_ps + pace->message_gap_ps;
    SimTime shared_ps = MAX(own_ps, load.add_ps / MAX(1, pace->n_adders));
    Pass pass = {
        .round_ps = load.step_ps + pace->message_ps + load.prepare_ps +
                    load.send_ps + load.wait_ps + load.add_ps + load.way_ps,
        .gap_ps = MAX(load.send_ps, shared_ps),
    };

    pass.busy_ps = k * pass.gap_ps;
    way->furthest_ps = MAX(way->furthest_ps, pass.round_ps);
    way->most_bytes = MAX(way->most_bytes, load.bytes);
    if (load.is_others)
        return (Taken){ *steps, pass, 0, 0 };
    way->prepare_ps += own_ps * k * steps->n / steps->of;
    way->add_ps += load.add_ps * k * steps->n / steps->of;
    way->square += (square(MAX(own_ps, load.out_ps)) + square(load.in_ps)) * k *
                   steps->n / steps->of;
    return (Taken){ *steps, pass, k * shared_ps, k * load.send_ps };
}

/* Chunks that stay for @stay_ps hold their places before, too, for @before_ps;
 * and queue at the busiest port, for which those of other orders leave them
 * some of the places. */
static void keep_places(Way *way, uint64_t n_places, SimTime before_ps,
                        SimTime stay_ps, SimTime port_ps)
{
    SimTime all_ps = stay_ps + before_ps, period_ps;
    uint64_t n_own = MAX(1, n_places * way->share / way->n_shares);

    port_ps = MIN(port_ps, all_ps);
    if (n_places == 0 || n_places >= way->n_chunks)
        return;
    period_ps = closed_period_ps(port_ps, all_ps - port_ps, n_own);
    way->period_ps = MAX(way->period_ps, all_ps / n_places);
    way->period_ps =
        MAX(way->period_ps, period_ps * way->share / way->n_shares);
}

/* How long the steps of a phase keep a chunk.  Of what it sends in them the
 * busiest port carries @port_ps: half, where chunks go round both ways; all,
 * where there is one; and more, where messages take several links, for which
 * those of an independent phase wait. */
static SimTime stay_in(Way *way, Taken *taken, uint32_t n, SimTime port_ps)
{
    SimTime sent_ps = 0, stay_ps = 0;

    for (uint32_t i = 0; i < n; i++)
        sent_ps += taken[i].send_ps * taken[i].steps.n / taken[i].steps.of;
    for (uint32_t i = 0; i < n; i++) {
        Taken *t = &taken[i];
        SimTime share_ps =
            (SimTime)((SimWide)t->send_ps * port_ps / MAX(1, sent_ps));

        if (t->steps.phase->algorithm->independent)
            t->pass.busy_ps = MAX(t->pass.busy_ps, share_ps);
        meet(way, &t->steps, &t->pass, t->shared_ps, &way->at_endpoint);
        meet(way, &t->steps, &t->pass, share_ps,
             &way->at_links[t->steps.phase->dim]);
        stay_ps += stay_of(&t->steps, &t->pass, t->pass.busy_ps);
    }
    return stay_ps;
}

/* What all send to the root at once takes its link in as what it sends to all
 * at once takes its link out; the root is who has most to do. */
static CollPhase turned(const CollPhase *phase)
{
    CollKind kind = phase->group.kind;
    CollPhase ret = *phase;

    if (phase->algorithm != &coll_star)
        return ret;
    ret.group.kind = kind == COLL_REDUCE   ? COLL_BROADCAST
                     : kind == COLL_GATHER ? COLL_SCATTER
                                           : kind;
    ret.sample_rank = ret.group.from;
    ret.sample_npu = coll_members_at(&ret.members, 0, ret.sample_rank);
    return ret;
}

/* Messages of one lane that a simulation of a phase moves.  A phase in which
 * some ranks are idle is never folded, so all of its messages count: along a
 * tree or a chain each rank but the root gets one on each way. */
static uint64_t messages_of(const CollPhase *phase)
{
    const CollGroup *group = &phase->group;
    uint64_t n_ways = group->kind == COLL_ALL_REDUCE ? 2 : 1;

    if (!phase->algorithm->partial)
        return phase->n_steps;
    if (phase->algorithm->single_source || coll_promise(group->kind)->has_root)
        return MAX(phase->n_steps, n_ways * (group->n_ranks - 1));
    return (uint64_t)phase->n_steps * group->n_ranks;
}

static void go_through(const CutTask *task, const CollPlan *plan, uint32_t p,
                       const Cut *cut, const CutPace *pace, Way *way)
{
    const CollPhase seen = turned(&plan->phases[p]), *phase = &seen;
    uint32_t n_samples = phase->is_uniform && !phase->algorithm->independent
                             ? MIN(phase->n_steps, 2)
                             : MIN(phase->n_steps, MAX_SAMPLES);
    uint64_t of =
        phase->may_reverse || topology_is_torus(task->topology) ? 2 : 1;
    SimTime stay_ps, port_ps = 0;
    Taken taken[2 * MAX_SAMPLES];
    uint32_t n_taken = 0;

    way->furthest_ps = 0;
    way->square = 0;
    memset(way->load_ps, 0, topology_n_ports(task->topology) * sizeof(SimTime));
    for (uint32_t i = 0; i < n_samples; i++) {
        uint32_t from = (uint32_t)((uint64_t)i * phase->n_steps / n_samples);
        uint32_t to =
            (uint32_t)((uint64_t)(i + 1) * phase->n_steps / n_samples);

        for (uint32_t w = 0; w < of; w++)
            taken[n_taken++] = take_steps(
                task,
                &(CutSteps){ .phase = phase,
                             .group = w && phase->may_reverse ? &phase->mirrored
                                                              : &phase->group,
                             .step = from,
                             .n = to - from,
                             .of = of,
                             .recipe = plan->recipe,
                             .way = coll_way(phase, w) },
                cut, pace, way);
    }
    for (uint32_t i = 0; i < topology_n_ports(task->topology); i++) {
        port_ps = MAX(port_ps, way->load_ps[i]);
        way->sums_ps[i] += way->load_ps[i] * way->share;
    }
    stay_ps = stay_in(way, taken, n_taken, port_ps);
    if (phase->algorithm->independent)
        stay_ps += way->furthest_ps; /* no step waits for another */
    way->n_messages +=
        messages_of(phase) *
        coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes);
    way->is_whole |= phase->algorithm->partial;
    way->alone_ps += stay_ps;
    keep_places(way, pace->n_slots[p], 0, stay_ps, port_ps);
    keep_places(way, pace->n_rooms[p], p == 0 ? pace->fetch_ps : 0, stay_ps,
                port_ps);
}

/* Each step may have to wait for a message of another phase. */
static SimWide met_in(const CollPlan *plan, const SimWide *squares)
{
    SimWide all = 0, met = 0;

    for (uint32_t p = 0; p < plan->n_phases; p++)
        all += squares[p];
    for (uint32_t p = 0; p < plan->n_phases; p++)
        met += (all - squares[p]) * plan->phases[p].n_steps;
    return met;
}

/* Phases of different dimensions go on side by side; at the endpoint, chunks of
 * all phases meet. */
static SimTime together_ps(const Way *way, uint64_t n_adders)
{
    SimTime most_ps = way->at_endpoint.wait_ps + way->at_endpoint.last_ps;
    SimTime share_ps = MAX(way->prepare_ps, way->add_ps / MAX(1, n_adders));

    for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
        most_ps =
            MAX(most_ps, way->at_links[d].wait_ps + way->at_links[d].last_ps);
    return MAX(way->alone_ps + most_ps,
               with_left_over(n_meeting(way) * share_ps, way->alone_ps));
}

static void add_way(Flow *flow, const Way *way, const CutPace *pace)
{
    SimTime chunk_ps = pace->fetch_ps + pace->store_ps;

    flow->alone_ps = MAX(flow->alone_ps, way->alone_ps + chunk_ps);
    flow->together_ps =
        MAX(flow->together_ps, together_ps(way, pace->n_adders) + chunk_ps);
    flow->apart_ps = MAX(flow->apart_ps, way->period_ps);
    flow->apart_ps = MAX(flow->apart_ps, MAX(pace->fetch_ps, pace->store_ps));
    flow->n_messages = MAX(flow->n_messages, way->n_messages);
    flow->is_whole |= way->is_whole;
    flow->most_bytes = MAX(flow->most_bytes, way->most_bytes);
}

/* What comes while a message is under way waits for half of it on average. */
static void hold_up(Flow *flow, SimWide met)
{
    SimTime held_ps =
        (SimTime)MIN(met / 2 / MAX(1, flow->period_ps), SIM_TIME_MAX);

    flow->alone_ps = sim_time_add(flow->alone_ps, held_ps);
    flow->together_ps = sim_time_add(flow->together_ps, held_ps);
}

uint64_t cut_n_chunks(const CutTask *task, uint64_t chunk_bytes)
{
    return (task->payload_bytes - 1) / chunk_bytes + 1;
}

Flow cut_flow(const CutTask *task, const Cut *cut)
{
    uint32_t n_ports = topology_n_ports(task->topology);
    g_autofree SimTime *sums_ps = g_new0(SimTime, n_ports);
    g_autofree SimTime *load_ps = g_new0(SimTime, n_ports);
    uint64_t n = cut_n_chunks(task, cut->chunk_bytes);
    Flow flow = { .fits = TRUE };
    SimTime prepare_ps = 0, add_ps = 0;
    SimWide squares[COLL_MAX_PHASES], met = 0;
    uint64_t n_shares = 0, n_adders = 1;

    for (uint32_t i = 0; i < task->n_plans; i++)
        n_shares += task->shares[i];
    for (uint32_t i = 0; i < task->n_plans; i++) {
        const CollPlan *plan = &task->plans[i];
        Way way = { .load_ps = load_ps,
                    .sums_ps = sums_ps,
                    .share = task->shares[i],
                    .n_shares = n_shares,
                    .n_chunks = n };
        CutPace pace = { 0 };

        if (!task->pace(task->self, plan, cut->chunk_bytes, &pace))
            return (Flow){ .fits = FALSE };
        for (uint32_t p = 0; p < plan->n_phases; p++) {
            go_through(task, plan, p, cut, &pace, &way);
            squares[p] = way.square;
        }
        met = MAX(met, met_in(plan, squares));
        add_way(&flow, &way, &pace);
        prepare_ps += way.prepare_ps * task->shares[i];
        add_ps += way.add_ps * task->shares[i];
        n_adders = MAX(1, pace.n_adders);
    }
    flow.period_ps = MAX(flow.apart_ps, prepare_ps / n_shares);
    flow.period_ps = MAX(flow.period_ps, add_ps / n_adders / n_shares);
    for (uint32_t p = 0; p < n_ports; p++)
        flow.period_ps = MAX(flow.period_ps, sums_ps[p] / n_shares);
    if (n > 1)
        hold_up(&flow, met);
    return flow;
}
