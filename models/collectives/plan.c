#include "models/collectives/plan.h"

/* Every algorithm reduces first and gathers then. */
static uint32_t n_reducing(const CollPhase *p)
{
    uint32_t from = 0, to = p->n_steps;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        CollStep step;

        p->algorithm->step(&p->group, 0, middle, &step);
        if (step.reduces)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void add_phase(CollPlan *plan, const CollPhase *phase)
{
    CollPhase *p = &plan->phases[plan->n_phases++];
    CollStep step;

    g_assert(plan->n_phases <= COLL_MAX_PHASES);
    *p = *phase;
    p->mirrored = p->group;
    p->mirrored.backwards = TRUE;
    p->n_steps = p->algorithm->n_steps(&p->group);
    p->n_reducing = n_reducing(p);
    plan->reduces |= p->n_reducing > 0;
    plan->via_switch |= p->algorithm->via_switch;
    p->max_blocks = 0;
    /* Independent steps are alike; others are few enough to look at all, but
     * for a ring, whose steps are alike too. */
    for (uint32_t s = 0; s < MIN(p->n_steps, 64); s++) {
        p->algorithm->step(&p->group, 0, s, &step);
        p->max_blocks = MAX(p->max_blocks, step.n_blocks);
        p->max_blocks = MAX(p->max_blocks, coll_n_received(&step));
    }
    p->is_uniform = p->algorithm->single_source && p->max_blocks == 1;
}

static void add_dim(CollPlan *plan, const Topology *topology, uint32_t dim,
                    CollKind kind, uint64_t divisor)
{
    uint32_t size = topology_dim(topology, dim)->size;
    uint32_t stride = 1;

    if (size < 2)
        return;
    for (uint32_t d = 0; d < dim; d++)
        stride *= topology_dim(topology, d)->size;
    add_phase(plan, &(CollPhase){ .algorithm = &coll_ring,
                                  .group = { .kind = kind,
                                             .n_ranks = size,
                                             .n_dims = 1,
                                             .dims = { size } },
                                  .dim = dim,
                                  .stride = stride,
                                  .may_reverse =
                                      topology_dim(topology, dim)->both_ways,
                                  .divisor = divisor });
}

uint32_t coll_plan_dims(const Topology *topology, uint32_t *ret_dims)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (topology_dim(topology, d)->size > 1)
            ret_dims[n++] = d;
    return n;
}

static void plan_all_reduce(CollPlan *plan, const Topology *topology,
                            const uint32_t *order, uint32_t n_dims)
{
    uint64_t size = topology_dim(topology, order[0])->size;

    if (n_dims == 1) {
        add_dim(plan, topology, order[0], COLL_ALL_REDUCE, 1);
        return;
    }
    add_dim(plan, topology, order[0], COLL_REDUCE_SCATTER, 1);
    for (uint32_t i = 1; i < n_dims; i++)
        add_dim(plan, topology, order[i], COLL_ALL_REDUCE, size);
    add_dim(plan, topology, order[0], COLL_ALL_GATHER, 1);
}

static void plan_by_dims(CollPlan *plan, const Topology *topology,
                         CollKind kind, const uint32_t *order, uint32_t n_dims)
{
    uint64_t divisors[COLL_MAX_DIMS];
    uint64_t divisor = 1;

    for (uint32_t i = 0; i < n_dims; i++) {
        divisors[i] = divisor;
        divisor *= topology_dim(topology, order[i])->size;
    }
    for (uint32_t i = 0; i < n_dims; i++) {
        uint32_t at = kind == COLL_ALL_GATHER ? n_dims - 1 - i : i;

        add_dim(plan, topology, order[at], kind, divisors[at]);
    }
}

void coll_plan_init_in_order(CollPlan *plan, CollKind kind,
                             const Topology *topology, const uint32_t *order,
                             uint32_t n_dims)
{
    *plan = (CollPlan){ .kind = kind, .by_dims = TRUE };
    if (kind == COLL_ALL_REDUCE)
        plan_all_reduce(plan, topology, order, n_dims);
    else
        plan_by_dims(plan, topology, kind, order, n_dims);
}

static CollGroup group_of_all(const Topology *topology, CollKind kind)
{
    CollGroup group = { .kind = kind,
                        .n_ranks = topology_n_npus(topology),
                        .n_dims = topology_n_dims(topology) };

    for (uint32_t d = 0; d < group.n_dims; d++)
        group.dims[d] = topology_dim(topology, d)->size;
    return group;
}

/* An all-reduce in the switch takes a payload up and down each link, all else
 * 2 (n-1)/n of one, so it is chosen unless its adder is slower than the links
 * by more than that.  A reduce-scatter or an all-gather takes a payload there
 * for (n-1)/n of one elsewhere. */
static gboolean is_sooner_in_switch(const CollGroup *group,
                                    const Topology *topology)
{
    const TopologyAdder *adder = topology_adder(topology);
    const TopologyPort *port = topology_port(topology, 0);
    SimWide links_bytes_per_s =
        (SimWide)port->n_links * port->payload_bytes_per_s;

    if (!adder || group->kind != COLL_ALL_REDUCE)
        return FALSE;
    return adder->bytes_per_s == 0 ||
           (SimWide)adder->bytes_per_s * 2 * (group->n_ranks - 1) >=
               links_bytes_per_s * group->n_ranks;
}

