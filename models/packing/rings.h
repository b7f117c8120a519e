/*
 * rings.h - rings through all ranks that share no link
 *
 * Directed Hamiltonian cycles, as many as the links hold.  Of up to
 * PACK_MAX_EXACT ranks all cycles are listed and an integer program takes the
 * most of them; on a switch as many fit as a rank has ports, and where each has
 * as many links to each other, rings that take all are found directly.  Else
 * cycles are taken one by one while any is found: what comes out fits, but more
 * may.
 *
 * Owner    the caller owns the PackRings
 * Cost     some ms for 8 ranks
 */
#ifndef MODELS_PACKING_RINGS_H
#define MODELS_PACKING_RINGS_H

#include "models/packing/graph.h"

#define PACK_MAX_EXACT 8

typedef struct {
    uint32_t n_ranks, n_rings;
    gboolean is_exact; /* no more fit */
    uint32_t *orders;  /* owned: ring i from i * n_ranks, beginning at 0 */
} PackRings;

/* Equal rings stand side by side.  Two ranks make a ring, one does not. */
PackRings *pack_rings(const PackGraph *graph);
void pack_rings_free(PackRings *rings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackRings, pack_rings_free)

static inline const uint32_t *pack_ring(const PackRings *rings, uint32_t ring)
{
    return rings->orders + (gsize)ring * rings->n_ranks;
}

#endif
