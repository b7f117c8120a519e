/* communicators.c - admits chunks of several communicators in fair order; see
 * communicators.h */
#include "models/run/admit/communicators.h"

#include "models/run/admit/collective_precedence.h"
#include "models/run/chunk_impl.h"

/* Tags count bytes in this unit.  The bytes that a step sends are rounded up to
 * it. */
#define TAG_UNIT_BYTES 256

/* A collective in a set whose NPUs have all issued it, until its last chunk is
 * admitted. */
typedef struct {
    CollInstance *coll; /* borrowed */
    uint32_t set;
    uint32_t communicator;
    /* NPUs on which this collective is the next of its communicator and fits
     * into the window. */
    uint32_t n_offers;
    /* TRUE if every NPU of the set offers it; it is then listed in
     * Agenda.offered. */
    gboolean is_offered;
    /* Tag of the next chunk, as computed by the last decision. */
    uint64_t tag;
    guint place; /* index of this collective in Communicators.posts */
} PostedCollective;

/* A chunk that was admitted and is not complete on an NPU. */
typedef struct {
    uint64_t tag;
    /* Borrowed; NULL: the NPU has not started the chunk yet. */
    const Chunk *chunk;
} InFlightChunk;

/* A communicator on an NPU. */
typedef struct {
    /* The posted collectives (PostedCollective), in their order. */
    GQueue posts;
    /* Borrowed: the first collective in .posts if the window has room for its
     * next chunk, else NULL. */
    PostedCollective *offer;
    /* Owned: the chunks in flight, sorted by tag; .n of them are valid. */
    InFlightChunk *in_flight;
    /* .n: chunks in flight; .capacity: allocated length of .in_flight. */
    uint32_t n, capacity;
    /* Tag + size of the chunk that was admitted last. */
    uint64_t end;
    /* A collective is posted, but the window of chunks is full. */
    gboolean is_held;
} Flow;

/* A chunk that was admitted and that the endpoint has not accepted yet. */
typedef struct {
    CollInstance *coll; /* borrowed */
    uint64_t order;
} AdmittedChunk;

/* The communicators of an NPU. */
typedef struct {
    Flow *flows; /* owned: one Flow per communicator */
    /* The admitted chunks that wait for the endpoint; the elements are owned
     * AdmittedChunk. */
    GQueue admitted;
    uint32_t n_active; /* number of flows that have chunks in flight */
    uint32_t n_posts;  /* posted collectives of all flows */
    gboolean is_touched;
} NpuFlows;

/* The state of the next decision. */
typedef struct {
    /* Collectives without an age, because no set had issued them completely
     * before; the elements are CollInstance. */
    GPtrArray *without_age;
    /* Collectives (PostedCollective) that were posted since the last
     * decision. */
    GPtrArray *newly_posted;
    /* Collectives that all NPUs of their set offer; the elements are
     * PostedCollective. */
    GPtrArray *offered;
    /* NPUs that started chunks in this decision; the elements are Npu. */
    GPtrArray *touched;
    /* A decision is due at the end of this instant. */
    gboolean is_requested;
} Agenda;

struct Communicators {
    System *system;      /* borrowed */
    uint32_t n;          /* number of communicators */
    NpuFlows *npu_flows; /* owned: one NpuFlows per simulated NPU */
    /* All posted collectives; the elements are owned PostedCollective. */
    GPtrArray *posts;
    Agenda agenda; /* owned arrays */
    /* Until this time, a past interval is simulated in which other collectives
     * admit nothing; SIM_TIME_MAX: no past interval is simulated. */
    SimTime catches_up_until_ps;
};

static Agenda admission_agenda_new(void)
{
    return (Agenda){
        .without_age = g_ptr_array_new(),
        .newly_posted = g_ptr_array_new(),
        .offered = g_ptr_array_new(),
        .touched = g_ptr_array_new(),
    };
}

static void admission_agenda_clear(Agenda *agenda)
{
    g_ptr_array_unref(agenda->without_age);
    g_ptr_array_unref(agenda->newly_posted);
    g_ptr_array_unref(agenda->offered);
    g_ptr_array_unref(agenda->touched);
}

