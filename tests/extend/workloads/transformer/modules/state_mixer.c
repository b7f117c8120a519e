/*
 * state_mixer.c - a toy: a module that passes a state along each sequence
 *
 * With T tokens of a rank, t = tp and h hidden values, one product mixes the
 * values of each token, T x h / t x h, and another one returns them, T x h x
 * h / t; each has two more backward.  Between them each rank of cp needs the
 * states at the ends of the parts of a sequence, h / t values for each rank and
 * sequence, in both directions.
 *
 * Collectives   on tp as attention; on cp an all-gather of micro-batch x cp x
 *               h / t values, forward and backward
 * Kept          input and output of the norm; the mixed values
 */
#include "workloads/transformer/modules/modules.h"

static uint64_t own_values(const Transformer *t)
{
    return t->model.hidden / transformer_tp_ranks(t);
}

static void gather_states(Pass *pass)
{
    const Transformer *t = pass->t;

    pass_add_collective(pass, "states", COLL_ALL_GATHER, MESH_CP,
                        t->micro_batch * transformer_axis_ranks(t, MESH_CP) *
                            own_values(t));
}

static void state_mixer_add_forward(Pass *pass)
{
    uint64_t n = transformer_rank_tokens(pass->t), h = pass->t->model.hidden;

    pass_add_norm(pass, FALSE);
    pass_gather_with_product(pass, "mix", n, own_values(pass->t), h);
    gather_states(pass);
    pass_add_product_with_sum(pass, "return", n, h, own_values(pass->t));
}

static void state_mixer_add_backward(Pass *pass, gboolean inputs,
                                     gboolean weights)
{
    uint64_t n = transformer_rank_tokens(pass->t), h = pass->t->model.hidden;
    uint64_t own = own_values(pass->t);

    if (inputs)
        pass_gather_with_product(pass, "return", n, own, h);
    if (weights)
        pass_add_product(pass, "return", own, h, n, 1, TRUE);
    if (inputs) {
        gather_states(pass);
        pass_add_product_with_sum(pass, "mix", n, h, own);
    }
    if (weights) {
        pass_gather_tokens(pass);
        pass_add_product(pass, "mix", h, own, n, 1, TRUE);
    }
    if (inputs)
        pass_add_norm(pass, TRUE);
}

static gboolean state_mixer_check(const Transformer *t, GError **error)
{
    return module_check_divides(t, transformer_tp_ranks(t), "tp",
                                t->model.hidden, "values of 'hidden'", error);
}

static ModuleWeights state_mixer_weights(const LanguageModel *model)
{
    return (ModuleWeights){ .divided = 2 * model->hidden * model->hidden,
                            .whole = language_model_norm_weights(model) };
}

static ModuleKept state_mixer_kept(const Transformer *t)
{
    return (ModuleKept){ .by_token = module_kept_tokens(t),
                         .divided =
                             t->value_bytes * transformer_tp_group_values(t) };
}

const ModuleOps module_state_mixer = {
    .name = "state-mixer",
    .check = state_mixer_check,
    .weights = state_mixer_weights,
    .kept = state_mixer_kept,
    .add_forward = state_mixer_add_forward,
    .add_backward = state_mixer_add_backward,
};
