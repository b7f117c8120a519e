/* soak_bounds.c - analytic bounds for random systems */
#include "tests/soak/soak_bounds.h"

#include <math.h>

#include "models/collectives/dimension_orders.h"
#include "validate/closed_form.h"

#define MEGA 1e6
#define GIGA 1e9
#define PS   1e12

/* ---- time bounds of kernels ---------------------------------------------- */

static ClosedShare closed_share_of_endpoint(const SoakCase *c,
                                            gboolean uses_side)
{
    gboolean holds =
        c->endpoint != SOAK_BASELINE || !c->only_while_communicating;
    double bytes_per_s = (double)c->hbm_mb_per_s * MEGA;
    uint64_t n_sms = c->n_sms;

    if (c->endpoint == SOAK_BASELINE && holds)
        n_sms -= c->endpoint_sms;
    if (uses_side)
        n_sms -= 1;
    if (!c->shared && c->endpoint != SOAK_IDEAL && holds)
        bytes_per_s -= (double)c->share_mb_per_s * MEGA;
    if (!c->shared && uses_side)
        bytes_per_s -= (double)c->side_mb_per_s * MEGA;
    return (ClosedShare){
        .flop_per_s = (double)c->gflops * GIGA,
        .n_sms_all = (uint32_t)c->n_sms,
        .n_sms = (uint32_t)n_sms,
        .sm_bytes_per_s = 64.0 * (double)c->clock_mhz * MEGA,
        .bytes_per_s = bytes_per_s,
    };
}

double soak_compute_bound_ps(const SoakCase *c, const OpGraph *graph,
                             gboolean *ret_is_exact)
{
    gboolean uses_side = FALSE;
    double sum_ps = 0;
    ClosedShare share;

    for (uint32_t i = 0; i < graph->ops->len; i++)
        uses_side |= op_graph_op(graph, i)->type == OP_COMPUTE &&
                     op_graph_op(graph, i)->stream == OP_STREAM_SIDE;
    share = closed_share_of_endpoint(c, uses_side);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COMPUTE || op->stream != OP_STREAM_MAIN)
            continue;
        if (op->work->measured_ps > 0)
            sum_ps += (double)op->work->measured_ps;
        else
            sum_ps += (double)c->launch_ns * 1000 *
                          (double)op_work_n_kernels(op->work) +
                      closed_kernel_ps(&share, (double)op->work->flop,
                                       (double)op->work->bytes);
    }
    /* With turnaround, the bandwidth of a kernel depends on its mix of reads
     * and writes. */
    *ret_is_exact =
        !c->shared && !c->perturbed && c->tile == 0 &&
        c->turnaround_percent == 0 && c->work != SOAK_MEASURED &&
        !(c->endpoint == SOAK_BASELINE && c->only_while_communicating);
    return sum_ps;
}

/* ---- bounds of sent bytes ------------------------------------------------ */

static gboolean uses_hierarchical_collective(const SoakCase *c, CollKind kind)
{
    return c->topology == SOAK_TORUS && kind < COLL_ALL_TO_ALL &&
           c->algorithm < 2;
}

/* Returns the payloads that a rank sends among @n ranks: all blocks but one,
 * and twice as many for an all-reduce. */
static double payloads_sent_per_rank(CollKind kind, double n)
{
    return (kind == COLL_ALL_REDUCE ? 2 : 1) * (n - 1) / n;
}

/* Orders of up to three dimensions.  The order of the platform is the first.
 * Orders of fewer dimensions are at the start, their numbers in n_orders. */
