/*
 * prediction.c - what precedes the block of a module of multi-token prediction
 *
 * Module k predicts one more token than module k - 1, or than the model.  It
 * normalises the hidden values before it and the embedding of the token k
 * places ahead, and a product makes h values of both, T x h / t x 2 h.  A block
 * like a layer follows, and the head of the model with a norm of its own
 * [DSV3] 2.2.  Embedding and head are those of the model.
 *
 * Collectives   on tp the sum of the embedding, an all-gather of the 2 T h
 *               values before the product if tokens are divided, and one of the
 *               T h values behind it, because the ranks divide its results.
 *               Backward, the gradients of the 2 T h values are summed, and
 *               those of the T h values are gathered if tokens are divided, as
 *               the 2 T h values are for the gradient of weights; this is how
 *               Megatron-LM does it [MEGATRONMTP]
 * Kept          input and output of each of the two norms
 * Leaves out    the sum of the gradients of the embedding over the first and
 *               the last stage
 */
#include "workloads/transformer/modules/modules.h"

/* Norms before the product, each of h values of a token. */
#define N_NORMS UINT64_C(2)

/* Returns the values of a rank between modules. */
static uint64_t count_values_between(const Transformer *t)
{
    return transformer_rank_tokens_between_modules(t) * t->model.hidden;
}

static void add_prediction_norms(Pass *pass)
{
    for (uint64_t i = 0; i < N_NORMS; i++)
        pass_add_elementwise(pass, "norm", count_values_between(pass->t),
                             count_values_between(pass->t));
    pass_quantise(pass, N_NORMS * count_values_between(pass->t));
}

/* Gathers both inputs of the product. */
static void gather_product_inputs(Pass *pass)
{
    const Transformer *t = pass->t;
    uint64_t n = N_NORMS * transformer_tp_group_values(t);

    if (t->divides_sequence && transformer_tp_ranks(t) > 1)
        pass_append_op(
            pass,
            pass_append_collective_without_wait(
                pass, "gather", COLL_ALL_GATHER, MESH_TP,
                transformer_values_bytes(
                    t, transformer_quantises_products(t) ? t->products : 0,
                    n)));
}

static void add_prediction_forward(Pass *pass)
{
    const Transformer *t = pass->t;

    module_embedding.add_forward(pass);
    add_prediction_norms(pass);
    gather_product_inputs(pass);
    pass_add_product(pass, "projection", transformer_rank_tokens(t),
                     t->model.hidden / transformer_tp_ranks(t),
                     N_NORMS * t->model.hidden, 1, FALSE);
    pass_add_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                        transformer_tp_group_values(t));
}

static void add_prediction_backward(Pass *pass, gboolean inputs,
                                    gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t h = t->model.hidden, own = h / transformer_tp_ranks(t);

    if (inputs) {
        if (t->divides_sequence)
            pass_add_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                                transformer_tp_group_values(t));
        pass_quantise(pass, transformer_rank_tokens(t) * own);
        pass_add_product(pass, "projection", transformer_rank_tokens(t),
                         N_NORMS * h, own, 1, FALSE);
        pass_add_collective(pass, "sum",
                            t->divides_sequence ? COLL_REDUCE_SCATTER
                                                : COLL_ALL_REDUCE,
                            MESH_TP, N_NORMS * transformer_tp_group_values(t));
    }
    if (weights) {
        if (pass_recomputes(pass, RECOMPUTE_NORMS))
            add_prediction_norms(pass);
        gather_product_inputs(pass);
        pass_add_product(pass, "projection", N_NORMS * h, own,
                         transformer_rank_tokens(t), 1, TRUE);
    }
    if (inputs) {
        for (uint64_t i = 0; i < N_NORMS; i++)
            pass_add_elementwise(pass, "norm", 2 * count_values_between(t),
                                 count_values_between(t));
        module_embedding.add_backward(pass, inputs, weights);
    }
}

static gboolean prediction_check(const Transformer *t, GError **error)
{
    return module_check_divides(t, transformer_tp_ranks(t), "tp",
                                t->model.hidden, "hidden values", error);
}

static ModuleWeights prediction_weights(const LanguageModel *model)
{
    return (ModuleWeights){ .divided = N_NORMS * model->hidden * model->hidden,
                            /* and the norm before the head */
                            .whole = (N_NORMS + 1) *
                                     language_model_norm_weights(model) };
}

static ModuleKept prediction_kept_activations(const Transformer *t)
{
    uint64_t n_kept = recompute_has(t->recompute, RECOMPUTE_NORMS) ? 1 : 2;

    return (ModuleKept){ .by_token = N_NORMS * n_kept * t->value_bytes *
                                     transformer_tp_group_values(t) };
}

const ModuleOps module_prediction = {
    .name = "prediction",
    .check = prediction_check,
    .weights = prediction_weights,
    .kept = prediction_kept_activations,
    .add_forward = add_prediction_forward,
    .add_backward = add_prediction_backward,
};
