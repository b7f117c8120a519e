/* transformer.c - kernels and collectives of a language model's passes */
#include "workloads/transformer/transformer.h"

#include <math.h>

/* A pass adds its operations one after the other. */
typedef struct {
    const Transformer *t;
    SegmentBuilder *b;
    const char *part; /* in reports; static */
    uint64_t layer;   /* which is added */
    uint32_t last;    /* operation, or SEGMENT_NONE */
    /* The next operation waits for a launch and for the gathers of the weights
     * of its group; SEGMENT_NONE: for none. */
    uint32_t launch, gathers[2];
    /* The first operation of the group, or SEGMENT_NONE so far. */
    uint32_t first_of_group;
    GArray *ends;   /* owned: of uint32_t: last operations of groups so far */
    GArray *groups; /* owned: of TransformerGroup */
    GArray *marks;  /* borrowed: of TransformerMark */
} Pass;

static const char embedding_part[] = "embedding";
static const char attention_part[] = "attention";
static const char dense_part[] = "mlp";
static const char expert_part[] = "experts";
static const char head_part[] = "head";
static const char sharded_part[] = "sharded weights";

static uint32_t axis_size(const Transformer *t, MeshAxis axis)
{
    return t->mesh->sizes[axis];
}

static uint64_t tp(const Transformer *t)
{
    return axis_size(t, MESH_TP);
}

/* Returns the tokens of a rank in a micro-batch. */
static uint64_t transformer_tokens(const Transformer *t)
{
    return t->micro_batch * t->sequence / axis_size(t, MESH_CP);
}

/* Returns the tokens of a rank between the parts of a layer. */
static uint64_t tokens_between(const Transformer *t)
{
    return t->divides_sequence ? transformer_tokens(t) / tp(t)
                               : transformer_tokens(t);
}

uint64_t transformer_boundary_bytes(const Transformer *t)
{
    return tokens_between(t) * t->model.hidden * t->value_bytes;
}

/* ---- steps of a pass ----------------------------------------------------- */

static void wait_for(Pass *pass, uint32_t op, uint32_t on)
{
    if (on != SEGMENT_NONE)
        segment_builder_after(pass->b, op, on);
}

/* Makes @op wait for the launch and the weights of its group, if it is the
 * first one behind them. */
static void wait_for_start(Pass *pass, uint32_t op)
{
    uint32_t *const starts[] = { &pass->launch, &pass->gathers[0],
                                 &pass->gathers[1] };

    for (guint i = 0; i < G_N_ELEMENTS(starts); i++) {
        wait_for(pass, op, *starts[i]);
        *starts[i] = SEGMENT_NONE;
    }
    if (pass->first_of_group == SEGMENT_NONE)
        pass->first_of_group = op;
}

static void chain(Pass *pass, uint32_t op)
{
    wait_for(pass, op, pass->last);
    wait_for_start(pass, op);
    pass->last = op;
}

/* Adds a product of the training's precision without dependencies, or one with
 * weights of a layer, in @precision. */
static uint32_t new_product(Pass *pass, const char *name, int precision,
                            uint64_t m, uint64_t n, uint64_t k, uint64_t count,
                            gboolean is_weight)
{
    SegmentBuilder b = *pass->b;

    if (precision > 0)
        b.node = pass->t->products_node;
    return segment_builder_product(
        &b, pass->part, name, precision,
        (ProgramProduct){
            .m = m, .n = n, .k = k, .count = count, .splits_sum = is_weight });
}

static void add_product(Pass *pass, const char *name, uint64_t m, uint64_t n,
                        uint64_t k, uint64_t count, gboolean is_weight)
{
    chain(pass, new_product(pass, name, pass->t->products, m, n, k, count,
                            is_weight));
}

/* Adds a product whose operands are not quantised. */
static void add_plain_product(Pass *pass, const char *name, uint64_t m,
                              uint64_t n, uint64_t k, uint64_t count,
                              gboolean is_weight)
{
    chain(pass, new_product(pass, name, 0, m, n, k, count, is_weight));
}

static uint64_t scale_bytes(uint64_t bytes, uint64_t ppm)
{
    return (uint64_t)((unsigned __int128)bytes * ppm / 1000000);
}

static void add_moving_kernel(Pass *pass, const char *name, uint64_t flop,
                              uint64_t read_bytes, uint64_t written_bytes)
{
    uint64_t ppm = pass->t->elementwise_ppm;

    chain(pass, segment_builder_kernel(pass->b, pass->part, name,
                                       KERNEL_CLASS_ELEMENTWISE, flop,
                                       scale_bytes(read_bytes, ppm),
                                       scale_bytes(written_bytes, ppm)));
}

/* Adds a kernel that reads and writes so many values. */
static void add_elementwise(Pass *pass, const char *name, uint64_t n_read,
                            uint64_t n_written)
{
    uint64_t v = pass->t->value_bytes;

    add_moving_kernel(pass, name, n_read + n_written, n_read * v,
                      n_written * v);
}

/* Returns whether @precision, 0 or a Precision + 1, is one of 8 bits or less.
 */
static gboolean is_narrow(int precision)
{
    return precision > PRECISION_FP8;
}

static gboolean is_quantised(const Transformer *t)
{
    return is_narrow(t->products);
}

/* Returns the bytes of @n values of @precision, with their scales. */
static uint64_t bytes_of_values(const Transformer *t, int precision, uint64_t n)
{
    if (precision == 0)
        return n * t->value_bytes;
    switch ((Precision)(precision - 1)) {
    case PRECISION_MXFP8:
        return n + n / 32;
    case PRECISION_NVFP4:
        return n / 2 + n / 16;
    default:
        return n * precision_bytes(precision - 1);
    }
}

/* Returns the bytes of @n quantised values with their scales. */
static uint64_t quantised_bytes(const Transformer *t, uint64_t n)
{
    return bytes_of_values(t, t->products, n);
}

