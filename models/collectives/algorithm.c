/* algorithm.c - which algorithms there are */
#include "models/collectives/algorithm.h"

/* To add an algorithm, add a file and a line here: what it defines, and the
 * name by which YAML asks for it, which is its .name, too. */
/* clang-format off */
#define ALGORITHMS(Add)                                        \
    Add(coll_ring, "ring")                                     \
    Add(coll_halving_doubling, "halving-doubling")             \
    Add(coll_direct, "direct")                                 \
    Add(coll_in_switch, "in-switch")                           \
    Add(coll_hierarchical, "hierarchical")                     \
    Add(coll_recursive_doubling, "recursive-doubling")         \
    Add(coll_recursive_doubling_any, "recursive-doubling-any") \
    Add(coll_bruck, "bruck")                                   \
    Add(coll_pat, "pat")                                       \
    Add(coll_linear, "linear")                                 \
    Add(coll_star, "star")                                     \
    Add(coll_chain, "chain")                                   \
    Add(coll_binomial_tree, "binomial-tree")                   \
    Add(coll_binary_tree, "binary-tree")                       \
    Add(coll_double_binary_tree, "double-binary-tree")
/* clang-format on */

#define DECLARE(Algorithm, name) extern const CollAlgorithm Algorithm;
#define ADDRESS(Algorithm, name) &Algorithm,
#define NAME(Algorithm, name)    name,

ALGORITHMS(DECLARE)

const CollAlgorithm *const coll_algorithms[] = { ALGORITHMS(ADDRESS) NULL };

const char *const coll_algorithm_names[] = { "auto", ALGORITHMS(NAME) NULL };
