/*
 * embedding.c - the vectors of words, positions and types of tokens
 *
 * The ranks of tp divide the words; each looks up its own, and the results are
 * summed on tp as those of a module of a layer.  Nothing is kept but the
 * words.
 *
 * Leaves out   the gradient by word, which is small
 */
#include "workloads/transformer/modules/modules.h"

static void add_embedding(Pass *pass)
{
    uint64_t n = transformer_tp_group_values(pass->t);

    pass_add_elementwise(pass, "lookup", n, n);
    pass_sum_tokens(pass);
}

static void add_embedding_backward(Pass *pass, gboolean inputs,
                                   gboolean weights)
{
    (void)weights;
    if (inputs)
        add_embedding(pass);
}

static ModuleWeights embedding_weights(const LanguageModel *model)
{
    return (ModuleWeights){
        .divided =
            model->hidden * (model->vocabulary + model->n_positions +
                             model->n_token_types) +
            (model->norms_embedding ? language_model_norm_weights(model) : 0)
    };
}

const ModuleOps module_embedding = {
    .name = "embedding",
    .weights = embedding_weights,
    .add_forward = add_embedding,
    .add_backward = add_embedding_backward,
};
