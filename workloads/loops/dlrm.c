/*
 * dlrm.c - recommendation model: tables are divided among NPUs, MLPs are
 * replicated
 *
 * The default loop, in the order of the main stream [ASTRASIM]:
 *
 *     lookup -> forward all-to-all, issued immediately
 *     bottom MLP
 *     interaction and top MLP, the first of which waits for the all-to-all
 *     top MLP backward -> backward all-to-all, after the input gradient of the
 *                         first top layer (and of the interaction)
 *     bottom MLP backward
 *     update of the tables, waits for the backward all-to-all
 *
 * MLP layers are data-parallel: see data_parallel.c.  All-to-alls have the
 * highest priority and are not part of an exchange.  If an exchange makes an
 * operation wait for all gradients of the previous iteration, that operation is
 * the lookup.  A single all-reduce of all gradients comes after the update.
 *
 * The optimised loop [ISCA21, recalled] takes lookup and update off the
 * critical path.  Concurrently with iteration i, the side stream updates the
 * tables with the gradients of iteration i - 1 and then looks up the vectors
 * for iteration i + 1. Therefore the lookup does not see the update of
 * iteration i, the first iteration finds its vectors already looked up, and
 * each iteration has the same work.  In this loop, the first layer of the
 * bottom MLP waits for all gradients.
 *
 * Each all-to-all carries batch * tables * dimension values of the training
 * precision, independent of the number of NPUs: an NPU looks up n * batch
 * samples in 1/n of the tables.
 *
 * The optimiser's step of the MLPs is the same as in data_parallel.c.  The
 * update of the tables may have a measured time; otherwise it is the sparse
 * update of layers/embedding.c.
 */
#include "sim/config/config_node.h"
#include "workloads/layer_impl.h"
#include "workloads/loop_impl.h"
#include "workloads/measured_times_check.h"

#include <inttypes.h>

typedef struct {
    uint64_t n_tables, dimension, lookups;
    uint64_t lookup_ps, update_ps;
} Tables;

typedef struct {
    WorkloadCommon common;
    uint64_t batch;
    MeasuredOn measured_on;
    Tables tables;
    /* How features are combined, a value of enum InteractionForm. */
    int interaction;
    gboolean first_input_gradient;
    /* Layers of the bottom and of the top MLP; the elements are
     * LinearParams. */
    ConfigList bottom, top;
} DlrmParams;

static const ConfigField tables_fields[] = {
    LAYER_COUNT_FIELD(Tables, n_tables, "tables", NULL,
                      "embedding tables of the whole platform"),
    LAYER_COUNT_FIELD(Tables, dimension, "dimension", NULL, "values of a row"),
    LAYER_COUNT_FIELD(Tables, lookups, "lookups", NULL,
                      "rows that one sample takes from each table"),
    { .key = "lookup_time",
      .help = "measured on the whole NPU; 0 ns: from the roofline",
      .type = CONFIG_TIME,
      .offset = offsetof(Tables, lookup_ps),
      .max = LAYER_MAX_PS,
      .fallback = "0 ns" },
    { .key = "update_time",
      .help = "measured on the whole NPU; 0 ns: from the roofline",
      .type = CONFIG_TIME,
      .offset = offsetof(Tables, update_ps),
      .max = LAYER_MAX_PS,
      .fallback = "0 ns" },
    CONFIG_END,
};

static const ConfigField mlp_item = {
    .key = "layer",
    .help = "one fully-connected layer",
    .type = CONFIG_SECTION,
    .fields = linear_fields,
};

