/* by_collective.c - an endpoint for each kind of collective */
#include "models/endpoints/selection/selection.h"

#define KIND_FIELD(Key, Kind, Source)                                          \
    {                                                                          \
        .key = (Key), .help = "endpoint for it", .type = CONFIG_KIND,          \
        .offset = offsetof(ByCollectiveParams, endpoint_of_kind[Kind]),        \
        .registry = &endpoint_engine_registry, .fallback = "{kind: default}",  \
        .source = (Source)                                                     \
    }

static const ConfigField by_collective_fields[] = {
    ENDPOINT_NAME_FIELD(ByCollectiveParams),
    KIND_FIELD("all-reduce", COLL_ALL_REDUCE,
               "`reductions`, or else `default`"),
    KIND_FIELD("reduce-scatter", COLL_REDUCE_SCATTER,
               "`reductions`, or else `default`"),
    KIND_FIELD("all-gather", COLL_ALL_GATHER, "`default`"),
    KIND_FIELD("all-to-all", COLL_ALL_TO_ALL, "`default`"),
    KIND_FIELD("all-to-allv", COLL_ALL_TO_ALLV,
               "`all-to-all`, or else `default`"),
    KIND_FIELD("broadcast", COLL_BROADCAST, "`default`"),
    KIND_FIELD("reduce", COLL_REDUCE, "`reductions`, or else `default`"),
    KIND_FIELD("gather", COLL_GATHER, "`default`"),
    KIND_FIELD("scatter", COLL_SCATTER, "`default`"),
    KIND_FIELD("barrier", COLL_BARRIER, "`default`"),
    KIND_FIELD("shift", COLL_SHIFT, "`message`, or else `default`"),
    KIND_FIELD("message", COLL_SEND, "`default`"),
    { .key = "reductions",
      .help = "endpoint for kinds that add and are not named, for engines that "
              "cannot add",
      .type = CONFIG_KIND,
      .offset = offsetof(ByCollectiveParams, reductions),
      .registry = &endpoint_engine_registry,
      .fallback = "{kind: default}",
      .source = "`default`" },
    { .key = "default",
      .help = "endpoint for all other kinds; may be left out for an axis, "
              "which then has that of the other axes",
      .type = CONFIG_KIND,
      .offset = offsetof(ByCollectiveParams, otherwise),
      .registry = &endpoint_engine_registry,
      .fallback = "{kind: default}",
      .source = "that of the other axes" },
    CONFIG_END,
};

const ConfigVariant *
by_collective_find_variant(const ByCollectiveParams *params, CollKind kind)
{
    const ConfigVariant *choices[] = { &params->endpoint_of_kind[kind],
                                       coll_contract(kind)->adds
                                           ? &params->reductions
                                           : &params->endpoint_of_kind[kind],
                                       &params->otherwise };

    /* The blocks of an all-to-allv are unequal; otherwise it is one kind with
     * the all-to-all. */
    if (kind == COLL_ALL_TO_ALLV)
        choices[1] = &params->endpoint_of_kind[COLL_ALL_TO_ALL];
    /* Each rank sends one message in a shift. */
    if (kind == COLL_SHIFT)
        choices[1] = &params->endpoint_of_kind[COLL_SEND];
    for (guint i = 0; i < G_N_ELEMENTS(choices); i++)
        if (!selection_has_no_value(choices[i]))
            return choices[i];
    return NULL;
}

void by_collective_add_members(const ByCollectiveParams *params,
                               EndpointMembers *list)
{
    if (!selection_has_no_value(&params->otherwise))
        endpoint_members_add(list, &params->otherwise);
    for (CollKind k = 0; k < COLL_N_ALL_KINDS; k++)
        endpoint_members_add(list, by_collective_find_variant(params, k));
}

static void by_collective_list_members(gconstpointer params,
                                       EndpointMembers *ret)
{
    ret->n = 0;
    by_collective_add_members(params, ret);
}

static uint32_t by_collective_member_for_kind(gconstpointer params,
                                              const char *group, CollKind kind)
{
    const ConfigVariant *found = by_collective_find_variant(params, kind);
    EndpointMembers list = { .n = 0 };

    (void)group;
    by_collective_add_members(params, &list);
    return found ? endpoint_members_find(&list, found) : ENDPOINT_NO_MEMBER;
}

static void by_collective_claim_resources(gconstpointer params,
                                          EndpointClaim *ret)
{
    EndpointMembers list = { .n = 0 };

    by_collective_add_members(params, &list);
    several_endpoints_claim_resources(&list, ret);
}

const EndpointOps endpoint_by_collective = {
    .base = { .name = "by-collective",
              .summary = "an endpoint for each kind of collective",
              .fields = by_collective_fields,
              .size = sizeof(ByCollectiveParams) },
    SEVERAL_ENDPOINTS_OPS,
    .claim = by_collective_claim_resources,
    .members = by_collective_list_members,
    .member_of = by_collective_member_for_kind,
};
