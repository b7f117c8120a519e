/* symmetry_classes.c - equivalence classes of the ends of a topology.  They are
 * computed by arithmetic on the ids, so no memory is used per end. */
#include "network/symmetry_classes.h"

struct SymmetryFold {
    const Topology *topology; /* borrowed */
    uint32_t n_dims;
    struct {
        uint32_t size, step;
    } dims[SYMMETRY_MAX_DIMS];
    /* The first .n_unit_dims dimensions are those within a unit. */
    uint32_t n_unit_dims;
    uint32_t unit_ends, part_ends;
    uint32_t n_parts;
    uint32_t n_kept; /* number of parts that represent others */
    /* Numbers of parts and kept parts of one unit. */
    uint32_t n_parts_of_unit, n_kept_of_unit;
    uint32_t n_kept_units; /* number of units that have kept parts */
    /* Owned: the port that represents each port of a unit; NULL if each
     * represents itself. */
    uint32_t *ports;
};

static void set_symmetry_dimension(SymmetryFold *fold, const Symmetry *shape,
                                   uint32_t d, uint32_t step)
{
    uint32_t size = shape->dims[d].size;

    g_assert(step > 0 && size % step == 0);
    g_assert(step == size || shape->dims[d].translates);
    fold->dims[d].size = size;
    fold->dims[d].step = step;
    fold->n_parts *= size;
    fold->n_kept *= step;
    if (fold->n_parts * fold->part_ends > fold->unit_ends)
        return;
    fold->n_unit_dims = d + 1;
    fold->n_parts_of_unit = fold->n_parts;
    fold->n_kept_of_unit = fold->n_kept;
}

/* Returns the port that represents @port of a unit. */
static uint32_t representative_port(const SymmetryFold *fold, uint32_t port)
{
    const TopologyPort *topology_port = topology_get_port(fold->topology, port);
    uint32_t part = 0, stride = 1, x = topology_port->part;

    for (uint32_t d = 0; d < fold->n_unit_dims; d++) {
        part += x % fold->dims[d].size % fold->dims[d].step * stride;
        x /= fold->dims[d].size;
        stride *= fold->dims[d].size;
    }
    return port - (topology_port->part - part) * topology_port->part_stride;
}

static void find_representative_ports(SymmetryFold *fold)
{
    uint32_t n_ports = topology_n_ports(fold->topology);

    fold->ports = g_new(uint32_t, n_ports);
    for (uint32_t p = 0; p < n_ports; p++)
        fold->ports[p] = representative_port(fold, p);
}

SymmetryFold *symmetry_fold_new(const Topology *topology, const Symmetry *shape,
                                const uint32_t *steps)
{
    SymmetryFold *fold = g_new0(SymmetryFold, 1);

    g_assert(shape->n_dims <= SYMMETRY_MAX_DIMS);
    fold->topology = topology;
    fold->n_dims = shape->n_dims;
    fold->unit_ends = shape->unit_ends;
    fold->part_ends = shape->part_ends;
    fold->n_parts = fold->n_kept = 1;
    fold->n_parts_of_unit = fold->n_kept_of_unit = 1;
    for (uint32_t d = 0; d < shape->n_dims; d++)
        set_symmetry_dimension(fold, shape, d,
                               steps ? steps[d] : shape->dims[d].size);
    g_assert(fold->n_parts * fold->part_ends == topology_n_npus(topology));
    g_assert(fold->n_parts_of_unit * fold->part_ends == fold->unit_ends);
    fold->n_kept_units = fold->n_kept / fold->n_kept_of_unit;
    if (fold->n_kept_of_unit < fold->n_parts_of_unit)
        find_representative_ports(fold);
    return fold;
}

SymmetryFold *symmetry_fold_new_maximal(const Topology *topology)
{
    const Symmetry *shape = topology_get_symmetry(topology);
    uint32_t steps[SYMMETRY_MAX_DIMS] = { 0 };

    for (uint32_t d = 0; d < shape->n_dims; d++)
        steps[d] = shape->dims[d].translates ? 1 : shape->dims[d].size;
    return symmetry_fold_new(topology, shape, steps);
}

