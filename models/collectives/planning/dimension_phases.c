/* dimension_phases.c - a phase for each dimension, outwards and back */
#include "models/collectives/planning/dimension_phases.h"

uint32_t coll_plan_dims_in_mask(const Topology *topology, uint32_t mask,
                                uint32_t *ret_dims)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (mask >> d & 1 && topology_dimension(topology, d)->size > 1)
            ret_dims[n++] = d;
    return n;
}

static uint32_t stride_of_dim(const Topology *topology, uint32_t dim)
{
    uint32_t stride = 1;

    for (uint32_t d = 0; d < dim; d++)
        stride *= topology_dimension(topology, d)->size;
    return stride;
}

static CollDimPart part_of_whole_dimension(const Topology *topology,
                                           uint32_t dim)
{
    return (CollDimPart){ .dim = dim,
                          .size = topology_dimension(topology, dim)->size,
                          .stride = stride_of_dim(topology, dim) };
}

static CollGroup group_of_part(const CollDimPart *part, CollKind kind)
{
    return (CollGroup){
        .kind = kind, .n_ranks = part->size, .n_dims = 1, .dims = { part->size }
    };
}

static void add_part_phase(CollPlan *plan, const Topology *topology,
                           const CollDimPart *part, CollKind kind,
                           uint64_t divisor, const CollAlgorithm *algorithm)
{
    const TopologyDim *d = topology_dimension(topology, part->dim);

    if (part->size < 2)
        return;
    coll_plan_add_phase(
        plan, &(CollPhase){
                  .algorithm = algorithm,
                  .group = group_of_part(part, kind),
                  .members = coll_members_by_stride(topology_n_npus(topology),
                                                    part->size, part->stride),
                  .dim = part->dim,
                  .may_reverse = algorithm == &coll_ring &&
                                 d->shape == TOPOLOGY_RING && d->both_ways &&
                                 coll_dim_part_is_whole_dim(part, topology),
                  .divisor = divisor });
}

static void add_dim_phase(CollPlan *plan, const Topology *topology,
                          uint32_t dim, CollKind kind, uint64_t divisor,
                          const CollAlgorithm *algorithm)
{
    const CollDimPart part = part_of_whole_dimension(topology, dim);

    add_part_phase(plan, topology, &part, kind, divisor, algorithm);
}

/* ---- rings ------------------------------------------------------------ */

static void plan_ring_all_reduce(CollPlan *plan, const Topology *topology,
                                 const uint32_t *order, uint32_t n_dims)
{
    uint64_t size = topology_dimension(topology, order[0])->size;

    if (n_dims == 1) {
        add_dim_phase(plan, topology, order[0], COLL_ALL_REDUCE, 1, &coll_ring);
        return;
    }
    add_dim_phase(plan, topology, order[0], COLL_REDUCE_SCATTER, 1, &coll_ring);
    for (uint32_t i = 1; i < n_dims; i++)
        add_dim_phase(plan, topology, order[i], COLL_ALL_REDUCE, size,
                      &coll_ring);
    add_dim_phase(plan, topology, order[0], COLL_ALL_GATHER, 1, &coll_ring);
}

/* Computes the divisor of the payload when dimension @order[i] works. */
static void compute_dim_divisors(const Topology *topology,
                                 const uint32_t *order, uint32_t n_dims,
                                 uint64_t *ret_divisors)
{
    uint64_t divisor = 1;

    for (uint32_t i = 0; i < n_dims; i++) {
        ret_divisors[i] = divisor;
        divisor *= topology_dimension(topology, order[i])->size;
    }
}

static void plan_dims_one_by_one(CollPlan *plan, const Topology *topology,
                                 CollKind kind, const uint32_t *order,
                                 uint32_t n_dims)
{
    uint64_t divisors[COLL_MAX_DIMS];

    compute_dim_divisors(topology, order, n_dims, divisors);
    for (uint32_t i = 0; i < n_dims; i++) {
        uint32_t at = kind == COLL_ALL_GATHER ? n_dims - 1 - i : i;

        add_dim_phase(plan, topology, order[at], kind, divisors[at],
                      &coll_ring);
    }
}

void coll_plan_init_rings(CollPlan *plan, CollKind kind,
                          const Topology *topology, const uint32_t *order,
                          uint32_t n_dims)
{
    *plan = (CollPlan){ .kind = kind, .by_dims = TRUE, .may_reorder = TRUE };
    for (uint32_t i = 0; i < n_dims; i++)
        plan->dims_mask |= 1U << order[i];
    if (kind == COLL_ALL_REDUCE)
        plan_ring_all_reduce(plan, topology, order, n_dims);
    else
        plan_dims_one_by_one(plan, topology, kind, order, n_dims);
}

