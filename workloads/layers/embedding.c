/*
 * embedding.c - tables of vectors that are looked up and summed
 *
 * At each of its positions, a sample takes `lookups` rows of D values from each
 * table and sums them: N = batch * positions * tables sums.  The kernels are
 * bound by memory.  Each lookup reads an index of 8 bytes (64-bit, as in
 * PyTorch) and a row.  Rows are assumed to be distinct, which is an upper
 * bound.
 *
 *     forward          bytes = N (lookups (v D + 8) + v D)
 *                      flop  = N lookups D
 *     input gradient   none: an index has no gradient
 *     weight gradient  bytes = N (v D + lookups (2 v D + 8))   read and write
 *                      flop  = N lookups D                     each row
 *
 * With `gradient: none`, the weight gradient updates the rows directly, for
 * tables that only this NPU holds (model parallelism) or that share the
 * gradient of another layer.  With `gradient: dense`, it adds into a gradient
 * of the size of the tables, which another kernel clears first (v rows D tables
 * more bytes) and which is all-reduced.  All other passes are one kernel.
 */
#include "workloads/layer_impl.h"

#define INDEX_BYTES 8

static const char *const gradient_names[] = { "none", "dense", NULL };

static const ConfigField embedding_fields[] = {
    LAYER_COMMON_FIELDS(EmbeddingParams),
    LAYER_COUNT_FIELD(EmbeddingParams, rows, "rows", NULL, "rows of a table"),
    LAYER_COUNT_FIELD(EmbeddingParams, dimension, "dimension", NULL,
                      "values of a row"),
    LAYER_COUNT_FIELD(EmbeddingParams, n_tables, "tables", "1",
                      "tables of that size"),
    LAYER_COUNT_FIELD(EmbeddingParams, positions, "positions", "1",
                      "sums of one sample, such as its sequence length"),
    LAYER_COUNT_FIELD(EmbeddingParams, lookups, "lookups", "1",
                      "rows of each table that are summed"),
    { .key = "gradient",
      .help = "dense: as large as the tables, and all-reduced",
      .type = CONFIG_ENUM,
      .offset = offsetof(EmbeddingParams, gradient),
      .names = gradient_names,
      .fallback = "dense" },
    CONFIG_END,
};

static void embedding_shape(gconstpointer params, LayerShape *ret)
{
    const EmbeddingParams *embedding_params = params;

    ret->out = embedding_params->dimension;
    ret->is_sequence = TRUE; /* one output per position and table */
}

static void embedding_cost(gconstpointer params, const LayerContext *context,
                           LayerCost *ret)
{
    const EmbeddingParams *embedding_params = params;
    uint64_t row_bytes = layer_multiply_saturating(context->value_bytes,
                                                   embedding_params->dimension);
    uint64_t n_sums = LAYER_PRODUCT(context->batch, embedding_params->positions,
                                    embedding_params->n_tables);
    uint64_t read = layer_multiply_saturating(embedding_params->lookups,
                                              row_bytes + INDEX_BYTES);
    uint64_t flop = LAYER_PRODUCT(n_sums, embedding_params->lookups,
                                  embedding_params->dimension);
    OpWork *add = &ret->pass[OP_WEIGHT_GRADIENT]
                            [embedding_params->gradient == EMBEDDING_DENSE];

    ret->pass[OP_FORWARD][0] = (OpWork){
        .flop = flop,
        .bytes = layer_multiply_saturating(
            n_sums, layer_add_saturating(read, row_bytes)),
        .written_bytes = layer_multiply_saturating(n_sums, row_bytes),
    };
    *add = (OpWork){
        .flop = flop,
        .bytes = layer_multiply_saturating(
            n_sums, LAYER_SUM(read, row_bytes,
                              layer_multiply_saturating(
                                  embedding_params->lookups, row_bytes))),
        .written_bytes =
            LAYER_PRODUCT(n_sums, embedding_params->lookups, row_bytes),
    };
    if (embedding_params->gradient == EMBEDDING_DENSE) {
        ret->n_weights =
            LAYER_PRODUCT(embedding_params->rows, embedding_params->dimension,
                          embedding_params->n_tables);
        ret->pass[OP_WEIGHT_GRADIENT][0] = (OpWork){
            .bytes =
                layer_multiply_saturating(context->value_bytes, ret->n_weights),
            .written_bytes =
                layer_multiply_saturating(context->value_bytes, ret->n_weights),
        };
    }
}

const LayerOps layer_embedding = {
    .base = { .name = "embedding",
              .summary = "table lookups, one row read a lookup",
              .fields = embedding_fields,
              .size = sizeof(EmbeddingParams) },
    .shape = embedding_shape,
    .cost = embedding_cost,
};
