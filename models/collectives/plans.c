/* plans.c - a plan is looked for before it is made */
#include "models/collectives/plans.h"

static void planned_free(gpointer item)
{
    CollPlanned *planned = item;

    coll_orders_clear(&planned->orders);
    g_free(planned);
}

void coll_plans_init(CollPlans *plans, const CollCast *cast,
                     const Topology *topology, const CollChoices *choices,
                     CollOrder order, uint64_t chunk_bytes)
{
    *plans = (CollPlans){ .all = g_ptr_array_new_with_free_func(planned_free),
                          .cast = cast,
                          .topology = topology,
                          .choices = *choices,
                          .order = order,
                          .chunk_bytes = chunk_bytes };
}

void coll_plans_clear(CollPlans *plans)
{
    g_clear_pointer(&plans->all, g_ptr_array_unref);
}

static gboolean is_same(const CollPlanned *planned, const CollRequest *request,
                        const CollChoice *row, const CollRecipe *recipe)
{
    const CollRequest *r = &planned->request;

    return r->kind == request->kind && r->members == request->members &&
           r->from == request->from && r->to == request->to &&
           planned->row == row && planned->recipe == recipe;
}

const CollPlanned *coll_plans_of(CollPlans *plans, const Op *op,
                                 const CollRecipe *recipe, GError **error)
{
    const CollRequest request = {
        .kind = op->kind,
        .members = coll_cast_members(plans->cast, op),
        .payload_bytes = op->payload_bytes,
        .from = op->from,
        .to = op->to,
    };
    const CollChoice *row = coll_choice_of(&plans->choices, &request);
    CollPlanned *planned;

    for (guint i = 0; i < plans->all->len; i++) {
        planned = g_ptr_array_index(plans->all, i);
        if (is_same(planned, &request, row, recipe))
            return planned;
    }
    planned = g_new0(CollPlanned, 1);
    planned->request = request;
    planned->row = row;
    planned->recipe = recipe;
    planned->index = plans->all->len;
    if (!coll_plan_init(&planned->plan, &request, &plans->choices,
                        plans->topology, error)) {
        g_free(planned);
        return NULL;
    }
    coll_orders_init(&planned->orders, plans->order, &planned->plan,
                     plans->topology, plans->chunk_bytes);
    g_ptr_array_add(plans->all, planned);
    return planned;
}
