/*
 * nccl.c - a model of NCCL: chooses the algorithm and protocol that are fastest
 * by NCCL's own cost model
 *
 * The search for channels, the algorithms and the formulas follow NCCL's
 * documentation and publications.  The code is independent of NCCL's code.
 */
#include "models/stacks/nccl/nccl_state_impl.h"

/* A cached decision: the recipe for one kind and size of collective. */
typedef struct {
    CollKind kind;
    const CollMembers *members;
    uint64_t payload_bytes;
    CollSwitches switches;
    CollRecipe *recipe; /* owned */
} Decision;

typedef struct {
    Stack base;
    const NcclParams *params; /* borrowed */
    const ConfigNode *node;   /* borrowed */
    GPtrArray *groups;        /* owned: elements are NcclGroup */
    GPtrArray *schedules;     /* owned: elements are CollSchedule */
    GHashTable *decisions;    /* owned: each Decision is its own key */
} Nccl;

static const NcclAlgorithm *const algorithms[NCCL_N_ALGORITHMS] = {
    [NCCL_RINGS] = &nccl_ring,      [NCCL_TREES] = &nccl_tree,
    [NCCL_NVLS] = &nccl_nvls,       [NCCL_NVLS_TREE] = &nccl_nvls_tree,
    [NCCL_COLLNET] = &nccl_collnet, [NCCL_PAT] = &nccl_pat,
    [NCCL_P2P] = &nccl_p2p,
};

static guint hash_nccl_decision(gconstpointer data)
{
    const Decision *decision = data;

    return g_int64_hash(&decision->payload_bytes) ^
           g_direct_hash(decision->members) ^ (guint)decision->kind << 24 ^
           (guint)decision->switches << 20;
}

static gboolean nccl_decisions_are_equal(gconstpointer a, gconstpointer b)
{
    const Decision *decision = a, *y = b;

    return decision->kind == y->kind && decision->members == y->members &&
           decision->payload_bytes == y->payload_bytes &&
           decision->switches == y->switches;
}

static void free_nccl_decision(gpointer data)
{
    coll_recipe_free(((Decision *)data)->recipe);
    g_free(data);
}

static gboolean check_nccl_version(const ConfigVariant *config, GError **error)
{
    const NcclParams *params = config->params;

    if (nccl_parse_version(params->version) > 0)
        return TRUE;
    config_set_error(error, config->node, CONFIG_ERROR_RANGE,
                     "version: '%s' is none of NCCL's, such as 2.18 or 2.18.5, "
                     "nor 'latest'",
                     params->version);
    return FALSE;
}

static gboolean nccl_describe_stack(const ConfigVariant *config, GString *out,
                                    GError **error)
{
    (void)out;
    return check_nccl_version(config, error);
}

static Stack *nccl_stack_new(const ConfigVariant *config,
                             const Topology *topology, GError **error)
{
    Nccl *nccl;

    (void)topology;
    if (!check_nccl_version(config, error))
        return NULL;
    nccl = g_new0(Nccl, 1);
    nccl->params = config->params;
    nccl->node = config->node;
    nccl->groups =
        g_ptr_array_new_with_free_func((GDestroyNotify)nccl_group_free);
    nccl->schedules =
        g_ptr_array_new_with_free_func((GDestroyNotify)coll_schedule_free);
    nccl->decisions = g_hash_table_new_full(
        hash_nccl_decision, nccl_decisions_are_equal, free_nccl_decision, NULL);
    return &nccl->base;
}

static void nccl_stack_free(Stack *stack)
{
    Nccl *nccl = (Nccl *)stack;

    g_hash_table_unref(nccl->decisions);
    g_ptr_array_unref(nccl->schedules);
    g_ptr_array_unref(nccl->groups);
    g_free(nccl);
}

