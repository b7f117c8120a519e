/*
 * head.c - the logits of all words, and the loss
 *
 * The ranks of tp divide the words: T x V / t x h values forward, and two such
 * products backward.  Before them all tokens are gathered on tp if they are
 * divided; the largest logit and the sum of each token are all-reduced, and
 * gradients of tokens are summed as those of a module of a layer.
 */
#include "workloads/transformer/modules/modules.h"

static uint64_t count_words_of_rank(const Transformer *t)
{
    return (t->model.vocabulary + transformer_tp_ranks(t) - 1) /
           transformer_tp_ranks(t);
}

static void add_head_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    uint64_t n = transformer_rank_tokens(t) * count_words_of_rank(t);

    pass_add_norm(pass, FALSE);
    if (t->divides_sequence)
        pass_add_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                            transformer_tp_group_values(t));
    pass_add_plain_product(pass, "logits", transformer_rank_tokens(t),
                           count_words_of_rank(t), t->model.hidden, 1, FALSE);
    pass_add_elementwise(pass, "loss", n, n / count_words_of_rank(t));
    pass_add_collective(
        pass, "loss", COLL_ALL_REDUCE, MESH_TP,
        2 * transformer_rank_tokens(t)); /* largest logits, and sums */
}

static void add_head_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t n = transformer_rank_tokens(t) * count_words_of_rank(t);

    if (inputs) {
        pass_add_elementwise(pass, "loss", n, n);
        pass_add_plain_product(pass, "logits", transformer_rank_tokens(t),
                               t->model.hidden, count_words_of_rank(t), 1,
                               FALSE);
        pass_sum_tokens(pass);
    }
    if (weights)
        pass_add_plain_product(pass, "logits", t->model.hidden,
                               count_words_of_rank(t),
                               transformer_rank_tokens(t), 1, TRUE);
    if (inputs)
        pass_add_norm(pass, TRUE);
}

static ModuleWeights head_weights(const LanguageModel *model)
{
    uint64_t h = model->hidden;
    uint64_t n = model->is_tied ? 0 : h * model->vocabulary;

    n += language_model_norm_weights(model);
    if (model->has_head_transform)
        n += h * h + h + model->vocabulary;
    return (ModuleWeights){ .divided = n };
}

const ModuleOps module_head = {
    .name = "head",
    .weights = head_weights,
    .add_forward = add_head_forward,
    .add_backward = add_head_backward,
};
