/*
 * transformer.c - a training step of a language model
 *
 * The ranks are a mesh of tensor, context, data and pipeline parallelism.  The
 * layers are divided among virtual stages, as evenly as possible; where they do
 * not divide, the last and then the first stage have a layer less, since they
 * have the head and the embedding.  A pipeline schedule runs the micro-batches;
 * then the sharding sums the gradients and makes the optimiser's step.
 *
 * Virtual stages with the same layers share their segments.
 */
#include "workloads/loops/transformer_impl.h"
#include "workloads/memory_check.h"
#include "workloads/programs/program_build.h"
#include "workloads/sharding/segment_shards.h"
#include "workloads/transformer/memory.h"
#include "workloads/transformer/model_totals.h"
#include "workloads/transformer/modules/modules.h"
#include "workloads/transformer/transformer_check.h"

static const char *const attention_names[] = { "fused", "unfused", NULL };

const char *const cp_exchange_names[] = {
    [CP_ALL_GATHER] = "all-gather",
    [CP_RING] = "ring",
    NULL,
};

static const ConfigField batch_fields[] = {
    { .key = "global",
      .help = "sequences of an iteration, over all ranks",
      .type = CONFIG_COUNT,
      .offset = offsetof(BatchConfig, global),
      .min = 1,
      .max = LOOP_MAX_BATCH },
    { .key = "micro",
      .help = "sequences that a rank works on at a time",
      .type = CONFIG_COUNT,
      .offset = offsetof(BatchConfig, micro),
      .min = 1,
      .max = LOOP_MAX_BATCH,
      .fallback = "1",
      .source = "the least" },
    CONFIG_END,
};

static const ConfigField parallel_fields[] = {
    MESH_FIELDS(ParallelConfig, mesh.),
    { .key = "sequence",
      .help = "whether values between the parts of a layer are divided by "
              "tokens among the ranks of tp",
      .type = CONFIG_BOOL,
      .offset = offsetof(ParallelConfig, divides_sequence),
      .fallback = "true",
      .source = "as Megatron-LM recommends" },
    { .key = "tp_pieces",
      .help = "pieces of products that collectives of tp go on beside, with "
              "`sequence`; 1: none",
      .type = CONFIG_COUNT,
      .offset = offsetof(ParallelConfig, n_pieces),
      .min = 1,
      .max = 64,
      .fallback = "1",
      .source = "as Megatron-LM without tp_comm_overlap" },
    { .key = "cp_exchange",
      .help = "how ranks of cp get keys and values: all at once before "
              "attention, or block by block round a ring beside it",
      .type = CONFIG_ENUM,
      .offset = offsetof(ParallelConfig, cp_exchange),
      .names = cp_exchange_names,
      .fallback = "all-gather",
      .source = "LLAMA3" },
    { .key = "ep_copies",
      .help = "copies of a token that a dispatch sends and a combination "
              "returns; auto: one for each expert of the token; fewer where "
              "a library sends it once to a node: the nodes that it reaches",
      .type = CONFIG_COUNT,
      .offset = offsetof(ParallelConfig, n_copies),
      .min = 1,
      .max = 1000000,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "as NCCL's all-to-all" },
    CONFIG_END,
};

#define HOST_TIME(Key, member, Help)                                           \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_TIME,                     \
        .offset = offsetof(TransformerHost, member),                           \
        .max = UINT64_C(1000000000000000), .fallback = "0 ns",                 \
        .source = "assumed: CUDA graphs, nothing to launch"                    \
    }

static const ConfigField host_fields[] = {
    HOST_TIME("forward", forward_ps,
              "time in which the host launches the forward pass of a layer"),
    HOST_TIME("backward", backward_ps,
              "time in which it launches the backward pass of a layer"),
    HOST_TIME("step", step_ps, "time of the host after each step"),
    { .key = "synchronises",
      .help = "whether the host waits for each unit and its message, instead "
              "of running ahead",
      .type = CONFIG_BOOL,
      .offset = offsetof(TransformerHost, synchronises),
      .fallback = "false",
      .source = "kernels and messages are launched asynchronously" },
    CONFIG_END,
};

