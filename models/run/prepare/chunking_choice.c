/*
 * chunking_choice.c - chooses how each collective is cut, and the order in
 * which its chunks pass the dimensions
 *
 * A cut is chunk size, message size and window.  The cost model of
 * collectives/chunking.h has an error of some per cent.  Therefore candidates
 * are rehearsed: the collective is simulated alone on the same platform.  All
 * collectives of a system share REHEARSED_MESSAGES, so that a program of many
 * collectives starts about as soon as one of few.  A collective that is too
 * long for its share is left to the cost model.
 *
 * No rehearsal is run twice.  Those of the chosen order are already known when
 * the cut is chosen, if one operation sends the whole payload.
 *
 * With `order: auto` the orders of a plan are compared for the total payload
 * that uses the plan in an iteration, because its chunks follow each other.
 *
 * Cost     a few rehearsals for each size that is tried; a rehearsal has at
 *          most the messages of its collective's share
 */
#include "models/run/run_state_impl.h"

#include "models/run/prepare/saturating_arithmetic.h"

#define MAX_CHUNKS (1U << 24)

/* Messages that all rehearsals of a system may move together: about 10 ms of
 * simulation for the largest (assumed). */
#define REHEARSED_MESSAGES (1 << 14)
/* A collective whose share of these messages is less than this is left to the
 * cost model (assumed). */
#define MIN_MESSAGES 64
/* Orders are compared for at most this many chunks if the user gives the chunk
 * size: the start and the end of the pipeline are then a small part (assumed).
 * An order other than `fixed` is taken only if it is faster by more than the
 * slack, which is what the choice of a cut may cost (CUT_TOLERANCE_PERCENT). */
#define ORDER_CHUNKS        128
#define ORDER_SLACK_PERCENT CUT_TOLERANCE_PERCENT

/* The argument of endpoint_chunk_costs_for_chunking(). */
typedef struct {
    const System *system;
    const ConfigVariant *endpoint; /* that of the collective */
} PacedOp;

static const ConfigVariant *endpoint_of_collective(const System *system,
                                                   const Op *op)
{
    return op_endpoints_variant(
        &system->plan.endpoints,
        (uint32_t)(op - op_graph_op(system->plan.graph, 0)));
}

static gboolean endpoint_chunk_costs_for_chunking(gconstpointer self,
                                                  const CollPlan *plan,
                                                  uint64_t chunk_bytes,
                                                  CutPace *ret)
{
    const PacedOp *paced = self;
    const System *system = paced->system;
    const EndpointSite site = { .npu = &system->plan.config->platform.npu,
                                .topology = system->plan.topology };

    return endpoint_estimate_chunk_costs(paced->endpoint, &site, plan,
                                         chunk_bytes, ret);
}

/* Returns whether collectives @a and @b may be in flight on one NPU at the same
 * time. */
static gboolean collectives_may_overlap(const OpGraph *graph, const Op *a,
                                        const Op *b)
{
    if (a == b || b->type != OP_COLLECTIVE || b->is_recorded ||
        !role_set_intersects(a->roles, b->roles))
        return FALSE;
    return a->lane == OP_NO_LANE || a->lane != b->lane ||
           op_graph_lane(graph, a->lane)->at_a_time != 1;
}

/* The smallest payload that other collectives may have to wait for, as a
 * fraction of the bytes of all: a tensor of a few bytes should not determine
 * how one of many megabytes is cut. */
#define MIN_PAYLOAD_DIVISOR 4096
/* As MIN_PAYLOAD_DIVISOR, but a fraction of the bytes to and from servers, if
 * there are any. */
#define STAR_HOLD_DIVISOR 256
/* The slack with which a cut is chosen for transfers to servers: many are in
 * flight together and fill each other's gaps. */
#define STAR_SLACK_PERCENT 10

static uint64_t star_payload_of_op(const Op *op)
{
    return op->is_star ? op->payload_bytes : 0;
}

static gboolean ops_use_different_communicators(const System *system,
                                                const Op *a, const Op *b)
{
    const Op *first = op_graph_op(system->plan.graph, 0);

    return system->plan.n_communicators > 0 &&
           system->plan.communicator_of[a - first] !=
               system->plan.communicator_of[b - first];
}