Communicators *communicators_new(System *system)
{
    Communicators *communicators = g_new0(Communicators, 1);

    communicators->system = system;
    communicators->n = system->plan.n_communicators;
    communicators->npu_flows = g_new0(NpuFlows, system->plan.n_sim);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        communicators->npu_flows[i].flows = g_new0(Flow, communicators->n);
        g_queue_init(&communicators->npu_flows[i].admitted);
        for (uint32_t c = 0; c < communicators->n; c++)
            g_queue_init(&communicators->npu_flows[i].flows[c].posts);
    }
    communicators->posts = g_ptr_array_new();
    communicators->agenda = admission_agenda_new();
    communicators->catches_up_until_ps = SIM_TIME_MAX;
    return communicators;
}

static void free_posted_collective(gpointer post, gpointer data)
{
    (void)data;
    g_free(post);
}

void communicators_free(Communicators *communicators)
{
    if (!communicators)
        return;
    for (uint32_t i = 0; i < communicators->system->plan.n_sim; i++) {
        for (uint32_t c = 0; c < communicators->n; c++) {
            g_queue_clear(&communicators->npu_flows[i].flows[c].posts);
            g_free(communicators->npu_flows[i].flows[c].in_flight);
        }
        g_free(communicators->npu_flows[i].flows);
        g_queue_clear_full(&communicators->npu_flows[i].admitted, g_free);
    }
    g_free(communicators->npu_flows);
    g_ptr_array_foreach(communicators->posts, free_posted_collective, NULL);
    g_ptr_array_unref(communicators->posts);
    admission_agenda_clear(&communicators->agenda);
    g_free(communicators);
}

/* ---- sets ----------------------------------------------------------- */

static uint32_t count_npus_of_posted_collective(const PostedCollective *post)
{
    return post->coll->coll_class->set_sizes[post->set];
}

/* Returns the simulated NPUs of the set that takes part in @post. */
static const uint32_t *npus_of_posted_collective(const PostedCollective *post)
{
    const CollectiveClass *coll_class = post->coll->coll_class;

    return coll_class->set_members + coll_class->set_starts[post->set];
}

static Flow *find_npu_flow_of_communicator(const Communicators *communicators,
                                           uint32_t npu, uint32_t communicator)
{
    return &communicators->npu_flows[npu].flows[communicator];
}

static uint64_t next_chunk_bytes(const PostedCollective *post)
{
    const CollInstance *coll = post->coll;
    uint64_t chunk_bytes = coll->cut->chunk_bytes;

    return MIN(chunk_bytes,
               coll->payload_bytes -
                   coll->sets[post->set].n_chunks_decided * chunk_bytes);
}

/* ---- tags -------------------------------------------------------------- */

/* Returns the average bytes, in tag units, that an NPU sends as one of @n_lanes
 * messages of a step of @phase, for a chunk of @bytes. */
static uint64_t lane_size_in_tag_units(const CollPhase *phase, uint64_t bytes,
                                       uint32_t n_lanes)
{
    uint64_t sent_bytes = coll_sent_bytes(phase, bytes);

    return sent_bytes / MAX(phase->n_steps, 1) / n_lanes / TAG_UNIT_BYTES + 1;
}

/* Returns the size in tag units of a chunk of @bytes, which is greater than the
 * offset of any of its messages. */
static uint64_t chunk_tag_units(const CollInstance *coll, uint64_t bytes)
{
    const CollPlan *plan = coll->plan;
    uint64_t size = 1;

    for (uint32_t phase_index = 0; phase_index < plan->n_phases;
         phase_index++) {
        const CollPhase *phase = &plan->phases[phase_index];
        uint32_t n = coll_n_lanes(phase, bytes, coll->cut->message_bytes);

        size += phase->n_steps * n * lane_size_in_tag_units(phase, bytes, n);
    }
    return size;
}

/* Sets the tag offsets of @chunk's messages relative to the tag of the
 * chunk. */
