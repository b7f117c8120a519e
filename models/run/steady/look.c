/* look.c - see look.h */
#include "models/run/steady/look.h"

#include "models/run/admit/order.h"
#include "models/run/pipeline_impl.h"
#include "network/transport/steady.h"

typedef struct {
    uint32_t number;
    SteadyArgFn arg;
    gpointer self; /* borrowed */
} Owner;

/* ---- messages and events ------------------------------------------------ */

static void visit_chunk(gpointer self, SteadyWalk *walk, uint64_t order,
                        uint32_t slot)
{
    const Looker *looker = self;
    const ChunkRecord *record = g_ptr_array_index(looker->system->chunks, slot);

    steady_same(walk, looker->base - record->chunk.index);
    if (record->coll != looker->coll || record->chunk.order != order)
        walk->is_lost = TRUE;
}

static void own(SteadyWalk *walk, gconstpointer address, SteadyArgFn arg,
                gpointer self)
{
    Looker *looker = walk->self;
    Owner *owner;

    if (walk->moves || g_hash_table_contains(looker->owners, address))
        return;
    owner = g_new(Owner, 1);
    *owner = (Owner){ g_hash_table_size(looker->owners), arg, self };
    g_hash_table_insert(looker->owners, (gpointer)address, owner);
}

/* Lets all models that schedule events register themselves as their owners. */
static void meet_owners(Looker *looker)
{
    SteadyWords state = { 0 };
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    SteadyWalk walk = { .state = &state,
                        .counts = counts,
                        .about = visit_chunk,
                        .own = own,
                        .self = looker };

    for (uint32_t i = 0; i < looker->system->n_sim; i++) {
        Endpoint *endpoint = looker->system->npus[i].endpoint;

        walk.log = i == 0 ? &looker->log : NULL;
        endpoint->ops->steady(endpoint, &walk);
    }
    steady_words_clear(&state);
}

void looker_init(Looker *looker, System *system)
{
    *looker = (Looker){
        .system = system,
        .owners = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .all = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
        .events = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
        .others = g_array_new(FALSE, FALSE, sizeof(SimEvent)),
    };
    looker->log.changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    meet_owners(looker);
}

void looker_clear(Looker *looker)
{
    g_hash_table_unref(looker->owners);
    g_array_unref(looker->all);
    g_array_unref(looker->log.changes);
    g_array_unref(looker->events);
    g_array_unref(looker->others);
}

/* Returns whether @event belongs to communication. */
static gboolean is_ours(const Looker *looker, const SimEvent *event)
{
    return event->self == looker->system->network ||
           event->fn == pipeline_on_last_ready ||
           g_hash_table_contains(looker->owners, event->self);
}

static void visit_event(const Looker *looker, SteadyWalk *walk,
                        const SimEvent *event)
{
    Network *network = looker->system->network;
    const Npu *npu = event->self;
    const Owner *owner;

    steady_same(walk, sim_engine_key(event, -walk->now_ps));
    if (event->self == network) {
        network_steady_event(network, walk, event->fn, event->arg);
    } else if (event->fn == pipeline_on_last_ready) {
        steady_same(walk, npu->index);
        network_steady_out(network, walk, 0, event->arg);
    } else {
        owner = g_hash_table_lookup(looker->owners, event->self);
        steady_same(walk, owner->number);
        owner->arg(owner->self, walk, 0, event->arg);
    }
}

void looker_take_events(Looker *looker)
{
    g_array_set_size(looker->all, 0);
    g_array_set_size(looker->events, 0);
    g_array_set_size(looker->others, 0);
    sim_engine_take_all(looker->system->engine, looker->all);
    for (guint i = 0; i < looker->all->len; i++) {
        SimEvent event = g_array_index(looker->all, SimEvent, i);

        g_array_append_val(
            is_ours(looker, &event) ? looker->events : looker->others, event);
    }
}

static void put(const Looker *looker, const GArray *events, SimTime shift_ps)
{
    for (guint i = 0; i < events->len; i++)
        sim_engine_put(looker->system->engine,
                       &g_array_index(events, SimEvent, i), shift_ps);
}

void looker_put_events(const Looker *looker)
{
    put(looker, looker->all, 0);
}

void looker_shift_events(Looker *looker, SimTime shift_ps)
{
    put(looker, looker->all, shift_ps);
    looker_take_events(looker);
}

void looker_put_moved(const Looker *looker, SimTime shift_ps)
{
    put(looker, looker->events, shift_ps);
    put(looker, looker->others, 0);
}

