/* workload.c - the section `training`, and the table of loops */
#include "workloads/workload.h"

#include "workloads/exchange/exchange.h"
#include "workloads/optimiser.h"

static const char *const layout_names[] = { "auto", "nchw", "nhwc", NULL };
static const char *const compute_names[] = { "roofline", "measured", NULL };
static const char *const synchronise_names[] = { "layer", "step", NULL };
static const char *const communication_names[] = { "simulated", "recorded",
                                                   NULL };
static const char *const memory_names[] = { "checked", "ignored", NULL };
const char *const precision_names[] = { "fp16", "bf16", "fp32", NULL };
const char *const product_precision_names[] = {
    "training", "fp16", "bf16", "fp32", "fp8", "mxfp8", "nvfp4", NULL,
};

const ConfigField training_fields[] = {
    { .key = "iterations",
      .help = "iterations that are simulated",
      .source = "ISCA21, recalled",
      .type = CONFIG_COUNT,
      .offset = offsetof(TrainingConfig, n_iterations),
      .min = 1,
      .max = 1000000,
      .fallback = "2" },
    { .key = "drain",
      .help = "whether the run ends with the last iteration's collectives",
      .source = "ASTRASIM",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, drain),
      .fallback = "true" },
    { .key = "overlap",
      .help = "false: all gradients as one all-reduce after back-propagation",
      .source = "ISCA21, recalled",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, overlap),
      .fallback = "true" },
    { .key = "optimised",
      .help = "whether loops with an optimised form use it",
      .source = "ISCA21, recalled",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, optimised),
      .fallback = "false" },
    { .key = "elementwise",
      .help = "whether normalisation, activation and softmax kernels count",
      .source = "assumed",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, elementwise),
      .fallback = "true" },
    { .key = "fused",
      .help = "false: normalisation, bias, ReLU and addition after a "
              "convolution are separate kernels",
      .source = "assumed: vendors' libraries offer it",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, fused),
      .fallback = "true" },
    { .key = "kernel_search",
      .help = "whether a framework looks for the fastest kernel of each "
              "convolution; false: none has Winograd's transforms",
      .source = "assumed: cudnn.benchmark and the like are on",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, kernel_search),
      .fallback = "true" },
    { .key = "layout",
      .help = "layout of images; a convolution whose kernels read the other "
              "layout transposes its input and output (fp32 kernels read "
              "nchw, fp16 and bf16 nhwc)",
      .source = "assumed: nothing is transposed",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, layout),
      .names = layout_names,
      .fallback = "auto" },
    { .key = "compute",
      .help = "roofline: times from shapes alone; measured: as given in the "
              "workload",
      .source = "assumed",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, compute),
      .names = compute_names,
      .fallback = "roofline" },
    { .key = "precision",
      .help = "of activations and weights",
      .source = "ISCA21, recalled",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, precision),
      .names = precision_names,
      .mistaken_key = "products",
      .mistaken_names = product_precision_names,
      .fallback = "fp16" },
    { .key = "products",
      .help = "precision of the products with weights of a transformer's "
              "layers; training: that of `precision`",
      .source = "assumed: nothing is quantised",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, products),
      .names = product_precision_names,
      .fallback = "training" },
    { .key = "gradient",
      .help = "precision of the gradients that are reduced",
      .source = "ISCA21, recalled",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, gradient),
      .names = precision_names,
      .fallback = "fp16" },
    { .key = "optimiser",
      .help = "whose step counts; auto: the workload's under `roofline`, none "
              "under `measured`",
      .source = "ISCA21, recalled: its totals have none",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, optimiser),
      .names = optimiser_names,
      .fallback = "auto" },
    { .key = "master_copies",
      .help = "whether the optimiser keeps weights of 16 bits in FP32, too",
      .source = "assumed: as mixed precision is trained",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, master_copies),
      .fallback = "true" },
    { .key = "micro_batches",
      .help = "of an iteration, one after the other; their gradients are "
              "summed before they are sent",
      .source = "assumed: all samples together",
      .type = CONFIG_COUNT,
      .offset = offsetof(TrainingConfig, n_micro_batches),
      .min = 1,
      .max = LOOP_MAX_MICRO_BATCHES,
      .fallback = "1" },
    { .key = "recompute",
      .help = "whether forward passes are made once more before backward ones, "
              "so that less has to be kept",
      .source = "assumed: what was calculated is kept",
      .type = CONFIG_BOOL,
      .offset = offsetof(TrainingConfig, recompute),
      .fallback = "false" },
    { .key = "synchronise",
      .help = "layer: a layer waits for its own gradients alone; step: an "
              "iteration waits for all gradients of the one before",
      .source = "ISCA21, recalled",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, synchronise),
      .names = synchronise_names,
      .fallback = "layer" },
    { .key = "host_per_tensor",
      .help = "of the host for each tensor of weights, once all gradients are "
              "summed: a framework that waits for, converts and updates one "
              "after the other; the next forward pass follows",
      .source = "assumed: hidden",
      .type = CONFIG_TIME,
      .offset = offsetof(TrainingConfig, host_per_tensor_ps),
      .max = LOOP_MAX_HOST_PER_TENSOR_PS,
      .fallback = "0 ns" },
    { .key = "communication",
      .help = "of a program whose collectives and messages have a `time`: "
              "simulated, or each in its time once all are there",
      .source = "assumed: what a simulator is for",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, communication),
      .names = communication_names,
      .fallback = "simulated" },
    { .key = "memory",
      .help = "checked: a run whose ranks need more than "
              "platform.npu.hbm.capacity is refused; ignored: it is noted",
      .source = "assumed: what does not fit does not run",
      .type = CONFIG_ENUM,
      .offset = offsetof(TrainingConfig, memory),
      .names = memory_names,
      .fallback = "checked" },
    { .key = "gaps",
      .help = "how much of a program's `gap`s is waited",
      .source = "as recorded",
      .type = CONFIG_FRACTION,
      .offset = offsetof(TrainingConfig, gaps_ppm),
      .max = UINT64_C(100000000),
      .fallback = "100 %" },
    { .key = "exchange",
      .help = "as which messages, and in which order, gradients are summed",
      .source = "ASTRASIM",
      .type = CONFIG_KIND,
      .offset = offsetof(TrainingConfig, exchange),
      .registry = &exchange_registry,
      .fallback = "{kind: layer}" },
    { .key = "input",
      .help = "reading, decoding and copying samples; a stage takes time only "
              "if its keys are given",
      .source = "ISCA21, recalled",
      .type = CONFIG_SECTION,
      .offset = offsetof(TrainingConfig, input),
      .node_offset = offsetof(TrainingConfig, input.node),
      .fields = input_fields,
      .fallback = "{}" },
    CONFIG_END,
};

