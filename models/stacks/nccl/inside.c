/* inside.c - channels that were found, each order once */
#include "models/stacks/nccl/inside.h"

#include <string.h>

#include "models/packing/graph.h"
#include "models/stacks/nccl/search.h"

/* Half of MAXCHANNELS: what is found is then laid twice. */
#define MOST_CHANNELS 16

static void add(NcclInside *inside, const uint32_t *order)
{
    gsize size = inside->m * sizeof(uint32_t);

    for (uint32_t i = 0; i < inside->n; i++)
        if (memcmp(&inside->orders[i * inside->m], order, size) == 0) {
            inside->shares[i]++;
            return;
        }
    memcpy(&inside->orders[inside->n * inside->m], order, size);
    inside->shares[inside->n++] = 1;
}

static void take_natural(NcclInside *inside)
{
    inside->n = 1;
    inside->orders = g_new(uint32_t, inside->m);
    inside->shares = g_new(uint32_t, 1);
    inside->shares[0] = 1;
    for (uint32_t i = 0; i < inside->m; i++)
        inside->orders[i] = i;
}

void nccl_inside_find(NcclInside *inside, const Topology *topology,
                      const uint32_t *npus, uint32_t m, gboolean is_tree,
                      gboolean has_network)
{
    NcclTask task = { .n_npus = m,
                      .npus = npus,
                      .is_tree = is_tree,
                      .has_network = has_network,
                      .most_channels = MOST_CHANNELS };
    g_autoptr(NcclChannels) found = NULL;

    *inside = (NcclInside){ .m = m };
    if (m > PACK_MAX_RANKS || m < 2) {
        take_natural(inside);
        return;
    }
    found = nccl_search(topology, &task);
    if (has_network && found->nics[0] == TOPOLOGY_NONE) {
        nccl_channels_free(found);
        task.has_network = FALSE;
        found = nccl_search(topology, &task);
    }
    inside->plane = found->plane;
    inside->bytes_per_s = found->bytes_per_s;
    inside->has_nics = task.has_network;
    inside->orders = g_new(uint32_t, found->n_channels * m);
    inside->shares = g_new(uint32_t, found->n_channels);
    for (uint32_t c = 0; c < found->n_channels; c++)
        add(inside, &found->orders[c * m]);
}

uint32_t nccl_inside_n_channels(const NcclInside *inside)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < inside->n; i++)
        n += inside->shares[i];
    return n;
}

uint32_t nccl_inside_order_of(const NcclInside *inside, uint32_t channel)
{
    uint32_t order = 0;

    while (order + 1 < inside->n && channel >= inside->shares[order])
        channel -= inside->shares[order++];
    return order;
}

void nccl_inside_clear(NcclInside *inside)
{
    g_free(inside->orders);
    g_free(inside->shares);
    *inside = (NcclInside){ 0 };
}