/* ---- state of the run --------------------------------------------------- */

static uint64_t plan_number(const Looker *looker, uint32_t index)
{
    return looker->system->n_chunks_before[looker->coll->op] + index;
}

static void visit_entries(const System *system, const Chunk *chunk,
                          SteadyWalk *walk)
{
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++)
        steady_same(walk, chunk->entry[p] == 0
                              ? UINT64_MAX
                              : system->n_entries[p] - chunk->entry[p]);
}

/* Visits the progress of each NPU with the chunk as raw words: they are counts
 * of steps, and what follows from the plan. */
static void visit_state(const ChunkRecord *record, uint32_t n_npus,
                        SteadyWalk *walk)
{
    gsize n_bytes = chunk_states_bytes(record, n_npus);

    steady_same(walk, record->n_npus_done);
    steady_same(walk, n_bytes);
    if (!walk->moves)
        steady_words_append(walk->state, record->states,
                            n_bytes / sizeof(uint64_t));
}

/* Lets the listener visit its record of @chunk. */
static void tell_chunk(const Looker *looker, const Chunk *chunk,
                       SteadyWalk *walk)
{
    const TraceListener *l = watch_repeats(&looker->system->watch);

    if (l && !walk->moves)
        l->ops->repeats->chunk(l->self, walk, chunk->slot, chunk->op);
}

static void tell_message(gpointer self, SteadyWalk *walk, uint32_t message)
{
    const Looker *looker = self;
    const TraceListener *l = watch_repeats(&looker->system->watch);

    l->ops->repeats->message(l->self, walk, message);
}

static void visit_chunks(const Looker *looker, SteadyWalk *walk)
{
    const System *system = looker->system;
    const CollInstance *coll = looker->coll;
    uint32_t n_left = system->n_chunks_live, last = 0;

    for (uint32_t i = 0; i < system->n_sim; i++)
        last = MAX(last, coll->parts[i].next_chunk);
    for (uint32_t i = last; i > 0 && n_left > 0; i--) {
        const Chunk *chunk = coll->chunks[i - 1];

        if (!chunk)
            continue;
        n_left--;
        steady_same(walk, looker->base - chunk->index);
        steady_same(walk, (uintptr_t)chunk->plan);
        steady_same(walk, chunk->bytes);
        steady_same(walk, chunk->backwards);
        visit_entries(system, chunk, walk);
        visit_state(chunk_record(chunk), system->n_sim, walk);
        tell_chunk(looker, chunk, walk);
    }
    walk->is_lost |= n_left > 0; /* chunks of other collectives */
}

static void visit_ways(const Looker *looker, SteadyWalk *walk)
{
    const Ways *ways = &looker->system->ways[looker->coll->scheme->audience];

    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        steady_same(walk, ways->bytes[d][0] - ways->bytes[d][1]);
}

static void visit_collective(const Looker *looker, SteadyWalk *walk)
{
    const CollInstance *coll = looker->coll;

    steady_same(walk, (uintptr_t)coll->scheme->planned);
    steady_same(walk, coll->cut->chunk_bytes);
    steady_same(walk, coll->cut->message_bytes);
    steady_same(walk, looker->base % 2); /* directions alternate: see
                                          * set_way() */
    visit_ways(looker, walk);
    for (uint32_t i = 0; i < looker->system->n_sim; i++) {
        const CollPart *part = &coll->parts[i];

        steady_same(walk, looker->base - part->next_chunk);
        steady_same(walk, looker->base - part->n_chunks_done);
        walk->is_lost |= !part->issued || part->next_chunk >= coll->n_chunks;
    }
    visit_chunks(looker, walk);
}

/* Returns whether the next chunk that @npu admits is one of looker->coll,
 * whether the NPU chooses it or follows the admissions of others. */
static gboolean takes_ours(const Looker *looker, const Npu *npu)
{
    const System *system = looker->system;
    uint64_t n_ahead = system->n_admissions - npu->n_admitted;

    if (npu->favoured && npu->favoured != looker->coll)
        return FALSE;
    for (guint i = 0; i < npu->pending->len; i++) {
        const CollInstance *coll = g_ptr_array_index(npu->pending, i);

        if (!npu->favoured && coll != looker->coll &&
            !order_before(looker->coll, coll, system->scheduler))
            return FALSE;
    }
    for (guint64 i = system->admissions->len - n_ahead;
         i < system->admissions->len; i++)
        if (g_ptr_array_index(system->admissions, i) != looker->coll)
            return FALSE;
    return g_ptr_array_find(npu->pending, looker->coll, NULL);
}

