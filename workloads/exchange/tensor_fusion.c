/*
 * tensor_fusion.c - fuses the tensors that are ready at the end of a cycle
 *
 * This kind models Horovod.  Every `cycle` rank 0 asks which tensors are ready
 * on all NPUs, which takes `negotiation`.  Tensors that fit into the buffer
 * together are copied into it, reduced as one message, and copied out.  There
 * is one buffer at a time.  A tensor larger than the buffer is sent alone.
 * Which tensors are fused depends on times and is decided during the run
 * (collective_lane.h).
 */
#include "workloads/exchange/exchange_impl.h"

typedef struct {
    ExchangeCommon common;
    uint64_t buffer_bytes, cycle_ps, negotiation_ps, copy_bytes_per_s;
    uint64_t at_a_time;
} FusionParams;

static const ConfigField fusion_fields[] = {
    { .key = "buffer",
      .help = "bytes, as they are sent, that go together",
      .source = "HOROVODCORE",
      .type = CONFIG_BYTES,
      .offset = offsetof(FusionParams, buffer_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40,
      .fallback = "64 MiB" },
    { .key = "cycle",
      .help = "between two looks at the ready tensors",
      .source = "HOROVODCORE",
      .type = CONFIG_TIME,
      .offset = offsetof(FusionParams, cycle_ps),
      .max = UINT64_C(1000000000000),
      .fallback = "5 ms" },
    EXCHANGE_NEGOTIATION_FIELD(
        FusionParams, "from a look that finds something until that begins"),
    { .key = "copy",
      .help = "into the buffer, and out of it; 0 GB/s: for nothing",
      .source = "assumed: within the memory of a V100, read and written",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(FusionParams, copy_bytes_per_s),
      .max = UINT64_C(1000000000000000),
      .fallback = "400 GB/s" },
    EXCHANGE_AT_A_TIME_FIELD(FusionParams),
    EXCHANGE_COMPRESSION_FIELD(FusionParams),
    EXCHANGE_SPARSE_FIELD(FusionParams),
    CONFIG_END,
};

static gboolean exchange_add_fusion_buffers(const ConfigVariant *exchange,
                                            const ExchangeRequest *request,
                                            GError **error)
{
    const FusionParams *params = exchange->params;
    const OpLane lane = { .at_a_time = (uint32_t)params->at_a_time,
                          .fusion_bytes = params->buffer_bytes,
                          .cycle_ps = params->cycle_ps,
                          .negotiate_ps = params->negotiation_ps,
                          .copy_bytes_per_s = params->copy_bytes_per_s };
    uint32_t added = exchange_add_lane(request, &lane);
    uint64_t least_bytes = UINT64_MAX, sum_bytes = 0;
    uint32_t op = 0;

    (void)error;
    for (guint i = 0; i < request->n_tensors; i++) {
        uint64_t bytes;

        op = exchange_add_tensor(exchange, request, &request->tensors[i]);
        op_graph_set_lane(request->graph, op, added);
        bytes = op_graph_op(request->graph, op)->payload_bytes;
        least_bytes = MIN(least_bytes, bytes);
        sum_bytes += MIN(bytes, params->buffer_bytes);
    }
    /* The smallest buffer holds at least the two smallest tensors. */
    if (request->n_tensors > 1 && least_bytes < params->buffer_bytes)
        op_graph_add_buffers(request->graph, added, op,
                             MIN(2 * least_bytes, params->buffer_bytes),
                             MIN(sum_bytes, params->buffer_bytes));
    return TRUE;
}

const ExchangeOps exchange_fusion = {
    .base = { .name = "fusion",
              .summary = "the tensors that are ready when a cycle ends, in "
                         "one buffer (Horovod)",
              .fields = fusion_fields,
              .size = sizeof(FusionParams) },
    .add = exchange_add_fusion_buffers,
};