static void set_message_offsets(const Communicators *communicators,
                                Chunk *chunk)
{
    uint64_t size = 0;

    if (!chunk->orders)
        chunk->orders = g_new(uint64_t, communicators->system->plan.n_sim);
    for (uint32_t phase_index = 0; phase_index < chunk->plan->n_phases;
         phase_index++) {
        const CollPhase *phase = chunk_phase(chunk, phase_index);
        uint32_t n = chunk_n_lanes_of_phase(chunk, phase_index);
        uint64_t lane = lane_size_in_tag_units(phase, chunk->bytes, n);

        chunk->later[phase_index] = chunk_priority_from_tag(size, 0) << 8;
        chunk->step_later[phase_index] = chunk_priority_from_tag(n * lane, 0)
                                         << 8;
        chunk->lane_later[phase_index] = chunk_priority_from_tag(lane, 0) << 8;
        size += phase->n_steps * n * lane;
    }
}

/* Returns how much of @chunk NPU @npu has completed, in tag units. */
static uint64_t completed_tag_units(const Chunk *chunk, uint32_t npu)
{
    uint32_t phase = chunk_state_of_npu(chunk, npu)->phase;
    uint64_t later;

    if (phase == chunk->plan->n_phases)
        phase--;
    later = chunk->later[phase];
    for (uint32_t lane = 0; lane < chunk_n_lanes_of_phase(chunk, phase); lane++)
        later += chunk_lanes(chunk, npu, phase)[lane].n_done *
                 chunk->lane_later[phase];
    return tag_in_chunk_priority(later >> 8);
}

/* Returns the position of @flow on NPU @npu: the tag of its oldest chunk in
 * flight plus the completed part of it. */
static uint64_t position_in_communicator_flow(const Flow *flow, uint32_t npu)
{
    const InFlightChunk *oldest = &flow->in_flight[0];

    return oldest->tag +
           (oldest->chunk ? completed_tag_units(oldest->chunk, npu) : 0);
}

/* Returns the tag of @communicator's next chunk on an NPU. */
static uint64_t next_tag_on_npu(const Communicators *communicators,
                                uint32_t npu, uint32_t communicator)
{
    const NpuFlows *npu_flows = &communicators->npu_flows[npu];
    const Flow *own = &npu_flows->flows[communicator];
    uint64_t oldest = UINT64_MAX, end = 0, floor = 0;

    if (npu_flows->n_active == 1 && own->n > 0)
        return own->end;
    for (uint32_t c = 0; c < communicators->n; c++) {
        const Flow *flow = &npu_flows->flows[c];
        uint64_t at;

        end = MAX(end, flow->end);
        if (flow->n == 0 || flow == own)
            continue;
        at = position_in_communicator_flow(flow, npu);
        oldest = MIN(oldest, at);
        floor = MAX(floor, at - MIN(flow->end - at, at));
    }
    if (own->n > 0)
        return MAX(own->end, floor);
    return oldest == UINT64_MAX ? end : MAX(oldest, floor);
}

static uint64_t next_tag_of_set(const Communicators *communicators,
                                const PostedCollective *post)
{
    const uint32_t *npus = npus_of_posted_collective(post);
    uint64_t tag = 0;

    for (uint32_t i = 0; i < count_npus_of_posted_collective(post); i++)
        tag = MAX(tag,
                  next_tag_on_npu(communicators, npus[i], post->communicator));
    return tag;
}

static void add_chunk_in_flight(Flow *flow, uint64_t tag)
{
    g_assert(flow->n == 0 || flow->in_flight[flow->n - 1].tag < tag);
    if (flow->n == flow->capacity) {
        flow->capacity = MAX(8, 2 * flow->capacity);
        flow->in_flight =
            g_renew(InFlightChunk, flow->in_flight, flow->capacity);
    }
    flow->in_flight[flow->n++] = (InFlightChunk){ .tag = tag };
}

static InFlightChunk *find_chunk_in_flight(const Flow *flow, uint64_t tag)
{
    InFlightChunk *entry = flow->in_flight;

    while (entry->tag != tag)
        entry++;
    return entry;
}

