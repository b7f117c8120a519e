/* plan_cache.c - a cache of plans: a plan is searched before it is made */
#include "models/collectives/plan_cache.h"

#include "models/collectives/planning/planning.h"

static void collective_plan_free(gpointer item)
{
    CollPlanned *planned = item;

    for (uint32_t c = 0; planned->members && c < planned->recipe->n_channels;
         c++)
        coll_members_clear(&planned->members[c]);
    g_free(planned->members);
    coll_orders_clear(&planned->orders);
    g_free(planned);
}

void coll_plans_init(CollPlans *plans, const CollPlacement *placement,
                     const Topology *topology, const CollChoices *choices,
                     CollOrder order, uint64_t chunk_bytes)
{
    *plans = (CollPlans){ .plans = g_ptr_array_new_with_free_func(
                              collective_plan_free),
                          .placement = placement,
                          .topology = topology,
                          .choices = *choices,
                          .order = order,
                          .chunk_bytes = chunk_bytes };
}

void coll_plans_clear(CollPlans *plans)
{
    g_clear_pointer(&plans->plans, g_ptr_array_unref);
}

static gboolean plan_is_for_same_request(const CollPlanned *a,
                                         const CollPlanned *b)
{
    const CollRequest *x = &a->request, *y = &b->request;

    return x->kind == y->kind && x->members == y->members &&
           x->from == y->from && x->to == y->to && x->weights == y->weights &&
           x->is_star == y->is_star && a->row == b->row &&
           a->recipe == b->recipe;
}

/* ---- channels --------------------------------------------------------- */

static uint32_t rank_of_npu_in_channel(const uint32_t *order, uint32_t n,
                                       uint32_t rank)
{
    uint32_t i = 0;

    while (i < n && order[i] != rank)
        i++;
    g_assert(i < n);
    return i;
}

/* Returns @request with the members and ranks in the order of @channel. */
static CollRequest request_in_channel_order(const CollRequest *request,
                                            const CollChannel *channel,
                                            CollMembers *members)
{
    uint32_t n = request->members->n_ranks;
    CollRequest ret = *request;

    if (!channel->order)
        return ret;
    /* Requests with weights are not supported, because weights are in the order
     * of the group. */
    g_assert(!request->weights);
    *members = coll_members_permuted(request->members, channel->order);
    ret.members = members;
    ret.from = rank_of_npu_in_channel(channel->order, n, request->from);
    ret.to = rank_of_npu_in_channel(channel->order, n, request->to);
    return ret;
}

static gboolean make_plans_of_channels(CollPlanned *planned,
                                       const CollPlans *plans, GError **error)
{
    const CollRecipe *recipe = planned->recipe;
    uint32_t n = recipe->n_channels;
    g_autofree uint32_t *shares = g_new(uint32_t, n);
    CollPlan *made = g_new(CollPlan, n);
    gboolean ok = TRUE;

    planned->members = g_new0(CollMembers, n);
    for (uint32_t c = 0; c < n && ok; c++) {
        CollRequest request = request_in_channel_order(
            &planned->request, &recipe->channels[c], &planned->members[c]);

        shares[c] = recipe->channels[c].share;
        ok =
            coll_plan_init_channel(&made[c], &request, recipe, c,
                                   plans->topology, plans->choices.node, error);
    }
    if (!ok) {
        g_free(made);
        return FALSE;
    }
    coll_orders_init_channels(&planned->orders, made, shares, n);
    planned->plan = made[0];
    return TRUE;
}

/* ---- search ------------------------------------------------------------ */

static gboolean make_collective_plan(CollPlanned *planned,
                                     const CollPlans *plans, GError **error)
{
    if (planned->recipe)
        return make_plans_of_channels(planned, plans, error);
    if (!coll_plan_init(&planned->plan, &planned->request, &plans->choices,
                        plans->topology, error))
        return FALSE;
    coll_orders_init(&planned->orders, plans->order, &planned->plan,
                     plans->topology, plans->chunk_bytes);
    return TRUE;
}

CollRequest coll_plans_request(const CollPlans *plans, const Op *op)
{
    return (CollRequest){
        .kind = op->kind,
        .members = coll_placement_members(plans->placement, op),
        .payload_bytes = op->payload_bytes,
        .from = op->from,
        .to = op->to,
        .weights = op->weights,
        .is_star = op->is_star,
    };
}

const CollPlanned *coll_plans_find_or_make(CollPlans *plans, const Op *op,
                                           const CollRecipe *recipe,
                                           GError **error)
{
    CollPlanned wanted = { .request = coll_plans_request(plans, op),
                           .recipe = recipe,
                           .index = plans->plans->len };
    CollPlanned *planned;

    if (!recipe)
        wanted.row = coll_choice_find_row(&plans->choices, &wanted.request);
    for (guint i = 0; i < plans->plans->len; i++) {
        planned = g_ptr_array_index(plans->plans, i);
        if (plan_is_for_same_request(planned, &wanted))
            return planned;
    }
    planned = g_memdup2(&wanted, sizeof wanted);
    if (!make_collective_plan(planned, plans, error)) {
        collective_plan_free(planned);
        return NULL;
    }
    g_ptr_array_add(plans->plans, planned);
    return planned;
}

void coll_plans_set_order(CollPlans *plans, const CollPlanned *planned,
                          CollOrder rule)
{
    CollPlanned *own = g_ptr_array_index(plans->plans, planned->index);

    g_assert(own == planned && !own->recipe);
    coll_orders_clear(&own->orders);
    coll_orders_init(&own->orders, rule, &own->plan, plans->topology,
                     plans->chunk_bytes);
}
