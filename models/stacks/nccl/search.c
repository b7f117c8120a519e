/* search.c - from the fastest target down, until less is found */
#include "models/stacks/nccl/search.h"

#include <string.h>

#include "models/packing/rings.h"
#include "models/stacks/nccl/lay.h"

/* Slower channels than this share of the best's speed are not looked for. */
#define LEAST_SPEED_PERCENT 49

typedef struct {
    const NcclSystem *system;
    const NcclTask *task;
    NcclChannels *best;
} Search;

static NcclChannels *channels_new(const NcclSystem *s, const NcclLaid *laid,
                                  const NcclWish *wish)
{
    NcclChannels *c = g_new0(NcclChannels, 1);
    gsize n = (gsize)laid->n_channels * s->n_gpus;

    c->n_ranks = s->n_gpus;
    c->n_channels = laid->n_channels;
    c->bytes_per_s = wish->bytes_per_s;
    c->pattern = wish->pattern;
    c->plane = wish->near_only ? TOPOLOGY_PLANE(TOPOLOGY_NEAR)
                               : TOPOLOGY_PLANE(TOPOLOGY_NEAR) |
                                     TOPOLOGY_PLANE(TOPOLOGY_HOST);
    c->orders = g_memdup2(laid->orders, n * sizeof *c->orders);
    c->parents = g_new(uint32_t, n);
    c->nics = g_new(uint32_t, 2 * (gsize)laid->n_channels);
    for (gsize i = 0; i < n; i++)
        c->parents[i / s->n_gpus * s->n_gpus + c->orders[i]] =
            c->orders[i % s->n_gpus == 0 ? i : i - 1];
    for (uint32_t i = 0; i < 2 * laid->n_channels; i++)
        c->nics[i] = wish->has_network ? s->nodes[s->n_gpus + laid->nics[i]]
                                       : TOPOLOGY_NONE;
    return c;
}

void nccl_channels_free(NcclChannels *channels)
{
    if (!channels)
        return;
    g_free(channels->orders);
    g_free(channels->parents);
    g_free(channels->nics);
    g_free(channels);
}

/* ---- exact -------------------------------------------------------------- */

/* So many channels of @bytes_per_s as near links hold; on a switch if all they
 * lead to are switches.  FALSE: some are on a switch and some are not. */
static gboolean count_near(const NcclSystem *s, uint64_t bytes_per_s,
                           PackGraph *ret)
{
    uint32_t ports[PACK_MAX_RANKS] = { 0 };
    gboolean is_direct = FALSE;

    *ret = (PackGraph){ .n = s->n_gpus };
    for (uint32_t l = 0; l < s->n_links; l++) {
        const NcclLink *link = &s->links[l];
        uint64_t rate = link->link_bytes_per_s * link->n_links;
        uint32_t fits = (uint32_t)MIN(rate / bytes_per_s, PACK_MAX_LINKS);

        if (link->reach != TOPOLOGY_NEAR || link->from >= s->n_gpus)
            continue;
        if (link->to < s->n_gpus) {
            is_direct = TRUE;
            ret->links[link->from][link->to] += fits;
        } else {
            ports[link->from] += fits;
        }
    }
    ret->n_ports = ports[0];
    for (uint32_t i = 1; i < s->n_gpus; i++)
        ret->n_ports = MIN(ret->n_ports, ports[i]);
    return !(is_direct && ret->n_ports > 0);
}

static NcclLaid *lay_near_rings(const Search *s, const NcclWish *wish)
{
    NcclLaid *laid = g_new0(NcclLaid, 1);
    g_autofree PackGraph *graph = g_new(PackGraph, 1);
    g_autoptr(PackRings) rings = NULL;
    uint32_t n = s->system->n_gpus;

    if (n == 1 || !count_near(s->system, wish->bytes_per_s, graph))
        return laid;
    rings = pack_rings(graph);
    laid->n_channels = MIN(rings->n_rings, wish->most_channels);
    laid->orders = g_new(uint32_t, (gsize)laid->n_channels * n);
    /* Of more than are wanted those far apart, which share fewer links. */
    for (uint32_t c = 0; c < laid->n_channels; c++)
        memcpy(laid->orders + (gsize)c * n,
               pack_ring(rings, c * rings->n_rings / laid->n_channels),
               n * sizeof *laid->orders);
    return laid;
}

/* ---- the ladder --------------------------------------------------------- */

