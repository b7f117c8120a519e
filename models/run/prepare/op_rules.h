/*
 * op_rules.h - which operations `perturb.ops` makes slower or faster
 *
 * A rule takes in operations by the name of their layer, their kind and their
 * NPU.  What has no time of its own, a collective that is simulated, it cannot
 * take in; nor nothing at all.
 *
 * Errors   CONFIG_ERROR at the rule
 * Owner    the caller owns the rules; the rest is borrowed
 */
#ifndef MODELS_RUN_PREPARE_OP_RULES_H
#define MODELS_RUN_PREPARE_OP_RULES_H

#include "models/run/perturb.h"
#include "workloads/graph.h"

typedef struct OpRules OpRules;

/* *@ret is NULL where there are none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean op_rules_new(const PerturbConfig *config, const OpGraph *graph,
                      const Topology *topology, OpRules **ret, GError **error);
void op_rules_free(OpRules *rules);

/* Those that take in @op on @npu, as bits; @rules may be NULL. */
uint64_t op_rules_of(const OpRules *rules, uint32_t npu, uint32_t op);
/* What time is multiplied by @of them, as bits. */
uint64_t op_rules_ppm(const OpRules *rules, uint64_t of);
/* Of each NPU the rules that are of some NPUs only, as bits; NULL: none is.
 * Owned by @rules. */
const uint64_t *op_rules_of_npus(const OpRules *rules);

#endif
