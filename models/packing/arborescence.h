/*
 * arborescence.h - the cheapest tree that leads from a root to all
 *
 * Every rank but the root takes its cheapest link; where that makes a cycle
 * the cycle becomes one rank, and a link into it is charged what it costs more
 * than that which it takes the place of (Chu and Liu 1965, Edmonds 1967).
 * Where links cost the same each way it is the cheapest spanning tree.
 *
 * Order    of equal costs the lower number
 * Cost     n^3 at most
 */
#ifndef MODELS_PACKING_ARBORESCENCE_H
#define MODELS_PACKING_ARBORESCENCE_H

#include <glib.h>
#include <stdint.h>

/* @costs: of the link from a to b at [a * n + b], INFINITY where there is none.
 * @ret_parents: of each rank; of the root itself.  FALSE: not all are reached.
 */
gboolean pack_arborescence(const double *costs, uint32_t n, uint32_t root,
                           uint32_t *ret_parents);

#endif
