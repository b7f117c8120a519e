/*
 * stage_passes.c - the passes of a language model on one rank of a mesh; see
 * stage_passes.h
 */
#include "workloads/transformer/stage_passes.h"

#include "workloads/sharding/segment_shards.h"
#include "workloads/transformer/modules/modules.h"

static const char sharded_part[] = "sharded weights";

/* A pass with the groups of weights that it uses. */
typedef struct {
    Pass pass;
    GArray *ends;   /* owned: of uint32_t: last operations of groups so far */
    GArray *groups; /* owned: of TransformerGroup */
    GArray *marks;  /* borrowed: of TransformerMark */
} StagePass;

/* ---- groups of weights --------------------------------------------------- */

/* Adds the weights of a rank of a module. */
static void add_module_weights(TransformerGroup *group, const Transformer *t,
                               const ModuleOps *module)
{
    const ModuleWeights weights = module->weights(&t->model);

    group->n_dense += weights.divided / transformer_tp_ranks(t) + weights.whole;
    group->n_experts += weights.experts / transformer_axis_ranks(t, MESH_EP);
}

static TransformerGroup weight_group_of_module(const Transformer *t,
                                               const ModuleOps *module)
{
    TransformerGroup group = { 0 };

    add_module_weights(&group, t, module);
    return group;
}

static TransformerGroup weight_group_of_layer(const Transformer *t,
                                              uint64_t layer)
{
    const ModuleOps *modules[MODULES_MAX];
    guint n = modules_of_layer(&t->model, layer, modules);
    TransformerGroup group = { 0 };

    for (guint i = 0; i < n; i++)
        add_module_weights(&group, t, modules[i]);
    return group;
}

void transformer_list_groups(const Transformer *t, const TransformerPart *part,
                             GArray *ret)
{
    TransformerGroup group = weight_group_of_module(t, &module_embedding);

    if (part->has_embedding)
        g_array_append_val(ret, group);
    for (uint64_t layer = part->first; layer < part->end; layer++) {
        group = weight_group_of_layer(t, layer);
        if (part->copies_embedding && layer == t->model.n_layers)
            add_module_weights(&group, t, &module_embedding);
        g_array_append_val(ret, group);
    }
    group = weight_group_of_module(t, &module_head);
    if (part->has_head)
        g_array_append_val(ret, group);
}

/* Returns the number of the group of @layer in @part. */
static guint index_of_layer_group(const TransformerPart *part, uint64_t layer)
{
    return (guint)(layer - part->first) + (part->has_embedding ? 1 : 0);
}

static guint index_of_head_group(const TransformerPart *part)
{
    return index_of_layer_group(part, part->end);
}

ShardRanks transformer_shard_ranks(const Transformer *t, gboolean is_of_experts)
{
    uint32_t n_cp = transformer_axis_ranks(t, MESH_CP);

    if (!t->sharding.has_groups)
        return is_of_experts
                   ? (ShardRanks){ "edp", transformer_axis_ranks(t, MESH_EDP),
                                   NULL, 1 }
                   : (ShardRanks){ "cp+dp",
                                   n_cp * transformer_axis_ranks(t, MESH_DP),
                                   NULL, 1 };
    return is_of_experts
               ? (ShardRanks){ "edp_within",
                               transformer_axis_ranks(t, MESH_EDP_WITHIN),
                               "edp_across",
                               transformer_axis_ranks(t, MESH_EDP_ACROSS) }
               : (ShardRanks){ "cp+dp_within",
                               n_cp * transformer_axis_ranks(t, MESH_DP_WITHIN),
                               "dp_across",
                               transformer_axis_ranks(t, MESH_DP_ACROSS) };
}

/* Begins group @i; gathers its weights if ranks hold parts of them, unless they
 * are still there or not needed. */
