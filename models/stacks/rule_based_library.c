/*
 * rule_based_library.c - a communication library that is described by rules
 *
 * A rule says which algorithm and which piece sizes apply to a kind of
 * collective, a number of ranks and a number of bytes.  A collective costs once
 *
 *     launch_time + pointer_query x collective_queries
 *                 + registration_time, if each collective registers memory
 *
 * and each message of a step costs, before it is sent,
 *
 *     step_time (or near_step, host_step, network_step, by distance)
 *     + bytes / copy_bandwidth + pointer_query x message_queries
 *     + rendezvous_time, above the eager limit
 *     + registration_time, above the eager limit if each message registers
 *
 * or, if a row of `messages` matches, the costs of that row plus the queries.
 * These times are latency: each message waits on its own, and there is no
 * queue.  The cost of a step depends on the size of the message of that step,
 * so the steps of a halving algorithm become cheaper as its messages get
 * smaller.  Resources of the host (cores, copies) belong to the endpoint.
 *
 * With a pointer cache, queries take no time, and memory that is registered
 * once was registered before the run.  Sends, receives and transfers to and
 * from a parameter server use no rule and pay the same message costs.
 */
#include "models/stacks/rule_based_library_params.h"
#include "models/stacks/stack.h"

/* Message costs of groups of .n_ranks ranks. */
typedef struct {
    uint32_t n_ranks;
    CollProtocol protocol;
    CollMessageCost *costs; /* owned */
} GroupCosts;

/* The recipe of a rule for groups of .n_ranks ranks.  Messages and stars have
 * no rule: .rule is NULL and .fixed is their algorithm. */
typedef struct {
    const LibraryRule *rule;    /* borrowed */
    const CollAlgorithm *fixed; /* borrowed: the algorithm if .rule is NULL */
    uint32_t n_ranks;
    CollRecipe *recipe; /* owned */
} CachedRecipe;

typedef struct {
    Stack base;
    const LibraryParams *params; /* borrowed */
    const char *name;            /* borrowed from .params: name in tables */
    GPtrArray *costs;            /* owned: elements are GroupCosts */
    GPtrArray *recipes;          /* owned: elements are CachedRecipe */
} Library;

static void free_group_costs(gpointer data)
{
    g_free(((GroupCosts *)data)->costs);
    g_free(data);
}

static void free_cached_recipe(gpointer data)
{
    coll_recipe_free(((CachedRecipe *)data)->recipe);
    g_free(data);
}

/* ---- construction ----------------------------------------------------- */

/* Rejects rules with the algorithm `auto`: a rule of a library names one. */
static gboolean check_library_rules(const LibraryParams *params, GError **error)
{
    const LibraryRule *rules = params->rules.items;

    for (guint i = 0; i < params->rules.n; i++) {
        if (rules[i].choice.algorithm != COLL_AUTO)
            continue;
        config_set_error(error, rules[i].choice.node, CONFIG_ERROR_RANGE,
                         "algorithm: a rule of a library names one; what has "
                         "no rule is left to `collectives`");
        return FALSE;
    }
    return TRUE;
}

static Stack *library_stack_new(const ConfigVariant *config,
                                const Topology *topology, GError **error)
{
    Library *library;

    (void)topology;
    if (!check_library_rules(config->params, error))
        return NULL;
    library = g_new0(Library, 1);
    library->params = config->params;
    library->name = comm_stack_name(config);
    library->costs = g_ptr_array_new_with_free_func(free_group_costs);
    library->recipes = g_ptr_array_new_with_free_func(free_cached_recipe);
    return &library->base;
}

static void library_stack_free(Stack *stack)
{
    Library *library = (Library *)stack;

    g_ptr_array_unref(library->recipes);
    g_ptr_array_unref(library->costs);
    g_free(library);
}

/* ---- costs ------------------------------------------------------------ */

static SimTime pointer_queries_ps(const LibraryParams *params, uint64_t n)
{
    return params->has_pointer_cache ? 0 : n * params->query_ps;
}

static SimTime library_launch_time_ps(const LibraryParams *params)
{
    SimTime ps = params->launch_ps +
                 pointer_queries_ps(params, params->n_collective_queries);

    if (params->registers == LIBRARY_REGISTERS_COLLECTIVES)
        ps += params->registration_ps;
    return ps;
}

