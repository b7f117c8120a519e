/*
 * tensor_group_plan.c - adds groups of consecutive tensors, given the size of
 * each group
 *
 * The kinds `merged` and `groups` use it for plans that they compute or that
 * the user gives.
 */
#include <inttypes.h>

#include "workloads/exchange/exchange_impl.h"

const ConfigField exchange_group_item = {
    .key = "group",
    .help = "tensors that go together",
    .type = CONFIG_COUNT,
    .min = 1,
    .max = UINT32_MAX,
};

GArray *exchange_plan_from_group_sizes(const ConfigVariant *exchange,
                                       const ExchangeRequest *request,
                                       const ConfigList *groups, GError **error)
{
    const uint64_t *counts = groups->items;
    g_autoptr(GArray) plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint64_t n = 0;

    for (guint i = 0; i < groups->n; i++) {
        uint32_t group = (uint32_t)counts[i];

        n += group;
        g_array_append_val(plan, group);
    }
    if (n == request->n_tensors)
        return g_steal_pointer(&plan);
    config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                     "groups: they have %" PRIu64 " tensors together, but the "
                     "workload has %u",
                     n, request->n_tensors);
    return NULL;
}

void exchange_add_plan_of_groups(const ConfigVariant *exchange,
                                 const ExchangeRequest *request,
                                 const GArray *plan, const OpLane *lane)
{
    uint32_t added = exchange_add_lane(request, lane);
    guint first = 0;

    for (guint i = 0; i < plan->len; i++) {
        uint32_t n = g_array_index(plan, uint32_t, i);
        ExchangeTensor merged = exchange_merge_tensors(request, first, n);
        uint32_t op = exchange_add_tensor(exchange, request, &merged);

        op_graph_set_lane(request->graph, op, added);
        if (n > 1)
            exchange_mark_op_as_packed(request, op);
        first += n;
    }
    g_assert(first == request->n_tensors);
}
