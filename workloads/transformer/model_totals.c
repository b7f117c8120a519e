/* model_totals.c - weights and FLOP of a whole model; see model_totals.h */
#include "workloads/transformer/model_totals.h"

#include "workloads/transformer/modules/modules.h"

static uint64_t weights_outside_of_experts(const ModuleWeights *weights)
{
    return weights->divided + weights->whole;
}

static uint64_t weights_of_embedding_and_head(const LanguageModel *model)
{
    const ModuleWeights ends[] = { module_embedding.weights(model),
                                   module_head.weights(model) };

    return weights_outside_of_experts(&ends[0]) +
           weights_outside_of_experts(&ends[1]);
}

/* Adds up the weights of layers.  If @is_active, only the experts that a token
 * uses count. */
static uint64_t count_weights(const LanguageModel *model, gboolean is_active)
{
    uint64_t n = weights_of_embedding_and_head(model);

    for (uint64_t layer = 0; layer < language_model_n_blocks(model); layer++) {
        const ModuleOps *modules[MODULES_MAX];
        guint n_modules = modules_of_layer(model, layer, modules);

        for (guint i = 0; i < n_modules; i++) {
            const ModuleWeights weights = modules[i]->weights(model);

            n += weights_outside_of_experts(&weights) +
                 (is_active ? weights.active : weights.experts);
        }
    }
    return n;
}

uint64_t language_model_all_weights(const LanguageModel *model)
{
    return count_weights(model, FALSE);
}

uint64_t language_model_active_weights(const LanguageModel *model)
{
    return count_weights(model, TRUE);
}

/* Returns the multiplications of a token, forward, that have no weight as an
 * operand. */
static double multiplications_without_weights(const Transformer *t)
{
    double n = 0;

    for (uint64_t layer = 0; layer < language_model_n_blocks(&t->model);
         layer++) {
        const ModuleOps *modules[MODULES_MAX];
        guint n_modules = modules_of_layer(&t->model, layer, modules);

        for (guint i = 0; i < n_modules; i++)
            if (modules[i]->multiplications_without_weights)
                n += modules[i]->multiplications_without_weights(t, layer);
    }
    return n;
}

double transformer_model_flop(const Transformer *t, uint64_t n_tokens)
{
    const LanguageModel *m = &t->model;
    const ModuleWeights embedding = module_embedding.weights(m);
    uint64_t n_weights = language_model_active_weights(m) -
                         weights_outside_of_experts(&embedding) +
                         (m->is_tied ? m->vocabulary * m->hidden : 0) +
                         /* the head is used once more by each module */
                         m->mtp_depth * m->vocabulary * m->hidden;

    return (double)n_tokens *
           (6.0 * (double)n_weights + 6.0 * multiplications_without_weights(t));
}