static const uint64_t orders[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
static const guint n_orders[] = { 1, 1, 2, 6 };

/* Returns the bytes sent in dimension @d per payload byte, with dimensions in
 * @order.  An all-reduce works on 1/size of the first dimension in all later
 * ones.  Other collectives divide the data further in each dimension. */
static double bytes_sent_in_dim_order(const SoakCase *c, CollKind kind,
                                      const uint64_t *order, uint64_t d)
{
    gboolean is_first = TRUE;
    double left = 1;

    for (uint64_t i = 0; order[i] != d; i++) {
        uint64_t size = c->dims[order[i]].size;

        if (kind != COLL_ALL_REDUCE || (is_first && size > 1))
            left *= (double)size;
        is_first &= size < 2;
    }
    return payloads_sent_per_rank(kind, (double)c->dims[d].size) / left;
}

/* Returns the smallest value over all orders that a chunk may take. */
static double bytes_sent_by_dim(const SoakCase *c, CollKind kind, uint64_t d)
{
    guint n = c->order == COLL_ORDER_FIXED ? 1 : n_orders[c->n_dims];
    double min = bytes_sent_in_dim_order(c, kind, orders[0], d);

    for (guint o = 1; o < n; o++)
        min = MIN(min, bytes_sent_in_dim_order(c, kind, orders[o], d));
    return min;
}

/* Returns the mean number of hops from a rank to all ranks of the dimension,
 * itself included. */
static double mean_hops_of_dim(const SoakDim *dim)
{
    double k = (double)dim->size;

    if (dim->one_way)
        return (k - 1) / 2;
    return dim->size % 2 == 0 ? k / 4 : (k * k - 1) / (4 * k);
}

static SoakRange bytes_sent_per_payload_byte(const SoakCase *c, CollKind kind)
{
    guint n = c->order == COLL_ORDER_FIXED ? 1 : n_orders[c->n_dims];
    SoakRange range = { INFINITY, 0 };

    if (!uses_hierarchical_collective(c, kind)) {
        double n_npus = soak_case_n_npus(c),
               sent = payloads_sent_per_rank(kind, n_npus);

        /* Each block but that of the root is sent once, to or from the root. */
        if (kind == COLL_GATHER || kind == COLL_SCATTER)
            sent /= n_npus;
        return (SoakRange){ sent, sent };
    }
    for (guint o = 0; o < n; o++) {
        double sum = 0;

        for (uint64_t d = 0; d < c->n_dims; d++)
            sum += bytes_sent_in_dim_order(c, kind, orders[o], d);
        range = (SoakRange){ MIN(range.min, sum), MAX(range.max, sum) };
    }
    return range;
}

SoakRange soak_sent_bytes_range(const SoakCase *c, const OpGraph *graph)
{
    SoakRange sum = { 0, 0 };

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        SoakRange each;

        if (op->type != OP_COLLECTIVE)
            continue;
        each = bytes_sent_per_payload_byte(c, op->kind);
        sum.min += (double)op->payload_bytes * each.min;
        sum.max += (double)op->payload_bytes * each.max;
    }
    return sum;
}

/* ---- time bounds of links ------------------------------------------------ */

/* Returns the bytes per payload byte that cross the links of dimension @d out
 * of an NPU.  Returns 0 for rooted collectives on a torus, because their tree
 * may use any links. */
static double link_bytes_per_payload_byte(const SoakCase *c, CollKind kind,
                                          uint64_t d)
{
    if (c->topology != SOAK_TORUS)
        return payloads_sent_per_rank(kind, soak_case_n_npus(c));
    if (kind > COLL_ALL_TO_ALL)
        return 0;
    if (uses_hierarchical_collective(c, kind))
        return bytes_sent_by_dim(c, kind, d);
    return (kind == COLL_ALL_REDUCE ? 2 : 1) * mean_hops_of_dim(&c->dims[d]);
}

/* Returns the bandwidth out of one NPU.  A fully connected NPU has a port to
 * each other NPU. */
static double bytes_per_s(const SoakCase *c, uint64_t d)
{
    const SoakDim *dim = &c->dims[d];
    double rate = (double)(dim->n_links * dim->mb_per_s) * MEGA *
                  (double)dim->efficiency_percent / 100;

    return c->topology == SOAK_FULL ? rate * (soak_case_n_npus(c) - 1) : rate;
}

double soak_link_bound_ps(const SoakCase *c, const OpGraph *graph)
{
    double longest_ps = 0;

    for (uint64_t d = 0; d < c->n_dims; d++) {
        double bytes = 0;

        for (uint32_t i = 0; i < graph->ops->len; i++) {
            const Op *op = op_graph_op(graph, i);

            if (op->type == OP_COLLECTIVE)
                bytes += (double)op->payload_bytes *
                         link_bytes_per_payload_byte(c, op->kind, d);
        }
        if (bytes > 0)
            longest_ps = MAX(longest_ps, bytes * PS / bytes_per_s(c, d));
    }
    return longest_ps;
}

/* ---- closed forms of whole runs ------------------------------------------ */

double soak_exact_time_ps(const SoakCase *c)
{
    double rate = bytes_per_s(c, 0), latency_ps, n = soak_case_n_npus(c);

    latency_ps = (double)c->dims[0].latency_ns * 1000;
    if (c->topology == SOAK_FULL)
        return (double)c->n_iterations *
               closed_all_to_all_pairs_ps((uint32_t)n, c->payload_bytes,
                                          rate / (n - 1), latency_ps);
    return (double)c->n_iterations *
           closed_ring_all_reduce_ps((uint32_t)n, c->payload_bytes, rate,
                                     latency_ps);
}
