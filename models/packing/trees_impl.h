/* trees_impl.h - what the files of trees.h share */
#ifndef MODELS_PACKING_TREES_IMPL_H
#define MODELS_PACKING_TREES_IMPL_H

#include "models/packing/trees.h"

/* The links that a tree takes of parent and child, as use has it. */
static inline uint32_t pack_room(const PackGraph *graph, PackUse use,
                                 uint32_t parent, uint32_t child)
{
    uint32_t down = graph->links[parent][child];
    uint32_t up = graph->links[child][parent];

    return use == PACK_DOWN ? down : use == PACK_UP ? up : MIN(down, up);
}

PackTrees *pack_trees_new(PackUse use, uint32_t n_ranks);

/* One more, or so much more of one that is there; @parents is copied. */
void pack_trees_add(PackTrees *trees, const uint32_t *parents, double rate);

/* What rates are in 1 / @den, which they are multiples of. */
void pack_trees_count(PackTrees *trees, uint32_t den);

/* All rates times @factor. */
void pack_trees_scale(PackTrees *trees, double factor);

/* The same tree, seen from @root, or from its middle. */
void pack_tree_hang(uint32_t *parents, uint32_t n, uint32_t root);

/* On a switch: see trees.h. */
PackTrees *pack_trees_on_switch(const PackGraph *graph, PackUse use,
                                uint32_t root);

#endif