static void begin_weight_group(StagePass *stage, guint i,
                               gboolean needs_weights)
{
    Pass *pass = &stage->pass;
    const Transformer *t = pass->t;
    const TransformerGroup group =
        g_array_index(stage->groups, TransformerGroup, i);
    const SegmentShards shards = segment_shards(pass->b, sharded_part, NULL);

    pass->first_of_group = SEGMENT_NONE;
    if (!t->sharding.weights || !needs_weights)
        return;
    for (guint e = 0; e < 2; e++) {
        uint64_t n = e == 1 ? group.n_experts : group.n_dense;
        ShardRanks ranks = transformer_shard_ranks(t, e == 1);

        pass->gathers[e] =
            sharding_add_group_gather(&t->sharding, &shards.base, &ranks, i,
                                      n * t->value_bytes, stage->ends);
    }
}

/* Adds the reduction of gradients of group @i behind its last operation.
 * Returns what completes them. */
static uint32_t reduce_gradients_of_group(Pass *pass, guint i,
                                          gboolean is_of_experts, uint64_t n)
{
    const SegmentShards shards = segment_shards(pass->b, sharded_part, NULL);
    const ShardRanks ranks = transformer_shard_ranks(pass->t, is_of_experts);
    uint32_t end = sharding_add_group_reduction(
        &shards.base, &ranks, i, n, pass->t->gradient_bytes, pass->last);

    if (!pass->t->sharding.overlaps)
        pass->last = end;
    return end;
}

static void end_weight_group(StagePass *stage, guint i, gboolean has_gradients)
{
    Pass *pass = &stage->pass;
    const TransformerGroup group =
        g_array_index(stage->groups, TransformerGroup, i);
    TransformerMark *mark = &g_array_index(stage->marks, TransformerMark, i);

    *mark = (TransformerMark){ .needed = pass->first_of_group,
                               .dense_ready = pass->last,
                               .experts_ready = pass->last };
    g_array_append_val(stage->ends, pass->last);
    if (!has_gradients || !pass->t->sharding.gradients)
        return;
    mark->dense_ready =
        reduce_gradients_of_group(pass, i, FALSE, group.n_dense);
    mark->experts_ready =
        reduce_gradients_of_group(pass, i, TRUE, group.n_experts);
}

/* ---- passes -------------------------------------------------------------- */

static StagePass stage_pass_begin(const Transformer *t,
                                  const TransformerPart *part,
                                  SegmentBuilder *b, GArray *marks)
{
    StagePass stage = { .pass = { .t = t,
                                  .b = b,
                                  .last = SEGMENT_NONE,
                                  .launch = SEGMENT_NONE,
                                  .gathers = { SEGMENT_NONE, SEGMENT_NONE },
                                  .first_of_group = SEGMENT_NONE },
                        .ends = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                        .groups =
                            g_array_new(FALSE, FALSE, sizeof(TransformerGroup)),
                        .marks = marks };

    transformer_list_groups(t, part, stage.groups);
    g_array_set_size(marks, stage.groups->len);
    return stage;
}

/* Ends a pass.  The next unit does not wait for reductions that run in parallel
 * with kernels. */
static void stage_pass_end(StagePass *stage)
{
    if (stage->pass.t->sharding.gradients)
        stage->pass.b->segment->exit = stage->pass.last;
    g_array_unref(stage->ends);
    g_array_unref(stage->groups);
}

static void add_module_forward(Pass *pass, const ModuleOps *module)
{
    pass->module = module->name;
    module->add_forward(pass);
}

static void add_module_backward(Pass *pass, const ModuleOps *module,
                                gboolean inputs, gboolean weights)
{
    pass->module = module->name;
    module->add_backward(pass, inputs, weights);
}

static void add_layer_forward(Pass *pass, uint64_t layer)
{
    const ModuleOps *modules[MODULES_MAX];
    guint n = modules_of_layer(&pass->t->model, layer, modules);

    pass->layer = layer;
    for (guint i = 0; i < n; i++)
        add_module_forward(pass, modules[i]);
}

