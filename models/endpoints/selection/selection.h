/*
 * selection.h - several endpoints of an NPU, each for some collectives
 *
 * Two kinds stand for several endpoints.  `by-axis` selects one by the axis of
 * parallelism (workloads/mesh) of a collective's communicator, `by-collective`
 * by the kind of the collective.  A value of `by-axis` may be `by-collective`.
 * A key that is left out is of kind `default`.
 *
 * Axis of a communicator: the name of its group.  A group of several axes, such
 * as cp+dp, is of the last one.
 *
 * Owner    the document owns all parameters
 */
#ifndef MODELS_ENDPOINTS_SELECTION_SELECTION_H
#define MODELS_ENDPOINTS_SELECTION_SELECTION_H

#include "models/endpoints/endpoint.h"
#include "workloads/mesh/mesh.h"

typedef struct {
    EndpointCommon common;
    ConfigVariant endpoint_of_axis[MESH_N_AXES];
    ConfigVariant otherwise;
} ByAxisParams;

typedef struct {
    EndpointCommon common;
    ConfigVariant endpoint_of_kind[COLL_N_ALL_KINDS];
    ConfigVariant
        reductions; /* kinds that add, unless .endpoint_of_kind has them */
    ConfigVariant otherwise;
} ByCollectiveParams;

/* This is the kind of a key that is left out. */
extern const ConfigKind endpoint_left_out;
extern const EndpointOps endpoint_by_axis, endpoint_by_collective;

/* The kinds of endpoints that a selection can name: all that are not a
 * selection themselves, and `default`. */
extern const ConfigRegistry endpoint_engine_registry;
/* The kinds that an axis can name: the same ones, and `by-collective`. */
extern const ConfigRegistry endpoint_axis_registry;

/* Returns whether the key of @variant was left out. */
gboolean selection_has_no_value(const ConfigVariant *variant);

/* Returns the endpoint for collectives of @kind, or NULL if @params names
 * none. */
const ConfigVariant *
by_collective_find_variant(const ByCollectiveParams *params, CollKind kind);

/* Adds @endpoint to @list, unless an equal one is in it.  Does nothing if it is
 * NULL. */
void endpoint_members_add(EndpointMembers *list, const ConfigVariant *endpoint);
/* Returns the number of the endpoint in @list that is equal to @endpoint. */
uint32_t endpoint_members_find(const EndpointMembers *list,
                               const ConfigVariant *endpoint);
/* Adds all endpoints of @params to @list. */
void by_collective_add_members(const ByCollectiveParams *params,
                               EndpointMembers *list);

/* ---- several_endpoints.c ------------------------------------------------- */

/* The functions that the EndpointOps of by_axis.c and by_collective.c
 * share. */

Endpoint *several_endpoints_new(const ConfigVariant *config,
                                const EndpointSite *site, EndpointHost *host,
                                GError **error);
void several_endpoints_free(Endpoint *endpoint);
Endpoint *several_endpoints_of_op(Endpoint *endpoint, uint32_t op);
void several_endpoints_report_resource_use(const Endpoint *endpoint,
                                           ResourceUse *ret);
gboolean several_endpoints_may_admit_chunk(Endpoint *endpoint, uint64_t bytes);
void several_endpoints_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                     uint32_t phase);
void several_endpoints_send_message(Endpoint *endpoint, uint32_t message);
void several_endpoints_receive_message(Endpoint *endpoint, uint32_t message);
void several_endpoints_set_hbm_rate(Endpoint *endpoint, HbmStream stream,
                                    uint64_t bytes_per_s);
void several_endpoints_read_counters(const Endpoint *endpoint,
                                     EndpointStats *ret);
void several_endpoints_visit_state(Endpoint *endpoint, SteadyWalk *walk);
void several_endpoints_explain_stall(const Endpoint *endpoint, GString *text);
/* Sets *@ret to the sum of what the endpoints of @members take: the maximum,
 * reached if all work simultaneously. */
void several_endpoints_claim_resources(const EndpointMembers *members,
                                       EndpointClaim *ret);

#define SEVERAL_ENDPOINTS_OPS                                                  \
    .new = several_endpoints_new, .free = several_endpoints_free,              \
    .of_op = several_endpoints_of_op,                                          \
    .uses = several_endpoints_report_resource_use,                             \
    .may_start = several_endpoints_may_admit_chunk,                            \
    .advance = several_endpoints_advance_chunk,                                \
    .send = several_endpoints_send_message,                                    \
    .receive = several_endpoints_receive_message,                              \
    .set_rate = several_endpoints_set_hbm_rate,                                \
    .stats = several_endpoints_read_counters,                                  \
    .steady = several_endpoints_visit_state,                                   \
    .explain = several_endpoints_explain_stall

#endif
