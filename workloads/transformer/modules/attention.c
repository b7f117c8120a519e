/*
 * attention.c - self-attention
 *
 * With T tokens of a rank, t = tp, h hidden values, a heads and k of keys and
 * values of d, the products are, forward,
 *
 *     T x (a + 2 k) d / t x h     queries, keys and values
 *     T x h x a d / t             output
 *
 * and each has two more backward.  Attention itself does 4 s a d / t FLOP for a
 * token of a sequence of s, half of it if it is causal, and 2.5 times as much
 * backward: it reads queries, keys and values and keeps no scores [FLASH2].
 * Packed documents take the place of the sequence (documents.h).  Attention
 * that is not fused writes the s scores of each query and head, and reads them
 * again for the softmax, for dropout and for the product with values; backward
 * moves 1.5 to 2 times as much.  Selective recomputation then repeats scores,
 * softmax and dropout.  With latent vectors (MLA), products make queries, keys
 * and values from compressed ones.
 *
 * Collectives   on tp an all-gather before and a reduce-scatter after, of T h
 *               values, and two all-gathers backward, if tokens are divided;
 *               else an all-reduce [KORTHIKANTI]
 *               on cp an all-gather of keys and values before attention, and
 *               again backward with a reduce-scatter of their gradients
 *               [LLAMA3]
 *               or, as a ring of c = cp ranks, c - 1 shifts of the keys and
 *               values of a rank, and again backward, with c shifts of their
 *               gradients [RINGATTENTION]
 * Kept          input and output of the norm; queries, keys, values and
 *               results, and scores with their dropout if they are not fused;
 *               each latent vector before and behind its norm, whole on each
 *               rank of tp unless tokens are divided.  Keys and values are
 *               those of each head, because a fused kernel reads them so.  With
 *               `recompute: latent`, queries, keys and values are replaced by
 *               the latent vectors before their norms and the rotary values of
 *               keys.
 */
#include "workloads/transformer/modules/modules.h"

/* A latent vector is kept before its norm and behind it: the norm's gradient
 * needs the first and the product that follows the second. */
#define N_KEPT_LATENTS 2

/* Values of a token in queries, keys with values, and outputs of a rank. */
typedef struct {
    uint64_t query, key_value, output, score; /* .score: for the products with
                                                 keys, and with values */
} AttentionShape;

static AttentionShape attention_shape(const Transformer *t)
{
    const LanguageModel *m = &t->model;
    uint64_t a = m->n_heads / transformer_tp_ranks(t);

    if (m->latent.is_used) {
        uint64_t d = m->latent.other + m->latent.rotary;

        return (AttentionShape){ a * d, a * (d + m->latent.value),
                                 a * m->latent.value,
                                 a * (d + m->latent.value) };
    }
    return (AttentionShape){ a * m->head_size,
                             2 * m->n_key_value_heads /
                                 transformer_tp_ranks(t) * m->head_size,
                             a * m->head_size, 2 * a * m->head_size };
}

/* Returns the tokens that a token attends to, times 2 * DOCUMENTS_WHOLE. */
static uint64_t attended_tokens_of_layer(const Transformer *t, uint64_t layer)
{
    return documents_mean_attended_tokens(
        t->documents, t->sequence, language_model_window(&t->model, layer),
        t->model.is_causal);
}

/* Returns the FLOP of attention of a rank, forward. */
static uint64_t attention_flop(const Transformer *t, uint64_t layer)
{
    unsigned __int128 flop = (unsigned __int128)transformer_rank_tokens(t) *
                             attention_shape(t).score *
                             attended_tokens_of_layer(t, layer);

    return (uint64_t)MIN(flop / DOCUMENTS_WHOLE, UINT64_MAX);
}

/* Adds a product of each head: @m x @n results, sums of @k. */
static void add_head_products(Pass *pass, const char *name, uint64_t m,
                              uint64_t n, uint64_t k)
{
    const Transformer *t = pass->t;

    pass_add_plain_product(
        pass, name, m, n, k,
        t->micro_batch * t->model.n_heads / transformer_tp_ranks(t), FALSE);
}

/* The scores of a rank: queries, keys, values of a head and all scores. */
typedef struct {
    uint64_t n_queries, n_keys, size, n;
} Scores;

