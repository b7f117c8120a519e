/* chunk_time_estimate.c - follows a chunk through its phases, link by link */
#include "models/collectives/cost/chunk_time_estimate.h"

#include <string.h>

#include "models/collectives/cost/closed_queueing_network.h"
#include "models/collectives/cost/step_link_load.h"

/* A phase with more steps than this is estimated by a sample of its steps. */
#define MAX_SAMPLES 64

/* The additional time of chunks that are in the same step and share a
 * resource. */
typedef struct {
    SimTime wait_ps; /* wait of the first chunk */
    SimTime last_ps; /* time from the first chunk to the last */
} SharedResourceWait;

/* The times of a chunk on its way through one plan. */
typedef struct {
    /* Borrowed: by port, the load of a chunk in one phase. */
    SimTime *load_ps;
    /* Busy times, summed over all phases: of the endpoint for messages, and of
     * one adder. */
    SimTime prepare_ps, add_ps;
    SimTime alone_ps; /* time from end to end, without contention */
    /* The longest round of a phase: from a message to the next one that depends
     * on it. */
    SimTime furthest_ps;
    /* Additional times if all chunks start simultaneously, by the resource that
     * they share. */
    SharedResourceWait at_endpoint, at_links[COLL_MAX_DIMS];
    SimWide square; /* sum of the squared times of a phase's messages at the
                       endpoint */
    /* Least time between two chunks that is due to phases that hold few
     * chunks. */
    SimTime period_ps;
    uint64_t n_messages, n_moved; /* messages per chunk, as in CutEstimate */
    gboolean is_whole;
    uint64_t most_bytes; /* bytes of the largest message */
    /* Borrowed: by port, the load summed over all orders, weighted by
     * .share. */
    SimTime *sums_ps;
    uint64_t share, n_shares, n_chunks;
} PlanTimes;

/* The time of a chunk's steps without contention. */
typedef struct {
    SimTime round_ps; /* from a message to the next one that depends on it */
    SimTime gap_ps;   /* from one message of a step to the next */
    SimTime busy_ps;  /* time until all messages of one step are sent */
} StepTimes;

/* Returns the time that a chunk spends in @steps, if sending a step takes
 * @busy_ps. */
static SimTime chunk_time_in_steps(const CutSteps *steps, const StepTimes *pass,
                                   SimTime busy_ps)
{
    const CollPhase *phase = steps->phase;
    SimTime step_ps = MAX(busy_ps, pass->round_ps);
    SimTime last_ps =
        MAX(busy_ps, pass->round_ps + pass->busy_ps - pass->gap_ps);

    /* All messages are sent simultaneously, see add_phase_times(). */
    if (phase->algorithm->independent)
        return busy_ps * steps->n / steps->divisor;
    if (steps->step + steps->n < phase->n_steps)
        last_ps = step_ps;
    return (step_ps * (steps->n - 1) + last_ps) / steps->divisor;
}

/* Returns the time of chunks that share a resource.  All chunks need @all_ps of
 * it together, and one alone needs @own_ps.  Older chunks go first, as many as
 * fill the resource; on average half of that number is left when the others are
 * through. */
static SimTime resource_time_behind_older_chunks(SimTime all_ps, SimTime own_ps)
{
    return all_ps > own_ps ? all_ps + MIN(own_ps / 2, all_ps - own_ps) : all_ps;
}

static uint64_t count_concurrent_chunks(const PlanTimes *times)
{
    return MIN(times->n_chunks, CUT_MAX_WINDOW);
}

/* Adds the time of all chunks that are at @steps simultaneously.  Each needs
 * @share_ps of the shared resource. */
static void add_wait_for_simultaneous_chunks(const PlanTimes *times,
                                             const CutSteps *steps,
                                             const StepTimes *pass,
                                             SimTime share_ps,
                                             SharedResourceWait *crowd)
{
    SimTime tail_ps = pass->busy_ps - pass->gap_ps;
    SimTime own_ps = MAX(pass->busy_ps, pass->round_ps);
    SimTime all_ps =
        MAX(count_concurrent_chunks(times) * share_ps, pass->busy_ps);

    if (share_ps < own_ps)
        all_ps = resource_time_behind_older_chunks(all_ps, own_ps);
    crowd->wait_ps += chunk_time_in_steps(steps, pass, all_ps) -
                      chunk_time_in_steps(steps, pass, pass->busy_ps);
    crowd->last_ps = all_ps + pass->round_ps - pass->gap_ps -
                     MAX(all_ps, pass->round_ps + tail_ps);
}

