/*
 * library.c - a library told by its rules: who takes which algorithm, and what
 * that costs
 *
 * Rules are rows of what kind, how many ranks and how many bytes take which
 * algorithm, in what pieces.  A collective costs, once,
 *
 *     launch_time + queries a collective x pointer_query
 *                 + registration_time, if each collective registers
 *
 * and a message of a step, before it can go,
 *
 *     step_time (or near_step, host_step, network_step by how far it goes)
 *     + bytes / copy_bandwidth + queries a message x pointer_query
 *     + rendezvous_time, above the eager limit,
 *     + registration_time, there, if each message registers
 *
 * or what a row of `messages` says, and the queries.  That is latency: it is
 * waited out by each message for itself, and nobody queues for it.  So a step's
 * cost goes by that step's message, in each phase: halving pays less as its
 * messages get smaller. What is a resource of the host (cores, copies) is the
 * endpoint's.
 *
 * With a pointer cache no query takes time, and what registers once has done so
 * before what is run.  Sends and receives, and pushes to and pulls from a
 * server, go straight, and pay likewise.
 */
#include "models/stacks/library_params.h"
#include "models/stacks/stack.h"

/* What messages of a group of so many ranks cost. */
typedef struct {
    uint32_t n_ranks;
    CollProtocol protocol;
    CollMessageCost *costs; /* owned */
} Costs;

/* What a rule, a star or a message (.rule is NULL) is for a group of that
 * size. */
typedef struct {
    const LibraryRule *rule;      /* borrowed */
    const CollAlgorithm *instead; /* of a rule */
    uint32_t n_ranks;
    CollRecipe *recipe; /* owned */
} Made;

typedef struct {
    Stack base;
    const LibraryParams *params; /* borrowed */
    const char *name;            /* borrowed: of it in tables */
    GPtrArray *costs;            /* owned: of Costs */
    GPtrArray *made;             /* owned: of Made */
} Library;

static void costs_free(gpointer data)
{
    g_free(((Costs *)data)->costs);
    g_free(data);
}

static void made_free(gpointer data)
{
    coll_recipe_free(((Made *)data)->recipe);
    g_free(data);
}

/* ---- construction ----------------------------------------------------- */

/* An algorithm that is chosen by the platform is none of a library's. */
static gboolean check_rules(const LibraryParams *params, GError **error)
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

static Stack *library_new(const ConfigVariant *config, const Topology *topology,
                          GError **error)
{
    Library *library;

    (void)topology;
    if (!check_rules(config->params, error))
        return NULL;
    library = g_new0(Library, 1);
    library->params = config->params;
    library->name = stack_name(config);
    library->costs = g_ptr_array_new_with_free_func(costs_free);
    library->made = g_ptr_array_new_with_free_func(made_free);
    return &library->base;
}

static void library_free(Stack *stack)
{
    Library *library = (Library *)stack;

    g_ptr_array_unref(library->made);
    g_ptr_array_unref(library->costs);
    g_free(library);
}

/* ---- what it costs ---------------------------------------------------- */

static SimTime queries_ps(const LibraryParams *params, uint64_t n)
{
    return params->has_pointer_cache ? 0 : n * params->query_ps;
}

static SimTime launch_ps(const LibraryParams *params)
{
    SimTime ps =
        params->launch_ps + queries_ps(params, params->n_collective_queries);

    if (params->registers == LIBRARY_REGISTERS_COLLECTIVES)
        ps += params->registration_ps;
    return ps;
}

static SimTime message_queries_ps(const LibraryParams *params)
{
    return queries_ps(params, params->n_message_queries);
}

static SimTime step_ps(const LibraryParams *params, TopologyReach reach)
{
    SimTime ps = params->reach_step_ps[reach] != CONFIG_AUTO
                     ? params->reach_step_ps[reach]
                     : params->step_ps;

    return ps + message_queries_ps(params);
}

/* More of a message above the eager limit. */
static SimTime late_ps(const LibraryParams *params)
{
    SimTime ps = params->rendezvous_ps;

    if (params->registers == LIBRARY_REGISTERS_MESSAGES)
        ps += params->registration_ps;
    return ps;
}

static gboolean is_for(const LibraryMessage *message, uint32_t n_ranks)
{
    return n_ranks >= message->least_ranks && n_ranks <= message->most_ranks;
}

static uint32_t reaches_of(const LibraryMessage *message)
{
    return message->reach == 0 ? (1U << TOPOLOGY_N_REACHES) - 1
                               : TOPOLOGY_PLANE(message->reach - 1);
}

/* Rows that are given, then two for each reach: up to the eager limit, and
 * above. */