/* Removes the chunk in flight with @tag, which usually is the first. */
static void remove_chunk_in_flight(Flow *flow, uint64_t tag)
{
    InFlightChunk *entry = find_chunk_in_flight(flow, tag);

    flow->n--;
    memmove(entry, entry + 1,
            (gsize)(flow->in_flight + flow->n - entry) * sizeof *entry);
}

/* ---- offers --------------------------------------------------------- */

static void set_flow_held_by_full_window(const Communicators *communicators,
                                         uint32_t npu, Flow *flow,
                                         gboolean is_held)
{
    if (flow->is_held == is_held)
        return;
    flow->is_held = is_held;
    communicators->system->state.npus[npu].n_held += is_held ? 1 : UINT32_MAX;
    if (is_held)
        TRACE(&communicators->system->state.watch, intake_waits,
              communicators->system->state.npus[npu].host.id, RESOURCE_WINDOW);
}

/* Updates the offer of a communicator after its posts or its chunks in flight
 * changed. */
static void update_offered_collective_of_npu(Communicators *communicators,
                                             uint32_t npu,
                                             uint32_t communicator)
{
    Flow *flow =
        find_npu_flow_of_communicator(communicators, npu, communicator);
    PostedCollective *post = g_queue_peek_head(&flow->posts);
    PostedCollective *offer =
        flow->n < communicators->system->plan.communicator_windows[communicator]
            ? post
            : NULL;

    set_flow_held_by_full_window(communicators, npu, flow, post && !offer);
    if (offer == flow->offer)
        return;
    if (flow->offer)
        flow->offer->n_offers--;
    flow->offer = offer;
    if (!offer)
        return;
    offer->n_offers++;
    if (offer->n_offers < count_npus_of_posted_collective(offer) ||
        offer->is_offered)
        return;
    offer->is_offered = TRUE;
    g_ptr_array_add(communicators->agenda.offered, offer);
}

/* ---- intake --------------------------------------------------------- */

static void mark_npu_touched(Communicators *communicators, Npu *npu)
{
    NpuFlows *npu_flows = &communicators->npu_flows[npu->index];

    if (npu_flows->is_touched)
        return;
    npu_flows->is_touched = TRUE;
    g_ptr_array_add(communicators->agenda.touched, npu);
}

/* Returns the next chunk of @coll for @npu, where it gets @order. */
static const Chunk *next_chunk_of_collective(const Npu *npu, CollInstance *coll,
                                             uint64_t order)
{
    const Communicators *communicators = npu->system->state.communicators;
    uint32_t index = coll->parts[npu->index].next_chunk;
    gboolean is_new = !coll->chunks[index];
    Chunk *chunk = chunk_get_or_create(npu->system, coll, index);

    if (is_new)
        set_message_offsets(communicators, chunk);
    chunk->orders[npu->index] = order;
    return chunk;
}

static void start_admitted_chunk(Npu *npu, CollInstance *coll, uint64_t order)
{
    Communicators *communicators = npu->system->state.communicators;
    const Flow *flow = find_npu_flow_of_communicator(
        communicators, npu->index,
        communicators->system->plan.communicator_of[coll->op]);

    mark_npu_touched(communicators, npu);
    find_chunk_in_flight(flow, tag_in_chunk_priority(order))->chunk =
        next_chunk_of_collective(npu, coll, order);
    chunk_begin(npu, coll);
}

static GQueue *admitted_chunks_of_npu(const Npu *npu)
{
    return &npu->system->state.communicators->npu_flows[npu->index].admitted;
}

/* Starts the admitted chunks of @npu, in order, while its endpoint has room. */
static void start_admitted_chunks(Npu *npu)
{
    GQueue *admitted = admitted_chunks_of_npu(npu);
    AdmittedChunk *chunk;

    while ((chunk = g_queue_peek_head(admitted))) {
        CollInstance *coll = chunk->coll;
        uint64_t order = chunk->order;

        if (!npu_endpoint_has_room(
                npu, coll, collective_instance_next_bytes(coll, npu->index))) {
            TRACE(npu->host.watch, intake_waits, npu->host.id,
                  npu_intake_resource(npu, coll));
            return;
        }
        g_free(g_queue_pop_head(admitted));
        start_admitted_chunk(npu, coll, order);
    }
}

