/*
 * arborescence.h - the cheapest spanning tree directed away from a root
 *
 * Every rank but the root takes its cheapest inbound link.  If this creates a
 * cycle, the cycle is contracted to one rank.  A link into it costs the
 * difference to the cycle link that it would replace (Chu and Liu 1965, Edmonds
 * 1967).  If links have the same cost in both directions, the result is the
 * minimum spanning tree.
 *
 * Order    of equal costs, the lower number
 * Cost     at most n^3
 */
#ifndef MODELS_PACKING_ARBORESCENCE_H
#define MODELS_PACKING_ARBORESCENCE_H

#include <glib.h>
#include <stdint.h>

/* Finds the cheapest spanning tree away from @root.  @costs[a * n + b] is the
 * cost of the link from a to b, INFINITY if there is none.  Writes the parent
 * of each rank to @ret_parents; the root is its own parent.  Returns FALSE if
 * some rank cannot be reached. */
gboolean pack_cheapest_arborescence(const double *costs, uint32_t n,
                                    uint32_t root, uint32_t *ret_parents);

#endif