static SimTime message_pointer_queries_ps(const LibraryParams *params)
{
    return pointer_queries_ps(params, params->n_message_queries);
}

static SimTime step_time_at_reach_ps(const LibraryParams *params,
                                     TopologyReach reach)
{
    SimTime ps = params->reach_step_ps[reach] != CONFIG_AUTO
                     ? params->reach_step_ps[reach]
                     : params->step_ps;

    return ps + message_pointer_queries_ps(params);
}

/* Returns the additional time of a message above the eager limit. */
static SimTime rendezvous_extra_time_ps(const LibraryParams *params)
{
    SimTime ps = params->rendezvous_ps;

    if (params->registers == LIBRARY_REGISTERS_MESSAGES)
        ps += params->registration_ps;
    return ps;
}

static gboolean cost_row_applies_to_ranks(const LibraryMessage *message,
                                          uint32_t n_ranks)
{
    return n_ranks >= message->least_ranks && n_ranks <= message->most_ranks;
}

static uint32_t reaches_of_cost_row(const LibraryMessage *message)
{
    return message->reach == 0 ? (1U << TOPOLOGY_N_REACHES) - 1
                               : TOPOLOGY_PLANE(message->reach - 1);
}

/* Lists the rows of `messages` that apply to the group, then two rows for each
 * distance: up to the eager limit, and above it. */
static void list_message_costs(GroupCosts *costs, const LibraryParams *params)
{
    const LibraryMessage *given = params->messages.items;
    CollMessageCost *to =
        g_new0(CollMessageCost, params->messages.n + 2 * TOPOLOGY_N_REACHES);

    costs->costs = to;
    for (guint i = 0; i < params->messages.n; i++)
        if (cost_row_applies_to_ranks(&given[i], costs->n_ranks))
            *to++ = (CollMessageCost){
                reaches_of_cost_row(&given[i]), given[i].most_bytes,
                given[i].step_ps + message_pointer_queries_ps(params),
                given[i].bytes_per_s, given[i].block_bytes
            };
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        for (int late = 0; late < 2; late++)
            *to++ = (CollMessageCost){
                TOPOLOGY_PLANE(r), late ? UINT64_MAX : params->eager_bytes,
                step_time_at_reach_ps(params, (TopologyReach)r) +
                    (late ? rendezvous_extra_time_ps(params) : 0),
                params->copy_bytes_per_s, UINT64_MAX
            };
    costs->protocol.costs = costs->costs;
    costs->protocol.n_costs = (uint32_t)(to - costs->costs);
}

static const CollProtocol *find_or_list_message_costs_of_group(Library *library,
                                                               uint32_t n_ranks)
{
    const LibraryParams *params = library->params;
    GroupCosts *costs;

    for (guint i = 0; i < library->costs->len; i++) {
        costs = g_ptr_array_index(library->costs, i);
        if (costs->n_ranks == n_ranks)
            return &costs->protocol;
    }
    costs = g_new0(GroupCosts, 1);
    costs->n_ranks = n_ranks;
    costs->protocol.name = library->name;
    costs->protocol.wire_num = 1000000;
    costs->protocol.wire_den = (uint32_t)params->efficiency_ppm;
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        costs->protocol.step_ps[r] =
            step_time_at_reach_ps(params, (TopologyReach)r);
    list_message_costs(costs, params);
    g_ptr_array_add(library->costs, costs);
    return &costs->protocol;
}

/* ---- choice ----------------------------------------------------------- */

/* Returns whether @rule applies to @request.  A rule for all kinds of
 * collectives does not apply to kinds that its algorithm cannot carry out. */
static gboolean rule_applies_to_request(const LibraryRule *rule,
                                        const CollRequest *request)
{
    const CollAlgorithm *algorithm =
        coll_algorithms[rule->choice.algorithm - 1];
    const CollGroup two = { .kind = coll_contract(request->kind)->done_as,
                            .n_ranks = 2,
                            .n_dims = 1,
                            .dims = { 2 } };

    if (!coll_choice_row_applies(&rule->choice, request))
        return FALSE;
    return rule->choice.collective != 0 || coll_kind_has_halves(two.kind) ||
           algorithm->supports(&two);
}