static void start_or_queue_chunk(Npu *npu, CollInstance *coll, uint64_t order)
{
    GQueue *admitted = admitted_chunks_of_npu(npu);
    AdmittedChunk *chunk;

    if (g_queue_is_empty(admitted) &&
        npu_endpoint_has_room(
            npu, coll, collective_instance_next_bytes(coll, npu->index))) {
        start_admitted_chunk(npu, coll, order);
        return;
    }
    chunk = g_new(AdmittedChunk, 1);
    *chunk = (AdmittedChunk){ coll, order };
    g_queue_push_tail(admitted, chunk);
    start_admitted_chunks(npu);
}

/* ---- admission ------------------------------------------------------ */

/* Returns whether at least one NPU can start the next chunk immediately. */
static gboolean some_npu_can_start_chunk(const Communicators *communicators,
                                         const PostedCollective *post)
{
    const uint32_t *npus = npus_of_posted_collective(post);
    uint64_t bytes = next_chunk_bytes(post);

    for (uint32_t i = 0; i < count_npus_of_posted_collective(post); i++) {
        const Npu *npu = &communicators->system->state.npus[npus[i]];

        if (g_queue_is_empty(admitted_chunks_of_npu(npu)) &&
            npu_endpoint_has_room(npu, post->coll, bytes))
            return TRUE;
    }
    return FALSE;
}

/* Returns the size of a chunk on NPU @npu.  The receiver of a message sends
 * nothing, so its size is 1. */
static uint64_t chunk_tag_units_on_npu(const Communicators *communicators,
                                       const PostedCollective *post,
                                       uint32_t npu, uint64_t size)
{
    const Op *op =
        op_graph_op(communicators->system->plan.graph, post->coll->op);
    uint32_t role = communicators->system->state.npus[npu].role;

    return op->kind == COLL_SEND && !role_set_has(op->sender_roles, role)
               ? 1
               : size;
}

/* Adds @gap to the tags of all chunks in flight on NPU @npu, which keeps their
 * order among each other. */
static void advance_npu_tags(Communicators *communicators, uint32_t npu,
                             uint64_t gap)
{
    NpuFlows *npu_flows = &communicators->npu_flows[npu];
    uint64_t step = chunk_priority_from_tag(gap, 0);

    if (npu_flows->n_active == 0 || gap == 0)
        return;
    for (uint32_t c = 0; c < communicators->n; c++) {
        Flow *flow = &npu_flows->flows[c];

        for (uint32_t i = 0; i < flow->n; i++) {
            flow->in_flight[i].tag += gap;
            if (flow->in_flight[i].chunk)
                flow->in_flight[i].chunk->orders[npu] += step;
        }
        if (flow->n > 0)
            flow->end += gap;
    }
    for (GList *at = npu_flows->admitted.head; at; at = at->next)
        ((AdmittedChunk *)at->data)->order += step;
}

/* Records that one more chunk of @post is in flight on an NPU, with @tag, which
 * is at least the tag that the NPU computes. */
static void record_chunk_admission(Communicators *communicators,
                                   PostedCollective *post, uint32_t npu,
                                   uint64_t tag, uint64_t size)
{
    Flow *flow =
        find_npu_flow_of_communicator(communicators, npu, post->communicator);
    NpuFlows *npu_flows = &communicators->npu_flows[npu];

    advance_npu_tags(
        communicators, npu,
        tag - next_tag_on_npu(communicators, npu, post->communicator));
    if (flow->n == 0)
        npu_flows->n_active++;
    communicators->system->counters.max_active_communicators =
        MAX(communicators->system->counters.max_active_communicators,
            npu_flows->n_active);
    add_chunk_in_flight(flow, tag);
    flow->end = tag + chunk_tag_units_on_npu(communicators, post, npu, size);
    if (post->coll->sets[post->set].n_chunks_decided == post->coll->n_chunks) {
        g_assert(g_queue_pop_head(&flow->posts) == post);
        npu_flows->n_posts--;
    }
    update_offered_collective_of_npu(communicators, npu, post->communicator);
}

