/*
 * kernels_with_collective.c - kernels concurrent with a collective, a
 * contention benchmark
 *
 * Each iteration starts the kernels, one after the other, and one collective at
 * the same time.  It ends when both are done.  The mutual slowdown is visible
 * as long as both run.  With `training.overlap: false`, the collective waits
 * for the last kernel, so neither shares the NPU.
 *
 * The kernels are the same as for `acesim kernels` (kernel.h). They run on the
 * SMs that the endpoint leaves free, so the key `sms` is refused.
 */
#include "workloads/kernel.h"
#include "workloads/loop_impl.h"
#include "workloads/rank_weights.h"

#define MAX_KERNELS 1000
#define MAX_REPEAT  1000

typedef struct {
    WorkloadCommon common;
    ConfigList kernels; /* kernels to run; the elements are ConfigVariant */
    uint64_t repeat;
    int collective; /* kind of collective, a value of enum CollKind */
    uint64_t payload_bytes, root;
    /* Weights of an all-to-allv; the elements are uint64_t. */
    ConfigList weights;
} BesideParams;

static const ConfigField kernel_item = {
    .key = "kernel",
    .help = "one kernel",
    .type = CONFIG_KIND,
    .registry = &kernel_registry,
};

static const ConfigField beside_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(BesideParams, common.name) },
    { .key = "kernels",
      .help = "one after the other",
      .type = CONFIG_LIST,
      .offset = offsetof(BesideParams, kernels),
      .min = 1,
      .max = MAX_KERNELS,
      .item = &kernel_item,
      .item_size = sizeof(ConfigVariant) },
    { .key = "repeat",
      .help = "how many times the list is gone through",
      .type = CONFIG_COUNT,
      .offset = offsetof(BesideParams, repeat),
      .min = 1,
      .max = MAX_REPEAT,
      .fallback = "1" },
    { .key = "collective",
      .help = "beside them",
      .type = CONFIG_ENUM,
      .offset = offsetof(BesideParams, collective),
      .names = coll_kind_names },
    { .key = "payload",
      .help = "the whole vector of one rank, before a reduce-scatter or after "
              "an all-gather",
      .type = CONFIG_BYTES,
      .offset = offsetof(BesideParams, payload_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40 },
    LOOP_ROOT_FIELD(BesideParams),
    WEIGHTS_FIELD(BesideParams),
    CONFIG_END,
};

static gboolean check_kernel_without_sms(const ConfigVariant *kernel,
                                         GError **error)
{
    if (kernel_common(kernel)->n_sms == 0)
        return kernel_check(kernel, error);
    config_set_error(error, kernel->node, CONFIG_ERROR_CONFLICT,
                     "sms: in a run a kernel has what the endpoint leaves; "
                     "leave it out");
    return FALSE;
}

static void add_benchmark_kernel(OpGraph *graph, const ConfigVariant *kernel)
{
    uint32_t layer = op_graph_add_layer(graph, kernel_common(kernel)->name);
    OpWork works[KERNEL_MAX_WORKS];

    kernel_list_works(kernel, works);
    for (guint i = 0; i < KERNEL_MAX_WORKS; i++) {
        if (works[i].flop == 0 && works[i].bytes == 0)
            return;
        op_graph_add_compute(graph, layer, OP_FORWARD, OP_STREAM_MAIN,
                             &works[i]);
    }
}

static gboolean kernels_with_collective_build(const ConfigVariant *workload,
                                              const TrainingConfig *training,
                                              const WorkloadSite *site,
                                              OpGraph *graph, GError **error)
{
    const BesideParams *params = workload->params;
    const ConfigVariant *kernels = params->kernels.items;
    uint32_t layer, collective;

    (void)site;
    for (guint i = 0; i < params->kernels.n; i++)
        if (!check_kernel_without_sms(&kernels[i], error))
            return FALSE;
    for (uint64_t r = 0; r < params->repeat; r++)
        for (guint i = 0; i < params->kernels.n; i++)
            add_benchmark_kernel(graph, &kernels[i]);
    if (graph->ops->len == 0) {
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "kernels: none of them does anything");
        return FALSE;
    }
    layer = op_graph_add_layer(graph, coll_kind_names[params->collective]);
    collective = op_graph_add_collective(graph, layer, OP_WEIGHT_GRADIENT,
                                         (CollKind)params->collective,
                                         params->payload_bytes, 1);
    op_graph_add_dep(graph, collective, collective - 1,
                     training->overlap ? 1 : 0);
    op_graph_add_dep(graph, 0, collective, 1);
    return op_graph_set_root(graph, collective, params->root, workload->node,
                             error) &&
           rank_weights_set_of_op(graph, collective, &params->weights, error);
}

const LoopOps loop_beside = {
    .base = { .name = "beside",
              .summary = "kernels in parallel with a collective, for "
                         "contention",
              .fields = beside_fields,
              .size = sizeof(BesideParams) },
    .build = kernels_with_collective_build,
};
