/*
 * measured_layer.c - a layer that is described by measured times only
 *
 * The layer has no shape, and each pass is one kernel.  Times hold for the
 * whole NPU and the batch of the workload.  `flop` and `bytes` of a pass, if
 * given, determine how it slows down with fewer SMs or less bandwidth.  Without
 * them, the layer is assumed to be bound by FLOP (in loop.c). This assumption
 * promises least for offloading, because communication takes a larger share of
 * the bandwidth than of the SMs.  Such a layer cannot run with `compute:
 * roofline`.
 */
#include "workloads/layer_impl.h"

typedef struct {
    LayerCommon common;
    uint64_t n_weights;
    uint64_t flop, bytes; /* work of each pass, for the whole batch */
} MeasuredParams;

#define TIME_FIELD(member, Key, Help)                                          \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_TIME,                     \
        .offset = offsetof(MeasuredParams, common.member), .max = LAYER_MAX_PS \
    }

static const ConfigField measured_fields[] = {
    { .key = "name",
      .help = "what reports call the layer",
      .type = CONFIG_NAME,
      .offset = offsetof(MeasuredParams, common.name) },
    { .key = "repeat",
      .help = "how many such layers follow each other",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeasuredParams, common.repeat),
      .min = 1,
      .max = LAYER_MAX_REPEAT,
      .fallback = "1" },
    TIME_FIELD(forward_ps, "forward_time", "measured on the whole NPU"),
    TIME_FIELD(input_gradient_ps, "input_gradient_time",
               "measured on the whole NPU"),
    TIME_FIELD(weight_gradient_ps, "weight_gradient_time",
               "measured on the whole NPU"),
    { .key = "weights",
      .help = "values with a gradient to reduce",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeasuredParams, n_weights),
      .max = LAYER_MAX_COUNT * 1000,
      .fallback = "0" },
    { .key = "flop",
      .help = "FLOP of each pass for the whole batch; 0: not known",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeasuredParams, flop),
      .max = UINT64_MAX >> 1,
      .fallback = "0" },
    { .key = "bytes",
      .help = "HBM traffic of each pass for the whole batch; 0 B: not known",
      .type = CONFIG_BYTES,
      .offset = offsetof(MeasuredParams, bytes),
      .max = UINT64_MAX >> 1,
      .fallback = "0 B" },
    CONFIG_END,
};

static void measured_cost(gconstpointer params, const LayerContext *context,
                          LayerCost *ret)
{
    const MeasuredParams *measured_params = params;

    (void)context;
    ret->n_weights = measured_params->n_weights;
    for (int i = 0; i < OP_UPDATE; i++)
        ret->pass[i][0] = (OpWork){ .flop = measured_params->flop,
                                    .bytes = measured_params->bytes };
}

const LayerOps layer_measured = {
    .base = { .name = "measured",
              .summary = "only times are known; needs compute: measured",
              .fields = measured_fields,
              .size = sizeof(MeasuredParams) },
    .cost = measured_cost,
};
