/*
 * group.h - the ranks that carry out a collective, as an algorithm sees them
 *
 * Ranks are laid out on a grid, which has one dimension if they form a line.
 * An algorithm does not know which NPUs the ranks are.
 *
 * Range    n_ranks >= 2, the product of the dimensions
 */
#ifndef MODELS_COLLECTIVES_GROUP_H
#define MODELS_COLLECTIVES_GROUP_H

#include "workloads/collective.h"

#define COLL_MAX_DIMS 5

typedef struct CollSchedule CollSchedule; /* defined in schedule.h */

/* Ranks 0 to n_ranks - 1 on a grid whose dimension 0 varies fastest. */
typedef struct {
    CollKind kind;
    uint32_t n_ranks;
    uint32_t n_dims;
    uint32_t dims[COLL_MAX_DIMS];
    /* The collective goes round a ring in the other direction. */
    gboolean backwards;
    uint32_t from,
        to; /* ranks of sender and receiver for COLL_SEND; otherwise the root */
    const CollSchedule *schedule; /* borrowed: the steps for coll_scheduled */
    /* Borrowed: the weights for COLL_ALL_TO_ALLV. */
    const CollWeights *weights;
} CollGroup;

/* Returns whether @kind is a reduce-scatter, an all-gather, or an all-reduce,
 * which is one after the other. */
static inline gboolean coll_kind_has_halves(CollKind kind)
{
    return kind == COLL_REDUCE_SCATTER || kind == COLL_ALL_GATHER ||
           kind == COLL_ALL_REDUCE;
}

/* Return the share of the payload that @rank has before the collective, and
 * that it gets. */
static inline CollShare coll_weight_share_before_rank(const CollGroup *group,
                                                      uint32_t rank)
{
    const CollContract *contract = coll_contract(group->kind);

    return rank == group->from ? contract->root_has : contract->others_have;
}

static inline CollShare coll_weight_share_through_rank(const CollGroup *group,
                                                       uint32_t rank)
{
    const CollContract *contract = coll_contract(group->kind);

    return rank == group->to ? contract->root_gets : contract->others_get;
}

/* Return (a + b) mod n and (a - b) mod n, for a, b < n. */
static inline uint32_t add_modulo_n(uint32_t a, uint32_t b, uint32_t n)
{
    return a < n - b ? a + b : a - (n - b);
}

static inline uint32_t subtract_modulo_n(uint32_t a, uint32_t b, uint32_t n)
{
    return a >= b ? a - b : a + (n - b);
}

/* Returns @rank translated by the coordinates of rank @offset, forwards or
 * backwards, modulo the size of each dimension. */
static inline uint32_t translate_rank_on_grid(const CollGroup *group,
                                              uint32_t rank, uint32_t offset,
                                              gboolean back)
{
    uint32_t ret = 0, stride = 1;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t size = group->dims[d];
        uint32_t x = rank / stride % size, by = offset / stride % size;

        ret += stride * (back ? subtract_modulo_n(x, by, size)
                              : add_modulo_n(x, by, size));
        stride *= size;
    }
    return ret;
}

#endif
