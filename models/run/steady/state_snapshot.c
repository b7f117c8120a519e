/* state_snapshot.c - takes and compares snapshots, and moves the state ahead */
#include "models/run/steady/state_snapshot.h"

#include "models/run/admit/collective_precedence.h"
#include "models/run/chunk_progress_impl.h"
#include "network/transport/network_steady_state.h"

typedef struct {
    uint32_t number;
    SteadyArgFn arg;
    gpointer self; /* borrowed */
} EventOwner;

/* ---- messages and events ------------------------------------------------ */

static void visit_chunk(gpointer self, SteadyWalk *walk, uint64_t order,
                        uint32_t slot)
{
    const StateWalker *walker = self;
    const ChunkRecord *record =
        g_ptr_array_index(walker->system->state.chunks, slot);

    steady_visit_constant(walk, walker->base - record->chunk.index);
    if (record->coll != walker->coll || record->chunk.order != order)
        walk->is_lost = TRUE;
}

static void register_event_owner(SteadyWalk *walk, gconstpointer address,
                                 SteadyArgFn arg, gpointer self)
{
    StateWalker *walker = walk->self;
    EventOwner *owner;

    if (walk->moves || g_hash_table_contains(walker->owners, address))
        return;
    owner = g_new(EventOwner, 1);
    *owner = (EventOwner){ g_hash_table_size(walker->owners), arg, self };
    g_hash_table_insert(walker->owners, (gpointer)address, owner);
}

/* Lets all models that schedule events register themselves as their owners. */
static void register_owners(StateWalker *walker)
{
    StateWords state = { 0 };
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    SteadyWalk walk = { .state = &state,
                        .counts = counts,
                        .about = visit_chunk,
                        .own = register_event_owner,
                        .self = walker };

    for (uint32_t i = 0; i < walker->system->plan.n_sim; i++) {
        Endpoint *endpoint = walker->system->state.npus[i].endpoint;

        walk.log = i == 0 ? &walker->log : NULL;
        endpoint->ops->steady(endpoint, &walk);
    }
    state_words_clear(&state);
}

void state_walker_init(StateWalker *walker, System *system)
{
    *walker = (StateWalker){
        .system = system,
        .owners = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .all_events = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
        .comm_events = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
        .other_events = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
    };
    walker->log.changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    register_owners(walker);
}

void state_walker_clear(StateWalker *walker)
{
    g_hash_table_unref(walker->owners);
    g_array_unref(walker->all_events);
    g_array_unref(walker->log.changes);
    g_array_unref(walker->comm_events);
    g_array_unref(walker->other_events);
}

/* Returns whether @event belongs to communication. */
static gboolean event_is_communication(const StateWalker *walker,
                                       const SimEvent *event)
{
    return event->self == walker->system->state.network ||
           event->fn == chunk_progress_on_last_ready ||
           g_hash_table_contains(walker->owners, event->self);
}

static void visit_event(const StateWalker *walker, SteadyWalk *walk,
                        const SimEvent *event)
{
    Network *network = walker->system->state.network;
    const Npu *npu = event->self;
    const EventOwner *owner;

    steady_visit_constant(walk, sim_engine_event_key(event, -walk->now_ps));
    if (event->self == network) {
        network_visit_event(network, walk, event->fn, event->arg);
    } else if (event->fn == chunk_progress_on_last_ready) {
        steady_visit_constant(walk, npu->index);
        network_visit_held_message(network, walk, 0, event->arg);
    } else {
        owner = g_hash_table_lookup(walker->owners, event->self);
        steady_visit_constant(walk, owner->number);
        owner->arg(owner->self, walk, 0, event->arg);
    }
}

void state_walker_take_events(StateWalker *walker)
{
    g_array_set_size(walker->all_events, 0);
    g_array_set_size(walker->comm_events, 0);
    g_array_set_size(walker->other_events, 0);
    sim_engine_remove_all_events(walker->system->state.engine,
                                 walker->all_events);
    for (guint i = 0; i < walker->all_events->len; i++) {
        SimEvent event = g_array_index(walker->all_events, SimEvent, i);

        g_array_append_val(event_is_communication(walker, &event)
                               ? walker->comm_events
                               : walker->other_events,
                           event);
    }
}

