/*
 * collective.c - a microbenchmark of collectives without computation
 *
 * Each iteration issues `repeat` collectives of the same kind and size at the
 * same time, and ends when all of them are done.
 */
#include "workloads/loop_impl.h"
#include "workloads/rank_weights.h"

typedef struct {
    WorkloadCommon common;
    int collective; /* kind of collective, a value of enum CollKind */
    uint64_t payload_bytes, root;
    /* Weights of an all-to-allv; the elements are uint64_t. */
    ConfigList weights;
    uint64_t repeat;
} CollectiveParams;

static const ConfigField collective_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(CollectiveParams, common.name) },
    { .key = "collective",
      .help = "which one",
      .type = CONFIG_ENUM,
      .offset = offsetof(CollectiveParams, collective),
      .names = coll_kind_names },
    { .key = "payload",
      .help = "the whole vector of one rank, before a reduce-scatter or after "
              "an all-gather",
      .type = CONFIG_BYTES,
      .offset = offsetof(CollectiveParams, payload_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40 },
    LOOP_ROOT_FIELD(CollectiveParams),
    WEIGHTS_FIELD(CollectiveParams),
    { .key = "repeat",
      .help = "number of collectives issued at the same time",
      .source = "assumed",
      .type = CONFIG_COUNT,
      .offset = offsetof(CollectiveParams, repeat),
      .min = 1,
      .max = 10000,
      .fallback = "1" },
    CONFIG_END,
};

static gboolean collective_build(const ConfigVariant *workload,
                                 const TrainingConfig *training,
                                 const WorkloadSite *site, OpGraph *graph,
                                 GError **error)
{
    const CollectiveParams *params = workload->params;

    (void)site;
    (void)training;
    for (uint64_t i = 0; i < params->repeat; i++) {
        const char *kind = coll_kind_names[params->collective];
        g_autofree char *name =
            params->repeat == 1 ? g_strdup(kind)
                                : g_strdup_printf("%s.%u", kind, (guint)i + 1);
        uint32_t layer = op_graph_add_layer(graph, name), op;

        op = op_graph_add_collective(
            graph, layer, OP_WEIGHT_GRADIENT, (CollKind)params->collective,
            params->payload_bytes, (uint32_t)(params->repeat - i));
        if (!op_graph_set_root(graph, op, params->root, workload->node,
                               error) ||
            !rank_weights_set_of_op(graph, op, &params->weights, error))
            return FALSE;
    }
    return TRUE;
}

const LoopOps loop_collective = {
    .base = { .name = "collective",
              .summary = "collectives alone, one or more an iteration",
              .fields = collective_fields,
              .size = sizeof(CollectiveParams) },
    .build = collective_build,
};
