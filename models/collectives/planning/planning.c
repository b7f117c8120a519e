/* planning.c - makes a plan of one phase, or of a phase per dimension */
#include "models/collectives/planning/planning.h"

#include <string.h>

#include "models/collectives/planning/dimension_phases.h"

static gboolean dims_are_rings(const Topology *topology, uint32_t mask)
{
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (mask >> d & 1 &&
            topology_dimension(topology, d)->shape != TOPOLOGY_RING)
            return FALSE;
    return mask != 0;
}

/* The inputs of a plan, derived from a request. */
typedef struct {
    const CollMembers *members; /* borrowed */
    CollCase coll_case;
    /* The whole dimensions that the group spans; 0: the group has none. */
    uint32_t dims_mask;
    gboolean is_one; /* a single phase, whatever the dimensions */
    /* Exception to .is_one: an all-reduce has two phases, its halves. */
    gboolean in_two;
    /* Algorithm of each dimension as the user states it; NULL: as `auto`
     * chooses. */
    const CollAlgorithm *levels[COLL_MAX_DIMS];
    gboolean has_levels; /* .levels states some algorithm */
    /* The group along each dimension, for plans by level. */
    CollDimPart parts[COLL_MAX_DIMS];
    uint32_t n_parts;
} Task;

/* Sets the parts of @task by level.  A part of a dimension is a level only if
 * the dimension is a switch or links every pair: in a ring, the members of a
 * part are not neighbours.  A group within one dimension has no levels unless
 * it is the whole of it. */
static void find_levels_of_group(Task *task, const Topology *topology,
                                 const uint32_t *sizes)
{
    gboolean are_whole = TRUE;
    uint32_t mask = 0;

    if (!coll_members_split_into_dims(task->members, sizes,
                                      topology_n_dims(topology), task->parts,
                                      &task->n_parts))
        task->n_parts = 0;
    for (uint32_t i = 0; i < task->n_parts; i++) {
        uint32_t dim = task->parts[i].dim;

        mask |= 1U << dim;
        if (coll_dim_part_is_whole_dim(&task->parts[i], topology))
            continue;
        are_whole = FALSE;
        if (topology_dimension(topology, dim)->shape != TOPOLOGY_SWITCH &&
            topology_dimension(topology, dim)->shape != TOPOLOGY_FULL)
            task->n_parts = 0;
    }
    if (are_whole)
        task->dims_mask = mask;
    else if (task->n_parts == 1)
        task->n_parts = 0;
    task->coll_case.n_levels = task->n_parts;
}

static Task planning_task_of_request(const CollRequest *request,
                                     const Topology *topology)
{
    uint32_t n_npus = topology_n_npus(topology), sizes[COLL_MAX_DIMS];
    Task task = { .members = request->members };
    CollGroup *group = &task.coll_case.group;

    task.coll_case.asked = request->kind;
    *group = (CollGroup){ .kind = coll_contract(request->kind)->done_as,
                          .n_ranks = request->members->n_ranks,
                          .from = request->from,
                          .to = request->to };
    if (request->weights) {
        group->kind = COLL_ALL_TO_ALLV;
        group->weights = request->weights;
    }
    task.coll_case.is_all = group->n_ranks == n_npus;
    task.coll_case.payload_bytes = request->payload_bytes;
    task.coll_case.is_star = request->is_star;
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        sizes[d] = topology_dimension(topology, d)->size;
    find_levels_of_group(&task, topology, sizes);
    task.coll_case.on_rings = dims_are_rings(topology, task.dims_mask);
    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        if (task.dims_mask >> d & 1) {
            group->dims[group->n_dims++] = sizes[d];
            task.coll_case.dim = d;
        }
    if (task.dims_mask == 0) {
        group->dims[0] = group->n_ranks;
        group->n_dims = 1;
    }
    return task;
}

/* Sets *@ret to the group of @task as @algorithm supports it: on its grid, or
 * else as a line.  Returns FALSE if @algorithm supports neither. */