void transformer_add_forward(const Transformer *t, const TransformerPart *part,
                             SegmentBuilder *b, GArray *marks)
{
    StagePass stage = stage_pass_begin(t, part, b, marks);
    Pass *pass = &stage.pass;

    if (part->has_embedding) {
        begin_weight_group(&stage, 0, TRUE);
        add_module_forward(pass, &module_embedding);
        end_weight_group(&stage, 0, FALSE);
    }
    for (uint64_t layer = part->first; layer < part->end; layer++) {
        begin_weight_group(&stage, index_of_layer_group(part, layer), TRUE);
        pass_launch_begin(pass, t->host.forward_ps);
        add_layer_forward(pass, layer);
        pass_launch_end(pass);
        end_weight_group(&stage, index_of_layer_group(part, layer), FALSE);
    }
    if (part->has_head) {
        begin_weight_group(&stage, index_of_head_group(part), TRUE);
        for (uint64_t i = 0; i <= t->model.mtp_depth; i++) {
            pass_launch_begin(pass, t->host.forward_ps);
            add_module_forward(pass, &module_head);
            pass_launch_end(pass);
        }
        end_weight_group(&stage, index_of_head_group(part), FALSE);
    }
    stage_pass_end(&stage);
}

/* Returns the time to launch the modules of a layer that are recomputed one by
 * one.  Modules are assumed to have equally many kernels. */
static uint64_t
launch_time_of_recomputed_modules_ps(const Transformer *t,
                                     const ModuleOps *const *modules, guint n)
{
    uint64_t n_recomputed = 0;

    for (guint i = 0; i < n; i++)
        n_recomputed += module_is_recomputed(t, modules[i]) ? 1 : 0;
    return t->host.forward_ps * n_recomputed / MAX(n, 1);
}

/* Adds the backward passes of @modules, behind their forward passes if they are
 * recomputed one by one. */
static void add_modules_backward(Pass *pass, const ModuleOps *const *modules,
                                 guint n, gboolean inputs, gboolean weights)
{
    gboolean is_full_attention_layer_type =
        recompute_has(pass->t->recompute, RECOMPUTE_FULL);

    while (n-- > 0) {
        pass->is_repeated = module_is_recomputed(pass->t, modules[n]);
        if (pass->is_repeated && !is_full_attention_layer_type && inputs)
            add_module_forward(pass, modules[n]);
        add_module_backward(pass, modules[n], inputs, weights);
        pass->is_repeated = FALSE;
    }
}

static void add_layer_backward(Pass *pass, uint64_t layer, gboolean inputs,
                               gboolean weights)
{
    const Transformer *t = pass->t;
    const ModuleOps *modules[MODULES_MAX];
    guint n = modules_of_layer(&t->model, layer, modules);
    uint64_t launch_ps =
        inputs && weights ? t->host.backward_ps : t->host.backward_ps / 2;

    pass->layer = layer;
    if (inputs && recompute_has(t->recompute, RECOMPUTE_FULL)) {
        pass_launch_begin(pass, t->host.forward_ps);
        add_layer_forward(pass, layer);
        pass_launch_end(pass);
    } else if (inputs) {
        launch_ps += launch_time_of_recomputed_modules_ps(t, modules, n);
    }
    pass_launch_begin(pass, launch_ps);
    add_modules_backward(pass, modules, n, inputs, weights);
    pass_launch_end(pass);
}

void transformer_add_backward(const Transformer *t, const TransformerPart *part,
                              gboolean inputs, gboolean weights,
                              SegmentBuilder *b, GArray *marks)
{
    StagePass stage = stage_pass_begin(t, part, b, marks);
    Pass *pass = &stage.pass;

    if (part->has_head) {
        /* its weights are kept from the forward pass, which was just before */
        begin_weight_group(&stage, index_of_head_group(part), FALSE);
        for (uint64_t i = 0; i <= t->model.mtp_depth; i++) {
            pass_launch_begin(pass, t->host.forward_ps);
            add_module_backward(pass, &module_head, inputs, weights);
            pass_launch_end(pass);
        }
        end_weight_group(&stage, index_of_head_group(part), weights);
    }
    for (uint64_t layer = part->end; layer-- > part->first;) {
        begin_weight_group(&stage, index_of_layer_group(part, layer), inputs);
        add_layer_backward(pass, layer, inputs, weights);
        end_weight_group(&stage, index_of_layer_group(part, layer), weights);
    }
    if (part->has_embedding) {
        begin_weight_group(&stage, 0, FALSE);
        add_module_backward(pass, &module_embedding, inputs, weights);
        end_weight_group(&stage, 0, weights);
    }
    stage_pass_end(&stage);
}
