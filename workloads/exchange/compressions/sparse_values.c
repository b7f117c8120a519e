/* sparse_values.c - bytes and kernels of gradients sent as few values with
 * indices */
#include "workloads/exchange/compressions/sparse_values_impl.h"

#include "workloads/layer.h"

#define INDEX_BYTES UINT64_C(4)
#define PPM         UINT64_C(1000000)
#define PS_PER_S    UINT64_C(1000000000000)

const ConfigField sparse_fields[] = {
    { .key = "density",
      .help = "part of the values that is sent",
      .source = "GTOPK",
      .type = CONFIG_FRACTION,
      .offset = offsetof(SparseParams, density_ppm),
      .min = 1,
      .max = PPM,
      .fallback = "0.001" },
    { .key = "select",
      .help = "bytes of a gradient that are searched for them a second",
      .source = "GTOPK: 14.7, 0.27, 61 and 25.6 million values of FP32, each "
                "at 160 million a second within 5 %",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(SparseParams, select_bytes_per_s),
      .min = 1,
      .max = UINT64_C(1000000000000000),
      .fallback = "640 MB/s" },
    CONFIG_END,
};

static uint64_t count_selected_values(const SparseParams *params,
                                      const CompressionInput *input)
{
    unsigned __int128 ppm =
        (unsigned __int128)input->n_values * params->density_ppm;

    return (uint64_t)((ppm + PPM - 1) / PPM);
}

uint64_t sparse_message_bytes(const SparseParams *params,
                              const CompressionInput *input)
{
    return layer_multiply_saturating(count_selected_values(params, input),
                                     input->value_bytes + INDEX_BYTES);
}

OpWork sparse_selection_work(gconstpointer params,
                             const CompressionInput *input)
{
    const SparseParams *sparse_params = params;
    uint64_t bytes =
        layer_multiply_saturating(input->n_values, input->value_bytes);
    unsigned __int128 ps = ((unsigned __int128)bytes * PS_PER_S +
                            sparse_params->select_bytes_per_s - 1) /
                           sparse_params->select_bytes_per_s;

    return (OpWork){ .bytes = bytes,
                     .measured_ps =
                         (uint64_t)MIN(ps, (unsigned __int128)LAYER_MAX_PS) };
}

/* The kernel clears the gradient, and reads and adds each received value. */
OpWork sparse_scatter_work(const SparseParams *params,
                           const CompressionInput *input, uint32_t n_sets)
{
    uint64_t n =
        layer_multiply_saturating(count_selected_values(params, input), n_sets);
    uint64_t cleared =
        layer_multiply_saturating(input->n_values, input->value_bytes);
    uint64_t written = layer_add_saturating(
        cleared, layer_multiply_saturating(n, input->value_bytes));
    uint64_t read =
        layer_multiply_saturating(n, 2 * input->value_bytes + INDEX_BYTES);

    return (OpWork){ .flop = n,
                     .bytes = layer_add_saturating(written, read),
                     .written_bytes = written };
}