static NcclGroup *find_or_make_nccl_group(Nccl *nccl,
                                          const CollMembers *members)
{
    NcclGroup *group;

    for (guint i = 0; i < nccl->groups->len; i++) {
        group = g_ptr_array_index(nccl->groups, i);
        if (group->members == members)
            return group;
    }
    group = nccl_group_new(nccl->params, nccl->base.topology, members);
    g_ptr_array_add(nccl->groups, group);
    return group;
}

/* ---- choice of algorithm and protocol --------------------------------- */

typedef struct {
    const NcclAlgorithm *algorithm; /* NULL: no algorithm is possible */
    int protocol;
    SimTime time_ps;
} Choice;

/* Returns whether algorithm @algorithm exists with @protocol.  Algorithms that
 * use only Simple may have had LL in early versions. */
static gboolean algorithm_has_protocol(const NcclAlgorithm *algorithm,
                                       const NcclGroup *group, int protocol)
{
    if (protocol == NCCL_SIMPLE)
        return TRUE;
    if (protocol == NCCL_LL128 && group->version < NCCL_HAS_LL128)
        return FALSE;
    return !algorithm->simple_only ||
           (protocol == NCCL_LL && group->version < algorithm->ll_before);
}

static void try_protocols_of_algorithm(const NcclGroup *group,
                                       const NcclAlgorithm *algorithm,
                                       const CollRequest *request, Choice *best)
{
    const NcclParams *params = group->params;
    NcclCostTerms terms;

    algorithm->compute_cost_terms(group, request->kind, &terms);
    for (int p = 0; p < NCCL_N_PROTOCOLS; p++) {
        SimTime time_ps;

        if (params->protocol > 0 && params->protocol != p + 1 &&
            !algorithm->ignores_pinned_choice)
            continue;
        if (!algorithm_has_protocol(algorithm, group, p))
            continue;
        time_ps = algorithm->time_ps(group, &terms, p, request->payload_bytes);
        if (best->algorithm && time_ps >= best->time_ps)
            continue;
        *best = (Choice){ algorithm, p, time_ps };
    }
}

/* Returns the reason why algorithm @algorithm cannot carry out @request, or
 * NULL if it can. */
static const char *reason_algorithm_not_usable(const NcclAlgorithm *algorithm,
                                               const NcclGroup *group,
                                               const CollRequest *request)
{
    if (group->version < algorithm->first_version)
        return "it came with a later version";
    if (algorithm->halves_on_demand && request->kind != COLL_ALL_REDUCE &&
        request->switches == COLL_ANY_SWITCHES &&
        coll_kind_has_halves(request->kind))
        return "NVLS carries out an all-reduce only, unless an endpoint has "
               "algorithm: nvls";
    return algorithm->reason_not_usable(group, request->kind);
}

/* Returns the fastest algorithm and protocol for @request.  If @algorithm is
 * not NCCL_AUTO, the choice is among it and the algorithms that ignore pins. */
static Choice choose_fastest_algorithm(const NcclGroup *group,
                                       const CollRequest *request,
                                       int algorithm)
{
    Choice best = { .time_ps = SIM_TIME_MAX };

    for (int i = NCCL_RINGS; i < NCCL_N_ALGORITHMS; i++) {
        const NcclAlgorithm *nccl_algorithm = algorithms[i];

        if ((algorithm != NCCL_AUTO && algorithm != i &&
             !nccl_algorithm->ignores_pinned_choice) ||
            reason_algorithm_not_usable(nccl_algorithm, group, request))
            continue;
        try_protocols_of_algorithm(group, nccl_algorithm, request, &best);
    }
    return best;
}

static CollRecipe *make_nccl_recipe(Nccl *nccl, const NcclGroup *group,
                                    const Choice *choice,
                                    const CollRequest *request)
{
    CollRecipe *recipe = g_new0(CollRecipe, 1);

    recipe->algorithm = choice->algorithm->name;
    recipe->protocol = &group->protocols[choice->protocol];
    recipe->launch_ps = nccl->params->protocols[choice->protocol].launch_ps;
    recipe->n_sms = group->n_channels;
    recipe->predicted_ps = choice->time_ps;
    nccl_set_message_post_time(
        group, choice->protocol,
        nccl->params->protocols[choice->protocol].slice_bytes, recipe);
    choice->algorithm->set_channels(group, request->kind, choice->protocol,
                                    request->payload_bytes, nccl->schedules,
                                    recipe);
    return recipe;
}

