/*
 * disjoint_rings.h - rings through all ranks that share no links
 *
 * Rings are directed Hamiltonian cycles, as many as the links allow.  On a
 * switch, as many rings fit as a rank has ports.  If every pair of ranks has
 * the same number of links, rings that use all links are constructed directly.
 * Otherwise, for up to PACK_MAX_EXACT ranks, all cycles are listed and an
 * integer program chooses the most.  For more ranks, cycles are taken one by
 * one as long as one is found: the result is valid, but more rings may be
 * possible.
 *
 * Owner    the caller owns the PackRings
 * Cost     some ms for 8 ranks
 */
#ifndef MODELS_PACKING_DISJOINT_RINGS_H
#define MODELS_PACKING_DISJOINT_RINGS_H

#include "models/packing/link_graph.h"

#define PACK_MAX_EXACT 8

typedef struct {
    uint32_t n_ranks, n_rings;
    gboolean is_exact; /* no other packing has more rings */
    /* Owned: the ranks of ring i begin at i * n_ranks, with rank 0 first. */
    uint32_t *orders;
} PackRings;

/* Packs rings on @graph.  Equal rings are adjacent in the result.  Two ranks
 * form a ring; a single rank does not. */
PackRings *pack_disjoint_rings(const PackGraph *graph);
void pack_rings_free(PackRings *rings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackRings, pack_rings_free)

static inline const uint32_t *pack_ring(const PackRings *rings, uint32_t ring)
{
    return rings->orders + (gsize)ring * rings->n_ranks;
}

#endif
