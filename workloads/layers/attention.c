/*
 * attention.c - additive (Bahdanau) attention, as in GNMT
 *
 * Each of Tq queries (Q values) is compared with each of Tk keys (K values) in
 * a space of U units.  The result for a query is the average of the keys,
 * weighted by the softmax of the scores:
 *
 *     score(q, k) = v . tanh(W_q q + W_k k)
 *
 *     weights = U (Q + K)
 *     flop    = 2 batch U (Tq Q + Tk K)     the two projections P, in each pass
 *             + batch Tq Tk (4 U + 2 K)     scores S and average A, forward
 *             + batch Tq Tk (4 U + 4 K)     input gradient
 *
 * A tanh counts as one FLOP (assumed).
 *
 *     forward          P reads queries, keys, weights and writes both
 *                      projections; S reads them and writes the scores; A
 *                      reads scores and keys and writes Tq K
 *     input gradient   A reads Tq K, scores and keys and writes the gradients
 *                      of scores and keys; S reads projections and scores'
 *                      gradient and writes the projections' gradients; P reads
 *                      those and the weights and writes dq, dk
 *     weight gradient  P reads queries, keys and the projections' gradients
 *                      and writes the weights'
 *
 * P is two kernels, one for queries and one for keys.  S and A are one kernel
 * each per pass.  The sum W_q q + W_k k (batch Tq Tk U values) is never
 * written, because a fused kernel is assumed.  The softmax is one elementwise
 * kernel: forward, it reads and writes the scores; backward, it reads two
 * arrays and writes one.
 *
 * Not modelled: v and the weights of the normalisation (2 U + 1 values).
 */
#include "workloads/kernel.h"
#include "workloads/layer_impl.h"

typedef struct {
    LayerCommon common;
    /* Numbers of values of a query, of a key, and in the common space. */
    uint64_t query, key, units;
    uint64_t n_queries, n_keys; /* number of queries and of keys per sample */
} AttentionParams;

static const ConfigField attention_fields[] = {
    LAYER_COMMON_FIELDS(AttentionParams),
    LAYER_COUNT_FIELD(AttentionParams, query, "query", NULL,
                      "values of a query"),
    LAYER_COUNT_FIELD(AttentionParams, key, "key", NULL, "values of a key"),
    LAYER_COUNT_FIELD(AttentionParams, units, "units", NULL,
                      "values that both are projected to"),
    LAYER_COUNT_FIELD(AttentionParams, n_queries, "queries", NULL,
                      "queries of a sample: the decoder's length"),
    LAYER_COUNT_FIELD(AttentionParams, n_keys, "keys", NULL,
                      "keys of a sample: the encoder's length"),
    CONFIG_END,
};

/* Returns the projection of queries or keys by their weights.  Each has @width
 * values.  All passes use the same three operands. */
static OpWork attention_projection(const AttentionParams *params,
                                   uint64_t value_bytes, uint64_t n_rows,
                                   uint64_t width, OpPass pass)
{
    OpWork gradient;

    if (pass == OP_FORWARD)
        return kernel_product(n_rows, params->units, width, 1, value_bytes);
    if (pass == OP_INPUT_GRADIENT)
        return kernel_product(n_rows, width, params->units, 1, value_bytes);
    gradient = kernel_product(width, params->units, n_rows, 1, value_bytes);
    gradient.product.cuts_sum = TRUE;
    return gradient;
}