/* To add a loop, add a file in loops/ and a line with its LoopOps here. */
/* clang-format off */
#define LOOPS(Add)            \
    Add(loop_data_parallel)   \
    Add(loop_dlrm)            \
    Add(loop_collective)      \
    Add(loop_beside)          \
    Add(loop_program)         \
    Add(loop_jobs)            \
    Add(loop_trace) \
    Add(loop_transformer)
/* clang-format on */

#define DECLARE(Loop) extern const LoopOps Loop;
#define KIND(Loop)    &Loop.base,

LOOPS(DECLARE)

static const ConfigKind *const workload_kinds[] = { LOOPS(KIND) NULL };

const ConfigRegistry workload_registry = { .noun = "workload",
                                           .kinds = workload_kinds };

const char *workload_name(const ConfigVariant *workload)
{
    const WorkloadCommon *common = workload->params;

    return common->name;
}

uint64_t precision_bytes(int precision)
{
    static const uint64_t bytes[] = {
        [PRECISION_FP16] = 2, [PRECISION_BF16] = 2,  [PRECISION_FP32] = 4,
        [PRECISION_FP8] = 1,  [PRECISION_MXFP8] = 1, [PRECISION_NVFP4] = 1,
    };

    g_assert(precision >= 0 && precision < (int)G_N_ELEMENTS(bytes));
    return bytes[precision];
}

void workload_append_inputs(const ConfigVariant *workload, GString *out)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;

    if (ops->append_inputs)
        ops->append_inputs(workload, out);
}

