/* communicators.c - tags for chunks, and which are admitted */
#include "models/run/admit/communicators.h"

#include "models/run/admit/order.h"
#include "models/run/chunk_impl.h"

/* Tags are a number of these: what is sent of a step is rounded up to one. */
#define TAG_UNIT_BYTES 256

/* A collective in a set whose NPUs have all issued it, until its last chunk is
 * admitted. */
typedef struct {
    CollInstance *coll; /* borrowed */
    uint32_t set;
    uint32_t communicator;
    uint32_t n_offers;   /* NPUs on which it is the next, with room for it */
    gboolean is_offered; /* on all of them: it stands in .offered */
    uint64_t tag;        /* of its next chunk, as of the last look */
    guint place;         /* in .posts */
} Post;

/* A chunk that was admitted and is not through on an NPU. */
typedef struct {
    uint64_t tag;
    const Chunk *chunk; /* borrowed; NULL: the NPU has not taken it in */
} Flight;

/* A communicator on an NPU. */
typedef struct {
    GQueue posts;         /* of Post: in the order in which they go */
    Post *offer;          /* borrowed: whose next chunk has room; or NULL */
    Flight *flights;      /* owned: its n chunks in flight, in order */
    uint32_t n, room_for; /* flights */
    uint64_t end;         /* of the last one: the tag + the size */
    gboolean is_held;     /* it has a post, and no room in the window */
} Flow;

/* A chunk that was admitted and that the endpoint has yet to take in. */
typedef struct {
    CollInstance *coll; /* borrowed */
    uint64_t order;
} Turn;

/* An NPU. */
typedef struct {
    Flow *flows;     /* owned: by communicator */
    GQueue turns;    /* of owned Turn */
    uint32_t n_busy; /* of them: with chunks in flight */
    gboolean is_touched;
} Site;

struct Communicators {
    System *system;     /* borrowed */
    uint32_t n;         /* communicators */
    Site *sites;        /* owned: by NPU */
    GPtrArray *posts;   /* of owned Post: all there are */
    GPtrArray *fresh;   /* of CollInstance: no set had all issued it before */
    GPtrArray *come;    /* of Post: all issued since the last look */
    GPtrArray *offered; /* of Post */
    GPtrArray *touched; /* of Npu: took something in at this look */
    gboolean is_due;    /* on_decide() will come at this instant, */
    gboolean is_asked;  /* and was asked for since it last looked */
};

Communicators *communicators_new(System *system)
{
    Communicators *all = g_new0(Communicators, 1);

    all->system = system;
    all->n = system->n_communicators;
    all->sites = g_new0(Site, system->n_sim);
    for (uint32_t i = 0; i < system->n_sim; i++) {
        all->sites[i].flows = g_new0(Flow, all->n);
        g_queue_init(&all->sites[i].turns);
        for (uint32_t c = 0; c < all->n; c++)
            g_queue_init(&all->sites[i].flows[c].posts);
    }
    all->posts = g_ptr_array_new();
    all->fresh = g_ptr_array_new();
    all->come = g_ptr_array_new();
    all->offered = g_ptr_array_new();
    all->touched = g_ptr_array_new();
    return all;
}

static void free_one(gpointer post, gpointer data)
{
    (void)data;
    g_free(post);
}

void communicators_free(Communicators *all)
{
    if (!all)
        return;
    for (uint32_t i = 0; i < all->system->n_sim; i++) {
        for (uint32_t c = 0; c < all->n; c++) {
            g_queue_clear(&all->sites[i].flows[c].posts);
            g_free(all->sites[i].flows[c].flights);
        }
        g_free(all->sites[i].flows);
        g_queue_clear_full(&all->sites[i].turns, g_free);
    }
    g_free(all->sites);
    g_ptr_array_foreach(all->posts, free_one, NULL);
    g_ptr_array_unref(all->posts);
    g_ptr_array_unref(all->fresh);
    g_ptr_array_unref(all->come);
    g_ptr_array_unref(all->offered);
    g_ptr_array_unref(all->touched);
    g_free(all);
}

/* ---- who takes part ---------------------------------------------------- */

static uint32_t n_members(const Post *post)
{
    return post->coll->scheme->set_sizes[post->set];
}

/* Their places among those simulated. */
static const uint32_t *members(const Post *post)
{
    const Scheme *scheme = post->coll->scheme;

    return scheme->seats + scheme->first_seats[post->set];
}

