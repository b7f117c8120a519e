/*
 * pipeline.c - chunks through phases, phases through steps, steps as messages
 *
 * On entering a phase a chunk sends its first step in every lane.  A message
 * that arrives is handed to the endpoint when it is that lane's turn; once
 * the endpoint has taken it in, the lane's next step is sent.  A lane is done
 * when all steps are sent and taken in, a phase when all its lanes are.
 * What arrives before its receiver is ready waits, as a mark in its lane.
 */
#include "models/endpoint_impl.h"

ChunkState *chunk_state(const Chunk *chunk, const Npu *npu)
{
    return (ChunkState *)(gpointer)(chunk->states + npu->id * chunk->stride);
}

const CollPhase *chunk_phase(const Chunk *chunk, uint32_t phase)
{
    return &chunk->coll->plan->phases[phase];
}

Chunk *pipeline_message_chunk(const Npu *npu, uint32_t message)
{
    System *system = npu->system;

    return g_ptr_array_index(system->chunks,
                             network_message(system->network, message)->chunk);
}

static Lane *lane_of(const Chunk *chunk, ChunkState *state, uint32_t phase,
                     uint32_t lane)
{
    return &state->lanes[chunk->first_lane[phase] + lane];
}

static uint32_t n_lanes(const Chunk *chunk, uint32_t phase)
{
    return chunk->first_lane[phase + 1] - chunk->first_lane[phase];
}

/* Everything a message says about its step is in the key that breaks ties. */
static uint64_t order_hi(const Chunk *chunk, uint32_t phase)
{
    return chunk->seq << 8 | phase;
}

static uint64_t order_lo(uint32_t step, uint32_t lane)
{
    return (uint64_t)step << 16 | lane;
}

/* What order_hi() and order_lo() have put together. */
typedef struct {
    uint32_t phase, lane, step;
} MessagePlace;

static MessagePlace place_of(const NetMessage *m)
{
    return (MessagePlace){ .phase = m->order_hi & 0xff,
                           .lane = m->order_lo & 0xffff,
                           .step = (uint32_t)(m->order_lo >> 16) };
}

static Chunk *take_chunk(System *system)
{
    Chunk *chunk = system->free_chunks;

    if (chunk) {
        system->free_chunks = chunk->next_free;
        return chunk;
    }
    chunk = g_new0(Chunk, 1);
    chunk->slot = system->chunks->len;
    g_ptr_array_add(system->chunks, chunk);
    return chunk;
}

/* A chunk goes round the way that has had fewer bytes so far, + when they are
 * even.  Chunks are made in the order of admission, which is the same for all
 * NPUs; so all agree, and nobody's being early or late matters. */
static void choose_ways(System *system, Chunk *chunk)
{
    for (uint32_t p = 0; p < chunk->coll->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint64_t *bytes = system->way_bytes[phase->dim];
        uint32_t way = bytes[1] < bytes[0];

        if (!phase->may_reverse)
            continue;
        chunk->backwards |= way << p;
        bytes[way] += coll_sent_bytes(phase, chunk->bytes);
    }
}

static Chunk *chunk_new(System *system, CollInstance *coll, uint32_t index)
{
    const CollectiveConfig *config = &system->config->collectives;
    Chunk *chunk = take_chunk(system);
    uint64_t offset_bytes = index * config->chunk_bytes;
    gsize size;

    chunk->coll = coll;
    chunk->index = index;
    chunk->seq = system->n_chunks_made++;
    chunk->bytes = MIN(config->chunk_bytes, coll->payload_bytes - offset_bytes);
    chunk->n_npus_done = 0;
    chunk->backwards = 0;
    for (uint32_t p = 0; p < coll->plan->n_phases; p++) {
        const CollPhase *phase = &coll->plan->phases[p];
        uint32_t n = coll_n_lanes(phase, chunk->bytes, config->message_bytes);

        chunk->first_lane[p + 1] = chunk->first_lane[p] + n;
        chunk->lane_bytes[p] = coll_lane_bytes(phase, chunk->bytes, 1, n);
    }
    choose_ways(system, chunk);
    chunk->stride = sizeof(ChunkState) +
                    chunk->first_lane[coll->plan->n_phases] * sizeof(Lane);
    size = chunk->stride * system->n_sim;
    if (chunk->capacity < size) {
        g_free(chunk->states);
        chunk->states = g_malloc(size);
        chunk->capacity = size;
    }
    memset(chunk->states, 0, size);
    coll->chunks[index] = chunk;
    system->n_chunks_live++;
    return chunk;
}

static void chunk_done(System *system, Chunk *chunk)
{
    chunk->coll->chunks[chunk->index] = NULL;
    chunk->next_free = system->free_chunks;
    system->free_chunks = chunk;
    system->n_chunks_live--;
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
                           n_lanes(chunk, phase));
}