/* Adds the quantisation of @n values, along rows and along columns. */
static void quantise(Pass *pass, uint64_t n)
{
    if (is_quantised(pass->t))
        add_moving_kernel(pass, "quantise", 2 * n, n * pass->t->value_bytes,
                          2 * quantised_bytes(pass->t, n));
}

static uint32_t new_collective(Pass *pass, const char *name, CollKind kind,
                               MeshAxis axis, uint64_t bytes)
{
    return segment_builder_collective(pass->b, pass->part, name, kind,
                                      mesh_axis_names[axis], bytes);
}

static void add_collective(Pass *pass, const char *name, CollKind kind,
                           MeshAxis axis, uint64_t n_values)
{
    if (axis_size(pass->t, axis) > 1)
        chain(pass, new_collective(pass, name, kind, axis,
                                   n_values * pass->t->value_bytes));
}

/* Returns the values of all tokens of the tensor-parallel group. */
static uint64_t whole_values(const Transformer *t)
{
    return transformer_tokens(t) * t->model.hidden;
}

/* Returns the bytes of all tokens, as they are gathered before products. */
static uint64_t gathered_bytes(const Transformer *t)
{
    return is_quantised(t) ? quantised_bytes(t, whole_values(t))
                           : whole_values(t) * t->value_bytes;
}

/* Collects the tokens before a part whose products are divided. */
static void gather_tokens(Pass *pass)
{
    const Transformer *t = pass->t;

    if (t->divides_sequence)
        chain(pass, new_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                                   gathered_bytes(t)));
}

/* Quantises the tokens of a rank between parts. */
static void quantise_tokens(Pass *pass)
{
    quantise(pass, tokens_between(pass->t) * pass->t->model.hidden);
}

/* Returns whether collectives of tp go on beside products. */
static gboolean overlaps(const Transformer *t)
{
    return t->divides_sequence && t->n_pieces > 1;
}

/* Returns piece @i of @n, of equal size but for rounding. */
static uint64_t piece_of(const Transformer *t, uint64_t n, uint64_t i)
{
    return n * (i + 1) / t->n_pieces - n * i / t->n_pieces;
}

/* Gathers all tokens, with the product of @m rows that needs them. */
static void gather_with_product(Pass *pass, const char *name, uint64_t m,
                                uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;
    uint32_t before = pass->last, gather = SEGMENT_NONE, product;

    if (!overlaps(t)) {
        gather_tokens(pass);
        add_product(pass, name, m, n, k, 1, FALSE);
        return;
    }
    for (uint64_t i = 0; i < t->n_pieces; i++) {
        uint32_t next = new_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                                       piece_of(t, gathered_bytes(t), i));

        wait_for(pass, next, i == 0 ? before : gather);
        if (i == 0)
            wait_for_start(pass, next);
        gather = next;
        product = new_product(pass, name, t->products, piece_of(t, m, i), n, k,
                              1, FALSE);
        wait_for(pass, product, gather);
        pass->last = product;
    }
}

static void sum_tokens(Pass *pass);

/* Adds a product of @m rows, with the sum of its results. */
static void product_with_sum(Pass *pass, const char *name, uint64_t m,
                             uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;
    uint64_t bytes = whole_values(t) * t->value_bytes;
    uint32_t sum = SEGMENT_NONE;

    if (!overlaps(t)) {
        add_product(pass, name, m, n, k, 1, FALSE);
        sum_tokens(pass);
        return;
    }
    for (uint64_t i = 0; i < t->n_pieces; i++) {
        uint32_t next;

        add_product(pass, name, piece_of(t, m, i), n, k, 1, FALSE);
        next = new_collective(pass, "sum", COLL_REDUCE_SCATTER, MESH_TP,
                              piece_of(t, bytes, i));
        wait_for(pass, next, pass->last);
        wait_for(pass, next, sum);
        sum = next;
    }
    pass->last = sum;
}

/* Begins a gather of all tokens that later operations do not wait for, and
 * returns it. */
static uint32_t begin_gather(Pass *pass)
{
    uint32_t gather = new_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                                     gathered_bytes(pass->t));

    wait_for(pass, gather, pass->last);
    return gather;
}

/* Begins the sum of the product before it, and returns it. */
static uint32_t begin_sum(Pass *pass)
{
    uint32_t sum = new_collective(pass, "sum", COLL_REDUCE_SCATTER, MESH_TP,
                                  whole_values(pass->t) * pass->t->value_bytes);

    wait_for(pass, sum, pass->last);
    return sum;
}

/* Adds the launch of the kernels that follow. */
static void launch(Pass *pass, uint64_t time_ps)
{
    if (time_ps == 0)
        return;
    pass->launch = segment_builder_host(pass->b, "host", "launch", time_ps,
                                        !pass->t->host.synchronises);
}

/* Sums the results of a part. */
static void sum_tokens(Pass *pass)
{
    add_collective(pass, "sum",
                   pass->t->divides_sequence ? COLL_REDUCE_SCATTER
                                             : COLL_ALL_REDUCE,
                   MESH_TP, whole_values(pass->t));
}

static void add_norm(Pass *pass, gboolean is_backward)
{
    uint64_t n = tokens_between(pass->t) * pass->t->model.hidden;

    /* forward: input and residual in, sum and norm out; backward: gradient,
     * input and gradient of the residual in, gradient out */
    add_elementwise(pass, "norm", is_backward ? 3 * n : 2 * n,
                    is_backward ? n : 2 * n);
}

/* ---- attention ----------------------------------------------------------- */

/* Values of a token in queries, keys with values, and outputs of a rank. */
typedef struct {
    uint64_t query, key_value, output, score; /* .score: for the products with
                                                 keys, and with values */
} AttentionShape;

