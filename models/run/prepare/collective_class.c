/* collective_class.c - plans collectives and lists the NPUs that take part in
 * them */
#include "models/run/prepare/collective_class.h"

/* Bytes of the chunk with which orders compare the loads of the dimensions.  It
 * is so large that rounding up to whole blocks does not matter. */
#define ORDERS_CHUNK (UINT64_C(1) << 30)

/* The plan of recorded operations, which has no orders because they are not
 * simulated. */
static const CollPlanned not_planned = { .orders = { .n = 0 } };

/* Returns whether operations @a and @b use the same ranks of the same group. */
static gboolean has_same_ranks(const Op *a, const Op *b)
{
    return a->group == b->group && a->kind == b->kind && a->from == b->from &&
           a->to == b->to;
}

static CollectiveClass *find_collective_class(const CollectiveClasses *classes,
                                              const Op *op,
                                              const CollPlanned *planned,
                                              uint32_t endpoint)
{
    for (guint i = 0; i < classes->classes->len; i++) {
        CollectiveClass *coll_class = g_ptr_array_index(classes->classes, i);

        if (coll_class->planned == planned &&
            coll_class->op->roles == op->roles &&
            coll_class->endpoint == endpoint &&
            (!op->is_recorded || has_same_ranks(coll_class->op, op)))
            return coll_class;
    }
    return NULL;
}

/* Returns the number that classes of @roles share; takes a new one if there is
 * no such class yet. */
static uint32_t number_of_role_set(CollectiveClasses *classes,
                                   const RoleSet *roles)
{
    for (guint i = 0; i < classes->classes->len; i++)
        if (collective_classes_at(classes, i)->op->roles == roles)
            return collective_classes_at(classes, i)->audience;
    return classes->n_audiences++;
}

static CollectiveClass *add_collective_class(CollectiveClasses *classes,
                                             const Op *op,
                                             const CollPlanned *planned,
                                             uint32_t endpoint)
{
    CollectiveClass *coll_class = g_new0(CollectiveClass, 1);

    coll_class->op = op;
    coll_class->planned = planned;
    coll_class->endpoint = endpoint;
    coll_class->audience = number_of_role_set(classes, op->roles);
    g_ptr_array_add(classes->classes, coll_class);
    return coll_class;
}

static void collective_class_free(gpointer data)
{
    CollectiveClass *coll_class = data;

    g_free(coll_class->set_of);
    g_free(coll_class->set_sizes);
    g_free(coll_class->set_members);
    g_free(coll_class->set_starts);
    g_free(coll_class);
}

/* Returns FALSE and sets @error if the endpoint demands switches of a stack
 * that has none. */
static gboolean check_switches_can_reduce(const CollRequest *request,
                                          const ConfigVariant *endpoint,
                                          const Stack *stack, GError **error)
{
    if (request->switches == COLL_ANY_SWITCHES ||
        (endpoint_common(endpoint)->uses_stack && stack->ops->has_switches))
        return TRUE;
    config_set_error(
        error, endpoint->node, CONFIG_ERROR_CONFLICT,
        "algorithm: %s is chosen by a library; it needs stack: "
        "nccl%s",
        endpoint_algorithm_names[request->switches],
        endpoint_common(endpoint)->uses_stack ? "" : " and uses_stack: true");
    return FALSE;
}

static const CollPlanned *plan_collective(CollectiveClasses *classes,
                                          const Op *op,
                                          const ConfigVariant *endpoint,
                                          Stack *stack, GError **error)
{
    CollRequest request;
    g_autoptr(GError) refused = NULL;
    const CollRecipe *recipe = NULL;

    if (op->is_recorded)
        return &not_planned;
    request = coll_plans_request(&classes->plans, op);
    request.switches = (CollSwitches)endpoint_common(endpoint)->algorithm;
    request.node = endpoint->node;
    if (!check_switches_can_reduce(&request, endpoint, stack, error))
        return NULL;
    if (endpoint_common(endpoint)->uses_stack)
        recipe = stack_choose_recipe(stack, &request, &refused);
    if (refused) {
        g_propagate_error(error, g_steal_pointer(&refused));
        return NULL;
    }
    return coll_plans_find_or_make(&classes->plans, op, recipe, error);
}

