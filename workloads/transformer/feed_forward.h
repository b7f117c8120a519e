/*
 * feed_forward.h - two products with an activation between them
 *
 * They are the inside of a dense feed-forward part, and of an expert.  With a
 * gate, the first product has twice the inner values.
 *
 * Units    tokens, values
 */
#ifndef WORKLOADS_TRANSFORMER_FEED_FORWARD_H
#define WORKLOADS_TRANSFORMER_FEED_FORWARD_H

#include "workloads/transformer/pass.h"

/* Returns the number of values before the activation for each value after
 * it. */
static inline uint64_t feed_forward_gate_factor(const LanguageModel *model)
{
    return model->is_gated ? 2 : 1;
}

/* Returns the number of inner values of a token that are kept, for each value
 * after the activation. */
static inline uint64_t feed_forward_kept_values(const LanguageModel *model)
{
    return feed_forward_gate_factor(model) + 1;
}

/* Returns the weights with @ffn values behind the activation. */
uint64_t feed_forward_weights(const LanguageModel *model, uint64_t ffn,
                              gboolean has_bias);

/* Adds the activations of @count parts, and the quantisation of their
 * results. */
void feed_forward_add_activation(Pass *pass, uint64_t m, uint64_t ffn,
                                 uint64_t count);

/* Add @count feed-forward parts of @m quantised tokens with @ffn values behind
 * the activation. */
void feed_forward_add_forward(Pass *pass, uint64_t m, uint64_t ffn,
                              uint64_t count);
void feed_forward_add_backward(Pass *pass, uint64_t m, uint64_t ffn,
                               uint64_t count, gboolean inputs,
                               gboolean weights);

#endif
