/*
 * per_layer.c - one all-reduce for each layer
 *
 * A layer's tensors are sent as one message as soon as the layer's gradient is
 * ready.  Any number of messages may be in flight; `collectives.scheduling`
 * decides their order.  [ASTRASIM] sends gradients in the same way.
 */
#include "workloads/exchange/exchange_impl.h"

static const ConfigField layer_fields[] = {
    EXCHANGE_COMPRESSION_FIELD(ExchangeOneParams),
    EXCHANGE_SPARSE_FIELD(ExchangeOneParams),
    CONFIG_END,
};

static gboolean
exchange_add_all_reduce_per_layer(const ConfigVariant *exchange,
                                  const ExchangeRequest *request,
                                  GError **error)
{
    ExchangeTensor all = exchange_merge_tensors(request, 0, request->n_tensors);

    (void)error;
    (void)exchange_add_tensor(exchange, request, &all);
    return TRUE;
}

const ExchangeOps exchange_layer = {
    .base = { .name = "layer",
              .summary = "an all-reduce for each layer, when it is ready",
              .fields = layer_fields,
              .size = sizeof(ExchangeOneParams) },
    .by_layer = TRUE,
    .add = exchange_add_all_reduce_per_layer,
};
