/* symmetry_classes.c - equivalence classes of the ends of a topology.  They are
 * computed by arithmetic on the ids, so no memory is used per end. */
#include "network/symmetry_classes.h"

struct SymmetryFold {
    uint32_t n_dims;
    struct {
        uint32_t size, step;
    } dims[TOPOLOGY_MAX_DIMS];
    uint32_t unit_ends, n_units;
    uint32_t n_kept; /* number of units that represent others */
};

static void set_symmetry_dimension(SymmetryFold *fold, const Symmetry *shape,
                                   uint32_t d, uint32_t step)
{
    uint32_t size = shape->dims[d].size;

    g_assert(step > 0 && size % step == 0);
    g_assert(step == size || shape->dims[d].translates);
    fold->dims[d].size = size;
    fold->dims[d].step = step;
    fold->n_units *= size;
    fold->n_kept *= step;
}

SymmetryFold *symmetry_fold_new(const Topology *topology, const Symmetry *shape,
                                const uint32_t *steps)
{
    SymmetryFold *fold = g_new0(SymmetryFold, 1);

    g_assert(shape->n_dims <= TOPOLOGY_MAX_DIMS);
    fold->n_dims = shape->n_dims;
    fold->unit_ends = shape->unit_ends;
    fold->n_units = fold->n_kept = 1;
    for (uint32_t d = 0; d < shape->n_dims; d++)
        set_symmetry_dimension(fold, shape, d,
                               steps ? steps[d] : shape->dims[d].size);
    g_assert(fold->n_units * fold->unit_ends == topology_n_npus(topology));
    return fold;
}

SymmetryFold *symmetry_fold_new_maximal(const Topology *topology)
{
    const Symmetry *shape = topology_get_symmetry(topology);
    uint32_t steps[TOPOLOGY_MAX_DIMS] = { 0 };

    for (uint32_t d = 0; d < shape->n_dims; d++)
        steps[d] = shape->dims[d].translates ? 1 : shape->dims[d].size;
    return symmetry_fold_new(topology, shape, steps);
}

void symmetry_fold_free(SymmetryFold *fold)
{
    g_free(fold);
}

uint32_t symmetry_fold_n_simulated_ends(const SymmetryFold *fold)
{
    return fold->n_kept * fold->unit_ends;
}

uint32_t symmetry_fold_n_simulated_units(const SymmetryFold *fold)
{
    return fold->n_kept;
}

gboolean symmetry_fold_simulates_all_ends(const SymmetryFold *fold)
{
    return fold->n_kept == fold->n_units;
}

uint32_t symmetry_fold_class_of_unit(const SymmetryFold *fold, uint32_t unit)
{
    uint32_t index = 0, stride = 1;

    if (symmetry_fold_simulates_all_ends(fold))
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

uint32_t symmetry_fold_representative_unit(const SymmetryFold *fold,
                                           uint32_t index)
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

uint32_t symmetry_fold_class_of_end(const SymmetryFold *fold, uint32_t end)
{
    if (fold->unit_ends == 1)
        return symmetry_fold_class_of_unit(fold, end);
    return symmetry_fold_class_of_unit(fold, end / fold->unit_ends) *
               fold->unit_ends +
           end % fold->unit_ends;
}

uint32_t symmetry_fold_representative_end(const SymmetryFold *fold,
                                          uint32_t index)
{
    return symmetry_fold_representative_unit(fold, index / fold->unit_ends) *
               fold->unit_ends +
           index % fold->unit_ends;
}

uint32_t symmetry_fold_translate_end_by_unit(const SymmetryFold *fold,
                                             uint32_t owner, uint32_t end)
{
    uint32_t unit = end / fold->unit_ends, seen = 0, stride = 1;

    if (symmetry_fold_simulates_all_ends(fold))
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

uint32_t symmetry_fold_translate_end(const SymmetryFold *fold, uint32_t owner,
                                     uint32_t end)
{
    return symmetry_fold_translate_end_by_unit(fold, owner / fold->unit_ends,
                                               end);
}