gboolean collective_classes_init(CollectiveClasses *classes,
                                 const CollectiveConfig *config,
                                 const OpEndpoints *endpoints,
                                 const CollPlacement *placement,
                                 const Topology *topology, Stack *stack,
                                 GError **error)
{
    const GArray *ops = placement->graph->ops;
    const CollChoices choices = { .rows = &config->choices,
                                  .algorithm = config->algorithm,
                                  .levels = &config->levels,
                                  .node = config->node };

    classes->classes = g_ptr_array_new_with_free_func(collective_class_free);
    classes->class_of_op = g_new0(CollectiveClass *, ops->len);
    coll_plans_init(&classes->plans, placement, topology, &choices,
                    (CollOrder)config->order, ORDERS_CHUNK);
    for (guint i = 0; i < ops->len; i++) {
        const Op *op = op_graph_op(placement->graph, i);
        uint32_t endpoint = op_endpoints_number(endpoints, i);
        const CollPlanned *planned;

        if (op->type != OP_COLLECTIVE)
            continue;
        planned = plan_collective(
            classes, op, &endpoints->members.endpoints[endpoint], stack, error);
        if (!planned)
            return FALSE;
        classes->class_of_op[i] =
            find_collective_class(classes, op, planned, endpoint)
                ?: add_collective_class(classes, op, planned, endpoint);
    }
    return TRUE;
}

void collective_classes_clear(CollectiveClasses *classes)
{
    if (!classes->classes)
        return;
    g_ptr_array_unref(classes->classes);
    coll_plans_clear(&classes->plans);
    g_free(classes->class_of_op);
}

/* ---- who takes part ---------------------------------------------------- */

/* Forms one set from the simulated NPUs in the group of NPU @end. */
static void add_npu_set(CollectiveClass *coll_class,
                        const CollPlacement *placement,
                        const SymmetryFold *fold, uint32_t end)
{
    const CollMembers *members =
        coll_placement_members(placement, coll_class->op);
    uint32_t set = coll_class->n_sets++;

    coll_class->set_sizes =
        g_renew(uint32_t, coll_class->set_sizes, coll_class->n_sets);
    coll_class->set_sizes[set] = 0;
    for (uint32_t r = 0; r < members->n_ranks; r++) {
        uint32_t id = coll_members_npu_in_same_group(members, end, r);
        uint32_t *set_of =
            &coll_class->set_of[symmetry_fold_class_of_end(fold, id)];

        if (!coll_placement_npu_runs_op(placement, id, coll_class->op) ||
            *set_of == set)
            continue;
        g_assert(*set_of == COLLECTIVE_CLASS_NO_SET);
        *set_of = set;
        coll_class->set_sizes[set]++;
    }
}

/* Finds the sets of NPUs that run the collectives of @coll_class.  Without
 * roles and @has_sets, only counts the NPUs. */
static void find_npu_sets(CollectiveClass *coll_class,
                          const CollPlacement *placement,
                          const SymmetryFold *fold, gboolean has_sets)
{
    uint32_t n = symmetry_fold_n_simulated_ends(fold);

    coll_class->n_parts = n;
    if (!placement->roles && !has_sets)
        return;
    coll_class->set_of = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        coll_class->set_of[i] = COLLECTIVE_CLASS_NO_SET;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = symmetry_fold_representative_end(fold, i);

        if (!coll_placement_npu_runs_op(placement, end, coll_class->op))
            coll_class->n_parts--;
        else if (coll_class->set_of[i] == COLLECTIVE_CLASS_NO_SET)
            add_npu_set(coll_class, placement, fold, end);
    }
}

static void list_set_members(CollectiveClass *coll_class,
                             const SymmetryFold *fold)
{
    uint32_t n = symmetry_fold_n_simulated_ends(fold), n_before = 0;
    g_autofree uint32_t *next = g_new(uint32_t, coll_class->n_sets);

    coll_class->set_members = g_new(uint32_t, n);
    coll_class->set_starts = g_new(uint32_t, coll_class->n_sets);
    for (uint32_t s = 0; s < coll_class->n_sets; s++) {
        coll_class->set_starts[s] = next[s] = n_before;
        n_before += coll_class->set_sizes[s];
    }
    for (uint32_t i = 0; i < n; i++)
        if (coll_class->set_of[i] != COLLECTIVE_CLASS_NO_SET)
            coll_class->set_members[next[coll_class->set_of[i]]++] = i;
}

void collective_classes_find_sets(CollectiveClasses *classes,
                                  const CollPlacement *placement,
                                  const SymmetryFold *fold, gboolean has_sets)
{
    for (guint i = 0; i < classes->classes->len; i++) {
        CollectiveClass *coll_class = g_ptr_array_index(classes->classes, i);

        gboolean is_listed =
            has_sets || collective_class_is_recorded(coll_class);

        find_npu_sets(coll_class, placement, fold, is_listed);
        if (is_listed)
            list_set_members(coll_class, fold);
    }
}