static void list_costs(Costs *costs, const LibraryParams *params)
{
    const LibraryMessage *given = params->messages.items;
    CollMessageCost *to =
        g_new0(CollMessageCost, params->messages.n + 2 * TOPOLOGY_N_REACHES);

    costs->costs = to;
    for (guint i = 0; i < params->messages.n; i++)
        if (is_for(&given[i], costs->n_ranks))
            *to++ =
                (CollMessageCost){ reaches_of(&given[i]), given[i].most_bytes,
                                   given[i].step_ps +
                                       message_queries_ps(params),
                                   given[i].bytes_per_s, given[i].block_bytes };
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        for (int late = 0; late < 2; late++)
            *to++ = (CollMessageCost){ TOPOLOGY_PLANE(r),
                                       late ? UINT64_MAX : params->eager_bytes,
                                       step_ps(params, (TopologyReach)r) +
                                           (late ? late_ps(params) : 0),
                                       params->copy_bytes_per_s, UINT64_MAX };
    costs->protocol.costs = costs->costs;
    costs->protocol.n_costs = (uint32_t)(to - costs->costs);
}

static const CollProtocol *costs_of(Library *library, uint32_t n_ranks)
{
    const LibraryParams *params = library->params;
    Costs *costs;

    for (guint i = 0; i < library->costs->len; i++) {
        costs = g_ptr_array_index(library->costs, i);
        if (costs->n_ranks == n_ranks)
            return &costs->protocol;
    }
    costs = g_new0(Costs, 1);
    costs->n_ranks = n_ranks;
    costs->protocol.name = library->name;
    costs->protocol.wire_num = 1000000;
    costs->protocol.wire_den = (uint32_t)params->efficiency_ppm;
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        costs->protocol.step_ps[r] = step_ps(params, (TopologyReach)r);
    list_costs(costs, params);
    g_ptr_array_add(library->costs, costs);
    return &costs->protocol;
}

/* ---- what it does ----------------------------------------------------- */

/* What is said of all kinds leaves those alone that it never is of. */
static gboolean is_of(const LibraryRule *rule, const CollRequest *request)
{
    const CollAlgorithm *algorithm =
        coll_algorithms[rule->choice.algorithm - 1];
    const CollGroup two = { .kind = coll_promise(request->kind)->done_as,
                            .n_ranks = 2,
                            .n_dims = 1,
                            .dims = { 2 } };

    if (!coll_choice_fits(&rule->choice, request))
        return FALSE;
    return rule->choice.collective != 0 || coll_is_of_halves(two.kind) ||
           algorithm->supports(&two);
}

static const LibraryRule *rule_of(const LibraryParams *params,
                                  const CollRequest *request)
{
    const LibraryRule *rules = params->rules.items;

    for (guint i = 0; i < params->rules.n; i++)
        if (is_of(&rules[i], request))
            return &rules[i];
    return NULL;
}

/* What nothing is chosen of. */
static const CollAlgorithm *without_choice(const CollRequest *request)
{
    if (request->kind == COLL_SEND)
        return &coll_p2p;
    return request->is_star ? &coll_star : NULL;
}

/* Along the dimensions of a platform, where it is hierarchical. */
static void set_algorithm(CollChannel *channel, const LibraryRule *rule)
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

static CollRecipe *make(Library *library, const Made *made)
{
    const LibraryRule *rule = made->rule;
    CollRecipe *recipe = g_new0(CollRecipe, 1);

    recipe->algorithm = rule ? coll_algorithm_names[rule->choice.algorithm]
                             : made->instead->name;
    recipe->protocol = costs_of(library, made->n_ranks);
    recipe->launch_ps = launch_ps(library->params);
    recipe->n_sms = (uint32_t)library->params->n_sms;
    recipe->chunk_bytes = rule ? rule->chunk_bytes : COLL_CHOICE_MOST_BYTES;
    recipe->message_bytes = rule ? rule->message_bytes : COLL_CHOICE_MOST_BYTES;
    recipe->window = CONFIG_AUTO;
    recipe->n_channels = 1;
    recipe->channels = g_new0(CollChannel, 1);
    recipe->channels[0].share = 1;
    if (rule)
        set_algorithm(&recipe->channels[0], rule);
    else
        recipe->channels[0].algorithm = made->instead;
    return recipe;
}

static const CollRecipe *recipe_of(Library *library, const Made *wanted)
{
    Made *made;

    for (guint i = 0; i < library->made->len; i++) {
        made = g_ptr_array_index(library->made, i);
        if (made->rule == wanted->rule && made->instead == wanted->instead &&
            made->n_ranks == wanted->n_ranks)
            return made->recipe;
    }
    made = g_memdup2(wanted, sizeof *wanted);
    made->recipe = make(library, made);
    g_ptr_array_add(library->made, made);
    return made->recipe;
}

static const CollRecipe *
library_decide(Stack *stack, const CollRequest *request, GError **error)
{
    Library *library = (Library *)stack;
    Made wanted = { .instead = without_choice(request),
                    .n_ranks = request->members->n_ranks };

    (void)error;
    if (!wanted.instead)
        wanted.rule = rule_of(library->params, request);
    if (wanted.n_ranks < 2 || (!wanted.rule && !wanted.instead))
        return NULL;
    return recipe_of(library, &wanted);
}

const StackOps stack_library = {
    .base = { .name = "library",
              .summary = "told by its rules: an algorithm by kind, ranks and "
                         "bytes, and what messages cost by size",
              .fields = library_fields,
              .size = sizeof(LibraryParams) },
    .new = library_new,
    .free = library_free,
    .decide = library_decide,
    .knows_stars = TRUE,
};