/* Rejects training settings about gradients and input for a workload that
 * describes its own communication. */
static gboolean check_without_gradients(const ConfigVariant *workload,
                                        const TrainingConfig *training,
                                        GError **error)
{
    const char *name = workload->kind->name;

    if (!exchange_is_default(&training->exchange))
        config_set_error(error, training->exchange.node, CONFIG_ERROR_CONFLICT,
                         "kind: a workload of kind '%s' has no gradients to "
                         "exchange; leave 'training.exchange' out",
                         name);
    else if (training->synchronise != SYNCHRONISE_LAYER)
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "kind: '%s' has no gradients that an iteration could "
                         "wait for; leave 'training.synchronise' out",
                         name);
    else if (training->host_per_tensor_ps > 0)
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "kind: '%s' has no work of the host on tensors; leave "
                         "'training.host_per_tensor' out",
                         name);
    else if (!input_is_default(&training->input))
        config_set_error(error, training->input.node, CONFIG_ERROR_CONFLICT,
                         "a workload of kind '%s' has no forward pass that "
                         "could wait for samples; leave 'training.input' out",
                         name);
    else
        return TRUE;
    return FALSE;
}

/* Returns FALSE if a collective has no recorded time although `communication`
 * is `recorded`. */
static gboolean check_recorded_communication(const ConfigVariant *workload,
                                             const OpGraph *graph,
                                             GError **error)
{
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        g_autoptr(GString) name = NULL;

        if (op->type != OP_COLLECTIVE || op->is_recorded || op->is_buffer)
            continue;
        name = g_string_new(NULL);
        op_graph_append_op_name(graph, i, name);
        config_set_error(error, op->node ? op->node : workload->node,
                         CONFIG_ERROR_CONFLICT,
                         "'training.communication' is recorded, and %s has no "
                         "'time' that was",
                         name->str);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_micro_batches(const ConfigVariant *workload,
                                    const TrainingConfig *training,
                                    GError **error)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;

    if (ops->has_micro_batches ||
        (training->n_micro_batches == 1 && !training->recompute))
        return TRUE;
    if (ops->plans)
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "kind: 'training.%s' is for other workloads; '%s' "
                         "takes 'workload.%s'",
                         training->recompute ? "recompute" : "micro_batches",
                         workload->kind->name,
                         training->recompute ? "recompute" : "batch.micro");
    else
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "kind: '%s' has no micro-batches and calculates "
                         "nothing twice; leave 'training.%s' out",
                         workload->kind->name,
                         training->recompute ? "recompute" : "micro_batches");
    return FALSE;
}

gboolean workload_write_flat(const ConfigVariant *workload,
                             const TrainingConfig *training,
                             const WorkloadSite *site, GString *out,
                             GError **error)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;

    if (ops->write_flat)
        return ops->write_flat(workload, training, site, out, error);
    config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                     "workload: a workload of kind '%s' has no segments that "
                     "could be written out",
                     workload->kind->name);
    return FALSE;
}

/* ---- memory -------------------------------------------------------------- */

/* Builds the workload with @changed and offers it as @text. */
static gboolean offer_training_changes(const ConfigVariant *workload,
                                       const TrainingConfig *changed,
                                       const WorkloadSite *site,
                                       MemoryChanges *changes, const char *text)
{
    WorkloadSite unlimited = *site;
    g_autoptr(OpGraph) graph = NULL;

    unlimited.memory_bytes = 0;
    graph = workload_build(workload, changed, &unlimited, NULL);
    return graph && graph->memory->len > 0 &&
           memory_changes_add_offer(
               changes,
               rank_memory_sum(&rank_memory_fullest(graph->memory)->peak),
               text);
}

/* Offers the least power of two of micro-batches that fits. */
static gboolean offer_other_micro_batches(const ConfigVariant *workload,
                                          TrainingConfig changed,
                                          const WorkloadSite *site,
                                          MemoryChanges *changes)
{
    for (changed.n_micro_batches *= 2;
         changed.n_micro_batches <= LOOP_MAX_MICRO_BATCHES;
         changed.n_micro_batches *= 2) {
        g_autofree char *text = g_strdup_printf(
            "training.micro_batches: %" G_GUINT64_FORMAT "%s",
            changed.n_micro_batches,
            changed.recompute ? " with training.recompute: true" : "");

        if (offer_training_changes(workload, &changed, site, changes, text))
            return TRUE;
    }
    return FALSE;
}

