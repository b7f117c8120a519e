/* channel_search.c - the search for channels: tries target speeds from fast to
 * slow */
#include "models/stacks/nccl/channel_search.h"

#include <string.h>

#include "models/packing/disjoint_rings.h"
#include "models/stacks/nccl/channel_layout.h"

/* The search ends at targets below this percentage of the best speed found. */
#define LEAST_SPEED_PERCENT 49

typedef struct {
    const NcclSystem *system;
    const NcclSearchTask *task;
    NcclChannels *best;
} Search;

static NcclChannels *alloc_nccl_channels(const NcclSystem *nccl_system,
                                         const NcclLayout *layout,
                                         const NcclLayoutRequest *request)
{
    NcclChannels *channels = g_new0(NcclChannels, 1);
    gsize n = (gsize)layout->n_channels * nccl_system->n_gpus;

    channels->n_ranks = nccl_system->n_gpus;
    channels->n_channels = layout->n_channels;
    channels->bytes_per_s = request->bytes_per_s;
    channels->pattern = request->pattern;
    channels->plane = request->near_only ? TOPOLOGY_PLANE(TOPOLOGY_NEAR)
                                         : TOPOLOGY_PLANE(TOPOLOGY_NEAR) |
                                               TOPOLOGY_PLANE(TOPOLOGY_HOST);
    channels->orders = g_memdup2(layout->orders, n * sizeof *channels->orders);
    channels->parents = g_new(uint32_t, n);
    channels->nics = g_new(uint32_t, 2 * (gsize)layout->n_channels);
    for (gsize i = 0; i < n; i++)
        channels->parents[i / nccl_system->n_gpus * nccl_system->n_gpus +
                          channels->orders[i]] =
            channels->orders[i % nccl_system->n_gpus == 0 ? i : i - 1];
    for (uint32_t i = 0; i < 2 * layout->n_channels; i++)
        channels->nics[i] =
            request->has_network
                ? nccl_system->nodes[nccl_system->n_gpus + layout->nics[i]]
                : TOPOLOGY_NONE;
    return channels;
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

/* ---- exact search ------------------------------------------------------ */

/* Sets *@ret to a graph of the near links, whose weights are the numbers of
 * channels of @bytes_per_s that they can carry.  Returns FALSE if some near
 * links lead to switches and others to GPUs. */
static gboolean count_channels_of_near_links(const NcclSystem *nccl_system,
                                             uint64_t bytes_per_s,
                                             PackGraph *ret)
{
    uint32_t ports[PACK_MAX_RANKS] = { 0 };
    gboolean is_direct = FALSE;

    *ret = (PackGraph){ .n = nccl_system->n_gpus };
    for (uint32_t l = 0; l < nccl_system->n_links; l++) {
        const NcclLink *link = &nccl_system->links[l];
        uint64_t rate = link->link_bytes_per_s * link->n_links;
        uint32_t fits = (uint32_t)MIN(rate / bytes_per_s, PACK_MAX_LINKS);

        if (link->reach != TOPOLOGY_NEAR || link->from >= nccl_system->n_gpus)
            continue;
        if (link->to < nccl_system->n_gpus) {
            is_direct = TRUE;
            ret->links[link->from][link->to] += fits;
        } else {
            ports[link->from] += fits;
        }
    }
    ret->n_ports = ports[0];
    for (uint32_t i = 1; i < nccl_system->n_gpus; i++)
        ret->n_ports = MIN(ret->n_ports, ports[i]);
    return !(is_direct && ret->n_ports > 0);
}

static NcclLayout *find_rings_over_near_links(const Search *search,
                                              const NcclLayoutRequest *request)
{
    NcclLayout *layout = g_new0(NcclLayout, 1);
    g_autofree PackGraph *graph = g_new(PackGraph, 1);
    g_autoptr(PackRings) rings = NULL;
    uint32_t n = search->system->n_gpus;

    if (n == 1 || !count_channels_of_near_links(search->system,
                                                request->bytes_per_s, graph))
        return layout;
    rings = pack_disjoint_rings(graph);
    layout->n_channels = MIN(rings->n_rings, request->most_channels);
    layout->orders = g_new(uint32_t, (gsize)layout->n_channels * n);
    /* If there are too many rings, takes rings that are far apart in the list,
     * because they share fewer links. */
    for (uint32_t c = 0; c < layout->n_channels; c++)
        memcpy(layout->orders + (gsize)c * n,
               pack_ring(rings, c * rings->n_rings / layout->n_channels),
               n * sizeof *layout->orders);
    return layout;
}

/* ---- target speeds ----------------------------------------------------- */

static gboolean channels_are_better(const Search *search, uint32_t n_channels,
                                    uint64_t bytes_per_s)
{
    return n_channels > 0 &&
           (!search->best ||
            n_channels * bytes_per_s >
                search->best->n_channels * search->best->bytes_per_s);
}

/* Searches channels for @request and keeps them if they are the best so far.
 * Returns FALSE if not even one channel fits. */
static gboolean try_channel_layout(Search *search,
                                   const NcclLayoutRequest *request)
{
    gboolean is_ring = request->pattern == NCCL_RING ||
                       request->pattern == NCCL_SPLIT_TREE_LOOP;
    g_autoptr(NcclLayout) layout =
        request->near_only && !request->has_network && is_ring
            ? find_rings_over_near_links(search, request)
            : nccl_layout_new(request);

    if (channels_are_better(search, layout->n_channels, request->bytes_per_s)) {
        nccl_channels_free(search->best);
        search->best = alloc_nccl_channels(search->system, layout, request);
    }
    return layout->n_channels > 0;
}

/* Returns the largest useful number of channels: as many as the NICs can carry.
 * The search stops when it has found that many. */
static uint32_t max_useful_channels(const Search *search, uint64_t bytes_per_s)
{
    uint64_t most = 0;

    if (!search->task->has_network)
        return search->task->most_channels;
    for (uint32_t i = 0; i < search->system->n_nics; i++)
        most += search->system->nic_out[i] / bytes_per_s;
    return (uint32_t)MIN(most, search->task->most_channels);
}

/* Tries all variants of one target speed until one has channels.  Near links
 * come before all links, and the closest NICs before all NICs.  Patterns of
 * trees are tried in the order of NcclPattern. */
static void try_channel_speed_target(Search *search, uint64_t bytes_per_s)
{
    const NcclSearchTask *task = search->task;
    NcclPattern last = task->is_tree ? NCCL_TREE : NCCL_RING;
    uint32_t most = max_useful_channels(search, bytes_per_s);

    if (most == 0)
        return;
    for (guint i = 0; i < (task->has_network ? 4 : 2); i++)
        for (NcclPattern p = task->is_tree ? NCCL_SPLIT_TREE_LOOP : NCCL_RING;
             p <= last; p++) {
            NcclLayoutRequest request = { .system = search->system,
                                          .pattern = p,
                                          .bytes_per_s = bytes_per_s,
                                          .most_channels = most,
                                          .has_network = task->has_network,
                                          .near_only = i % 2 == 0,
                                          .closest_nic = i < 2 };

            if (p == NCCL_TREE && !task->has_network)
                continue;
            if (try_channel_layout(search, &request))
                return;
        }
}

/* Returns the first target speed: the rate of one near link, or of one host
 * link if there are no near links, or of a NIC if that is more.  In the last
 * case a channel uses several links of a GPU. */
static uint64_t find_first_target_speed(const NcclSystem *nccl_system,
                                        const NcclSearchTask *task)
{
    uint64_t of_reach[TOPOLOGY_N_REACHES] = { 0 }, most;

    for (uint32_t l = 0; l < nccl_system->n_links; l++) {
        uint64_t *of = &of_reach[nccl_system->links[l].reach];

        *of = MAX(*of, nccl_system->links[l].link_bytes_per_s);
    }
    most = of_reach[TOPOLOGY_NEAR] ?: of_reach[TOPOLOGY_HOST];
    for (uint32_t i = 0; i < nccl_system->n_nics && task->has_network; i++)
        most = MAX(most, nccl_system->nic_out[i]);
    return most;
}

static NcclChannels *make_channel_in_task_order(const NcclSystem *nccl_system,
                                                const NcclSearchTask *task)
{
    g_autoptr(NcclLayout) layout = g_new0(NcclLayout, 1);
    NcclLayoutRequest request = { .pattern =
                                      task->is_tree ? NCCL_TREE : NCCL_RING,
                                  .bytes_per_s =
                                      nccl_channel_speed(NCCL_N_SPEEDS - 1) };
    NcclChannels *channels;

    layout->n_channels = 1;
    layout->orders = g_new(uint32_t, nccl_system->n_gpus);
    for (uint32_t i = 0; i < nccl_system->n_gpus; i++)
        layout->orders[i] = i;
    channels = alloc_nccl_channels(nccl_system, layout, &request);
    channels->plane = 0;
    return channels;
}

NcclChannels *nccl_search_channels(const Topology *topology,
                                   const NcclSearchTask *task)
{
    g_autoptr(NcclSystem) system = nccl_system_new(topology, task);
    Search s = { system, task, NULL };
    uint64_t most = find_first_target_speed(system, task);

    g_assert(task->most_channels > 0);
    for (guint i = 0; i < NCCL_N_SPEEDS; i++) {
        uint64_t speed = nccl_channel_speed(i);

        if (speed > most)
            continue;
        if (s.best && speed * 100 < s.best->bytes_per_s * LEAST_SPEED_PERCENT)
            break;
        try_channel_speed_target(&s, speed);
    }
    return s.best ? s.best : make_channel_in_task_order(system, task);
}