static gboolean takes_none(const Looker *looker, const Npu *npu)
{
    const System *system = looker->system;

    return !npu->favoured && npu->pending->len == 0 &&
           system->n_admissions == npu->n_admitted;
}

static void visit_npu(const Looker *looker, Npu *npu, SteadyWalk *walk)
{
    const System *system = looker->system;
    gboolean is_known =
        looker->coll ? takes_ours(looker, npu) : takes_none(looker, npu);

    walk->is_lost |= (!walk->moves && !is_known) || npu->inbox != INBOX_EMPTY;
    if (looker->coll && system->config->platform.npu.hbm.policy == HBM_SHARED)
        for (OpStream s = 0; s < OP_N_STREAMS; s++)
            walk->is_lost |= !compute_stream_is_idle(npu->streams[s]);
    steady_same(walk, npu->favoured != NULL);
    steady_same(walk, npu->n_in_flight);
    steady_same(walk, npu->n_reducing);
    steady_same(walk, npu->is_busy != FALSE);
    steady_same(walk, npu->is_reducing != FALSE);
    steady_same(walk, npu->window_is_full != FALSE);
    steady_same(walk, system->n_admissions - npu->n_admitted);
    if (npu->window_is_full)
        steady_time(walk, &npu->window_full_since_ps);
    else
        steady_told(walk, &npu->window_full_since_ps);
    steady_until(walk, &npu->posted_ps);
    steady_count(walk, &npu->window_full_ps);
    steady_count(walk, &npu->sent_bytes);
    steady_count(walk, &npu->received_bytes);
    hbm_steady(npu->hbm, walk);
    npu->endpoint->ops->steady(npu->endpoint, walk);
}

void look_visit_npus(Looker *looker, SteadyWalk *walk)
{
    System *system = looker->system;

    walk->about = visit_chunk;
    walk->own = own;
    walk->self = looker;
    for (uint32_t i = 0; i < system->n_sim; i++)
        visit_npu(looker, &system->npus[i], walk);
    network_steady(system->network, walk);
}

static void visit(Looker *looker, SteadyWalk *walk)
{
    walk->about = visit_chunk;
    walk->own = own;
    walk->self = looker;
    visit_collective(looker, walk);
    look_visit_npus(looker, walk);
    for (guint i = 0; !walk->is_lost && i < looker->events->len; i++)
        visit_event(looker, walk, &g_array_index(looker->events, SimEvent, i));
}

/* ---- snapshots --------------------------------------------------------- */

/* Adds words that stay the same within a period only if nothing else happened:
 * no collective was issued, and no NPU began or ended one. */
static void note_lasting(const Looker *looker, SteadyWords *lasting)
{
    const System *system = looker->system;

    steady_words_add(lasting, looker->coll->seq);
    steady_words_add(lasting, system->n_instances_made);
    for (uint32_t i = 0; i < system->n_sim; i++) {
        const Npu *npu = &system->npus[i];

        steady_words_add(lasting, npu->n_collectives);
        steady_words_add(lasting, npu->reduces_since_ps);
    }
}

Look *look_at(Looker *looker, CollInstance *coll, uint64_t n_ends)
{
    const System *system = looker->system;
    const TraceListener *l = watch_repeats(&system->watch);
    Look *look = g_new(Look, 1);
    SteadyWalk walk = { .now_ps = sim_engine_now(system->engine),
                        .most_bytes = UINT64_MAX };

    looker->coll = coll;
    looker->base = coll->parts[0].next_chunk;
    *look = (Look){ .at_ps = walk.now_ps,
                    .n_ends = n_ends,
                    .next = plan_number(looker, looker->base),
                    .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)) };
    look->n_changes = looker->log.changes->len;
    walk.state = &look->state;
    walk.counts = look->counts;
    look->listener = l;
    if (l) {
        walk.is_told = TRUE;
        walk.message = tell_message;
        l->ops->repeats->look(l->self, &walk);
    }
    visit(looker, &walk);
    note_lasting(looker, &look->lasting);
    if (!walk.is_lost) {
        look->told = l ? l->ops->repeats->keep(l->self) : NULL;
        return look;
    }
    look_free(look);
    return NULL;
}

void look_move(Looker *looker, const SteadyWalk *how)
{
    SteadyWalk walk = *how;

    walk.now_ps = sim_engine_now(looker->system->engine);
    walk.moves = TRUE;
    walk.is_told = watch_repeats(&looker->system->watch) != NULL;
    visit(looker, &walk);
    g_assert(!walk.is_lost);
}