static gboolean algorithm_fits_request(const CollAlgorithm *algorithm,
                                       const Task *task,
                                       const Topology *topology, CollGroup *ret)
{
    *ret = task->coll_case.group;
    if (algorithm->via_switch &&
        (task->coll_case.n_levels != 1 ||
         !topology_in_switch_adder(topology, task->coll_case.dim)))
        return FALSE;
    if (topology_is_torus(topology) && algorithm->symmetry == COLL_BY_XOR)
        return FALSE;
    if (algorithm->supports(ret))
        return TRUE;
    ret->n_dims = 1;
    ret->dims[0] = ret->n_ranks;
    return algorithm->supports(ret);
}

static void add_phase_over_group(CollPlan *plan, const Task *task,
                                 const CollGroup *group, CollKind kind,
                                 const CollAlgorithm *algorithm)
{
    CollPhase phase = { .algorithm = algorithm,
                        .group = *group,
                        .members = *task->members,
                        .dim = algorithm->via_switch ? task->coll_case.dim : 0,
                        .divisor = 1 };

    phase.group.kind = kind;
    coll_plan_add_phase(plan, &phase);
}

/* Makes the plan of @task by @algorithm.  Returns FALSE if @algorithm does not
 * fit. */
static gboolean make_plan_of_task(CollPlan *plan, const Task *task,
                                  const CollAlgorithm *algorithm,
                                  const Topology *topology)
{
    CollKind kind = task->coll_case.group.kind;
    uint32_t order[COLL_MAX_DIMS], wrong;
    CollGroup group = task->coll_case.group;

    if (kind == COLL_ALL_TO_ALLV && algorithm == &coll_direct)
        algorithm = &coll_direct_uneven;
    if (algorithm == &coll_chain && !task->is_one &&
        coll_grid_chain.supports(&group))
        algorithm = &coll_grid_chain;
    *plan = (CollPlan){ .kind = kind };
    if (group.n_ranks < 2)
        return TRUE;
    if (task->coll_case.on_rings && algorithm == &coll_ring &&
        coll_kind_has_halves(kind) && !task->is_one) {
        coll_plan_init_rings(
            plan, kind, topology, order,
            coll_plan_dims_in_mask(topology, task->dims_mask, order));
        return TRUE;
    }
    if (algorithm == &coll_hierarchical)
        return coll_plan_init_by_dim(plan, kind, topology, task->parts,
                                     task->n_parts, task->levels, &wrong);
    if (kind == COLL_ALL_REDUCE && algorithm == &coll_direct) {
        add_phase_over_group(plan, task, &group, COLL_REDUCE_SCATTER,
                             algorithm);
        add_phase_over_group(plan, task, &group, COLL_ALL_GATHER, algorithm);
        return TRUE;
    }
    if (!algorithm_fits_request(algorithm, task, topology, &group))
        return FALSE;
    if (kind == COLL_ALL_REDUCE && task->in_two) {
        add_phase_over_group(plan, task, &group, COLL_REDUCE_SCATTER,
                             algorithm);
        add_phase_over_group(plan, task, &group, COLL_ALL_GATHER, algorithm);
        return TRUE;
    }
    add_phase_over_group(plan, task, &group, kind, algorithm);
    return TRUE;
}

/* Returns the algorithm for @task if @choice, an index into
 * coll_algorithm_names, is set; NULL if the group has a single rank. */
static const CollAlgorithm *choose_algorithm_for_task(const Task *task,
                                                      int choice,
                                                      const Topology *topology)
{
    if (task->coll_case.group.n_ranks < 2)
        return NULL;
    if (task->coll_case.group.kind == COLL_SEND)
        return &coll_p2p;
    if (task->coll_case.is_star)
        return &coll_star;
    if (choice != COLL_AUTO)
        return coll_algorithms[choice - 1];
    if (task->has_levels && coll_supports_dim_phases(&task->coll_case))
        return &coll_hierarchical;
    return coll_auto_algorithm(&task->coll_case, topology);
}

/* Returns FALSE and sets @error if there are more levels than dimensions. */
static gboolean read_level_algorithms(Task *task, const ConfigList *levels,
                                      const Topology *topology, GError **error)
{
    const int *names = levels ? levels->items : NULL;
    guint n = levels ? levels->n : 0;

    if (n > topology_n_dims(topology)) {
        config_set_error(error, levels->node, CONFIG_ERROR_RANGE,
                         "levels: %u, but the platform has %u dimension%s", n,
                         topology_n_dims(topology),
                         topology_n_dims(topology) == 1 ? "" : "s");
        return FALSE;
    }
    for (guint d = 0; d < n; d++)
        if (names[d] != COLL_AUTO)
            task->levels[d] = coll_algorithms[names[d] - 1];
    task->has_levels = n > 0;
    return TRUE;
}

