/* pass.c - operations one after the other; see pass.h */
#include "workloads/transformer/pass.h"

void pass_wait_for(Pass *pass, uint32_t op, uint32_t on)
{
    if (on != SEGMENT_NONE)
        segment_builder_add_dependency(pass->b, op, on);
}

/* Makes @op wait for the weights of its group, if it is the first one behind
 * them. */
static void wait_for_gathered_weights(Pass *pass, uint32_t op)
{
    for (guint i = 0; i < G_N_ELEMENTS(pass->gathers); i++) {
        pass_wait_for(pass, op, pass->gathers[i]);
        pass->gathers[i] = SEGMENT_NONE;
    }
    if (pass->first_of_group == SEGMENT_NONE)
        pass->first_of_group = op;
}

void pass_append_op(Pass *pass, uint32_t op)
{
    pass_wait_for(pass, op, pass->last);
    wait_for_gathered_weights(pass, op);
    pass->last = op;
}

/* Adds a product of the training's precision without dependencies, or one with
 * weights of a layer, in @precision. */
static uint32_t append_product_without_wait(Pass *pass, const char *name,
                                            int precision, uint64_t m,
                                            uint64_t n, uint64_t k,
                                            uint64_t count, gboolean is_weight)
{
    SegmentBuilder b = *pass->b;

    if (precision > 0)
        b.node = pass->t->products_node;
    return segment_builder_add_product(
        &b, pass->module, name, precision,
        (ProgramProduct){
            .m = m, .n = n, .k = k, .count = count, .splits_sum = is_weight });
}

void pass_add_product(Pass *pass, const char *name, uint64_t m, uint64_t n,
                      uint64_t k, uint64_t count, gboolean is_weight)
{
    pass_append_op(pass,
                   append_product_without_wait(pass, name, pass->t->products, m,
                                               n, k, count, is_weight));
}

/* Adds a product whose operands are not quantised. */
void pass_add_plain_product(Pass *pass, const char *name, uint64_t m,
                            uint64_t n, uint64_t k, uint64_t count,
                            gboolean is_weight)
{
    pass_append_op(pass, append_product_without_wait(pass, name, 0, m, n, k,
                                                     count, is_weight));
}

static uint64_t bytes_times_ppm(uint64_t bytes, uint64_t ppm)
{
    return (uint64_t)((unsigned __int128)bytes * ppm / 1000000);
}

void pass_add_moving_kernel(Pass *pass, const char *name, uint64_t flop,
                            uint64_t read_bytes, uint64_t written_bytes)
{
    uint64_t ppm = pass->t->elementwise_ppm;

    pass_append_op(
        pass, segment_builder_add_kernel(pass->b, pass->module, name,
                                         KERNEL_CLASS_ELEMENTWISE, flop,
                                         bytes_times_ppm(read_bytes, ppm),
                                         bytes_times_ppm(written_bytes, ppm)));
}

/* Adds a kernel that reads and writes so many values. */
void pass_add_elementwise(Pass *pass, const char *name, uint64_t n_read,
                          uint64_t n_written)
{
    uint64_t v = pass->t->value_bytes;

    pass_add_moving_kernel(pass, name, n_read + n_written, n_read * v,
                           n_written * v);
}

/* Returns the bytes of @n quantised values with their scales. */
static uint64_t quantised_bytes(const Transformer *t, uint64_t n)
{
    return transformer_values_bytes(t, t->products, n);
}

/* Adds the quantisation of @n values, along rows and along columns. */
void pass_quantise(Pass *pass, uint64_t n)
{
    if (transformer_quantises_products(pass->t))
        pass_add_moving_kernel(pass, "quantise", 2 * n,
                               n * pass->t->value_bytes,
                               2 * quantised_bytes(pass->t, n));
}

uint32_t pass_append_collective_without_wait(Pass *pass, const char *name,
                                             CollKind kind, MeshAxis axis,
                                             uint64_t bytes)
{
    return segment_builder_add_collective(pass->b, pass->module, name, kind,
                                          mesh_axis_names[axis], bytes);
}

void pass_add_collective(Pass *pass, const char *name, CollKind kind,
                         MeshAxis axis, uint64_t n_values)
{
    if (transformer_axis_ranks(pass->t, axis) > 1)
        pass_append_op(
            pass, pass_append_collective_without_wait(
                      pass, name, kind, axis, n_values * pass->t->value_bytes));
}

/* Returns the bytes of all tokens, as they are gathered before products. */
static uint64_t bytes_of_gathered_tokens(const Transformer *t)
{
    return transformer_quantises_products(t)
               ? quantised_bytes(t, transformer_tp_group_values(t))
               : transformer_tp_group_values(t) * t->value_bytes;
}

/* Collects the tokens before a part whose products are divided. */
void pass_gather_tokens(Pass *pass)
{
    const Transformer *t = pass->t;

    if (t->divides_sequence)
        pass_append_op(pass, pass_append_collective_without_wait(
                                 pass, "gather", COLL_ALL_GATHER, MESH_TP,
                                 bytes_of_gathered_tokens(t)));
}

/* Quantises the tokens of a rank between parts. */
void pass_quantise_tokens(Pass *pass)
{
    pass_quantise(pass, transformer_rank_tokens_between_modules(pass->t) *
                            pass->t->model.hidden);
}

/* Returns piece @i of @n, of equal size but for rounding. */
static uint64_t size_of_equal_piece(const Transformer *t, uint64_t n,
                                    uint64_t i)
{
    return n * (i + 1) / t->n_pieces - n * i / t->n_pieces;
}

