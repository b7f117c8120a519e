/* plan.c - phases by dimension, or one of all; and what fits a group */
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

static void note_rank(CollPhase *p, uint32_t rank, uint32_t *most_sent)
{
    CollStep step;

    /* Independent steps are alike; others are few enough to look at all, but
     * for a ring, whose steps are alike too. */
    for (uint32_t s = 0; s < MIN(p->n_steps, 64); s++) {
        p->algorithm->step(&p->group, rank, s, &step);
        if (step.n_blocks > *most_sent) {
            p->sample_rank = rank;
            *most_sent = step.n_blocks;
        }
        p->max_blocks = MAX(p->max_blocks, step.n_blocks);
        p->max_blocks = MAX(p->max_blocks, coll_n_received(&step));
    }
}

static void add_phase(CollPlan *plan, const CollPhase *phase)
{
    CollPhase *p = &plan->phases[plan->n_phases++];
    uint32_t n_ranks = phase->group.n_ranks, most_sent = 0;

    g_assert(plan->n_phases <= COLL_MAX_PHASES);
    g_assert(n_ranks == phase->members.n_ranks);
    *p = *phase;
    p->mirrored = p->group;
    p->mirrored.backwards = TRUE;
    p->n_blocks = coll_n_blocks(p->algorithm, &p->group);
    p->n_steps = p->algorithm->n_steps(&p->group);
    p->n_reducing = n_reducing(p);
    plan->reduces |= p->n_reducing > 0;
    plan->via_switch |= p->algorithm->via_switch;
    for (uint32_t r = 0; r < (p->algorithm->partial ? n_ranks : 1); r++)
        note_rank(p, r, &most_sent);
    p->sample_npu = coll_members_at(&p->members, 0, p->sample_rank);
    p->is_uniform = p->algorithm->single_source && p->max_blocks == 1 &&
                    !p->algorithm->partial;
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
                                  .members = coll_members_of_stride(
                                      topology_n_npus(topology), size, stride),
                                  .dim = dim,
                                  .may_reverse =
                                      topology_dim(topology, dim)->both_ways,
                                  .divisor = divisor });
}

uint32_t coll_plan_dims(const Topology *topology, uint32_t mask,
                        uint32_t *ret_dims)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (mask >> d & 1 && topology_dim(topology, d)->size > 1)
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
    for (uint32_t i = 0; i < n_dims; i++)
        plan->dims_mask |= 1U << order[i];
    if (kind == COLL_ALL_REDUCE)
        plan_all_reduce(plan, topology, order, n_dims);
    else
        plan_by_dims(plan, topology, kind, order, n_dims);
}

static gboolean are_rings(const Topology *topology, uint32_t mask)
{
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (mask >> d & 1 && topology_dim(topology, d)->shape != TOPOLOGY_RING)
            return FALSE;
    return mask != 0;
}

/* What a plan is made of, put together once. */
typedef struct {
    const CollMembers *members; /* borrowed */
    CollCase what;
    uint32_t dims_mask; /* the whole dimensions that it is; 0: it is not */
    gboolean is_one;    /* phase, whatever the dimensions */
} Task;

static Task task_of(const CollRequest *request, const Topology *topology)
{
    uint32_t n_npus = topology_n_npus(topology), sizes[COLL_MAX_DIMS];
    Task task = { .members = request->members };
    CollGroup *group = &task.what.group;

    *group = (CollGroup){ .kind = request->kind,
                          .n_ranks = request->members->n_ranks,
                          .from = request->from,
                          .to = request->to };
    task.what.is_all = group->n_ranks == n_npus;
    task.what.payload_bytes = request->payload_bytes;
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        sizes[d] = topology_dim(topology, d)->size;
    if (!coll_members_are_dims(task.members, sizes, topology_n_dims(topology),
                               &task.dims_mask))
        task.dims_mask = 0;
    task.what.on_rings = are_rings(topology, task.dims_mask);
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (task.dims_mask >> d & 1)
            group->dims[group->n_dims++] = sizes[d];
    if (task.dims_mask == 0) {
        group->dims[0] = group->n_ranks;
        group->n_dims = 1;
    }
    return task;
}

/* @task's group as @algorithm takes it: on its grid, else one after the other.
 * FALSE: it does not. */
static gboolean fits(const CollAlgorithm *algorithm, const Task *task,
                     const Topology *topology, CollGroup *ret)
{
    *ret = task->what.group;
    if (algorithm->via_switch &&
        (!topology_adder(topology) || !task->what.is_all))
        return FALSE;
    if (topology_is_torus(topology) && algorithm->symmetry == COLL_BY_XOR)
        return FALSE;
    if (algorithm->supports(ret))
        return TRUE;
    ret->n_dims = 1;
    ret->dims[0] = ret->n_ranks;
    return algorithm->supports(ret);
}

