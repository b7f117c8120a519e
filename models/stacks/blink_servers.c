/*
 * blink_servers.c - an all-reduce among servers: up, across, down
 *
 * Every server reduces along a tree to its root.  The m roots then reduce among
 * each other: each root receives one of m blocks from all other roots in one
 * hop, and sends the sum to them in another.  Then every server sends the
 * result down its tree.  This is one schedule:
 *
 *     up       as many steps as the slowest server's tree needs
 *     across   m - 1 steps that reduce, and m - 1 that do not
 *     down     as many steps as up
 *
 * Servers can have different trees with different shares.  A channel is a share
 * of the payload during which each server uses one tree, so a new channel
 * starts wherever the share of some tree ends.  A channel carries at most 1/n
 * of the payload if the largest server has n ranks, because a root has one NIC.
 * Trees are used in both directions, so any rank can be the root.  The roots of
 * a channel are chosen such that all channels so far leave the servers as fast
 * as possible, so that all NICs are used.
 */
#include <string.h>

#include "models/stacks/blink_impl.h"

typedef struct {
    uint32_t n;
    uint32_t *ranks;        /* owned: ranks of the group */
    const PackTrees *trees; /* borrowed; NULL if the server has one rank */
    /* Owned: the parents in the current tree, whose root is .root, as indices
     * in .ranks. */
    uint32_t *parents;
    /* Owned: the reduce up the current tree and the broadcast down; NULL if the
     * server has one rank. */
    CollSchedule *up, *down;
    uint32_t root;     /* root of the current tree, index in .ranks */
    uint64_t n_shares; /* sum of the shares of all trees */
} Server;

static void clear_packed_server(gpointer data)
{
    Server *server = data;

    g_free(server->ranks);
    g_free(server->parents);
    coll_schedule_free(server->up);
    coll_schedule_free(server->down);
}

static gboolean pack_trees_on_server(const BlinkDraft *draft, Server *server,
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
        !rank_locality_near_link_graph(draft->topology, npus, server->n, graph,
                                       ret_bytes_per_s) ||
        (graph->n_ports == 0 && !pack_graph_is_connected(graph)))
        return FALSE;
    server->trees =
        blink_pack_trees_cached(draft, graph, PACK_BOTH, PACK_ANY_ROOT);
    server->n_shares = 0;
    for (uint32_t t = 0; t < server->trees->n_trees; t++)
        server->n_shares += server->trees->shares[t];
    return TRUE;
}

/* Returns the packed servers with their ranks, or NULL if one cannot be packed.
 * @server_of is the server of each rank. */
static GArray *pack_trees_on_all_servers(BlinkDraft *draft,
                                         const uint32_t *server_of,
                                         uint32_t n_servers)
{
    g_autoptr(GArray) servers = g_array_new(FALSE, TRUE, sizeof(Server));

    g_array_set_clear_func(servers, clear_packed_server);
    g_array_set_size(servers, n_servers);
    for (uint32_t r = 0; r < draft->n; r++) {
        Server *server = &g_array_index(servers, Server, server_of[r]);

        server->ranks = g_renew(uint32_t, server->ranks, server->n + 1);
        server->ranks[server->n++] = r;
    }
    for (uint32_t s = 0; s < n_servers; s++)
        if (!pack_trees_on_server(draft, &g_array_index(servers, Server, s),
                                  &draft->link_bytes_per_s))
            return NULL;
    return g_steal_pointer(&servers);
}

/* ---- one channel --------------------------------------------------------- */

/* A position in the payload: share @at of @n_shares. */
typedef struct {
    uint64_t share, n_shares;
} Position;

static uint32_t root_rank_of_server(const GArray *servers, uint32_t i)
{
    const Server *server = &g_array_index(servers, Server, i);

    return server->ranks[server->root];
}

/* Returns the tree that carries share @at of the server's payload.  Lowers
 * *@ret_end to the end of that tree's share, if that is less. */
static uint32_t tree_at_payload_share(const Server *server,
                                      const Position *part, uint64_t *ret_end)
{
    uint64_t end = 0, scale = part->n_shares / server->n_shares;

    for (uint32_t t = 0; server->trees && t < server->trees->n_trees; t++) {
        end += server->trees->shares[t] * scale;
        if (part->share < end) {
            *ret_end = MIN(*ret_end, end);
            return t;
        }
    }
    return 0;
}

/* Makes @root the root of the tree by reversing the path from it to the old
 * root. */
