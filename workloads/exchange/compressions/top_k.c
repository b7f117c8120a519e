/*
 * top_k.c - each NPU's largest values, gathered by all
 *
 * An all-gather: with n NPUs, k values of v bytes and indices of 4 each, all
 * get n k (v + 4) bytes and add them up.
 */
#include "workloads/exchange/compressions/sparse_impl.h"
#include "workloads/layer.h"

static CompressionMessage top_k_message(gconstpointer params,
                                        const CompressionInput *input)
{
    return (CompressionMessage){
        COLL_ALL_GATHER, layer_mul(sparse_bytes(params, input), input->n_npus)
    };
}

static OpWork top_k_unpack(gconstpointer params, const CompressionInput *input)
{
    return sparse_scatter(params, input, input->n_npus);
}

const CompressionOps compression_top_k = {
    .base = { .name = "top-k",
              .summary = "the largest values of each NPU: an all-gather of n k "
                         "pairs",
              .fields = sparse_fields,
              .size = sizeof(SparseParams) },
    .changes = TRUE,
    .message = top_k_message,
    .pack = sparse_select,
    .unpack = top_k_unpack,
};
