/* algorithm.c - the list of algorithms, and functions common to all of them */
#include "models/collectives/algorithm.h"

/* To add an algorithm, add a file, and a line here with the object that the
 * file defines and its name in YAML.  The name must equal .name of the
 * object. */
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
    Add(coll_shift, "shift")                                   \
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

static gboolean step_is_idle(const CollStep *step)
{
    return step->n_blocks == 0 && step->recv_none;
}

/* Searches all steps for the next active one.  Not inlined, so that callers
 * whose algorithm has .next need no stack space for a step. */
static G_GNUC_NO_INLINE uint32_t
search_next_active_step(const CollAlgorithm *algorithm, const CollGroup *group,
                        uint32_t rank, uint32_t from)
{
    uint32_t n_steps = algorithm->n_steps(group);
    CollStep step;

    for (; algorithm->partial && from < n_steps; from++) {
        algorithm->step(group, rank, from, &step);
        if (!step_is_idle(&step))
            break;
    }
    return MIN(from, n_steps);
}

uint32_t coll_next_active_step(const CollAlgorithm *algorithm,
                               const CollGroup *group, uint32_t rank,
                               uint32_t from)
{
    return algorithm->next_active_step
               ? algorithm->next_active_step(group, rank, from)
               : search_next_active_step(algorithm, group, rank, from);
}