static void remove_posted_collective(Communicators *communicators,
                                     PostedCollective *post)
{
    GPtrArray *posts = communicators->posts;

    ((PostedCollective *)g_ptr_array_index(posts, posts->len - 1))->place =
        post->place;
    g_ptr_array_remove_index_fast(posts, post->place);
    g_free(post);
}

/* Returns whether the first chunk of @post is about to be admitted, with no
 * other collective on its NPUs. */
static gboolean
posted_collective_has_idle_npus(const Communicators *communicators,
                                const PostedCollective *post)
{
    const uint32_t *npus = npus_of_posted_collective(post);
    const CollInstance *coll = post->coll;

    if (coll->sets[post->set].n_chunks_decided > 0)
        return FALSE;
    for (uint32_t i = 0; i < count_npus_of_posted_collective(post); i++) {
        NpuFlows *npu_flows = &communicators->npu_flows[npus[i]];

        if (npu_flows->n_active > 0 || npu_flows->n_posts > 1 ||
            !g_queue_is_empty(&npu_flows->admitted))
            return FALSE;
    }
    return TRUE;
}

/* Admits the next chunk of @post, for which all windows have room.  Returns
 * TRUE if it was the last one; @post is then freed. */
static gboolean admit_next_chunk(Communicators *communicators,
                                 PostedCollective *post)
{
    System *system = communicators->system;
    CollInstance *coll = post->coll;
    const uint32_t *npus = npus_of_posted_collective(post);
    uint32_t n = count_npus_of_posted_collective(post);
    uint64_t tag = next_tag_of_set(communicators, post),
             size = chunk_tag_units(coll, next_chunk_bytes(post));
    uint64_t order = chunk_priority_from_tag(tag, post->communicator);
    CollSet *set = &coll->sets[post->set];
    gboolean is_last = set->n_chunks_decided + 1 == coll->n_chunks;

    if (system->state.quiescent &&
        posted_collective_has_idle_npus(communicators, post))
        system->state.quiescent_callbacks->first_chunk(coll, post->set);
    set->n_chunks_decided++;
    for (uint32_t i = 0; i < n; i++)
        record_chunk_admission(communicators, post, npus[i], tag, size);
    if (is_last)
        remove_posted_collective(communicators, post);
    /* The last NPU that starts its last chunk may complete and free @coll. */
    for (uint32_t i = 0; i < n; i++)
        start_or_queue_chunk(&system->state.npus[npus[i]], coll, order);
    return is_last;
}

/* Orders posted collectives by tag, and equal tags by the order within one
 * communicator. */
static gint compare_posts_by_tag(gconstpointer a, gconstpointer b)
{
    const PostedCollective *x = *(PostedCollective *const *)a,
                           *y = *(PostedCollective *const *)b;

    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    if (x->coll != y->coll)
        return collective_has_precedence(x->coll, y->coll, SCHEDULER_FIFO) ? -1
                                                                           : 1;
    return x->set < y->set ? -1 : x->set > y->set;
}

static void list_post_if_all_npus_offer_it(Communicators *communicators,
                                           PostedCollective *post)
{
    post->is_offered = post->n_offers == count_npus_of_posted_collective(post);
    if (post->is_offered)
        g_ptr_array_add(communicators->agenda.offered, post);
}

/* Admits one chunk of each offered collective that some NPU can start now.
 * Returns FALSE if there is none. */