/* Steps that have been examined, with the times of all messages of one step. */
typedef struct {
    CutSteps steps;
    StepTimes pass;
    SimTime shared_ps; /* time of one step's messages at the endpoint */
    /* Time of one step's messages at the slowest port of the route. */
    SimTime send_ps;
} ExaminedSteps;

static SimWide square_of_time(SimTime ps)
{
    return (SimWide)ps * ps;
}

/* Examines @steps: adds their load to that of the ports and of the endpoint. */
static ExaminedSteps examine_step_loads(const CutTask *task,
                                        const CutSteps *steps, const Cut *cut,
                                        const CutPace *pace, PlanTimes *times)
{
    CutLoad load = compute_step_load(task, steps, cut, pace, times->load_ps);
    uint64_t k = load.n_lanes;
    SimTime own_ps = load.prepare_ps + pace->message_gap_ps;
    SimTime shared_ps = MAX(own_ps, load.add_ps / MAX(1, pace->n_adders));
    StepTimes pass = {
        .round_ps = load.step_ps + pace->message_ps + load.prepare_ps +
                    load.send_ps + load.wait_ps + load.add_ps + load.way_ps,
        .gap_ps = MAX(load.send_ps, shared_ps),
    };

    pass.busy_ps = k * pass.gap_ps;
    times->furthest_ps = MAX(times->furthest_ps, pass.round_ps);
    times->most_bytes = MAX(times->most_bytes, load.bytes);
    if (load.is_others)
        return (ExaminedSteps){ *steps, pass, 0, 0 };
    times->prepare_ps += own_ps * k * steps->n / steps->divisor;
    times->add_ps += load.add_ps * k * steps->n / steps->divisor;
    times->square += (square_of_time(MAX(own_ps, load.out_ps)) +
                      square_of_time(load.in_ps)) *
                     k * steps->n / steps->divisor;
    return (ExaminedSteps){ *steps, pass, k * shared_ps, k * load.send_ps };
}

/* Updates the period between chunks for a phase that holds @n_places chunks.  A
 * chunk stays for @stay_ps, and occupies its place @before_ps earlier.  Chunks
 * queue at the busiest port.  Each order has its share of the places. */
static void limit_period_by_chunk_slots(PlanTimes *times, uint64_t n_places,
                                        SimTime before_ps, SimTime stay_ps,
                                        SimTime port_ps)
{
    SimTime all_ps = stay_ps + before_ps, period_ps;
    uint64_t n_own = MAX(1, n_places * times->share / times->n_shares);

    port_ps = MIN(port_ps, all_ps);
    if (n_places == 0 || n_places >= times->n_chunks)
        return;
    period_ps = closed_queue_period_ps(port_ps, all_ps - port_ps, n_own);
    times->period_ps = MAX(times->period_ps, all_ps / n_places);
    times->period_ps =
        MAX(times->period_ps, period_ps * times->share / times->n_shares);
}

/* Returns the time of a chunk in the steps of a phase.  The busiest port
 * carries @port_ps of what the chunk sends: half if chunks go round in both
 * directions, all if there is one direction, and more if messages take several
 * links.  Messages of an independent phase wait for these links. */
static SimTime chunk_time_in_phase(PlanTimes *times, ExaminedSteps *examined,
                                   uint32_t n, SimTime port_ps)
{
    SimTime sent_ps = 0, stay_ps = 0;

    for (uint32_t i = 0; i < n; i++)
        sent_ps += examined[i].send_ps * examined[i].steps.n /
                   examined[i].steps.divisor;
    for (uint32_t i = 0; i < n; i++) {
        ExaminedSteps *t = &examined[i];
        SimTime share_ps =
            (SimTime)((SimWide)t->send_ps * port_ps / MAX(1, sent_ps));

        if (t->steps.phase->algorithm->independent)
            t->pass.busy_ps = MAX(t->pass.busy_ps, share_ps);
        add_wait_for_simultaneous_chunks(times, &t->steps, &t->pass,
                                         t->shared_ps, &times->at_endpoint);
        add_wait_for_simultaneous_chunks(times, &t->steps, &t->pass, share_ps,
                                         &times->at_links[t->steps.phase->dim]);
        stay_ps += chunk_time_in_steps(&t->steps, &t->pass, t->pass.busy_ps);
    }
    return stay_ps;
}

/* Returns @phase, with the direction of a star reversed if it goes to the root.
 * If all send to the root simultaneously, its inbound link needs the same time
 * as its outbound link does in the reverse direction.  The root is then the
 * busiest rank. */
static CollPhase star_phase_in_sending_direction(const CollPhase *phase)
{
    CollKind kind = phase->group.kind;
    CollPhase ret = *phase;

    if (phase->algorithm != &coll_star)
        return ret;
    ret.group.kind = kind == COLL_REDUCE   ? COLL_BROADCAST
                     : kind == COLL_GATHER ? COLL_SCATTER
                                           : kind;
    ret.sample_rank = ret.group.from;
    ret.sample_npu = coll_members_npu_of_rank(&ret.members, 0, ret.sample_rank);
    return ret;
}