static const ConfigField transformer_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(TransformerParams, common.name),
      .fallback = "transformer",
      .source = "a name for it" },
    LOOP_OPTIMISER_FIELD(TransformerParams),
    { .key = "model",
      .help = "its shape, or a file of configs/models",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, model),
      .fields = language_model_fields,
      .node_offset = offsetof(TransformerParams, model.node) },
    { .key = "sequence",
      .help = "tokens of a sequence",
      .type = CONFIG_COUNT,
      .offset = offsetof(TransformerParams, sequence),
      .min = 1,
      .max = UINT64_C(100000000) },
    { .key = "documents",
      .help = "lengths of the documents that a sequence is packed from",
      .type = CONFIG_LIST,
      .offset = offsetof(TransformerParams, documents),
      .item = &packed_document_item,
      .item_size = sizeof(PackedDocument),
      .max = 1000,
      .fallback = "[]",
      .source = "one as long as the sequence" },
    { .key = "expert_load",
      .help = "how the chosen tokens are divided among the experts",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, load),
      .fields = expert_load_fields,
      .node_offset = offsetof(TransformerParams, load.node),
      .fallback = "{}",
      .source = "even" },
    { .key = "experts",
      .help = "how tokens travel to their experts and back",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, exchange),
      .fields = expert_exchange_fields,
      .node_offset = offsetof(TransformerParams, exchange.node),
      .fallback = "{}" },
    { .key = "batch",
      .help = "sequences",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, batch),
      .fields = batch_fields,
      .node_offset = offsetof(TransformerParams, batch.node) },
    { .key = "parallel",
      .help = "how the model is divided among the NPUs",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, parallel),
      .fields = parallel_fields,
      .node_offset = offsetof(TransformerParams, parallel.mesh.node),
      .fallback = "{}",
      .source = "data parallel" },
    { .key = "schedule",
      .help = "the order of the micro-batches in the pipeline",
      .type = CONFIG_KIND,
      .offset = offsetof(TransformerParams, schedule),
      .registry = &schedule_registry,
      .fallback = "{kind: 1f1b}",
      .source = "1f1b" },
    { .key = "shard",
      .help = "how gradients and optimiser lie on the data-parallel ranks",
      .type = CONFIG_KIND,
      .offset = offsetof(TransformerParams, shard),
      .registry = &sharding_registry,
      .fallback = "{kind: zero-1}",
      .source = "as large models are trained" },
    { .key = "recompute",
      .help = "what the backward pass calculates again instead of keeping it: "
              "none, selective, full, or a list of modules of a layer and of "
              "scores, norms, latent, activations, shared_experts",
      .type = CONFIG_LIST,
      .offset = offsetof(TransformerParams, recompute),
      .item = &recompute_item,
      .item_size = sizeof(int),
      .min = 1,
      .max = 16,
      .may_be_item = TRUE,
      .fallback = "selective",
      .source = "as attention without scores in memory does" },
    { .key = "attention",
      .help = "fused: scores stay on chip; unfused: they are written to memory",
      .type = CONFIG_ENUM,
      .offset = offsetof(TransformerParams, attention),
      .names = attention_names,
      .fallback = "fused",
      .source = "FLASH2" },
    { .key = "elementwise",
      .help = "bytes of norms, activations, softmax, dropout and casts, of "
              "those that fused kernels move",
      .type = CONFIG_FRACTION,
      .offset = offsetof(TransformerParams, elementwise_ppm),
      .min = 100000,
      .max = UINT64_C(100000000),
      .fallback = "100 %",
      .source = "kernels are fused; others move 1.7 times as much: fitted" },
    { .key = "host",
      .help = "what the host takes to launch kernels, without CUDA graphs",
      .type = CONFIG_SECTION,
      .offset = offsetof(TransformerParams, host),
      .fields = host_fields,
      .fallback = "{}" },
    CONFIG_END,
};

/* ---- the plan ------------------------------------------------------------ */

typedef struct {
    const TransformerParams *params;
    const TrainingConfig *training;
    Transformer transformer;
    MeshConfig mesh_config; /* with the groups of the sharding */
    Mesh mesh;
    ExpertLoad load;
    GPtrArray *owned;       /* owned: memory of operations */
    Schedule *schedule;     /* owned */
    SegmentPlan *plan;      /* owned */
    SegmentItems *items;    /* owned */
    TransformerPart *parts; /* owned: by virtual stage */
    GHashTable *segments;   /* owned: by pass and layers: index + 1 */
    GPtrArray *marks;       /* owned: by segment: array of TransformerMark */
} Plan;

static void free_segment_marks(gpointer marks)
{
    if (marks)
        g_array_unref(marks);
}

static void clear_transformer_plan(Plan *plan)
{
    g_clear_pointer(&plan->items, segment_items_free);
    g_clear_pointer(&plan->plan, segment_plan_free);
    g_clear_pointer(&plan->schedule, schedule_free);
    g_clear_pointer(&plan->owned, g_ptr_array_unref);
    g_clear_pointer(&plan->segments, g_hash_table_unref);
    g_clear_pointer(&plan->marks, g_ptr_array_unref);
    g_free(plan->parts);
    expert_load_clear(&plan->load);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Plan, clear_transformer_plan)

/* Sets *@ret to the number of micro-batches. */
static gboolean count_micro_batches(const Plan *plan, uint32_t *ret,
                                    GError **error)
{
    const BatchConfig *batch = &plan->params->batch;
    uint64_t at_once = batch->micro * plan->mesh.sizes[MESH_DP];
    uint64_t n = batch->global / at_once;

    if (batch->global % at_once != 0 || n > SCHEDULE_MAX_MICRO_BATCHES) {
        config_set_error(error, batch->node, CONFIG_ERROR_CONFLICT,
                         "batch: %" G_GUINT64_FORMAT
                         " sequences are no whole number, up to %d, of "
                         "micro-batches of %" G_GUINT64_FORMAT
                         " on dp %u; use a multiple of %" G_GUINT64_FORMAT,
                         batch->global, SCHEDULE_MAX_MICRO_BATCHES,
                         batch->micro, plan->mesh.sizes[MESH_DP], at_once);
        return FALSE;
    }
    *ret = (uint32_t)n;
    return TRUE;
}

