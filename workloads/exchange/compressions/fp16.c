/*
 * fp16.c - gradients sent as values of 16 bits
 *
 * The gradient is summed by an all-reduce of half the bytes.  A kernel before
 * it converts the values to 16 bits, and a kernel after it converts them back.
 */
#include "workloads/exchange/compression.h"
#include "workloads/layer.h"

#define SMALL_BYTES UINT64_C(2)

typedef struct {
    char nothing;
} Fp16Params;

static const ConfigField fp16_fields[] = { CONFIG_END };

static CompressionMessage fp16_message(gconstpointer params,
                                       const CompressionInput *input)
{
    (void)params;
    return (CompressionMessage){
        COLL_ALL_REDUCE, layer_multiply_saturating(input->n_values, SMALL_BYTES)
    };
}

static OpWork work_of_conversion(const CompressionInput *input,
                                 uint64_t read_bytes, uint64_t written_bytes)
{
    return (OpWork){ .flop = input->n_values,
                     .bytes = layer_multiply_saturating(
                         input->n_values, read_bytes + written_bytes),
                     .written_bytes = layer_multiply_saturating(
                         input->n_values, written_bytes) };
}

static OpWork fp16_compression_work(gconstpointer params,
                                    const CompressionInput *input)
{
    (void)params;
    return work_of_conversion(input, input->value_bytes, SMALL_BYTES);
}

static OpWork fp16_decompression_work(gconstpointer params,
                                      const CompressionInput *input)
{
    (void)params;
    return work_of_conversion(input, SMALL_BYTES, input->value_bytes);
}

static gboolean fp16_check(const ConfigVariant *compression,
                           uint64_t value_bytes, GError **error)
{
    if (value_bytes > SMALL_BYTES)
        return TRUE;
    config_set_error(error, compression->node, CONFIG_ERROR_CONFLICT,
                     "kind: gradients have 16 bits without 'fp16': see "
                     "'training.gradient'");
    return FALSE;
}

const CompressionOps compression_fp16 = {
    .base = { .name = "fp16",
              .summary = "values of 16 bits: half the bytes, a kernel each way",
              .fields = fp16_fields,
              .size = sizeof(Fp16Params) },
    .changes = TRUE,
    .message = fp16_message,
    .pack = fp16_compression_work,
    .unpack = fp16_decompression_work,
    .check = fp16_check,
};