static AttentionShape attention_shape(const Transformer *t)
{
    const LanguageModel *m = &t->model;
    uint64_t a = m->n_heads / tp(t);

    if (m->latent.is_used) {
        uint64_t d = m->latent.other + m->latent.rotary;

        return (AttentionShape){ a * d, a * (d + m->latent.value),
                                 a * m->latent.value,
                                 a * (d + m->latent.value) };
    }
    return (AttentionShape){ a * m->head_size,
                             2 * m->n_key_value_heads / tp(t) * m->head_size,
                             a * m->head_size, 2 * a * m->head_size };
}

/* Returns the tokens that a token attends to, times 2 * DOCUMENTS_WHOLE. */
static uint64_t attention_reach(const Transformer *t, uint64_t layer)
{
    return documents_reach(t->documents, t->sequence,
                           language_model_window(&t->model, layer),
                           t->model.is_causal);
}

/* Returns the FLOP of attention of a rank, forward. */
static uint64_t attention_flop(const Transformer *t, uint64_t layer)
{
    unsigned __int128 flop = (unsigned __int128)transformer_tokens(t) *
                             attention_shape(t).score *
                             attention_reach(t, layer);

    return (uint64_t)MIN(flop / DOCUMENTS_WHOLE, UINT64_MAX);
}

/* Adds a product of each head: @m x @n results, sums of @k. */
static void add_head_products(Pass *pass, const char *name, uint64_t m,
                              uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;

    add_plain_product(pass, name, m, n, k,
                      t->micro_batch * t->model.n_heads / tp(t), FALSE);
}

/* The scores of a rank: queries, keys, values of a head and all scores. */
typedef struct {
    uint64_t n_queries, n_keys, size, n;
} Scores;

static Scores scores_of_rank(const Transformer *t)
{
    Scores s = { .n_queries = t->sequence / axis_size(t, MESH_CP),
                 .n_keys = t->sequence,
                 .size =
                     attention_shape(t).score / 2 * tp(t) / t->model.n_heads };

    s.n = t->micro_batch * t->model.n_heads / tp(t) * s.n_queries * s.n_keys;
    return s;
}

/* Adds scores and what softmax and dropout make of them, in memory. */
static void add_probabilities(Pass *pass)
{
    Scores s = scores_of_rank(pass->t);
    uint64_t mask = s.n / pass->t->value_bytes;

    add_head_products(pass, "scores", s.n_queries, s.n_keys, s.size);
    add_elementwise(pass, "softmax", s.n, s.n);
    if (pass->t->model.has_dropout)
        add_elementwise(pass, "dropout", s.n, s.n + mask);
}

static void add_unfused_attention(Pass *pass, gboolean is_backward)
{
    Scores s = scores_of_rank(pass->t);
    uint64_t mask = s.n / pass->t->value_bytes;

    if (!is_backward || pass->t->recompute == RECOMPUTE_SELECTIVE)
        add_probabilities(pass);
    if (!is_backward) {
        add_head_products(pass, "context", s.n_queries, s.size, s.n_keys);
        return;
    }
    add_head_products(pass, "context", s.n_queries, s.n_keys, s.size);
    add_head_products(pass, "context", s.n_keys, s.size, s.n_queries);
    if (pass->t->model.has_dropout)
        add_elementwise(pass, "dropout", s.n + mask, s.n);
    add_elementwise(pass, "softmax", 2 * s.n, s.n);
    add_head_products(pass, "scores", s.n_queries, s.size, s.n_keys);
    add_head_products(pass, "scores", s.n_keys, s.size, s.n_queries);
}

static void add_attention_core(Pass *pass, gboolean is_backward)
{
    const Transformer *t = pass->t;
    AttentionShape shape = attention_shape(t);
    uint64_t n = transformer_tokens(t), v = t->value_bytes;
    uint64_t all = n * (shape.query + shape.output) +
                   n * axis_size(t, MESH_CP) * shape.key_value;
    uint64_t flop = attention_flop(t, pass->layer);

    if (!t->is_fused) {
        add_unfused_attention(pass, is_backward);
        return;
    }
    /* The backward pass reads queries, keys, values, outputs and the gradient
     * of outputs, and writes the gradients of queries, keys and values. */
    chain(
        pass,
        segment_builder_kernel(
            pass->b, pass->part, "scores",
            is_backward ? KERNEL_CLASS_ATTENTION_GRADIENT
                        : KERNEL_CLASS_ATTENTION,
            is_backward ? flop * 5 / 2 : flop,
            (is_backward ? all + n * shape.output : all - n * shape.output) * v,
            (is_backward ? all - n * shape.output : n * shape.output) * v));
}

/* Calls @add for each product of attention before the scores: rows, columns
 * and terms of its weights. */
static void for_projections(Pass *pass,
                            void (*add)(Pass *pass, const char *name,
                                        uint64_t in, uint64_t out))
{
    const LanguageModel *m = &pass->t->model;
    const LatentAttention *latent = &m->latent;
    AttentionShape shape = attention_shape(pass->t);

    if (!latent->is_used) {
        add(pass, "qkv", m->hidden, shape.query + shape.key_value);
        return;
    }
    if (latent->query_rank > 0) {
        add(pass, "query_down", m->hidden, latent->query_rank);
        add(pass, "query_up", latent->query_rank, shape.query);
    } else {
        add(pass, "query", m->hidden, shape.query);
    }
    add(pass, "key_value_down", m->hidden,
        latent->key_value_rank + latent->rotary);
    add(pass, "key_value_up", latent->key_value_rank,
        m->n_heads / tp(pass->t) * (latent->other + latent->value));
}

static void add_forward_product(Pass *pass, const char *name, uint64_t in,
                                uint64_t out)
{
    add_product(pass, name, transformer_tokens(pass->t), out, in, 1, FALSE);
}

static void add_input_product(Pass *pass, const char *name, uint64_t in,
                              uint64_t out)
{
    add_product(pass, name, transformer_tokens(pass->t), in, out, 1, FALSE);
}

