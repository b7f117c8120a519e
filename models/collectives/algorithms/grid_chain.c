/*
 * grid_chain.c - a chain along each dimension of a grid
 *
 * The root is the first rank of a chain along dimension 0.  Each rank of that
 * chain is the first of a chain along dimension 1, and so on.  A chunk
 * therefore crosses at most the sum of the dimension sizes in links, while one
 * chain over all ranks crosses their product.  Each link carries a chunk at
 * most once.
 *
 * A rank first sends along its own dimension, whose chain has furthest to go.
 * Then it begins a chain along each later dimension.  A reduce is the same,
 * reversed in time; an all-reduce is one up and one down.
 *
 * Cost     sum of (size - 1) steps in one direction; at most a payload sent per
 *          rank for each dimension
 */
#include "models/collectives/algorithms/tree_impl.h"

/* The coordinates of a rank relative to the root. */
typedef struct {
    uint32_t x[COLL_MAX_DIMS];
    /* Dimension of the chain that reaches this rank: the last one with a
     * coordinate above 0; n_dims at the root. */
    uint32_t dim;
} Coordinates;

static Coordinates coordinates_from_root(const CollGroup *group, uint32_t rank)
{
    Coordinates coordinates = { .dim = group->n_dims };
    uint32_t root = group->from;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t size = group->dims[d];

        coordinates.x[d] = subtract_modulo_n(rank % size, root % size, size);
        if (coordinates.x[d] > 0)
            coordinates.dim = d;
        rank /= size;
        root /= size;
    }
    return coordinates;
}

static gboolean chain_continues_beyond_rank(const CollGroup *group,
                                            const Coordinates *coordinates)
{
    return coordinates->dim < group->n_dims &&
           coordinates->x[coordinates->dim] + 1 < group->dims[coordinates->dim];
}

/* Returns the number of dimensions from @from to @to - 1 that have several
 * ranks. */
static uint32_t count_dims_with_several_ranks(const CollGroup *group,
                                              uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    for (uint32_t d = from; d < to; d++)
        n += group->dims[d] > 1;
    return n;
}

/* Returns the first dimension along which the rank at @coordinates begins a new
 * chain. */
static uint32_t first_new_chain_dim(const CollGroup *group,
                                    const Coordinates *coordinates)
{
    return coordinates->dim == group->n_dims ? 0 : coordinates->dim + 1;
}

static uint32_t n_steps_per_direction(const CollGroup *group)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < group->n_dims; d++)
        n += group->dims[d] - 1;
    return n;
}

/* Returns the step after that in which @coordinates receives; 0 at the root. */
static uint32_t first_sending_step(const CollGroup *group,
                                   const Coordinates *coordinates)
{
    Coordinates passed = { .dim = group->n_dims };
    uint32_t step = 0;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        if (coordinates->x[d] == 0)
            continue;
        step += (chain_continues_beyond_rank(group, &passed) ? 1U : 0U) +
                count_dims_with_several_ranks(
                    group, first_new_chain_dim(group, &passed), d) +
                coordinates->x[d];
        passed.x[d] = coordinates->x[d];
        passed.dim = d;
    }
    return step;
}

static uint32_t n_sending_steps(const CollGroup *group,
                                const Coordinates *coordinates)
{
    return (chain_continues_beyond_rank(group, coordinates) ? 1U : 0U) +
           count_dims_with_several_ranks(
               group, first_new_chain_dim(group, coordinates), group->n_dims);
}

/* Returns the neighbour of @rank along @dim, forwards or backwards. */
static uint32_t neighbour_along_dim(const CollGroup *group, uint32_t rank,
                                    uint32_t dim, gboolean back)
{
    uint32_t stride = 1, size = group->dims[dim], x;

    for (uint32_t d = 0; d < dim; d++)
        stride *= group->dims[d];
    x = rank / stride % size;
    return rank - x * stride +
           stride * (back ? subtract_modulo_n(x, 1, size)
                          : add_modulo_n(x, 1, size));
}

/* Returns the rank to which @rank sends in the @i-th step in which it sends. */
static uint32_t receiving_rank_in_chain(const CollGroup *group, uint32_t rank,
                                        const Coordinates *coordinates,
                                        uint32_t i)
{
    uint32_t d = first_new_chain_dim(group, coordinates);

    if (chain_continues_beyond_rank(group, coordinates) && i-- == 0)
        return neighbour_along_dim(group, rank, coordinates->dim, FALSE);
    while (group->dims[d] < 2 || i-- > 0)
        d++;
    return neighbour_along_dim(group, rank, d, FALSE);
}

static gboolean grid_chain_supports(const CollGroup *group)
{
    return tree_sends_whole_payload(group->kind) && group->n_ranks >= 2 &&
           group->n_dims > 1 && group->from < group->n_ranks;
}

static uint32_t grid_chain_n_steps(const CollGroup *group)
{
    return (group->kind == COLL_ALL_REDUCE ? 2 : 1) *
           n_steps_per_direction(group);
}

static void grid_chain_step(const CollGroup *group, uint32_t rank,
                            uint32_t step, CollStep *ret)
{
    Coordinates coordinates = coordinates_from_root(group, rank);
    uint32_t first = first_sending_step(group, &coordinates);
    gboolean up, is_root = coordinates.dim == group->n_dims;
    uint32_t now = tree_step_in_downward_order(
        group->kind, n_steps_per_direction(group), step, &up);
    gboolean has_above = !is_root && now + 1 == first;
    gboolean has_below =
        now >= first && now - first < n_sending_steps(group, &coordinates);
    uint32_t above =
        has_above ? neighbour_along_dim(group, rank, coordinates.dim, TRUE)
                  : rank;
    uint32_t below =
        has_below
            ? receiving_rank_in_chain(group, rank, &coordinates, now - first)
            : rank;

    *ret = (CollStep){
        .send_to = up ? above : below,
        .recv_from = up ? below : above,
        .n_blocks = (up ? has_above : has_below) ? 1 : 0,
        .n_recv_blocks = (up ? has_below : has_above) ? 1 : 0,
        .recv_none = !(up ? has_below : has_above),
        .reduces = up,
    };
}

/* Returns the step nearest to a given one in which a rank is active.
 * Implements TreeNearest. */
static uint32_t nearest_active_step(gconstpointer tree, const CollGroup *group,
                                    uint32_t rank, uint32_t step, gboolean back)
{
    Coordinates coordinates = coordinates_from_root(group, rank);
    uint32_t first = first_sending_step(group, &coordinates);
    /* A rank receives in the step before the first one in which it sends. */
    uint32_t least = coordinates.dim == group->n_dims ? first : first - 1;
    uint32_t end = first + n_sending_steps(group, &coordinates);

    (void)tree;
    if (back)
        return step < least ? TREE_NONE : MIN(step, end - 1);
    step = MAX(step, least);
    return step < end ? step : TREE_NONE;
}

static uint32_t grid_chain_next_active_step(const CollGroup *group,
                                            uint32_t rank, uint32_t first_step)
{
    return tree_next_step_by_nearest_active(nearest_active_step, NULL, group,
                                            n_steps_per_direction(group), rank,
                                            first_step);
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
    .next_active_step = grid_chain_next_active_step,
};