/* Sets the kernels between the projections: scores and averages. */
static void set_score_kernels(const AttentionParams *params,
                              const LayerContext *context,
                              OpWork ret[OP_UPDATE][LAYER_MAX_WORKS])
{
    uint64_t v = context->value_bytes;
    uint64_t n_queries =
        layer_multiply_saturating(context->batch, params->n_queries);
    uint64_t n_keys = layer_multiply_saturating(context->batch, params->n_keys);
    uint64_t n_pairs = layer_multiply_saturating(n_queries, params->n_keys);
    uint64_t keys = layer_multiply_saturating(n_keys, params->key);
    uint64_t averages = layer_multiply_saturating(n_queries, params->key);
    uint64_t projected = layer_multiply_saturating(
        params->units, layer_add_saturating(n_queries, n_keys));
    uint64_t flop = LAYER_PRODUCT(4, n_pairs, params->units);

    ret[OP_FORWARD][2] = (OpWork){
        .flop = flop,
        .bytes = layer_multiply_saturating(v, LAYER_SUM(projected, n_pairs)),
        .written_bytes = layer_multiply_saturating(v, n_pairs),
    };
    ret[OP_FORWARD][3] = (OpWork){
        .flop = LAYER_PRODUCT(2, n_pairs, params->key),
        .bytes =
            layer_multiply_saturating(v, LAYER_SUM(n_pairs, keys, averages)),
        .written_bytes = layer_multiply_saturating(v, averages),
        .product = { .m = params->n_queries,
                     .n = params->key,
                     .k = params->n_keys,
                     .n_products = context->batch },
    };
    ret[OP_INPUT_GRADIENT][0] = (OpWork){
        .flop = LAYER_PRODUCT(4, n_pairs, params->key),
        .bytes = layer_multiply_saturating(
            v, LAYER_SUM(averages, n_pairs, keys, n_pairs, keys)),
        .written_bytes =
            layer_multiply_saturating(v, layer_add_saturating(n_pairs, keys)),
    };
    ret[OP_INPUT_GRADIENT][1] = (OpWork){
        .flop = flop,
        .bytes = layer_multiply_saturating(
            v, LAYER_SUM(projected, n_pairs, projected)),
        .written_bytes = layer_multiply_saturating(v, projected),
    };
}

static void attention_cost(gconstpointer params, const LayerContext *context,
                           LayerCost *ret)
{
    const AttentionParams *attention_params = params;
    uint64_t v = context->value_bytes;
    uint64_t n_queries =
        layer_multiply_saturating(context->batch, attention_params->n_queries);
    uint64_t n_keys =
        layer_multiply_saturating(context->batch, attention_params->n_keys);
    uint64_t n_pairs =
        layer_multiply_saturating(n_queries, attention_params->n_keys);

    ret->n_weights = layer_multiply_saturating(
        attention_params->units,
        layer_add_saturating(attention_params->query, attention_params->key));
    set_score_kernels(attention_params, context, ret->pass);
    for (int i = 0; i < OP_UPDATE; i++) {
        OpWork *first = &ret->pass[i][i == OP_INPUT_GRADIENT ? 2 : 0];

        first[0] = attention_projection(attention_params, v, n_queries,
                                        attention_params->query, (OpPass)i);
        first[1] = attention_projection(attention_params, v, n_keys,
                                        attention_params->key, (OpPass)i);
    }
    ret->elementwise_bytes[OP_FORWARD] = LAYER_PRODUCT(2, v, n_pairs);
    ret->elementwise_bytes[OP_INPUT_GRADIENT] = LAYER_PRODUCT(3, v, n_pairs);
    for (OpPass pass = OP_FORWARD; pass <= OP_INPUT_GRADIENT; pass++)
        ret->elementwise_written_bytes[pass] =
            layer_multiply_saturating(v, n_pairs);
}

/* The output is an average of the keys for each query. */
static void attention_shape(gconstpointer params, LayerShape *ret)
{
    const AttentionParams *attention_params = params;

    ret->in_key = "query";
    ret->in = attention_params->query;
    ret->out = attention_params->key;
    ret->is_sequence = TRUE;
}

const LayerOps layer_attention = {
    .base = { .name = "attention",
              .summary = "additive attention of queries over keys",
              .fields = attention_fields,
              .size = sizeof(AttentionParams) },
    .shape = attention_shape,
    .cost = attention_cost,
};