/* Returns the number of messages of one parallel lane in a simulation of a
 * phase. A phase with idle ranks is never folded, so the messages of all ranks
 * count: along a tree or a chain, each rank but the root gets one in each
 * direction. */
static uint64_t n_phase_messages(const CollPhase *phase)
{
    const CollGroup *group = &phase->group;
    uint64_t n_ways = group->kind == COLL_ALL_REDUCE ? 2 : 1;

    if (!phase->algorithm->partial)
        return phase->n_steps;
    if (phase->algorithm->single_source ||
        coll_contract(group->kind)->collective_has_root)
        return MAX(phase->n_steps, n_ways * (group->n_ranks - 1));
    return (uint64_t)phase->n_steps * group->n_ranks;
}

/* Returns the number of messages of one lane of a phase that @n_sim NPUs send.
 * The ranks of a group send different amounts if the algorithm is partial. */
static uint64_t count_messages_of_simulated_npus(const CollPhase *phase,
                                                 uint32_t n_sim)
{
    if (!phase->algorithm->partial)
        return (uint64_t)phase->n_steps * MAX(1, n_sim);
    return n_phase_messages(phase) * MAX(1, n_sim / phase->group.n_ranks);
}

static void add_phase_times(const CutTask *task, const CollPlan *plan,
                            uint32_t p, const Cut *cut, const CutPace *pace,
                            PlanTimes *times)
{
    const CollPhase seen = star_phase_in_sending_direction(&plan->phases[p]),
                    *phase = &seen;
    uint32_t n_samples = phase->is_uniform && !phase->algorithm->independent
                             ? MIN(phase->n_steps, 2)
                             : MIN(phase->n_steps, MAX_SAMPLES);
    uint64_t of =
        phase->may_reverse || topology_is_torus(task->topology) ? 2 : 1;
    uint64_t n_lanes =
        coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes);
    SimTime stay_ps, port_ps = 0;
    ExaminedSteps examined[2 * MAX_SAMPLES];
    uint32_t n_examined = 0;

    times->furthest_ps = 0;
    times->square = 0;
    memset(times->load_ps, 0,
           topology_n_ports(task->topology) * sizeof(SimTime));
    for (uint32_t i = 0; i < n_samples; i++) {
        uint32_t from = (uint32_t)((uint64_t)i * phase->n_steps / n_samples);
        uint32_t to =
            (uint32_t)((uint64_t)(i + 1) * phase->n_steps / n_samples);

        for (uint32_t w = 0; w < of; w++)
            examined[n_examined++] = examine_step_loads(
                task,
                &(CutSteps){ .phase = phase,
                             .group = w && phase->may_reverse ? &phase->mirrored
                                                              : &phase->group,
                             .step = from,
                             .n = to - from,
                             .divisor = of,
                             .recipe = plan->recipe,
                             .path_id = coll_path_id(phase, w) },
                cut, pace, times);
    }
    for (uint32_t i = 0; i < topology_n_ports(task->topology); i++) {
        port_ps = MAX(port_ps, times->load_ps[i]);
        times->sums_ps[i] += times->load_ps[i] * times->share;
    }
    stay_ps = chunk_time_in_phase(times, examined, n_examined, port_ps);
    if (phase->algorithm->independent)
        stay_ps += times->furthest_ps; /* no step waits for another */
    times->n_messages += n_phase_messages(phase) * n_lanes;
    times->n_moved +=
        count_messages_of_simulated_npus(phase, task->n_sim) * n_lanes;
    times->is_whole |= phase->algorithm->partial;
    times->alone_ps += stay_ps;
    limit_period_by_chunk_slots(times, pace->n_slots[p], 0, stay_ps, port_ps);
    limit_period_by_chunk_slots(times, pace->n_rooms[p],
                                p == 0 ? pace->fetch_ps : 0, stay_ps, port_ps);
}

/* Returns the sum of squared times of messages of other phases, for all steps:
 * each step may have to wait for such a message. */
static SimWide sum_squares_of_other_phases(const CollPlan *plan,
                                           const SimWide *squares)
{
    SimWide all = 0, others = 0;

    for (uint32_t p = 0; p < plan->n_phases; p++)
        all += squares[p];
    for (uint32_t p = 0; p < plan->n_phases; p++)
        others += (all - squares[p]) * plan->phases[p].n_steps;
    return others;
}

/* Returns the time of all chunks together.  Phases of different dimensions work
 * in parallel; the endpoint serves chunks of all phases. */
