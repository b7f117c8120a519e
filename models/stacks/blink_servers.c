/*
 * blink_servers.c - an all-reduce among servers: in, across, out
 *
 * Every server reduces along a tree of its own to a root, the roots reduce
 * among each other, each one block of as many as there are servers, received
 * from all others in one hop and sent to them in another; then every server
 * sends the sum down its tree.  As data that is one schedule:
 *
 *     up                 as many steps as the slowest server's tree takes
 *     across             m - 1 that reduce, and m - 1 that do not
 *     down               as many as up
 *
 * Servers may be packed with different trees.  Where one's first share ends the
 * next tree takes over there, whatever the others do: a channel is a share of
 * the payload in which all servers keep to one tree.  Trees are used both ways,
 * so each can hang from any rank; that of channel i from the i-th of its
 * server, so that all ways out are used.
 */
#include <string.h>

#include "models/stacks/blink_impl.h"

typedef struct {
    uint32_t n;
    uint32_t *ranks;        /* owned: of the group */
    const PackTrees *trees; /* borrowed; NULL: one rank alone */
    uint32_t *parents;      /* owned: of the tree that is looked at, of ranks of
                               the server, with its root */
    CollSchedule *up, *down; /* owned: of it; NULL: one rank alone */
    uint32_t root;           /* of it, a rank of the group */
    uint64_t n_shares;       /* of all trees */
} Server;

static void server_clear(gpointer data)
{
    Server *server = data;

    g_free(server->ranks);
    g_free(server->parents);
    coll_schedule_free(server->up);
    coll_schedule_free(server->down);
}

static gboolean pack_server(const BlinkDraft *draft, Server *server,
                            uint64_t *ret_bytes_per_s)
{
    g_autofree PackGraph *graph = g_new(PackGraph, 1);
    g_autofree uint32_t *npus = g_new(uint32_t, server->n);

    server->n_shares = 1;
    server->parents = g_new0(uint32_t, server->n);
    if (server->n == 1)
        return TRUE;
    for (uint32_t i = 0; i < server->n; i++)
        npus[i] = draft->npus[server->ranks[i]];
    if (server->n > PACK_MAX_RANKS ||
        !near_graph(draft->topology, npus, server->n, graph, ret_bytes_per_s) ||
        (graph->n_ports == 0 && !pack_graph_is_connected(graph)))
        return FALSE;
    server->trees = blink_pack(draft, graph, PACK_BOTH, PACK_ANY_ROOT);
    server->n_shares = 0;
    for (uint32_t t = 0; t < server->trees->n_trees; t++)
        server->n_shares += server->trees->shares[t];
    return TRUE;
}

/* Servers with their ranks, packed; NULL: some cannot be. */
static GArray *make_servers(BlinkDraft *draft, const uint32_t *of,
                            uint32_t n_servers)
{
    g_autoptr(GArray) servers = g_array_new(FALSE, TRUE, sizeof(Server));

    g_array_set_clear_func(servers, server_clear);
    g_array_set_size(servers, n_servers);
    for (uint32_t r = 0; r < draft->n; r++) {
        Server *server = &g_array_index(servers, Server, of[r]);

        server->ranks = g_renew(uint32_t, server->ranks, server->n + 1);
        server->ranks[server->n++] = r;
    }
    for (uint32_t s = 0; s < n_servers; s++)
        if (!pack_server(draft, &g_array_index(servers, Server, s),
                         &draft->link_bytes_per_s))
            return NULL;
    return g_steal_pointer(&servers);
}

/* ---- one channel ----------------------------------------------------------
 */

/* Where the payload is at @at of @n_shares, and the number of the channel. */
typedef struct {
    uint64_t at, n_shares;
    uint32_t number;
} Part;

/* The tree that has share @at of the server's; *@ret_end is where it ends. */
static uint32_t tree_at(const Server *server, const Part *part,
                        uint64_t *ret_end)
{
    uint64_t end = 0, scale = part->n_shares / server->n_shares;

    for (uint32_t t = 0; server->trees && t < server->trees->n_trees; t++) {
        end += server->trees->shares[t] * scale;
        if (part->at < end) {
            *ret_end = MIN(*ret_end, end);
            return t;
        }
    }
    return 0;
}

/* Hangs the tree from @root: what was above it is below it now. */
static void hang(uint32_t *parents, uint32_t root)
{
    uint32_t child = root, at = root, parent;

    do {
        parent = parents[at];
        parents[at] = child;
        child = at;
        at = parent;
    } while (child != parent);
}

static void take_tree(Server *server, const Part *part, uint64_t *ret_end)
{
    uint32_t tree = tree_at(server, part, ret_end);
    uint32_t root = part->number % server->n;

    server->root = server->ranks[root];
    if (server->n == 1)
        return;
    memcpy(server->parents, pack_tree(server->trees, tree),
           server->n * sizeof *server->parents);
    hang(server->parents, root);
    coll_schedule_free(server->up);
    coll_schedule_free(server->down);
    server->up = coll_schedule_of_tree(COLL_REDUCE, server->parents, server->n);
    server->down =
        coll_schedule_of_tree(COLL_BROADCAST, server->parents, server->n);
}