/* Divides the layers among the virtual stages.  The last one has the blocks of
 * multi-token prediction, too. */
static gboolean divide_layers(Plan *plan, GError **error)
{
    uint64_t n_layers = plan->transformer.model.n_layers;
    uint32_t n = plan->schedule->n_virtual_stages;
    uint64_t most = (n_layers + n - 1) / n, n_missing = most * n - n_layers;
    uint64_t layer = 0;

    if (n > n_layers) {
        config_set_error(error, plan->params->parallel.mesh.node,
                         CONFIG_ERROR_CONFLICT,
                         "parallel: %u virtual stages are more than the "
                         "%" G_GUINT64_FORMAT " layers; use a smaller pp, or "
                         "fewer chunks",
                         n, n_layers);
        return FALSE;
    }
    plan->parts = g_new0(TransformerPart, n);
    for (uint32_t v = 0; v < n; v++) {
        /* The stages that have one layer less are, in this order: the last, the
         * first, the last but one, the second, and so on.  @place is the
         * stage's position in this order. */
        uint64_t place =
            v < n / 2 ? 2 * (uint64_t)v + 1 : 2 * (uint64_t)(n - 1 - v);
        uint64_t n_own = most - (place < n_missing ? 1 : 0);

        plan->parts[v] = (TransformerPart){ .first = layer,
                                            .end = layer + n_own,
                                            .has_embedding = v == 0,
                                            .has_head = v == n - 1 };
        layer += n_own;
    }
    g_assert(layer == n_layers);
    if (plan->transformer.model.mtp_depth > 0) {
        uint32_t last = schedule_place(plan->schedule, n - 1, 0).stage;

        plan->parts[n - 1].end += plan->transformer.model.mtp_depth;
        plan->parts[n - 1].copies_embedding =
            !schedule_stage_holds(plan->schedule, last, 0);
    }
    return TRUE;
}

/* ---- segments ------------------------------------------------------------ */

/* Returns a text that is equal for virtual stages with the same operations.  If
 * collectives of the sharding run in parallel with kernels, it differs for the
 * chunks of a stage, each of which has its own first and last micro-batch. */
static char *segment_identity_of_part(const Plan *plan, UnitPass pass,
                                      const TransformerPart *part, uint32_t v)
{
    GString *text = g_string_new(unit_pass_names[pass]);

    if (plan->schedule->ops->has_two_directions)
        g_string_append_printf(text, " direction %d",
                               v < plan->schedule->n_virtual_stages / 2);
    else if (plan->transformer.sharding.overlaps)
        g_string_append_printf(text, " chunk %u",
                               schedule_place(plan->schedule, v, 0).chunk);
    g_string_append(text, part->has_embedding ? " embedding" : "");
    for (uint64_t layer = part->first; layer < part->end; layer++)
        g_string_append_printf(
            text, " %" G_GINT64_MODIFIER "x",
            modules_layer_kind(&plan->transformer.model, layer));
    g_string_append(text, part->has_head ? " head" : "");
    return g_string_free(text, FALSE);
}

static void add_pass_ops_to_segment(const Plan *plan, UnitPass pass,
                                    const TransformerPart *part,
                                    Segment *segment, GArray *marks)
{
    SegmentBuilder b = { .segment = segment,
                         .owned = plan->owned,
                         .node = plan->params->model.node };

    b.pass = pass == UNIT_FORWARD  ? OP_FORWARD
             : pass == UNIT_WEIGHT ? OP_WEIGHT_GRADIENT
                                   : OP_INPUT_GRADIENT;
    if (pass == UNIT_FORWARD)
        transformer_add_forward(&plan->transformer, part, &b, marks);
    else
        transformer_add_backward(&plan->transformer, part, pass != UNIT_WEIGHT,
                                 pass != UNIT_INPUT, &b, marks);
}

/* Adds @segment with its marks, which are NULL for an update, and returns its
 * index.  Takes ownership of all three. */
static uint32_t add_segment(Plan *plan, Segment *segment, GArray *marks,
                            char *key)
{
    g_ptr_array_add(plan->plan->segments, segment);
    g_ptr_array_add(plan->marks, marks);
    g_hash_table_insert(plan->segments, key,
                        GUINT_TO_POINTER(plan->plan->segments->len));
    return plan->plan->segments->len - 1;
}

/* Returns the index of the segment of @pass for virtual stage @v. */
static uint32_t find_segment(Plan *plan, UnitPass pass, uint32_t v)
{
    const TransformerPart *part = &plan->parts[v];
    g_autofree char *key = segment_identity_of_part(plan, pass, part, v);
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(plan->segments, key));
    Segment *segment;
    GArray *marks;

    if (found > 0)
        return found - 1;
    segment = segment_new(unit_pass_names[pass], plan->params->model.node);
    marks = g_array_new(FALSE, TRUE, sizeof(TransformerMark));
    if (pass != UNIT_WEIGHT)
        segment->passes_on_bytes =
            transformer_boundary_bytes(&plan->transformer);
    add_pass_ops_to_segment(plan, pass, part, segment, marks);
    return add_segment(plan, segment, marks, g_steal_pointer(&key));
}