static void schedule_stored_events(const StateWalker *walker,
                                   const GArray *events, SimTime shift_ps)
{
    for (guint i = 0; i < events->len; i++)
        sim_engine_reschedule(walker->system->state.engine,
                              &g_array_index(events, SimEvent, i), shift_ps);
}

void state_walker_put_events(const StateWalker *walker)
{
    schedule_stored_events(walker, walker->all_events, 0);
}

void state_walker_shift_events(StateWalker *walker, SimTime shift_ps)
{
    schedule_stored_events(walker, walker->all_events, shift_ps);
    state_walker_take_events(walker);
}

void state_walker_put_moved(const StateWalker *walker, SimTime shift_ps)
{
    schedule_stored_events(walker, walker->comm_events, shift_ps);
    schedule_stored_events(walker, walker->other_events, 0);
}

/* ---- state of the run --------------------------------------------------- */

/* Returns the number of chunk @index in the order of plans, which all
 * collectives of a class share. */
static uint64_t plan_number_of_chunk(const StateWalker *walker, uint32_t index)
{
    return walker->system->plan.n_chunks_before[walker->coll->op] + index;
}

/* Visits the order in which @chunk entered its phases, counted from the last
 * entry. */
static void visit_phase_entry_order(const System *system, const Chunk *chunk,
                                    SteadyWalk *walk)
{
    for (uint32_t phase = 0; phase < chunk->plan->n_phases; phase++)
        steady_visit_constant(walk, chunk->entry[phase] == 0
                                        ? UINT64_MAX
                                        : system->state.n_entries[phase] -
                                              chunk->entry[phase]);
}

/* Visits the progress of each NPU with the chunk as raw words: they are counts
 * of steps, and what follows from the plan. */
static void visit_state(const ChunkRecord *record, uint32_t n_npus,
                        SteadyWalk *walk)
{
    gsize n_bytes = chunk_states_bytes(record, n_npus);

    steady_visit_constant(walk, record->n_npus_done);
    steady_visit_constant(walk, n_bytes);
    if (!walk->moves)
        state_words_append(walk->state, record->states,
                           n_bytes / sizeof(uint64_t));
}

/* Lets the listener visit its record of @chunk. */
static void visit_listener_chunk(const StateWalker *walker, const Chunk *chunk,
                                 SteadyWalk *walk)
{
    const TraceListener *listener =
        trace_watch_period_listener(&walker->system->state.watch);

    if (listener && !walk->moves)
        listener->ops->repeats->chunk(listener->self, walk, chunk->slot,
                                      chunk->op);
}

static void visit_listener_message(gpointer self, SteadyWalk *walk,
                                   uint32_t message)
{
    const StateWalker *walker = self;
    const TraceListener *listener =
        trace_watch_period_listener(&walker->system->state.watch);

    listener->ops->repeats->message(listener->self, walk, message);
}

/* Visits all chunks in flight, the latest first.  The state cannot be recorded
 * if any belongs to another collective. */
static void visit_chunks(const StateWalker *walker, SteadyWalk *walk)
{
    const System *system = walker->system;
    const CollInstance *coll = walker->coll;
    uint32_t n_left = system->state.n_chunks_live, last = 0;

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        last = MAX(last, coll->parts[i].next_chunk);
    for (uint32_t i = last; i > 0 && n_left > 0; i--) {
        const Chunk *chunk = coll->chunks[i - 1];

        if (!chunk)
            continue;
        n_left--;
        steady_visit_constant(walk, walker->base - chunk->index);
        steady_visit_constant(walk, (uintptr_t)chunk->plan);
        steady_visit_constant(walk, chunk->bytes);
        steady_visit_constant(walk, chunk->backwards);
        visit_phase_entry_order(system, chunk, walk);
        visit_state(chunk_record_around(chunk), system->plan.n_sim, walk);
        visit_listener_chunk(walker, chunk, walk);
    }
    walk->is_lost |= n_left > 0; /* chunks of other collectives */
}

/* Visits the imbalance of each dimension, which decides ring directions. */
static void visit_ring_imbalance(const StateWalker *walker, SteadyWalk *walk)
{
    const RingBytes *directions =
        &walker->system->state.ring_bytes[walker->coll->coll_class->audience];

    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        steady_visit_constant(walk, directions->bytes[d][0] -
                                        directions->bytes[d][1]);
}

