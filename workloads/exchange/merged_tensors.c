/*
 * merged_tensors.c - tensors merged by a plan, one message after the other
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
      .help = "latency and bandwidth by the number of NPUs, in place of those; "
              "for other numbers they are estimated by the nearest two",
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

/* A line as a point of the curves that are interpolated.  On a ring of n NPUs,
 * latency is proportional to n - 1, and time per byte to (n - 1) / n. */
typedef struct {
    double n_npus;
    double latency_ps, s_per_byte;
} LinePoint;

/* Points of a list of lines, by number of NPUs.  The first one is a single NPU,
 * which needs no time. */
static GArray *points_of_measured_lines(const ConfigList *list)
{
    const LinearModel *lines = list->items;
    GArray *points = g_array_new(FALSE, FALSE, sizeof(LinePoint));
    const LinePoint one_npu = { .n_npus = 1 };

    g_array_append_val(points, one_npu);
    for (guint i = 0; i < list->n; i++) {
        const LinePoint point = { .n_npus = (double)lines[i].n_npus,
                                  .latency_ps = (double)lines[i].latency_ps,
                                  .s_per_byte =
                                      1 / (double)lines[i].bytes_per_s };
        guint at = points->len;

        while (at > 1 &&
               g_array_index(points, LinePoint, at - 1).n_npus > point.n_npus)
            at--;
        if (lines[i].n_npus > 1)
            g_array_insert_val(points, at, point);
    }
    return points;
}

static double ring_share_of_payload(double n_npus)
{
    return (n_npus - 1) / n_npus;
}

/* Returns the value at @x of the straight line through two points.  Beyond the
 * second point it does not fall. */
static double value_on_line(double x, double x0, double y0, double x1,
                            double y1)
{
    double slope = (y1 - y0) / (x1 - x0);

    return y1 + (x > x1 ? MAX(slope, 0) : slope) * (x - x1);
}

#define MAX_ESTIMATED_PS 1e15 /* an estimated latency is limited to it */

/* Returns the model for @n_npus, for which the list has no line, by the two
 * lines nearest to it: one for fewer NPUs and one for more, or both for fewer.
 * Adds a note that says so. */
static LinearModel estimate_line_for_npus(const ConfigList *list,
                                          uint32_t n_npus, OpGraph *graph)
{
    g_autoptr(GArray) points = points_of_measured_lines(list);
    LinearModel line = { .n_npus = n_npus };
    const LinePoint *left, *right;
    g_autofree char *from = NULL;
    guint at = 1;
    double latency_ps, s_per_byte;

    while (at < points->len - 1 &&
           g_array_index(points, LinePoint, at).n_npus < n_npus)
        at++;
    left = &g_array_index(points, LinePoint, at - 1);
    right = &g_array_index(points, LinePoint, at);
    latency_ps = value_on_line(n_npus, left->n_npus, left->latency_ps,
                               right->n_npus, right->latency_ps);
    s_per_byte =
        value_on_line(ring_share_of_payload(n_npus),
                      ring_share_of_payload(left->n_npus), left->s_per_byte,
                      ring_share_of_payload(right->n_npus), right->s_per_byte);
    line.latency_ps = (uint64_t)(MIN(latency_ps, MAX_ESTIMATED_PS) + .5);
    line.bytes_per_s = (uint64_t)MAX(1 / s_per_byte + .5, 1);
    from = left->n_npus > 1
               ? g_strdup_printf("%s its lines for %.0f and %.0f NPUs",
                                 n_npus < right->n_npus ? "interpolated between"
                                                        : "extrapolated from",
                                 left->n_npus, right->n_npus)
               : g_strdup_printf("scaled as a ring from its line for %.0f NPUs",
                                 right->n_npus);
    op_graph_add_note(graph,
                      "exchange.by_npus has no line for %" PRIu32 " NPUs: "
                      "%.4g us and %.4g GB/s are %s",
                      n_npus, (double)line.latency_ps / 1e6,
                      (double)line.bytes_per_s / 1e9, from);
    return line;
}

/* Sets @ret to the model for the number of NPUs, which is estimated if the list
 * has none.  Returns FALSE with @error set if the list has several for one
 * number, or none for more than one NPU. */
static gboolean find_linear_cost_model(const ConfigVariant *exchange,
                                       const ExchangeRequest *request,
                                       LinearModel *ret, GError **error)
{
    const MergedParams *params = exchange->params;
    const LinearModel *lines = params->lines.items;
    uint32_t n_npus = machine_n_npus(request->site);
    const LinearModel *found = NULL;
    guint n_useful = 0;

    *ret = params->line;
    if (params->lines.n == 0 || !request->site)
        return TRUE;
    for (guint i = 0; i < params->lines.n; i++) {
        for (guint k = 0; k < i; k++)
            if (lines[k].n_npus == lines[i].n_npus) {
                config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                                 "by_npus: there are two lines for %" PRIu64
                                 " NPUs",
                                 lines[i].n_npus);
                return FALSE;
            }
        if (lines[i].n_npus == n_npus)
            found = &lines[i];
        n_useful += lines[i].n_npus > 1;
    }
    if (!found && n_useful == 0) {
        config_set_error(error, exchange->node, CONFIG_ERROR_CONFLICT,
                         "by_npus: no line is for more than one NPU, and there "
                         "are %" PRIu32,
                         n_npus);
        return FALSE;
    }
    if (found)
        *ret = *found;
    else if (n_npus > 1)
        *ret = estimate_line_for_npus(&params->lines, n_npus, request->graph);
    return TRUE;
}

/* Returns the plan, or NULL with @error set. */
static GArray *make_merge_plan(const ConfigVariant *exchange,
                               const ExchangeRequest *request, GError **error)
{
    const MergedParams *params = exchange->params;
    g_autofree MergeTensor *tensors = g_new0(MergeTensor, request->n_tensors);
    MergeCostModel model = { .least_values = params->least_values };
    LinearModel line;

    if (!find_linear_cost_model(exchange, request, &line, error))
        return NULL;
    model.latency_ps = line.latency_ps;
    model.bytes_per_s = line.bytes_per_s;
    for (guint i = 0; i < request->n_tensors; i++) {
        tensors[i].n_values = request->tensors[i].n_values;
        tensors[i].bytes = exchange_message_bytes(request, tensors[i].n_values);
    }
    set_ready_times_of_tensors(request, tensors);
    return merge_plan_make(&model, tensors, request->n_tensors);
}

static gboolean exchange_add_merged_tensors(const ConfigVariant *exchange,
                                            const ExchangeRequest *request,
                                            GError **error)
{
    const MergedParams *params = exchange->params;
    g_autoptr(GArray) plan =
        params->groups.n > 0 ? exchange_plan_from_group_sizes(
                                   exchange, request, &params->groups, error)
                             : make_merge_plan(exchange, request, error);
    const OpLane lane = { .at_a_time = (uint32_t)params->at_a_time,
                          .copy_bytes_per_s = params->copy_bytes_per_s };

    if (!plan)
        return FALSE;
    exchange_add_plan_of_groups(exchange, request, plan, &lane);
    return TRUE;
}

const ExchangeOps exchange_merged = {
    .base = { .name = "merged",
              .summary = "tensors merged by a plan, one message at a time "
                         "(MG-WFBP)",
              .fields = merged_fields,
              .size = sizeof(MergedParams) },
    .add = exchange_add_merged_tensors,
};
