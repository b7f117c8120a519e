/*
 * single.c - one all-reduce of all gradients behind back-propagation
 *
 * Nothing of it is hidden: bulk-synchronous training (BSP), and what
 * `overlap: false` means.  The first operation of the next iteration waits for
 * it, whatever `synchronise` says.
 */
#include "workloads/exchange/exchange_impl.h"

#include "workloads/layer.h"

static gboolean single_add(const ConfigVariant *exchange,
                           const ExchangeRequest *request, GError **error)
{
    ExchangeTensor all = { .layer = op_graph_add_layer(request->graph,
                                                       "all-gradients"),
                           .ready = request->last,
                           .needed = request->first };

    (void)error;
    for (guint i = 0; i < request->n_tensors; i++)
        all.n_values = layer_add(all.n_values, request->tensors[i].n_values);
    (void)exchange_add_tensor(exchange, request, &all);
    return TRUE;
}

const ExchangeOps exchange_single = {
    .base = { .name = "single",
              .summary = "one all-reduce behind back-propagation",
              .fields = exchange_plain_fields,
              .size = sizeof(ExchangePlainParams) },
    .add = single_add,
};