static void add_weight_product(Pass *pass, const char *name, uint64_t in,
                               uint64_t out)
{
    add_product(pass, name, in, out, transformer_tokens(pass->t), 1, TRUE);
}

static uint64_t gathered_key_values(const Transformer *t)
{
    return transformer_tokens(t) * axis_size(t, MESH_CP) *
           attention_shape(t).key_value;
}

static void add_attention_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    AttentionShape shape = attention_shape(t);
    uint64_t n = transformer_tokens(t);

    pass->part = attention_part;
    add_norm(pass, FALSE);
    quantise_tokens(pass);
    if (t->model.latent.is_used) {
        gather_tokens(pass);
        for_projections(pass, add_forward_product);
    } else {
        gather_with_product(pass, "qkv", n, shape.query + shape.key_value,
                            t->model.hidden);
    }
    add_collective(pass, "keys", COLL_ALL_GATHER, MESH_CP,
                   gathered_key_values(t));
    add_attention_core(pass, FALSE);
    quantise(pass, n * shape.output);
    product_with_sum(pass, "output", n, t->model.hidden, shape.output);
}

static void add_attention_backward(Pass *pass, gboolean inputs,
                                   gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t out = attention_shape(t).output, h = t->model.hidden;
    uint64_t n = transformer_tokens(t);
    gboolean is_beside = overlaps(t) && inputs && weights;
    uint32_t gather = SEGMENT_NONE, sum = SEGMENT_NONE;

    pass->part = attention_part;
    if (inputs) {
        quantise_tokens(pass);
        gather_with_product(pass, "output", n, out, h);
    }
    if (weights)
        add_weight_product(pass, "output", out, h);
    if (inputs) {
        add_collective(pass, "keys", COLL_ALL_GATHER, MESH_CP,
                       gathered_key_values(t));
        add_attention_core(pass, TRUE);
        add_collective(pass, "keys", COLL_REDUCE_SCATTER, MESH_CP,
                       gathered_key_values(t));
        quantise(pass,
                 n * (attention_shape(t).query + attention_shape(t).key_value));
        if (is_beside)
            gather = begin_gather(pass);
        for_projections(pass, add_input_product);
        if (is_beside)
            sum = begin_sum(pass);
        else
            sum_tokens(pass);
    }
    if (weights) {
        if (is_beside)
            pass->last = gather;
        else
            gather_tokens(pass); /* the input, which is kept by tokens */
        for_projections(pass, add_weight_product);
    }
    if (inputs)
        add_norm(pass, TRUE);
    if (sum != SEGMENT_NONE)
        segment_builder_after(pass->b, pass->last, sum);
}

/* ---- the dense feed-forward part ----------------------------------------- */

static uint64_t gate_factor(const Transformer *t)
{
    return t->model.is_gated ? 2 : 1;
}

/* Adds @count feed-forward parts of @m quantised tokens with @ffn values
 * inside. */
static void add_ffn_forward(Pass *pass, uint64_t m, uint64_t ffn,
                            uint64_t count)
{
    uint64_t h = pass->t->model.hidden, g = gate_factor(pass->t);

    add_product(pass, "up", m, g * ffn, h, count, FALSE);
    add_elementwise(pass, "activation", count * m * g * ffn, count * m * ffn);
    quantise(pass, count * m * ffn);
    add_product(pass, "down", m, h, ffn, count, FALSE);
}

static void add_ffn_backward(Pass *pass, uint64_t m, uint64_t ffn,
                             uint64_t count, gboolean inputs, gboolean weights)
{
    uint64_t h = pass->t->model.hidden, g = gate_factor(pass->t);

    if (inputs)
        add_product(pass, "down", m, ffn, h, count, FALSE);
    if (weights)
        add_product(pass, "down", ffn, h, m, count, TRUE);
    if (inputs) {
        add_elementwise(pass, "activation", count * m * (g + 1) * ffn,
                        count * m * g * ffn);
        quantise(pass, count * m * g * ffn);
        add_product(pass, "up", m, h, g * ffn, count, FALSE);
    }
    if (weights)
        add_product(pass, "up", h, g * ffn, m, count, TRUE);
}

static void add_dense_forward(Pass *pass)
{
    const Transformer *t = pass->t;

    uint64_t m = transformer_tokens(t), ffn = t->model.ffn / tp(t);
    uint64_t h = t->model.hidden, g = gate_factor(t);

    pass->part = dense_part;
    add_norm(pass, FALSE);
    quantise_tokens(pass);
    gather_with_product(pass, "up", m, g * ffn, h);
    add_elementwise(pass, "activation", m * g * ffn, m * ffn);
    quantise(pass, m * ffn);
    product_with_sum(pass, "down", m, h, ffn);
}

/* Adds the gradients of inputs and weights, with collectives beside products.
 */
static void add_dense_backward_beside(Pass *pass)
{
    const Transformer *t = pass->t;
    uint64_t m = transformer_tokens(t), ffn = t->model.ffn / tp(t);
    uint64_t h = t->model.hidden, g = gate_factor(t);
    uint32_t gather, sum;

    quantise_tokens(pass);
    gather_with_product(pass, "down", m, ffn, h);
    add_product(pass, "down", ffn, h, m, 1, TRUE);
    add_elementwise(pass, "activation", m * (g + 1) * ffn, m * g * ffn);
    quantise(pass, m * g * ffn);
    gather = begin_gather(pass);
    add_product(pass, "up", m, h, g * ffn, 1, FALSE);
    sum = begin_sum(pass);
    pass->last = gather;
    add_product(pass, "up", h, g * ffn, m, 1, TRUE);
    add_norm(pass, TRUE);
    segment_builder_after(pass->b, pass->last, sum);
}

