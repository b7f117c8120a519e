/*
 * inside.h - the orders in which channels go through one machine
 *
 * Owner    who has found them clears them
 */
#ifndef MODELS_STACKS_NCCL_INSIDE_H
#define MODELS_STACKS_NCCL_INSIDE_H

#include "network/topology.h"

typedef struct {
    uint32_t m, n;        /* GPUs; orders, all different */
    uint32_t *orders;     /* owned: of order i from i * m: indices of GPUs */
    uint32_t *shares;     /* owned: channels that have each */
    uint32_t plane;       /* links that they may take */
    uint64_t bytes_per_s; /* the speed of one channel; 0: no search was made */
    gboolean has_nics;    /* each comes in and goes out by one of its own */
} NcclInside;

/* Of @npus[0 .. m-1], as NCCL's search has them; where these are more than it
 * can take, in the order of their numbers.  @has_network: they come in at the
 * first and go out by a NIC, of which each channel has its own, if the machine
 * has some that are not a GPU's. */
void nccl_inside_find(NcclInside *inside, const Topology *topology,
                      const uint32_t *npus, uint32_t m, gboolean is_tree,
                      gboolean has_network);
void nccl_inside_clear(NcclInside *inside);

/* Returns how many channels there are: each order counts as often as channels
 * have it. */
uint32_t nccl_inside_n_channels(const NcclInside *inside);
/* Returns the order that channel number @channel has, one of one GPU being that
 * of every channel. */
uint32_t nccl_inside_order_of(const NcclInside *inside, uint32_t channel);

static inline uint32_t nccl_inside_at(const NcclInside *inside, uint32_t order,
                                      uint32_t place)
{
    return inside->orders[order * inside->m + place];
}

#endif