static gboolean admit_offered_chunks(Communicators *communicators)
{
    g_autoptr(GPtrArray) offered = communicators->agenda.offered;
    gboolean any = FALSE;

    communicators->agenda.offered = g_ptr_array_new();
    for (guint i = 0; i < offered->len; i++) {
        PostedCollective *post = g_ptr_array_index(offered, i);

        post->tag = next_tag_of_set(communicators, post);
    }
    g_ptr_array_sort(offered, compare_posts_by_tag);
    for (guint i = 0; i < offered->len; i++) {
        PostedCollective *post = g_ptr_array_index(offered, i);

        if (post->n_offers == count_npus_of_posted_collective(post) &&
            some_npu_can_start_chunk(communicators, post)) {
            any = TRUE;
            if (admit_next_chunk(communicators, post))
                continue;
        }
        list_post_if_all_npus_offer_it(communicators, post);
    }
    return any;
}

/* ---- new posts ------------------------------------------------------ */

static gint compare_posts_by_graph_order(gconstpointer a, gconstpointer b)
{
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;

    if (x->iteration != y->iteration)
        return x->iteration < y->iteration ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Gives new collectives their ages.  Collectives that were posted at one
 * instant get ages in the order of the graph. */
static void assign_collective_ages(Communicators *communicators)
{
    g_ptr_array_sort(communicators->agenda.without_age,
                     compare_posts_by_graph_order);
    for (guint i = 0; i < communicators->agenda.without_age->len; i++) {
        CollInstance *coll =
            g_ptr_array_index(communicators->agenda.without_age, i);

        coll->seq = communicators->system->state.n_instances_made++;
    }
    g_ptr_array_set_size(communicators->agenda.without_age, 0);
}

/* Inserts @post behind all collectives that precede it, usually at the end. */
static void insert_posted_collective(GQueue *posts, PostedCollective *post)
{
    GList *at = posts->tail;

    while (at && collective_has_precedence(post->coll,
                                           ((PostedCollective *)at->data)->coll,
                                           SCHEDULER_FIFO))
        at = at->prev;
    if (at)
        g_queue_insert_after(posts, at, post);
    else
        g_queue_push_head(posts, post);
}

static void insert_newly_posted_collectives(Communicators *communicators)
{
    for (guint i = 0; i < communicators->agenda.newly_posted->len; i++) {
        PostedCollective *post =
            g_ptr_array_index(communicators->agenda.newly_posted, i);
        const uint32_t *npus = npus_of_posted_collective(post);

        for (uint32_t m = 0; m < count_npus_of_posted_collective(post); m++) {
            insert_posted_collective(
                &find_npu_flow_of_communicator(communicators, npus[m],
                                               post->communicator)
                     ->posts,
                post);
            communicators->npu_flows[npus[m]].n_posts++;
            update_offered_collective_of_npu(communicators, npus[m],
                                             post->communicator);
        }
    }
    g_ptr_array_set_size(communicators->agenda.newly_posted, 0);
}

static void update_touched_npus(Communicators *communicators)
{
    GPtrArray *touched = communicators->agenda.touched;

    for (guint i = 0; i < touched->len; i++) {
        Npu *npu = g_ptr_array_index(touched, i);

        communicators->npu_flows[npu->index].is_touched = FALSE;
        npu_update_after_chunks(npu);
    }
    g_ptr_array_set_size(touched, 0);
}

static void end_replays_on_touched_npus(const Communicators *communicators)
{
    const GPtrArray *posts = communicators->agenda.newly_posted;

    for (guint i = 0; communicators->system->state.quiescent && i < posts->len;
         i++) {
        const PostedCollective *post = g_ptr_array_index(posts, i);

        communicators->system->state.quiescent_callbacks->issued(post->coll,
                                                                 post->set);
    }
}

/* Decides what is admitted, when nothing more happens at this instant. */
static void on_no_more_events_at_instant(gpointer self)
{
    Communicators *communicators = self;

    communicators->agenda.is_requested = FALSE;
    end_replays_on_touched_npus(communicators);
    assign_collective_ages(communicators);
    insert_newly_posted_collectives(communicators);
    while (admit_offered_chunks(communicators))
        ;
    update_touched_npus(communicators);
}

static void request_admission_decision(Communicators *communicators)
{
    SimEngine *engine = communicators->system->state.engine;

    /* The decision that catches up with the present also covers this
     * instant. */
    if (communicators->agenda.is_requested ||
        sim_engine_now_ps(engine) == communicators->catches_up_until_ps)
        return;
    communicators->agenda.is_requested = TRUE;
    sim_engine_call_when_instant_settles(engine, on_no_more_events_at_instant,
                                         communicators);
}

static PostedCollective *new_posted_collective(const System *system,
                                               CollInstance *coll, uint32_t set)
{
    PostedCollective *post = g_new0(PostedCollective, 1);

    post->coll = coll;
    post->set = set;
    post->communicator = system->plan.communicator_of[coll->op];
    return post;
}

/* ---- calls of NPUs -------------------------------------------------- */

void communicators_post_collective(Npu *npu, CollInstance *coll)
{
    Communicators *communicators = npu->system->state.communicators;
    uint32_t set = coll->coll_class->set_of[npu->index];
    PostedCollective *post;

    coll->sets[set].n_issued++;
    if (coll->sets[set].n_issued < coll->coll_class->set_sizes[set])
        return;
    if (!coll->is_numbered)
        g_ptr_array_add(communicators->agenda.without_age, coll);
    coll->is_numbered = TRUE;
    post = new_posted_collective(npu->system, coll, set);
    post->place = communicators->posts->len;
    g_ptr_array_add(communicators->posts, post);
    g_ptr_array_add(communicators->agenda.newly_posted, post);
    request_admission_decision(communicators);
}

void communicators_start_chunks(Npu *npu)
{
    Communicators *communicators = npu->system->state.communicators;

    start_admitted_chunks(npu);
    if (communicators->agenda.offered->len > 0)
        request_admission_decision(communicators);
}

void communicators_end_chunk(Npu *npu, const Chunk *chunk)
{
    Communicators *communicators = npu->system->state.communicators;
    uint32_t communicator = npu->system->plan.communicator_of[chunk->op];
    Flow *flow =
        find_npu_flow_of_communicator(communicators, npu->index, communicator);

    remove_chunk_in_flight(
        flow, tag_in_chunk_priority(chunk_priority(chunk, npu->index)));
    if (flow->n == 0)
        communicators->npu_flows[npu->index].n_active--;
    update_offered_collective_of_npu(communicators, npu->index, communicator);
}

/* ---- collectives that are replayed ----------------------------------- */

void communicators_admit_replayed_chunk(CollInstance *coll, uint32_t set)
{
    Communicators *communicators = coll->system->state.communicators;
    uint32_t npu =
        coll->coll_class->set_members[coll->coll_class->set_starts[set]];
    PostedCollective *post = g_queue_peek_head(
        &find_npu_flow_of_communicator(
             communicators, npu, coll->system->plan.communicator_of[coll->op])
             ->posts);

    g_assert(post && post->coll == coll &&
             post->n_offers == count_npus_of_posted_collective(post));
    if (post->is_offered)
        g_ptr_array_remove(communicators->agenda.offered, post);
    if (!admit_next_chunk(communicators, post))
        list_post_if_all_npus_offer_it(communicators, post);
    update_touched_npus(communicators);
}

uint64_t communicators_run_missed_events(Communicators *communicators,
                                         SimTime from_ps, SimSettledFn begin,
                                         gpointer self)
{
    SimEngine *engine = communicators->system->state.engine;
    Agenda agenda = communicators->agenda;
    uint64_t n_events;

    g_assert(agenda.touched->len == 0);
    communicators->agenda = admission_agenda_new();
    communicators->catches_up_until_ps = sim_engine_now_ps(engine);
    n_events = sim_engine_run_missed_events(engine, from_ps, begin, self);
    communicators->catches_up_until_ps = SIM_TIME_MAX;
    g_assert(!communicators->agenda.is_requested &&
             communicators->agenda.newly_posted->len == 0 &&
             communicators->agenda.touched->len == 0);
    g_ptr_array_extend(agenda.offered, communicators->agenda.offered, NULL,
                       NULL);
    admission_agenda_clear(&communicators->agenda);
    communicators->agenda = agenda;
    return n_events;
}
