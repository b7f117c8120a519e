/* transformer_check.c - see transformer_check.h */
#include "workloads/transformer/transformer_check.h"

#include "workloads/transformer/modules/modules.h"

static gboolean check_sequence(const Transformer *t, GError **error)
{
    return module_check_divides(t, transformer_axis(t, MESH_CP), "cp",
                                t->sequence, "tokens of a sequence", error) &&
           (!t->divides_sequence ||
            module_check_divides(t, transformer_tp(t), "tp",
                                 transformer_tokens(t),
                                 "tokens of a micro-batch", error));
}

gboolean transformer_check(const Transformer *t, GError **error)
{
    const LanguageModel *m = &t->model;
    uint64_t ep = transformer_axis(t, MESH_EP);

    if (ep > 1 && m->experts.n_experts == 0) {
        config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                         "parallel: ep is %" G_GUINT64_FORMAT
                         ", and model '%s' has no experts; leave it out",
                         ep, m->name);
        return FALSE;
    }
    return modules_check(t, error) && check_sequence(t, error);
}

gboolean transformer_check_exchange(const Transformer *t, GError **error)
{
    gboolean is_by_node = transformer_axis(t, MESH_EP_LOCAL) > 1;

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