static Flow *flow_at(const Communicators *all, uint32_t npu,
                     uint32_t communicator)
{
    return &all->sites[npu].flows[communicator];
}

static uint64_t next_bytes(const Post *post)
{
    const CollInstance *coll = post->coll;
    uint64_t chunk_bytes = coll->cut->chunk_bytes;

    return MIN(chunk_bytes, coll->payload_bytes -
                                coll->sets[post->set].n_decided * chunk_bytes);
}

/* ---- tags -------------------------------------------------------------- */

/* What an NPU sends as one of @n_lanes messages of a step of @phase, in the
 * mean, of a chunk of @bytes. */
static uint64_t lane_size(const CollPhase *phase, uint64_t bytes,
                          uint32_t n_lanes)
{
    uint64_t sent_bytes = coll_sent_bytes(phase, bytes);

    return sent_bytes / MAX(phase->n_steps, 1) / n_lanes / TAG_UNIT_BYTES + 1;
}

/* More than any message of a chunk of @bytes is later than the chunk. */
static uint64_t size_of(const CollInstance *coll, uint64_t bytes)
{
    const CollPlan *plan = coll->plan;
    uint64_t size = 1;

    for (uint32_t p = 0; p < plan->n_phases; p++) {
        const CollPhase *phase = &plan->phases[p];
        uint32_t n = coll_n_lanes(phase, bytes, coll->cut->message_bytes);

        size += phase->n_steps * n * lane_size(phase, bytes, n);
    }
    return size;
}

/* Says how much later than @chunk, which is new, its messages stand. */
static void pace(const Communicators *all, Chunk *chunk)
{
    uint64_t size = 0;

    if (!chunk->orders)
        chunk->orders = g_new(uint64_t, all->system->n_sim);
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint32_t n = chunk_n_lanes(chunk, p);
        uint64_t lane = lane_size(phase, chunk->bytes, n);

        chunk->later[p] = order_of_tag(size, 0) << 8;
        chunk->step_later[p] = order_of_tag(n * lane, 0) << 8;
        chunk->lane_later[p] = order_of_tag(lane, 0) << 8;
        size += phase->n_steps * n * lane;
    }
}

/* How far the NPU has come with @chunk. */
static uint64_t size_done(const Chunk *chunk, uint32_t npu)
{
    uint32_t p = chunk_state(chunk, npu)->phase;
    uint64_t later;

    if (p == chunk->plan->n_phases)
        p--;
    later = chunk->later[p];
    for (uint32_t l = 0; l < chunk_n_lanes(chunk, p); l++)
        later += chunk_lanes(chunk, npu, p)[l].n_done * chunk->lane_later[p];
    return tag_of_order(later >> 8);
}

/* Where @flow of NPU @npu, which has chunks in flight, stands. */
static uint64_t stands_at(const Flow *flow, uint32_t npu)
{
    const Flight *oldest = &flow->flights[0];

    return oldest->tag + (oldest->chunk ? size_done(oldest->chunk, npu) : 0);
}

/* Returns the tag of @communicator's next chunk on an NPU. */
static uint64_t tag_at(const Communicators *all, uint32_t npu,
                       uint32_t communicator)
{
    const Site *site = &all->sites[npu];
    const Flow *own = &site->flows[communicator];
    uint64_t oldest = UINT64_MAX, end = 0, floor = 0;

    if (site->n_busy == 1 && own->n > 0)
        return own->end;
    for (uint32_t c = 0; c < all->n; c++) {
        const Flow *flow = &site->flows[c];
        uint64_t at;

        end = MAX(end, flow->end);
        if (flow->n == 0 || flow == own)
            continue;
        at = stands_at(flow, npu);
        oldest = MIN(oldest, at);
        floor = MAX(floor, at - MIN(flow->end - at, at));
    }
    if (own->n > 0)
        return MAX(own->end, floor);
    return oldest == UINT64_MAX ? end : MAX(oldest, floor);
}

static uint64_t tag_of_next(const Communicators *all, const Post *post)
{
    const uint32_t *npus = members(post);
    uint64_t tag = 0;

    for (uint32_t i = 0; i < n_members(post); i++)
        tag = MAX(tag, tag_at(all, npus[i], post->communicator));
    return tag;
}