/* Describes in @task the collectives that may be in flight together with @cut
 * on the same NPUs.  Each tensor that is sent to a server is a separate
 * collective, and some tensors are very small. */
static void describe_concurrent_collectives(const System *system, const Op *cut,
                                            CutTask *task)
{
    uint64_t all_bytes = cut->payload_bytes,
             star_bytes = star_payload_of_op(cut);

    task->least_bytes = cut->payload_bytes;
    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);

        if (!collectives_may_overlap(system->plan.graph, cut, op))
            continue;
        task->least_bytes = MIN(task->least_bytes, op->payload_bytes);
        task->has_others = TRUE;
        task->shares_links |= ops_use_different_communicators(system, cut, op);
        all_bytes = saturated_sum(all_bytes, op->payload_bytes);
        star_bytes = saturated_sum(star_bytes, star_payload_of_op(op));
    }
    task->least_bytes = MAX(task->least_bytes, all_bytes / MIN_PAYLOAD_DIVISOR);
    if (star_bytes > 0) {
        task->max_blocking_bytes = MAX(star_bytes / STAR_HOLD_DIVISOR, 1);
        task->tolerance_percent = STAR_SLACK_PERCENT;
    }
}

/* Returns the user's value if it is given, else the recipe's. */
static uint64_t user_value_or_recipe(uint64_t by_user, uint64_t by_recipe)
{
    return by_user != CONFIG_AUTO ? by_user : by_recipe;
}

/* Returns the parts of the cut that are given by the user or by @recipe, which
 * may be NULL.  A transfer to or from a server gets the largest window, because
 * it is an independent stream and one slow server must not delay the others.
 * The recipe's chunk is limited to the payload. */
static Cut chunking_given_by_user(const CollectiveConfig *config, const Op *op,
                                  const CollRecipe *recipe)
{
    Cut user = { config->chunk_bytes, config->message_bytes, config->window };

    if (op->is_star && user.window == CONFIG_AUTO)
        user.window = CUT_MAX_WINDOW;
    if (!recipe)
        return user;
    return (
        Cut){ user_value_or_recipe(user.chunk_bytes,
                                   MIN(recipe->chunk_bytes, op->payload_bytes)),
              user_value_or_recipe(user.message_bytes, recipe->message_bytes),
              user_value_or_recipe(user.window, recipe->window) };
}

/* ---- rehearsals -------------------------------------------------------- */

/* The rehearsals of one system. */
typedef struct {
    const System *system;
    const RehearsalOps *ops; /* NULL: nothing is rehearsed */
    /* Limit of the messages of one rehearsal, summed over all its NPUs. */
    uint64_t most_messages;
    /* Owned by the caller: the known rehearsals of this system, a map from
     * Rehearsal to SimTime. */
    GHashTable *known;
} Rehearsals;

typedef struct {
    const Rehearsals *rehearsals;
    Rehearsal
        rehearsal; /* the rehearsal to run; payload and cut are set later */
} RehearsedOp;

static guint hash_rehearsal(gconstpointer data)
{
    const Rehearsal *rehearsal = data;
    uint64_t mixed = rehearsal->payload_bytes * 31 + rehearsal->cut.chunk_bytes;

    mixed = (mixed * 31 + rehearsal->cut.message_bytes) * 31 + rehearsal->order;
    return g_int64_hash(&mixed) ^ g_direct_hash(rehearsal->op);
}

static gboolean is_same_rehearsal(gconstpointer a, gconstpointer b)
{
    const Rehearsal *x = a, *y = b;

    return x->op == y->op && x->payload_bytes == y->payload_bytes &&
           x->order == y->order && x->cut.chunk_bytes == y->cut.chunk_bytes &&
           x->cut.message_bytes == y->cut.message_bytes &&
           x->cut.window == y->cut.window;
}

static GHashTable *known_rehearsals_new(void)
{
    return g_hash_table_new_full(hash_rehearsal, is_same_rehearsal, g_free,
                                 g_free);
}

static SimTime simulate_rehearsal_unless_known(const Rehearsals *rehearsals,
                                               const Rehearsal *rehearsal)
{
    const SimTime *known = g_hash_table_lookup(rehearsals->known, rehearsal);
    SimTime ps;

    if (known)
        return *known;
    ps = rehearsals->ops->time_ps(rehearsals->system, rehearsal);
    g_hash_table_insert(rehearsals->known,
                        g_memdup2(rehearsal, sizeof *rehearsal),
                        g_memdup2(&ps, sizeof ps));
    return ps;
}