/* Returns whether the schedule has units of @pass. */
static gboolean schedule_has_pass(const Schedule *schedule, UnitPass pass)
{
    for (uint32_t s = 0; s < schedule->shape.n_stages; s++)
        for (guint i = 0; i < schedule->units[s]->len; i++)
            if (g_array_index(schedule->units[s], ScheduleUnit, i).pass == pass)
                return TRUE;
    return FALSE;
}

static void add_segments_of_all_passes(Plan *plan)
{
    for (UnitPass pass = 0; pass < UNIT_N_PASSES; pass++)
        for (uint32_t v = 0; schedule_has_pass(plan->schedule, pass) &&
                             v < plan->schedule->n_virtual_stages;
             v++)
            plan->plan->segment_of[pass][v] = find_segment(plan, pass, v);
}

/* ---- the update ---------------------------------------------------------- */

static int chosen_optimiser(const Plan *plan)
{
    return plan->training->optimiser == OPTIMISER_AUTO
               ? plan->params->common.optimiser + 1
               : plan->training->optimiser;
}

/* The weights of one virtual stage that are updated, and what its passes do
 * with them. */
typedef struct {
    const GArray *groups;  /* of TransformerGroup */
    const GArray *forward; /* of TransformerMark, by group */
    /* Marks of the backward segments, by segment; of TransformerMark. */
    const GArray *backward[SHARDING_MAX_BACKWARD];
    uint32_t forward_segment;
    uint32_t segments[SHARDING_MAX_BACKWARD]; /* backward segments */
    ShardedWeights weights;                   /* without groups */
} PartUpdate;

static const GArray *program_points_of_segment(const Plan *plan,
                                               uint32_t segment)
{
    return g_ptr_array_index(plan->marks, segment);
}

/* Writes the segments that have gradients of the weights of virtual stage @v to
 * @ret, and returns their number.  dualpipe has both kinds. */
static guint list_gradient_segments(const Plan *plan, uint32_t v,
                                    uint32_t ret[SHARDING_MAX_BACKWARD])
{
    static const UnitPass passes[] = { UNIT_BACKWARD, UNIT_WEIGHT };
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(passes); i++)
        if (plan->plan->segment_of[passes[i]][v] != SEGMENT_NONE)
            ret[n++] = plan->plan->segment_of[passes[i]][v];
    return n;
}

/* Makes the first forward pass of the next iteration wait for @gathers of the
 * update of segment @update. */
static void make_next_forward_wait_for_gathers(const Plan *plan,
                                               const PartUpdate *part,
                                               uint32_t update,
                                               const GArray *gathers)
{
    Segment *forward =
        g_ptr_array_index(plan->plan->segments, part->forward_segment);

    for (guint i = 0; i < gathers->len; i++) {
        const ShardedGather *gather = &g_array_index(gathers, ShardedGather, i);
        const TransformerMark *mark =
            &g_array_index(part->forward, TransformerMark, gather->group);

        segment_add_dep(forward, mark->needed,
                        &(SegmentDep){ .kind = SEGMENT_DEP_LAST,
                                       .segment = update,
                                       .op = gather->op,
                                       .n_iterations_back = 1,
                                       .first_unit_only = TRUE });
    }
}

/* Returns the ranks that share the weights of a stage, which with two
 * directions are on two stages. */
static ShardRanks update_ranks_of_weights(const Plan *plan,
                                          gboolean is_of_experts)
{
    ShardRanks ranks =
        transformer_shard_ranks(&plan->transformer, is_of_experts);

    if (plan->schedule->ops->has_two_directions) {
        ranks.axes = is_of_experts ? "mirror+edp" : "mirror+cp+dp";
        ranks.n_ranks *= 2;
    }
    return ranks;
}

/* Adds the update of the weights that cp+dp, or edp, share. */
static void add_weights_update(const Plan *plan, const PartUpdate *part,
                               gboolean is_of_experts, uint32_t update,
                               SegmentBuilder *builder)
{
    const SegmentShards shards = segment_shards(
        builder, is_of_experts ? "expert update" : "update", part->segments);
    g_autofree ShardedGroup *groups = g_new0(ShardedGroup, part->groups->len);
    g_autoptr(GArray) gathers =
        g_array_new(FALSE, FALSE, sizeof(ShardedGather));
    ShardedWeights weights = part->weights;
    ShardedUpdate added;
    uint64_t n = 0;

    for (guint g = 0; g < part->groups->len; g++) {
        const TransformerGroup *group =
            &g_array_index(part->groups, TransformerGroup, g);

        groups[g].n_weights = is_of_experts ? group->n_experts : group->n_dense;
        for (guint i = 0; i < weights.n_backward; i++) {
            const TransformerMark *back =
                &g_array_index(part->backward[i], TransformerMark, g);

            groups[g].ready[i] =
                is_of_experts ? back->experts_ready : back->dense_ready;
        }
        n += groups[g].n_weights;
    }
    if (n == 0 && is_of_experts)
        return;
    weights.groups = groups;
    weights.n_groups = part->groups->len;
    weights.ranks = update_ranks_of_weights(plan, is_of_experts);
    added = sharding_add_update(&plan->transformer.sharding, &shards.base,
                                &weights, gathers);
    if (gathers->len > 0)
        builder->segment->exit = added.end;
    make_next_forward_wait_for_gathers(plan, part, update, gathers);
}

