/* cuts.c - how the collectives of a system are cut: see collectives/cut.h */
#include "models/run/state_impl.h"

#define MAX_CHUNKS (1U << 24)

static gboolean pace(gconstpointer self, const CollPlan *plan,
                     uint64_t chunk_bytes, CutPace *ret)
{
    const System *system = self;
    const EndpointSite site = { .npu = &system->config->platform.npu,
                                .topology = system->topology };

    return endpoint_pace(&system->config->endpoint, &site, plan, chunk_bytes,
                         ret);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Both may be under way on one NPU. */
static gboolean are_beside(const OpGraph *graph, const Op *a, const Op *b)
{
    if (a == b || b->type != OP_COLLECTIVE || b->is_recorded ||
        (a->roles & b->roles) == 0)
        return FALSE;
    return a->lane == OP_NO_LANE || a->lane != b->lane ||
           op_graph_lane(graph, a->lane)->at_a_time != 1;
}

/* Of all that is sent what others may wait for, however little they are: a
 * tensor of a few bytes need not be the measure of one of many million. */
#define LEAST_PARTS 4096
/* The same of what goes to and from servers, where some does. */
#define STAR_PARTS 256
/* Many of these are under way together, and fill each other's gaps. */
#define STAR_SLACK_PERCENT 10

static uint64_t star_bytes_of(const Op *op)
{
    return op->is_star ? op->payload_bytes : 0;
}

/* What collectives beside @cut, on the same NPUs, are to it when it is cut.  Of
 * tensors that go to servers each is its own, and some are tiny. */
static void look_around(const System *system, const Op *cut, CutTask *task)
{
    uint64_t all_bytes = cut->payload_bytes, star_bytes = star_bytes_of(cut);

    task->least_bytes = cut->payload_bytes;
    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (!are_beside(system->graph, cut, op))
            continue;
        task->least_bytes = MIN(task->least_bytes, op->payload_bytes);
        task->has_others = TRUE;
        all_bytes = sum(all_bytes, op->payload_bytes);
        star_bytes = sum(star_bytes, star_bytes_of(op));
    }
    task->least_bytes = MAX(task->least_bytes, all_bytes / LEAST_PARTS);
    if (star_bytes > 0) {
        task->may_hold_bytes = MAX(star_bytes / STAR_PARTS, 1);
        task->slack_percent = STAR_SLACK_PERCENT;
    }
}

/* What the user says, else what the recipe does. */
static uint64_t first_given(uint64_t by_user, uint64_t by_recipe)
{
    return by_user != CONFIG_AUTO ? by_user : by_recipe;
}

/* Each tensor that goes to a server, or comes from it, is a stream of its own:
 * it waits for no other, so that one server does not hold up the rest.  A
 * recipe is of payloads of any size: its chunk is no longer than this. */
static Cut given_for(const CollectiveConfig *config, const Op *op,
                     const CollRecipe *recipe)
{
    Cut user = { config->chunk_bytes, config->message_bytes, config->window };

    if (op->is_star && user.window == CONFIG_AUTO)
        user.window = CUT_MAX_WINDOW;
    if (!recipe)
        return user;
    return (Cut){ first_given(user.chunk_bytes,
                              MIN(recipe->chunk_bytes, op->payload_bytes)),
                  first_given(user.message_bytes, recipe->message_bytes),
                  first_given(user.window, recipe->window) };
}

static Cut choose(System *system, guint i)
{
    const CollectiveConfig *config = &system->config->collectives;
    const Op *op = op_graph_op(system->graph, i);
    const CollOrders *orders = &system->schemes.of[i]->planned->orders;
    const Cut given = given_for(config, op, orders->plans[0].recipe);
    CutTask task;

    if ((given.chunk_bytes != CONFIG_AUTO &&
         given.message_bytes != CONFIG_AUTO && given.window != CONFIG_AUTO) ||
        orders->plans[0].n_phases == 0)
        return cut_without_choice(op->payload_bytes, &given);
    task = (CutTask){ .plans = orders->plans,
                      .shares = orders->shares,
                      .n_plans = orders->n,
                      .are_channels = orders->plans[0].recipe != NULL,
                      .topology = system->topology,
                      .payload_bytes = op->payload_bytes,
                      .packet_bytes = config->packet_bytes,
                      .pace = pace,
                      .self = system };
    look_around(system, op, &task);
    system->has_chosen_cuts = TRUE;
    return cut_choose(&task, &given);
}

