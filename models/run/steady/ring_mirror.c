/* ring_mirror.c - predicts iterations that differ only in ring directions */
#include "models/run/steady/ring_mirror.h"

#include <string.h>

#include "network/transport/network_steady_state.h"

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
    /* by dimension: 1 if mirrored, 0 if not, -1 if not known yet */
    int mirrored[TOPOLOGY_MAX_DIMS];
    uint64_t n_mirrored[TOPOLOGY_MAX_DIMS]; /* by dimension: iterations in which
                                             * it is mirrored */
} RingRest;

void ring_mirror_init(RingMirror *mirror, System *system)
{
    *mirror = (RingMirror){
        .system = system,
        .chunks = g_array_new(FALSE, FALSE, sizeof(RingChunk)),
        .rests = g_array_new(FALSE, FALSE, sizeof(RingRest)),
        .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)),
        .next = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
}

void ring_mirror_clear(RingMirror *mirror)
{
    g_array_unref(mirror->chunks);
    g_array_unref(mirror->rests);
    g_array_unref(mirror->counts);
    g_array_unref(mirror->next);
    g_free(mirror->after);
}

/* ---- recording ---------------------------------------------------------- */

/* Adds a rest at the current chunk, with the counts of all links. */
static void record_rest_with_counters(RingMirror *mirror)
{
    const RingRest rest = { .first = mirror->chunks->len };

    g_array_append_val(mirror->rests, rest);
    network_append_link_counters(mirror->system->state.network, mirror->counts);
}

void ring_mirror_begin(RingMirror *mirror, uint64_t most_bytes)
{
    ring_mirror_stop(mirror);
    mirror->is_on = TRUE;
    mirror->is_lost = FALSE;
    mirror->most_bytes = most_bytes;
    record_rest_with_counters(mirror);
    mirror->n_counts = mirror->counts->len;
}

void ring_mirror_stop(RingMirror *mirror)
{
    mirror->is_on = FALSE;
    mirror->is_lost = TRUE;
    g_array_set_size(mirror->chunks, 0);
    g_array_set_size(mirror->rests, 0);
    g_array_set_size(mirror->counts, 0);
}

static void append_ring_chunk(RingMirror *mirror, const RingChunk *chunk)
{
    if (mirror->chunks->len < MOST_CHUNKS)
        g_array_append_vals(mirror->chunks, chunk, 1);
    else
        mirror->is_lost = TRUE;
}

void ring_mirror_add_chunk(RingMirror *mirror, const Chunk *chunk)
{
    const System *system = mirror->system;

    if (!mirror->is_on)
        return;
    g_assert(coll_wire_bytes(chunk->plan->recipe, chunk->bytes) <=
             mirror->most_bytes);
    if (mirror->chunks->len > 0 && system->state.n_chunks_live == 0 &&
        mirror->counts->len + mirror->n_counts <= MOST_COUNTS &&
        network_is_idle(system->state.network))
        record_rest_with_counters(mirror);
    append_ring_chunk(mirror, &(RingChunk){
                                  .plan = chunk->plan,
                                  .bytes = chunk->bytes,
                                  .audience = system->plan.collective_classes
                                                  .class_of_op[chunk->op]
                                                  ->audience,
                                  .backwards = chunk->backwards,
                              });
}

void ring_mirror_add_skipped(RingMirror *mirror, const CollInstance *coll,
                             uint32_t first, uint64_t n)
{
    System *system = mirror->system;
    RingBytes *directions =
        &system->state.ring_bytes[coll->coll_class->audience];
    RingChunk chunk = { .bytes = coll->cut->chunk_bytes,
                        .audience = coll->coll_class->audience };
    RingBytes was = *directions;

    for (uint64_t i = 0; mirror->is_on && !mirror->is_lost && i < n; i++) {
        chunk.plan = coll_orders_plan_of_chunk(
            &coll->coll_class->planned->orders,
            system->plan.n_chunks_before[coll->op] + first + i);
        chunk.backwards =
            chunk_choose_directions(chunk.plan, chunk.bytes, directions);
        append_ring_chunk(mirror, &chunk);
    }
    *directions = was;
}

/* ---- predicting --------------------------------------------------------- */

static RingRest *ring_rest_at_index(const RingMirror *mirror, guint i)
{
    return &g_array_index(mirror->rests, RingRest, i);
}

