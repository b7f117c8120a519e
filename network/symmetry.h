/*
 * symmetry.h - which ends of a topology stand for which
 *
 * A topology is a set of units - one NPU on a torus, a node in `nested`, all
 * of a `graph` - that lie on a grid of dimensions.  Each unit has as many
 * ends:
 *
 *     end = end in its unit + unit_ends (x0 + size0 (x1 + size1 (x2 + ...)))
 *
 * A translation moves all units along a dimension, those that leave it coming
 * in at the other side.  Where it is a symmetry it takes links to links of
 * the same class, and the way from an end to another to the way between their
 * images.  Links are numbered by units as ends are, so that a translation is
 * arithmetic on them as well.
 *
 * A Fold says which translations a run makes use of: of the ends that they
 * take to each other only one is simulated, the representative, which is the
 * one with the least number.  Every class has equally many ends, and no
 * translation but that by nothing leaves any link where it is: so what comes
 * to a representative is what comes to each end it stands for.
 *
 * Owner    the caller owns the Fold; it borrows nothing
 */
#ifndef NETWORK_SYMMETRY_H
#define NETWORK_SYMMETRY_H

#include "network/topology.h"

typedef struct Fold Fold;

/* Units at x and x + @steps[d] along dimension d of @shape are alike.  @shape
 * is that of @topology, or another of as many units where it may be in any
 * order.  @steps[d] divides the size, and is the size where no translation is
 * a symmetry; NULL: all are, and every end is simulated. */
Fold *fold_new(const Topology *topology, const Symmetry *shape,
               const uint32_t *steps);
/* By all translations that @topology offers. */
Fold *fold_new_most(const Topology *topology);
void fold_free(Fold *fold);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fold, fold_free)

/* Ends that are simulated, and units. */
uint32_t fold_n(const Fold *fold);
uint32_t fold_n_units(const Fold *fold);
gboolean fold_is_full(const Fold *fold);

/* Of the representative of @end: 0 .. fold_n() - 1, ascending in end ids. */
uint32_t fold_index(const Fold *fold, uint32_t end);
/* The end that is number @index of the representatives. */
uint32_t fold_end(const Fold *fold, uint32_t index);
/* The same for units. */
uint32_t fold_unit_index(const Fold *fold, uint32_t unit);
uint32_t fold_unit(const Fold *fold, uint32_t index);

/* @end seen from end @owner when @owner is moved onto its representative. */
uint32_t fold_seen(const Fold *fold, uint32_t owner, uint32_t end);
/* Likewise, when unit @owner is. */
uint32_t fold_seen_from_unit(const Fold *fold, uint32_t owner, uint32_t end);

#endif