/* What decides how a collective is cut. */
typedef struct {
    uint64_t payload_bytes;
    const Scheme *scheme;
} Cause;

static guint hash(gconstpointer data)
{
    const Cause *cause = data;

    return g_int64_hash(&cause->payload_bytes) ^ g_direct_hash(cause->scheme);
}

static gboolean is_alike(gconstpointer a, gconstpointer b)
{
    const Cause *x = a, *y = b;

    return x->scheme == y->scheme && x->payload_bytes == y->payload_bytes;
}

static gboolean check_n_chunks(const System *system, const Op *op,
                               uint64_t n_chunks, GError **error)
{
    if (n_chunks <= MAX_CHUNKS)
        return TRUE;
    config_set_error(
        error, system->config->workload.node, CONFIG_ERROR_CONFLICT,
        "a collective of %" G_GUINT64_FORMAT " bytes has more than %u chunks; "
        "give a larger collectives.chunk",
        op->payload_bytes, MAX_CHUNKS);
    return FALSE;
}

/* What a switch that adds cannot do, of messages that are cut like @cut. */
static gboolean check_meeting(const CollectiveConfig *config,
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

static gboolean check_meetings(const CollectiveConfig *config,
                               const CollOrders *orders, const Cut *cut,
                               GError **error)
{
    for (uint32_t o = 0; o < orders->n; o++)
        for (uint32_t p = 0; p < orders->plans[o].n_phases; p++) {
            const CollPhase *phase = &orders->plans[o].phases[p];

            if (phase->algorithm->via_switch &&
                !check_meeting(config, phase, cut, error))
                return FALSE;
        }
    return TRUE;
}

/* The cut of operation @i; one that is alike has the same. */
static void cut_op(System *system, guint i, GHashTable *known)
{
    const Cause cause = { op_graph_op(system->graph, i)->payload_bytes,
                          system->schemes.of[i] };
    const Cut *cut = g_hash_table_lookup(known, &cause);

    system->cuts[i] = cut ? *cut : choose(system, i);
    if (!cut)
        g_hash_table_insert(known, g_memdup2(&cause, sizeof cause),
                            &system->cuts[i]);
}

gboolean system_make_cuts(System *system, GError **error)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(hash, is_alike, g_free, NULL);
    guint n_ops = system->graph->ops->len;

    system->cuts = g_new0(Cut, n_ops);
    system->n_chunks_before = g_new0(uint64_t, n_ops);
    system->window = 1;
    for (guint i = 0; i < n_ops; i++) {
        const Op *op = op_graph_op(system->graph, i);
        Scheme *scheme = system->schemes.of[i];
        uint64_t n_chunks;

        if (op->type != OP_COLLECTIVE || op->is_recorded)
            continue;
        cut_op(system, i, known);
        if (!check_meetings(&system->config->collectives,
                            &scheme->planned->orders, &system->cuts[i], error))
            return FALSE;
        n_chunks = (op->payload_bytes - 1) / system->cuts[i].chunk_bytes + 1;
        if (!check_n_chunks(system, op, n_chunks, error))
            return FALSE;
        system->window = MAX(system->window, system->cuts[i].window);
        scheme->most_chunk_bytes =
            MAX(scheme->most_chunk_bytes, system->cuts[i].chunk_bytes);
        system->n_chunks_before[i] = scheme->n_chunks;
        scheme->n_chunks += n_chunks;
    }
    for (guint i = 0; i < n_ops; i++)
        system->cuts[i].window = system->window;
    return TRUE;
}

const Cut *system_main_cut(const System *system)
{
    const Cut *cut = NULL;
    uint64_t most_bytes = 0;

    for (guint i = 0; i < system->graph->ops->len; i++) {
        const Op *op = op_graph_op(system->graph, i);

        if (op->type != OP_COLLECTIVE || op->is_recorded ||
            op->payload_bytes <= most_bytes)
            continue;
        most_bytes = op->payload_bytes;
        cut = &system->cuts[i];
    }
    return cut;
}