static gboolean is_better(const Search *s, uint32_t n_channels,
                          uint64_t bytes_per_s)
{
    return n_channels > 0 &&
           (!s->best || n_channels * bytes_per_s >
                            s->best->n_channels * s->best->bytes_per_s);
}

/* FALSE: no channel fits. */
static gboolean try(Search *s, const NcclWish *wish)
{
    gboolean is_ring =
        wish->pattern == NCCL_RING || wish->pattern == NCCL_SPLIT_TREE_LOOP;
    g_autoptr(NcclLaid) laid = wish->near_only && !wish->has_network && is_ring
                                   ? lay_near_rings(s, wish)
                                   : nccl_lay(wish);

    if (is_better(s, laid->n_channels, wish->bytes_per_s)) {
        nccl_channels_free(s->best);
        s->best = channels_new(s->system, laid, wish);
    }
    return laid->n_channels > 0;
}

/* No more than the NICs take out: where that many are laid nothing is looked
 * for further. */
static uint32_t most_channels(const Search *s, uint64_t bytes_per_s)
{
    uint64_t most = 0;

    if (!s->task->has_network)
        return s->task->most_channels;
    for (uint32_t i = 0; i < s->system->n_nics; i++)
        most += s->system->nic_out[i] / bytes_per_s;
    return (uint32_t)MIN(most, s->task->most_channels);
}

/* Near links first, then all; the nearest NICs first, then all; of trees the
 * one that spreads most first. */
static void try_rung(Search *s, uint64_t bytes_per_s)
{
    const NcclTask *task = s->task;
    NcclPattern last = task->is_tree ? NCCL_TREE : NCCL_RING;
    uint32_t most = most_channels(s, bytes_per_s);

    if (most == 0)
        return;
    for (guint i = 0; i < (task->has_network ? 4 : 2); i++)
        for (NcclPattern p = task->is_tree ? NCCL_SPLIT_TREE_LOOP : NCCL_RING;
             p <= last; p++) {
            NcclWish wish = { .system = s->system,
                              .pattern = p,
                              .bytes_per_s = bytes_per_s,
                              .most_channels = most,
                              .has_network = task->has_network,
                              .near_only = i % 2 == 0,
                              .closest_nic = i < 2 };

            if (p == NCCL_TREE && !task->has_network)
                continue;
            if (try(s, &wish))
                return;
        }
}

/* The speed of one link, of those that lead directly if there are any, or that
 * of a NIC if that is more: then a channel takes several of a GPU's links. */
static uint64_t fastest(const NcclSystem *s, const NcclTask *task)
{
    uint64_t of_reach[TOPOLOGY_N_REACHES] = { 0 }, most;

    for (uint32_t l = 0; l < s->n_links; l++) {
        uint64_t *of = &of_reach[s->links[l].reach];

        *of = MAX(*of, s->links[l].link_bytes_per_s);
    }
    most = of_reach[TOPOLOGY_NEAR] ?: of_reach[TOPOLOGY_HOST];
    for (uint32_t i = 0; i < s->n_nics && task->has_network; i++)
        most = MAX(most, s->nic_out[i]);
    return most;
}

static NcclChannels *in_order(const NcclSystem *s, const NcclTask *task)
{
    g_autoptr(NcclLaid) laid = g_new0(NcclLaid, 1);
    NcclWish wish = { .pattern = task->is_tree ? NCCL_TREE : NCCL_RING,
                      .bytes_per_s = nccl_speed(NCCL_N_SPEEDS - 1) };
    NcclChannels *channels;

    laid->n_channels = 1;
    laid->orders = g_new(uint32_t, s->n_gpus);
    for (uint32_t i = 0; i < s->n_gpus; i++)
        laid->orders[i] = i;
    channels = channels_new(s, laid, &wish);
    channels->plane = 0;
    return channels;
}

NcclChannels *nccl_search(const Topology *topology, const NcclTask *task)
{
    g_autoptr(NcclSystem) system = nccl_system_new(topology, task);
    Search s = { system, task, NULL };
    uint64_t most = fastest(system, task);

    g_assert(task->most_channels > 0);
    for (guint i = 0; i < NCCL_N_SPEEDS; i++) {
        uint64_t speed = nccl_speed(i);

        if (speed > most)
            continue;
        if (s.best && speed * 100 < s.best->bytes_per_s * LEAST_SPEED_PERCENT)
            break;
        try_rung(&s, speed);
    }
    return s.best ? s.best : in_order(system, task);
}
