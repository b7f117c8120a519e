/* endpoint_members.c - the different endpoints of a selection */
#include "models/endpoints/selection/selection.h"

const ConfigKind endpoint_left_out = { .name = "default",
                                       .summary = "that of the key `default`" };

gboolean selection_has_no_value(const ConfigVariant *variant)
{
    return variant->kind == &endpoint_left_out;
}

static GString *values_of_endpoint(const ConfigVariant *endpoint)
{
    GString *values = g_string_new(endpoint->kind->name);

    config_append_values(values, endpoint->kind->fields, endpoint->params);
    return values;
}

uint32_t endpoint_members_find(const EndpointMembers *list,
                               const ConfigVariant *endpoint)
{
    g_autoptr(GString) wanted = NULL;

    for (uint32_t i = 0; i < list->n; i++)
        if (list->endpoints[i].params == endpoint->params)
            return i;
    wanted = values_of_endpoint(endpoint);
    for (uint32_t i = 0; i < list->n; i++) {
        g_autoptr(GString) values = values_of_endpoint(&list->endpoints[i]);

        if (g_string_equal(values, wanted))
            return i;
    }
    return ENDPOINT_NO_MEMBER;
}

void endpoint_members_add(EndpointMembers *list, const ConfigVariant *endpoint)
{
    if (!endpoint ||
        endpoint_members_find(list, endpoint) != ENDPOINT_NO_MEMBER)
        return;
    if (list->n < HBM_MAX_ENDPOINTS)
        list->endpoints[list->n++] = *endpoint;
    else
        list->is_incomplete = TRUE;
}