static SimTime rehearse_time_of_chunking(gconstpointer self,
                                         uint64_t payload_bytes, const Cut *cut)
{
    const RehearsedOp *rehearsed = self;
    Rehearsal rehearsal = rehearsed->rehearsal;

    rehearsal.payload_bytes = payload_bytes;
    rehearsal.cut = *cut;
    return simulate_rehearsal_unless_known(rehearsed->rehearsals, &rehearsal);
}

static gboolean chunking_has_auto_value(const Cut *given)
{
    return given->chunk_bytes == CONFIG_AUTO ||
           given->message_bytes == CONFIG_AUTO || given->window == CONFIG_AUTO;
}

/* Returns whether the chunking of @op can be chosen by simulating it alone.
 * That is not so if the stack has a recipe, which makes this choice, or for a
 * transfer to servers, which is one of many parallel streams. */
static gboolean op_can_be_rehearsed(const Op *op, const CollPlanned *planned)
{
    return op->type == OP_COLLECTIVE && !op->is_recorded && !op->is_star &&
           op->kind != COLL_SEND && !planned->recipe;
}

/* Chooses the cut of @op for @payload_bytes instead of its own payload, if its
 * chunks pass the dimensions in @orders, which follow the rule @rule. */
static CutChoice
choose_chunking_for_payload(const Rehearsals *rehearsals, const Op *op,
                            const CollPlanned *planned,
                            const CollOrders *orders, CollOrder rule,
                            uint64_t payload_bytes, const Cut *given)
{
    const System *system = rehearsals->system;
    RehearsedOp rehearsed = {
        .rehearsals = rehearsals,
        .rehearsal = { .op = op, .payload_bytes = payload_bytes, .order = rule }
    };
    const PacedOp paced = { system, endpoint_of_collective(system, op) };
    CutTask task = { .plans = orders->plans,
                     .shares = orders->shares,
                     .n_plans = orders->n,
                     .are_channels = planned->recipe != NULL,
                     .topology = system->plan.topology,
                     .payload_bytes = payload_bytes,
                     .packet_bytes =
                         system->plan.config->collectives.packet_bytes,
                     .pace = endpoint_chunk_costs_for_chunking,
                     .self = &paced };

    describe_concurrent_collectives(system, op, &task);
    if (rehearsals->most_messages >= MIN_MESSAGES &&
        op_can_be_rehearsed(op, planned))
        task.n_sim = rehearsals->ops->n_sim(system, &rehearsed.rehearsal);
    if (task.n_sim > 0) {
        task.rehearse = rehearse_time_of_chunking;
        task.rehearsal = &rehearsed;
        task.most_messages = rehearsals->most_messages;
    }
    return choose_chunking_of_collective(&task, given);
}

/* ---- orders of the dimensions ------------------------------------------ */

/* Returns the bytes that all operations with the plan @planned send in an
 * iteration. */
static uint64_t bytes_sent_with_plan(const System *system,
                                     const CollPlanned *planned)
{
    uint64_t bytes = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++)
        if (system->plan.collective_classes.class_of_op[i] &&
            system->plan.collective_classes.class_of_op[i]->planned == planned)
            bytes = saturated_sum(
                bytes, op_graph_op(system->plan.graph, i)->payload_bytes);
    return bytes;
}

/* Chooses the cut of @op if its chunks follow the order @rule.  The .time_ps is
 * SIM_TIME_MAX if @rule leads to the same order as `fixed`. */
static CutChoice
choose_chunking_in_dimension_order(const Rehearsals *rehearsals, const Op *op,
                                   const CollPlanned *planned, CollOrder rule)
{
    const System *system = rehearsals->system;
    const Cut given =
        chunking_given_by_user(&system->plan.config->collectives, op, NULL);
    uint64_t payload_bytes = bytes_sent_with_plan(system, planned);
    CollOrders orders;
    CutChoice choice = { .time_ps = SIM_TIME_MAX };

    if (given.chunk_bytes != CONFIG_AUTO)
        payload_bytes = MIN(payload_bytes,
                            saturated_product(given.chunk_bytes, ORDER_CHUNKS));

    coll_orders_init(&orders, rule, &planned->plan, system->plan.topology,
                     system->plan.collective_classes.plans.chunk_bytes);
    if (rule == COLL_ORDER_FIXED ||
        !coll_orders_are_fixed(&orders, &planned->plan))
        choice = choose_chunking_for_payload(rehearsals, op, planned, &orders,
                                             rule, payload_bytes, &given);
    coll_orders_clear(&orders);
    return choice;
}