static Scores scores_of_rank(const Transformer *t)
{
    Scores s = { .n_queries = t->sequence / transformer_axis_ranks(t, MESH_CP),
                 .n_keys = t->sequence,
                 .size = attention_shape(t).score / 2 *
                         transformer_tp_ranks(t) / t->model.n_heads };

    s.n = t->micro_batch * t->model.n_heads / transformer_tp_ranks(t) *
          s.n_queries * s.n_keys;
    return s;
}

/* Adds scores and what softmax and dropout make of them, in memory. */
static void add_score_and_softmax_kernels(Pass *pass)
{
    Scores s = scores_of_rank(pass->t);
    uint64_t mask = s.n / pass->t->value_bytes;

    add_head_products(pass, "scores", s.n_queries, s.n_keys, s.size);
    pass_add_elementwise(pass, "softmax", s.n, s.n);
    if (pass->t->model.has_dropout)
        pass_add_elementwise(pass, "dropout", s.n, s.n + mask);
}

static void add_unfused_attention(Pass *pass, gboolean is_backward)
{
    Scores s = scores_of_rank(pass->t);
    uint64_t mask = s.n / pass->t->value_bytes;

    if (!is_backward || pass_recomputes(pass, RECOMPUTE_SCORES))
        add_score_and_softmax_kernels(pass);
    if (!is_backward) {
        add_head_products(pass, "context", s.n_queries, s.size, s.n_keys);
        return;
    }
    add_head_products(pass, "context", s.n_queries, s.n_keys, s.size);
    add_head_products(pass, "context", s.n_keys, s.size, s.n_queries);
    if (pass->t->model.has_dropout)
        pass_add_elementwise(pass, "dropout", s.n + mask, s.n);
    pass_add_elementwise(pass, "softmax", 2 * s.n, s.n);
    add_head_products(pass, "scores", s.n_queries, s.size, s.n_keys);
    add_head_products(pass, "scores", s.n_keys, s.size, s.n_queries);
}

static void add_attention_core(Pass *pass, gboolean is_backward)
{
    const Transformer *t = pass->t;
    AttentionShape shape = attention_shape(t);
    uint64_t n = transformer_rank_tokens(t), v = t->value_bytes;
    uint64_t all = n * (shape.query + shape.output) +
                   n * transformer_axis_ranks(t, MESH_CP) * shape.key_value;
    uint64_t flop = attention_flop(t, pass->layer);

    if (!t->is_fused) {
        add_unfused_attention(pass, is_backward);
        return;
    }
    /* The backward pass reads queries, keys, values, outputs and the gradient
     * of outputs, and writes the gradients of queries, keys and values. */
    pass_append_op(
        pass,
        segment_builder_add_kernel(
            pass->b, pass->module, "scores",
            is_backward ? KERNEL_CLASS_ATTENTION_GRADIENT
                        : KERNEL_CLASS_ATTENTION,
            is_backward ? flop * 5 / 2 : flop,
            (is_backward ? all + n * shape.output : all - n * shape.output) * v,
            (is_backward ? all - n * shape.output : n * shape.output) * v));
}

/* ---- ring attention ------------------------------------------------------ */

static uint64_t count_own_key_values(const Transformer *t)
{
    return transformer_rank_tokens(t) * attention_shape(t).key_value;
}

/* Returns part @i of the FLOP of attention, which the c blocks share equally:
 * each rank has an early and a late part of the sequence, so that a causal mask
 * leaves each block the same work. */
static uint64_t flop_of_block(const Transformer *t, uint64_t flop, uint32_t i)
{
    uint32_t c = transformer_axis_ranks(t, MESH_CP);

    return flop / c + (i < flop % c ? 1 : 0);
}

/* Returns attention on block @i without dependencies.  Blocks after the first
 * add to the outputs, backward to the gradients of queries. */
