#include "models/collectives/cut.h"

#include <string.h>

#include "sim/core/config.h"

#define MAX_SAMPLES 64 /* steps looked at of a phase that has many */
#define MIN_CHUNK   256
#define MIN_MESSAGE 256
/* Messages of one collective on one NPU, which somebody has to simulate: a
 * fraction of a second of that (assumed, as the others are). */
#define MAX_MESSAGES (1 << 20)

/* What chunks of some size do on their way through one plan. */
typedef struct {
    SimTime *load_ps;    /* borrowed: of each port, for a chunk */
    SimTime prepare_ps;  /* of the endpoint, likewise, */
    SimTime add_ps;      /* and of one adder */
    SimTime alone_ps;    /* from end to end, with nothing in the way */
    SimTime period_ps;   /* what phases that hold few chunks allow */
    SimTime round_ps;    /* the longest of the messages of a phase, where all
                            set out at once */
    uint64_t n_messages; /* of a chunk, */
    uint64_t most_bytes; /* and the largest of them */
} Way;

typedef struct {
    SimTime latency_ps;
    uint64_t bytes_per_s; /* of the slowest port on it */
    uint32_t n_hops;
} Route;

static SimTime take_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return bytes_per_s == 0 ? 0 : sim_time_from_bytes(bytes, bytes_per_s);
}

static uint64_t rate_of(const TopologyPort *port)
{
    return port->n_links * port->payload_bytes_per_s;
}

/* The route of a message of @bytes from NPU 0 to @dst, of which there are @n of
 * @of; @tie is the way where both ways round are equally long.  Where messages
 * meet in a switch it is back to NPU 0, and @back_bytes come down. */
static Route follow(const CutTask *task, uint32_t dst, uint32_t tie,
                    uint64_t bytes, uint64_t back_bytes, uint64_t n,
                    uint64_t of, Way *way)
{
    Route route = { .bytes_per_s = UINT64_MAX };
    uint32_t at = 0;

    do {
        uint64_t now_bytes = at == TOPOLOGY_CORE ? back_bytes : bytes;
        uint32_t p;
        uint32_t owner = topology_next(task->topology, at, dst, tie, &p);
        const TopologyPort *port = topology_port(task->topology, p);

        route.latency_ps += port->latency_ps;
        route.bytes_per_s = MIN(route.bytes_per_s, rate_of(port));
        way->load_ps[p] += take_ps(now_bytes, rate_of(port)) * n / of;
        at = topology_end(task->topology, owner, p);
        route.n_hops++;
    } while (at != dst);
    return route;
}

/* A message of a step, as the endpoint and the links have it. */
typedef struct {
    uint64_t bytes, n_lanes;
    Route route;
    SimTime prepare_ps, send_ps, add_ps;
} Load;

static Load load_of_step(const CutTask *task, const CollPhase *phase,
                         const CollGroup *group, uint32_t step, uint64_t n,
                         uint64_t of, const Cut *cut, const CutPace *pace,
                         Way *way)
{
    gboolean reduces = step < phase->n_reducing;
    Load load = {
        .n_lanes = coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes),
    };
    uint64_t up_bytes, back_bytes;
    CollStep what;

    phase->algorithm->step(group, 0, step, &what);
    load.bytes = coll_lane_bytes(phase, cut->chunk_bytes, what.n_blocks,
                                 (uint32_t)load.n_lanes);
    up_bytes = load.bytes * load.n_lanes;
    back_bytes =
        phase->algorithm->via_switch
            ? coll_lane_bytes(phase, cut->chunk_bytes, what.n_recv_blocks, 1)
            : up_bytes;
    for (uint32_t tie = 0; tie < 2; tie++) /* one of them, or in turn */
        if (!phase->may_reverse || tie == (group == &phase->mirrored))
            load.route =
                follow(task, coll_peer(phase, 0, what.send_to), tie, up_bytes,
                       back_bytes, n, phase->may_reverse ? of : 2 * of, way);
    load.send_ps = take_ps(load.bytes, load.route.bytes_per_s);
    way->most_bytes = MAX(way->most_bytes, load.bytes);
    load.prepare_ps = take_ps(load.bytes, reduces ? pace->reduce_bytes_per_s
                                                  : pace->store_bytes_per_s);
    if (reduces)
        load.add_ps = take_ps(load.bytes, pace->add_bytes_per_s);
    return load;
}