static void add_dense_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;

    pass->part = dense_part;
    if (overlaps(t) && inputs && weights) {
        add_dense_backward_beside(pass);
        return;
    }
    quantise_tokens(pass);
    gather_tokens(pass); /* the gradient of the output */
    add_ffn_backward(pass, transformer_tokens(t), t->model.ffn / tp(t), 1,
                     inputs, weights);
    if (inputs && weights)
        gather_tokens(pass); /* the input, which is kept by tokens */
    if (!inputs)
        return;
    sum_tokens(pass);
    add_norm(pass, TRUE);
}

/* ---- experts ------------------------------------------------------------- */

static uint64_t experts_of_rank(const Transformer *t)
{
    return t->model.experts.n_experts / axis_size(t, MESH_EP);
}

static gboolean has_uneven_load(const Transformer *t)
{
    return t->load && t->load->ranks.n > 0;
}

/* Returns the mean number of tokens that reach an expert of the fullest rank.
 */
static uint64_t tokens_of_expert(const Transformer *t)
{
    uint64_t n =
        tokens_between(t) * axis_size(t, MESH_EP) * t->model.experts.n_chosen;

    if (has_uneven_load(t))
        return (uint64_t)ceil((double)n * t->load->fullest /
                              (double)experts_of_rank(t));
    return MAX(
        (n + t->model.experts.n_experts - 1) / t->model.experts.n_experts, 1);
}

/* Adds an all-to-all of @n_values on @axis behind the operations @a and @b, if
 * the axis has several ranks.  Returns the last operation of it. */
static uint32_t add_all_to_all(Pass *pass, const char *name, MeshAxis axis,
                               int precision, uint64_t n_values, uint32_t a,
                               uint32_t b)
{
    const Transformer *t = pass->t;
    uint32_t op;

    if (axis_size(t, axis) == 1)
        return a;
    op = new_collective(pass, name, COLL_ALL_TO_ALL, axis,
                        bytes_of_values(t, precision, n_values));
    wait_for(pass, op, a);
    wait_for(pass, op, b);
    return op;
}

/* Adds the way of the chosen tokens by node: between nodes first, or inside
 * them first on the way back. */
static void exchange_by_node(Pass *pass, const char *name, int precision,
                             gboolean is_back)
{
    const Transformer *t = pass->t;
    const ExpertCopies copies = expert_exchange_copies(
        &t->exchange, tokens_between(t), t->model.experts.n_experts,
        t->model.experts.n_chosen, axis_size(t, MESH_EP_NODES),
        axis_size(t, MESH_EP_LOCAL));
    const MeshAxis axes[] = { is_back ? MESH_EP_LOCAL : MESH_EP_NODES,
                              is_back ? MESH_EP_NODES : MESH_EP_LOCAL };
    const uint64_t n[] = { is_back ? copies.inside : copies.between,
                           is_back ? copies.between : copies.inside };
    uint64_t n_pieces = t->exchange.n_pieces;
    uint32_t last[] = { pass->last, SEGMENT_NONE };

    for (uint64_t i = 0; i < n_pieces; i++)
        for (guint step = 0; step < 2; step++) {
            uint64_t n_own =
                n[step] * (i + 1) / n_pieces - n[step] * i / n_pieces;

            last[step] = add_all_to_all(pass, name, axes[step], precision,
                                        n_own * t->model.hidden, last[0],
                                        step == 0 ? SEGMENT_NONE : last[1]);
        }
    pass->last = last[1];
}

/* Adds the way of all chosen tokens to their experts, or back. */
static void exchange_tokens(Pass *pass, const char *name, int precision,
                            gboolean is_back)
{
    const Transformer *t = pass->t;
    uint64_t n = tokens_between(t) * t->model.hidden;
    uint64_t n_chosen = n * t->model.experts.n_chosen;
    uint64_t n_copies = t->n_copies == CONFIG_AUTO ? n_chosen : n * t->n_copies;

    add_moving_kernel(pass, "permute", n + n_chosen,
                      bytes_of_values(t, precision, n),
                      bytes_of_values(t, precision, n_chosen));
    if (axis_size(t, MESH_EP_LOCAL) > 1) {
        exchange_by_node(pass, name, precision, is_back);
        return;
    }
    if (axis_size(t, MESH_EP) == 1)
        return;
    chain(pass, new_collective(
                    pass, name,
                    has_uneven_load(t) ? COLL_ALL_TO_ALLV : COLL_ALL_TO_ALL,
                    MESH_EP, bytes_of_values(t, precision, n_copies)));
    if (has_uneven_load(t))
        segment_builder_weigh(pass->b, pass->last, &t->load->ranks);
}

static uint64_t arrived_values(const Transformer *t)
{
    return experts_of_rank(t) * tokens_of_expert(t) * t->model.hidden;
}

/* Quantises the tokens that have arrived at the experts of a rank. */
static void quantise_arrived(Pass *pass)
{
    quantise(pass, arrived_values(pass->t));
}

/* Adds a kernel that quantises @n values to @precision, if that is narrow. */
static void quantise_to(Pass *pass, int precision, uint64_t n)
{
    if (is_narrow(precision))
        add_moving_kernel(pass, "quantise", n, n * pass->t->value_bytes,
                          bytes_of_values(pass->t, precision, n));
}

/* Adds a kernel that restores @n values of @precision, if that is narrow. */
static void restore_from(Pass *pass, int precision, uint64_t n)
{
    if (is_narrow(precision))
        add_moving_kernel(pass, "restore", n,
                          bytes_of_values(pass->t, precision, n),
                          n * pass->t->value_bytes);
}

/* Sends tokens, or gradients of results, to the experts, which get them
 * quantised if the products are. */
static void send_to_experts(Pass *pass, const char *name)
{
    const Transformer *t = pass->t;
    int precision = t->exchange.dispatch;

    quantise_to(pass, precision, tokens_between(t) * t->model.hidden);
    exchange_tokens(pass, name, precision, FALSE);
    if (!is_narrow(precision))
        quantise_arrived(pass);
    else if (!is_quantised(t))
        restore_from(pass, precision, arrived_values(t));
}

