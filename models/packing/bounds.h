/*
 * bounds.h - what no packing of trees can exceed, and some reach
 *
 * Broadcast: no bytes leave a set of ranks with the root in it faster than by
 * the links that lead out, and where every such set has k of them, k disjoint
 * spanning trees lead away from the root (Edmonds, 1973).
 *
 * All-reduce along trees, up and down the same links: each of the trees that
 * joins p parts takes p - 1 of the links among them.  The least quotient over
 * all partitions is reached by fractions of trees (Nash-Williams and Tutte,
 * 1961).
 *
 * Units    links: times the rate of one that is bytes of payload a second
 * Cost     broadcast: n flows; all-reduce: all partitions of up to
 *          PACK_MAX_PARTED ranks
 */
#ifndef MODELS_PACKING_BOUNDS_H
#define MODELS_PACKING_BOUNDS_H

#include "models/packing/graph.h"

#define PACK_MAX_PARTED 10

/* From @root to all; 0: it does not reach some.  A rank alone: 0. */
uint32_t pack_broadcast_bound(const PackGraph *graph, uint32_t root);

/* Of trees whose links are there both ways; where a rank is alone: 0.  Of more
 * than PACK_MAX_PARTED ranks that are on no switch, only the partitions into
 * single ranks, and into one and all others, are looked at: then trees may not
 * reach it. */
PackRatio pack_all_reduce_bound(const PackGraph *graph);

/* What @n_rings rings of @n ranks reduce: of each byte every link carries
 * 2 (n - 1) / n. */
PackRatio pack_ring_rate(uint32_t n, uint32_t n_rings);

#endif