static uint32_t append_block_kernel(Pass *pass, gboolean is_backward,
                                    uint32_t i)
{
    const Transformer *t = pass->t;
    AttentionShape shape = attention_shape(t);
    uint64_t n = transformer_rank_tokens(t), v = t->value_bytes;
    uint64_t flop = attention_flop(t, pass->layer);
    uint64_t written = is_backward ? shape.query : shape.output;
    uint64_t read = shape.query + shape.key_value +
                    (is_backward ? 2 * shape.output : 0) +
                    (i > 0 ? written : 0);

    return segment_builder_add_kernel(
        pass->b, pass->module, "scores",
        is_backward ? KERNEL_CLASS_ATTENTION_GRADIENT : KERNEL_CLASS_ATTENTION,
        flop_of_block(t, is_backward ? flop * 5 / 2 : flop, i), n * read * v,
        n * (written + (is_backward ? shape.key_value : 0)) * v);
}

/* Returns a shift of the keys and values of a rank, or of their gradients,
 * behind @on. */
static uint32_t append_shift(Pass *pass, const char *name, uint32_t on)
{
    uint32_t shift = pass_append_collective_without_wait(
        pass, name, COLL_SHIFT, MESH_CP,
        count_own_key_values(pass->t) * pass->t->value_bytes);

    pass_wait_for(pass, shift, on);
    return shift;
}

/* Adds attention on the c blocks of keys and values.  While a kernel works on a
 * block, the block goes on to the next rank, and the next block arrives in the
 * second buffer, which the kernel before has left.  Backward, the gradients of
 * a block follow it one kernel later: each rank adds its own, and the last
 * shift brings them to the rank that the block belongs to. */
static void add_ring_attention(Pass *pass, gboolean is_backward)
{
    uint32_t c = transformer_axis_ranks(pass->t, MESH_CP);
    uint32_t block = SEGMENT_NONE, before = SEGMENT_NONE,
             gradient = SEGMENT_NONE;
    uint64_t n = count_own_key_values(pass->t);

    for (uint32_t i = 0; i < c; i++) {
        uint32_t next = SEGMENT_NONE, kernel;

        if (i + 1 < c) {
            next = append_shift(pass, "keys", i == 0 ? pass->last : block);
            pass_wait_for(pass, next, before);
        }
        kernel = append_block_kernel(pass, is_backward, i);
        pass_wait_for(pass, kernel, block);
        pass_append_op(pass, kernel);
        before = kernel;
        block = next;
        if (!is_backward)
            continue;
        if (i > 0) {
            pass_add_elementwise(pass, "key_gradients", 2 * n, n);
            pass_wait_for(pass, pass->last, gradient);
        }
        gradient = append_shift(pass, "key_gradients", pass->last);
    }
    if (is_backward)
        pass->last = gradient;
}

typedef void AddProjection(Pass *pass, const char *name, uint64_t in,
                           uint64_t out);

static void visit_query_products(Pass *pass, AddProjection *add)
{
    const LanguageModel *m = &pass->t->model;
    uint64_t n = attention_shape(pass->t).query;

    if (m->latent.query_rank > 0)
        add(pass, "query_up", m->latent.query_rank, n);
    else
        add(pass, "query", m->hidden, n);
}

static void visit_latent_key_value_products(Pass *pass, AddProjection *add)
{
    const LanguageModel *m = &pass->t->model;

    add(pass, "key_value_up", m->latent.key_value_rank,
        m->n_heads / transformer_tp_ranks(pass->t) *
            (m->latent.other + m->latent.value));
}

/* Calls @add for each product of attention before the scores: its terms and
 * results. */
static void visit_projection_products(Pass *pass, AddProjection *add)
{
    const LanguageModel *m = &pass->t->model;
    AttentionShape shape = attention_shape(pass->t);

    if (!m->latent.is_used) {
        add(pass, "qkv", m->hidden, shape.query + shape.key_value);
        return;
    }
    if (m->latent.query_rank > 0)
        add(pass, "query_down", m->hidden, m->latent.query_rank);
    visit_query_products(pass, add);
    add(pass, "key_value_down", m->hidden,
        m->latent.key_value_rank + m->latent.rotary);
    visit_latent_key_value_products(pass, add);
}

static void add_forward_product(Pass *pass, const char *name, uint64_t in,
                                uint64_t out)
{
    pass_add_product(pass, name, transformer_rank_tokens(pass->t), out, in, 1,
                     FALSE);
}

