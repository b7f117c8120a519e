/*
 * experts.c - a feed-forward part of experts, of which a token uses some
 *
 * With E experts on the ranks of ep, h hidden and f inner values, the products
 * are, forward, E / ep times m x 2 f x h (gated; else f) and m x h x f, where m
 * tokens reach an expert, of the fullest rank if the load is uneven; one for
 * the router, and those of the shared experts.  Each has two more backward.
 *
 * Collectives   T / t tokens are sent to n experts each, by an all-to-all on
 *               ep, and back.  With ep_local > 1 they are sent by node: an
 *               all-to-all on ep_nodes and one on ep_local for each piece, and
 *               back in the opposite order (expert_exchange.h).  Gradients of
 *               results go to the experts as tokens do, and gradients of tokens
 *               return as results do.  If `dispatch` or `combine` is a
 *               precision of 8 bits or less, a kernel quantises the values
 *               before they are sent, and another one restores them after they
 *               arrive.  Tokens are not restored at their experts if the
 *               products of the experts are quantised.
 * Kept          input and output of the norm; of each token that reaches an
 *               expert its copy and the inner values; the inner values of
 *               shared experts
 */
#include <math.h>

#include "workloads/transformer/feed_forward.h"
#include "workloads/transformer/modules/modules.h"

static uint64_t count_experts_of_rank(const Transformer *t)
{
    return t->model.experts.n_experts / transformer_axis_ranks(t, MESH_EP);
}

static gboolean has_uneven_load(const Transformer *t)
{
    return t->load && t->load->ranks.n > 0;
}

/* Returns the mean number of tokens that reach an expert of the
 * fullest rank. */
static uint64_t mean_tokens_of_fullest_expert(const Transformer *t)
{
    uint64_t n = transformer_rank_tokens_between_modules(t) *
                 transformer_axis_ranks(t, MESH_EP) * t->model.experts.n_chosen;

    if (has_uneven_load(t))
        return (uint64_t)ceil((double)n * t->load->fullest /
                              (double)count_experts_of_rank(t));
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

    if (transformer_axis_ranks(t, axis) == 1)
        return a;
    op = pass_append_collective_without_wait(
        pass, name, COLL_ALL_TO_ALL, axis,
        transformer_values_bytes(t, precision, n_values));
    pass_wait_for(pass, op, a);
    pass_wait_for(pass, op, b);
    return op;
}

/* Adds the exchange of the chosen tokens in two phases: first between nodes and
 * then inside them, or the reverse on the return. */
