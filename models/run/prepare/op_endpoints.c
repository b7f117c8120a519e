/* op_endpoints.c - which endpoint of an NPU carries out each operation; see
 * op_endpoints.h */
#include "models/run/prepare/op_endpoints.h"

/* Numbers of endpoints while they are collected: in the list of all endpoints
 * of the configuration. */
typedef struct {
    const ConfigVariant *config;
    const OpGraph *graph;
    EndpointMembers endpoints;
    /* Owned: for each group and kind of collective 1 + the number of the
     * endpoint in .endpoints; 0: not looked up yet. */
    uint32_t *known;
    /* Number in the list of used endpoints of each in .all;
     * ENDPOINT_NO_MEMBER: not used. */
    uint32_t used[HBM_MAX_ENDPOINTS];
} Assignment;

static gboolean op_needs_endpoint(const Op *op)
{
    return op->type == OP_COLLECTIVE && !op->is_recorded;
}

static gboolean set_no_endpoint_error(const Assignment *assignment,
                                      const Op *op, GError **error)
{
    config_set_error(error, assignment->config->node, CONFIG_ERROR_CONFLICT,
                     "no endpoint carries out the %s of group '%s'; give one "
                     "for it, or a `default`",
                     coll_kind_name(op->kind),
                     op_graph_group(assignment->graph, op->group)->name);
    return FALSE;
}

/* Sets the endpoint of operation @i.  Endpoints are numbered in the order of
 * their first operation. */
static gboolean assign_endpoint_to_op(Assignment *assignment, uint32_t i,
                                      OpEndpoints *ret, GError **error)
{
    const Op *op = op_graph_op(assignment->graph, i);
    uint32_t *known =
        &assignment->known[op->group * COLL_N_ALL_KINDS + op->kind];
    uint32_t number;

    if (!op_needs_endpoint(op))
        return TRUE;
    if (*known == 0) {
        number = endpoint_member_for_collective(
            assignment->config,
            op_graph_group(assignment->graph, op->group)->name, op->kind);
        if (number == ENDPOINT_NO_MEMBER)
            return set_no_endpoint_error(assignment, op, error);
        *known = number + 1;
    }
    number = *known - 1;
    if (assignment->used[number] == ENDPOINT_NO_MEMBER) {
        assignment->used[number] = ret->members.n;
        ret->members.endpoints[ret->members.n++] =
            assignment->endpoints.endpoints[number];
    }
    ret->of_op[i] = (guint8)assignment->used[number];
    return TRUE;
}

static gboolean check_one_set_of_engines(const EndpointMembers *members,
                                         GError **error)
{
    const ConfigVariant *first = NULL;

    for (uint32_t i = 0; i < members->n; i++) {
        const ConfigVariant *one = &members->endpoints[i];

        if (!endpoint_ops_of_kind(one)->is_one_per_npu)
            continue;
        if (first) {
            config_set_error(error, one->node, CONFIG_ERROR_CONFLICT,
                             "endpoints '%s' and '%s' are different sets of "
                             "engines of kind %s, of which an NPU has one; "
                             "name the same endpoint for both",
                             endpoint_name(first), endpoint_name(one),
                             one->kind->name);
            return FALSE;
        }
        first = one;
    }
    return TRUE;
}

static gboolean check_number_of_endpoints(const Assignment *assignment,
                                          GError **error)
{
    if (!assignment->endpoints.is_incomplete)
        return TRUE;
    config_set_error(error, assignment->config->node, CONFIG_ERROR_CONFLICT,
                     "more than %d different endpoints", HBM_MAX_ENDPOINTS);
    return FALSE;
}

/* Lists the resources of all endpoints, called by the endpoint that has
 * them. */