/* Returns the port that leads the other way along the dimension of @port.
 * Returns @port itself unless there is exactly one such port, with links of the
 * same number, bandwidth and latency. */
static uint32_t opposite_port_of_ring(const Topology *topology, uint32_t port)
{
    const TopologyPort *p = topology_get_port(topology, port);
    uint32_t ret = port;

    for (uint32_t i = 0; i < topology_n_ports(topology); i++) {
        const TopologyPort *q = topology_get_port(topology, i);

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
 * on rings whose two directions have equal links. */
static gboolean rings_can_be_mirrored(const System *system)
{
    const Topology *topology = system->plan.topology;

    if (!system->plan.is_alike || !topology_is_torus(topology))
        return FALSE;
    for (uint32_t phase = 0; phase < topology_n_ports(topology); phase++)
        if (topology_dimension(topology,
                               topology_get_port(topology, phase)->dim)
                ->both_ways &&
            opposite_port_of_ring(topology, phase) == phase)
            return FALSE;
    return TRUE;
}

/* Notes in @rest which dimensions are mirrored if @chunk takes the directions
 * @backwards.  Returns FALSE if that contradicts a chunk since @rest.  A phase
 * that cannot be reversed fixes every dimension as not mirrored. */
static gboolean record_mirrored_dimensions(RingRest *rest,
                                           const RingChunk *chunk,
                                           uint32_t backwards)
{
    for (uint32_t phase_index = 0; phase_index < chunk->plan->n_phases;
         phase_index++) {
        const CollPhase *phase = &chunk->plan->phases[phase_index];
        int is_mirrored = (backwards ^ chunk->backwards) >> phase_index & 1;

        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++) {
            if (phase->may_reverse && d != phase->dim)
                continue;
            if (rest->mirrored[d] >= 0 && rest->mirrored[d] != is_mirrored)
                return FALSE;
            rest->mirrored[d] = is_mirrored;
        }
    }
    return TRUE;
}

static void clear_mirroring(const RingMirror *mirror)
{
    for (guint r = 0; r < mirror->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            ring_rest_at_index(mirror, r)->mirrored[d] = -1;
}

/* Returns whether any ring is mirrored in the predicted iteration. */
static gboolean any_ring_is_mirrored(const RingMirror *mirror)
{
    for (guint r = 0; r < mirror->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            if (ring_rest_at_index(mirror, r)->mirrored[d] > 0)
                return TRUE;
    return FALSE;
}

/* Chooses the directions of one more iteration, where @directions has the bytes
 * in each direction after the iteration before, and updates @directions.
 * Returns FALSE if the iteration does not repeat the recorded one.  Rings may
 * be mirrored only if @may_mirror. */
static gboolean predict_ring_directions(RingMirror *mirror,
                                        RingBytes *directions,
                                        gboolean may_mirror)
{
    guint r = 0;

    clear_mirroring(mirror);
    g_array_set_size(mirror->next, 0);
    for (guint i = 0; i < mirror->chunks->len; i++) {
        const RingChunk *chunk = &g_array_index(mirror->chunks, RingChunk, i);
        uint32_t backwards = chunk_choose_directions(
            chunk->plan, chunk->bytes, &directions[chunk->audience]);

        while (r + 1 < mirror->rests->len &&
               ring_rest_at_index(mirror, r + 1)->first <= i)
            r++;
        if (!record_mirrored_dimensions(ring_rest_at_index(mirror, r), chunk,
                                        backwards))
            return FALSE;
        g_array_append_val(mirror->next, backwards);
    }
    if (!may_mirror && any_ring_is_mirrored(mirror))
        return FALSE;
    for (r = 0; r < mirror->rests->len; r++)
        for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
            ring_rest_at_index(mirror, r)->n_mirrored[d] +=
                ring_rest_at_index(mirror, r)->mirrored[d] > 0;
    return TRUE;
}

/* Returns whether any ring is mirrored since @rest in some predicted
 * iteration. */
static gboolean any_ring_was_mirrored_since(const RingRest *rest)
{
    for (uint32_t d = 0; d < TOPOLOGY_MAX_DIMS; d++)
        if (rest->n_mirrored[d] > 0)
            return TRUE;
    return FALSE;
}

/* Returns what the link counted from rest @r until the next. */
static SimWide link_growth_after_rest(const RingMirror *mirror, guint r,
                                      guint count)
{
    gsize at = (gsize)r * mirror->n_counts + count;

    return g_array_index(mirror->counts, SimWide, at + mirror->n_counts) -
           g_array_index(mirror->counts, SimWide, at);
}

/* Adds to @grows, for each count of a link, the effect of mirroring between
 * rest @r and the next:
 *
 *   (growth at the opposite link - growth at the link) x mirrored iterations
 *
 * Returns FALSE if the links of the NPUs did not all count the same. */
static gboolean add_effect_of_mirroring(const RingMirror *mirror, guint r,
                                        GArray *grows)
{
    const Topology *topology = mirror->system->plan.topology;
    uint32_t n_ports = topology_n_ports(topology);
    SimWide *to = &g_array_index(grows, SimWide, grows->len - mirror->n_counts);
    guint n_each = NETWORK_N_STEADY_COUNTS;

    for (guint i = 0; i < mirror->n_counts; i++) {
        uint32_t port = i / n_each % n_ports;
        uint32_t dim = topology_get_port(topology, port)->dim;
        guint other =
            opposite_port_of_ring(topology, port) * n_each + i % n_each;

        if (link_growth_after_rest(mirror, r, i) !=
            link_growth_after_rest(mirror, r, port * n_each + i % n_each))
            return FALSE;
        to[i] += (link_growth_after_rest(mirror, r, other) -
                  link_growth_after_rest(mirror, r, i)) *
                 ring_rest_at_index(mirror, r)->n_mirrored[dim];
    }
    return TRUE;
}

/* Without collectives the pointers may be NULL, which memcpy() does not
 * accept. */
static void copy_ring_bytes(const System *system, RingBytes *to,
                            const RingBytes *from)
{
    if (system->plan.collective_classes.n_audiences > 0)
        memcpy(to, from,
               system->plan.collective_classes.n_audiences * sizeof *to);
}

/* Returns how many of the next @most iterations repeat this one.  Sets
 * mirror->after to the bytes that they leave in each direction. */
static uint64_t count_repeating_iterations(RingMirror *mirror, uint64_t most)
{
    const System *system = mirror->system;
    gsize size =
        system->plan.collective_classes.n_audiences * sizeof(RingBytes);
    g_autofree RingBytes *directions =
        g_memdup2(system->state.ring_bytes, size);
    gboolean may_mirror = rings_can_be_mirrored(system);
    uint64_t n = 0;

    g_free(mirror->after);
    mirror->after = g_memdup2(system->state.ring_bytes, size);
    for (guint r = 0; r < mirror->rests->len; r++)
        memset(ring_rest_at_index(mirror, r)->n_mirrored, 0,
               sizeof ring_rest_at_index(mirror, r)->n_mirrored);
    while (n < most &&
           predict_ring_directions(mirror, directions, may_mirror)) {
        copy_ring_bytes(system, mirror->after, directions);
        n++;
    }
    return n;
}

uint64_t ring_mirror_count_repeats(RingMirror *mirror, uint64_t most,
                                   GArray *grows)
{
    guint n_before = mirror->counts->len;
    uint64_t n = mirror->is_lost ? 0 : count_repeating_iterations(mirror, most);

    for (guint i = 0; i < grows->len; i++)
        g_array_index(grows, SimWide, i) *= n;
    network_append_link_counters(mirror->system->state.network, mirror->counts);
    for (guint r = 0; n > 0 && r < mirror->rests->len; r++)
        if (any_ring_was_mirrored_since(ring_rest_at_index(mirror, r)) &&
            !add_effect_of_mirroring(mirror, r, grows))
            n = 0;
    g_array_set_size(mirror->counts, n_before);
    return n;
}

void ring_mirror_advance(const RingMirror *mirror)
{
    const System *system = mirror->system;

    copy_ring_bytes(system, system->state.ring_bytes, mirror->after);
}

gboolean ring_mirror_is_as_predicted(const RingMirror *mirror)
{
    if (mirror->is_lost || mirror->next->len != mirror->chunks->len)
        return FALSE;
    for (guint i = 0; i < mirror->chunks->len; i++)
        if (g_array_index(mirror->next, uint32_t, i) !=
            g_array_index(mirror->chunks, RingChunk, i).backwards)
            return FALSE;
    return TRUE;
}