static void add_flight(Flow *flow, uint64_t tag)
{
    g_assert(flow->n == 0 || flow->flights[flow->n - 1].tag < tag);
    if (flow->n == flow->room_for) {
        flow->room_for = MAX(8, 2 * flow->room_for);
        flow->flights = g_renew(Flight, flow->flights, flow->room_for);
    }
    flow->flights[flow->n++] = (Flight){ .tag = tag };
}

static Flight *find_flight(const Flow *flow, uint64_t tag)
{
    Flight *flight = flow->flights;

    while (flight->tag != tag)
        flight++;
    return flight;
}

/* Mostly it is the first. */
static void remove_flight(Flow *flow, uint64_t tag)
{
    Flight *flight = find_flight(flow, tag);

    flow->n--;
    memmove(flight, flight + 1,
            (gsize)(flow->flights + flow->n - flight) * sizeof *flight);
}

/* ---- what has room ------------------------------------------------------ */

static void note_held(const Communicators *all, uint32_t npu, Flow *flow,
                      gboolean is_held)
{
    if (flow->is_held == is_held)
        return;
    flow->is_held = is_held;
    all->system->npus[npu].n_held += is_held ? 1 : UINT32_MAX;
    if (is_held)
        TRACE(&all->system->watch, intake_waits, all->system->npus[npu].host.id,
              RESOURCE_WINDOW);
}

/* After its posts or its chunks in flight changed. */
static void make_offer(Communicators *all, uint32_t npu, uint32_t communicator)
{
    Flow *flow = flow_at(all, npu, communicator);
    Post *post = g_queue_peek_head(&flow->posts);
    Post *offer = flow->n < all->system->windows[communicator] ? post : NULL;

    note_held(all, npu, flow, post && !offer);
    if (offer == flow->offer)
        return;
    if (flow->offer)
        flow->offer->n_offers--;
    flow->offer = offer;
    if (!offer)
        return;
    offer->n_offers++;
    if (offer->n_offers < n_members(offer) || offer->is_offered)
        return;
    offer->is_offered = TRUE;
    g_ptr_array_add(all->offered, offer);
}

/* ---- taking in --------------------------------------------------------- */

static void touch(Communicators *all, Npu *npu)
{
    Site *site = &all->sites[npu->index];

    if (site->is_touched)
        return;
    site->is_touched = TRUE;
    g_ptr_array_add(all->touched, npu);
}

/* The next chunk of @coll that @npu takes in, where it has @order. */
static const Chunk *get_chunk(const Npu *npu, CollInstance *coll,
                              uint64_t order)
{
    const Communicators *all = npu->system->communicators;
    uint32_t index = coll->parts[npu->index].next_chunk;
    gboolean is_new = !coll->chunks[index];
    Chunk *chunk = chunk_get(npu->system, coll, index);

    if (is_new)
        pace(all, chunk);
    chunk->orders[npu->index] = order;
    return chunk;
}

static void begin(Npu *npu, CollInstance *coll, uint64_t order)
{
    Communicators *all = npu->system->communicators;
    const Flow *flow =
        flow_at(all, npu->index, all->system->communicator_of[coll->op]);

    touch(all, npu);
    if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks)
        g_ptr_array_remove(npu->pending, coll);
    find_flight(flow, tag_of_order(order))->chunk = get_chunk(npu, coll, order);
    chunk_begin(npu, coll);
}

static gboolean has_room(const Npu *npu, uint64_t bytes)
{
    return npu->endpoint->ops->may_start(npu->endpoint, bytes);
}

static GQueue *turns_of(const Npu *npu)
{
    return &npu->system->communicators->sites[npu->index].turns;
}

/* Takes in the admitted chunks, as far as the endpoint has room. */
static void take_in(Npu *npu)
{
    GQueue *turns = turns_of(npu);
    Turn *turn;

    while ((turn = g_queue_peek_head(turns))) {
        CollInstance *coll = turn->coll;
        uint64_t order = turn->order;

        if (!has_room(npu, instance_next_bytes(coll, npu->index))) {
            TRACE(npu->host.watch, intake_waits, npu->host.id,
                  RESOURCE_OWN + npu->endpoint->ops->intake);
            return;
        }
        g_free(g_queue_pop_head(turns));
        begin(npu, coll, order);
    }
}

