/*
 * deadlock.c - whether packets could wait for each other for ever
 *
 * A packet that is in a buffer waits for room in the next one of its way.  If
 * these waits form no ring, of all ways that there are, some packet can always
 * move.  On a grid that is proved (packet.h); elsewhere all ways are walked.
 *
 * Cost     the ways of all pairs of NPUs
 */
#include "network/deadlock.h"

#include "network/topology_impl.h"

#define N_PLANES (1 << TOPOLOGY_N_REACHES)
#define N_WAYS   TOPOLOGY_WAY(N_PLANES, 0)

/* A ring has a dateline, behind which packets take the other buffers; where
 * they turn to another dimension they begin anew. */
uint32_t topology_channel(const Topology *topology, uint32_t before,
                          uint32_t channel, uint32_t link)
{
    uint32_t unit = link / topology->n_ports, port = link % topology->n_ports;

    if (topology->ops->is_dateline &&
        topology->ops->is_dateline(topology, unit, port))
        return 1;
    if (before == TOPOLOGY_NONE ||
        topology->ports[before % topology->n_ports].dim !=
            topology->ports[port].dim)
        return 0;
    return channel;
}

/* Buffers are numbered by link and channel. */
typedef struct {
    const Topology *topology;
    uint32_t n;
    GHashTable *waits; /* owned: from << 32 | to, +1 */
    GArray **after;    /* owned: of each buffer, of uint32_t; NULL: none */
    uint32_t *n_before;
    uint64_t *walked; /* the destination and way that last came through, +1 */
} Waits;

static uint32_t buffer_of(uint32_t link, uint32_t channel)
{
    return link * TOPOLOGY_N_CHANNELS + channel;
}

static void add_wait(Waits *w, uint32_t from, uint32_t to)
{
    gpointer key = GSIZE_TO_POINTER(((gsize)from << 32 | to) + 1);

    if (!g_hash_table_add(w->waits, key))
        return;
    if (!w->after[from])
        w->after[from] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(w->after[from], to);
    w->n_before[to]++;
}

/* Until it comes to where another to @dst has gone on from, or to nowhere, as
 * where no way keeps to a plane. */
static void walk(Waits *w, uint32_t src, uint32_t dst, uint32_t way)
{
    const Topology *t = w->topology;
    uint64_t mark = (uint64_t)dst * N_WAYS + way + 1;
    uint32_t at = src, link = TOPOLOGY_NONE, channel = 0;

    while (at != dst) {
        uint32_t next = topology_next(t, at, dst, way);
        uint32_t to;

        if (next == TOPOLOGY_NONE)
            return;
        to = topology_channel(t, link, channel, next);
        if (link != TOPOLOGY_NONE)
            add_wait(w, buffer_of(link, channel), buffer_of(next, to));
        link = next;
        channel = to;
        if (w->walked[buffer_of(link, channel)] == mark)
            return;
        w->walked[buffer_of(link, channel)] = mark;
        at = topology_to(t, link);
    }
}

/* Takes away, again and again, what waits for nothing before it; what is left
 * has a ring.  Returns one of them, or TOPOLOGY_NONE. */
static uint32_t find_ring(Waits *w)
{
    g_autofree uint32_t *queue = g_new(uint32_t, w->n);
    uint32_t n_queued = 0;

    for (uint32_t i = 0; i < w->n; i++)
        if (w->n_before[i] == 0)
            queue[n_queued++] = i;
    for (uint32_t q = 0; q < n_queued; q++) {
        const GArray *after = w->after[queue[q]];

        for (guint i = 0; after && i < after->len; i++) {
            uint32_t next = g_array_index(after, uint32_t, i);

            if (--w->n_before[next] == 0)
                queue[n_queued++] = next;
        }
    }
    for (uint32_t i = 0; i < w->n; i++)
        if (w->n_before[i] > 0)
            return i;
    return TOPOLOGY_NONE;
}

/* What is left waits for what is left. */
static uint32_t next_left(const Waits *w, uint32_t buffer)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const GArray *after = w->n_before[i] > 0 ? w->after[i] : NULL;

        for (guint a = 0; after && a < after->len; a++)
            if (g_array_index(after, uint32_t, a) == buffer)
                return i;
    }
    return TOPOLOGY_NONE;
}

#define MOST_NAMED 4

static char *name_ring(const Waits *w, uint32_t buffer)
{
    GString *text = g_string_new(NULL);
    g_autofree gboolean *seen = g_new0(gboolean, w->n);

    /* Back along what waits, which comes to a ring for sure. */
    for (; !seen[buffer]; buffer = next_left(w, buffer))
        seen[buffer] = TRUE;
    for (guint i = 0; i < MOST_NAMED && seen[buffer]; i++) {
        uint32_t port =
            buffer / TOPOLOGY_N_CHANNELS % topology_n_ports(w->topology);

        seen[buffer] = FALSE;
        g_string_prepend(text, topology_port(w->topology, port)->name);
        buffer = next_left(w, buffer);
        if (seen[buffer])
            g_string_prepend(text, i + 1 < MOST_NAMED ? ", " : "..., ");
    }
    return g_string_free(text, FALSE);
}

static void waits_clear(Waits *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->after[i])
            g_array_unref(w->after[i]);
    g_hash_table_unref(w->waits);
    g_free(w->after);
    g_free(w->n_before);
    g_free(w->walked);
}

static gboolean check_waits(const Topology *topology, const ConfigNode *where,
                            GError **error)
{
    uint32_t n = topology_n_links(topology) * TOPOLOGY_N_CHANNELS, ring;
    /* Where all links are of one reach planes make no difference. */
    gboolean is_one = (topology->planes & (topology->planes - 1)) == 0;
    uint32_t n_ways = is_one ? TOPOLOGY_WAY(1, 0) : N_WAYS;
    Waits w = { .topology = topology,
                .n = n,
                .waits = g_hash_table_new(NULL, NULL),
                .after = g_new0(GArray *, n),
                .n_before = g_new0(uint32_t, n),
                .walked = g_new0(uint64_t, n) };

    for (uint32_t dst = 0; dst < topology->n_npus; dst++)
        for (uint32_t way = 0; way < n_ways; way++)
            for (uint32_t src = 0; src < topology->n_npus; src++)
                walk(&w, src, dst, way);
    ring = find_ring(&w);
    if (ring != TOPOLOGY_NONE) {
        g_autofree char *names = name_ring(&w, ring);

        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "fidelity: on this %s packets could wait for each "
                         "other in a ring: %s; take `message`",
                         topology_kind(topology), names);
    }
    waits_clear(&w);
    return ring == TOPOLOGY_NONE;
}

gboolean topology_check_packets(const Topology *topology,
                                const ConfigNode *where, GError **error)
{
    return topology->ops->packets_are_proved ||
           check_waits(topology, where, error);
}