/* Returns the rule under which the chunks of @planned are fastest, judged by
 * its operation @op: `fixed` unless another is clearly faster.  The rotated
 * order loads all dimensions equally.  It is taken only if all chunks were
 * simulated, because a part of them does not show how chunks queue at a slow
 * dimension. */
static CollOrder find_best_dimension_order(const Rehearsals *rehearsals,
                                           const Op *op,
                                           const CollPlanned *planned)
{
    static const CollOrder rules[] = { COLL_ORDER_AUTO, COLL_ORDER_ROTATED };
    CollOrder best = COLL_ORDER_FIXED;
    SimTime best_ps =
        choose_chunking_in_dimension_order(rehearsals, op, planned, best)
            .time_ps;

    for (guint i = 0; i < G_N_ELEMENTS(rules); i++) {
        CutChoice choice = choose_chunking_in_dimension_order(
            rehearsals, op, planned, rules[i]);

        if ((rules[i] == COLL_ORDER_ROTATED && !choice.is_simulated) ||
            (SimWide)choice.time_ps * (100 + ORDER_SLACK_PERCENT) >=
                (SimWide)best_ps * 100)
            continue;
        best = rules[i];
        best_ps = choice.time_ps;
    }
    return best;
}

/* Chooses the order of each plan for which `auto` leaves a choice. */
static void choose_dimension_orders(System *system, const RehearsalOps *ops,
                                    GHashTable *known_rehearsals)
{
    const Rehearsals rehearsals = { system, ops, REHEARSED_MESSAGES,
                                    known_rehearsals };
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);

    if (system->plan.config->collectives.order != COLL_ORDER_AUTO)
        return;
    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);
        const CollPlanned *planned;

        if (op->type != OP_COLLECTIVE || op->is_recorded)
            continue;
        planned = system->plan.collective_classes.class_of_op[i]->planned;
        if (planned->recipe || !planned->plan.may_reorder ||
            planned->plan.n_phases < 2 ||
            !g_hash_table_add(known, (gpointer)planned))
            continue;
        system->plan.has_chosen_cuts = TRUE;
        coll_plans_set_order(
            &system->plan.collective_classes.plans, planned,
            find_best_dimension_order(&rehearsals, op, planned));
    }
}

/* ---- cuts -------------------------------------------------------------- */

static gboolean endpoint_limits_chunks_in_flight(const ConfigVariant *endpoint)
{
    const EndpointCommon *common = endpoint_common(endpoint);

    return common->most_chunk_bytes > 0 || common->most_chunks > 0;
}

/* Limits @cut to what the endpoint of a collective can have in flight. */
static Cut limit_chunking_by_endpoint(const ConfigVariant *endpoint, Cut cut)
{
    const EndpointCommon *common = endpoint_common(endpoint);

    if (common->most_chunk_bytes > 0)
        cut.chunk_bytes = MIN(cut.chunk_bytes, common->most_chunk_bytes);
    if (common->most_chunks > 0)
        cut.window = MIN(cut.window, common->most_chunks);
    cut.message_bytes = MIN(cut.message_bytes, cut.chunk_bytes);
    return cut;
}

static Cut choose_chunking_of_op(System *system, guint i,
                                 const Rehearsals *rehearsals)
{
    const Op *op = op_graph_op(system->plan.graph, i);
    const CollPlanned *planned =
        system->plan.collective_classes.class_of_op[i]->planned;
    const CollOrders *orders = &planned->orders;
    const Cut given = chunking_given_by_user(&system->plan.config->collectives,
                                             op, orders->plans[0].recipe);
    CutChoice choice;

    if (!chunking_has_auto_value(&given) || orders->plans[0].n_phases == 0)
        return chunking_of_one_message(op->payload_bytes, &given);
    system->plan.has_chosen_cuts = TRUE;
    choice =
        choose_chunking_for_payload(rehearsals, op, planned, orders,
                                    orders->rule, op->payload_bytes, &given);
    system->plan.cut_error_ppm =
        MAX(system->plan.cut_error_ppm, choice.error_ppm);
    return choice.cut;
}

