/*
 * mlp.c - the dense feed-forward part of a layer
 *
 * With T tokens of a rank, t = tp, h hidden and f inner values, the products
 * are, forward, T x 2 f / t x h (gated; else f / t) and T x h x f / t, and each
 * has two more backward.
 *
 * Collectives   on tp as attention
 * Kept          input and output of the norm; the inner values before and
 *               behind the activation
 */
#include "workloads/transformer/feed_forward.h"
#include "workloads/transformer/modules/modules.h"

static void add_dense_forward(Pass *pass)
{
    const Transformer *t = pass->t;

    uint64_t m = transformer_rank_tokens(t),
             ffn = t->model.ffn / transformer_tp_ranks(t);
    uint64_t h = t->model.hidden, g = feed_forward_gate_factor(&t->model);

    pass_add_norm(pass, FALSE);
    pass_quantise_tokens(pass);
    pass_gather_with_product(pass, "up", m, g * ffn, h);
    pass_add_elementwise(pass, "activation", m * g * ffn, m * ffn);
    pass_quantise(pass, m * ffn);
    pass_add_product_with_sum(pass, "down", m, h, ffn);
}

/* Adds the gradients of inputs and weights, with collectives
 * beside products. */
static void add_dense_backward_overlapped(Pass *pass)
{
    const Transformer *t = pass->t;
    uint64_t m = transformer_rank_tokens(t),
             ffn = t->model.ffn / transformer_tp_ranks(t);
    uint64_t h = t->model.hidden, g = feed_forward_gate_factor(&t->model);
    uint32_t gather, sum;

    pass_quantise_tokens(pass);
    pass_gather_with_product(pass, "down", m, ffn, h);
    pass_add_product(pass, "down", ffn, h, m, 1, TRUE);
    pass_add_elementwise(pass, "activation", m * (g + 1) * ffn, m * g * ffn);
    pass_quantise(pass, m * g * ffn);
    gather = pass_begin_overlapped_gather(pass);
    pass_add_product(pass, "up", m, h, g * ffn, 1, FALSE);
    sum = pass_begin_overlapped_sum(pass);
    pass->last = gather;
    pass_add_product(pass, "up", h, g * ffn, m, 1, TRUE);
    pass_add_norm(pass, TRUE);
    segment_builder_add_dependency(pass->b, pass->last, sum);
}

static void add_dense_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;

    if (weights)
        pass_recompute_norm(pass, TRUE);
    if (transformer_overlaps_tp_collectives(t) && inputs && weights) {
        add_dense_backward_overlapped(pass);
        return;
    }
    pass_quantise_tokens(pass);
    pass_gather_tokens(pass); /* the gradient of the output */
    feed_forward_add_backward(pass, transformer_rank_tokens(t),
                              t->model.ffn / transformer_tp_ranks(t), 1, inputs,
                              weights);
    if (inputs && weights)
        pass_gather_tokens(pass); /* the input, which is kept by tokens */
    if (!inputs)
        return;
    pass_sum_tokens(pass);
    pass_add_norm(pass, TRUE);
}

static gboolean layer_is_dense(const LanguageModel *model, uint64_t layer)
{
    return !language_model_has_experts(model, layer);
}

static gboolean mlp_check(const Transformer *t, GError **error)
{
    return module_check_divides(t, transformer_tp_ranks(t), "tp", t->model.ffn,
                                "values of 'ffn'", error);
}

static ModuleWeights mlp_weights(const LanguageModel *model)
{
    return (ModuleWeights){ .divided = feed_forward_weights(model, model->ffn,
                                                            model->bias ==
                                                                MODEL_BIAS_ALL),
                            .whole = language_model_norm_weights(model) };
}

static ModuleKept mlp_kept_activations(const Transformer *t)
{
    return (ModuleKept){ .by_token = module_kept_tokens(t),
                         .divided = t->value_bytes *
                                    transformer_rank_tokens(t) *
                                    feed_forward_kept_values(&t->model) *
                                    t->model.ffn };
}

const ModuleOps module_mlp = {
    .name = "mlp",
    .is_in_layer = layer_is_dense,
    .check = mlp_check,
    .weights = mlp_weights,
    .kept = mlp_kept_activations,
    .add_forward = add_dense_forward,
    .add_backward = add_dense_backward,
};
