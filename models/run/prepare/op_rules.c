/* op_rules.c - matches the rules of `perturb.ops` to operations; see
 * op_rules.h */
#include "models/run/prepare/op_rules.h"

#include "sim/config/config.h"
#include "sim/config/config_node.h"

#define MILLION 1000000

struct OpRules {
    const PerturbConfig *config; /* borrowed */
    uint32_t n_npus;
    /* Owned: for each operation the rules that match it, one bit each. */
    uint64_t *ops;
    /* Owned: for each NPU the rules that name only some NPUs, one bit each;
     * NULL: no such rule. */
    uint64_t *npus;
    uint64_t of_all; /* rules that apply to all NPUs, one bit each */
};

static const PerturbedOps *op_rule_at_index(const PerturbConfig *config,
                                            guint i)
{
    return (const PerturbedOps *)config->ops.items + i;
}

static PerturbKind perturb_kind_of_op(const Op *op)
{
    if (op->type == OP_COMPUTE)
        return PERTURB_KERNELS;
    if (op->type == OP_COLLECTIVE)
        return op->kind == COLL_SEND ? PERTURB_MESSAGES : PERTURB_COLLECTIVES;
    return op->stage == OP_STAGE_DEVICE ? PERTURB_DEVICE : PERTURB_HOST;
}

static gboolean refuse_simulated_collective(const OpGraph *graph, uint32_t op,
                                            const char *match,
                                            const ConfigNode *where,
                                            GError **error)
{
    g_autoptr(GString) name = g_string_new(NULL);

    op_graph_append_op_name(graph, op, name);
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "match: '%s' includes %s, which is simulated and has no "
                     "given time; give another 'kind', or, if times were "
                     "recorded, 'training.communication: recorded'",
                     match, name->str);
    return FALSE;
}

static gboolean match_rule_to_ops(OpRules *rules, const OpGraph *graph, guint i,
                                  GError **error)
{
    const PerturbedOps *rule = op_rule_at_index(rules->config, i);
    const ConfigNode *where = config_node_value(rules->config->ops.node, i);
    g_autoptr(GPatternSpec) glob = g_pattern_spec_new(rule->match);
    gboolean any = FALSE;

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);
        const char *name = g_ptr_array_index(graph->layers, op->layer);

        if (op->is_buffer ||
            (rule->kind != PERTURB_ANY &&
             rule->kind != (int)perturb_kind_of_op(op)) ||
            !g_pattern_match_string(glob, name))
            continue;
        if (op->type == OP_COLLECTIVE && !op->is_recorded)
            return refuse_simulated_collective(graph, o, rule->match, where,
                                               error);
        rules->ops[o] |= UINT64_C(1) << i;
        any = TRUE;
    }
    if (!any)
        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "match: no operation of that kind is called '%s'",
                         rule->match);
    return any;
}

static gboolean list_rule_npus(OpRules *rules, guint i, GError **error)
{
    const PerturbedOps *rule = op_rule_at_index(rules->config, i);
    const uint64_t *ids = rule->npus.items;

    if (rule->npus.n == 0) {
        rules->of_all |= UINT64_C(1) << i;
        return TRUE;
    }
    if (!rules->npus)
        rules->npus = g_new0(uint64_t, rules->n_npus);
    for (guint n = 0; n < rule->npus.n; n++) {
        if (ids[n] >= rules->n_npus) {
            config_set_error(error, config_node_value(rule->npus.node, n),
                             CONFIG_ERROR_RANGE,
                             "there is no NPU %" G_GUINT64_FORMAT
                             " among %u, which count from 0",
                             ids[n], rules->n_npus);
            return FALSE;
        }
        rules->npus[ids[n]] |= UINT64_C(1) << i;
    }
    return TRUE;
}

gboolean op_rules_new(const PerturbConfig *config, const OpGraph *graph,
                      const Topology *topology, OpRules **ret, GError **error)
{
    OpRules *rules;

    *ret = NULL;
    if (config->ops.n == 0)
        return TRUE;
    rules = g_new0(OpRules, 1);
    rules->config = config;
    rules->n_npus = topology_n_npus(topology);
    rules->ops = g_new0(uint64_t, graph->ops->len);
    for (guint i = 0; i < config->ops.n; i++)
        if (!match_rule_to_ops(rules, graph, i, error) ||
            !list_rule_npus(rules, i, error)) {
            op_rules_free(rules);
            return FALSE;
        }
    *ret = rules;
    return TRUE;
}

void op_rules_free(OpRules *rules)
{
    if (!rules)
        return;
    g_free(rules->ops);
    g_free(rules->npus);
    g_free(rules);
}

uint64_t op_rules_matching_op(const OpRules *rules, uint32_t npu, uint32_t op)
{
    return rules ? rules->ops[op] &
                       (rules->of_all | (rules->npus ? rules->npus[npu] : 0))
                 : 0;
}

uint64_t op_rules_product_of_factors_ppm(const OpRules *rules, uint64_t of)
{
    uint64_t ppm = MILLION;

    for (; of != 0; of &= of - 1) {
        const PerturbedOps *rule =
            op_rule_at_index(rules->config, (guint)g_bit_nth_lsf(of, -1));

        ppm = sim_time_scaled(ppm, rule->time_factor_ppm, MILLION);
    }
    return ppm;
}

const uint64_t *op_rules_bits_by_npu(const OpRules *rules)
{
    return rules ? rules->npus : NULL;
}
