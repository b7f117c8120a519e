/*
 * deadlock_check.c - searches for cycles of buffers that wait for each other
 *
 * A packet in a buffer waits for space in the next buffer of its path.  If
 * these waits, over all possible paths, form no cycle, some packet can always
 * move.  This is proved for grids (packet_network.h).  For other kinds, this
 * module walks all paths.
 *
 * Cost     the sum of the lengths of the paths between all pairs of NPUs
 */
#include "network/deadlock_check.h"

#include "network/topology_impl.h"

#define N_PLANES   (1 << TOPOLOGY_N_REACHES)
#define N_PATH_IDS TOPOLOGY_PATH_ID(N_PLANES, 0)

/* A packet that passes the dateline of a ring changes to channel 1.  A packet
 * that turns to another dimension returns to channel 0. */
uint32_t topology_next_virtual_channel(const Topology *topology,
                                       uint32_t before, uint32_t channel,
                                       uint32_t link)
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

/* The graph of waits.  The nodes are the buffers, numbered by link and
 * channel. */
typedef struct {
    const Topology *topology;
    uint32_t n;
    /* Owned: the set of all waits.  The wait of buffer `from` for buffer `to`
     * is stored as (from << 32 | to) + 1. */
    GHashTable *waits;
    /* Owned: per buffer, the buffers it waits for; NULL: none. */
    GArray **successors;
    uint32_t *n_before;
    /* Owned: per buffer, the target and path id of the last walk that passed
     * it, plus 1; 0: no walk has passed it. */
    uint64_t *last_walk;
} BufferWaitGraph;

static uint32_t buffer_of_link_channel(uint32_t link, uint32_t channel)
{
    return link * TOPOLOGY_N_CHANNELS + channel;
}

static void add_buffer_wait(BufferWaitGraph *wait_graph, uint32_t from,
                            uint32_t to)
{
    gpointer key = GSIZE_TO_POINTER(((gsize)from << 32 | to) + 1);

    if (!g_hash_table_add(wait_graph->waits, key))
        return;
    if (!wait_graph->successors[from])
        wait_graph->successors[from] =
            g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(wait_graph->successors[from], to);
    wait_graph->n_before[to]++;
}

/* Adds the waits of the path from @src to @dst.  The walk stops where another
 * path to @dst has already passed, and where no link keeps to the plane. */
static void add_waits_of_path(BufferWaitGraph *wait_graph, uint32_t src,
                              uint32_t dst, uint32_t path_id)
{
    const Topology *topology = wait_graph->topology;
    uint64_t mark = (uint64_t)dst * N_PATH_IDS + path_id + 1;
    uint32_t node = src, link = TOPOLOGY_NONE, channel = 0;

    while (node != dst) {
        uint32_t next = topology_next_link(topology, node, dst, path_id);
        uint32_t to;

        if (next == TOPOLOGY_NONE)
            return;
        to = topology_next_virtual_channel(topology, link, channel, next);
        if (link != TOPOLOGY_NONE)
            add_buffer_wait(wait_graph, buffer_of_link_channel(link, channel),
                            buffer_of_link_channel(next, to));
        link = next;
        channel = to;
        if (wait_graph->last_walk[buffer_of_link_channel(link, channel)] ==
            mark)
            return;
        wait_graph->last_walk[buffer_of_link_channel(link, channel)] = mark;
        node = topology_link_target(topology, link);
    }
}

/* Removes repeatedly the buffers that no other buffer waits for; the remainder
 * contains a cycle if it is not empty.  Returns a remaining buffer, or
 * TOPOLOGY_NONE if none remains. */
static uint32_t find_buffer_in_wait_cycle(BufferWaitGraph *wait_graph)
{
    g_autofree uint32_t *queue = g_new(uint32_t, wait_graph->n);
    uint32_t n_queued = 0;

    for (uint32_t i = 0; i < wait_graph->n; i++)
        if (wait_graph->n_before[i] == 0)
            queue[n_queued++] = i;
    for (uint32_t q = 0; q < n_queued; q++) {
        const GArray *after = wait_graph->successors[queue[q]];

        for (guint i = 0; after && i < after->len; i++) {
            uint32_t next = g_array_index(after, uint32_t, i);

            if (--wait_graph->n_before[next] == 0)
                queue[n_queued++] = next;
        }
    }
    for (uint32_t i = 0; i < wait_graph->n; i++)
        if (wait_graph->n_before[i] > 0)
            return i;
    return TOPOLOGY_NONE;
}