static void visit_collective(const StateWalker *walker, SteadyWalk *walk)
{
    const CollInstance *coll = walker->coll;

    steady_visit_constant(walk, (uintptr_t)coll->coll_class->planned);
    steady_visit_constant(walk, coll->cut->chunk_bytes);
    steady_visit_constant(walk, coll->cut->message_bytes);
    steady_visit_constant(walk, walker->base % 2); /* directions alternate: see
                                                    * set_message_path() */
    visit_ring_imbalance(walker, walk);
    for (uint32_t i = 0; i < walker->system->plan.n_sim; i++) {
        const CollPart *part = &coll->parts[i];

        steady_visit_constant(walk, walker->base - part->next_chunk);
        steady_visit_constant(walk, walker->base - part->n_chunks_done);
        walk->is_lost |= !part->issued || part->next_chunk >= coll->n_chunks;
    }
    visit_chunks(walker, walk);
}

/* Returns whether the next chunk that @npu admits is one of walker->coll,
 * whether the NPU chooses it or follows the admissions of others. */
static gboolean npu_admits_collective_next(const StateWalker *walker,
                                           const Npu *npu)
{
    const System *system = walker->system;
    uint64_t n_ahead = system->state.n_admissions - npu->n_admitted;

    if (npu->favoured && npu->favoured != walker->coll)
        return FALSE;
    for (guint i = 0; i < npu->pending->len; i++) {
        const CollInstance *coll = g_ptr_array_index(npu->pending, i);

        if (!npu->favoured && coll != walker->coll &&
            !collective_has_precedence(walker->coll, coll,
                                       system->plan.scheduler))
            return FALSE;
    }
    for (guint64 i = system->state.admissions->len - n_ahead;
         i < system->state.admissions->len; i++)
        if (g_ptr_array_index(system->state.admissions, i) != walker->coll)
            return FALSE;
    return g_ptr_array_find(npu->pending, walker->coll, NULL);
}

/* Returns whether @npu has no collective to admit chunks of. */
static gboolean npu_admits_no_collective(const StateWalker *walker,
                                         const Npu *npu)
{
    const System *system = walker->system;

    return !npu->favoured && npu->pending->len == 0 &&
           system->state.n_admissions == npu->n_admitted;
}

static void visit_npu(const StateWalker *walker, Npu *npu, SteadyWalk *walk)
{
    const System *system = walker->system;
    gboolean is_known = walker->coll ? npu_admits_collective_next(walker, npu)
                                     : npu_admits_no_collective(walker, npu);

    walk->is_lost |= (!walk->moves && !is_known) || npu->inbox != INBOX_EMPTY;
    if (walker->coll &&
        system->plan.config->platform.npu.hbm.policy == HBM_SHARED)
        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            walk->is_lost |= !compute_stream_is_idle(npu->streams[stream]);
    steady_visit_constant(walk, npu->favoured != NULL);
    steady_visit_constant(walk, npu->n_in_flight);
    for (uint32_t i = 0; i < system->plan.endpoints.members.n; i++) {
        const EndpointUse *use = &npu->uses[i];

        steady_visit_constant(walk, use->n_in_flight);
        steady_visit_constant(walk, use->n_reducing);
        steady_visit_constant(walk, use->is_busy != FALSE);
        steady_visit_constant(walk, use->is_reducing != FALSE);
    }
    steady_visit_constant(walk, npu->window_is_full != FALSE);
    steady_visit_constant(walk, system->state.n_admissions - npu->n_admitted);
    admission_requester_visit_state(&npu->asker, walk);
    if (npu->window_is_full)
        steady_visit_time(walk, &npu->window_full_since_ps);
    else
        steady_visit_reported_time(walk, &npu->window_full_since_ps);
    steady_visit_deadline(walk, &npu->posted_ps);
    steady_visit_counter(walk, &npu->window_full_ps);
    steady_visit_counter(walk, &npu->sent_bytes);
    steady_visit_counter(walk, &npu->received_bytes);
    hbm_visit_state(npu->hbm, walk);
    npu->endpoint->ops->steady(npu->endpoint, walk);
}

void state_walker_visit_npus(StateWalker *walker, SteadyWalk *walk)
{
    System *system = walker->system;

    walk->about = visit_chunk;
    walk->own = register_event_owner;
    walk->self = walker;
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        visit_npu(walker, &system->state.npus[i], walk);
    network_visit_state(system->state.network, walk);
}

