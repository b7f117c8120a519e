/*
 * per_tensor.c - one all-reduce for each tensor, one after the other
 *
 * This is wait-free back-propagation (WFBP): a gradient is handed to the
 * library as soon as it is ready, while back-propagation continues.  The
 * library runs one all-reduce at a time, in the order in which gradients get
 * ready.  If tensor i is ready at r_i and its all-reduce takes c_i, the
 * all-reduce ends at
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

static gboolean
exchange_add_all_reduce_per_tensor(const ConfigVariant *exchange,
                                   const ExchangeRequest *request,
                                   GError **error)
{
    const TensorParams *params = exchange->params;
    uint32_t lane = exchange_add_lane(
        request, &(OpLane){ .at_a_time = (uint32_t)params->at_a_time });

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
    .add = exchange_add_all_reduce_per_tensor,
};