/* How long steps like @step, of which there are @n / @of, keep a chunk; and
 * what they do to ports and endpoint. */
static SimTime stay_of_step(const CutTask *task, const CollPhase *phase,
                            const CollGroup *group, uint32_t step, uint64_t n,
                            uint64_t of, const Cut *cut, const CutPace *pace,
                            Way *way)
{
    Load load = load_of_step(task, phase, group, step, n, of, cut, pace, way);
    SimTime packet_ps =
        take_ps(MIN(load.bytes, task->packet_bytes), load.route.bytes_per_s);
    SimTime round_ps = pace->message_ps + load.prepare_ps + load.send_ps +
                       load.add_ps + load.route.latency_ps +
                       (load.route.n_hops - 1) * packet_ps;
    SimTime gap_ps = MAX(load.send_ps, load.prepare_ps + pace->message_gap_ps);
    SimTime busy_ps, tail_ps = 0;

    gap_ps = MAX(gap_ps, load.add_ps / MAX(1, pace->n_adders));
    busy_ps = load.n_lanes * gap_ps;
    way->prepare_ps +=
        (load.prepare_ps + pace->message_gap_ps) * load.n_lanes * n / of;
    way->add_ps += load.add_ps * load.n_lanes * n / of;
    if (phase->algorithm->independent) { /* all at once, one latency */
        way->round_ps = MAX(way->round_ps, round_ps);
        return busy_ps * n / of;
    }
    if (step + n == phase->n_steps)
        tail_ps = (load.n_lanes - 1) * gap_ps;
    return (MAX(busy_ps, round_ps) * n + tail_ps) / of;
}

static void go_through(const CutTask *task, const CollPhase *phase,
                       uint64_t n_slots, const Cut *cut, const CutPace *pace,
                       Way *way)
{
    uint32_t n_samples = phase->is_uniform && !phase->algorithm->independent
                             ? MIN(phase->n_steps, 2)
                             : MIN(phase->n_steps, MAX_SAMPLES);
    uint64_t of = phase->may_reverse ? 2 : 1;
    SimTime stay_ps = 0;

    for (uint32_t i = 0; i < n_samples; i++) {
        uint32_t from = (uint32_t)((uint64_t)i * phase->n_steps / n_samples);
        uint32_t to =
            (uint32_t)((uint64_t)(i + 1) * phase->n_steps / n_samples);

        stay_ps += stay_of_step(task, phase, &phase->group, from, to - from, of,
                                cut, pace, way);
        if (phase->may_reverse)
            stay_ps += stay_of_step(task, phase, &phase->mirrored, from,
                                    to - from, of, cut, pace, way);
    }
    way->n_messages +=
        (uint64_t)phase->n_steps *
        coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes);
    stay_ps += way->round_ps;
    way->round_ps = 0;
    way->alone_ps += stay_ps;
    if (n_slots > 0)
        way->period_ps = MAX(way->period_ps, stay_ps / n_slots);
}

/* Of chunks of @cut, in all orders: what one takes alone, and the least time
 * between two. */
typedef struct {
    SimTime alone_ps, period_ps;
    uint64_t n_messages; /* of a chunk */
    uint64_t most_bytes; /* of a message */
    gboolean fits;
} Flow;

