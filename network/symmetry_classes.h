/*
 * symmetry_classes.h - which ends of a topology are equivalent in a run
 *
 * A topology consists of units on a grid of dimensions.  A unit is one NPU on a
 * torus, one node or several in `nested`, and all of a `graph`.  All units have
 * the same number of ends.  A part is a unit or, if the ends of a node are
 * equivalent, one end of it with its links, as a GPU and its NIC on rails.
 * Parts form a grid:
 *
 *     end = end in its part + part_ends (x0 + size0 (x1 + size1 (x2 + ...)))
 *
 * A translation shifts all parts cyclically along one dimension.  If it is a
 * symmetry, it maps each link to a link of the same class, and the path between
 * two ends to the path between their images.  Links are numbered by units and
 * parts, as ends are, so a translation is arithmetic on link numbers too.
 *
 * A Fold says which translations a run uses.  Ends that these translations map
 * to each other form a class.  Only one end of each class is simulated: the
 * representative, which has the smallest number.  All classes have the same
 * number of ends, and no translation but the identity maps a link to itself.
 * The messages that arrive at a representative are therefore the images of
 * those that arrive at any other end of its class.
 *
 * Owner    the caller owns the Fold; it borrows the Topology
 */
#ifndef NETWORK_SYMMETRY_CLASSES_H
#define NETWORK_SYMMETRY_CLASSES_H

#include "network/topology.h"

typedef struct SymmetryFold SymmetryFold;

/* Returns the Fold in which the parts at x and x + @steps[d] along dimension d
 * of @shape are equivalent.  @shape is the symmetry of @topology, or another
 * factorisation of its number of units if Symmetry.any_order is set, and of the
 * parts of a unit if .any_part_order is.  @steps[d] divides the size of
 * dimension d; it equals the size if no translation along d is a symmetry.  If
 * @steps is NULL, every end is simulated. */
SymmetryFold *symmetry_fold_new(const Topology *topology, const Symmetry *shape,
                                const uint32_t *steps);
/* Returns the Fold that uses all translations that @topology offers. */
SymmetryFold *symmetry_fold_new_maximal(const Topology *topology);
void symmetry_fold_free(SymmetryFold *fold);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SymmetryFold, symmetry_fold_free)

/* Number of simulated ends, and of units that have simulated ends.  All of the
 * latter have the same number. */
uint32_t symmetry_fold_n_simulated_ends(const SymmetryFold *fold);
uint32_t symmetry_fold_n_simulated_units(const SymmetryFold *fold);
/* Returns whether every end is simulated. */
gboolean symmetry_fold_simulates_all_ends(const SymmetryFold *fold);

/* Returns the index of the representative of @end, 0 ..
 * symmetry_fold_n_simulated_ends() - 1. Indices ascend with the ids of the
 * representatives. */
uint32_t symmetry_fold_class_of_end(const SymmetryFold *fold, uint32_t end);
/* Returns the end that is representative number @index. */
uint32_t symmetry_fold_representative_end(const SymmetryFold *fold,
                                          uint32_t index);
/* Returns the unit that is number @index of those that have simulated ends. */
uint32_t symmetry_fold_representative_unit(const SymmetryFold *fold,
                                           uint32_t index);

/* Returns the image of @end under the translation that maps end @owner to its
 * representative. */
uint32_t symmetry_fold_translate_end(const SymmetryFold *fold, uint32_t owner,
                                     uint32_t end);
/* Returns the number of the simulated link that represents @link: the index of
 * a unit with simulated ends times the number of ports, plus a port.  Maps
 * *@end by the same translation. */
uint32_t symmetry_fold_translate_link(const SymmetryFold *fold, uint32_t link,
                                      uint32_t *end);

#endif
