/*
 * placement.h - assigns parts of tensors to servers
 *
 * The placements, in the order of placement_names:
 *
 *   greedy       whole tensors, the largest first, each on the server with the
 *                smallest load so far
 *   in-order     whole tensors in the order of the network, each on the server
 *                with the smallest load so far.  TensorFlow's
 *                GreedyLoadBalancingStrategy sees variables in that order
 *   round-robin  whole tensors in the order of the network, server after
 *                server: TensorFlow's default
 *   partition    pieces of limited size.  The server is a hash of the key of
 *                the piece, 65536 x tensor + piece, as is BytePS's default
 *                since 0.2: djb2 of the decimal digits.  Tensors are declared
 *                in the order of the network (assumed; PyTorch's are sorted by
 *                name)
 *   balanced     the same pieces, each on the server with the smallest load so
 *                far
 *
 * Of servers with equal loads the first is taken.
 *
 * Units    bytes
 * Owner    the caller owns the array
 * Sources  [TFSERVERS], [BYTEPS]
 */
#ifndef WORKLOADS_EXCHANGE_SERVERS_PLACEMENT_H
#define WORKLOADS_EXCHANGE_SERVERS_PLACEMENT_H

#include <glib.h>
#include <stdint.h>

/* A tensor or a piece of one, and the server that holds it. */
typedef struct {
    guint tensor; /* index among the tensors of the task */
    uint32_t server;
    uint64_t bytes;
} PlacedTensorPart;

/* The tensors to place, in the order in which gradients get ready: the reverse
 * order of the network. */
typedef struct {
    const uint64_t *bytes; /* size of each tensor, at least one */
    guint n;
    uint32_t n_servers;
    uint64_t partition_bytes;
} PlacementTask;

extern const char *const placement_names[];
#define PLACEMENT_PARTITION 3 /* index of the first name that cuts tensors */

/* Returns the number of parts that placement_place_tensors() would make, which
 * may be more than memory can hold. */
uint64_t placement_count_parts(int placement, const PlacementTask *task);

/* Returns the parts in the order of the tensors; @placement is an index into
 * placement_names. */
GArray *placement_place_tensors(int placement, const PlacementTask *task);

#endif