static Flow flow_of(const CutTask *task, const Cut *cut)
{
    uint32_t n_ports = topology_n_ports(task->topology);
    g_autofree SimTime *sums_ps = g_new0(SimTime, n_ports);
    g_autofree SimTime *load_ps = g_new0(SimTime, n_ports);
    Flow flow = { .fits = TRUE };
    SimTime prepare_ps = 0, add_ps = 0;
    uint64_t n_shares = 0, n_adders = 1;

    for (uint32_t i = 0; i < task->n_plans; i++) {
        const CollPlan *plan = &task->plans[i];
        Way way = { .load_ps = load_ps };
        CutPace pace = { 0 };

        if (!task->pace(task->self, plan, cut->chunk_bytes, &pace))
            return (Flow){ .fits = FALSE };
        memset(load_ps, 0, n_ports * sizeof(*load_ps));
        for (uint32_t p = 0; p < plan->n_phases; p++)
            go_through(task, &plan->phases[p], pace.n_slots[p], cut, &pace,
                       &way);
        flow.alone_ps = MAX(flow.alone_ps, way.alone_ps + pace.chunk_ps);
        flow.period_ps = MAX(flow.period_ps, MAX(way.period_ps, pace.gap_ps));
        flow.n_messages = MAX(flow.n_messages, way.n_messages);
        flow.most_bytes = MAX(flow.most_bytes, way.most_bytes);
        prepare_ps += way.prepare_ps * task->shares[i];
        add_ps += way.add_ps * task->shares[i];
        n_adders = MAX(1, pace.n_adders);
        for (uint32_t p = 0; p < n_ports; p++)
            sums_ps[p] += load_ps[p] * task->shares[i];
        n_shares += task->shares[i];
    }
    flow.period_ps = MAX(flow.period_ps, prepare_ps / n_shares);
    flow.period_ps = MAX(flow.period_ps, add_ps / n_adders / n_shares);
    for (uint32_t p = 0; p < n_ports; p++)
        flow.period_ps = MAX(flow.period_ps, sums_ps[p] / n_shares);
    return flow;
}

static uint64_t n_chunks(const CutTask *task, uint64_t chunk_bytes)
{
    return (task->payload_bytes - 1) / chunk_bytes + 1;
}

/* @period_ps for all of the payload but its first chunk. */
static SimTime rest_ps(const CutTask *task, const Cut *cut, SimTime period_ps)
{
    uint64_t chunk_bytes = MIN(cut->chunk_bytes, task->payload_bytes);
    SimWide ps =
        (SimWide)period_ps * (task->payload_bytes - chunk_bytes) / chunk_bytes;

    return (SimTime)MIN(ps, SIM_TIME_MAX);
}

static SimTime time_of(const CutTask *task, const Flow *flow, const Cut *cut)
{
    SimTime window_ps = cut->window < n_chunks(task, cut->chunk_bytes)
                            ? rest_ps(task, cut, flow->alone_ps / cut->window)
                            : 0;

    if (!flow->fits)
        return SIM_TIME_MAX;
    return sim_time_add(flow->alone_ps,
                        MAX(rest_ps(task, cut, flow->period_ps), window_ps));
}

SimTime cut_time_ps(const CutTask *task, const Cut *cut)
{
    Flow flow = flow_of(task, cut);

    return time_of(task, &flow, cut);
}

/* ---- the choice ------------------------------------------------------- */

/* May be more than the collective has chunks: then others find room, too. */
static uint64_t window_for(const CutTask *task, const Flow *flow)
{
    uint64_t fills =
        flow->period_ps > 0 ? flow->alone_ps / flow->period_ps + 1 : 1;
    uint64_t n = fills * CUT_WINDOW_FACTOR * task->n_plans;

    return CLAMP(n, CUT_MIN_WINDOW, CUT_MAX_WINDOW);
}

/* One size that is tried. */
typedef struct {
    Cut cut;
    SimTime time_ps;
    uint64_t n_messages; /* of the collective, on one NPU */
    uint64_t long_bytes; /* of a message, or what holds up nobody */
} Trial;

/* The message that other collectives may have to wait for. */
static uint64_t may_hold_bytes(const CutTask *task)
{
    return task->has_others
               ? MIN(task->least_bytes, task->payload_bytes / CUT_PARTS)
               : UINT64_MAX;
}

