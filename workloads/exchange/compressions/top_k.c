/*
 * top_k.c - gathers the largest values of each NPU
 *
 * The collective is an all-gather.  With n NPUs, and k values of v bytes with
 * indices of 4 bytes, each NPU receives n k (v + 4) bytes and adds the values
 * to a gradient.
 */
#include "workloads/exchange/compressions/sparse_values_impl.h"
#include "workloads/layer.h"

static CompressionMessage top_k_message(gconstpointer params,
                                        const CompressionInput *input)
{
    return (CompressionMessage){
        COLL_ALL_GATHER, layer_multiply_saturating(
                             sparse_message_bytes(params, input), input->n_npus)
    };
}

static OpWork top_k_decompression_work(gconstpointer params,
                                       const CompressionInput *input)
{
    return sparse_scatter_work(params, input, input->n_npus);
}

const CompressionOps compression_top_k = {
    .base = { .name = "top-k",
              .summary = "the largest values of each NPU: an all-gather of n k "
                         "pairs",
              .fields = sparse_fields,
              .size = sizeof(SparseParams) },
    .changes = TRUE,
    .message = top_k_message,
    .pack = sparse_selection_work,
    .unpack = top_k_decompression_work,
};
