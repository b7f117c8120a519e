/*
 * op_endpoints.h - which endpoint of an NPU carries out each operation
 *
 * Only endpoints that some operation uses are listed.  If a selection
 * (models/endpoints/selection) is not used at all, its first endpoint is.
 *
 * Errors   CONFIG_ERROR at the key that is wrong: an axis without collectives,
 *          a collective without an endpoint, too many endpoints, several sets
 *          of copy engines
 * Owner    the system owns an OpEndpoints; endpoints are borrowed
 */
#ifndef MODELS_RUN_PREPARE_OP_ENDPOINTS_H
#define MODELS_RUN_PREPARE_OP_ENDPOINTS_H

#include "models/endpoints/endpoint.h"
#include "workloads/graph.h"

typedef struct {
    EndpointMembers members;
    EndpointClaim claims[HBM_MAX_ENDPOINTS]; /* all that each member can hold */
    /* Owned: the number in .members of each operation's endpoint; NULL if the
     * configuration is a single endpoint and no selection. */
    guint8 *of_op;
    /* Owned: the resources of all endpoints one after the other, ended by a
     * name of NULL; NULL without .of_op.  Their names are owned. */
    ResourceKind *resources;
} OpEndpoints;

G_GNUC_WARN_UNUSED_RESULT
gboolean op_endpoints_init(OpEndpoints *ret, const ConfigVariant *config,
                           const OpGraph *graph, GError **error);
void op_endpoints_clear(OpEndpoints *endpoints);

static inline uint32_t op_endpoints_number(const OpEndpoints *endpoints,
                                           uint32_t op)
{
    return endpoints->of_op ? endpoints->of_op[op] : 0;
}

/* Return whether EndpointOps.is_final_at_chunk_end is true, or .steady is not
 * NULL, for all endpoints. */
gboolean op_endpoints_are_final_at_chunk_end(const OpEndpoints *endpoints);
gboolean op_endpoints_have_steady_state(const OpEndpoints *endpoints);

/* Returns the endpoint of operation @op. */
static inline const ConfigVariant *
op_endpoints_variant(const OpEndpoints *endpoints, uint32_t op)
{
    return &endpoints->members.endpoints[op_endpoints_number(endpoints, op)];
}

#endif
