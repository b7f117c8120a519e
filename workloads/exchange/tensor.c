/*
 * tensor.c - an all-reduce for each tensor, one after the other
 *
 * Wait-free back-propagation (WFBP): a gradient is handed over as soon as it is
 * there, beside what is still calculated.  A library carries one out at a time,
 * in the order in which they get ready: with r_i when tensor i is there and c_i
 * what its all-reduce takes, it is done at
 *
 *     e_i = max(r_i, e_(i-1)) + c_i
 */
#include "workloads/exchange/exchange_impl.h"

typedef struct {
    ExchangeCommon common;
    uint64_t at_a_time;
} TensorParams;

static const ConfigField tensor_fields[] = {
    EXCHANGE_AT_A_TIME_FIELD(TensorParams),
    EXCHANGE_COMPRESSION_FIELD(TensorParams),
    EXCHANGE_SPARSE_FIELD(TensorParams),
    CONFIG_END,
};

static gboolean tensor_add(const ConfigVariant *exchange,
                           const ExchangeRequest *request, GError **error)
{
    const TensorParams *p = exchange->params;
    uint32_t lane = exchange_add_lane(
        request, &(OpLane){ .at_a_time = (uint32_t)p->at_a_time });

    (void)error;
    for (guint i = 0; i < request->n_tensors; i++)
        op_graph_set_lane(
            request->graph,
            exchange_add_tensor(exchange, request, &request->tensors[i]), lane);
    return TRUE;
}

const ExchangeOps exchange_tensor = {
    .base = { .name = "tensor",
              .summary = "an all-reduce a tensor, one at a time, as they get "
                         "ready (WFBP)",
              .fields = tensor_fields,
              .size = sizeof(TensorParams) },
    .add = tensor_add,
};
