/*
 * tensor_groups.c - a given number of groups of tensors, one message after the
 * other
 *
 * Tensors are grouped in the order in which they get ready.  A group is sent
 * when its last tensor is ready.  There are `n` groups whose counts differ by
 * at most one, or groups of the counts in `groups`.  One group is one message
 * after the last gradient; as many groups as tensors is the kind `tensor`.  The
 * optimum is in between: few groups hide little communication, and many pay a
 * start each.  [DPROPLOT] has measured how the time depends on the number of
 * groups.  A sweep over `n` simulates the same curve.
 *
 * With N tensors, group i of n ends before tensor floor((i + 1) N / n).
 */
#include <inttypes.h>

#include "workloads/exchange/exchange_impl.h"

typedef struct {
    ExchangeCommon common;
    uint64_t n;
    ConfigList groups; /* of uint64_t */
    uint64_t at_a_time, negotiation_ps, copy_bytes_per_s;
} GroupsParams;

static const ConfigField groups_fields[] = {
    { .key = "n",
      .help = "groups of equal counts of tensors",
      .source = "assumed: all in one",
      .type = CONFIG_COUNT,
      .offset = offsetof(GroupsParams, n),
      .min = 1,
      .max = UINT32_MAX,
      .fallback = "1" },
    EXCHANGE_PLAN_FIELD(GroupsParams, "n"),
    EXCHANGE_AT_A_TIME_FIELD(GroupsParams),
    EXCHANGE_NEGOTIATION_FIELD(GroupsParams,
                               "from when a message may begin until it does"),
    EXCHANGE_COPY_FIELD(GroupsParams),
    EXCHANGE_COMPRESSION_FIELD(GroupsParams),
    EXCHANGE_SPARSE_FIELD(GroupsParams),
    CONFIG_END,
};

/* Returns a plan of p->n groups, or NULL with @error set if there are fewer
 * tensors. */
static GArray *make_plan_of_equal_groups(const ConfigVariant *exchange,
                                         const ExchangeRequest *request,
                                         GError **error)
{
    const GroupsParams *params = exchange->params;
    GArray *plan;
    uint32_t first = 0;

    if (params->n > request->n_tensors) {
        config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                         "n: of %" PRIu64 " groups some are empty: the "
                         "workload has %u tensors",
                         params->n, request->n_tensors);
        return NULL;
    }
    plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint64_t i = 0; i < params->n; i++) {
        uint32_t end = (uint32_t)((i + 1) * request->n_tensors / params->n);
        uint32_t count = end - first;

        g_array_append_val(plan, count);
        first = end;
    }
    return plan;
}

static gboolean exchange_add_groups(const ConfigVariant *exchange,
                                    const ExchangeRequest *request,
                                    GError **error)
{
    const GroupsParams *params = exchange->params;
    g_autoptr(GArray) plan =
        params->groups.n > 0
            ? exchange_plan_from_group_sizes(exchange, request, &params->groups,
                                             error)
            : make_plan_of_equal_groups(exchange, request, error);
    const OpLane lane = { .at_a_time = (uint32_t)params->at_a_time,
                          .negotiate_ps = params->negotiation_ps,
                          .copy_bytes_per_s = params->copy_bytes_per_s };

    if (!plan)
        return FALSE;
    exchange_add_plan_of_groups(exchange, request, plan, &lane);
    return TRUE;
}

const ExchangeOps exchange_groups = {
    .base = { .name = "groups",
              .summary = "a given number of groups of tensors, one message at "
                         "a time",
              .fields = groups_fields,
              .size = sizeof(GroupsParams) },
    .add = exchange_add_groups,
};
