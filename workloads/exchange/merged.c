/*
 * merged.c - tensors merged by a plan, one message after the other
 *
 * This kind models MG-WFBP.  The plan (merge_plan.h) is made once, before
 * training.  It follows from the planner's model of an all-reduce, which may be
 * wrong, and from the times at which gradients are ready if kernels have the
 * NPU to themselves.  A list of group sizes, in the order in which tensors get
 * ready, can be given in place of the plan.
 */
#include <inttypes.h>

#include "workloads/exchange/exchange_impl.h"
#include "workloads/exchange/merge_plan.h"

/* The time of an all-reduce of b bytes among a number of NPUs, as the planner
 * models it: latency + b / bandwidth. */
typedef struct {
    uint64_t n_npus, latency_ps, bytes_per_s;
} LinearModel;

typedef struct {
    ExchangeCommon common;
    LinearModel line; /* for any number of NPUs */
    uint64_t least_values;
    ConfigList lines;  /* of LinearModel, for given numbers of NPUs */
    ConfigList groups; /* of uint64_t */
    uint64_t at_a_time, copy_bytes_per_s;
} MergedParams;

#define LINE_FIELDS(Struct, prefix, Latency, Bandwidth)                        \
    { .key = "latency",                                                        \
      .help = "of an all-reduce, as its planner believes",                     \
      .source = "MGWFBP: 8 workers, 56 Gb/s",                                  \
      .type = CONFIG_TIME,                                                     \
      .offset = offsetof(Struct, prefix latency_ps),                           \
      .max = UINT64_C(1000000000000),                                          \
      .fallback = Latency },                                                   \
    {                                                                          \
        .key = "bandwidth",                                                    \
        .help =                                                                \
            "payload of an all-reduce per second, as the planner believes",    \
        .source = "MGWFBP: 8 workers, 56 Gb/s", .type = CONFIG_BANDWIDTH,      \
        .offset = offsetof(Struct, prefix bytes_per_s), .min = 1,              \
        .max = UINT64_C(1000000000000000), .fallback = Bandwidth               \
    }

static const ConfigField line_fields[] = {
    { .key = "npus",
      .help = "for which the line is",
      .type = CONFIG_COUNT,
      .offset = offsetof(LinearModel, n_npus),
      .min = 1,
      .max = UINT32_MAX },
    LINE_FIELDS(LinearModel, , NULL, NULL),
    CONFIG_END,
};

static const ConfigField model_item = {
    .key = "line",
    .help = "the planner's values for a number of NPUs",
    .type = CONFIG_SECTION,
    .fields = line_fields,
};

static const ConfigField merged_fields[] = {
    LINE_FIELDS(MergedParams, line., "97.5 us", "3.27 GB/s"),
    { .key = "by_npus",
      .help = "latency and bandwidth by the number of NPUs, in place of those",
      .source = "one line",
      .type = CONFIG_LIST,
      .offset = offsetof(MergedParams, lines),
      .max = 1000,
      .item = &model_item,
      .item_size = sizeof(LinearModel),
      .fallback = "[]" },
    { .key = "least_values",
      .help = "values of a message, unless no more are left",
      .source = "MGWFBP",
      .type = CONFIG_COUNT,
      .offset = offsetof(MergedParams, least_values),
      .max = UINT64_C(1000000000000),
      .fallback = "8192" },
    EXCHANGE_PLAN_FIELD(MergedParams, "a plan"),
    EXCHANGE_AT_A_TIME_FIELD(MergedParams),
    EXCHANGE_COPY_FIELD(MergedParams),
    EXCHANGE_COMPRESSION_FIELD(MergedParams),
    EXCHANGE_SPARSE_FIELD(MergedParams),
    CONFIG_END,
};

/* Sets .ready_ps of each tensor: the sum of the times of all kernels on the
 * main stream up to the one that produces it. */
static void set_ready_times_of_tensors(const ExchangeRequest *request,
                                       MergeTensor *tensors)
{
    const WorkloadSite *site = request->site;
    const OpGraph *graph = request->graph;
    g_autofree uint64_t *times = g_new0(uint64_t, graph->ops->len);
    uint64_t now_ps = 0;
    guint tensor = 0;

    if (site && site->kernel_times)
        site->kernel_times(site->data, graph, times);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        if (op_graph_op(graph, i)->stream == OP_STREAM_MAIN)
            now_ps += times[i];
        for (;
             tensor < request->n_tensors && request->tensors[tensor].ready == i;
             tensor++)
            tensors[tensor].ready_ps = now_ps;
    }
    g_assert(tensor == request->n_tensors);
}

/* Sets @ret to the model for the number of NPUs.  Returns FALSE with @error set
 * if the list has none or several. */
static gboolean find_linear_cost_model(const ConfigVariant *exchange,
                                       const ExchangeRequest *request,
                                       LinearModel *ret, GError **error)
{
    const MergedParams *p = exchange->params;
    const LinearModel *lines = p->lines.items;
    uint32_t n_npus = machine_n_npus(request->site);
    guint n_found = 0;

    *ret = p->line;
    if (p->lines.n == 0 || !request->site)
        return TRUE;
    for (guint i = 0; i < p->lines.n; i++)
        if (lines[i].n_npus == n_npus) {
            *ret = lines[i];
            n_found++;
        }
    if (n_found == 1)
        return TRUE;
    config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                     "by_npus: there %s for %" PRIu32 " NPUs",
                     n_found == 0 ? "is no line" : "are two lines", n_npus);
    return FALSE;
}

/* Returns the plan, or NULL with @error set. */
static GArray *make_merge_plan(const ConfigVariant *exchange,
                               const ExchangeRequest *request, GError **error)
{
    const MergedParams *p = exchange->params;
    g_autofree MergeTensor *tensors = g_new0(MergeTensor, request->n_tensors);
    MergeCostModel model = { .least_values = p->least_values };
    LinearModel line;

    if (!find_linear_cost_model(exchange, request, &line, error))
        return NULL;
    model.latency_ps = line.latency_ps;
    model.bytes_per_s = line.bytes_per_s;
    for (guint i = 0; i < request->n_tensors; i++) {
        tensors[i].n_values = request->tensors[i].n_values;
        tensors[i].bytes = exchange_bytes(request, tensors[i].n_values);
    }
    set_ready_times_of_tensors(request, tensors);
    return merge_plan(&model, tensors, request->n_tensors);
}

static gboolean merged_add(const ConfigVariant *exchange,
                           const ExchangeRequest *request, GError **error)
{
    const MergedParams *p = exchange->params;
    g_autoptr(GArray) plan =
        p->groups.n > 0
            ? exchange_given_plan(exchange, request, &p->groups, error)
            : make_merge_plan(exchange, request, error);
    const OpLane lane = { .at_a_time = (uint32_t)p->at_a_time,
                          .copy_bytes_per_s = p->copy_bytes_per_s };

    if (!plan)
        return FALSE;
    exchange_add_plan(exchange, request, plan, &lane);
    return TRUE;
}

const ExchangeOps exchange_merged = {
    .base = { .name = "merged",
              .summary = "tensors merged by a plan, one message at a time "
                         "(MG-WFBP)",
              .fields = merged_fields,
              .size = sizeof(MergedParams) },
    .add = merged_add,
};