/* The properties that determine how a collective is cut; collectives that are
 * equal in them share a cut. */
typedef struct {
    uint64_t payload_bytes;
    const CollectiveClass *coll_class;
} CutKey;

static guint hash_chunking_key(gconstpointer data)
{
    const CutKey *key = data;

    return g_int64_hash(&key->payload_bytes) ^ g_direct_hash(key->coll_class);
}

static gboolean is_same_chunking_key(gconstpointer a, gconstpointer b)
{
    const CutKey *x = a, *y = b;

    return x->coll_class == y->coll_class &&
           x->payload_bytes == y->payload_bytes;
}

static gboolean check_n_chunks(const System *system, const Op *op,
                               uint64_t n_chunks, GError **error)
{
    if (n_chunks <= MAX_CHUNKS)
        return TRUE;
    config_set_error(
        error, system->plan.config->workload.node, CONFIG_ERROR_CONFLICT,
        "a collective of %" G_GUINT64_FORMAT " bytes has more than %u chunks; "
        "give a larger collectives.chunk",
        op->payload_bytes, MAX_CHUNKS);
    return FALSE;
}

/* Returns FALSE and sets @error if @phase goes through a switch that reduces
 * and that cannot handle messages that are cut like @cut. */
static gboolean check_in_switch_phase(const CollectiveConfig *config,
                                      const CollPhase *phase, const Cut *cut,
                                      GError **error)
{
    uint32_t n_lanes =
        coll_n_lanes(phase, cut->chunk_bytes, cut->message_bytes);
    const char *what = NULL;

    if (config->fidelity == FIDELITY_PACKET)
        what = "fidelity: packets do not meet in a switch that adds; take "
               "`message`, or another algorithm than in-switch";
    else if (coll_lane_bytes(phase, cut->chunk_bytes, phase->max_blocks,
                             n_lanes) > UINT32_MAX)
        what = "message: a switch adds messages of less than 4 GiB";
    if (what)
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT, "%s",
                         what);
    return what == NULL;
}

static gboolean check_in_switch_phases(const CollectiveConfig *config,
                                       const CollOrders *orders, const Cut *cut,
                                       GError **error)
{
    for (uint32_t o = 0; o < orders->n; o++)
        for (uint32_t phase_index = 0; phase_index < orders->plans[o].n_phases;
             phase_index++) {
            const CollPhase *phase = &orders->plans[o].phases[phase_index];

            if (phase->algorithm->via_switch &&
                !check_in_switch_phase(config, phase, cut, error))
                return FALSE;
        }
    return TRUE;
}

/* Sets the cut of operation @i; equal operations share one cut. */
static void set_chunking_of_op(System *system, guint i,
                               const Rehearsals *rehearsals, GHashTable *known)
{
    const CutKey key = { op_graph_op(system->plan.graph, i)->payload_bytes,
                         system->plan.collective_classes.class_of_op[i] };
    const ConfigVariant *endpoint =
        op_endpoints_variant(&system->plan.endpoints, i);
    const Cut *cut = g_hash_table_lookup(known, &key);

    if (cut) {
        system->plan.cuts[i] = *cut;
        return;
    }
    system->plan.cuts[i] = choose_chunking_of_op(system, i, rehearsals);
    if (endpoint_limits_chunks_in_flight(endpoint))
        system->plan.cuts[i] =
            limit_chunking_by_endpoint(endpoint, system->plan.cuts[i]);
    g_hash_table_insert(known, g_memdup2(&key, sizeof key),
                        &system->plan.cuts[i]);
}

/* Sets the windows of chunks of an NPU: one for each communicator, or one that
 * all collectives share.  A window is the largest that any of its collectives
 * needs. */