/* Sets @error to the level that does not fit.  Returns FALSE if the cause is
 * not a level. */
static gboolean report_unfit_level(const Task *task, const Topology *topology,
                                   const ConfigNode *where, GError **error)
{
    CollKind kind = task->coll_case.group.kind;
    CollPlan ignored;
    uint32_t wrong, d;

    if (coll_plan_init_by_dim(&ignored, kind, topology, task->parts,
                              task->n_parts, task->levels, &wrong) ||
        wrong == TOPOLOGY_MAX_DIMS)
        return FALSE;
    d = task->parts[wrong].dim;
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "levels: '%s' has no part in an %s of %u NPUs along "
                     "dimension %u of a %s",
                     task->levels[d]->name, coll_kind_name(kind),
                     task->parts[wrong].size, d, topology_kind(topology));
    return TRUE;
}

/* Returns the names of the algorithms that fit @task, including `auto`.  The
 * caller owns the text. */
static char *names_of_fitting_algorithms(const Task *task,
                                         const Topology *topology)
{
    GString *out = g_string_new(NULL);
    CollPlan ignored;

    for (int i = 0; coll_algorithm_names[i]; i++)
        if (make_plan_of_task(&ignored, task,
                              choose_algorithm_for_task(task, i, topology),
                              topology))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   coll_algorithm_names[i]);
    return g_string_free(out, FALSE);
}

/* Returns @choice if it may apply to @kind, and otherwise COLL_AUTO: a choice
 * for all collectives does not affect kinds that it never supports. */
static int choice_if_kind_supported(int choice, CollKind kind)
{
    const CollGroup two = { .kind = coll_contract(kind)->done_as,
                            .n_ranks = 2,
                            .n_dims = 1,
                            .dims = { 2 } };

    if (choice == COLL_AUTO || coll_kind_has_halves(kind) ||
        coll_algorithms[choice - 1]->supports(&two))
        return choice;
    return COLL_AUTO;
}

gboolean coll_plan_init(CollPlan *plan, const CollRequest *request,
                        const CollChoices *choices, const Topology *topology,
                        GError **error)
{
    Task task = planning_task_of_request(request, topology);
    const CollChoice *row = coll_choice_find_row(choices, request);
    int choice = row ? row->algorithm : choices->algorithm;
    const ConfigNode *where = row ? row->node : choices->node;
    g_autofree char *known = NULL;

    if (!read_level_algorithms(&task, row ? &row->levels : choices->levels,
                               topology, error))
        return FALSE;
    if (!row || row->collective == 0)
        choice = choice_if_kind_supported(choice, request->kind);
    if (make_plan_of_task(plan, &task,
                          choose_algorithm_for_task(&task, choice, topology),
                          topology))
        return TRUE;
    if (choose_algorithm_for_task(&task, choice, topology) ==
            &coll_hierarchical &&
        report_unfit_level(&task, topology, where, error))
        return FALSE;
    known = names_of_fitting_algorithms(&task, topology);
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "algorithm: '%s' has no %s for %u NPUs on a %s; these "
                     "have: %s",
                     coll_algorithm_names[choice],
                     coll_kind_name(request->kind), request->members->n_ranks,
                     topology_kind(topology), known);
    return FALSE;
}

gboolean coll_plan_init_channel(CollPlan *plan, const CollRequest *request,
                                const CollRecipe *recipe, uint32_t channel,
                                const Topology *topology,
                                const ConfigNode *where, GError **error)
{
    const CollChannel *c = &recipe->channels[channel];
    Task task = planning_task_of_request(request, topology);

    g_assert(c->algorithm || !c->order);
    task.coll_case.group.schedule = c->schedule;
    task.is_one = TRUE;
    memcpy(task.levels, c->levels, sizeof task.levels);
    task.in_two = c->in_two;
    if (!make_plan_of_task(plan, &task, c->algorithm ?: &coll_hierarchical,
                           topology)) {
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