static uint32_t peer_of(const Npu *npu, const Chunk *chunk, uint32_t phase,
                        uint32_t step)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep what;

    if (step > 0 && p->algorithm->single_source)
        return chunk_state(chunk, npu)->peer;
    look_up(npu, chunk, phase, step, &what);
    return coll_peer(p, npu->id, what.send_to);
}

static void fill_message(Npu *npu, const Chunk *chunk, uint32_t phase,
                         uint32_t lane, uint32_t step, NetMessage *m)
{
    m->order_hi = order_hi(chunk, phase);
    m->order_lo = order_lo(step, lane);
    m->bytes = message_bytes(npu, chunk, phase, step);
    m->chunk = chunk->slot;
    m->reduces = step < chunk_phase(chunk, phase)->n_reducing;
}

/* @message is a record to use. */
static void send_step(Npu *npu, Chunk *chunk, uint32_t phase, uint32_t lane,
                      uint32_t step, uint32_t message)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    NetMessage *m = network_message(npu->system->network, message);

    fill_message(npu, chunk, phase, lane, step, m);
    m->dst = peer_of(npu, chunk, phase, step);
    /* Where both ways round are equally long: a ring's own, else in turn. */
    m->way = (uint8_t)((p->may_reverse ? chunk->backwards >> phase
                                       : chunk->index + step) &
                       1);
    if (step == 0 || !p->may_reverse) {
        m->port =
            network_first_port(npu->system->network, npu->id, m->dst, m->way);
        chunk_state(chunk, npu)->peer = m->dst;
        chunk_state(chunk, npu)->port = m->port;
    } else {
        m->port = chunk_state(chunk, npu)->port;
    }
    npu->endpoint->ops->send(npu->endpoint, message);
}

static gboolean has_arrived(const Lane *lane, const CollAlgorithm *algorithm)
{
    if (algorithm->independent)
        return lane->n_received < lane->n_arrived;
    if (lane->n_received != lane->n_done)
        return FALSE; /* the step before is still being taken in */
    if (algorithm->single_source)
        return lane->n_received < lane->n_arrived;
    return lane->arrived_mask >> lane->n_received & 1;
}

static void try_receive(Npu *npu, Chunk *chunk, uint32_t phase, uint32_t l)
{
    ChunkState *state = chunk_state(chunk, npu);
    const CollAlgorithm *algorithm = chunk_phase(chunk, phase)->algorithm;
    Lane *lane = lane_of(chunk, state, phase, l);
    uint64_t seq = chunk->seq;

    /* An endpoint that takes no time calls back from receive(): the loop that
     * is running goes on, so that what came early makes no deep recursion. */
    if (lane->is_receiving)
        return;
    lane->is_receiving = TRUE;
    /* It may even have finished with the chunk, and the record may serve
     * another, when receive() returns. */
    while (chunk->seq == seq && state->in_phase && state->phase == phase &&
           has_arrived(lane, algorithm)) {
        Network *network = npu->system->network;
        uint32_t message = network_message_new(network);

        fill_message(npu, chunk, phase, l, lane->n_received,
                     network_message(network, message));
        lane->n_received++;
        npu->endpoint->ops->receive(npu->endpoint, message);
    }
    if (chunk->seq == seq)
        lane->is_receiving = FALSE;
}

static void leave_phase(Npu *npu, Chunk *chunk)
{
    ChunkState *state = chunk_state(chunk, npu);
    state->in_phase = FALSE;
    state->n_lanes_done = 0;
    state->phase++;
    npu->endpoint->ops->advance(npu->endpoint, chunk, state->phase);
}

static void check_lane(Npu *npu, Chunk *chunk, uint32_t l)
{
    ChunkState *state = chunk_state(chunk, npu);
    uint32_t n_steps = chunk_phase(chunk, state->phase)->n_steps;
    const Lane *lane = lane_of(chunk, state, state->phase, l);

    if (lane->n_done < n_steps || lane->n_sent < n_steps)
        return;
    state->n_lanes_done++;
    if (state->n_lanes_done == n_lanes(chunk, state->phase))
        leave_phase(npu, chunk);
}

static void on_last_ready(gpointer self, uint32_t message, uint64_t now_ps)
{
    pipeline_transmit(self, message, now_ps);
}

/* Only a lane's last message can end a phase, when it goes; that others are
 * counted before they go makes no difference to anybody. */
