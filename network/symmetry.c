/* symmetry.c - equivalence classes of the ends of a topology.  They are
 * computed by arithmetic on the ids, so no memory is used per end. */
#include "network/symmetry.h"

struct Fold {
    uint32_t n_dims;
    struct {
        uint32_t size, step;
    } dims[TOPOLOGY_MAX_DIMS];
    uint32_t unit_ends, n_units;
    uint32_t n_kept; /* number of representative units */
};

static void set_dim(Fold *fold, const Symmetry *shape, uint32_t d,
                    uint32_t step)
{
    uint32_t size = shape->dims[d].size;

    g_assert(step > 0 && size % step == 0);
    g_assert(step == size || shape->dims[d].translates);
    fold->dims[d].size = size;
    fold->dims[d].step = step;
    fold->n_units *= size;
    fold->n_kept *= step;
}

Fold *fold_new(const Topology *topology, const Symmetry *shape,
               const uint32_t *steps)
{
    Fold *fold = g_new0(Fold, 1);

    g_assert(shape->n_dims <= TOPOLOGY_MAX_DIMS);
    fold->n_dims = shape->n_dims;
    fold->unit_ends = shape->unit_ends;
    fold->n_units = fold->n_kept = 1;
    for (uint32_t d = 0; d < shape->n_dims; d++)
        set_dim(fold, shape, d, steps ? steps[d] : shape->dims[d].size);
    g_assert(fold->n_units * fold->unit_ends == topology_n_npus(topology));
    return fold;
}

Fold *fold_new_maximal(const Topology *topology)
{
    const Symmetry *shape = topology_symmetry(topology);
    uint32_t steps[TOPOLOGY_MAX_DIMS] = { 0 };

    for (uint32_t d = 0; d < shape->n_dims; d++)
        steps[d] = shape->dims[d].translates ? 1 : shape->dims[d].size;
    return fold_new(topology, shape, steps);
}

void fold_free(Fold *fold)
{
    g_free(fold);
}

uint32_t fold_n_ends(const Fold *fold)
{
    return fold->n_kept * fold->unit_ends;
}

uint32_t fold_n_units(const Fold *fold)
{
    return fold->n_kept;
}

gboolean fold_is_full(const Fold *fold)
{
    return fold->n_kept == fold->n_units;
}

uint32_t fold_unit_index(const Fold *fold, uint32_t unit)
{
    uint32_t index = 0, stride = 1;

    if (fold_is_full(fold))
        return unit;
    if (fold->n_kept == 1) /* the most common case */
        return 0;
    for (uint32_t d = 0; d < fold->n_dims; d++) {
        index += unit % fold->dims[d].size % fold->dims[d].step * stride;
        unit /= fold->dims[d].size;
        stride *= fold->dims[d].step;
    }
    return index;
}

uint32_t fold_unit(const Fold *fold, uint32_t index)
{
    uint32_t unit = 0, stride = 1;

    g_assert(index < fold->n_kept);
    for (uint32_t d = 0; d < fold->n_dims; d++) {
        unit += index % fold->dims[d].step * stride;
        index /= fold->dims[d].step;
        stride *= fold->dims[d].size;
    }
    return unit;
}

uint32_t fold_index(const Fold *fold, uint32_t end)
{
    if (fold->unit_ends == 1)
        return fold_unit_index(fold, end);
    return fold_unit_index(fold, end / fold->unit_ends) * fold->unit_ends +
           end % fold->unit_ends;
}

uint32_t fold_end(const Fold *fold, uint32_t index)
{
    return fold_unit(fold, index / fold->unit_ends) * fold->unit_ends +
           index % fold->unit_ends;
}

uint32_t fold_image_by_unit(const Fold *fold, uint32_t owner, uint32_t end)
{
    uint32_t unit = end / fold->unit_ends, seen = 0, stride = 1;

    if (fold_is_full(fold))
        return end;
    for (uint32_t d = 0; d < fold->n_dims; d++) {
        uint32_t size = fold->dims[d].size, x = owner % size;
        uint32_t shift = x - x % fold->dims[d].step;

        seen += (unit % size + size - shift) % size * stride;
        owner /= size;
        unit /= size;
        stride *= size;
    }
    return seen * fold->unit_ends + end % fold->unit_ends;
}

uint32_t fold_image(const Fold *fold, uint32_t owner, uint32_t end)
{
    return fold_image_by_unit(fold, owner / fold->unit_ends, end);
}