static SimTime time_of_all_chunks_ps(const PlanTimes *times, uint64_t n_adders)
{
    SimTime most_ps = times->at_endpoint.wait_ps + times->at_endpoint.last_ps;
    SimTime share_ps = MAX(times->prepare_ps, times->add_ps / MAX(1, n_adders));

    for (uint32_t d = 0; d < COLL_MAX_DIMS; d++)
        most_ps = MAX(most_ps,
                      times->at_links[d].wait_ps + times->at_links[d].last_ps);
    return MAX(times->alone_ps + most_ps,
               resource_time_behind_older_chunks(
                   count_concurrent_chunks(times) * share_ps, times->alone_ps));
}

static void add_plan_estimate(CutEstimate *estimate, const PlanTimes *times,
                              const CutPace *pace)
{
    SimTime chunk_ps = pace->fetch_ps + pace->store_ps;

    estimate->alone_ps = MAX(estimate->alone_ps, times->alone_ps + chunk_ps);
    estimate->together_ps =
        MAX(estimate->together_ps,
            time_of_all_chunks_ps(times, pace->n_adders) + chunk_ps);
    estimate->apart_ps = MAX(estimate->apart_ps, times->period_ps);
    estimate->apart_ps =
        MAX(estimate->apart_ps, MAX(pace->fetch_ps, pace->store_ps));
    estimate->n_messages = MAX(estimate->n_messages, times->n_messages);
    estimate->n_moved = MAX(estimate->n_moved, times->n_moved);
    estimate->is_whole |= times->is_whole;
    estimate->most_bytes = MAX(estimate->most_bytes, times->most_bytes);
}

/* Adds the wait for messages that are in service: a message that arrives
 * meanwhile waits for half of their time on average. */
static void add_waits_for_busy_resource(CutEstimate *estimate, SimWide others)
{
    SimTime held_ps =
        (SimTime)MIN(others / 2 / MAX(1, estimate->period_ps), SIM_TIME_MAX);

    estimate->alone_ps = sim_time_add(estimate->alone_ps, held_ps);
    estimate->together_ps = sim_time_add(estimate->together_ps, held_ps);
}

uint64_t count_chunks_of_payload(const CutTask *task, uint64_t chunk_bytes)
{
    return (task->payload_bytes - 1) / chunk_bytes + 1;
}

CutEstimate estimate_chunking_time(const CutTask *task, const Cut *cut)
{
    uint32_t n_ports = topology_n_ports(task->topology);
    g_autofree SimTime *sums_ps = g_new0(SimTime, n_ports);
    g_autofree SimTime *load_ps = g_new0(SimTime, n_ports);
    uint64_t n = count_chunks_of_payload(task, cut->chunk_bytes);
    CutEstimate flow = { .fits = TRUE };
    SimTime prepare_ps = 0, add_ps = 0;
    SimWide squares[COLL_MAX_PHASES], others = 0;
    uint64_t n_shares = 0, n_adders = 1;

    for (uint32_t i = 0; i < task->n_plans; i++)
        n_shares += task->shares[i];
    for (uint32_t i = 0; i < task->n_plans; i++) {
        const CollPlan *plan = &task->plans[i];
        PlanTimes times = { .load_ps = load_ps,
                            .sums_ps = sums_ps,
                            .share = task->shares[i],
                            .n_shares = n_shares,
                            .n_chunks = n };
        CutPace pace = { 0 };

        if (!task->pace(task->self, plan, cut->chunk_bytes, &pace))
            return (CutEstimate){ .fits = FALSE };
        for (uint32_t p = 0; p < plan->n_phases; p++) {
            add_phase_times(task, plan, p, cut, &pace, &times);
            flow.holds_few_chunks |= pace.n_slots[p] > 0 || pace.n_rooms[p] > 0;
            squares[p] = times.square;
        }
        others = MAX(others, sum_squares_of_other_phases(plan, squares));
        add_plan_estimate(&flow, &times, &pace);
        prepare_ps += times.prepare_ps * task->shares[i];
        add_ps += times.add_ps * task->shares[i];
        n_adders = MAX(1, pace.n_adders);
    }
    flow.period_ps = MAX(flow.apart_ps, prepare_ps / n_shares);
    flow.period_ps = MAX(flow.period_ps, add_ps / n_adders / n_shares);
    for (uint32_t p = 0; p < n_ports; p++)
        flow.port_ps = MAX(flow.port_ps, sums_ps[p] / n_shares);
    flow.period_ps = MAX(flow.period_ps, flow.port_ps);
    if (n > 1)
        add_waits_for_busy_resource(&flow, others);
    return flow;
}