static void set_chunk_windows(System *system)
{
    guint n_ops = system->plan.graph->ops->len;

    system->plan.window = system->plan.n_communicators > 0 ? 0 : 1;
    system->plan.communicator_windows =
        g_new0(uint64_t, system->plan.n_communicators);
    for (guint i = 0; i < n_ops; i++) {
        uint64_t *window =
            system->plan.n_communicators > 0
                ? &system->plan
                       .communicator_windows[system->plan.communicator_of[i]]
                : &system->plan.window;

        *window = MAX(*window, system->plan.cuts[i].window);
    }
    for (guint i = 0; i < n_ops; i++)
        system->plan.cuts[i].window =
            system->plan.n_communicators > 0
                ? system->plan
                      .communicator_windows[system->plan.communicator_of[i]]
                : system->plan.window;
    for (uint32_t c = 0; c < system->plan.n_communicators; c++)
        system->plan.window = saturated_sum(
            system->plan.window, system->plan.communicator_windows[c]);
}

/* Collectives of equal payload and class. */
typedef struct {
    CutKey key;
    const Op *op;   /* borrowed: the first of them */
    uint32_t index; /* of .op in the graph */
    uint64_t n;
} EqualCollectives;

/* Returns a new hash table with the collectives that can be rehearsed: CutKey
 * -> EqualCollectives. */
static GHashTable *count_equal_collectives(const System *system)
{
    GHashTable *all = g_hash_table_new_full(hash_chunking_key,
                                            is_same_chunking_key, NULL, g_free);

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);
        const CutKey key = { op->payload_bytes,
                             system->plan.collective_classes.class_of_op[i] };
        EqualCollectives *equal;

        if (!key.coll_class ||
            !op_can_be_rehearsed(op, key.coll_class->planned))
            continue;
        equal = g_hash_table_lookup(all, &key);
        if (!equal) {
            equal = g_new(EqualCollectives, 1);
            *equal = (EqualCollectives){ .key = key, .op = op, .index = i };
            g_hash_table_insert(all, &equal->key, equal);
        }
        equal->n++;
    }
    return all;
}

/* Returns the number of different collectives that can be rehearsed;
 * collectives differ by payload and class. */
static guint count_collectives_to_rehearse(const System *system)
{
    g_autoptr(GHashTable) all = count_equal_collectives(system);

    return g_hash_table_size(all);
}

gboolean system_choose_chunkings(System *system, const RehearsalOps *ops,
                                 GError **error)
{
    g_autoptr(GHashTable) known_rehearsals = known_rehearsals_new();
    const Rehearsals rehearsals = {
        .system = system,
        .ops = ops,
        .most_messages = ops ? REHEARSED_MESSAGES /
                                   MAX(1, count_collectives_to_rehearse(system))
                             : 0,
        .known = known_rehearsals
    };
    g_autoptr(GHashTable) known = g_hash_table_new_full(
        hash_chunking_key, is_same_chunking_key, g_free, NULL);
    guint n_ops = system->plan.graph->ops->len;

    system->plan.cuts = g_new0(Cut, n_ops);
    system->plan.n_chunks_before = g_new0(uint64_t, n_ops);
    if (ops)
        choose_dimension_orders(system, ops, known_rehearsals);
    for (guint i = 0; i < n_ops; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);
        CollectiveClass *coll_class =
            system->plan.collective_classes.class_of_op[i];
        uint64_t n_chunks;

        if (op->type != OP_COLLECTIVE || op->is_recorded)
            continue;
        set_chunking_of_op(system, i, &rehearsals, known);
        if (!check_in_switch_phases(&system->plan.config->collectives,
                                    &coll_class->planned->orders,
                                    &system->plan.cuts[i], error))
            return FALSE;
        n_chunks =
            (op->payload_bytes - 1) / system->plan.cuts[i].chunk_bytes + 1;
        if (!check_n_chunks(system, op, n_chunks, error))
            return FALSE;
        coll_class->max_chunk_bytes =
            MAX(coll_class->max_chunk_bytes, system->plan.cuts[i].chunk_bytes);
        system->plan.n_chunks_before[i] = coll_class->n_chunks;
        coll_class->n_chunks += n_chunks;
    }
    set_chunk_windows(system);
    return TRUE;
}

const Cut *system_chunking_of_largest_collective(const System *system)
{
    const Cut *cut = NULL;
    uint64_t most_bytes = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);

        if (op->type != OP_COLLECTIVE || op->is_recorded ||
            op->payload_bytes <= most_bytes)
            continue;
        most_bytes = op->payload_bytes;
        cut = &system->plan.cuts[i];
    }
    return cut;
}