static void exchange_tokens_in_two_phases(Pass *pass, const char *name,
                                          int precision, gboolean is_back)
{
    const Transformer *t = pass->t;
    const ExpertCopies copies = expert_exchange_copies(
        &t->exchange, transformer_rank_tokens_between_modules(t),
        t->model.experts.n_experts, t->model.experts.n_chosen,
        transformer_axis_ranks(t, MESH_EP_NODES),
        transformer_axis_ranks(t, MESH_EP_LOCAL));
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

/* Adds the exchange that sends all chosen tokens to their experts, or returns
 * them. */
static void exchange_tokens(Pass *pass, const char *name, int precision,
                            gboolean is_back)
{
    const Transformer *t = pass->t;
    uint64_t n = transformer_rank_tokens_between_modules(t) * t->model.hidden;
    uint64_t n_chosen = n * t->model.experts.n_chosen;
    uint64_t n_copies = t->n_copies == CONFIG_AUTO ? n_chosen : n * t->n_copies;

    pass_add_moving_kernel(pass, "permute", n + n_chosen,
                           transformer_values_bytes(t, precision, n),
                           transformer_values_bytes(t, precision, n_chosen));
    if (transformer_axis_ranks(t, MESH_EP_LOCAL) > 1) {
        exchange_tokens_in_two_phases(pass, name, precision, is_back);
        return;
    }
    if (transformer_axis_ranks(t, MESH_EP) == 1)
        return;
    pass_append_op(
        pass,
        pass_append_collective_without_wait(
            pass, name, has_uneven_load(t) ? COLL_ALL_TO_ALLV : COLL_ALL_TO_ALL,
            MESH_EP, transformer_values_bytes(t, precision, n_copies)));
    if (has_uneven_load(t))
        segment_builder_set_rank_weights(pass->b, pass->last, &t->load->ranks);
}

static uint64_t count_arrived_values(const Transformer *t)
{
    return count_experts_of_rank(t) * mean_tokens_of_fullest_expert(t) *
           t->model.hidden;
}

/* Quantises the tokens that have arrived at the experts of a rank. */
static void quantise_arrived_tokens(Pass *pass)
{
    pass_quantise(pass, count_arrived_values(pass->t));
}

/* Adds a kernel that quantises @n values to @precision, if that is narrow. */
static void add_quantising_kernel(Pass *pass, int precision, uint64_t n)
{
    if (precision_has_at_most_8_bits(precision))
        pass_add_moving_kernel(pass, "quantise", n, n * pass->t->value_bytes,
                               transformer_values_bytes(pass->t, precision, n));
}

/* Adds a kernel that restores @n values of @precision, if that is narrow. */
static void add_dequantising_kernel(Pass *pass, int precision, uint64_t n)
{
    if (precision_has_at_most_8_bits(precision))
        pass_add_moving_kernel(pass, "restore", n,
                               transformer_values_bytes(pass->t, precision, n),
                               n * pass->t->value_bytes);
}

/* Sends tokens, or gradients of results, to the experts, which get them
 * quantised if the products are. */
static void send_tokens_to_experts(Pass *pass, const char *name)
{
    const Transformer *t = pass->t;
    int precision = t->exchange.dispatch;

    add_quantising_kernel(pass, precision,
                          transformer_rank_tokens_between_modules(t) *
                              t->model.hidden);
    exchange_tokens(pass, name, precision, FALSE);
    if (!precision_has_at_most_8_bits(precision))
        quantise_arrived_tokens(pass);
    else if (!transformer_quantises_products(t))
        add_dequantising_kernel(pass, precision, count_arrived_values(t));
}

/* Returns results, or gradients of tokens, from the experts. */
static void return_results_from_experts(Pass *pass, const char *name)
{
    const Transformer *t = pass->t;
    int precision = t->exchange.combine;

    add_quantising_kernel(pass, precision, count_arrived_values(t));
    exchange_tokens(pass, name, precision, TRUE);
    add_dequantising_kernel(pass, precision,
                            transformer_rank_tokens_between_modules(t) *
                                t->model.hidden);
}

static void add_shared_experts(Pass *pass, gboolean is_forward, gboolean inputs,
                               gboolean weights)
{
    const Transformer *t = pass->t;
    uint64_t ffn = t->model.experts.n_shared * t->model.experts.ffn;

    if (ffn == 0)
        return;
    if (!is_forward && inputs &&
        pass_recomputes(pass, RECOMPUTE_SHARED_EXPERTS)) {
        pass_quantise_tokens(pass);
        feed_forward_add_forward(
            pass, transformer_rank_tokens_between_modules(t), ffn, 1);
    }
    pass_quantise_tokens(pass);
    if (is_forward)
        feed_forward_add_forward(
            pass, transformer_rank_tokens_between_modules(t), ffn, 1);
    else
        feed_forward_add_backward(pass,
                                  transformer_rank_tokens_between_modules(t),
                                  ffn, 1, inputs, weights);
}

static void add_experts_forward(Pass *pass)
{
    const Transformer *t = pass->t;
    const ModelExperts *experts = &t->model.experts;

    pass_add_norm(pass, FALSE);
    pass_add_plain_product(pass, "router",
                           transformer_rank_tokens_between_modules(t),
                           experts->n_experts, t->model.hidden, 1, FALSE);
    send_tokens_to_experts(pass, "dispatch");
    feed_forward_add_forward(pass, mean_tokens_of_fullest_expert(t),
                             experts->ffn, count_experts_of_rank(t));
    return_results_from_experts(pass, "combine");
    add_shared_experts(pass, TRUE, TRUE, TRUE);
}

static void add_experts_backward(Pass *pass, gboolean inputs, gboolean weights)
{
    const Transformer *t = pass->t;
    const ModelExperts *experts = &t->model.experts;
    uint64_t n = transformer_rank_tokens_between_modules(t);

    if (weights)
        pass_recompute_norm(pass, experts->n_shared > 0);
    add_shared_experts(pass, FALSE, inputs, weights);
    if (inputs)
        send_tokens_to_experts(pass, "combine");
    else
        quantise_arrived_tokens(pass);
    if (weights && pass_recomputes(pass, RECOMPUTE_ACTIVATIONS))
        feed_forward_add_activation(pass, mean_tokens_of_fullest_expert(t),
                                    experts->ffn, count_experts_of_rank(t));
    feed_forward_add_backward(pass, mean_tokens_of_fullest_expert(t),
                              experts->ffn, count_experts_of_rank(t), inputs,
                              weights);
    if (inputs) {
        return_results_from_experts(pass, "dispatch");
        pass_add_plain_product(pass, "router", n, t->model.hidden,
                               experts->n_experts, 1, FALSE);
    }
    if (weights)
        pass_add_plain_product(pass, "router", t->model.hidden,
                               experts->n_experts, n, 1, TRUE);
    if (inputs)
        pass_add_norm(pass, TRUE);
}

static gboolean experts_check(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;
    uint64_t ep = transformer_axis_ranks(t, MESH_EP);

    if (m->experts.n_experts > 0 && transformer_tp_ranks(t) > 1 &&
        !t->divides_sequence) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: experts with tp need 'sequence: true', so "
                         "that each rank sends its own tokens");
        return FALSE;
    }
    if (transformer_axis_ranks(t, MESH_ETP) > 1) {
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
    return ep == 1 || module_check_divides(t, ep, "ep", m->experts.n_experts,
                                           "experts", error);
}