void symmetry_fold_free(SymmetryFold *fold)
{
    if (fold)
        g_free(fold->ports);
    g_free(fold);
}

uint32_t symmetry_fold_n_simulated_ends(const SymmetryFold *fold)
{
    return fold->n_kept * fold->part_ends;
}

uint32_t symmetry_fold_n_simulated_units(const SymmetryFold *fold)
{
    return fold->n_kept_units;
}

gboolean symmetry_fold_simulates_all_ends(const SymmetryFold *fold)
{
    return fold->n_kept == fold->n_parts;
}

/* Returns the class of position @x on the grid of the dimensions from @first
 * to the one before @end. */
static uint32_t class_of_grid_position(const SymmetryFold *fold, uint32_t first,
                                       uint32_t end, uint32_t x)
{
    uint32_t index = 0, stride = 1;

    for (uint32_t d = first; d < end; d++) {
        index += x % fold->dims[d].size % fold->dims[d].step * stride;
        x /= fold->dims[d].size;
        stride *= fold->dims[d].step;
    }
    return index;
}

/* Returns the first position of class @index on the grid of the dimensions from
 * @first on. */
static uint32_t first_grid_position_of_class(const SymmetryFold *fold,
                                             uint32_t first, uint32_t index)
{
    uint32_t x = 0, stride = 1;

    for (uint32_t d = first; d < fold->n_dims; d++) {
        x += index % fold->dims[d].step * stride;
        index /= fold->dims[d].step;
        stride *= fold->dims[d].size;
    }
    return x;
}

uint32_t symmetry_fold_representative_unit(const SymmetryFold *fold,
                                           uint32_t index)
{
    g_assert(index < symmetry_fold_n_simulated_units(fold));
    return first_grid_position_of_class(fold, fold->n_unit_dims, index);
}

uint32_t symmetry_fold_class_of_end(const SymmetryFold *fold, uint32_t end)
{
    uint32_t part = fold->part_ends == 1 ? end : end / fold->part_ends;

    if (symmetry_fold_simulates_all_ends(fold))
        return end;
    if (fold->n_kept == 1) /* the most common case */
        return end - part * fold->part_ends;
    return class_of_grid_position(fold, 0, fold->n_dims, part) *
               fold->part_ends +
           (end - part * fold->part_ends);
}

uint32_t symmetry_fold_representative_end(const SymmetryFold *fold,
                                          uint32_t index)
{
    g_assert(index < symmetry_fold_n_simulated_ends(fold));
    return first_grid_position_of_class(fold, 0, index / fold->part_ends) *
               fold->part_ends +
           index % fold->part_ends;
}

uint32_t symmetry_fold_translate_end(const SymmetryFold *fold, uint32_t owner,
                                     uint32_t end)
{
    uint32_t part = end / fold->part_ends, seen = 0, stride = 1;

    if (symmetry_fold_simulates_all_ends(fold))
        return end;
    owner /= fold->part_ends;
    for (uint32_t d = 0; d < fold->n_dims; d++) {
        uint32_t size = fold->dims[d].size, x = owner % size;
        uint32_t shift = x - x % fold->dims[d].step;

        seen += (part % size + size - shift) % size * stride;
        owner /= size;
        part /= size;
        stride *= size;
    }
    return seen * fold->part_ends + end % fold->part_ends;
}

uint32_t symmetry_fold_translate_link(const SymmetryFold *fold, uint32_t link,
                                      uint32_t *end)
{
    uint32_t n_ports = topology_n_ports(fold->topology);
    uint32_t unit = link / n_ports, port = link % n_ports, part = 0;

    if (symmetry_fold_simulates_all_ends(fold))
        return link;
    if (fold->ports) {
        part = topology_get_port(fold->topology, port)->part;
        port = fold->ports[port];
    }
    *end = symmetry_fold_translate_end(
        fold, unit * fold->unit_ends + part * fold->part_ends, *end);
    if (fold->n_kept_units == 1) /* the most common case */
        return port;
    return class_of_grid_position(fold, fold->n_unit_dims, fold->n_dims, unit) *
               n_ports +
           port;
}
