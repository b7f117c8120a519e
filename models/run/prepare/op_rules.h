/*
 * op_rules.h - matches the rules of `perturb.ops` to operations
 *
 * A rule matches operations by the name of their layer, their kind and their
 * NPU.  A rule is an error if it matches no operation, or a simulated
 * collective, which has no time that could be multiplied.
 *
 * Errors   CONFIG_ERROR at the rule
 * Owner    the caller owns the rules; they borrow the configuration
 */
#ifndef MODELS_RUN_PREPARE_OP_RULES_H
#define MODELS_RUN_PREPARE_OP_RULES_H

#include "models/run/perturbation.h"
#include "workloads/graph.h"

typedef struct OpRules OpRules;

/* Sets *@ret to the rules, or to NULL if there are none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean op_rules_new(const PerturbConfig *config, const OpGraph *graph,
                      const Topology *topology, OpRules **ret, GError **error);
void op_rules_free(OpRules *rules);

/* Returns the rules that match @op on @npu, one bit each.  @rules may be
 * NULL. */
uint64_t op_rules_matching_op(const OpRules *rules, uint32_t npu, uint32_t op);
/* Returns the factor (in millionths) by which the rules in @of, one bit each,
 * multiply a time together. */
uint64_t op_rules_product_of_factors_ppm(const OpRules *rules, uint64_t of);
/* Returns for each NPU the rules that apply to some NPUs only, one bit each, or
 * NULL if there is no such rule.  Owned by @rules. */
const uint64_t *op_rules_bits_by_npu(const OpRules *rules);

#endif
