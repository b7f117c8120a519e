/*
 * placement.h - which server holds which part of which tensor
 *
 * Each placement is a function and a name in the table of placement.c:
 *
 *   greedy       whole tensors, the largest first, each on the server that has
 *                least so far
 *   in-order     likewise, but in the order of the network, in which
 *                TensorFlow's GreedyLoadBalancingStrategy gets to see variables
 *   round-robin  whole tensors in the order of the network, server after
 *                server: TensorFlow's default
 *   partition    tensors cut into pieces of at most so many bytes, whose
 *                numbers times 9973 go round the servers, as BytePS has it: as
 *                even as pieces allow
 *   balanced     such pieces, each on the server that has least so far
 *
 * Of servers that have as much the first is taken.
 *
 * Units    bytes
 * Owner    the caller owns the array
 * Sources  [TFSERVERS], [BYTEPS]
 */
#ifndef WORKLOADS_EXCHANGE_SERVERS_PLACEMENT_H
#define WORKLOADS_EXCHANGE_SERVERS_PLACEMENT_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    guint tensor;
    uint32_t server;
    uint64_t bytes;
} Placed;

/* Of tensors, in the order in which gradients get ready, which is that of the
 * network backwards. */
typedef struct {
    const uint64_t *bytes; /* of each, at least one */
    guint n;
    uint32_t n_servers;
    uint64_t partition_bytes;
} PlacementTask;

extern const char *const placement_names[];
#define PLACEMENT_PARTITION 3 /* index into them; from there on they cut */

/* How many parts placement_of() makes, which may be more than memory holds. */
uint64_t placement_n_parts(int placement, const PlacementTask *task);

/* Parts in the order of the tensors; @placement is an index into the names. */
GArray *placement_of(int placement, const PlacementTask *task);

#endif