uint64_t system_chunking_error_ppm(const System *system)
{
    return system->plan.cut_error_ppm;
}

/* ---- other algorithms -------------------------------------------------- */

/* The error that is assumed of the cost model when algorithms are compared: an
 * algorithm that is estimated to be slower by more is not faster. */
#define ESTIMATE_ERROR_PERCENT 10

/* Estimates the time of @op alone if it is carried out by @planned. */
static SimTime estimate_time_of_plan(const System *system, const Op *op,
                                     const CollPlanned *planned)
{
    const Rehearsals none = { .system = system };
    const Cut given = chunking_given_by_user(&system->plan.config->collectives,
                                             op, planned->recipe);

    if (planned->plan.n_phases == 0)
        return 0;
    return choose_chunking_for_payload(&none, op, planned, &planned->orders,
                                       planned->orders.rule, op->payload_bytes,
                                       &given)
        .time_ps;
}

static gboolean plans_have_same_algorithms(const CollPlan *a, const CollPlan *b)
{
    if (a->n_phases != b->n_phases)
        return FALSE;
    for (uint32_t p = 0; p < a->n_phases; p++)
        if (a->phases[p].algorithm != b->phases[p].algorithm ||
            a->phases[p].group.n_ranks != b->phases[p].group.n_ranks)
            return FALSE;
    return TRUE;
}

/* Estimated times of collectives, each alone. */
typedef struct {
    SimTime now_ps, other_ps;
} AlgorithmTimes;

/* Sets *@ret to the sum of the estimated times of @collectives whose algorithm
 * differs between the system and @plans.  Returns FALSE if @plans refuse a
 * collective. */
static gboolean add_estimates_of_plans(const System *system, CollPlans *plans,
                                       GHashTable *collectives,
                                       AlgorithmTimes *ret)
{
    SimWide now_ps = 0, other_ps = 0;
    GHashTableIter iter;
    gpointer data;

    g_hash_table_iter_init(&iter, collectives);
    while (g_hash_table_iter_next(&iter, NULL, &data)) {
        const EqualCollectives *equal = data;
        const CollPlanned *now = equal->key.coll_class->planned, *other;

        other = coll_plans_find_or_make(plans, equal->op, NULL, NULL);
        if (!other)
            return FALSE;
        if (plans_have_same_algorithms(&other->plan, &now->plan))
            continue;
        now_ps +=
            (SimWide)equal->n * estimate_time_of_plan(system, equal->op, now);
        other_ps +=
            (SimWide)equal->n * estimate_time_of_plan(system, equal->op, other);
    }
    ret->now_ps = (SimTime)MIN(now_ps, SIM_TIME_MAX);
    ret->other_ps = (SimTime)MIN(other_ps, SIM_TIME_MAX);
    return TRUE;
}

/* Estimates @collectives with algorithm number @algorithm.  Returns FALSE if it
 * cannot carry out all of them. */
static gboolean estimate_times_with_algorithm(const System *system,
                                              GHashTable *collectives,
                                              int algorithm,
                                              AlgorithmTimes *ret)
{
    const CollPlans *now = &system->plan.collective_classes.plans;
    CollChoices choices = now->choices;
    CollPlans plans;
    gboolean can;

    choices.algorithm = algorithm;
    coll_plans_init(&plans, now->placement, now->topology, &choices, now->order,
                    now->chunk_bytes);
    can = add_estimates_of_plans(system, &plans, collectives, ret);
    coll_plans_clear(&plans);
    return can;
}

static gboolean estimate_may_be_faster(const AlgorithmTimes *times)
{
    return (SimWide)times->other_ps * 100 <
           (SimWide)times->now_ps * (100 + ESTIMATE_ERROR_PERCENT);
}

gboolean system_algorithm_may_be_faster(const System *system, int algorithm)
{
    g_autoptr(GHashTable) collectives = count_equal_collectives(system);
    AlgorithmTimes times;

    return estimate_times_with_algorithm(system, collectives, algorithm,
                                         &times) &&
           estimate_may_be_faster(&times);
}

/* ---- algorithms that are simulated --------------------------------------- */

/* Number of algorithms that are simulated, those with the best estimates.
 * Assumed, as the two limits below. */