static void add_whole(CollPlan *plan, const Task *task, const CollGroup *group,
                      CollKind kind, const CollAlgorithm *algorithm)
{
    CollPhase phase = { .algorithm = algorithm,
                        .group = *group,
                        .members = *task->members,
                        .divisor = 1 };

    phase.group.kind = kind;
    add_phase(plan, &phase);
}

/* FALSE: @algorithm does not fit. */
static gboolean make_plan(CollPlan *plan, const Task *task,
                          const CollAlgorithm *algorithm,
                          const Topology *topology)
{
    CollKind kind = task->what.group.kind;
    uint32_t order[COLL_MAX_DIMS];
    CollGroup group = task->what.group;

    *plan = (CollPlan){ .kind = kind };
    if (group.n_ranks < 2)
        return TRUE;
    if (task->what.on_rings && algorithm == &coll_ring &&
        kind != COLL_ALL_TO_ALL && !task->is_one) {
        coll_plan_init_in_order(
            plan, kind, topology, order,
            coll_plan_dims(topology, task->dims_mask, order));
        return TRUE;
    }
    if (kind == COLL_ALL_REDUCE && algorithm == &coll_direct) {
        add_whole(plan, task, &group, COLL_REDUCE_SCATTER, algorithm);
        add_whole(plan, task, &group, COLL_ALL_GATHER, algorithm);
        return TRUE;
    }
    if (!fits(algorithm, task, topology, &group))
        return FALSE;
    add_whole(plan, task, &group, kind, algorithm);
    return TRUE;
}

/* What @choice, an index into coll_algorithm_names, is for @task; NULL: it has
 * nothing to do. */
static const CollAlgorithm *chosen(const Task *task, int choice,
                                   const Topology *topology)
{
    if (task->what.group.n_ranks < 2)
        return NULL;
    if (task->what.group.kind == COLL_SEND)
        return &coll_p2p;
    return choice == COLL_AUTO ? coll_auto(&task->what, topology)
                               : coll_algorithms[choice - 1];
}

/* Names of those that fit; `auto` does.  Owner: the caller. */
static char *fitting(const Task *task, const Topology *topology)
{
    GString *out = g_string_new(NULL);
    CollPlan ignored;

    for (int i = 0; coll_algorithm_names[i]; i++)
        if (make_plan(&ignored, task, chosen(task, i, topology), topology))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   coll_algorithm_names[i]);
    return g_string_free(out, FALSE);
}

gboolean coll_plan_init(CollPlan *plan, const CollRequest *request,
                        const CollChoices *choices, const Topology *topology,
                        GError **error)
{
    Task task = task_of(request, topology);
    const CollChoice *row = coll_choice_of(choices, request);
    int choice = row ? row->algorithm : choices->algorithm;
    g_autofree char *known = NULL;

    /* What is said of all, and not of all-to-alls, leaves them alone. */
    if (request->kind == COLL_ALL_TO_ALL && (!row || row->collective == 0))
        choice = COLL_AUTO;
    if (make_plan(plan, &task, chosen(&task, choice, topology), topology))
        return TRUE;
    known = fitting(&task, topology);
    config_set_error(
        error, row ? row->node : choices->node, CONFIG_ERROR_CONFLICT,
        "algorithm: '%s' has no %s for %u NPUs on a %s; these "
        "have: %s",
        coll_algorithm_names[choice], coll_kind_name(request->kind),
        request->members->n_ranks, topology_kind(topology), known);
    return FALSE;
}

gboolean coll_plan_init_channel(CollPlan *plan, const CollRequest *request,
                                const CollRecipe *recipe, uint32_t channel,
                                const Topology *topology,
                                const ConfigNode *where, GError **error)
{
    const CollChannel *c = &recipe->channels[channel];
    Task task = task_of(request, topology);

    task.what.group.schedule = c->schedule;
    task.is_one = TRUE;
    if (!make_plan(plan, &task, c->algorithm, topology)) {
        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "stack: its %s has no %s for %u NPUs on a %s",
                         recipe->algorithm, coll_kind_name(request->kind),
                         request->members->n_ranks, topology_kind(topology));
        return FALSE;
    }
    plan->recipe = recipe;
    for (uint32_t p = 0; p < plan->n_phases; p++)
        plan->phases[p].plane = c->plane;
    return TRUE;
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
    return divide_up(coll_phase_bytes(phase, chunk_bytes), phase->n_blocks);
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

uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t n_blocks = 0;
    CollStep step;

    if (phase->max_blocks == 1 && !phase->algorithm->partial)
        return phase->n_steps * coll_block_bytes(phase, chunk_bytes);
    for (uint32_t s = 0; s < phase->n_steps; s++) {
        phase->algorithm->step(&phase->group, phase->sample_rank, s, &step);
        n_blocks += step.n_blocks;
    }
    return n_blocks * coll_block_bytes(phase, chunk_bytes);
}