void pipeline_transmit(Npu *npu, uint32_t message, SimTime ready_ps)
{
    System *system = npu->system;
    NetMessage *m = network_message(system->network, message);
    Chunk *chunk = pipeline_message_chunk(npu, message);
    MessagePlace place = place_of(m);
    uint32_t phase = place.phase, l = place.lane;
    Lane *lane = lane_of(chunk, chunk_state(chunk, npu), phase, l);
    gboolean is_last = lane->n_sent + 1 == chunk_phase(chunk, phase)->n_steps;

    if (is_last && ready_ps > sim_engine_now(system->engine)) {
        sim_engine_at(system->engine, ready_ps, SIM_PHASE_ACT, on_last_ready,
                      npu, message);
        return;
    }
    lane->n_sent++;
    npu->sent_bytes += m->bytes;
    network_send_at(system->network, npu->id, message, ready_ps);
    if (is_last)
        check_lane(npu, chunk, l);
}

void pipeline_handled(Npu *npu, uint32_t message)
{
    NetMessage *m = network_message(npu->system->network, message);
    Chunk *chunk = pipeline_message_chunk(npu, message);
    MessagePlace place = place_of(m);
    uint32_t phase = place.phase, l = place.lane;
    const CollPhase *p = chunk_phase(chunk, phase);
    Lane *lane = lane_of(chunk, chunk_state(chunk, npu), phase, l);

    lane->n_done++;
    if (!p->algorithm->independent && lane->n_done < p->n_steps) {
        send_step(npu, chunk, phase, l, lane->n_done, message);
        try_receive(npu, chunk, phase, l);
        return;
    }
    network_message_free(npu->system->network, message);
    check_lane(npu, chunk, l);
}

static void finish_chunk(Npu *npu, Chunk *chunk)
{
    CollInstance *coll = chunk->coll;
    CollPart *part = &coll->parts[npu->id];

    npu->n_in_flight--;
    chunk->n_npus_done++;
    if (chunk->n_npus_done == npu->system->n_sim)
        chunk_done(npu->system, chunk);
    part->n_chunks_done++;
    if (part->n_chunks_done == coll->n_chunks)
        training_on_collective(npu->training, coll);
    scheduler_pump(npu);
}

void pipeline_enter(Npu *npu, Chunk *chunk)
{
    ChunkState *state = chunk_state(chunk, npu);
    const CollPhase *p;
    uint32_t phase = state->phase;

    if (phase == chunk->coll->plan->n_phases) {
        finish_chunk(npu, chunk);
        return;
    }
    p = chunk_phase(chunk, phase);
    state->in_phase = TRUE;
    for (uint32_t l = 0; l < n_lanes(chunk, phase); l++) {
        uint32_t n_sends = p->algorithm->independent ? p->n_steps : 1;

        for (uint32_t s = 0; s < n_sends; s++)
            send_step(npu, chunk, phase, l, s,
                      network_message_new(npu->system->network));
    }
    for (uint32_t l = 0; l < n_lanes(chunk, phase); l++)
        try_receive(npu, chunk, phase, l);
}

void pipeline_start(Npu *npu, CollInstance *coll)
{
    CollPart *part = &coll->parts[npu->id];
    uint32_t index = part->next_chunk++;
    Chunk *chunk = coll->chunks[index];

    if (!chunk)
        chunk = chunk_new(npu->system, coll, index);
    npu->n_in_flight++;
    chunk_state(chunk, npu)->started = TRUE;
    npu->endpoint->ops->advance(npu->endpoint, chunk, 0);
}

static void arrive(Npu *npu, uint32_t message)
{
    NetMessage *m = network_message(npu->system->network, message);
    Chunk *chunk = pipeline_message_chunk(npu, message);
    MessagePlace place = place_of(m);
    uint32_t phase = place.phase, l = place.lane, step = place.step;
    const CollAlgorithm *algorithm = chunk_phase(chunk, phase)->algorithm;
    ChunkState *state = chunk_state(chunk, npu);
    Lane *lane = lane_of(chunk, state, phase, l);

    npu->received_bytes += m->bytes;
    lane->n_arrived++;
    lane->arrived_mask |= UINT64_C(1) << (step & 63);
    if (state->in_phase && state->phase == phase &&
        (algorithm->independent || lane->n_received == step) &&
        has_arrived(lane, algorithm)) {
        lane->n_received++;
        npu->endpoint->ops->receive(npu->endpoint, message);
    } else {
        network_message_free(npu->system->network, message);
    }
}

/* All that arrived at this instant, in an order that no NPU number enters. */
static void empty_inbox(Npu *npu)
{
    uint32_t n = npu->n_inbox;

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
    const NetMessage *m = network_message(system->network, message);
    uint32_t i;

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
    for (i = npu->n_inbox++; i > 0; i--) {
        uint32_t before = npu->inbox[i - 1];

        if (network_before(network_message(system->network, before), m))
            break;
        npu->inbox[i] = before;
    }
    npu->inbox[i] = message;
}