static void reroot_tree_parents(uint32_t *parents, uint32_t root)
{
    uint32_t child = root, at = root, parent;

    do {
        parent = parents[at];
        parents[at] = child;
        child = at;
        at = parent;
    } while (child != parent);
}

static void set_current_tree_of_server(Server *server, const Position *part)
{
    uint64_t end = part->n_shares;
    uint32_t tree = tree_at_payload_share(server, part, &end);

    if (server->n == 1)
        return;
    memcpy(server->parents, pack_tree_parents(server->trees, tree),
           server->n * sizeof *server->parents);
    reroot_tree_parents(server->parents, server->root);
    coll_schedule_free(server->up);
    coll_schedule_free(server->down);
    server->up = coll_schedule_of_tree(COLL_REDUCE, server->parents, server->n);
    server->down =
        coll_schedule_of_tree(COLL_BROADCAST, server->parents, server->n);
}

/* Copies the steps of @part, which has @server's ranks, into @to from step
 * @first.  Each block of @part becomes all blocks of @to. */
static void copy_server_steps_to_schedule(CollSchedule *to, uint32_t first,
                                          const Server *server,
                                          const CollSchedule *part)
{
    for (uint32_t r = 0; r < part->n_ranks; r++)
        for (uint32_t s = 0; s < part->n_steps; s++) {
            CollStep step = *coll_schedule_step_at(part, r, s);

            step.send_to = server->ranks[step.send_to];
            step.recv_from = server->ranks[step.recv_from];
            step.n_blocks *= to->n_blocks;
            step.n_recv_blocks *= to->n_blocks;
            *coll_schedule_step_at(to, server->ranks[r], first + s) = step;
        }
}

/* Adds the steps between the roots of the servers.  In step k, root i sends a
 * block to root i + k and receives one from root i - k.  The first m - 1 steps
 * send the block that root i + k sums, and the others the sum of root i. */
static void add_inter_server_steps(CollSchedule *to, uint32_t first,
                                   const GArray *servers)
{
    uint32_t m = servers->len;

    for (uint32_t i = 0; i < m; i++)
        for (uint32_t k = 1; k < m; k++) {
            uint32_t next = (i + k) % m, before = (i + m - k) % m;
            CollStep step = {
                .send_to = root_rank_of_server(servers, next),
                .recv_from = root_rank_of_server(servers, before),
                .send_block = next,
                .recv_block = i,
                .n_blocks = 1,
                .n_recv_blocks = 1,
            };

            *coll_schedule_step_at(to, root_rank_of_server(servers, i),
                                   first + k - 1) = step;
            step.send_block = i;
            step.recv_block = before;
            *coll_schedule_step_at(to, root_rank_of_server(servers, i),
                                   first + m - 1 + k - 1) = step;
        }
}

static CollSchedule *join_up_across_down_schedules(const BlinkDraft *draft,
                                                   const GArray *servers)
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
        copy_server_steps_to_schedule(schedule, n_up - server->up->n_steps,
                                      server, server->up);
        copy_server_steps_to_schedule(schedule, n_up + 2 * (m - 1), server,
                                      server->down);
    }
    add_inter_server_steps(schedule, n_up, servers);
    for (uint32_t r = 0; r < draft->n; r++)
        for (uint32_t s = 0; s < schedule->n_steps; s++)
            coll_schedule_step_at(schedule, r, s)->reduces = s < n_up + m - 1;
    coll_schedule_finish(schedule);
    return schedule;
}

/* ---- all channels -------------------------------------------------------- */

static uint64_t least_common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y > 0) {
        uint64_t remainder = x % y;

        x = y;
        y = remainder;
    }
    return a / x * b;
}

/* Returns the rate of the slowest part of an all-reduce: the trees of a server,
 * or the links between servers at @across_bytes_per_s. */