/* ---- levels ----------------------------------------------------------- */

/* The algorithm of each level of the machine, from the innermost outwards. */
typedef struct {
    const Topology *topology;
    uint32_t n;
    const CollDimPart *parts; /* borrowed */
    uint64_t divisors[COLL_MAX_DIMS];
    const CollAlgorithm *algorithms[COLL_MAX_DIMS];
} Levels;

static gboolean level_supports_kind(const Levels *levels, uint32_t i,
                                    CollKind kind)
{
    const CollDimPart *part = &levels->parts[i];
    CollGroup group = group_of_part(part, kind);
    const CollAlgorithm *algorithm = levels->algorithms[i];

    if (algorithm->via_switch &&
        !(coll_dim_part_is_whole_dim(part, levels->topology) &&
          topology_in_switch_adder(levels->topology, part->dim)))
        return FALSE;
    return algorithm->supports(&group);
}

static gboolean level_splits_into_halves(const Levels *levels, uint32_t i)
{
    return level_supports_kind(levels, i, COLL_REDUCE_SCATTER) &&
           level_supports_kind(levels, i, COLL_ALL_GATHER);
}

/* Returns whether level @i can carry out @kind.  For an all-reduce the level
 * needs both halves, or it is the last level and supports it as a whole. */
static gboolean level_fits_request(const Levels *levels, uint32_t i,
                                   CollKind kind)
{
    if (kind != COLL_ALL_REDUCE)
        return level_supports_kind(levels, i, kind);
    return level_splits_into_halves(levels, i) ||
           (i + 1 == levels->n && level_supports_kind(levels, i, kind));
}

static void add_level_phase(CollPlan *plan, const Levels *levels, uint32_t i,
                            CollKind kind)
{
    add_part_phase(plan, levels->topology, &levels->parts[i], kind,
                   levels->divisors[i], levels->algorithms[i]);
}

static void add_outermost_phase(CollPlan *plan, const Levels *levels)
{
    uint32_t last = levels->n - 1;

    if (level_supports_kind(levels, last, COLL_ALL_REDUCE)) {
        add_level_phase(plan, levels, last, COLL_ALL_REDUCE);
        return;
    }
    add_level_phase(plan, levels, last, COLL_REDUCE_SCATTER);
    add_level_phase(plan, levels, last, COLL_ALL_GATHER);
}

static void add_level_phases(CollPlan *plan, const Levels *levels)
{
    CollKind forward_kind =
        plan->kind == COLL_ALL_REDUCE ? COLL_REDUCE_SCATTER : plan->kind;
    uint32_t n = levels->n;

    for (uint32_t i = 0; i + 1 < n && forward_kind != COLL_ALL_GATHER; i++)
        add_level_phase(plan, levels, i, forward_kind);
    if (plan->kind == COLL_ALL_REDUCE)
        add_outermost_phase(plan, levels);
    else
        add_level_phase(plan, levels, n - 1, forward_kind);
    for (uint32_t i = n - 1; i-- > 0 && forward_kind != plan->kind;)
        add_level_phase(plan, levels, i, COLL_ALL_GATHER);
    for (uint32_t i = n - 1; i-- > 0 && plan->kind == COLL_ALL_GATHER;)
        add_level_phase(plan, levels, i, COLL_ALL_GATHER);
}

gboolean coll_plan_init_by_dim(CollPlan *plan, CollKind kind,
                               const Topology *topology,
                               const CollDimPart *parts, uint32_t n_parts,
                               const CollAlgorithm *const *given,
                               uint32_t *ret_wrong)
{
    Levels levels = { .topology = topology, .n = n_parts, .parts = parts };
    uint64_t divisor = 1;

    *plan = (CollPlan){ .kind = kind, .by_dims = TRUE };
    *ret_wrong = TOPOLOGY_MAX_DIMS;
    if (n_parts == 0 || (kind != COLL_REDUCE_SCATTER &&
                         kind != COLL_ALL_GATHER && kind != COLL_ALL_REDUCE))
        return FALSE;
    for (uint32_t i = 0; i < n_parts; i++) {
        CollGroup group = group_of_part(&parts[i], kind);

        plan->dims_mask |= 1U << parts[i].dim;
        levels.divisors[i] = divisor;
        divisor *= parts[i].size;
        levels.algorithms[i] =
            given[parts[i].dim]
                ?: coll_auto_algorithm_of_dimension_part(
                       &group, topology, &parts[i], i + 1 == n_parts);
        *ret_wrong = i;
        if (!level_fits_request(&levels, i, kind))
            return FALSE;
    }
    add_level_phases(plan, &levels);
    return TRUE;
}
