/* by_axis.c - an endpoint for each axis of parallelism */
#include <string.h>

#include "models/endpoints/selection/selection.h"

#define AXIS_FIELD(Key, Axis, Help)                                            \
    {                                                                          \
        .key = (Key), .help = "endpoint for " Help, .type = CONFIG_KIND,       \
        .offset = offsetof(ByAxisParams, endpoint_of_axis[Axis]),              \
        .registry = &endpoint_axis_registry, .without_kind = "by-collective",  \
        .fallback = "{kind: default}", .source = "`default`"                   \
    }

static const ConfigField by_axis_fields[] = {
    ENDPOINT_NAME_FIELD(ByAxisParams),
    AXIS_FIELD("tp", MESH_TP, "tensor parallelism"),
    AXIS_FIELD("cp", MESH_CP, "context parallelism"),
    AXIS_FIELD("dp", MESH_DP, "data parallelism"),
    AXIS_FIELD("pp", MESH_PP, "messages between pipeline stages"),
    AXIS_FIELD("etp", MESH_ETP, "tensor parallelism within an expert"),
    AXIS_FIELD("ep", MESH_EP, "dispatch to experts and combination"),
    AXIS_FIELD("edp", MESH_EDP, "data parallelism of experts"),
    AXIS_FIELD("ep_local", MESH_EP_LOCAL,
               "the part of it inside nodes, if it is divided, in place of ep"),
    AXIS_FIELD("ep_nodes", MESH_EP_NODES,
               "the part of it between nodes, in place of ep"),
    AXIS_FIELD(
        "dp_within", MESH_DP_WITHIN,
        "data parallelism within a group of ranks, if these are divided, "
        "in place of dp"),
    AXIS_FIELD("dp_across", MESH_DP_ACROSS,
               "data parallelism between such groups, in place of dp"),
    AXIS_FIELD("edp_within", MESH_EDP_WITHIN,
               "the part of edp within a group, in place of edp"),
    AXIS_FIELD("edp_across", MESH_EDP_ACROSS,
               "the part of edp between groups, in place of edp"),
    { .key = "default",
      .help = "endpoint for all other communicators",
      .type = CONFIG_KIND,
      .offset = offsetof(ByAxisParams, otherwise),
      .registry = &endpoint_axis_registry,
      .without_kind = "by-collective" },
    CONFIG_END,
};

/* Returns the axis that @axis is a part of, or @axis itself. */
static MeshAxis axis_that_contains_part(MeshAxis axis)
{
    static const MeshAxis wholes[MESH_N_AXES] = {
        [MESH_EP_LOCAL] = MESH_EP,    [MESH_EP_NODES] = MESH_EP,
        [MESH_DP_WITHIN] = MESH_DP,   [MESH_DP_ACROSS] = MESH_DP,
        [MESH_EDP_WITHIN] = MESH_EDP, [MESH_EDP_ACROSS] = MESH_EDP,
    };

    return axis >= MESH_EP_LOCAL ? wholes[axis] : axis;
}

/* Returns the axis of @group, or MESH_N_AXES if @params has no endpoint for
 * it. */
static MeshAxis mesh_axis_of_group_name(const ByAxisParams *params,
                                        const char *group)
{
    const char *plus = strrchr(group, '+');
    const char *last = plus ? plus + 1 : group;

    MeshAxis axis = 0;

    while (axis < MESH_N_AXES && !g_str_equal(mesh_axis_names[axis], last))
        axis++;
    if (axis < MESH_N_AXES &&
        selection_has_no_value(&params->endpoint_of_axis[axis]))
        axis = axis_that_contains_part(axis);
    return axis < MESH_N_AXES &&
                   !selection_has_no_value(&params->endpoint_of_axis[axis])
               ? axis
               : MESH_N_AXES;
}

/* Returns the endpoint that @variant has for @kind, or NULL. */
static const ConfigVariant *find_endpoint_for_kind(const ConfigVariant *variant,
                                                   CollKind kind)
{
    if (selection_has_no_value(variant))
        return NULL;
    return endpoint_ops_of_kind(variant)->members
               ? by_collective_find_variant(variant->params, kind)
               : variant;
}

/* Returns the endpoint for collectives of @kind in the group called @group, or
 * NULL if @params names none. */