static void give_turn(Npu *npu, CollInstance *coll, uint64_t order)
{
    GQueue *turns = turns_of(npu);
    Turn *turn;

    if (g_queue_is_empty(turns) &&
        has_room(npu, instance_next_bytes(coll, npu->index))) {
        begin(npu, coll, order);
        return;
    }
    turn = g_new(Turn, 1);
    *turn = (Turn){ coll, order };
    g_queue_push_tail(turns, turn);
    take_in(npu);
}

/* ---- admitting --------------------------------------------------------- */

/* Some NPU could take in the next chunk at once. */
static gboolean may_be_taken(const Communicators *all, const Post *post)
{
    const uint32_t *npus = members(post);
    uint64_t bytes = next_bytes(post);

    for (uint32_t i = 0; i < n_members(post); i++) {
        const Npu *npu = &all->system->npus[npus[i]];

        if (g_queue_is_empty(turns_of(npu)) && has_room(npu, bytes))
            return TRUE;
    }
    return FALSE;
}

/* Returns the size of a chunk on an NPU: of a message, only its sender sends
 * anything. */
static uint64_t size_at(const Communicators *all, const Post *post,
                        uint32_t npu, uint64_t size)
{
    const Op *op = op_graph_op(all->system->graph, post->coll->op);
    uint32_t role = all->system->npus[npu].role;

    return op->kind == COLL_SEND && !(op->sender_roles >> role & 1) ? 1 : size;
}

/* One more chunk of @post is in flight on an NPU. */
static void book(Communicators *all, Post *post, uint32_t npu, uint64_t tag,
                 uint64_t size)
{
    Flow *flow = flow_at(all, npu, post->communicator);
    Site *site = &all->sites[npu];

    if (flow->n == 0)
        site->n_busy++;
    all->system->most_together = MAX(all->system->most_together, site->n_busy);
    add_flight(flow, tag);
    flow->end = tag + size_at(all, post, npu, size);
    if (post->coll->sets[post->set].n_decided == post->coll->n_chunks)
        g_assert(g_queue_pop_head(&flow->posts) == post);
    make_offer(all, npu, post->communicator);
}

static void remove_post(Communicators *all, Post *post)
{
    GPtrArray *posts = all->posts;

    ((Post *)g_ptr_array_index(posts, posts->len - 1))->place = post->place;
    g_ptr_array_remove_index_fast(posts, post->place);
    g_free(post);
}

/* The next chunk of @post, which all have room for.  TRUE: it was the last, and
 * there is no @post any more. */
static gboolean admit(Communicators *all, Post *post)
{
    System *system = all->system;
    CollInstance *coll = post->coll;
    const uint32_t *npus = members(post);
    uint32_t n = n_members(post);
    uint64_t tag = tag_of_next(all, post),
             size = size_of(coll, next_bytes(post));
    uint64_t order = order_of_tag(tag, post->communicator);
    CollSet *set = &coll->sets[post->set];
    gboolean is_last = set->n_decided + 1 == coll->n_chunks;

    set->n_decided++;
    for (uint32_t i = 0; i < n; i++)
        book(all, post, npus[i], tag, size);
    if (is_last)
        remove_post(all, post);
    /* With the last of them, @coll may be through. */
    for (uint32_t i = 0; i < n; i++)
        give_turn(&system->npus[npus[i]], coll, order);
    return is_last;
}

/* By tags; of those that are alike the one that goes first where they are of
 * one communicator. */
static gint compare_posts(gconstpointer a, gconstpointer b)
{
    const Post *x = *(Post *const *)a, *y = *(Post *const *)b;

    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    if (x->coll != y->coll)
        return order_before(x->coll, y->coll, SCHEDULER_FIFO) ? -1 : 1;
    return x->set < y->set ? -1 : x->set > y->set;
}

static void look_again(Communicators *all, Post *post)
{
    post->is_offered = post->n_offers == n_members(post);
    if (post->is_offered)
        g_ptr_array_add(all->offered, post);
}

/* One chunk of each post that can be admitted.  FALSE: none can. */
static gboolean admit_some(Communicators *all)
{
    g_autoptr(GPtrArray) offered = all->offered;
    gboolean any = FALSE;

    all->offered = g_ptr_array_new();
    for (guint i = 0; i < offered->len; i++) {
        Post *post = g_ptr_array_index(offered, i);

        post->tag = tag_of_next(all, post);
    }
    g_ptr_array_sort(offered, compare_posts);
    for (guint i = 0; i < offered->len; i++) {
        Post *post = g_ptr_array_index(offered, i);

        if (post->n_offers == n_members(post) && may_be_taken(all, post)) {
            any = TRUE;
            if (admit(all, post))
                continue;
        }
        look_again(all, post);
    }
    return any;
}