#define MOST_SIMULATED_ALGORITHMS 6
/* The least gain that is worth a note, as for cuts. */
#define NOTED_TIME_RATIO (1 / 1.02)
/* A simulation moves at most this many messages, so that it takes some
 * milliseconds. */
#define MOST_HOPS 50000
/* With more NPUs, algorithms are not compared: their plans cost time for each
 * NPU, even if few are simulated. */
#define MOST_COMPARED_NPUS 1024

typedef struct {
    int algorithm;
    double estimated_ratio;
} AlgorithmCandidate;

static int compare_estimated_ratios(gconstpointer a, gconstpointer b)
{
    double x = ((const AlgorithmCandidate *)a)->estimated_ratio;
    double y = ((const AlgorithmCandidate *)b)->estimated_ratio;

    return (x > y) - (x < y);
}

/* Returns an array (of AlgorithmCandidate) of the algorithms that may be
 * faster, the best estimates first. */
static GArray *list_algorithm_candidates(const System *system,
                                         GHashTable *collectives)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(AlgorithmCandidate));

    for (int i = 1; coll_algorithm_names[i]; i++) {
        AlgorithmCandidate candidate = { .algorithm = i };
        AlgorithmTimes times;

        if (!estimate_times_with_algorithm(system, collectives, i, &times) ||
            !estimate_may_be_faster(&times))
            continue;
        candidate.estimated_ratio =
            (double)times.other_ps / (double)times.now_ps;
        g_array_append_val(all, candidate);
    }
    g_array_sort(all, compare_estimated_ratios);
    return all;
}

/* Returns the collectives that take most time by their estimates. */
static const EqualCollectives *
longest_equal_collectives(const System *system, GHashTable *collectives)
{
    const EqualCollectives *longest = NULL;
    SimWide most_ps = 0;
    GHashTableIter iter;
    gpointer data;

    g_hash_table_iter_init(&iter, collectives);
    while (g_hash_table_iter_next(&iter, NULL, &data)) {
        const EqualCollectives *equal = data;
        SimWide ps = (SimWide)equal->n *
                     estimate_time_of_plan(system, equal->op,
                                           equal->key.coll_class->planned);

        /* Equal times go by the order of operations, since a hash table has
         * none. */
        if (!longest || ps > most_ps ||
            (ps == most_ps && equal->index < longest->index)) {
            longest = equal;
            most_ps = ps;
        }
    }
    return longest;
}

gboolean find_faster_algorithm(const System *system, const RehearsalOps *ops,
                               FasterAlgorithm *ret)
{
    g_autoptr(GHashTable) collectives = count_equal_collectives(system);
    g_autoptr(GArray) candidates = NULL;
    const EqualCollectives *longest;
    const CollectiveConfig *config = &system->plan.config->collectives;
    Rehearsal rehearsal = { .most_hops = MOST_HOPS };
    SimTime now_ps;

    ret->time_ratio = 1;
    if (topology_n_npus(system->plan.topology) > MOST_COMPARED_NPUS)
        return FALSE;
    candidates = list_algorithm_candidates(system, collectives);
    if (candidates->len == 0)
        return FALSE;
    longest = longest_equal_collectives(system, collectives);
    rehearsal.op = longest->op;
    rehearsal.payload_bytes = longest->op->payload_bytes;
    rehearsal.order = longest->key.coll_class->planned->orders.rule;
    rehearsal.cut = system->plan.cuts[longest->index];
    now_ps = ops->time_ps(system, &rehearsal);
    if (now_ps == SIM_TIME_MAX)
        return FALSE;
    rehearsal.cut = chunking_given_by_user(config, longest->op, NULL);
    rehearsal.order = (CollOrder)config->order;
    for (guint i = 0; i < MIN(candidates->len, MOST_SIMULATED_ALGORITHMS);
         i++) {
        double ratio;

        rehearsal.algorithm =
            g_array_index(candidates, AlgorithmCandidate, i).algorithm;
        ratio = (double)ops->time_ps(system, &rehearsal) / (double)now_ps;
        if (ratio < ret->time_ratio)
            *ret = (FasterAlgorithm){ rehearsal.algorithm, longest->op->kind,
                                      longest->op->payload_bytes, ratio };
    }
    return ret->time_ratio <= NOTED_TIME_RATIO;
}