static const ConfigField dlrm_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(DlrmParams, common.name) },
    LOOP_OPTIMISER_FIELD(DlrmParams),
    { .key = "batch",
      .help = "samples of one NPU in one iteration",
      .type = CONFIG_COUNT,
      .offset = offsetof(DlrmParams, batch),
      .min = 1,
      .max = LOOP_MAX_BATCH },
    MEASURED_ON_FIELD(DlrmParams),
    { .key = "embedding",
      .help = "the tables, divided among the NPUs",
      .type = CONFIG_SECTION,
      .offset = offsetof(DlrmParams, tables),
      .fields = tables_fields },
    { .key = "interaction",
      .help = "how dense and looked-up vectors are joined",
      .source = "ASTRASIM",
      .type = CONFIG_ENUM,
      .offset = offsetof(DlrmParams, interaction),
      .names = interaction_forms,
      .fallback = "in-place" },
    { .key = "first_input_gradient",
      .help = "whether the first bottom layer's input gradient is computed",
      .source = "assumed",
      .type = CONFIG_BOOL,
      .offset = offsetof(DlrmParams, first_input_gradient),
      .fallback = "false" },
    { .key = "bottom",
      .help = "MLP of the dense features; ends with the tables' dimension",
      .type = CONFIG_LIST,
      .offset = offsetof(DlrmParams, bottom),
      .min = 1,
      .max = LOOP_MAX_LAYERS,
      .item = &mlp_item,
      .item_size = sizeof(LinearParams) },
    { .key = "top",
      .help = "MLP behind the interaction; starts with its width",
      .type = CONFIG_LIST,
      .offset = offsetof(DlrmParams, top),
      .min = 1,
      .max = LOOP_MAX_LAYERS,
      .item = &mlp_item,
      .item_size = sizeof(LinearParams) },
    CONFIG_END,
};

/* The graph under construction.  Layers are embedding, bottom, interaction,
 * top. */
typedef struct {
    Loop loop;
    const DlrmParams *params; /* borrowed */
    guint interaction;        /* index of the interaction among the layers */
    uint64_t payload_bytes;
} Dlrm;

/* Returns item @i of the list at @key, for error messages. */
static const ConfigNode *config_list_item_node(const ConfigNode *map,
                                               const char *key, guint i)
{
    for (guint k = 0; k < config_node_count(map); k++) {
        const ConfigNode *list = config_node_value(map, k);

        if (g_strcmp0(config_node_text(config_node_key(map, k)), key) == 0 &&
            i < config_node_count(list))
            return config_node_value(list, i);
    }
    return map;
}

/* Adds an MLP. Its first layer must take *@width values (0: any). Sets *@width
 * to the output of the last layer. */
static gboolean add_mlp_layers(Loop *loop, const ConfigNode *map,
                               const char *key, const ConfigList *list,
                               uint64_t *width, GError **error)
{
    for (guint i = 0; i < list->n; i++) {
        const LinearParams *params = &((const LinearParams *)list->items)[i];
        ConfigVariant layer = { .kind = &layer_linear.base,
                                .params = params,
                                .node = config_list_item_node(map, key, i) };

        if (*width != 0 && params->in != *width) {
            config_set_error(error, layer.node, CONFIG_ERROR_CONFLICT,
                             "in: %" PRIu64 ", but what stands before it gives "
                             "%" PRIu64 " values",
                             params->in, *width);
            return FALSE;
        }
        if (!loop_add_layer(loop, &layer, error))
            return FALSE;
        *width = params->out;
    }
    return TRUE;
}

static gboolean add_embedding_layer(Dlrm *dlrm, const ConfigNode *map,
                                    GError **error)
{
    const Tables *tables = &dlrm->params->tables;
    EmbeddingParams params = {
        .common = { .name = "embedding",
                    .repeat = 1,
                    .forward_ps = tables->lookup_ps,
                    .weight_gradient_ps = tables->update_ps },
        /* One row is enough: only a dense gradient would depend on the number
         * of rows. */
        .rows = 1,
        .dimension = tables->dimension,
        .n_tables = tables->n_tables,
        .positions = 1,
        .lookups = tables->lookups,
        .gradient = EMBEDDING_NONE,
    };

    return loop_add_layer(&dlrm->loop,
                          &(ConfigVariant){ .kind = &layer_embedding.base,
                                            .params = &params,
                                            .node = map },
                          error);
}