/* The steps of @part, of @server's own ranks, with all blocks, from @first. */
static void copy_steps(CollSchedule *to, uint32_t first, const Server *server,
                       const CollSchedule *part)
{
    for (uint32_t r = 0; r < part->n_ranks; r++)
        for (uint32_t s = 0; s < part->n_steps; s++) {
            CollStep step = *coll_schedule_at(part, r, s);

            step.send_to = server->ranks[step.send_to];
            step.recv_from = server->ranks[step.recv_from];
            step.n_blocks *= to->n_blocks;
            step.n_recv_blocks *= to->n_blocks;
            *coll_schedule_at(to, server->ranks[r], first + s) = step;
        }
}

/* In step k root i sends to root i + k, and gets of root i - k, the block of
 * whose sum it is, then its own. */
static void fill_across(CollSchedule *to, uint32_t first, const GArray *servers)
{
    uint32_t m = servers->len;

    for (uint32_t i = 0; i < m; i++)
        for (uint32_t k = 1; k < m; k++) {
            uint32_t next = (i + k) % m, before = (i + m - k) % m;
            const Server *self = &g_array_index(servers, Server, i);
            CollStep step = {
                .send_to = g_array_index(servers, Server, next).root,
                .recv_from = g_array_index(servers, Server, before).root,
                .send_block = next,
                .recv_block = i,
                .n_blocks = 1,
                .n_recv_blocks = 1,
            };

            *coll_schedule_at(to, self->root, first + k - 1) = step;
            step.send_block = i;
            step.recv_block = before;
            *coll_schedule_at(to, self->root, first + m - 1 + k - 1) = step;
        }
}

static CollSchedule *join(const BlinkDraft *draft, const GArray *servers)
{
    uint32_t m = servers->len, n_up = 0;
    CollSchedule *schedule;

    for (uint32_t i = 0; i < m; i++) {
        const Server *server = &g_array_index(servers, Server, i);

        if (server->up)
            n_up = MAX(n_up, server->up->n_steps);
    }
    schedule =
        coll_schedule_new(COLL_ALL_REDUCE, draft->n, 2 * n_up + 2 * (m - 1), m);
    for (uint32_t i = 0; i < m; i++) {
        const Server *server = &g_array_index(servers, Server, i);

        if (!server->up)
            continue;
        copy_steps(schedule, n_up - server->up->n_steps, server, server->up);
        copy_steps(schedule, n_up + 2 * (m - 1), server, server->down);
    }
    fill_across(schedule, n_up, servers);
    for (uint32_t r = 0; r < draft->n; r++)
        for (uint32_t s = 0; s < schedule->n_steps; s++)
            coll_schedule_at(schedule, r, s)->reduces = s < n_up + m - 1;
    coll_schedule_finish(schedule);
    return schedule;
}

/* ---- all channels -----------------------------------------------------------
 */

static uint64_t least_common(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y > 0) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return a / x * b;
}

/* What is slowest: a server's trees, or what leads out, over which m - 1 of m
 * blocks of each channel go twice. */
static uint64_t rate_of(const BlinkDraft *draft, const GArray *servers,
                        uint64_t across_bytes_per_s)
{
    uint64_t most = across_bytes_per_s;

    for (uint32_t i = 0; i < servers->len; i++) {
        const Server *server = &g_array_index(servers, Server, i);

        if (server->trees)
            most = MIN(most, draft->link_bytes_per_s * server->n_shares /
                                 server->trees->den);
    }
    return most;
}

static void add_edges(const BlinkDraft *draft, const GArray *servers,
                      GArray *edges)
{
    for (uint32_t i = 0; i < servers->len; i++)
        for (uint32_t k = 0; k < servers->len; k++) {
            NearEdge edge = {
                draft->npus[g_array_index(servers, Server, i).root],
                draft->npus[g_array_index(servers, Server, k).root]
            };

            if (i != k)
                g_array_append_val(edges, edge);
        }
}

gboolean blink_add_servers(BlinkDraft *draft, const uint32_t *of,
                           uint32_t n_servers)
{
    g_autoptr(GArray) servers = make_servers(draft, of, n_servers);
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(NearEdge));
    Part part = { .n_shares = 1 };
    uint64_t across;

    if (!servers)
        return FALSE;
    for (uint32_t i = 0; i < n_servers; i++)
        part.n_shares = least_common(
            part.n_shares, g_array_index(servers, Server, i).n_shares);
    while (part.at < part.n_shares) {
        uint64_t end = part.n_shares;

        for (uint32_t i = 0; i < n_servers; i++)
            take_tree(&g_array_index(servers, Server, i), &part, &end);
        blink_add(draft, join(draft, servers), 0, (uint32_t)(end - part.at));
        add_edges(draft, servers, edges);
        part.at = end;
        part.number++;
    }
    across = near_rate(draft->topology, (const NearEdge *)(gpointer)edges->data,
                       edges->len, 0);
    if (across == 0)
        return FALSE;
    /* Each edge has 1 / m of a channel's payload, twice. */
    draft->bytes_per_s =
        rate_of(draft, servers, across * part.number * n_servers / 2);
    if (draft->link_bytes_per_s == 0)
        draft->link_bytes_per_s = draft->bytes_per_s;
    return TRUE;
}
