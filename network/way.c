/* way.c - links of a way, one after the other; see way.h */
#include "network/way.h"

#include "network/topology_impl.h"

/* The reach that is furthest of @planes. */
static TopologyReach furthest_of(uint32_t planes)
{
    uint32_t reach = TOPOLOGY_NEAR;

    g_assert(planes < TOPOLOGY_PLANE(TOPOLOGY_N_REACHES));
    while (planes >> (reach + 1))
        reach++;
    return (TopologyReach)reach;
}

uint32_t topology_way_on(const Topology *t, uint32_t at, uint32_t way)
{
    return TOPOLOGY_IS_UP(way) && t->ops->adds_at(t, at, TOPOLOGY_WAY_DIM(way))
               ? TOPOLOGY_WAY_DOWN(way)
               : way;
}

TopologyReach topology_reach(const Topology *t, uint32_t src, uint32_t dst,
                             uint32_t way)
{
    uint32_t plane = TOPOLOGY_WAY_PLANE(way), at = src;
    gboolean all = plane == 0 || (t->planes & ~plane) == 0;
    TopologyReach most = furthest_of(t->planes), furthest = TOPOLOGY_NEAR;

    /* A machine without links has one NPU, and ways to itself. */
    if (all && (t->planes & (t->planes - 1)) == 0)
        return most;
    do {
        uint32_t link = topology_next(t, at, dst, way);
        TopologyReach reach;

        if (link == TOPOLOGY_NONE)
            return TOPOLOGY_N_REACHES;
        reach = t->ports[link % t->n_ports].reach;
        if (!all && !(plane & TOPOLOGY_PLANE(reach)))
            return TOPOLOGY_N_REACHES;
        furthest = MAX(furthest, reach);
        at = topology_to(t, link);
        way = topology_way_on(t, at, way);
    } while (at != dst && !(all && furthest == most));
    return furthest;
}

static const char *const words[TOPOLOGY_N_REACHES] = { "near", "host",
                                                       "network" };

gboolean topology_check_way(const Topology *t, uint32_t src, uint32_t dst,
                            uint32_t plane, const ConfigNode *where,
                            GError **error)
{
    g_autoptr(GString) links = NULL;

    if (topology_reach(t, src, dst, TOPOLOGY_WAY(plane, 0)) !=
        TOPOLOGY_N_REACHES)
        return TRUE;
    links = g_string_new(NULL);
    for (uint32_t r = 0; r < TOPOLOGY_N_REACHES; r++)
        if (plane & TOPOLOGY_PLANE(r))
            g_string_append_printf(links, "%s%s", links->len > 0 ? " or " : "",
                                   words[r]);
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "no way from NPU %u to NPU %u keeps to links that are %s",
                     src, dst, links->str);
    return FALSE;
}
