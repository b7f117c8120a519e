/*
 * tree_rate_bounds.h - upper bounds of the rate of packed trees, some of them
 * reachable
 *
 * Broadcast   Data cannot leave a set of ranks that contains the root faster
 *             than the links out of the set allow.  If every such set has at
 *             least k outbound links, k disjoint spanning trees lead away from
 *             the root (Edmonds, 1973).
 * All-reduce  Trees are used up and down, on the same links.  For a partition
 *             of the ranks into p parts, each tree needs p - 1 of the links
 *             between the parts.  The smallest quotient over all partitions is
 *             reached by fractions of trees (Nash-Williams and Tutte, 1961).
 *
 * Units    links; multiplied by the rate of a link, bytes of payload per second
 * Cost     broadcast: n maximum flows; all-reduce: all partitions of up to
 *          PACK_MAX_PARTITIONED ranks
 */
#ifndef MODELS_PACKING_TREE_RATE_BOUNDS_H
#define MODELS_PACKING_TREE_RATE_BOUNDS_H

#include "models/packing/link_graph.h"

#define PACK_MAX_PARTITIONED 10

/* Returns the bound of a broadcast from @root; 0 if some rank cannot be
 * reached, or for a single rank. */
uint32_t pack_broadcast_bound(const PackGraph *graph, uint32_t root);

/* Returns the bound of an all-reduce, for trees on links that exist in both
 * directions; 0 for a single rank.  For more than PACK_MAX_PARTITIONED ranks
 * without a switch, only two kinds of partitions are examined: all ranks
 * separate, and one rank against the others.  Trees may not reach the bound
 * then. */
PackRatio pack_all_reduce_bound(const PackGraph *graph);

/* Returns the rate of an all-reduce over @n_rings rings of @n ranks: every link
 * carries 2 (n - 1) / n bytes per byte. */
PackRatio pack_ring_rate(uint32_t n, uint32_t n_rings);

#endif