static ModuleWeights experts_weights(const LanguageModel *model)
{
    const ModelExperts *experts = &model->experts;
    uint64_t n_expert = feed_forward_weights(
        model, experts->ffn, model->bias >= MODEL_BIAS_ATTENTION);
    uint64_t n_router = model->hidden * experts->n_experts +
                        (experts->has_router_bias ? experts->n_experts : 0);

    return (ModuleWeights){
        .whole = language_model_norm_weights(model) + n_router +
                 experts->n_shared *
                     feed_forward_weights(model, experts->ffn, FALSE),
        .experts = experts->n_experts * n_expert,
        .active = experts->n_chosen * n_expert
    };
}

/* Returns the tokens that reach the experts of the fullest rank, once for each
 * of their experts, before they are divided by tp. */
static uint64_t count_dispatched_tokens(const Transformer *t)
{
    uint64_t n = transformer_rank_tokens(t) * t->model.experts.n_chosen;

    return has_uneven_load(t)
               ? (uint64_t)ceil((double)n * t->load->fullest *
                                transformer_axis_ranks(t, MESH_EP))
               : n;
}

static ModuleKept experts_kept_activations(const Transformer *t)
{
    const ModelExperts *experts = &t->model.experts;
    uint64_t n_inner = feed_forward_kept_values(&t->model) * experts->ffn;
    uint64_t n_shared = recompute_has(t->recompute, RECOMPUTE_SHARED_EXPERTS)
                            ? 0
                            : experts->n_shared * n_inner;

    if (recompute_has(t->recompute, RECOMPUTE_ACTIVATIONS))
        n_inner -= experts->ffn;
    return (ModuleKept){ .by_token = module_kept_tokens(t),
                         .divided = t->value_bytes *
                                    (count_dispatched_tokens(t) *
                                         (n_inner + t->model.hidden) +
                                     transformer_rank_tokens(t) * n_shared) };
}

const ModuleOps module_experts = {
    .name = "experts",
    .is_in_layer = language_model_has_experts,
    .check = experts_check,
    .weights = experts_weights,
    .kept = experts_kept_activations,
    .add_forward = add_experts_forward,
    .add_backward = add_experts_backward,
};
