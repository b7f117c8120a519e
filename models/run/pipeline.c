/*
 * pipeline.c - chunks through phases, phases through steps, steps as messages
 *
 * On entering a phase a chunk sends its first step in every lane.  A message
 * that arrives is handed to the endpoint when it is that lane's turn; once
 * the endpoint has taken it in, the lane's next step is sent.  A lane is done
 * when all steps are sent and taken in, a phase when all its lanes are.
 * What arrives before its receiver is ready waits, as a mark in its lane.
 */
#include "models/endpoints/endpoint_impl.h"
#include "models/observe/watch_impl.h"
#include "models/run/inbox_impl.h"

/* Everything a message says about its step is in the key that breaks ties. */
static uint64_t order_hi(const Chunk *chunk, uint32_t phase)
{
    return chunk->order << 8 | phase;
}

static uint64_t order_lo(uint32_t step, uint32_t lane)
{
    return (uint64_t)step << 16 | lane;
}

/* What a message is about, looked up once. */
typedef struct {
    Chunk *chunk;
    ChunkState *state;
    const CollPhase *phase;
    Lane *lane;
    uint32_t p, l; /* numbers of the phase and the lane */
} Place;

static inline Place place_of_lane(const Npu *npu, Chunk *chunk, uint32_t p,
                                  uint32_t l)
{
    ChunkState *state = chunk_state(chunk, npu->id);

    return (Place){
        .chunk = chunk,
        .state = state,
        .phase = chunk_phase(chunk, p),
        .lane = &state->lanes[chunk->first_lane[p] + l],
        .p = p,
        .l = l,
    };
}

/* Takes apart what order_hi() and order_lo() have put together. */
static inline Place place_of(const Npu *npu, const NetMessage *m)
{
    Chunk *chunk = g_ptr_array_index(npu->system->chunks, message_chunk(m));

    return place_of_lane(npu, chunk, m->order_hi & 0xff, m->order_lo & 0xffff);
}

static inline uint32_t step_of(const NetMessage *m)
{
    return (uint32_t)(m->order_lo >> 16);
}

static const CollGroup *group_of(const Chunk *chunk, uint32_t phase)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    return chunk->backwards >> phase & 1 ? &p->mirrored : &p->group;
}

static void look_up(const Npu *npu, const Chunk *chunk, uint32_t phase,
                    uint32_t step, CollStep *ret)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    p->algorithm->step(group_of(chunk, phase), coll_rank(p, npu->id), step,
                       ret);
}

static uint64_t message_bytes(const Npu *npu, const Chunk *chunk,
                              uint32_t phase, uint32_t step)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep what;

    if (p->max_blocks == 1)
        return chunk->lane_bytes[phase];
    look_up(npu, chunk, phase, step, &what);
    return coll_lane_bytes(p, chunk->bytes, what.n_blocks,
                           chunk_n_lanes(chunk, phase));
}

static uint32_t peer_of(const Npu *npu, const Chunk *chunk, uint32_t phase,
                        uint32_t step)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep what;

    if (step > 0 && p->algorithm->single_source)
        return chunk_state(chunk, npu->id)->peer;
    look_up(npu, chunk, phase, step, &what);
    return coll_peer(p, npu->id, what.send_to);
}

static void fill_message(const Npu *npu, const Place *at, uint32_t step,
                         NetMessage *m)
{
    const CollPhase *p = at->phase;

    m->order_hi = order_hi(at->chunk, at->p);
    m->order_lo = order_lo(step, at->l);
    m->bytes = message_bytes(npu, at->chunk, at->p, step);
    m->cookie = at->chunk->slot;
    message_set_flags(m, step < p->n_reducing,
                      p->algorithm->independent || step + 1 == p->n_steps);
    if (G_UNLIKELY(p->algorithm->via_switch))
        chunk_fill_meeting(at->chunk, at->p, m);
}

/* Where somebody watches, at the cost of one comparison where nobody does. */
#define WATCH(npu, call, ...)                                                  \
    do {                                                                       \
        if (G_UNLIKELY((npu)->system->is_watched))                             \
            watch_##call(npu, __VA_ARGS__);                                    \
    } while (0)

static inline VerifyStep watched(const Npu *npu, const Place *at, uint32_t step)
{
    return (VerifyStep){ at->chunk, npu->id, at->p, at->l, step };
}

