/*
 * tensor_partition.c - tensors cut into partitions, the most urgent first
 *
 * This kind models ByteScheduler and P3.  A partition that the next iteration
 * needs earlier overtakes those that are ready already, but not those in
 * flight.  The bytes in flight are limited by the credit.
 *
 * Partitions are cut before compression.
 */
#include <inttypes.h>

#include "workloads/exchange/exchange_impl.h"

typedef struct {
    ExchangeCommon common;
    uint64_t partition_bytes, credit_bytes, negotiation_ps;
} PartitionParams;

static const ConfigField partition_fields[] = {
    { .key = "bytes",
      .help = "of a gradient, the most that goes as one",
      .source = "DDLBENCH: ByteScheduler",
      .type = CONFIG_BYTES,
      .offset = offsetof(PartitionParams, partition_bytes),
      .min = 4,
      .max = UINT64_C(1) << 40,
      .fallback = "4 MB" },
    { .key = "credit",
      .help = "bytes in flight, as they are sent; 0 B: any number",
      .source = "DDLBENCH: ByteScheduler",
      .type = CONFIG_BYTES,
      .offset = offsetof(PartitionParams, credit_bytes),
      .max = UINT64_C(1) << 40,
      .fallback = "16 MB" },
    EXCHANGE_NEGOTIATION_FIELD(PartitionParams,
                               "from when a partition may begin until it does"),
    EXCHANGE_COMPRESSION_FIELD(PartitionParams),
    EXCHANGE_SPARSE_FIELD(PartitionParams),
    CONFIG_END,
};

static uint64_t count_partitions_of_tensor(uint64_t n_values,
                                           uint64_t most_values)
{
    return (n_values - 1) / most_values + 1;
}

static gboolean check_number_of_partitions(const ConfigVariant *exchange,
                                           const ExchangeRequest *request,
                                           uint64_t most_values, GError **error)
{
    const PartitionParams *params = exchange->params;
    uint64_t n = 0;

    for (guint i = 0; i < request->n_tensors; i++)
        n += MIN(count_partitions_of_tensor(request->tensors[i].n_values,
                                            most_values),
                 EXCHANGE_MAX_OPS + 1);
    if (n <= EXCHANGE_MAX_OPS)
        return TRUE;
    config_set_error(error, exchange->node, CONFIG_ERROR_RANGE,
                     "bytes: partitions of %" PRIu64 " B are more than %d, the "
                     "most that a graph may have",
                     params->partition_bytes, EXCHANGE_MAX_OPS);
    return FALSE;
}

static gboolean exchange_add_partitions(const ConfigVariant *exchange,
                                        const ExchangeRequest *request,
                                        GError **error)
{
    const PartitionParams *params = exchange->params;
    uint64_t most_values = params->partition_bytes / request->value_bytes;
    uint32_t lane;

    if (!check_number_of_partitions(exchange, request, most_values, error))
        return FALSE;
    lane = exchange_add_lane(
        request, &(OpLane){ .order = LANE_BY_PRIORITY,
                            .credit_bytes = params->credit_bytes,
                            .negotiate_ps = params->negotiation_ps });
    for (guint i = 0; i < request->n_tensors; i++) {
        ExchangeTensor part = request->tensors[i];
        uint64_t left = part.n_values;

        for (; left > 0; left -= part.n_values) {
            part.n_values = MIN(left, most_values);
            op_graph_set_lane(request->graph,
                              exchange_add_tensor(exchange, request, &part),
                              lane);
        }
    }
    return TRUE;
}

const ExchangeOps exchange_partition = {
    .base = { .name = "partition",
              .summary = "partitions of tensors, the most urgent first, by "
                         "credit (ByteScheduler, P3)",
              .fields = partition_fields,
              .size = sizeof(PartitionParams) },
    .add = exchange_add_partitions,
};
