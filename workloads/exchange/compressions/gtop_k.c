/*
 * gtop_k.c - sends the largest values of the sum over all NPUs
 *
 * In log2 n rounds, two NPUs exchange k values with their indices, and keep the
 * k largest.  That is an all-reduce of k pairs in which whole payloads are
 * exchanged, as the algorithm `recursive-doubling` does; `collectives` or a
 * stack must choose it.  The selection in each round is not modelled (assumed:
 * k is small).
 */
#include "workloads/exchange/compressions/sparse_values_impl.h"

static CompressionMessage gtop_k_message(gconstpointer params,
                                         const CompressionInput *input)
{
    return (CompressionMessage){ COLL_ALL_REDUCE,
                                 sparse_message_bytes(params, input) };
}

static OpWork gtop_k_decompression_work(gconstpointer params,
                                        const CompressionInput *input)
{
    return sparse_scatter_work(params, input, 1);
}

const CompressionOps compression_gtop_k = {
    .base = { .name = "gtop-k",
              .summary = "the largest values of the sum: an all-reduce of k "
                         "pairs",
              .fields = sparse_fields,
              .size = sizeof(SparseParams) },
    .changes = TRUE,
    .message = gtop_k_message,
    .pack = sparse_selection_work,
    .unpack = gtop_k_decompression_work,
};
