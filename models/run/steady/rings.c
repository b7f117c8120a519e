/* rings.c - see rings.h */
#include "models/run/steady/rings.h"

#include <string.h>

#include "network/transport/steady.h"

/* Limits of memory: longer iterations are not predicted. */
#define MOST_CHUNKS (1 << 16)
#define MOST_COUNTS (1 << 16)

typedef struct {
    const CollPlan *plan;
    uint64_t bytes;
    uint32_t audience;
    uint32_t backwards;
} RingChunk;

typedef struct {
    guint first; /* index of the first chunk after it */
    /* by dimension: 1 if mirrored, 0 if not, -1 if no chunk has said so yet */
    int turned[TOPOLOGY_MAX_DIMS];
    uint64_t n_turned[TOPOLOGY_MAX_DIMS]; /* by dimension: iterations in which
                                           * it is mirrored */
} RingRest;

void rings_init(Rings *rings, System *system)
{
    *rings = (Rings){
        .system = system,
        .chunks = g_array_new(FALSE, FALSE, sizeof(RingChunk)),
        .rests = g_array_new(FALSE, FALSE, sizeof(RingRest)),
        .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)),
        .next = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
}

void rings_clear(Rings *rings)
{
    g_array_unref(rings->chunks);
    g_array_unref(rings->rests);
    g_array_unref(rings->counts);
    g_array_unref(rings->next);
    g_free(rings->after);
}

/* ---- recording ----------------------------------------------------------- */

static void note_rest(Rings *rings)
{
    const RingRest rest = { .first = rings->chunks->len };

    g_array_append_val(rings->rests, rest);
    network_steady_counts(rings->system->network, rings->counts);
}

void rings_begin(Rings *rings, uint64_t most_bytes)
{
    rings_stop(rings);
    rings->is_on = TRUE;
    rings->is_lost = FALSE;
    rings->most_bytes = most_bytes;
    note_rest(rings);
    rings->n_counts = rings->counts->len;
}

void rings_stop(Rings *rings)
{
    rings->is_on = FALSE;
    rings->is_lost = TRUE;
    g_array_set_size(rings->chunks, 0);
    g_array_set_size(rings->rests, 0);
    g_array_set_size(rings->counts, 0);
}

static void add(Rings *rings, const RingChunk *chunk)
{
    if (rings->chunks->len < MOST_CHUNKS)
        g_array_append_vals(rings->chunks, chunk, 1);
    else
        rings->is_lost = TRUE;
}

void rings_made(Rings *rings, const Chunk *chunk)
{
    const System *system = rings->system;

    if (!rings->is_on)
        return;
    g_assert(coll_wire_bytes(chunk->plan->recipe, chunk->bytes) <=
             rings->most_bytes);
    if (rings->chunks->len > 0 && system->n_chunks_live == 0 &&
        rings->counts->len + rings->n_counts <= MOST_COUNTS &&
        network_is_at_rest(system->network))
        note_rest(rings);
    add(rings, &(RingChunk){
                   .plan = chunk->plan,
                   .bytes = chunk->bytes,
                   .audience = system->schemes.of[chunk->op]->audience,
                   .backwards = chunk->backwards,
               });
}

void rings_skip(Rings *rings, const CollInstance *coll, uint32_t first,
                uint64_t n)
{
    System *system = rings->system;
    Ways *ways = &system->ways[coll->scheme->audience];
    RingChunk chunk = { .bytes = coll->cut->chunk_bytes,
                        .audience = coll->scheme->audience };
    Ways was = *ways;

    for (uint64_t i = 0; rings->is_on && !rings->is_lost && i < n; i++) {
        chunk.plan =
            coll_orders_plan(&coll->scheme->planned->orders,
                             system->n_chunks_before[coll->op] + first + i);
        chunk.backwards = chunk_choose_ways(chunk.plan, chunk.bytes, ways);
        add(rings, &chunk);
    }
    *ways = was;
}

/* ---- predicting ---------------------------------------------------------- */

static RingRest *rest_at(const Rings *rings, guint i)
{
    return &g_array_index(rings->rests, RingRest, i);
}

/* Returns the port that leads the other way along the dimension of @port, or
 * @port itself if there is not exactly one, with the same links. */
static uint32_t opposite(const Topology *topology, uint32_t port)
{
    const TopologyPort *p = topology_port(topology, port);
    uint32_t ret = port;

    for (uint32_t i = 0; i < topology_n_ports(topology); i++) {
        const TopologyPort *q = topology_port(topology, i);

        if (i == port || q->dim != p->dim)
            continue;
        if (ret != port || q->n_links != p->n_links ||
            q->payload_bytes_per_s != p->payload_bytes_per_s ||
            q->latency_ps != p->latency_ps)
            return port;
        ret = i;
    }
    return ret;
}

/* Returns whether rings may be mirrored: all NPUs do the same at the same time,
 * on rings whose two directions are alike. */
static gboolean may_turn(const System *system)
{
    const Topology *topology = system->topology;

    if (!system->is_alike || !topology_is_torus(topology))
        return FALSE;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        if (topology_dim(topology, topology_port(topology, p)->dim)
                ->both_ways &&
            opposite(topology, p) == p)
            return FALSE;
    return TRUE;
}

/* Notes in @rest which dimensions are mirrored if @chunk takes the directions
 * @backwards.  Returns FALSE if that contradicts a chunk since @rest.  A phase
 * that cannot be reversed fixes every dimension as not mirrored. */