/* Adds the update of the weights of virtual stage @v to segment @update. */
static void add_part_update(const Plan *plan, uint32_t v, uint32_t update,
                            SegmentBuilder *builder)
{
    const Transformer *transformer = &plan->transformer;
    g_autoptr(GArray) groups =
        g_array_new(FALSE, FALSE, sizeof(TransformerGroup));
    uint32_t forward = plan->plan->segment_of[UNIT_FORWARD][v];
    PartUpdate part = {
        .groups = groups,
        .forward = program_points_of_segment(plan, forward),
        .forward_segment = forward,
        .weights = { .step = { .weight_bytes = transformer->value_bytes,
                               .gradient_bytes = transformer->gradient_bytes,
                               .master_copies = plan->training->master_copies },
                     .optimiser = chosen_optimiser(plan) },
    };

    part.weights.n_backward = list_gradient_segments(plan, v, part.segments);
    for (guint i = 0; i < part.weights.n_backward; i++) {
        uint32_t segment = part.segments[i];

        part.backward[i] = program_points_of_segment(plan, segment);
        part.weights.backward_exit[i] =
            segment_exit_op(g_ptr_array_index(plan->plan->segments, segment));
    }
    transformer_list_groups(transformer, &plan->parts[v], groups);
    add_weights_update(plan, &part, FALSE, update, builder);
    add_weights_update(plan, &part, TRUE, update, builder);
}

/* Adds the time of the host behind the exit of the update. */
static void add_host_time_after_update(const Plan *plan,
                                       SegmentBuilder *builder)
{
    uint32_t last = segment_exit_op(builder->segment), op;

    if (plan->params->host.step_ps == 0)
        return;
    op = segment_builder_add_host_time(builder, "host", "step",
                                       plan->params->host.step_ps, FALSE);
    segment_builder_add_dependency(builder, op, last);
    builder->segment->exit = op;
}

/* Returns a text that is equal for stages with the same update. */
static char *update_identity_of_stage(const Plan *plan, uint32_t s)
{
    GString *text = g_string_new("update");

    for (uint32_t v = 0; v < plan->schedule->n_virtual_stages; v++)
        if (schedule_stage_holds(plan->schedule, s, v))
            g_string_append_printf(text, " %u %u %u",
                                   plan->plan->segment_of[UNIT_FORWARD][v],
                                   plan->plan->segment_of[UNIT_BACKWARD][v],
                                   plan->plan->segment_of[UNIT_WEIGHT][v]);
    return g_string_free(text, FALSE);
}

/* Returns the index of the segment of the update of stage @s. */
static uint32_t find_or_add_update_of_stage(Plan *plan, uint32_t s)
{
    g_autofree char *key = update_identity_of_stage(plan, s);
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(plan->segments, key));
    Segment *segment;
    SegmentBuilder b;

    if (found > 0)
        return found - 1;
    segment = segment_new("update", plan->params->model.node);
    b = (SegmentBuilder){ .segment = segment,
                          .owned = plan->owned,
                          .node = plan->params->model.node,
                          .pass = OP_UPDATE };
    for (uint32_t v = 0; v < plan->schedule->n_virtual_stages; v++)
        if (schedule_stage_holds(plan->schedule, s, v))
            add_part_update(plan, v, plan->plan->segments->len, &b);
    add_host_time_after_update(plan, &b);
    return add_segment(plan, segment, NULL, g_steal_pointer(&key));
}

static void add_updates_of_all_stages(Plan *plan)
{
    for (uint32_t s = 0; s < plan->schedule->shape.n_stages; s++)
        plan->plan->updates[s] = find_or_add_update_of_stage(plan, s);
}

/* ---- the graph ----------------------------------------------------------- */