/* Returns the algorithm that the stack or the endpoint of the collective
 * pins. */
static int algorithm_fixed_by_stack_or_endpoint(const Nccl *nccl,
                                                const NcclGroup *group,
                                                const CollRequest *request)
{
    switch (request->switches) {
    case COLL_SWITCHES_OF_MACHINES:
        return group->n_nodes > 1 ? NCCL_NVLS_TREE : NCCL_NVLS;
    case COLL_SWITCHES_BETWEEN_MACHINES:
        return NCCL_COLLNET;
    default:
        return nccl->params->algorithm;
    }
}

/* Sets @error because the pinned algorithm cannot carry out @request.  A
 * collective that no algorithm of NCCL can do is left to
 * `collectives` instead. */
static void set_pinned_algorithm_error(const Nccl *nccl, const NcclGroup *group,
                                       const CollRequest *request, int pinned,
                                       GError **error)
{
    const NcclAlgorithm *algorithm = algorithms[pinned];
    gboolean by_endpoint = request->switches != COLL_ANY_SWITCHES;
    const char *why =
        algorithm ? reason_algorithm_not_usable(algorithm, group, request)
                  : NULL;

    config_set_error(error, by_endpoint ? request->node : nccl->node,
                     CONFIG_ERROR_CONFLICT, "algorithm: %s of %u NPUs: %s%s",
                     coll_kind_name(request->kind), group->n,
                     why ? why : "it does not exist with that protocol",
                     by_endpoint ? "; name another endpoint for it (kind: "
                                   "by-collective)"
                                 : "");
}

static const CollRecipe *
nccl_choose_recipe(Stack *stack, const CollRequest *request, GError **error)
{
    Nccl *nccl = (Nccl *)stack;
    Decision wanted = { .kind = request->kind,
                        .members = request->members,
                        .payload_bytes = request->payload_bytes,
                        .switches = request->switches };
    Decision *known = g_hash_table_lookup(nccl->decisions, &wanted);
    const NcclGroup *group;
    Choice choice;
    int pinned;

    if (known)
        return known->recipe;
    if (request->members->n_ranks < 2)
        return NULL;
    group = find_or_make_nccl_group(nccl, request->members);
    choice = choose_fastest_algorithm(group, request, NCCL_AUTO);
    if (!choice.algorithm &&
        request->switches ==
            COLL_ANY_SWITCHES) /* no algorithm of NCCL: `collectives` decides */
        return NULL;
    pinned = algorithm_fixed_by_stack_or_endpoint(nccl, group, request);
    choice = choose_fastest_algorithm(group, request, pinned);
    if (!choice.algorithm || (request->switches != COLL_ANY_SWITCHES &&
                              choice.algorithm != algorithms[pinned])) {
        set_pinned_algorithm_error(nccl, group, request, pinned, error);
        return NULL;
    }
    known = g_memdup2(&wanted, sizeof wanted);
    known->recipe = make_nccl_recipe(nccl, group, &choice, request);
    g_hash_table_add(nccl->decisions, known);
    return known->recipe;
}

const StackOps stack_nccl = {
    .base = { .name = "nccl",
              .summary =
                  "NCCL: rings, trees, NVLS, SHARP, PAT; LL, LL128, Simple; "
                  "the least time by its own model",
              .fields = nccl_fields,
              .size = sizeof(NcclParams) },
    .new = nccl_stack_new,
    .free = nccl_stack_free,
    .decide = nccl_choose_recipe,
    .has_switches = TRUE,
    .describe = nccl_describe_stack,
};