static inline VerifyStep watched_message(const Npu *npu, const Place *at,
                                         uint32_t message)
{
    return watched(npu, at,
                   step_of(network_message(npu->system->network, message)));
}

/* Sends step @step in @message, which says already what fill_message() says.
 * Where both ways round are equally long: a ring's own, else in turn. */
static inline void send_to(Npu *npu, const Place *at, uint32_t step,
                           uint32_t dst, uint32_t message, SimTime now_ps)
{
    Network *network = npu->system->network;
    NetMessage *m = network_message(network, message);
    const Chunk *chunk = at->chunk;
    gboolean keeps_way = at->phase->may_reverse;
    uint32_t way = keeps_way ? chunk->backwards >> at->p : chunk->index + step;

    m->dst = dst;
    m->way = way & 1;
    if (step == 0 || !keeps_way) {
        at->state->peer = dst;
        at->state->port = network_first_port(network, npu->id, dst, m->way);
    }
    m->port = at->state->port;
    WATCH(npu, send, watched(npu, at, step), message);
    if (npu->endpoint->ops->send)
        npu->endpoint->ops->send(npu->endpoint, message);
    else
        pipeline_transmit(npu, message, now_ps + npu->endpoint->message_ps);
}

/* @message is a record to use. */
static void send_step(Npu *npu, const Place *at, uint32_t step,
                      uint32_t message)
{
    fill_message(npu, at, step, network_message(npu->system->network, message));
    send_to(npu, at, step, peer_of(npu, at->chunk, at->p, step), message,
            sim_engine_now(npu->system->engine));
}

/* Likewise in a phase whose steps are alike; @message brought the step
 * before, at @now_ps. */
static inline void pass_on(Npu *npu, const Place *at, uint32_t step,
                           uint32_t message, SimTime now_ps)
{
    const CollPhase *p = at->phase;
    NetMessage *m = network_message(npu->system->network, message);

    m->order_lo = order_lo(step, at->l);
    message_set_flags(m, step < p->n_reducing, step + 1 == p->n_steps);
    send_to(npu, at, step, at->state->peer, message, now_ps);
}

static inline gboolean has_arrived(const Lane *lane,
                                   const CollAlgorithm *algorithm)
{
    if (algorithm->independent)
        return lane->n_received < lane->n_arrived;
    if (lane->n_received != lane->n_done)
        return FALSE; /* the step before is still being taken in */
    if (algorithm->single_source)
        return lane->n_received < lane->n_arrived;
    return lane->arrived_mask >> lane->n_received & 1;
}

static inline gboolean is_in_phase(const Place *at)
{
    return at->state->in_phase && at->state->phase == at->p;
}

static void handled(Npu *npu, const Place *at, uint32_t message);

static inline void receive(Npu *npu, const Place *at, uint32_t message)
{
    WATCH(npu, receive, watched_message(npu, at, message), message);
    if (npu->endpoint->ops->receive) {
        npu->endpoint->ops->receive(npu->endpoint, message);
        return;
    }
    WATCH(npu, handle, watched_message(npu, at, message),
          message_reduces(network_message(npu->system->network, message)));
    handled(npu, at, message);
}

static void try_receive(Npu *npu, const Place *at)
{
    Network *network = npu->system->network;
    Lane *lane = at->lane;
    uint64_t seq = at->chunk->seq;

    /* An endpoint that takes no time calls back from receive(): the loop that
     * is running goes on, so that what came early makes no deep recursion. */
    if (lane->is_receiving)
        return;
    lane->is_receiving = TRUE;
    /* It may even have finished with the chunk, and the record may serve
     * another, when receive() returns. */
    while (at->chunk->seq == seq && is_in_phase(at) &&
           has_arrived(lane, at->phase->algorithm)) {
        uint32_t message = network_message_new(network);

        fill_message(npu, at, lane->n_received,
                     network_message(network, message));
        lane->n_received++;
        receive(npu, at, message);
    }
    if (at->chunk->seq == seq)
        lane->is_receiving = FALSE;
}

static void leave_phase(Npu *npu, Chunk *chunk)
{
    ChunkState *state = chunk_state(chunk, npu->id);

    TRACE_CHUNK(npu, chunk, phase_ends, state->phase);
    VERIFY(npu->system, leave, chunk, npu->id, state->phase);
    state->in_phase = FALSE;
    state->n_lanes_done = 0;
    state->phase++;
    npu->endpoint->ops->advance(npu->endpoint, chunk, state->phase);
}

