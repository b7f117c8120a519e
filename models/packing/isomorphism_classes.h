/*
 * isomorphism_classes.h - isomorphism classes of sets of ranks
 *
 * A scheduler gives a job some of the GPUs of a machine.  Two sets of GPUs are
 * in one class if renaming ranks maps the links of one to those of the other.
 * The same trees and rings can then be packed on both.  Sets that are not
 * connected belong to no class.
 *
 * Order    by size, then by the first set of each class as a list of numbers
 * Range    up to PACK_MAX_CLASSIFIED ranks; on a switch all sets of one size
 *          form one class, for any number of ranks
 * Owner    the caller owns the array
 */
#ifndef MODELS_PACKING_ISOMORPHISM_CLASSES_H
#define MODELS_PACKING_ISOMORPHISM_CLASSES_H

#include "models/packing/link_graph.h"

#define PACK_MAX_CLASSIFIED 12

typedef struct {
    uint32_t n_ranks;
    /* Number of sets in the class; UINT64_MAX: at least that many. */
    uint64_t n_sets;
    uint32_t ranks[PACK_MAX_RANKS]; /* the first set of ranks, ascending */
} PackClass;

/* Returns the isomorphism classes (PackClass) of all sets of @least to @most
 * ranks of @graph. */
GArray *pack_find_isomorphism_classes(const PackGraph *graph, uint32_t least,
                                      uint32_t most);

/* Returns whether the graphs @graph and @b are isomorphic. */
gboolean pack_graphs_are_isomorphic(const PackGraph *graph, const PackGraph *b);

#endif
