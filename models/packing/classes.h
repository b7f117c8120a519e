/*
 * classes.h - sets of ranks that are joined alike
 *
 * A scheduler gives a job some of a machine's GPUs.  Two sets are of one class
 * when renaming ranks makes the links of one those of the other, so that all
 * that can be packed on one can be packed on the other.  Sets that are not
 * connected belong to no class.
 *
 * Order    by size, then by the first set of each as a list of numbers
 * Range    up to PACK_MAX_CLASSED ranks; on a switch all sets of a size are
 *          one class, of any number of ranks
 * Owner    the caller owns the array
 */
#ifndef MODELS_PACKING_CLASSES_H
#define MODELS_PACKING_CLASSES_H

#include "models/packing/graph.h"

#define PACK_MAX_CLASSED 12

typedef struct {
    uint32_t n_ranks;
    uint64_t n_sets;                /* UINT64_MAX: that many or more */
    uint32_t ranks[PACK_MAX_RANKS]; /* the first set, ascending */
} PackClass;

/* PackClass, of @least to @most ranks. */
GArray *pack_classes(const PackGraph *graph, uint32_t least, uint32_t most);

/* TRUE when some order of ranks makes @a and @b the same. */
gboolean pack_graphs_alike(const PackGraph *a, const PackGraph *b);

#endif
