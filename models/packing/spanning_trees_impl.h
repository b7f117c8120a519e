/* spanning_trees_impl.h - functions that the source files of spanning_trees.h
 * share */
#ifndef MODELS_PACKING_SPANNING_TREES_IMPL_H
#define MODELS_PACKING_SPANNING_TREES_IMPL_H

#include "models/packing/spanning_trees.h"

/* Returns the number of links that a tree of @use can take between @parent and
 * @child. */
static inline uint32_t pack_link_capacity_for_use(const PackGraph *graph,
                                                  PackUse use, uint32_t parent,
                                                  uint32_t child)
{
    uint32_t down = graph->links[parent][child];
    uint32_t up = graph->links[child][parent];

    return use == PACK_DOWN ? down : use == PACK_UP ? up : MIN(down, up);
}

PackTrees *pack_trees_new(PackUse use, uint32_t n_ranks);

/* Adds a tree of rate @rate, or increases the rate of an equal tree.  @parents
 * is copied. */
void pack_trees_add_or_increase(PackTrees *trees, const uint32_t *parents,
                                double rate);

/* Sets the shares of all trees from their rates, which are multiples of 1 /
 * @den. */
void pack_trees_set_shares(PackTrees *trees, uint32_t den);

/* Multiplies the rates of all trees by @factor. */
void pack_trees_scale_rates(PackTrees *trees, double factor);

/* Reroots the tree at @root, or in its middle for PACK_ANY_ROOT. */
void pack_tree_reroot(uint32_t *parents, uint32_t n, uint32_t root);

/* Returns the trees on a switch: see spanning_trees.h. */
PackTrees *pack_trees_on_switch(const PackGraph *graph, PackUse use,
                                uint32_t root);

#endif