/* A lane's sends that may be its last: all where none waits for another. */
static uint32_t n_may_end(const CollPhase *phase)
{
    return phase->algorithm->independent ? phase->n_steps : 1;
}

static void check_lane(Npu *npu, const Place *at)
{
    if (at->lane->n_done < at->phase->n_steps ||
        at->lane->n_ended < n_may_end(at->phase))
        return;
    at->state->n_lanes_done++;
    if (at->state->n_lanes_done == chunk_n_lanes(at->chunk, at->p))
        leave_phase(npu, at->chunk);
}

static void on_last_ready(gpointer self, uint32_t message, uint64_t now_ps)
{
    Npu *npu = self;

    TRACE(npu->system, message_done, npu->id, message, TRACE_CYCLES, 0);
    pipeline_transmit(npu, message, now_ps);
}

static void transmit(Npu *npu, uint32_t message, SimTime ready_ps)
{
    Network *network = npu->system->network;

    npu->sent_bytes += network_message(network, message)->bytes;
    network_send_at(network, npu->id, message, ready_ps);
}

/* A lane's last message ends its phase at the moment when it goes. */
static G_GNUC_NO_INLINE void transmit_end(Npu *npu, uint32_t message,
                                          SimTime ready_ps)
{
    System *system = npu->system;
    Place at = place_of(npu, network_message(system->network, message));
    gboolean is_last = at.lane->n_ended + 1 == n_may_end(at.phase);

    if (is_last && ready_ps > sim_engine_now(system->engine)) {
        sim_engine_at(system->engine, ready_ps, SIM_PHASE_ACT, on_last_ready,
                      npu, message);
        return;
    }
    at.lane->n_ended++;
    transmit(npu, message, ready_ps);
    if (is_last)
        check_lane(npu, &at);
}

void pipeline_transmit(Npu *npu, uint32_t message, SimTime ready_ps)
{
    if (message_may_end(network_message(npu->system->network, message)))
        transmit_end(npu, message, ready_ps);
    else
        transmit(npu, message, ready_ps);
}

static void handled(Npu *npu, const Place *at, uint32_t message)
{
    const CollPhase *p = at->phase;
    Lane *lane = at->lane;

    lane->n_done++;
    if (!p->algorithm->independent && lane->n_done < p->n_steps) {
        if (p->is_uniform)
            pass_on(npu, at, lane->n_done, message,
                    sim_engine_now(npu->system->engine));
        else
            send_step(npu, at, lane->n_done, message);
        if (has_arrived(lane, p->algorithm))
            try_receive(npu, at);
        return;
    }
    network_message_free(npu->system->network, message);
    check_lane(npu, at);
}

void pipeline_handled(Npu *npu, uint32_t message, gboolean added)
{
    Place at = place_of(npu, network_message(npu->system->network, message));

    WATCH(npu, handle, watched_message(npu, &at, message), added);
    handled(npu, &at, message);
}

static void finish_chunk(Npu *npu, Chunk *chunk)
{
    CollInstance *coll = chunk->coll;
    CollPart *part = &coll->parts[npu->id];

    TRACE_CHUNK(npu, chunk, chunk_ends);
    VERIFY(npu->system, finish, chunk, npu->id);
    npu->n_in_flight--;
    npu->n_reducing -= coll->plan->reduces;
    chunk->n_npus_done++;
    if (chunk->n_npus_done == npu->system->n_sim)
        chunk_free(npu->system, chunk);
    part->n_chunks_done++;
    if (part->n_chunks_done == coll->n_chunks)
        training_on_collective(npu->training, coll);
    scheduler_pump(npu);
}

void pipeline_enter(Npu *npu, Chunk *chunk)
{
    ChunkState *state = chunk_state(chunk, npu->id);
    const CollPhase *p;
    uint32_t phase = state->phase;

    if (phase == chunk->plan->n_phases) {
        finish_chunk(npu, chunk);
        return;
    }
    p = chunk_phase(chunk, phase);
    TRACE_CHUNK(npu, chunk, phase_begins, phase);
    state->in_phase = TRUE;
    for (uint32_t l = 0; l < chunk_n_lanes(chunk, phase); l++) {
        Place at = place_of_lane(npu, chunk, phase, l);
        uint32_t n_sends = p->algorithm->independent ? p->n_steps : 1;

        for (uint32_t s = 0; s < n_sends; s++)
            send_step(npu, &at, s, network_message_new(npu->system->network));
    }
    for (uint32_t l = 0; l < chunk_n_lanes(chunk, phase); l++) {
        Place at = place_of_lane(npu, chunk, phase, l);

        try_receive(npu, &at);
    }
}