/* Tries the changes of `training` that need less memory. */
static void try_training_changes(const ConfigVariant *workload,
                                 const TrainingConfig *training,
                                 const WorkloadSite *site,
                                 MemoryChanges *changes)
{
    TrainingConfig changed = *training;
    gboolean fits = offer_other_micro_batches(workload, changed, site, changes);

    if (training->recompute)
        return;
    changed.recompute = TRUE;
    if (!offer_training_changes(workload, &changed, site, changes,
                                "training.recompute: true") &&
        !fits)
        offer_other_micro_batches(workload, changed, site, changes);
}

typedef struct {
    const ConfigVariant *workload;
    const TrainingConfig *training;
    const WorkloadSite *site;
} RefusedWorkload;

/* Implements MemoryTryFn; @self is a RefusedWorkload. */
static void try_memory_changes(gconstpointer self, MemoryChanges *changes)
{
    const RefusedWorkload *workload = self;
    const LoopOps *ops = (const LoopOps *)workload->workload->kind;

    if (ops->try_memory_changes)
        ops->try_memory_changes(workload->workload, workload->training,
                                workload->site, changes);
    else if (ops->has_micro_batches)
        try_training_changes(workload->workload, workload->training,
                             workload->site, changes);
}

static gboolean check_memory_fits(const ConfigVariant *workload,
                                  const TrainingConfig *training,
                                  const WorkloadSite *site, OpGraph *graph,
                                  GError **error)
{
    const MemoryTraining kept = {
        .weight_bytes = precision_bytes(training->precision),
        .gradient_bytes = precision_bytes(training->gradient),
        .master_copies = training->master_copies,
        .n_micro_batches = training->n_micro_batches,
        .recompute = training->recompute,
    };
    const RefusedWorkload refused = { workload, training, site };
    uint64_t capacity_bytes = site ? site->memory_bytes : 0;
    g_autofree char *excess = NULL;

    memory_estimate_of_roles(graph, &kept);
    excess = memory_describe_excess(graph, capacity_bytes);
    if (!excess)
        return TRUE;
    if (training->memory == MEMORY_IGNORED) {
        op_graph_add_note(graph, "%s: training.memory ignores it", excess);
        return TRUE;
    }
    memory_set_excess_error(excess, capacity_bytes, workload->node,
                            try_memory_changes, &refused, error);
    return FALSE;
}

gboolean workload_list_memory(const ConfigVariant *workload,
                              const TrainingConfig *training,
                              const WorkloadSite *site, const OpGraph *graph,
                              GArray *ret, GError **error)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;

    if (ops->list_memory)
        return ops->list_memory(workload, training, site, ret, error);
    g_array_append_vals(ret, graph->memory->data, graph->memory->len);
    return TRUE;
}

gboolean workload_add_to_graph(const ConfigVariant *workload,
                               const TrainingConfig *training,
                               const WorkloadSite *site, OpGraph *graph,
                               GError **error)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;

    if (!ops->build(workload, training, site, graph, error))
        return FALSE;
    op_graph_check(graph);
    /* The graph of several jobs consists of graphs that were checked. */
    return graph->jobs->len > 0 ||
           check_memory_fits(workload, training, site, graph, error);
}

OpGraph *workload_build(const ConfigVariant *workload,
                        const TrainingConfig *training,
                        const WorkloadSite *site, GError **error)
{
    const LoopOps *ops = (const LoopOps *)workload->kind;
    g_autoptr(OpGraph) graph = op_graph_new();

    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (!ops->has_gradients &&
        !check_without_gradients(workload, training, error))
        return NULL;
    if (!check_micro_batches(workload, training, error))
        return NULL;
    if (!workload_add_to_graph(workload, training, site, graph, error))
        return NULL;
    if (training->communication == COMMUNICATION_RECORDED &&
        !check_recorded_communication(workload, graph, error))
        return NULL;
    return g_steal_pointer(&graph);
}
