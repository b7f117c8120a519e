/*
 * node_orders.h - orders in which channels visit the GPUs of one machine
 *
 * Owner    the caller clears what nccl_find_node_channel_orders() has set
 */
#ifndef MODELS_STACKS_NCCL_NODE_ORDERS_H
#define MODELS_STACKS_NCCL_NODE_ORDERS_H

#include "network/topology.h"

typedef struct {
    uint32_t m, n; /* number of GPUs, and number of different orders */
    /* Owned: indices of GPUs; order i begins at i * m. */
    uint32_t *orders;
    uint32_t *shares;     /* owned: number of channels with each order */
    uint32_t plane;       /* the links that the channels may use */
    uint64_t bytes_per_s; /* speed of one channel; 0 if no search was made */
    gboolean has_nics;    /* channels enter and leave by NICs of the machine */
} NcclNodeOrders;

/* Sets @node_orders to the orders that NCCL's search finds for @npus[0 .. m-1].
 * Machines with more GPUs than the search supports get one order, by index.
 * With @has_network, channels enter and leave by NICs, if the machine has NICs
 * that do not belong to GPUs. */
void nccl_find_node_channel_orders(NcclNodeOrders *node_orders,
                                   const Topology *topology,
                                   const uint32_t *npus, uint32_t m,
                                   gboolean is_tree, gboolean has_network);
void nccl_node_channel_orders_clear(NcclNodeOrders *node_orders);

/* Returns the number of channels: an order counts once for each channel that
 * has it. */
uint32_t nccl_node_orders_count_channels(const NcclNodeOrders *node_orders);
/* Returns the order of channel @channel.  If the machine has one GPU, all
 * channels have the same order. */
uint32_t nccl_node_order_of_channel(const NcclNodeOrders *node_orders,
                                    uint32_t channel);

/* Returns the index of the GPU that order @order visits as number @place. */
static inline uint32_t nccl_gpu_in_node_order(const NcclNodeOrders *node_orders,
                                              uint32_t order, uint32_t place)
{
    return node_orders->orders[order * node_orders->m + place];
}

#endif