/* Returns a remaining buffer that waits for @buffer, or TOPOLOGY_NONE. */
static uint32_t
find_predecessor_in_wait_graph(const BufferWaitGraph *wait_graph,
                               uint32_t buffer)
{
    for (uint32_t i = 0; i < wait_graph->n; i++) {
        const GArray *after =
            wait_graph->n_before[i] > 0 ? wait_graph->successors[i] : NULL;

        for (guint a = 0; after && a < after->len; a++)
            if (g_array_index(after, uint32_t, a) == buffer)
                return i;
    }
    return TOPOLOGY_NONE;
}

#define MAX_NAMED 4

/* Returns the names of the links of a cycle, at most MAX_NAMED of them.  The
 * caller owns the text. */
static char *name_links_of_wait_cycle(const BufferWaitGraph *wait_graph,
                                      uint32_t buffer)
{
    GString *text = g_string_new(NULL);
    g_autofree gboolean *seen = g_new0(gboolean, wait_graph->n);

    /* Walking back along the waits must end in a cycle, as every remaining
     * buffer has a remaining predecessor. */
    for (; !seen[buffer];
         buffer = find_predecessor_in_wait_graph(wait_graph, buffer))
        seen[buffer] = TRUE;
    for (guint i = 0; i < MAX_NAMED && seen[buffer]; i++) {
        uint32_t port = buffer / TOPOLOGY_N_CHANNELS %
                        topology_n_ports(wait_graph->topology);

        seen[buffer] = FALSE;
        g_string_prepend(text,
                         topology_get_port(wait_graph->topology, port)->name);
        buffer = find_predecessor_in_wait_graph(wait_graph, buffer);
        if (seen[buffer])
            g_string_prepend(text, i + 1 < MAX_NAMED ? ", " : "..., ");
    }
    return g_string_free(text, FALSE);
}

static void buffer_wait_graph_clear(BufferWaitGraph *wait_graph)
{
    for (uint32_t i = 0; i < wait_graph->n; i++)
        if (wait_graph->successors[i])
            g_array_unref(wait_graph->successors[i]);
    g_hash_table_unref(wait_graph->waits);
    g_free(wait_graph->successors);
    g_free(wait_graph->n_before);
    g_free(wait_graph->last_walk);
}

static gboolean check_buffer_waits_acyclic(const Topology *topology,
                                           const ConfigNode *where,
                                           GError **error)
{
    uint32_t n = topology_n_links(topology) * TOPOLOGY_N_CHANNELS, cycle;
    /* If all links have the same reach, all paths use the same links, so one
     * path id is enough. */
    gboolean is_one = (topology->planes & (topology->planes - 1)) == 0;
    uint32_t n_path_ids = is_one ? TOPOLOGY_PATH_ID(1, 0) : N_PATH_IDS;
    BufferWaitGraph w = { .topology = topology,
                          .n = n,
                          .waits = g_hash_table_new(NULL, NULL),
                          .successors = g_new0(GArray *, n),
                          .n_before = g_new0(uint32_t, n),
                          .last_walk = g_new0(uint64_t, n) };

    for (uint32_t dst = 0; dst < topology->n_npus; dst++)
        for (uint32_t path_id = 0; path_id < n_path_ids; path_id++)
            for (uint32_t src = 0; src < topology->n_npus; src++)
                add_waits_of_path(&w, src, dst, path_id);
    cycle = find_buffer_in_wait_cycle(&w);
    if (cycle != TOPOLOGY_NONE) {
        g_autofree char *names = name_links_of_wait_cycle(&w, cycle);

        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "fidelity: on this %s packets could wait for each "
                         "other in a ring: %s; take `message`",
                         topology_kind(topology), names);
    }
    buffer_wait_graph_clear(&w);
    return cycle == TOPOLOGY_NONE;
}

gboolean topology_check_no_packet_deadlock(const Topology *topology,
                                           const ConfigNode *where,
                                           GError **error)
{
    return topology->ops->packets_are_proved ||
           check_buffer_waits_acyclic(topology, where, error);
}