/* Returns results, or gradients of tokens, from the experts. */
static void return_from_experts(Pass *pass, const char *name)
{
    const Transformer *t = pass->t;
    int precision = t->exchange.combine;

    quantise_to(pass, precision, arrived_values(t));
    exchange_tokens(pass, name, precision, TRUE);
    restore_from(pass, precision, tokens_between(t) * t->model.hidden);
}

static void add_shared_experts(Pass *pass, gboolean is_forward, gboolean inputs,
                               gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t ffn = t->model.experts.n_shared * t->model.experts.ffn;

    if (ffn == 0)
        return;
    quantise_tokens(pass);
    if (is_forward)
        add_ffn_forward(pass, tokens_between(t), ffn, 1);
    else
        add_ffn_backward(pass, tokens_between(t), ffn, 1, inputs, weights);
}

static void add_experts_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    const ModelExperts *experts = &t->model.experts;

    pass->part = expert_part;
    add_norm(pass, FALSE);
    add_plain_product(pass, "router", tokens_between(t), experts->n_experts,
                      t->model.hidden, 1, FALSE);
    send_to_experts(pass, "dispatch");
    add_ffn_forward(pass, tokens_of_expert(t), experts->ffn,
                    experts_of_rank(t));
    return_from_experts(pass, "combine");
    add_shared_experts(pass, TRUE, TRUE, TRUE);
}

static void add_experts_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;
    const ModelExperts *experts = &t->model.experts;
    uint64_t n = tokens_between(t);

    pass->part = expert_part;
    add_shared_experts(pass, FALSE, inputs, weights);
    if (inputs)
        send_to_experts(pass, "combine");
    else
        quantise_arrived(pass);
    add_ffn_backward(pass, tokens_of_expert(t), experts->ffn,
                     experts_of_rank(t), inputs, weights);
    if (inputs) {
        return_from_experts(pass, "dispatch");
        add_plain_product(pass, "router", n, t->model.hidden,
                          experts->n_experts, 1, FALSE);
    }
    if (weights)
        add_plain_product(pass, "router", t->model.hidden, experts->n_experts,
                          n, 1, TRUE);
    if (inputs)
        add_norm(pass, TRUE);
}

/* ---- embedding and head -------------------------------------------------- */

static uint64_t words_of_rank(const Transformer *t)
{
    return (t->model.vocabulary + tp(t) - 1) / tp(t);
}

static void add_embedding(Pass *pass)
{
    uint64_t n = whole_values(pass->t);

    pass->part = embedding_part;
    add_elementwise(pass, "lookup", n, n);
    sum_tokens(pass);
}

static void add_head_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    uint64_t n = transformer_tokens(t) * words_of_rank(t);

    pass->part = head_part;
    add_norm(pass, FALSE);
    if (t->divides_sequence)
        add_collective(pass, "gather", COLL_ALL_GATHER, MESH_TP,
                       whole_values(t));
    add_plain_product(pass, "logits", transformer_tokens(t), words_of_rank(t),
                      t->model.hidden, 1, FALSE);
    add_elementwise(pass, "loss", n, n / words_of_rank(t));
    add_collective(pass, "loss", COLL_ALL_REDUCE, MESH_TP,
                   2 * transformer_tokens(t)); /* largest logits, and sums */
}

static void add_head_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t n = transformer_tokens(t) * words_of_rank(t);

    pass->part = head_part;
    if (inputs) {
        add_elementwise(pass, "loss", n, n);
        add_plain_product(pass, "logits", transformer_tokens(t),
                          t->model.hidden, words_of_rank(t), 1, FALSE);
        sum_tokens(pass);
    }
    if (weights)
        add_plain_product(pass, "logits", t->model.hidden, words_of_rank(t),
                          transformer_tokens(t), 1, TRUE);
    if (inputs)
        add_norm(pass, TRUE);
}

/* ---- groups of weights --------------------------------------------------- */

static TransformerGroup layer_group(const Transformer *t, uint64_t layer)
{
    const LanguageModel *m = &t->model;
    TransformerGroup group = { .n_dense =
                                   language_model_attention_weights(m) / tp(t) +
                                   2 * language_model_norm_weights(m) };

    if (language_model_has_experts(m, layer)) {
        group.n_dense += language_model_shared_weights(m);
        group.n_experts = experts_of_rank(t) * language_model_expert_weights(m);
    } else {
        group.n_dense += language_model_dense_weights(m) / tp(t);
    }
    return group;
}

void transformer_list_groups(const Transformer *t, const TransformerPart *part,
                             GArray *ret)
{
    TransformerGroup group = {
        .n_dense = language_model_embedding_weights(&t->model) / tp(t)
    };

    if (part->has_embedding)
        g_array_append_val(ret, group);
    for (uint64_t layer = part->first; layer < part->end; layer++) {
        group = layer_group(t, layer);
        g_array_append_val(ret, group);
    }
    group =
        (TransformerGroup){ .n_dense = language_model_head_weights(&t->model) /
                                       tp(t) };
    if (part->has_head)
        g_array_append_val(ret, group);
}

/* Returns the number of the group of @layer in @part. */
static guint group_of_layer(const TransformerPart *part, uint64_t layer)
{
    return (guint)(layer - part->first) + (part->has_embedding ? 1 : 0);
}

static guint group_of_head(const TransformerPart *part)
{
    return group_of_layer(part, part->end);
}

ShardRanks transformer_shard_ranks(const Transformer *t, gboolean is_of_experts)
{
    uint32_t n_cp = axis_size(t, MESH_CP);

    if (!t->sharding.has_groups)
        return is_of_experts
                   ? (ShardRanks){ "edp", axis_size(t, MESH_EDP), NULL, 1 }
                   : (ShardRanks){ "cp+dp", n_cp * axis_size(t, MESH_DP), NULL,
                                   1 };
    return is_of_experts
               ? (ShardRanks){ "edp_within", axis_size(t, MESH_EDP_WITHIN),
                               "edp_across", axis_size(t, MESH_EDP_ACROSS) }
               : (ShardRanks){ "cp+dp_within",
                               n_cp * axis_size(t, MESH_DP_WITHIN), "dp_across",
                               axis_size(t, MESH_DP_ACROSS) };
}

