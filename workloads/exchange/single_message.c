/*
 * single_message.c - one all-reduce of all gradients after back-propagation
 *
 * No part of the all-reduce overlaps with computation: this is bulk-synchronous
 * training (BSP), which `overlap: false` selects.  The first operation of the
 * next iteration waits for the all-reduce, whatever `synchronise` says.
 */
#include "workloads/exchange/exchange_impl.h"

#include "workloads/layer.h"

static const ConfigField single_fields[] = {
    EXCHANGE_COPY_FIELD(ExchangeOneParams),
    EXCHANGE_COMPRESSION_FIELD(ExchangeOneParams),
    EXCHANGE_SPARSE_FIELD(ExchangeOneParams),
    CONFIG_END,
};

static gboolean exchange_add_single_all_reduce(const ConfigVariant *exchange,
                                               const ExchangeRequest *request,
                                               GError **error)
{
    const ExchangeOneParams *params = exchange->params;
    uint32_t op;
    ExchangeTensor all = { .layer = op_graph_add_layer(request->graph,
                                                       "all-gradients"),
                           .ready = request->last,
                           .needed = request->first };

    (void)error;
    for (guint i = 0; i < request->n_tensors; i++)
        all.n_values =
            layer_add_saturating(all.n_values, request->tensors[i].n_values);
    op = exchange_add_tensor(exchange, request, &all);
    if (params->copy_bytes_per_s == 0)
        return TRUE;
    op_graph_set_lane(
        request->graph, op,
        exchange_add_lane(request, &(OpLane){ .copy_bytes_per_s =
                                                  params->copy_bytes_per_s }));
    exchange_mark_op_as_packed(request, op);
    return TRUE;
}

const ExchangeOps exchange_single = {
    .base = { .name = "single",
              .summary = "one all-reduce behind back-propagation",
              .fields = single_fields,
              .size = sizeof(ExchangeOneParams) },
    .at_end = TRUE,
    .add = exchange_add_single_all_reduce,
};