static uint64_t rate_of_slowest_tree_or_link(const BlinkDraft *draft,
                                             const GArray *servers,
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

/* Edges between servers, with the shares of the payload that each carries. */
typedef struct {
    GArray *edges;   /* owned: elements are NpuEdge */
    GArray *weights; /* owned: elements are double */
} InterServerEdges;

static void inter_server_edges_clear(InterServerEdges *across)
{
    g_array_unref(across->edges);
    g_array_unref(across->weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InterServerEdges, inter_server_edges_clear)

static uint64_t inter_server_edge_rate(const BlinkDraft *draft,
                                       const InterServerEdges *across)
{
    return rank_locality_shared_edge_rate(
        draft->topology, (const NpuEdge *)(gpointer)across->edges->data,
        (const double *)(gpointer)across->weights->data, across->edges->len, 0);
}

static void add_edges_between_roots(const BlinkDraft *draft,
                                    const GArray *servers, uint64_t n_shares,
                                    InterServerEdges *across)
{
    double weight = (double)n_shares;

    for (uint32_t i = 0; i < servers->len; i++)
        for (uint32_t k = 0; k < servers->len; k++) {
            NpuEdge edge = { draft->npus[root_rank_of_server(servers, i)],
                             draft->npus[root_rank_of_server(servers, k)] };

            if (i == k)
                continue;
            g_array_append_val(across->edges, edge);
            g_array_append_val(across->weights, weight);
        }
}

/* Returns the number of ranks of the largest server. */
static uint32_t n_ranks_of_largest_server(const GArray *servers)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < servers->len; i++)
        most = MAX(most, g_array_index(servers, Server, i).n);
    return most;
}

static void set_roots_of_servers(GArray *servers, uint32_t offset)
{
    for (uint32_t i = 0; i < servers->len; i++) {
        Server *server = &g_array_index(servers, Server, i);

        server->root = offset % server->n;
    }
}

/* Chooses the roots of one more channel of @n_shares such that it and the
 * channels in @across leave the servers as fast as possible, and adds its
 * edges.  The first of equal choices wins. */
static void choose_tree_roots(const BlinkDraft *draft, GArray *servers,
                              uint64_t n_shares, InterServerEdges *across)
{
    uint32_t n_before = across->edges->len, best = 0;
    uint64_t best_bytes_per_s = 0;

    for (uint32_t offset = 0; offset < n_ranks_of_largest_server(servers);
         offset++) {
        uint64_t bytes_per_s;

        set_roots_of_servers(servers, offset);
        add_edges_between_roots(draft, servers, n_shares, across);
        bytes_per_s = inter_server_edge_rate(draft, across);
        g_array_set_size(across->edges, n_before);
        g_array_set_size(across->weights, n_before);
        if (bytes_per_s > best_bytes_per_s) {
            best_bytes_per_s = bytes_per_s;
            best = offset;
        }
    }
    set_roots_of_servers(servers, best);
    add_edges_between_roots(draft, servers, n_shares, across);
}

gboolean blink_add_multi_server_channels(BlinkDraft *draft,
                                         const uint32_t *server_of,
                                         uint32_t n_servers)
{
    g_autoptr(GArray) servers =
        pack_trees_on_all_servers(draft, server_of, n_servers);
    g_auto(InterServerEdges) across = {
        .edges = g_array_new(FALSE, FALSE, sizeof(NpuEdge)),
        .weights = g_array_new(FALSE, FALSE, sizeof(double)),
    };
    Position part = { .n_shares = 1 };
    uint64_t share_bytes_per_s, most;

    if (!servers)
        return FALSE;
    for (uint32_t i = 0; i < n_servers; i++)
        part.n_shares = least_common_multiple(
            part.n_shares, g_array_index(servers, Server, i).n_shares);
    most = (part.n_shares + n_ranks_of_largest_server(servers) - 1) /
           n_ranks_of_largest_server(servers);
    while (part.share < part.n_shares) {
        uint64_t end = MIN(part.share + most, part.n_shares);

        for (uint32_t i = 0; i < n_servers; i++)
            tree_at_payload_share(&g_array_index(servers, Server, i), &part,
                                  &end);
        choose_tree_roots(draft, servers, end - part.share, &across);
        for (uint32_t i = 0; i < n_servers; i++)
            set_current_tree_of_server(&g_array_index(servers, Server, i),
                                       &part);
        blink_add_channel(draft, join_up_across_down_schedules(draft, servers),
                          0, (uint32_t)(end - part.share));
        part.share = end;
    }
    share_bytes_per_s = inter_server_edge_rate(draft, &across);
    if (share_bytes_per_s == 0)
        return FALSE;
    /* An edge carries 2 / m of the bytes of its channel. */
    draft->bytes_per_s = rate_of_slowest_tree_or_link(
        draft, servers, share_bytes_per_s * part.n_shares * n_servers / 2);
    if (draft->link_bytes_per_s == 0)
        draft->link_bytes_per_s = draft->bytes_per_s;
    return TRUE;
}
