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

static CollectiveClass *find_collective_class(const CollectiveClasses *schemes,
                                              const Op *op,
                                              const CollPlanned *planned,
                                              uint32_t endpoint)
{
    for (guint i = 0; i < schemes->all->len; i++) {
        CollectiveClass *scheme = g_ptr_array_index(schemes->all, i);

        if (scheme->planned == planned && scheme->op->roles == op->roles &&
            scheme->endpoint == endpoint &&
            (!op->is_recorded || has_same_ranks(scheme->op, op)))
            return scheme;
    }
    return NULL;
}

/* Returns the number that schemes of @roles share; takes a new one if there is
 * no such scheme yet. */
static uint32_t number_of_role_set(CollectiveClasses *schemes,
                                   const RoleSet *roles)
{
    for (guint i = 0; i < schemes->all->len; i++)
        if (collective_classes_at(schemes, i)->op->roles == roles)
            return collective_classes_at(schemes, i)->audience;
    return schemes->n_audiences++;
}

static CollectiveClass *add_collective_class(CollectiveClasses *schemes,
                                             const Op *op,
                                             const CollPlanned *planned,
                                             uint32_t endpoint)
{
    CollectiveClass *scheme = g_new0(CollectiveClass, 1);

    scheme->op = op;
    scheme->planned = planned;
    scheme->endpoint = endpoint;
    scheme->audience = number_of_role_set(schemes, op->roles);
    g_ptr_array_add(schemes->all, scheme);
    return scheme;
}

static void collective_class_free(gpointer data)
{
    CollectiveClass *scheme = data;

    g_free(scheme->set_of);
    g_free(scheme->set_sizes);
    g_free(scheme->set_members);
    g_free(scheme->set_starts);
    g_free(scheme);
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

static const CollPlanned *plan_collective(CollectiveClasses *schemes,
                                          const Op *op,
                                          const ConfigVariant *endpoint,
                                          Stack *stack, GError **error)
{
    CollRequest request;
    g_autoptr(GError) refused = NULL;
    const CollRecipe *recipe = NULL;

    if (op->is_recorded)
        return &not_planned;
    request = coll_plans_request(&schemes->plans, op);
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
    return coll_plans_find_or_make(&schemes->plans, op, recipe, error);
}

gboolean collective_classes_init(CollectiveClasses *schemes,
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

    schemes->all = g_ptr_array_new_with_free_func(collective_class_free);
    schemes->of = g_new0(CollectiveClass *, ops->len);
    coll_plans_init(&schemes->plans, placement, topology, &choices,
                    (CollOrder)config->order, ORDERS_CHUNK);
    for (guint i = 0; i < ops->len; i++) {
        const Op *op = op_graph_op(placement->graph, i);
        uint32_t endpoint = op_endpoints_number(endpoints, i);
        const CollPlanned *planned;

        if (op->type != OP_COLLECTIVE)
            continue;
        planned = plan_collective(schemes, op, &endpoints->members.of[endpoint],
                                  stack, error);
        if (!planned)
            return FALSE;
        schemes->of[i] =
            find_collective_class(schemes, op, planned, endpoint)
                ?: add_collective_class(schemes, op, planned, endpoint);
    }
    return TRUE;
}

void collective_classes_clear(CollectiveClasses *schemes)
{
    if (!schemes->all)
        return;
    g_ptr_array_unref(schemes->all);
    coll_plans_clear(&schemes->plans);
    g_free(schemes->of);
}

/* ---- who takes part ---------------------------------------------------- */

/* Forms one set from the simulated NPUs in the group of NPU @end. */
static void add_npu_set(CollectiveClass *scheme, const CollPlacement *placement,
                        const SymmetryFold *fold, uint32_t end)
{
    const CollMembers *members = coll_placement_members(placement, scheme->op);
    uint32_t set = scheme->n_sets++;

    scheme->set_sizes = g_renew(uint32_t, scheme->set_sizes, scheme->n_sets);
    scheme->set_sizes[set] = 0;
    for (uint32_t r = 0; r < members->n_ranks; r++) {
        uint32_t id = coll_members_npu_in_same_group(members, end, r);
        uint32_t *set_of =
            &scheme->set_of[symmetry_fold_class_of_end(fold, id)];

        if (!coll_placement_npu_runs_op(placement, id, scheme->op) ||
            *set_of == set)
            continue;
        g_assert(*set_of == COLLECTIVE_CLASS_NO_SET);
        *set_of = set;
        scheme->set_sizes[set]++;
    }
}

/* Finds the sets of NPUs that run the collectives of @scheme.  Without roles
 * and @has_sets, only counts the NPUs. */
static void find_npu_sets(CollectiveClass *scheme,
                          const CollPlacement *placement,
                          const SymmetryFold *fold, gboolean has_sets)
{
    uint32_t n = symmetry_fold_n_simulated_ends(fold);

    scheme->n_parts = n;
    if (!placement->roles && !has_sets)
        return;
    scheme->set_of = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        scheme->set_of[i] = COLLECTIVE_CLASS_NO_SET;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = symmetry_fold_representative_end(fold, i);

        if (!coll_placement_npu_runs_op(placement, end, scheme->op))
            scheme->n_parts--;
        else if (scheme->set_of[i] == COLLECTIVE_CLASS_NO_SET)
            add_npu_set(scheme, placement, fold, end);
    }
}

static void list_set_members(CollectiveClass *scheme, const SymmetryFold *fold)
{
    uint32_t n = symmetry_fold_n_simulated_ends(fold), n_before = 0;
    g_autofree uint32_t *next = g_new(uint32_t, scheme->n_sets);

    scheme->set_members = g_new(uint32_t, n);
    scheme->set_starts = g_new(uint32_t, scheme->n_sets);
    for (uint32_t s = 0; s < scheme->n_sets; s++) {
        scheme->set_starts[s] = next[s] = n_before;
        n_before += scheme->set_sizes[s];
    }
    for (uint32_t i = 0; i < n; i++)
        if (scheme->set_of[i] != COLLECTIVE_CLASS_NO_SET)
            scheme->set_members[next[scheme->set_of[i]]++] = i;
}

void collective_classes_find_sets(CollectiveClasses *schemes,
                                  const CollPlacement *placement,
                                  const SymmetryFold *fold, gboolean has_sets)
{
    for (guint i = 0; i < schemes->all->len; i++) {
        CollectiveClass *scheme = g_ptr_array_index(schemes->all, i);

        gboolean is_listed = has_sets || collective_class_is_recorded(scheme);

        find_npu_sets(scheme, placement, fold, is_listed);
        if (is_listed)
            list_set_members(scheme, fold);
    }
}
