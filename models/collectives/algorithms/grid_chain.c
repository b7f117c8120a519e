/*
 * grid_chain.c - a chain along each dimension of a grid
 *
 * The root is the first of a chain along dimension 0; each rank of that is the
 * first of one along dimension 1, and so on.  So a chunk crosses as many links
 * as the sizes of all dimensions come to, where one chain over all ranks takes
 * their product; each link carries it once at most.
 *
 * A rank sends on along its own dimension first, since that has furthest to go,
 * then begins a chain along each dimension after it.  A reduce is the same
 * backwards in time, an all-reduce is one up and one down.
 *
 * Cost     sum of (size - 1) steps one way; a payload sent per rank for each
 *          dimension at most
 */
#include "models/collectives/algorithms/tree_impl.h"

/* Where a rank stands, counted from the root. */
typedef struct {
    uint32_t at[COLL_MAX_DIMS];
    uint32_t dim; /* of its chain: the last one in which it is not 0; n_dims at
                     the root */
} Spot;

static Spot spot_of(const CollGroup *group, uint32_t rank)
{
    Spot spot = { .dim = group->n_dims };
    uint32_t root = group->from;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t size = group->dims[d];

        spot.at[d] = coll_behind(rank % size, root % size, size);
        if (spot.at[d] > 0)
            spot.dim = d;
        rank /= size;
        root /= size;
    }
    return spot;
}

static gboolean goes_on(const CollGroup *group, const Spot *spot)
{
    return spot->dim < group->n_dims &&
           spot->at[spot->dim] + 1 < group->dims[spot->dim];
}

/* Dimensions of more than one rank from @from to @to - 1. */
static uint32_t n_wide(const CollGroup *group, uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    for (uint32_t d = from; d < to; d++)
        n += group->dims[d] > 1;
    return n;
}

/* The first dimension in which @spot begins a chain. */
static uint32_t first_new(const CollGroup *group, const Spot *spot)
{
    return spot->dim == group->n_dims ? 0 : spot->dim + 1;
}

static uint32_t n_down(const CollGroup *group)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < group->n_dims; d++)
        n += group->dims[d] - 1;
    return n;
}

/* The step after the one in which @spot gets something; 0 at the root. */
static uint32_t first_send(const CollGroup *group, const Spot *spot)
{
    Spot on_way = { .dim = group->n_dims };
    uint32_t step = 0;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        if (spot->at[d] == 0)
            continue;
        step += (goes_on(group, &on_way) ? 1U : 0U) +
                n_wide(group, first_new(group, &on_way), d) + spot->at[d];
        on_way.at[d] = spot->at[d];
        on_way.dim = d;
    }
    return step;
}

static uint32_t n_sends(const CollGroup *group, const Spot *spot)
{
    return (goes_on(group, spot) ? 1U : 0U) +
           n_wide(group, first_new(group, spot), group->n_dims);
}

/* The rank one further along @dim, or one before. */
static uint32_t neighbour(const CollGroup *group, uint32_t rank, uint32_t dim,
                          gboolean back)
{
    uint32_t stride = 1, size = group->dims[dim], x;

    for (uint32_t d = 0; d < dim; d++)
        stride *= group->dims[d];
    x = rank / stride % size;
    return rank - x * stride +
           stride * (back ? coll_behind(x, 1, size) : coll_ahead(x, 1, size));
}

/* To whom @rank sends in its @i-th step of sending. */
static uint32_t child(const CollGroup *group, uint32_t rank, const Spot *spot,
                      uint32_t i)
{
    uint32_t d = first_new(group, spot);

    if (goes_on(group, spot) && i-- == 0)
        return neighbour(group, rank, spot->dim, FALSE);
    while (group->dims[d] < 2 || i-- > 0)
        d++;
    return neighbour(group, rank, d, FALSE);
}

static gboolean grid_chain_supports(const CollGroup *group)
{
    return tree_is_whole(group->kind) && group->n_ranks >= 2 &&
           group->n_dims > 1 && group->from < group->n_ranks;
}

static uint32_t grid_chain_n_steps(const CollGroup *group)
{
    return (group->kind == COLL_ALL_REDUCE ? 2 : 1) * n_down(group);
}

static void grid_chain_step(const CollGroup *group, uint32_t rank,
                            uint32_t step, CollStep *ret)
{
    Spot spot = spot_of(group, rank);
    uint32_t first = first_send(group, &spot);
    gboolean up, is_root = spot.dim == group->n_dims;
    uint32_t now = tree_way(group->kind, n_down(group), step, &up);
    gboolean has_above = !is_root && now + 1 == first;
    gboolean has_below = now >= first && now - first < n_sends(group, &spot);
    uint32_t above = has_above ? neighbour(group, rank, spot.dim, TRUE) : rank;
    uint32_t below = has_below ? child(group, rank, &spot, now - first) : rank;

    *ret = (CollStep){
        .send_to = up ? above : below,
        .recv_from = up ? below : above,
        .n_blocks = (up ? has_above : has_below) ? 1 : 0,
        .n_recv_blocks = (up ? has_below : has_above) ? 1 : 0,
        .recv_none = !(up ? has_below : has_above),
        .reduces = up,
    };
}

/* See tree_nearest(). */
static uint32_t nearest(gconstpointer tree, const CollGroup *group,
                        uint32_t rank, uint32_t step, gboolean back)
{
    Spot spot = spot_of(group, rank);
    uint32_t first = first_send(group, &spot);
    /* It gets something in the step before the first in which it sends. */
    uint32_t least = spot.dim == group->n_dims ? first : first - 1;
    uint32_t end = first + n_sends(group, &spot);

    (void)tree;
    if (back)
        return step < least ? TREE_NONE : MIN(step, end - 1);
    step = MAX(step, least);
    return step < end ? step : TREE_NONE;
}

static uint32_t grid_chain_next(const CollGroup *group, uint32_t rank,
                                uint32_t from)
{
    return tree_next_of(nearest, NULL, group, n_down(group), rank, from);
}

const CollAlgorithm coll_grid_chain = {
    .name = "grid-chain",
    .summary = "sum of (size - 1) steps, a chain along each dimension",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = grid_chain_supports,
    .n_steps = grid_chain_n_steps,
    .n_blocks = tree_n_blocks,
    .step = grid_chain_step,
    .next = grid_chain_next,
};
