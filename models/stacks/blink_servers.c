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
 * the payload in which all servers keep to one tree, and no more of it than one
 * in as many as the largest server has ranks, since a root has one NIC.  Trees
 * are used both ways, so each can hang from any rank: the roots of a channel
 * are the ranks with which all channels so far leave the servers fastest, so
 * that all NICs are used.
 */
#include <string.h>

#include "models/stacks/blink_impl.h"

typedef struct {
    uint32_t n;
    uint32_t *ranks;        /* owned: of the group */
    const PackTrees *trees; /* borrowed; NULL: one rank alone */
    /* owned: of the tree that is looked at, of ranks of the server, with its
     * root */
    uint32_t *parents;
    CollSchedule *up, *down; /* owned: of it; NULL: one rank alone */
    uint32_t root;           /* of it, a number among .ranks */
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

/* Where the payload is at @at of @n_shares. */
typedef struct {
    uint64_t at, n_shares;
} Part;

static uint32_t root_rank(const GArray *servers, uint32_t i)
{
    const Server *server = &g_array_index(servers, Server, i);

    return server->ranks[server->root];
}

/* The tree that has share @at of the server's; *@ret_end becomes where it ends,
 * where that is less. */
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

static void take_tree(Server *server, const Part *part)
{
    uint64_t end = part->n_shares;
    uint32_t tree = tree_at(server, part, &end);

    if (server->n == 1)
        return;
    memcpy(server->parents, pack_tree(server->trees, tree),
           server->n * sizeof *server->parents);
    hang(server->parents, server->root);
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
            CollStep step = {
                .send_to = root_rank(servers, next),
                .recv_from = root_rank(servers, before),
                .send_block = next,
                .recv_block = i,
                .n_blocks = 1,
                .n_recv_blocks = 1,
            };

            *coll_schedule_at(to, root_rank(servers, i), first + k - 1) = step;
            step.send_block = i;
            step.recv_block = before;
            *coll_schedule_at(to, root_rank(servers, i),
                              first + m - 1 + k - 1) = step;
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

/* The edges between servers, and how many shares of the payload each carries.
 */
typedef struct {
    GArray *edges;   /* owned: of NearEdge */
    GArray *weights; /* owned: of double */
} Across;

static void across_clear(Across *across)
{
    g_array_unref(across->edges);
    g_array_unref(across->weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Across, across_clear)

static uint64_t across_rate(const BlinkDraft *draft, const Across *across)
{
    return near_rate(
        draft->topology, (const NearEdge *)(gpointer)across->edges->data,
        (const double *)(gpointer)across->weights->data, across->edges->len, 0);
}

static void add_edges(const BlinkDraft *draft, const GArray *servers,
                      uint64_t n_shares, Across *across)
{
    double weight = (double)n_shares;

    for (uint32_t i = 0; i < servers->len; i++)
        for (uint32_t k = 0; k < servers->len; k++) {
            NearEdge edge = { draft->npus[root_rank(servers, i)],
                              draft->npus[root_rank(servers, k)] };

            if (i == k)
                continue;
            g_array_append_val(across->edges, edge);
            g_array_append_val(across->weights, weight);
        }
}

/* Ranks of the largest server. */
static uint32_t largest(const GArray *servers)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < servers->len; i++)
        most = MAX(most, g_array_index(servers, Server, i).n);
    return most;
}

static void set_roots(GArray *servers, uint32_t offset)
{
    for (uint32_t i = 0; i < servers->len; i++) {
        Server *server = &g_array_index(servers, Server, i);

        server->root = offset % server->n;
    }
}

/* Sets the roots of one more channel, of @n_shares, with which it and those in
 * @across leave the servers fastest, and adds its edges.  Of equals the first
 * ranks are taken. */
static void choose_roots(const BlinkDraft *draft, GArray *servers,
                         uint64_t n_shares, Across *across)
{
    uint32_t n_before = across->edges->len, best = 0;
    uint64_t best_bytes_per_s = 0;

    for (uint32_t offset = 0; offset < largest(servers); offset++) {
        uint64_t bytes_per_s;

        set_roots(servers, offset);
        add_edges(draft, servers, n_shares, across);
        bytes_per_s = across_rate(draft, across);
        g_array_set_size(across->edges, n_before);
        g_array_set_size(across->weights, n_before);
        if (bytes_per_s > best_bytes_per_s) {
            best_bytes_per_s = bytes_per_s;
            best = offset;
        }
    }
    set_roots(servers, best);
    add_edges(draft, servers, n_shares, across);
}

gboolean blink_add_servers(BlinkDraft *draft, const uint32_t *of,
                           uint32_t n_servers)
{
    g_autoptr(GArray) servers = make_servers(draft, of, n_servers);
    g_auto(Across) across = {
        .edges = g_array_new(FALSE, FALSE, sizeof(NearEdge)),
        .weights = g_array_new(FALSE, FALSE, sizeof(double)),
    };
    Part part = { .n_shares = 1 };
    uint64_t share_bytes_per_s, most;

    if (!servers)
        return FALSE;
    for (uint32_t i = 0; i < n_servers; i++)
        part.n_shares = least_common(
            part.n_shares, g_array_index(servers, Server, i).n_shares);
    most = (part.n_shares + largest(servers) - 1) / largest(servers);
    while (part.at < part.n_shares) {
        uint64_t end = MIN(part.at + most, part.n_shares);

        for (uint32_t i = 0; i < n_servers; i++)
            tree_at(&g_array_index(servers, Server, i), &part, &end);
        choose_roots(draft, servers, end - part.at, &across);
        for (uint32_t i = 0; i < n_servers; i++)
            take_tree(&g_array_index(servers, Server, i), &part);
        blink_add(draft, join(draft, servers), 0, (uint32_t)(end - part.at));
        part.at = end;
    }
    share_bytes_per_s = across_rate(draft, &across);
    if (share_bytes_per_s == 0)
        return FALSE;
    /* An edge has 2 / m of the bytes of its channel's shares. */
    draft->bytes_per_s = rate_of(
        draft, servers, share_bytes_per_s * part.n_shares * n_servers / 2);
    if (draft->link_bytes_per_s == 0)
        draft->link_bytes_per_s = draft->bytes_per_s;
    return TRUE;
}