static const CollAlgorithm *choose(const CollGroup *group, int algorithm,
                                   const Topology *topology)
{
    gboolean is_pairwise = topology_is_pairwise(topology);

    if (algorithm == COLL_AUTO && is_sooner_in_switch(group, topology))
        return &coll_in_switch;
    if (algorithm == COLL_AUTO && is_pairwise && coll_direct.supports(group))
        return &coll_direct;
    if (algorithm != COLL_AUTO &&
        coll_algorithms[algorithm - 1]->supports(group))
        return coll_algorithms[algorithm - 1];
    if (group->kind == COLL_ALL_TO_ALL)
        return &coll_direct; /* the only one */
    if (algorithm != COLL_AUTO)
        return NULL;
    return coll_halving_doubling.supports(group) ? &coll_halving_doubling
                                                 : &coll_ring;
}

static void add_of_all(CollPlan *plan, const Topology *topology, CollKind kind,
                       const CollAlgorithm *algorithm)
{
    add_phase(plan, &(CollPhase){ .algorithm = algorithm,
                                  .group = group_of_all(topology, kind),
                                  .stride = 1,
                                  .divisor = 1 });
}

static gboolean wants_direct(const Topology *topology, int algorithm)
{
    return algorithm == COLL_AUTO
               ? topology_is_pairwise(topology)
               : coll_algorithms[algorithm - 1] == &coll_direct;
}

/* FALSE: the algorithm does not fit. */
static gboolean make_plan(CollPlan *plan, CollKind kind, int algorithm,
                          const Topology *topology)
{
    CollGroup all = group_of_all(topology, kind);
    gboolean by_dims = topology_is_torus(topology) && kind != COLL_ALL_TO_ALL &&
                       (algorithm == COLL_AUTO ||
                        coll_algorithms[algorithm - 1] == &coll_ring);
    const CollAlgorithm *chosen;

    *plan = (CollPlan){ .kind = kind };
    if (all.n_ranks < 2)
        return TRUE;
    if (by_dims) {
        uint32_t order[COLL_MAX_DIMS];
        uint32_t n_dims = coll_plan_dims(topology, order);

        coll_plan_init_in_order(plan, kind, topology, order, n_dims);
        return TRUE;
    }
    if (kind == COLL_ALL_REDUCE && wants_direct(topology, algorithm)) {
        add_of_all(plan, topology, COLL_REDUCE_SCATTER, &coll_direct);
        add_of_all(plan, topology, COLL_ALL_GATHER, &coll_direct);
        return TRUE;
    }
    chosen = choose(&all, algorithm, topology);
    if (!chosen || (chosen->via_switch && !topology_adder(topology)) ||
        (topology_is_torus(topology) && chosen->symmetry == COLL_BY_XOR))
        return FALSE;
    add_of_all(plan, topology, kind, chosen);
    return TRUE;
}

/* Names of those that fit; `auto` does.  Owner: the caller. */
static char *fitting(CollKind kind, const Topology *topology)
{
    GString *out = g_string_new(NULL);
    CollPlan ignored;

    for (int i = 0; coll_algorithm_names[i]; i++)
        if (make_plan(&ignored, kind, i, topology))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   coll_algorithm_names[i]);
    return g_string_free(out, FALSE);
}

gboolean coll_plan_init(CollPlan *plan, CollKind kind, int algorithm,
                        const Topology *topology, const ConfigNode *where,
                        GError **error)
{
    g_autofree char *known = NULL;

    if (make_plan(plan, kind, algorithm, topology))
        return TRUE;
    known = fitting(kind, topology);
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "algorithm: '%s' has no %s for %u NPUs on a %s; these "
                     "have: %s",
                     coll_algorithm_names[algorithm], coll_kind_names[kind],
                     topology_n_npus(topology), topology_kind(topology), known);
    return FALSE;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t coll_phase_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    return MAX(1, divide_up(chunk_bytes, phase->divisor));
}

uint64_t coll_block_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    return divide_up(coll_phase_bytes(phase, chunk_bytes),
                     phase->group.n_ranks);
}

uint32_t coll_n_lanes(const CollPhase *phase, uint64_t chunk_bytes,
                      uint64_t message_bytes)
{
    uint64_t most = coll_block_bytes(phase, chunk_bytes) * phase->max_blocks;

    return (uint32_t)MIN(divide_up(most, message_bytes), COLL_MAX_LANES);
}

uint64_t coll_lane_bytes(const CollPhase *phase, uint64_t chunk_bytes,
                         uint32_t n_blocks, uint32_t n_lanes)
{
    return divide_up(coll_block_bytes(phase, chunk_bytes) * n_blocks, n_lanes);
}

uint32_t coll_rank(const CollPhase *phase, uint32_t npu)
{
    return npu / phase->stride % phase->group.n_ranks;
}

uint32_t coll_peer(const CollPhase *phase, uint32_t npu, uint32_t rank)
{
    return npu - coll_rank(phase, npu) * phase->stride + rank * phase->stride;
}

uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t n_blocks = 0;
    CollStep step;

    if (phase->max_blocks == 1)
        return phase->n_steps * coll_block_bytes(phase, chunk_bytes);
    for (uint32_t s = 0; s < phase->n_steps; s++) {
        phase->algorithm->step(&phase->group, 0, s, &step);
        n_blocks += step.n_blocks;
    }
    return n_blocks * coll_block_bytes(phase, chunk_bytes);
}