static gboolean add_interaction_layer(Dlrm *dlrm, const ConfigNode *map,
                                      uint64_t *ret_width, GError **error)
{
    InteractionParams params = {
        .common = { .name = "interaction", .repeat = 1 },
        .form = dlrm->params->interaction,
        .n_vectors = dlrm->params->tables.n_tables + 1,
        .dimension = dlrm->params->tables.dimension,
    };

    *ret_width = interaction_width(&params);
    dlrm->interaction = dlrm->loop.layers->len;
    return loop_add_layer(&dlrm->loop,
                          &(ConfigVariant){ .kind = &layer_interaction.base,
                                            .params = &params,
                                            .node = map },
                          error);
}

static gboolean add_dlrm_layers(Dlrm *dlrm, const ConfigNode *map,
                                GError **error)
{
    const DlrmParams *params = dlrm->params;
    uint64_t width = 0;

    if (!add_embedding_layer(dlrm, map, error) ||
        !add_mlp_layers(&dlrm->loop, map, "bottom", &params->bottom, &width,
                        error))
        return FALSE;
    if (width != params->tables.dimension) {
        config_set_error(
            error, config_list_item_node(map, "bottom", params->bottom.n - 1),
            CONFIG_ERROR_CONFLICT,
            "out: %" PRIu64 ", but the tables' dimension is "
            "%" PRIu64,
            width, params->tables.dimension);
        return FALSE;
    }
    return add_interaction_layer(dlrm, map, &width, error) &&
           add_mlp_layers(&dlrm->loop, map, "top", &params->top, &width, error);
}

static uint32_t add_embedding_table_kernel(Dlrm *dlrm, OpPass pass,
                                           const OpWork *work)
{
    return dlrm->loop.training->optimised
               ? op_graph_add_compute(dlrm->loop.graph, 0, pass, OP_STREAM_SIDE,
                                      work)
               : loop_add_kernel(&dlrm->loop, 0, pass, work);
}

static uint32_t add_table_update(Dlrm *dlrm)
{
    return add_embedding_table_kernel(
        dlrm, OP_UPDATE,
        &loop_layer(&dlrm->loop, 0)->cost.pass[OP_WEIGHT_GRADIENT][0]);
}

static uint32_t add_table_lookup(Dlrm *dlrm)
{
    return add_embedding_table_kernel(
        dlrm, OP_FORWARD,
        &loop_layer(&dlrm->loop, 0)->cost.pass[OP_FORWARD][0]);
}

static uint32_t add_table_all_to_all(Dlrm *dlrm, OpPass pass, uint32_t after)
{
    uint32_t op =
        op_graph_add_collective(dlrm->loop.graph, 0, pass, COLL_ALL_TO_ALL,
                                dlrm->payload_bytes, LOOP_TOP_PRIORITY);

    op_graph_add_dep(dlrm->loop.graph, op, after, 0);
    return op;
}

/* Adds the forward passes of the MLPs.  @vectors is the operation that provides
 * the vectors, @back iterations earlier. */
static void add_mlp_forward(Dlrm *dlrm, uint32_t vectors, uint32_t back)
{
    Loop *loop = &dlrm->loop;
    guint join = dlrm->interaction;

    for (guint i = 1; i < loop->layers->len; i++)
        loop_add_forward(loop, loop_layer(loop, i));
    while (!loop_layer(loop, join)->has_forward)
        /* The search ends at the top MLP at the latest, as it has weights. */
        join++;
    op_graph_add_dep(loop->graph, loop_layer(loop, join)->forward, vectors,
                     back);
}