/* Adds a collective of @n_ranks ranks that share weights.  Returns SEGMENT_NONE
 * if there is one rank only. */
static uint32_t add_sharded(Pass *pass, const char *name, CollKind kind,
                            const char *axes, uint32_t n_ranks, uint64_t bytes)
{
    return n_ranks == 1 || bytes == 0
               ? SEGMENT_NONE
               : segment_builder_collective(pass->b, sharded_part, name, kind,
                                            axes, bytes);
}

/* Begins group @i; gathers its weights if ranks hold parts of them, unless they
 * are still there or not needed. */
static void begin_group(Pass *pass, guint i, gboolean needs_weights)
{
    const Transformer *t = pass->t;
    const TransformerGroup group =
        g_array_index(pass->groups, TransformerGroup, i);
    uint64_t n_before = pass->ends->len, ahead = t->sharding.n_prefetched;

    pass->first_of_group = SEGMENT_NONE;
    if (!t->sharding.weights || !needs_weights)
        return;
    for (guint e = 0; e < 2; e++) {
        uint64_t n = e == 1 ? group.n_experts : group.n_dense;
        ShardRanks ranks = transformer_shard_ranks(t, e == 1);
        uint32_t gather =
            add_sharded(pass, "weights", COLL_ALL_GATHER, ranks.axes,
                        ranks.n_ranks, n * t->value_bytes);

        pass->gathers[e] = gather;
        if (gather != SEGMENT_NONE && n_before > ahead)
            wait_for(pass, gather,
                     g_array_index(pass->ends, uint32_t, n_before - 1 - ahead));
    }
}

/* Adds the reduction of gradients of a group behind its last operation: among
 * the ranks that hold parts, and then among those that hold the same part.
 * Returns what completes them. */
static uint32_t reduce_group(Pass *pass, gboolean is_of_experts, uint64_t n)
{
    ShardRanks ranks = transformer_shard_ranks(pass->t, is_of_experts);
    uint64_t n_own = (n + ranks.n_ranks - 1) / ranks.n_ranks;
    uint64_t value_bytes = pass->t->gradient_bytes;
    uint32_t end = pass->last;
    const uint32_t sums[] = {
        add_sharded(pass, "gradients", COLL_REDUCE_SCATTER, ranks.axes,
                    ranks.n_ranks, n * value_bytes),
        add_sharded(pass, "copies of gradients", COLL_ALL_REDUCE,
                    ranks.copy_axes, ranks.n_copies, n_own * value_bytes),
    };

    for (guint i = 0; i < G_N_ELEMENTS(sums); i++)
        if (sums[i] != SEGMENT_NONE) {
            wait_for(pass, sums[i], end);
            end = sums[i];
        }
    if (!pass->t->sharding.overlaps)
        pass->last = end;
    return end;
}

static void end_group(Pass *pass, guint i, gboolean has_gradients)
{
    const TransformerGroup group =
        g_array_index(pass->groups, TransformerGroup, i);
    TransformerMark *mark = &g_array_index(pass->marks, TransformerMark, i);

    *mark = (TransformerMark){ .needed = pass->first_of_group,
                               .dense_ready = pass->last,
                               .experts_ready = pass->last };
    g_array_append_val(pass->ends, pass->last);
    if (!has_gradients || !pass->t->sharding.gradients)
        return;
    mark->dense_ready = reduce_group(pass, FALSE, group.n_dense);
    mark->experts_ready = reduce_group(pass, TRUE, group.n_experts);
}

/* ---- passes -------------------------------------------------------------- */

static Pass pass_begin(const Transformer *t, const TransformerPart *part,
                       SegmentBuilder *b, GArray *marks)
{
    Pass pass = { .t = t,
                  .b = b,
                  .last = SEGMENT_NONE,
                  .launch = SEGMENT_NONE,
                  .gathers = { SEGMENT_NONE, SEGMENT_NONE },
                  .first_of_group = SEGMENT_NONE,
                  .ends = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                  .groups = g_array_new(FALSE, FALSE, sizeof(TransformerGroup)),
                  .marks = marks };

    transformer_list_groups(t, part, pass.groups);
    g_array_set_size(marks, pass.groups->len);
    return pass;
}

/* Ends a pass.  The next unit does not wait for reductions that go on beside
 * kernels. */
static void pass_end(Pass *pass)
{
    if (pass->t->sharding.gradients)
        pass->b->segment->exit = pass->last;
    g_array_unref(pass->ends);
    g_array_unref(pass->groups);
}

static void add_layer_forward(Pass *pass, uint64_t layer)
{
    pass->layer = layer;
    add_attention_forward(pass);
    if (language_model_has_experts(&pass->t->model, layer))
        add_experts_forward(pass);
    else
        add_dense_forward(pass);
}

void transformer_add_forward(const Transformer *t, const TransformerPart *part,
                             SegmentBuilder *b, GArray *marks)
{
    Pass pass = pass_begin(t, part, b, marks);

    if (part->has_embedding) {
        begin_group(&pass, 0, TRUE);
        add_embedding(&pass);
        end_group(&pass, 0, FALSE);
    }
    for (uint64_t layer = part->first; layer < part->end; layer++) {
        begin_group(&pass, group_of_layer(part, layer), TRUE);
        launch(&pass, t->host.forward_ps);
        add_layer_forward(&pass, layer);
        end_group(&pass, group_of_layer(part, layer), FALSE);
    }
    if (part->has_head) {
        begin_group(&pass, group_of_head(part), TRUE);
        launch(&pass, t->host.forward_ps);
        add_head_forward(&pass);
        end_group(&pass, group_of_head(part), FALSE);
    }
    pass_end(&pass);
}