static void visit_whole_state(StateWalker *walker, SteadyWalk *walk)
{
    walk->about = visit_chunk;
    walk->own = register_event_owner;
    walk->self = walker;
    visit_collective(walker, walk);
    state_walker_visit_npus(walker, walk);
    for (guint i = 0; !walk->is_lost && i < walker->comm_events->len; i++)
        visit_event(walker, walk,
                    &g_array_index(walker->comm_events, SimEvent, i));
}

/* ---- snapshots ---------------------------------------------------------- */

/* Adds words that stay the same within a period only if nothing else happened:
 * no collective was issued, and no NPU began or ended one. */
static void append_words_constant_in_period(const StateWalker *walker,
                                            StateWords *lasting)
{
    const System *system = walker->system;

    state_words_add(lasting, walker->coll->seq);
    state_words_add(lasting, system->state.n_instances_made);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Npu *npu = &system->state.npus[i];

        state_words_add(lasting, npu->n_collectives);
        for (uint32_t u = 0; u < system->plan.endpoints.members.n; u++)
            state_words_add(lasting, npu->uses[u].changed_ps);
    }
}

Snapshot *snapshot_take(StateWalker *walker, CollInstance *coll,
                        uint64_t n_ends)
{
    const System *system = walker->system;
    const TraceListener *listener =
        trace_watch_period_listener(&system->state.watch);
    Snapshot *snapshot = g_new(Snapshot, 1);
    SteadyWalk walk = { .now_ps = sim_engine_now_ps(system->state.engine),
                        .most_bytes = UINT64_MAX };

    walker->coll = coll;
    walker->base = coll->parts[0].next_chunk;
    *snapshot =
        (Snapshot){ .at_ps = walk.now_ps,
                    .n_ends = n_ends,
                    .next = plan_number_of_chunk(walker, walker->base),
                    .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)) };
    snapshot->n_changes = walker->log.changes->len;
    walk.state = &snapshot->state;
    walk.counts = snapshot->counts;
    snapshot->listener = listener;
    if (listener) {
        walk.is_told = TRUE;
        walk.message = visit_listener_message;
        listener->ops->repeats->begin_snapshot(listener->self, &walk);
    }
    visit_whole_state(walker, &walk);
    append_words_constant_in_period(walker, &snapshot->constant_words);
    if (!walk.is_lost) {
        snapshot->listener_record =
            listener ? listener->ops->repeats->end_snapshot(listener->self)
                     : NULL;
        return snapshot;
    }
    snapshot_free(snapshot);
    return NULL;
}

void state_walker_advance(StateWalker *walker, const SteadyWalk *steady_walk)
{
    SteadyWalk walk = *steady_walk;

    walk.now_ps = sim_engine_now_ps(walker->system->state.engine);
    walk.moves = TRUE;
    walk.is_told =
        trace_watch_period_listener(&walker->system->state.watch) != NULL;
    visit_whole_state(walker, &walk);
    g_assert(!walk.is_lost);
}

/* ---- keeping snapshots -------------------------------------------------- */

void snapshot_free(Snapshot *snapshot)
{
    if (!snapshot)
        return;
    state_words_clear(&snapshot->state);
    g_array_unref(snapshot->counts);
    state_words_clear(&snapshot->constant_words);
    if (snapshot->listener_record)
        snapshot->listener->ops->repeats->free_snapshot(
            snapshot->listener_record);
    g_free(snapshot);
}

Snapshot *snapshot_copy(const Snapshot *snapshot)
{
    Snapshot *copy = g_memdup2(snapshot, sizeof *snapshot);

    copy->listener_record = NULL;
    copy->state = (StateWords){ 0 };
    state_words_append(&copy->state, snapshot->state.words, snapshot->state.n);
    copy->counts = g_array_copy(snapshot->counts);
    copy->constant_words = (StateWords){ 0 };
    state_words_append(&copy->constant_words, snapshot->constant_words.words,
                       snapshot->constant_words.n);
    return copy;
}

gboolean snapshot_equals(const Snapshot *a, const Snapshot *b)
{
    return state_words_are_same(&a->state, &b->state);
}

gboolean snapshot_is_undisturbed(const Snapshot *a, const Snapshot *b)
{
    return state_words_are_same(&a->constant_words, &b->constant_words);
}