static gboolean list_resources_of_endpoints(OpEndpoints *ret,
                                            const ConfigVariant *config,
                                            GError **error)
{
    GArray *all = g_array_new(TRUE, TRUE, sizeof(ResourceKind));

    for (uint32_t i = 0; i < ret->members.n; i++) {
        const ConfigVariant *one = &ret->members.endpoints[i];
        const ResourceKind *own = endpoint_resources_of_kind(one->kind);

        for (; own && own->name; own++) {
            ResourceKind kind = *own;

            kind.name = g_strdup_printf("%s_%s", endpoint_name(one), own->name);
            kind.name_in_sentence = g_strdup_printf(
                "%s of '%s'", own->name_in_sentence, endpoint_name(one));
            kind.title = own->title ? g_strdup_printf("%s of %s", own->title,
                                                      endpoint_name(one))
                                    : NULL;
            kind.doubles = kind.halves = kind.related_key = NULL;
            g_array_append_val(all, kind);
        }
    }
    ret->resources = (ResourceKind *)(gpointer)g_array_free(all, FALSE);
    if (resource_count(ret->resources) <= RESOURCE_MAX)
        return TRUE;
    config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                     "the endpoints have more than %d resources together; use "
                     "fewer engines",
                     RESOURCE_MAX_OWN);
    return FALSE;
}

static gboolean assign_endpoints_to_all_ops(Assignment *assignment,
                                            OpEndpoints *ret, GError **error)
{
    ret->members = (EndpointMembers){ .n = 0 };
    for (uint32_t i = 0; i < HBM_MAX_ENDPOINTS; i++)
        assignment->used[i] = ENDPOINT_NO_MEMBER;
    for (uint32_t i = 0; i < assignment->graph->ops->len; i++)
        if (!assign_endpoint_to_op(assignment, i, ret, error))
            return FALSE;
    if (ret->members.n == 0) {
        if (assignment->endpoints.n == 0) {
            config_set_error(error, assignment->config->node,
                             CONFIG_ERROR_CONFLICT, "no endpoint is named");
            return FALSE;
        }
        ret->members.endpoints[ret->members.n++] =
            assignment->endpoints.endpoints[0];
    }
    return TRUE;
}

static void set_claims(OpEndpoints *ret)
{
    for (uint32_t i = 0; i < ret->members.n; i++)
        ret->claims[i] = endpoint_claim_resources(&ret->members.endpoints[i]);
}

gboolean op_endpoints_init(OpEndpoints *ret, const ConfigVariant *config,
                           const OpGraph *graph, GError **error)
{
    const EndpointOps *ops = endpoint_ops_of_kind(config);
    Assignment a = { .config = config, .graph = graph };
    gboolean ok;

    *ret = (OpEndpoints){ .of_op = NULL };
    endpoint_find_members(config, &a.endpoints);
    if (!ops->members) {
        ret->members = a.endpoints;
        set_claims(ret);
        return TRUE;
    }
    if (!check_number_of_endpoints(&a, error) ||
        (ops->check && !ops->check(config, graph, error)))
        return FALSE;
    ret->of_op = g_new0(guint8, graph->ops->len);
    a.known = g_new0(uint32_t, (gsize)graph->groups->len * COLL_N_ALL_KINDS);
    ok = assign_endpoints_to_all_ops(&a, ret, error);
    g_free(a.known);
    set_claims(ret);
    return ok && check_one_set_of_engines(&ret->members, error) &&
           list_resources_of_endpoints(ret, config, error);
}

void op_endpoints_clear(OpEndpoints *endpoints)
{
    for (ResourceKind *kind = endpoints->resources; kind && kind->name;
         kind++) {
        g_free((gpointer)kind->name);
        g_free((gpointer)kind->name_in_sentence);
        g_free((gpointer)kind->title);
    }
    g_free(endpoints->resources);
    g_free(endpoints->of_op);
}

gboolean op_endpoints_are_final_at_chunk_end(const OpEndpoints *endpoints)
{
    for (uint32_t i = 0; i < endpoints->members.n; i++)
        if (!endpoint_ops_of_kind(&endpoints->members.endpoints[i])
                 ->is_final_at_chunk_end)
            return FALSE;
    return TRUE;
}

gboolean op_endpoints_have_steady_state(const OpEndpoints *endpoints)
{
    for (uint32_t i = 0; i < endpoints->members.n; i++)
        if (!endpoint_ops_of_kind(&endpoints->members.endpoints[i])->steady)
            return FALSE;
    return TRUE;
}