/* ---- what was posted --------------------------------------------------- */

static gint compare_fresh(gconstpointer a, gconstpointer b)
{
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;

    if (x->iteration != y->iteration)
        return x->iteration < y->iteration ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Those of one instant are as old as they stand in the graph. */
static void count_age(Communicators *all)
{
    g_ptr_array_sort(all->fresh, compare_fresh);
    for (guint i = 0; i < all->fresh->len; i++) {
        CollInstance *coll = g_ptr_array_index(all->fresh, i);

        coll->seq = all->system->n_instances_made++;
    }
    g_ptr_array_set_size(all->fresh, 0);
}

/* Behind all that go before it; mostly these are all. */
static void line_up(GQueue *posts, Post *post)
{
    GList *at = posts->tail;

    while (at &&
           order_before(post->coll, ((Post *)at->data)->coll, SCHEDULER_FIFO))
        at = at->prev;
    if (at)
        g_queue_insert_after(posts, at, post);
    else
        g_queue_push_head(posts, post);
}

static void line_up_all(Communicators *all)
{
    for (guint i = 0; i < all->come->len; i++) {
        Post *post = g_ptr_array_index(all->come, i);
        const uint32_t *npus = members(post);

        for (uint32_t m = 0; m < n_members(post); m++) {
            line_up(&flow_at(all, npus[m], post->communicator)->posts, post);
            make_offer(all, npus[m], post->communicator);
        }
    }
    g_ptr_array_set_size(all->come, 0);
}

static void on_decide(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Communicators *all = self;

    if (all->is_asked) { /* wait until nothing happens any more */
        all->is_asked = FALSE;
        sim_engine_at(all->system->engine, now_ps, SIM_PHASE_ACT, on_decide,
                      all, arg);
        return;
    }
    all->is_due = FALSE;
    count_age(all);
    line_up_all(all);
    while (admit_some(all))
        ;
    for (guint i = 0; i < all->touched->len; i++) {
        Npu *npu = g_ptr_array_index(all->touched, i);

        all->sites[npu->index].is_touched = FALSE;
        npu_after_intake(npu);
    }
    g_ptr_array_set_size(all->touched, 0);
}

static void ask(Communicators *all)
{
    SimEngine *engine = all->system->engine;

    all->is_asked = TRUE;
    if (all->is_due)
        return;
    all->is_due = TRUE;
    sim_engine_at(engine, sim_engine_now(engine), SIM_PHASE_ACT, on_decide, all,
                  0);
}

static Post *post_new(const System *system, CollInstance *coll, uint32_t set)
{
    Post *post = g_new0(Post, 1);

    post->coll = coll;
    post->set = set;
    post->communicator = system->communicator_of[coll->op];
    return post;
}

/* ---- what is told ------------------------------------------------------ */

void communicators_issue(Npu *npu, CollInstance *coll)
{
    Communicators *all = npu->system->communicators;
    uint32_t set = coll->scheme->set_of[npu->index];
    Post *post;

    coll->sets[set].n_issued++;
    if (coll->sets[set].n_issued < coll->scheme->set_sizes[set])
        return;
    if (!coll->is_aged)
        g_ptr_array_add(all->fresh, coll);
    coll->is_aged = TRUE;
    post = post_new(npu->system, coll, set);
    post->place = all->posts->len;
    g_ptr_array_add(all->posts, post);
    g_ptr_array_add(all->come, post);
    ask(all);
}

void communicators_pump(Npu *npu)
{
    Communicators *all = npu->system->communicators;

    take_in(npu);
    if (all->offered->len > 0)
        ask(all);
}

void communicators_let_go(Npu *npu, const Chunk *chunk)
{
    Communicators *all = npu->system->communicators;
    uint32_t communicator = npu->system->communicator_of[chunk->op];
    Flow *flow = flow_at(all, npu->index, communicator);

    remove_flight(flow, tag_of_order(chunk_order(chunk, npu->index)));
    if (flow->n == 0)
        all->sites[npu->index].n_busy--;
    make_offer(all, npu->index, communicator);
}