/* Gathers all tokens, with the product of @m rows that needs them. */
void pass_gather_with_product(Pass *pass, const char *name, uint64_t m,
                              uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;
    uint32_t before = pass->last, gather = SEGMENT_NONE, product;

    if (!transformer_overlaps_tp_collectives(t)) {
        pass_gather_tokens(pass);
        pass_add_product(pass, name, m, n, k, 1, FALSE);
        return;
    }
    for (uint64_t i = 0; i < t->n_pieces; i++) {
        uint32_t next = pass_append_collective_without_wait(
            pass, "gather", COLL_ALL_GATHER, MESH_TP,
            size_of_equal_piece(t, bytes_of_gathered_tokens(t), i));

        pass_wait_for(pass, next, i == 0 ? before : gather);
        if (i == 0)
            wait_for_gathered_weights(pass, next);
        gather = next;
        product = append_product_without_wait(pass, name, t->products,
                                              size_of_equal_piece(t, m, i), n,
                                              k, 1, FALSE);
        pass_wait_for(pass, product, gather);
        pass->last = product;
    }
}

/* Adds a product of @m rows, with the sum of its results. */
void pass_add_product_with_sum(Pass *pass, const char *name, uint64_t m,
                               uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;
    uint64_t bytes = transformer_tp_group_values(t) * t->value_bytes;
    uint32_t sum = SEGMENT_NONE;

    if (!transformer_overlaps_tp_collectives(t)) {
        pass_add_product(pass, name, m, n, k, 1, FALSE);
        pass_sum_tokens(pass);
        return;
    }
    for (uint64_t i = 0; i < t->n_pieces; i++) {
        uint32_t next;

        pass_add_product(pass, name, size_of_equal_piece(t, m, i), n, k, 1,
                         FALSE);
        next = pass_append_collective_without_wait(
            pass, "sum", COLL_REDUCE_SCATTER, MESH_TP,
            size_of_equal_piece(t, bytes, i));
        pass_wait_for(pass, next, pass->last);
        pass_wait_for(pass, next, sum);
        sum = next;
    }
    pass->last = sum;
}

/* Begins a gather of all tokens that later operations do not wait for, and
 * returns it. */
uint32_t pass_begin_overlapped_gather(Pass *pass)
{
    uint32_t gather = pass_append_collective_without_wait(
        pass, "gather", COLL_ALL_GATHER, MESH_TP,
        bytes_of_gathered_tokens(pass->t));

    pass_wait_for(pass, gather, pass->last);
    return gather;
}

/* Begins the sum of the product before it, and returns it. */
uint32_t pass_begin_overlapped_sum(Pass *pass)
{
    uint32_t sum = pass_append_collective_without_wait(
        pass, "sum", COLL_REDUCE_SCATTER, MESH_TP,
        transformer_tp_group_values(pass->t) * pass->t->value_bytes);

    pass_wait_for(pass, sum, pass->last);
    return sum;
}

/* A host launches the kernels of a layer one by one.  Here it launches them in
 * this number of groups, which keeps programs small (assumed).  With 4 or 16
 * pieces, steps of GPT-3 on 64 A100 differ by less than half a percent. */
#define N_LAUNCHES 8

void pass_launch_begin(Pass *pass, uint64_t time_ps)
{
    if (time_ps == 0)
        return;
    pass->launch = pass->b->segment->ops->len;
    for (uint64_t i = 0; i < N_LAUNCHES; i++)
        segment_builder_add_host_time(pass->b, "host", "launch",
                                      time_ps * (i + 1) / N_LAUNCHES -
                                          time_ps * i / N_LAUNCHES,
                                      !pass->t->host.synchronises);
}

void pass_launch_end(Pass *pass)
{
    uint32_t first = pass->launch + N_LAUNCHES, last = SEGMENT_NONE;
    uint32_t n = pass->b->segment->ops->len - first;

    if (pass->launch == SEGMENT_NONE)
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t piece = pass->launch + i * N_LAUNCHES / n;

        if (piece != last)
            pass_wait_for(pass, first + i, piece);
        last = piece;
    }
    pass->launch = SEGMENT_NONE;
}

/* Sums the results of a part. */
void pass_sum_tokens(Pass *pass)
{
    pass_add_collective(pass, "sum",
                        pass->t->divides_sequence ? COLL_REDUCE_SCATTER
                                                  : COLL_ALL_REDUCE,
                        MESH_TP, transformer_tp_group_values(pass->t));
}

void pass_add_norm(Pass *pass, gboolean is_backward)
{
    uint64_t n = transformer_rank_tokens_between_modules(pass->t) *
                 pass->t->model.hidden;

    /* forward: input and residual in, sum and norm out; backward: gradient,
     * input and gradient of the residual in, gradient out */
    pass_add_elementwise(pass, "norm", is_backward ? 3 * n : 2 * n,
                         is_backward ? n : 2 * n);
}

gboolean pass_recomputes(const Pass *pass, RecomputeWord piece)
{
    return !pass->is_repeated && recompute_has(pass->t->recompute, piece);
}

void pass_recompute_norm(Pass *pass, gboolean quantises)
{
    if (!pass_recomputes(pass, RECOMPUTE_NORMS))
        return;
    pass_add_norm(pass, FALSE);
    if (quantises)
        pass_quantise_tokens(pass);
}