static void try(const CutTask *task, const Cut *given, uint64_t chunk_bytes,
                uint64_t message_bytes, GArray *trials)
{
    Trial trial = { .cut = { .chunk_bytes = chunk_bytes,
                             .message_bytes = message_bytes,
                             .window = given->window } };
    Flow flow = flow_of(task, &trial.cut);

    trial.n_messages = flow.n_messages * n_chunks(task, chunk_bytes);
    if (!flow.fits ||
        (given->chunk_bytes == CONFIG_AUTO && trial.n_messages > MAX_MESSAGES))
        return;
    if (trial.cut.window == CONFIG_AUTO)
        trial.cut.window = window_for(task, &flow);
    trial.time_ps = time_of(task, &flow, &trial.cut);
    trial.long_bytes = MAX(flow.most_bytes, may_hold_bytes(task));
    g_array_append_val(trials, trial);
}

/* Largest chunk first, of these the largest message: that is a sweep down,
 * which begins with what is one chunk, or message. */
static void try_messages(const CutTask *task, const Cut *given,
                         uint64_t chunk_bytes, GArray *trials)
{
    if (given->message_bytes != CONFIG_AUTO) {
        try(task, given, chunk_bytes, given->message_bytes, trials);
        return;
    }
    for (uint64_t m = MAX(chunk_bytes, MIN_MESSAGE); m >= MIN_MESSAGE; m /= 4)
        try(task, given, chunk_bytes, m, trials);
}

static uint64_t power_of_two_from(uint64_t bytes)
{
    uint64_t power = MIN_CHUNK;

    while (power < bytes)
        power *= 2;
    return power;
}

/* Of chunks that are alike none is left to go round a ring alone. */
static uint64_t nth_part(uint64_t bytes, uint64_t n)
{
    return ((bytes - 1) / n / MIN_CHUNK + 1) * MIN_CHUNK;
}

static GArray *try_all(const CutTask *task, const Cut *given)
{
    GArray *trials = g_array_new(FALSE, FALSE, sizeof(Trial));

    if (given->chunk_bytes != CONFIG_AUTO) {
        try_messages(task, given, given->chunk_bytes, trials);
        return trials;
    }
    for (uint64_t n = 1; task->payload_bytes / n >= MIN_CHUNK || n == 1; n *= 2)
        try_messages(task, given, nth_part(task->payload_bytes, n), trials);
    return trials;
}

Cut cut_without_choice(uint64_t payload_bytes, const Cut *given)
{
    uint64_t chunk_bytes = given->chunk_bytes != CONFIG_AUTO
                               ? given->chunk_bytes
                               : power_of_two_from(payload_bytes);

    return (Cut){
        .chunk_bytes = chunk_bytes,
        .message_bytes = given->message_bytes != CONFIG_AUTO
                             ? given->message_bytes
                             : chunk_bytes,
        .window = given->window != CONFIG_AUTO ? given->window : CUT_MIN_WINDOW,
    };
}

/* What holds nobody up, then fewer messages, then a shorter window. */
static gboolean is_lighter(const Trial *a, const Trial *b)
{
    if (a->long_bytes != b->long_bytes)
        return a->long_bytes < b->long_bytes;
    if (a->n_messages != b->n_messages)
        return a->n_messages < b->n_messages;
    return a->cut.window < b->cut.window;
}

Cut cut_choose(const CutTask *task, const Cut *given)
{
    g_autoptr(GArray) trials = try_all(task, given);
    SimTime most_ps = SIM_TIME_MAX;
    const Trial *best = NULL;

    for (guint i = 0; i < trials->len; i++)
        most_ps = MIN(most_ps, g_array_index(trials, Trial, i).time_ps);
    most_ps = sim_time_add(most_ps, most_ps / 100 * CUT_SLACK_PERCENT);
    for (guint i = 0; i < trials->len; i++) {
        const Trial *trial = &g_array_index(trials, Trial, i);

        if (trial->time_ps <= most_ps && (!best || is_lighter(trial, best)))
            best = trial;
    }
    /* What nothing fits is for the endpoint to complain of. */
    return best ? best->cut : cut_without_choice(task->payload_bytes, given);
}