static void add_input_product(Pass *pass, const char *name, uint64_t in,
                              uint64_t out)
{
    pass_add_product(pass, name, transformer_rank_tokens(pass->t), in, out, 1,
                     FALSE);
}

static void add_weight_product(Pass *pass, const char *name, uint64_t in,
                               uint64_t out)
{
    pass_add_product(pass, name, in, out, transformer_rank_tokens(pass->t), 1,
                     TRUE);
}

/* Recomputes queries, keys and values from latent vectors. */
static void recompute_from_latent_vectors(Pass *pass)
{
    if (!pass_recomputes(pass, RECOMPUTE_LATENT))
        return;
    visit_query_products(pass, add_forward_product);
    visit_latent_key_value_products(pass, add_forward_product);
}

static uint64_t count_gathered_key_values(const Transformer *t)
{
    return count_own_key_values(t) * transformer_axis_ranks(t, MESH_CP);
}

/* Adds attention with what brings keys and values to the ranks of cp, and their
 * gradients back. */
static void add_attention_with_exchange(Pass *pass, gboolean is_backward)
{
    const Transformer *t = pass->t;

    if (transformer_uses_ring_attention(t)) {
        add_ring_attention(pass, is_backward);
        return;
    }
    pass_add_collective(pass, "keys", COLL_ALL_GATHER, MESH_CP,
                        count_gathered_key_values(t));
    add_attention_core(pass, is_backward);
    if (is_backward)
        pass_add_collective(pass, "keys", COLL_REDUCE_SCATTER, MESH_CP,
                            count_gathered_key_values(t));
}

static void add_attention_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    AttentionShape shape = attention_shape(t);
    uint64_t n = transformer_rank_tokens(t);

    pass_add_norm(pass, FALSE);
    pass_quantise_tokens(pass);
    if (t->model.latent.is_used) {
        pass_gather_tokens(pass);
        visit_projection_products(pass, add_forward_product);
    } else {
        pass_gather_with_product(pass, "qkv", n, shape.query + shape.key_value,
                                 t->model.hidden);
    }
    add_attention_with_exchange(pass, FALSE);
    pass_quantise(pass, n * shape.output);
    pass_add_product_with_sum(pass, "output", n, t->model.hidden, shape.output);
}

static void add_attention_backward(Pass *pass, gboolean inputs,
                                   gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t out = attention_shape(t).output, h = t->model.hidden;
    uint64_t n = transformer_rank_tokens(t);
    gboolean is_beside =
        transformer_overlaps_tp_collectives(t) && inputs && weights;
    uint32_t gather = SEGMENT_NONE, sum = SEGMENT_NONE;

    if (weights)
        pass_recompute_norm(pass, TRUE);
    if (inputs) {
        pass_quantise_tokens(pass);
        pass_gather_with_product(pass, "output", n, out, h);
    }
    if (weights)
        add_weight_product(pass, "output", out, h);
    if (inputs) {
        recompute_from_latent_vectors(pass);
        add_attention_with_exchange(pass, TRUE);
        pass_quantise(pass, n * (attention_shape(t).query +
                                 attention_shape(t).key_value));
        if (is_beside)
            gather = pass_begin_overlapped_gather(pass);
        visit_projection_products(pass, add_input_product);
        if (is_beside)
            sum = pass_begin_overlapped_sum(pass);
        else
            pass_sum_tokens(pass);
    }
    if (weights) {
        if (is_beside)
            pass->last = gather;
        else
            pass_gather_tokens(pass); /* the input, which is kept by tokens */
        visit_projection_products(pass, add_weight_product);
    }
    if (inputs)
        pass_add_norm(pass, TRUE);
    if (sum != SEGMENT_NONE)
        segment_builder_add_dependency(pass->b, pass->last, sum);
}

static gboolean attention_check(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;
    uint64_t tp = transformer_tp_ranks(t);

    return module_check_divides(t, tp, "tp", m->n_heads, "heads", error) &&
           (m->latent.is_used ||
            module_check_divides(t, tp, "tp", m->n_key_value_heads,
                                 "heads of keys and values", error));
}