static void add_layer_backward(Pass *pass, uint64_t layer, gboolean inputs,
                               gboolean weights)
{
    const Transformer *t = pass->t;

    pass->layer = layer;
    if (t->recompute == RECOMPUTE_FULL && inputs) {
        launch(pass, t->host.forward_ps);
        add_layer_forward(pass, layer);
    }
    launch(pass,
           inputs && weights ? t->host.backward_ps : t->host.backward_ps / 2);
    if (language_model_has_experts(&t->model, layer))
        add_experts_backward(pass, inputs, weights);
    else
        add_dense_backward(pass, inputs, weights);
    add_attention_backward(pass, inputs, weights);
}

void transformer_add_backward(const Transformer *t, const TransformerPart *part,
                              gboolean inputs, gboolean weights,
                              SegmentBuilder *b, GArray *marks)
{
    Pass pass = pass_begin(t, part, b, marks);

    if (part->has_head) {
        /* its weights are kept from the forward pass, which was just before */
        begin_group(&pass, group_of_head(part), FALSE);
        launch(&pass, t->host.forward_ps);
        add_head_backward(&pass, inputs, weights);
        end_group(&pass, group_of_head(part), weights);
    }
    for (uint64_t layer = part->end; layer-- > part->first;) {
        begin_group(&pass, group_of_layer(part, layer), inputs);
        add_layer_backward(&pass, layer, inputs, weights);
        end_group(&pass, group_of_layer(part, layer), weights);
    }
    if (part->has_embedding) {
        begin_group(&pass, 0, FALSE);
        if (inputs)
            add_embedding(&pass);
        end_group(&pass, 0, weights);
    }
    pass_end(&pass);
}

/* ---- weights and FLOP ---------------------------------------------------- */

double transformer_model_flop(const Transformer *t, uint64_t n_tokens)
{
    const LanguageModel *m = &t->model;
    uint64_t n_weights = language_model_active_weights(m) -
                         language_model_embedding_weights(m) +
                         (m->is_tied ? m->vocabulary * m->hidden : 0);
    double reach = 0; /* of all layers together */
    double score =
        m->latent.is_used
            ? (double)(m->latent.other + m->latent.rotary + m->latent.value)
            : 2.0 * (double)m->head_size;

    for (uint64_t layer = 0; layer < m->n_layers; layer++)
        reach += (double)attention_reach(t, layer) / (2.0 * DOCUMENTS_WHOLE);
    return (double)n_tokens *
           (6.0 * (double)n_weights + 6.0 * reach * (double)m->n_heads * score);
}

/* ---- checks -------------------------------------------------------------- */

static gboolean check_divides(const Transformer *t, uint64_t degree,
                              const char *axis, uint64_t n, const char *what,
                              GError **error)
{
    if (n % degree == 0)
        return TRUE;
    config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                     "parallel: %s %" G_GUINT64_FORMAT
                     " does not divide %" G_GUINT64_FORMAT " %s; use a degree "
                     "that divides them",
                     axis, degree, n, what);
    return FALSE;
}

gboolean transformer_check(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;
    uint64_t ep = axis_size(t, MESH_EP);

    if (!check_divides(t, tp(t), "tp", m->n_heads, "heads", error) ||
        (!m->latent.is_used &&
         !check_divides(t, tp(t), "tp", m->n_key_value_heads,
                        "heads of keys and values", error)) ||
        !check_divides(t, tp(t), "tp", m->ffn, "values of 'ffn'", error) ||
        !check_divides(t, axis_size(t, MESH_CP), "cp", t->sequence,
                       "tokens of a sequence", error))
        return FALSE;
    if (t->divides_sequence &&
        !check_divides(t, tp(t), "tp", transformer_tokens(t),
                       "tokens of a micro-batch", error))
        return FALSE;
    if (ep > 1 && m->experts.n_experts == 0) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep is %" G_GUINT64_FORMAT
                         ", and model '%s' has no experts; leave it out",
                         ep, m->name);
        return FALSE;
    }
    if (m->experts.n_experts > 0 && tp(t) > 1 && !t->divides_sequence) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: experts with tp need 'sequence: true', so "
                         "that each rank sends its own tokens");
        return FALSE;
    }
    if (axis_size(t, MESH_ETP) > 1) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: experts are whole on a rank; etp must be "
                         "1");
        return FALSE;
    }
    if (t->n_copies != CONFIG_AUTO && t->n_copies > m->experts.n_chosen) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep_copies: a token of model '%s' has "
                         "%" G_GUINT64_FORMAT " experts, so it is not sent "
                         "%" G_GUINT64_FORMAT " times",
                         m->name, m->experts.n_chosen, t->n_copies);
        return FALSE;
    }
    return ep == 1 ||
           check_divides(t, ep, "ep", m->experts.n_experts, "experts", error);
}

gboolean transformer_check_exchange(const Transformer *t, GError **error)
{
    gboolean is_by_node = axis_size(t, MESH_EP_LOCAL) > 1;

    if (is_by_node && t->n_copies != CONFIG_AUTO) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep_copies is of tokens that are sent to "
                         "each rank directly; with ep_local the copies are "
                         "derived, so leave it out");
        return FALSE;
    }
    if (is_by_node && has_uneven_load(t)) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep_local needs an even load of the "
                         "experts; leave it or 'expert_load' out");
        return FALSE;
    }
    if (is_by_node || t->exchange.most_nodes == CONFIG_AUTO)
        return TRUE;
    config_set_error(
        error, t->exchange.node, CONFIG_ERROR_CONFLICT,
        "experts: most_nodes needs parallel.ep_local, the ranks of "
        "ep in a node");
    return FALSE;
}
