/* node_orders.c - removes duplicates from the channels that the search has
 * found */
#include "models/stacks/nccl/node_orders.h"

#include <string.h>

#include "models/packing/link_graph.h"
#include "models/stacks/nccl/channel_search.h"

/* The maximum number of channels that the search finds: half of NCCL's
 * MAXCHANNELS, because NCCL uses each channel twice. */
#define MOST_CHANNELS 16

static void add_or_count_channel_order(NcclNodeOrders *node_orders,
                                       const uint32_t *order)
{
    gsize size = node_orders->m * sizeof(uint32_t);

    for (uint32_t i = 0; i < node_orders->n; i++)
        if (memcmp(&node_orders->orders[i * node_orders->m], order, size) ==
            0) {
            node_orders->shares[i]++;
            return;
        }
    memcpy(&node_orders->orders[node_orders->n * node_orders->m], order, size);
    node_orders->shares[node_orders->n++] = 1;
}

static void set_single_order_by_index(NcclNodeOrders *node_orders)
{
    node_orders->n = 1;
    node_orders->orders = g_new(uint32_t, node_orders->m);
    node_orders->shares = g_new(uint32_t, 1);
    node_orders->shares[0] = 1;
    for (uint32_t i = 0; i < node_orders->m; i++)
        node_orders->orders[i] = i;
}

void nccl_find_node_channel_orders(NcclNodeOrders *node_orders,
                                   const Topology *topology,
                                   const uint32_t *npus, uint32_t m,
                                   gboolean is_tree, gboolean has_network)
{
    NcclSearchTask task = { .n_npus = m,
                            .npus = npus,
                            .is_tree = is_tree,
                            .has_network = has_network,
                            .most_channels = MOST_CHANNELS };
    g_autoptr(NcclChannels) found = NULL;

    *node_orders = (NcclNodeOrders){ .m = m };
    if (m > PACK_MAX_RANKS || m < 2) {
        set_single_order_by_index(node_orders);
        return;
    }
    found = nccl_search_channels(topology, &task);
    if (has_network && found->nics[0] == TOPOLOGY_NONE) {
        nccl_channels_free(found);
        task.has_network = FALSE;
        found = nccl_search_channels(topology, &task);
    }
    node_orders->plane = found->plane;
    node_orders->bytes_per_s = found->bytes_per_s;
    node_orders->has_nics = task.has_network;
    node_orders->orders = g_new(uint32_t, found->n_channels * m);
    node_orders->shares = g_new(uint32_t, found->n_channels);
    for (uint32_t c = 0; c < found->n_channels; c++)
        add_or_count_channel_order(node_orders, &found->orders[c * m]);
}

uint32_t nccl_node_orders_count_channels(const NcclNodeOrders *node_orders)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < node_orders->n; i++)
        n += node_orders->shares[i];
    return n;
}

uint32_t nccl_node_order_of_channel(const NcclNodeOrders *node_orders,
                                    uint32_t channel)
{
    uint32_t order = 0;

    while (order + 1 < node_orders->n && channel >= node_orders->shares[order])
        channel -= node_orders->shares[order++];
    return order;
}

void nccl_node_channel_orders_clear(NcclNodeOrders *node_orders)
{
    g_free(node_orders->orders);
    g_free(node_orders->shares);
    *node_orders = (NcclNodeOrders){ 0 };
}