/* Adds the backward passes of the MLPs; returns the all-to-all. */
static uint32_t add_mlp_backward(Dlrm *dlrm)
{
    Loop *loop = &dlrm->loop;
    uint32_t returned = 0;

    for (guint i = loop->layers->len; i-- > 1;) {
        loop_add_backward(loop, loop_layer(loop, i), BACKWARD_WEIGHT_FIRST,
                          i > 1 || dlrm->params->first_input_gradient);
        if (i == dlrm->interaction)
            returned = add_table_all_to_all(dlrm, OP_INPUT_GRADIENT,
                                            loop->graph->ops->len - 1);
    }
    return returned;
}

static void add_default_loop(Dlrm *dlrm)
{
    OpGraph *graph = dlrm->loop.graph;
    uint32_t lookup = add_table_lookup(dlrm);
    uint32_t vectors = add_table_all_to_all(dlrm, OP_FORWARD, lookup);
    uint32_t returned, update;

    dlrm->loop.first = lookup;
    input_add_consumer(&dlrm->loop.input, graph, lookup, 0);
    add_mlp_forward(dlrm, vectors, 0);
    returned = add_mlp_backward(dlrm);
    update = add_table_update(dlrm);
    op_graph_add_dep(graph, update, returned, 0);
}

static void add_optimised_loop(Dlrm *dlrm)
{
    OpGraph *graph = dlrm->loop.graph;
    uint32_t update = add_table_update(dlrm);
    uint32_t lookup = add_table_lookup(dlrm);
    uint32_t vectors = add_table_all_to_all(dlrm, OP_FORWARD, lookup);
    uint32_t returned;

    add_mlp_forward(dlrm, vectors, 1);
    dlrm->loop.first = loop_layer(&dlrm->loop, 1)->first;
    /* The lookup is for the next iteration, so the MLPs use the samples of the
     * previous lookup. */
    input_add_consumer(&dlrm->loop.input, graph, lookup, 0);
    input_add_consumer(&dlrm->loop.input, graph,
                       loop_layer(&dlrm->loop, 1)->forward, 1);
    returned = add_mlp_backward(dlrm);
    op_graph_add_dep(graph, update, returned, 1);
}

static gboolean check_table_times(const Loop *loop,
                                  const ConfigVariant *workload, GError **error)
{
    const DlrmParams *params = workload->params;

    if (loop->training->compute != COMPUTE_MEASURED) {
        measured_times_note_if_unused(workload, loop->graph);
        return TRUE;
    }
    return measured_times_check(&params->measured_on, workload, params->batch,
                                loop->training->precision, loop->has_times,
                                FALSE, loop->graph, error);
}

static gboolean dlrm_build(const ConfigVariant *workload,
                           const TrainingConfig *training,
                           const WorkloadSite *site, OpGraph *graph,
                           GError **error)
{
    const DlrmParams *params = workload->params;
    Dlrm dlrm = { .params = params };
    gboolean ok;

    ok = loop_init(&dlrm.loop, graph, training, &params->common, params->batch,
                   site, error);
    dlrm.payload_bytes = LAYER_PRODUCT(params->batch, params->tables.n_tables,
                                       params->tables.dimension,
                                       precision_bytes(training->precision));
    dlrm.loop.measured_on = params->measured_on;
    dlrm.loop.n_samples = params->batch;
    ok = ok && add_dlrm_layers(&dlrm, workload->node, error) &&
         check_table_times(&dlrm.loop, workload, error) &&
         loop_add_input(&dlrm.loop, error);
    if (ok && training->optimised)
        add_optimised_loop(&dlrm);
    else if (ok)
        add_default_loop(&dlrm);
    ok = ok && loop_add_exchange(&dlrm.loop, error);
    loop_clear(&dlrm.loop);
    return ok;
}

const LoopOps loop_dlrm = {
    .base = { .name = "dlrm",
              .summary = "tables divided among NPUs: two all-to-alls; MLPs "
                         "data-parallel",
              .fields = dlrm_fields,
              .size = sizeof(DlrmParams) },
    .build = dlrm_build,
    .has_gradients = TRUE,
};
