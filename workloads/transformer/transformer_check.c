/*
 * transformer_check.c - checks that a model can be divided as the configuration
 * requests; see transformer_check.h
 */
#include "workloads/transformer/transformer_check.h"

#include "workloads/transformer/modules/modules.h"

static gboolean check_sequence_length(const Transformer *t, GError **error)
{
    return module_check_divides(t, transformer_axis_ranks(t, MESH_CP), "cp",
                                t->sequence, "tokens of a sequence", error) &&
           (!t->divides_sequence ||
            module_check_divides(t, transformer_tp_ranks(t), "tp",
                                 transformer_rank_tokens(t),
                                 "tokens of a micro-batch", error));
}

/* Pieces cut gathers and reduce-scatters; an all-reduce has none.  A tp of 1 is
 * allowed, since sweeps vary it. */
static gboolean check_pieces(const Transformer *t, GError **error)
{
    if (t->n_pieces <= 1 || transformer_tp_ranks(t) == 1 || t->divides_sequence)
        return TRUE;
    config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                     "parallel: tp_pieces %" G_GUINT64_FORMAT
                     " cut the gathers and sums of 'sequence: true', and "
                     "sequence is false; leave one of them out",
                     t->n_pieces);
    return FALSE;
}

/* Scores in memory are those of all keys, so all keys have to be there. */
static gboolean check_ring_attention(const Transformer *t, GError **error)
{
    if (!transformer_uses_ring_attention(t) || t->is_fused)
        return TRUE;
    config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                     "parallel: cp_exchange 'ring' needs fused attention, and "
                     "attention is unfused; take 'attention: fused' or "
                     "'cp_exchange: all-gather'");
    return FALSE;
}

/* Returns FALSE with an error that @what, which is to be recomputed, does not
 * exist. */
static gboolean set_recompute_error(const Transformer *t, const char *what,
                                    GError **error)
{
    config_set_error(error, t->recompute_node, CONFIG_ERROR_CONFLICT,
                     "recompute: model '%s' has no %s; leave it out",
                     t->model.name, what);
    return FALSE;
}

/* Checks that the model has the pieces that are recomputed. */
static gboolean check_recomputed_pieces(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;

    if (recompute_has(t->recompute, RECOMPUTE_LATENT) && !m->latent.is_used)
        return set_recompute_error(t, "latent vectors", error);
    if (recompute_has(t->recompute, RECOMPUTE_ACTIVATIONS) &&
        m->experts.n_experts == 0)
        return set_recompute_error(t, "experts with activations", error);
    if (recompute_has(t->recompute, RECOMPUTE_SHARED_EXPERTS) &&
        m->experts.n_shared == 0)
        return set_recompute_error(t, "shared experts", error);
    return TRUE;
}

static gboolean layers_have_module(const LanguageModel *model, const char *name)
{
    for (uint64_t layer = 0; layer < model->n_layers; layer++) {
        const ModuleOps *modules[MODULES_MAX];
        guint n = modules_of_layer(model, layer, modules);

        for (guint i = 0; i < n; i++)
            if (g_str_equal(modules[i]->name, name))
                return TRUE;
    }
    return FALSE;
}

static gboolean check_recompute(const Transformer *t, GError **error)
{
    for (guint i = 0; language_model_module_names[i]; i++)
        if (recompute_has(t->recompute, RECOMPUTE_MODULES + i) &&
            !layers_have_module(&t->model, language_model_module_names[i])) {
            g_autofree char *what = g_strdup_printf(
                "layer with '%s'", language_model_module_names[i]);

            return set_recompute_error(t, what, error);
        }
    return check_recomputed_pieces(t, error);
}

gboolean transformer_check(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;
    uint64_t ep = transformer_axis_ranks(t, MESH_EP);

    if (ep > 1 && m->experts.n_experts == 0) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep is %" G_GUINT64_FORMAT
                         ", and model '%s' has no experts; leave it out",
                         ep, m->name);
        return FALSE;
    }
    return modules_check(t, error) && check_sequence_length(t, error) &&
           check_pieces(t, error) && check_ring_attention(t, error) &&
           check_recompute(t, error);
}

gboolean transformer_check_exchange(const Transformer *t, GError **error)
{
    gboolean is_by_node = transformer_axis_ranks(t, MESH_EP_LOCAL) > 1;

    if (is_by_node && t->n_copies != CONFIG_AUTO) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep_copies is of tokens that are sent to "
                         "each rank directly; with ep_local the copies are "
                         "derived, so leave it out");
        return FALSE;
    }
    if (is_by_node && t->load && t->load->ranks.n > 0) {
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