static const ConfigVariant *by_axis_find_variant(const ByAxisParams *params,
                                                 const char *group,
                                                 CollKind kind)
{
    MeshAxis axis = mesh_axis_of_group_name(params, group);
    const ConfigVariant *found =
        axis < MESH_N_AXES
            ? find_endpoint_for_kind(&params->endpoint_of_axis[axis], kind)
            : NULL;

    return found ? found : find_endpoint_for_kind(&params->otherwise, kind);
}

static void add_members_of_variant(const ConfigVariant *variant,
                                   EndpointMembers *list)
{
    if (selection_has_no_value(variant))
        return;
    if (endpoint_ops_of_kind(variant)->members)
        by_collective_add_members(variant->params, list);
    else
        endpoint_members_add(list, variant);
}

static void by_axis_list_members(gconstpointer params, EndpointMembers *ret)
{
    const ByAxisParams *by_axis_params = params;

    *ret = (EndpointMembers){ .n = 0 };
    add_members_of_variant(&by_axis_params->otherwise, ret);
    for (MeshAxis a = 0; a < MESH_N_AXES; a++)
        add_members_of_variant(&by_axis_params->endpoint_of_axis[a], ret);
}

static uint32_t by_axis_member_for_group(gconstpointer params,
                                         const char *group, CollKind kind)
{
    const ConfigVariant *found = by_axis_find_variant(params, group, kind);
    EndpointMembers list;

    by_axis_list_members(params, &list);
    return found ? endpoint_members_find(&list, found) : ENDPOINT_NO_MEMBER;
}

static void by_axis_claim_resources(gconstpointer params, EndpointClaim *ret)
{
    EndpointMembers list;

    by_axis_list_members(params, &list);
    several_endpoints_claim_resources(&list, ret);
}

static gboolean op_has_endpoint(const Op *op)
{
    return op->type == OP_COLLECTIVE && !op->is_recorded;
}

/* Returns whether some collective of the graph is on the axis @axis. */
static gboolean axis_has_collectives(const ByAxisParams *params,
                                     const OpGraph *graph, MeshAxis axis)
{
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op_has_endpoint(op) &&
            mesh_axis_of_group_name(
                params, op_graph_group(graph, op->group)->name) == axis)
            return TRUE;
    }
    return FALSE;
}

/* Returns the names of the groups that have collectives, each once; the caller
 * owns the text. */
static char *groups_with_collectives(const OpGraph *graph)
{
    g_autofree gboolean *has = g_new0(gboolean, graph->groups->len);
    GString *names = g_string_new(NULL);

    for (guint i = 0; i < graph->ops->len; i++)
        if (op_has_endpoint(op_graph_op(graph, i)))
            has[op_graph_op(graph, i)->group] = TRUE;
    for (guint g = 0; g < graph->groups->len; g++)
        if (has[g])
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "",
                                   op_graph_group(graph, g)->name);
    return g_string_free(names, FALSE);
}

/* An axis that is named must have collectives: its endpoint would have no
 * effect otherwise. */
static gboolean check_axes_have_members(const ConfigVariant *config,
                                        const OpGraph *graph, GError **error)
{
    const ByAxisParams *params = config->params;

    for (MeshAxis a = 0; a < MESH_N_AXES; a++) {
        g_autofree char *groups = NULL;

        if (selection_has_no_value(&params->endpoint_of_axis[a]) ||
            axis_has_collectives(params, graph, a))
            continue;
        groups = groups_with_collectives(graph);
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                         "%s: no collective of the workload is on this axis; "
                         "those with collectives are: %s",
                         mesh_axis_names[a], *groups ? groups : "none");
        return FALSE;
    }
    return TRUE;
}

const EndpointOps endpoint_by_axis = {
    .base = { .name = "by-axis",
              .summary = "an endpoint for each axis of parallelism: "
                         "`endpoints: {tp: NAME, default: NAME}`",
              .fields = by_axis_fields,
              .size = sizeof(ByAxisParams) },
    SEVERAL_ENDPOINTS_OPS,
    .claim = by_axis_claim_resources,
    .members = by_axis_list_members,
    .member_of = by_axis_member_for_group,
    .check = check_axes_have_members,
};