static gboolean turns_with(RingRest *rest, const RingChunk *chunk,
                           uint32_t backwards)
{
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = &chunk->plan->phases[p];
        int turns = (backwards ^ chunk->backwards) >> p & 1;

        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++) {
            if (phase->may_reverse && d != phase->dim)
                continue;
            if (rest->turned[d] >= 0 && rest->turned[d] != turns)
                return FALSE;
            rest->turned[d] = turns;
        }
    }
    return TRUE;
}

static void forget_turns(const Rings *rings)
{
    for (guint r = 0; r < rings->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            rest_at(rings, r)->turned[d] = -1;
}

static gboolean turns_any(const Rings *rings)
{
    for (guint r = 0; r < rings->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            if (rest_at(rings, r)->turned[d] > 0)
                return TRUE;
    return FALSE;
}

/* Chooses the directions of one more iteration, with @ways as the iteration
 * before has left them, and updates @ways.  Returns FALSE if the iteration does
 * not repeat the recorded one.  Rings may be mirrored only if @may. */
static gboolean repeat_one(Rings *rings, Ways *ways, gboolean may)
{
    guint r = 0;

    forget_turns(rings);
    g_array_set_size(rings->next, 0);
    for (guint i = 0; i < rings->chunks->len; i++) {
        const RingChunk *chunk = &g_array_index(rings->chunks, RingChunk, i);
        uint32_t backwards = chunk_choose_ways(chunk->plan, chunk->bytes,
                                               &ways[chunk->audience]);

        while (r + 1 < rings->rests->len && rest_at(rings, r + 1)->first <= i)
            r++;
        if (!turns_with(rest_at(rings, r), chunk, backwards))
            return FALSE;
        g_array_append_val(rings->next, backwards);
    }
    if (!may && turns_any(rings))
        return FALSE;
    for (r = 0; r < rings->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            rest_at(rings, r)->n_turned[d] += rest_at(rings, r)->turned[d] > 0;
    return TRUE;
}

static gboolean turns_ever(const RingRest *rest)
{
    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        if (rest->n_turned[d] > 0)
            return TRUE;
    return FALSE;
}

/* Returns what the link counted from rest @r until the next. */
static SimWide counted(const Rings *rings, guint r, guint count)
{
    gsize at = (gsize)r * rings->n_counts + count;

    return g_array_index(rings->counts, SimWide, at + rings->n_counts) -
           g_array_index(rings->counts, SimWide, at);
}

/* Adds to @grows the effect of mirroring since rest @r: what went over a link
 * is counted at the opposite one.  Returns FALSE if some NPU sent more than
 * another. */
static gboolean turn_counts(const Rings *rings, guint r, GArray *grows)
{
    const Topology *topology = rings->system->topology;
    uint32_t n_ports = topology_n_ports(topology);
    SimWide *to = &g_array_index(grows, SimWide, grows->len - rings->n_counts);
    guint n_each = NETWORK_N_STEADY_COUNTS;

    for (guint i = 0; i < rings->n_counts; i++) {
        uint32_t port = i / n_each % n_ports;
        uint32_t dim = topology_port(topology, port)->dim;
        guint other = opposite(topology, port) * n_each + i % n_each;

        if (counted(rings, r, i) !=
            counted(rings, r, port * n_each + i % n_each))
            return FALSE;
        to[i] += (counted(rings, r, other) - counted(rings, r, i)) *
                 rest_at(rings, r)->n_turned[dim];
    }
    return TRUE;
}

/* Without audiences the pointers may be NULL, which memcpy() must not get. */
static void copy_ways(const System *system, Ways *to, const Ways *from)
{
    if (system->schemes.n_audiences > 0)
        memcpy(to, from, system->schemes.n_audiences * sizeof *to);
}

/* Returns how many of the next @most iterations repeat this one.  Sets
 * rings->after to the bytes that they leave in each direction. */
static uint64_t count_alike(Rings *rings, uint64_t most)
{
    const System *system = rings->system;
    gsize size = system->schemes.n_audiences * sizeof(Ways);
    g_autofree Ways *ways = g_memdup2(system->ways, size);
    gboolean may = may_turn(system);
    uint64_t n = 0;

    g_free(rings->after);
    rings->after = g_memdup2(system->ways, size);
    for (guint r = 0; r < rings->rests->len; r++)
        memset(rest_at(rings, r)->n_turned, 0,
               sizeof rest_at(rings, r)->n_turned);
    while (n < most && repeat_one(rings, ways, may)) {
        copy_ways(system, rings->after, ways);
        n++;
    }
    return n;
}

uint64_t rings_repeat(Rings *rings, uint64_t most, GArray *grows)
{
    guint n_kept = rings->counts->len;
    uint64_t n = rings->is_lost ? 0 : count_alike(rings, most);

    for (guint i = 0; i < grows->len; i++)
        g_array_index(grows, SimWide, i) *= n;
    network_steady_counts(rings->system->network, rings->counts);
    for (guint r = 0; n > 0 && r < rings->rests->len; r++)
        if (turns_ever(rest_at(rings, r)) && !turn_counts(rings, r, grows))
            n = 0;
    g_array_set_size(rings->counts, n_kept);
    return n;
}

void rings_go_on(const Rings *rings)
{
    const System *system = rings->system;

    copy_ways(system, system->ways, rings->after);
}

gboolean rings_are_as_foretold(const Rings *rings)
{
    if (rings->is_lost || rings->next->len != rings->chunks->len)
        return FALSE;
    for (guint i = 0; i < rings->chunks->len; i++)
        if (g_array_index(rings->next, uint32_t, i) !=
            g_array_index(rings->chunks, RingChunk, i).backwards)
            return FALSE;
    return TRUE;
}
