/* no_compression.c - gradients sent unchanged */
#include "workloads/exchange/compression.h"
#include "workloads/layer.h"

typedef struct {
    char nothing;
} NoneParams;

static const ConfigField none_fields[] = { CONFIG_END };

static CompressionMessage none_message(gconstpointer params,
                                       const CompressionInput *input)
{
    (void)params;
    return (CompressionMessage){ COLL_ALL_REDUCE,
                                 layer_multiply_saturating(
                                     input->n_values, input->value_bytes) };
}

const CompressionOps compression_none = {
    .base = { .name = "none",
              .summary = "gradients as they are: an all-reduce",
              .fields = none_fields,
              .size = sizeof(NoneParams) },
    .message = none_message,
};