static const LibraryRule *find_first_matching_rule(const LibraryParams *params,
                                                   const CollRequest *request)
{
    const LibraryRule *rules = params->rules.items;

    for (guint i = 0; i < params->rules.n; i++)
        if (rule_applies_to_request(&rules[i], request))
            return &rules[i];
    return NULL;
}

/* Returns the algorithm of a message, a shift or a star, for which there is no
 * choice, or NULL for all other collectives. */
static const CollAlgorithm *find_fixed_algorithm(const CollRequest *request)
{
    if (request->kind == COLL_SEND)
        return &coll_p2p;
    if (request->kind == COLL_SHIFT)
        return &coll_shift;
    return request->is_star ? &coll_star : NULL;
}

/* Sets the algorithm that @rule names for @channel.  A hierarchical rule sets
 * one algorithm for each dimension of the platform; `auto` leaves the algorithm
 * of the dimension unset. */
static void set_algorithm_of_channel(CollChannel *channel,
                                     const LibraryRule *rule)
{
    const CollAlgorithm *algorithm =
        coll_algorithms[rule->choice.algorithm - 1];
    const int *levels = rule->choice.levels.items;

    if (algorithm != &coll_hierarchical) {
        channel->algorithm = algorithm;
        return;
    }
    for (guint d = 0; d < rule->choice.levels.n; d++)
        if (levels[d] != COLL_AUTO)
            channel->levels[d] = coll_algorithms[levels[d] - 1];
}

static CollRecipe *make_recipe_of_rule(Library *library,
                                       const CachedRecipe *cached)
{
    const LibraryRule *rule = cached->rule;
    CollRecipe *recipe = g_new0(CollRecipe, 1);

    recipe->algorithm = rule ? coll_algorithm_names[rule->choice.algorithm]
                             : cached->fixed->name;
    recipe->protocol =
        find_or_list_message_costs_of_group(library, cached->n_ranks);
    recipe->launch_ps = library_launch_time_ps(library->params);
    recipe->n_sms = (uint32_t)library->params->n_sms;
    recipe->chunk_bytes = rule ? rule->chunk_bytes : COLL_CHOICE_MOST_BYTES;
    recipe->message_bytes = rule ? rule->message_bytes : COLL_CHOICE_MOST_BYTES;
    recipe->window = CONFIG_AUTO;
    recipe->n_channels = 1;
    recipe->channels = g_new0(CollChannel, 1);
    recipe->channels[0].share = 1;
    if (rule)
        set_algorithm_of_channel(&recipe->channels[0], rule);
    else
        recipe->channels[0].algorithm = cached->fixed;
    return recipe;
}

static const CollRecipe *find_or_make_recipe_of_rule(Library *library,
                                                     const CachedRecipe *wanted)
{
    CachedRecipe *cached;

    for (guint i = 0; i < library->recipes->len; i++) {
        cached = g_ptr_array_index(library->recipes, i);
        if (cached->rule == wanted->rule && cached->fixed == wanted->fixed &&
            cached->n_ranks == wanted->n_ranks)
            return cached->recipe;
    }
    cached = g_memdup2(wanted, sizeof *wanted);
    cached->recipe = make_recipe_of_rule(library, cached);
    g_ptr_array_add(library->recipes, cached);
    return cached->recipe;
}

static const CollRecipe *
library_choose_recipe(Stack *stack, const CollRequest *request, GError **error)
{
    Library *library = (Library *)stack;
    CachedRecipe wanted = { .fixed = find_fixed_algorithm(request),
                            .n_ranks = request->members->n_ranks };

    (void)error;
    if (!wanted.fixed)
        wanted.rule = find_first_matching_rule(library->params, request);
    if (wanted.n_ranks < 2 || (!wanted.rule && !wanted.fixed))
        return NULL;
    return find_or_make_recipe_of_rule(library, &wanted);
}

const StackOps stack_library = {
    .base = { .name = "library",
              .summary = "given by its rules: an algorithm by kind, ranks and "
                         "bytes, and the cost of messages by size",
              .fields = library_fields,
              .size = sizeof(LibraryParams) },
    .new = library_stack_new,
    .free = library_stack_free,
    .decide = library_choose_recipe,
    .handles_stars = TRUE,
};