static gboolean init_transformer(Plan *plan, const WorkloadSite *site,
                                 GError **error)
{
    const TransformerParams *params = plan->params;
    Transformer *transformer = &plan->transformer;

    plan->mesh_config = params->parallel.mesh;
    *transformer = (Transformer){
        .model = params->model,
        .mesh = &plan->mesh,
        .sequence = params->sequence,
        .documents = &params->documents,
        .load = &plan->load,
        .micro_batch = params->batch.micro,
        .value_bytes = precision_bytes(plan->training->precision),
        .products = plan->training->products,
        .products_node =
            plan->training->node ? plan->training->node : params->model.node,
        .cp_is_ring = params->parallel.cp_exchange == CP_RING,
        .is_fused = params->attention == 0,
        .n_pieces = params->parallel.n_pieces,
        .n_copies = params->parallel.n_copies,
        .exchange = params->exchange,
        .elementwise_ppm = params->elementwise_ppm,
        .recompute_node = params->recompute.node ? params->recompute.node
                                                 : params->parallel.mesh.node,
        .host = params->host,
        .sharding = sharding_of_variant(&params->shard),
        .gradient_bytes = precision_bytes(plan->training->gradient),
        .node = params->parallel.mesh.node
    };
    if (!language_model_complete(&transformer->model, error) ||
        !recompute_read(&params->recompute, &transformer->recompute, error) ||
        !documents_check(&params->documents, params->sequence, error) ||
        !mesh_init(&plan->mesh, &plan->mesh_config, site ? site->n_npus : 0,
                   error) ||
        !sharding_divide_mesh(&params->shard, &plan->mesh_config, &plan->mesh,
                              error))
        return FALSE;
    transformer->divides_sequence =
        params->parallel.divides_sequence && plan->mesh.sizes[MESH_TP] > 1;
    return transformer_check(transformer, error) &&
           expert_load_init(&plan->load, &params->load,
                            transformer->model.experts.n_experts,
                            transformer->model.experts.n_chosen,
                            plan->mesh.sizes[MESH_EP], error) &&
           transformer_check_exchange(transformer, error);
}

static gboolean init_schedule(Plan *plan, GError **error)
{
    const TransformerParams *params = plan->params;
    uint64_t given = schedule_common(&params->schedule)->n_micro_batches;
    uint32_t n;

    if (!count_micro_batches(plan, &n, error))
        return FALSE;
    if (given != CONFIG_AUTO && given != n) {
        config_set_error(error, params->schedule.node, CONFIG_ERROR_CONFLICT,
                         "micro_batches: the batch makes %u, not "
                         "%" G_GUINT64_FORMAT "; leave it out",
                         n, given);
        return FALSE;
    }
    plan->schedule =
        schedule_new(&params->schedule, plan->mesh.sizes[MESH_PP], n, error);
    if (!plan->schedule)
        return FALSE;
    if (!plan->schedule->ops->has_two_directions ||
        !plan->transformer.sharding.gradients)
        return TRUE;
    config_set_error(error, params->shard.node, CONFIG_ERROR_CONFLICT,
                     "shard: %s keeps two copies of the weights, on two stages "
                     "that do not reduce the gradients of a micro-batch at the "
                     "same time; take zero-1",
                     plan->schedule->ops->base.name);
    return FALSE;
}

/* Sets all of the plan but its segments. */
static gboolean prepare_plan_without_segments(Plan *plan,
                                              const WorkloadSite *site,
                                              GError **error)
{
    plan->owned = g_ptr_array_new_with_free_func(g_free);
    plan->segments =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    plan->marks = g_ptr_array_new_with_free_func(free_segment_marks);
    return init_transformer(plan, site, error) && init_schedule(plan, error) &&
           divide_layers(plan, error);
}

static gboolean make_plan_with_segments(Plan *plan, const WorkloadSite *site,
                                        OpGraph *graph, GError **error)
{
    if (!prepare_plan_without_segments(plan, site, error))
        return FALSE;
    plan->plan =
        segment_plan_new(plan->schedule, &plan->mesh, plan->params->model.node);
    add_segments_of_all_passes(plan);
    if (!plan->schedule->ops->has_no_backward)
        add_updates_of_all_stages(plan);
    plan->items = segments_expand_to_items(plan->plan, graph, error);
    return plan->items != NULL;
}

/* ---- memory -------------------------------------------------------------- */

static WeightBytes bytes_of_weight(const Plan *plan)
{
    const Transformer *transformer = &plan->transformer;
    gboolean trains = !plan->schedule->ops->has_no_backward;

    return (WeightBytes){
        .weight_bytes = transformer->value_bytes,
        .gradient_bytes = trains ? transformer->gradient_bytes : 0,
        .state_bytes =
            trains ? optimiser_state_bytes(chosen_optimiser(plan),
                                           transformer->value_bytes,
                                           plan->training->master_copies)
                   : 0,
    };
}

/* Appends the memory of each stage to @ret, an array of StageMemory. */
static void list_memory_of_stages(const Plan *plan, GArray *ret)
{
    const WeightBytes of_weight = bytes_of_weight(plan);

    for (uint32_t s = 0; s < plan->schedule->shape.n_stages; s++) {
        StageMemory memory = transformer_stage_memory(
            &plan->transformer, plan->schedule, plan->parts, s, &of_weight);

        g_array_append_val(ret, memory);
    }
}

static gboolean transformer_list_memory(const ConfigVariant *workload,
                                        const TrainingConfig *training,
                                        const WorkloadSite *site, GArray *ret,
                                        GError **error)
{
    g_auto(Plan) plan = { .params = workload->params, .training = training };
    WeightBytes of_weight;

    if (!prepare_plan_without_segments(&plan, site, error))
        return FALSE;
    of_weight = bytes_of_weight(&plan);
    for (uint32_t s = 0; s < plan.schedule->shape.n_stages; s++)
        transformer_list_unit_memory(&plan.transformer, plan.schedule,
                                     plan.parts, s, &of_weight, ret);
    return TRUE;
}