/* Returns the weights of attention with latent vectors. */
static uint64_t weights_of_latent_attention(const LanguageModel *model)
{
    const LatentAttention *latent = &model->latent;
    uint64_t h = model->hidden, a = model->n_heads;
    uint64_t n_query = a * (latent->other + latent->rotary);
    uint64_t n = latent->query_rank > 0
                     ? h * latent->query_rank + latent->query_rank +
                           latent->query_rank * n_query
                     : h * n_query;

    n += h * (latent->key_value_rank + latent->rotary) +
         latent->key_value_rank +
         latent->key_value_rank * a * (latent->other + latent->value);
    return n + a * latent->value * h;
}

static uint64_t weights_of_plain_attention(const LanguageModel *model)
{
    uint64_t h = model->hidden, a = model->n_heads, d = model->head_size;
    uint64_t n_key_value = model->n_key_value_heads * d;
    uint64_t n = h * (a * d + 2 * n_key_value) + a * d * h;

    if (model->bias >= MODEL_BIAS_QKV)
        n += a * d + 2 * n_key_value;
    if (model->bias >= MODEL_BIAS_ATTENTION)
        n += h;
    if (model->norms_queries)
        n += 2 * d;
    return n + (model->has_sinks ? a : 0);
}

static ModuleWeights attention_weights(const LanguageModel *model)
{
    return (ModuleWeights){ .divided = model->latent.is_used
                                           ? weights_of_latent_attention(model)
                                           : weights_of_plain_attention(model),
                            .whole = language_model_norm_weights(model) };
}

/* Returns the values of a token's latent vectors, with the rotary values of its
 * key. */
static uint64_t latent_values(const LatentAttention *latent)
{
    return latent->query_rank + latent->key_value_rank + latent->rotary;
}

static ModuleKept attention_kept_activations(const Transformer *t)
{
    const LanguageModel *m = &t->model;
    AttentionShape shape = attention_shape(t);
    uint64_t tp = transformer_tp_ranks(t), n = transformer_rank_tokens(t);
    uint64_t of_value = t->value_bytes * n;
    ModuleKept kept = { .by_token = module_kept_tokens(t),
                        .divided = of_value * shape.output * tp };

    if (recompute_has(t->recompute, RECOMPUTE_LATENT)) {
        kept.by_token += of_value * latent_values(&m->latent);
    } else {
        kept.divided += of_value * (shape.query + shape.key_value) * tp;
        kept.by_token += of_value * N_KEPT_LATENTS *
                         (m->latent.query_rank + m->latent.key_value_rank);
    }
    if (!t->is_fused && !recompute_has(t->recompute, RECOMPUTE_SCORES))
        kept.divided +=
            n * m->n_heads * t->sequence *
            (m->has_dropout ? 2 * t->value_bytes + 1 : t->value_bytes);
    return kept;
}

/* Returns the bytes of keys and values of other ranks and of their gradients
 * during the backward pass: those of all ranks, or two blocks each in a
 * ring. */
static uint64_t attention_buffer_bytes(const Transformer *t)
{
    uint64_t c = transformer_axis_ranks(t, MESH_CP);
    uint64_t n_blocks = transformer_uses_ring_attention(t) ? 2 : c;

    return c == 1 ? 0 : 2 * n_blocks * count_own_key_values(t) * t->value_bytes;
}

/* Returns the multiplications of a token with those that it attends to. */
static double attention_products(const Transformer *t, uint64_t layer)
{
    const LanguageModel *m = &t->model;
    double score =
        m->latent.is_used
            ? (double)(m->latent.other + m->latent.rotary + m->latent.value)
            : 2.0 * (double)m->head_size;

    return (double)attended_tokens_of_layer(t, layer) /
           (2.0 * DOCUMENTS_WHOLE) * (double)m->n_heads * score;
}

static gboolean layer_has_attention_window(const LanguageModel *model,
                                           uint64_t layer)
{
    return language_model_window(model, layer) > 0;
}

const ModuleOps module_attention = {
    .name = "attention",
    .is_variant = layer_has_attention_window,
    .check = attention_check,
    .weights = attention_weights,
    .kept = attention_kept_activations,
    .buffer_bytes = attention_buffer_bytes,
    .multiplications_without_weights = attention_products,
    .add_forward = add_attention_forward,
    .add_backward = add_attention_backward,
};
