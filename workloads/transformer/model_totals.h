/*
 * model_totals.h - weights and FLOP of a whole model
 *
 * Sums over its embedding, the modules of its layers, and its head.
 */
#ifndef WORKLOADS_TRANSFORMER_MODEL_TOTALS_H
#define WORKLOADS_TRANSFORMER_MODEL_TOTALS_H

#include "workloads/transformer/transformer.h"

/* Returns the number of all weights of a complete model, or of those that one
 * token uses. */
uint64_t language_model_all_weights(const LanguageModel *model);
uint64_t language_model_active_weights(const LanguageModel *model);

/* Returns the FLOP of the model for an iteration of @n_tokens: 6 for each
 * active weight in a product, and 6 for each product without weights; attention
 * has 12 s a d, half of it if it is causal. */
double transformer_model_flop(const Transformer *t, uint64_t n_tokens);

#endif