/* The keys that can be changed so that a rank needs less, in the order in which
 * they are proposed.  A change of a key has several values, tried from the
 * least change on. */
typedef enum {
    CHANGE_RECOMPUTE,
    CHANGE_SHARD,
    CHANGE_MICRO,
    CHANGE_TP,
    CHANGE_PP,
    N_CHANGES,
} MemoryChange;

#define MAX_CHANGE_VALUES 12
/* Bounds the time that a refusal takes. */
#define MAX_TRIALS 400

typedef struct {
    const TransformerParams *params;
    const TrainingConfig *training;
    const WorkloadSite *site;
    MemoryChanges *changes;
    guint n_trials;
} MemorySearch;

/* Multiplies an axis and divides dp if it is given. */
static gboolean multiply_mesh_axis(MeshConfig *mesh, uint64_t *axis,
                                   const char *name, uint32_t factor,
                                   GString *text)
{
    if (*axis == CONFIG_AUTO || *axis * factor > MESH_MAX_AXIS)
        return FALSE;
    *axis *= factor;
    g_string_append_printf(text, "parallel.%s: %" G_GUINT64_FORMAT, name,
                           *axis);
    if (mesh->dp == CONFIG_AUTO)
        return TRUE;
    if (mesh->dp % factor != 0)
        return FALSE;
    mesh->dp /= factor;
    g_string_append_printf(text, " with parallel.dp: %" G_GUINT64_FORMAT,
                           mesh->dp);
    return TRUE;
}

/* Takes the @i-th of the shardings that divide more than that of @params. */
static gboolean raise_sharding_degree(guint i, TransformerParams *params,
                                      GString *text)
{
    do
        params->shard = sharding_divide_more(&params->shard);
    while (params->shard.kind && i-- > 0);
    if (!params->shard.kind)
        return FALSE;
    g_string_append_printf(text, "shard: {kind: %s}", params->shard.kind->name);
    return TRUE;
}

/* Applies value @i of @change to @params and appends it to @text; returns FALSE
 * if there is none. */
static gboolean apply_memory_change(MemoryChange change, guint i,
                                    TransformerParams *params, GString *text)
{
    MeshConfig *mesh = &params->parallel.mesh;

    switch (change) {
    case CHANGE_RECOMPUTE:
        if (i > 0 || transformer_recompute(params) ==
                         recompute_set_of_word(RECOMPUTE_FULL))
            return FALSE;
        params->recompute = recompute_list_of_word(RECOMPUTE_FULL);
        g_string_append(text, "recompute: full");
        return TRUE;
    case CHANGE_SHARD:
        return raise_sharding_degree(i, params, text);
    case CHANGE_MICRO:
        if (params->batch.micro >> (i + 1) == 0)
            return FALSE;
        params->batch.micro >>= i + 1;
        g_string_append_printf(text, "batch.micro: %" G_GUINT64_FORMAT,
                               params->batch.micro);
        return TRUE;
    case CHANGE_TP:
        return multiply_mesh_axis(mesh, &mesh->tp, "tp", UINT32_C(2) << i,
                                  text);
    case CHANGE_PP:
        return multiply_mesh_axis(mesh, &mesh->pp, "pp", UINT32_C(2) << i,
                                  text);
    case N_CHANGES:
        break;
    }
    g_assert_not_reached();
}

gboolean transformer_visit_stages(
    const TransformerParams *params, const TrainingConfig *training,
    uint32_t n_npus,
    void (*use)(gpointer self, const TransformerStages *stages), gpointer self)
{
    g_auto(Plan) plan = { .params = params, .training = training };
    g_autoptr(GArray) memory = g_array_new(FALSE, FALSE, sizeof(StageMemory));
    const WorkloadSite site = { .n_npus = n_npus };
    TransformerStages stages;

    if (!prepare_plan_without_segments(&plan, &site, NULL))
        return FALSE;
    list_memory_of_stages(&plan, memory);
    stages = (TransformerStages){
        .schedule = plan.schedule,
        .parts = plan.parts,
        .boundary_bytes = transformer_boundary_bytes(&plan.transformer),
        .memory_bytes = rank_memory_sum(&rank_memory_fullest(memory)->peak),
    };
    use(self, &stages);
    return TRUE;
}

static void record_memory_of_stages(gpointer self,
                                    const TransformerStages *stages)
{
    *(uint64_t *)self = stages->memory_bytes;
}

/* Returns the bytes of the fullest rank with @params, or UINT64_MAX if it is no
 * valid workload. */
static uint64_t bytes_of_fullest_rank(MemorySearch *search,
                                      const TransformerParams *params)
{
    uint64_t bytes;

    search->n_trials++;
    return transformer_visit_stages(params, search->training,
                                    search->site->n_npus,
                                    record_memory_of_stages, &bytes)
               ? bytes
               : UINT64_MAX;
}

/* Tries the values of @changes[0] to @changes[@n - 1] on @params; @text has
 * what was changed before.  Returns whether one fits. */