void pipeline_start(Npu *npu, CollInstance *coll)
{
    CollPart *part = &coll->parts[npu->id];
    uint32_t index = part->next_chunk++;
    Chunk *chunk = coll->chunks[index];

    if (!chunk)
        chunk = chunk_new(npu->system, coll, index);
    npu->n_in_flight++;
    npu->n_reducing += coll->plan->reduces;
    chunk_state(chunk, npu->id)->started = TRUE;
    TRACE_CHUNK(npu, chunk, chunk_begins);
    npu->endpoint->ops->advance(npu->endpoint, chunk, 0);
}

static inline void arrive(Npu *npu, uint32_t message)
{
    const NetMessage *m = network_message(npu->system->network, message);
    Place at = place_of(npu, m);
    const CollAlgorithm *algorithm = at.phase->algorithm;
    uint32_t step = step_of(m);

    WATCH(npu, arrive, watched(npu, &at, step), message);
    npu->received_bytes += network_bytes_back(m); /* as many as went up */
    at.lane->n_arrived++;
    if (!algorithm->single_source)
        at.lane->arrived_mask |= UINT64_C(1) << (step & 63);
    if (!is_in_phase(&at) || !has_arrived(at.lane, algorithm) ||
        (at.lane->n_received != step && !algorithm->independent)) {
        network_message_free(npu->system->network, message);
        return;
    }
    at.lane->n_received++;
    receive(npu, &at, message);
}

/*
 * In the midst of a ring, at an endpoint that takes a known time, a message
 * that is under way has nothing to wait for: its lane is at that step, and
 * nothing else moves it on.  So the next step can be sent ahead of time.
 */
gboolean pipeline_foresee(gpointer self, uint32_t id, uint32_t message,
                          SimTime at_ps)
{
    System *system = self;
    Npu *npu = &system->npus[id];
    const NetMessage *m = network_message(system->network, message);
    Place at = place_of(npu, m);
    Lane *lane = at.lane;
    uint32_t step = step_of(m);

    if (!at.phase->is_uniform || !is_in_phase(&at) || lane->n_done != step ||
        lane->n_arrived != step || step + 1 == at.phase->n_steps)
        return FALSE;
    WATCH(npu, arrive, watched(npu, &at, step), message);
    WATCH(npu, handle, watched(npu, &at, step), message_reduces(m));
    npu->received_bytes += m->bytes;
    lane->n_arrived = lane->n_received = lane->n_done = step + 1;
    pass_on(npu, &at, step + 1, message, at_ps);
    return TRUE;
}

/* All that arrived at this instant, in an order that no NPU number enters. */
static void empty_inbox(Npu *npu)
{
    uint32_t n = npu->n_inbox;

    sort_inbox(npu);
    for (uint32_t i = 0; i < n; i++)
        arrive(npu, npu->inbox[i]);
    g_assert(npu->n_inbox == n);
    npu->n_inbox = 0;
}

/* For all NPUs at once: what each of them does in this event is its own. */
static void on_inboxes(gpointer self, uint32_t arg, uint64_t now_ps)
{
    System *system = self;
    uint32_t n = system->n_arrived;

    (void)arg;
    (void)now_ps;
    for (uint32_t i = 0; i < n; i++)
        empty_inbox(&system->npus[system->arrived[i]]);
    g_assert(system->n_arrived == n);
    system->n_arrived = 0;
}

void pipeline_on_deliver(gpointer self, uint32_t id, uint32_t message,
                         SimTime now_ps)
{
    System *system = self;
    Npu *npu = &system->npus[id];

    if (npu->n_inbox == npu->inbox_allocated) {
        npu->inbox_allocated = MAX(8, 2 * npu->inbox_allocated);
        npu->inbox = g_renew(uint32_t, npu->inbox, npu->inbox_allocated);
    }
    if (npu->n_inbox == 0) {
        if (system->n_arrived == 0)
            sim_engine_at(system->engine, now_ps, SIM_PHASE_ACT, on_inboxes,
                          system, 0);
        system->arrived[system->n_arrived++] = id;
    }
    npu->inbox[npu->n_inbox++] = message;
}
