/*
 * sparse_rows.c - gradients of embeddings, sent as the rows that samples touch
 *
 * A sample touches few rows of a table.  TensorFlow keeps such a gradient as
 * rows and row numbers, one for each lookup, and Horovod gathers them.  With b
 * samples of r rows, w values of v bytes in a row, and row numbers of 8 bytes,
 *
 *     n b r (v w + 8)   bytes arrive at each of n NPUs.
 *
 * That grows with n.  An all-reduce of a table of N values (`sparse: dense`,
 * Horovod's sparse_as_dense) moves 2 v N (n - 1) / n bytes, which does not.
 * Duplicate rows are not merged (assumed).  Then each NPU adds up what arrived:
 * it reads a row and its number, and reads and writes a row of the gradient.
 *
 * Rows are sent on the lane that the kind makes for its own messages, in
 * separate buffers.  If the kind has no lane (`layer`, `single`), they are sent
 * in parallel with its messages.
 */
#include "workloads/exchange/exchange_impl.h"

#include "workloads/layer.h"

#define NUMBER_BYTES UINT64_C(8) /* TensorFlow's row numbers have 64 bits */

const char *const exchange_sparse_names[] = { "dense", "gather", NULL };

static gboolean exchange_gathers_rows(const ConfigVariant *exchange)
{
    const ExchangeCommon *common = exchange->params;

    return common->sparse == EXCHANGE_GATHER;
}

gboolean exchange_sends_tensor_as_rows(const ConfigVariant *exchange,
                                       const ExchangeTensor *tensor)
{
    return tensor->n_rows > 0 && exchange_gathers_rows(exchange);
}

static uint64_t bytes_of_sparse_row(uint64_t value_bytes, uint64_t n_values)
{
    return layer_add_saturating(
        layer_multiply_saturating(value_bytes, n_values), NUMBER_BYTES);
}

gboolean exchange_row_sum_work(const ConfigVariant *exchange,
                               uint64_t value_bytes, uint64_t n_rows,
                               uint64_t n_values, uint32_t n_npus, OpWork *ret)
{
    uint64_t n = layer_multiply_saturating(n_rows, n_npus);
    uint64_t values = layer_multiply_saturating(n, n_values);
    uint64_t written = layer_multiply_saturating(values, value_bytes);
    uint64_t received = layer_multiply_saturating(
        n, bytes_of_sparse_row(value_bytes, n_values));

    if (!exchange_gathers_rows(exchange))
        return FALSE;
    *ret = (OpWork){ .flop = values,
                     .bytes = layer_add_saturating(
                         received, layer_multiply_saturating(written, 2)),
                     .written_bytes = written,
                     .n_kernels = 1,
                     .is_elementwise = TRUE };
    return TRUE;
}

/* Adds the collective that gathers the rows of @tensor. */
static void add_gather_of_rows(const ConfigVariant *exchange,
                               const ExchangeRequest *request,
                               const ExchangeTensor *tensor)
{
    const ExchangeOps *ops = exchange_ops(exchange);
    uint64_t bytes = layer_multiply_saturating(
        layer_multiply_saturating(tensor->n_rows,
                                  machine_n_npus(request->site)),
        bytes_of_sparse_row(request->value_bytes, tensor->row_values));
    uint32_t op = op_graph_add_collective(request->graph, tensor->layer,
                                          OP_WEIGHT_GRADIENT, COLL_ALL_GATHER,
                                          bytes, tensor->priority);

    op_graph_add_dep(request->graph, op,
                     ops->at_end ? request->last : tensor->ready, 0);
    op_graph_add_dep(request->graph,
                     ops->at_end ? request->first : tensor->needed, op, 1);
}

/* Puts @n gathers, from @first on, on @lane. */
static void put_gathers_on_lane(OpGraph *graph, uint32_t lane, uint32_t first,
                                uint32_t n)
{
    uint64_t buffer_bytes = op_graph_lane(graph, lane)->fusion_bytes;
    uint64_t least_bytes = UINT64_MAX, sum_bytes = 0;

    for (uint32_t op = first; op < first + n; op++) {
        uint64_t bytes = op_graph_op(graph, op)->payload_bytes;

        op_graph_set_lane(graph, op, lane);
        least_bytes = MIN(least_bytes, bytes);
        sum_bytes = layer_add_saturating(sum_bytes, bytes);
    }
    if (n > 1 && least_bytes < buffer_bytes / 2)
        op_graph_add_buffers(graph, lane, first, 2 * least_bytes,
                             MIN(sum_bytes, buffer_bytes));
}

/* The gathers are added before the kind's operations, since the ladders of
 * buffers of a lane must follow each other (collective_lane.h). */
gboolean exchange_add_with_rows(const ConfigVariant *exchange,
                                const ExchangeRequest *request, GError **error)
{
    OpGraph *graph = request->graph;
    g_autofree ExchangeTensor *dense =
        g_new(ExchangeTensor, request->n_tensors);
    ExchangeRequest dense_request = *request;
    guint n_lanes = graph->lanes->len;
    uint32_t first = graph->ops->len;

    dense_request.tensors = dense;
    dense_request.n_tensors = 0;
    for (guint i = 0; i < request->n_tensors; i++) {
        if (exchange_sends_tensor_as_rows(exchange, &request->tensors[i]))
            add_gather_of_rows(exchange, request, &request->tensors[i]);
        else
            dense[dense_request.n_tensors++] = request->tensors[i];
    }
    if (dense_request.n_tensors > 0 &&
        !exchange_ops(exchange)->add(exchange, &dense_request, error))
        return FALSE;
    if (graph->lanes->len > n_lanes)
        put_gathers_on_lane(graph, n_lanes, first,
                            request->n_tensors - dense_request.n_tensors);
    return TRUE;
}