static gboolean try_memory_changes_on_params(MemorySearch *search,
                                             const TransformerParams *params,
                                             const MemoryChange *changes,
                                             guint n, const char *text)
{
    if (n == 0)
        return memory_changes_add_offer(
            search->changes, bytes_of_fullest_rank(search, params), text);
    for (guint i = 0; i < MAX_CHANGE_VALUES && search->n_trials < MAX_TRIALS;
         i++) {
        TransformerParams changed = *params;
        g_autoptr(GString) more = g_string_new(text);

        g_string_append(more, *text != '\0' ? " and " : "");
        if (apply_memory_change(changes[0], i, &changed, more) &&
            try_memory_changes_on_params(search, &changed, changes + 1, n - 1,
                                         more->str))
            return TRUE;
    }
    return FALSE;
}

/* Tries each key alone; if none fits, all pairs, and then all triples. */
static void transformer_try_memory_changes(const ConfigVariant *workload,
                                           const TrainingConfig *training,
                                           const WorkloadSite *site,
                                           MemoryChanges *changes)
{
    MemorySearch search = { .params = workload->params,
                            .training = training,
                            .site = site,
                            .changes = changes };

    for (guint n = 1; n <= 3 && changes->texts->len == 0; n++)
        for (guint set = 1; set < 1U << N_CHANGES; set++) {
            MemoryChange list[N_CHANGES];
            guint n_list = 0;

            for (MemoryChange c = 0; c < N_CHANGES; c++)
                if (set >> c & 1)
                    list[n_list++] = c;
            if (n_list == n && !memory_changes_list_is_full(changes))
                try_memory_changes_on_params(&search, search.params, list, n,
                                             "");
        }
}

/* ---- the graph of an iteration ------------------------------------------- */

/* Notes the optimiser and the HBM traffic of its step on a rank of the first
 * stage. */
static void add_note_on_optimiser(const Plan *plan, OpGraph *graph)
{
    if (chosen_optimiser(plan) <= OPTIMISER_NONE)
        return;
    graph->optimiser = optimiser_names[chosen_optimiser(plan)];
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COMPUTE && op->pass == OP_UPDATE &&
            op_has_role(op, 0))
            graph->optimiser_bytes += op->work->bytes;
    }
}

/* Notes settings of `training` that are for other loops: this one has no
 * gradients of layers, convolutions or normalisations of its own. */
static void add_notes_on_unused_settings(const TrainingConfig *training,
                                         OpGraph *graph)
{
    const struct {
        gboolean is_changed;
        const char *key, *instead;
    } rows[] = {
        { !training->overlap, "overlap",
          "; workload.shard.overlap says whether gradients are communicated "
          "beside kernels" },
        { training->optimised, "optimised", "" },
        { !training->elementwise, "elementwise", "" },
        { !training->fused, "fused", "; workload.attention is fused or not" },
        { !training->kernel_search, "kernel_search", "" },
        { training->layout != 0, "layout", "" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].is_changed)
            op_graph_add_note(graph,
                              "training.%s has no effect on a language "
                              "model%s",
                              rows[i].key, rows[i].instead);
}

static gboolean transformer_build(const ConfigVariant *workload,
                                  const TrainingConfig *training,
                                  const WorkloadSite *site, OpGraph *graph,
                                  GError **error)
{
    g_auto(Plan) plan = { .params = workload->params, .training = training };
    uint64_t n_tokens = plan.params->batch.global * plan.params->sequence;

    if (!make_plan_with_segments(&plan, site, graph, error) ||
        !program_build_items(training, graph, plan.items->items, error))
        return FALSE;
    list_memory_of_stages(&plan, graph->memory);
    graph->n_weights = language_model_all_weights(&plan.transformer.model);
    graph->model_flop = transformer_model_flop(&plan.transformer, n_tokens);
    graph->n_tokens = n_tokens;
    add_note_on_optimiser(&plan, graph);
    add_notes_on_unused_settings(training, graph);
    graph->n_active_weights =
        language_model_active_weights(&plan.transformer.model);
    return TRUE;
}

static gboolean transformer_write_flat(const ConfigVariant *workload,
                                       const TrainingConfig *training,
                                       const WorkloadSite *site, GString *out,
                                       GError **error)
{
    g_auto(Plan) plan = { .params = workload->params, .training = training };
    g_autoptr(OpGraph) graph = op_graph_new();

    if (!make_plan_with_segments(&plan, site, graph, error))
        return FALSE;
    program_write_head(out, plan.params->common.name, &plan.mesh_config);
    segments_write_roles(plan.items, &plan.mesh, out);
    return TRUE;
}

const LoopOps loop_transformer = {
    .base = { .name = "transformer",
              .summary = "a language model on a mesh of NPUs",
              .fields = transformer_fields,
              .size = sizeof(TransformerParams) },
    .build = transformer_build,
    .write_flat = transformer_write_flat,
    .list_memory = transformer_list_memory,
    .try_memory_changes = transformer_try_memory_changes,
    .plans = &transformer_plan_ops,
};
