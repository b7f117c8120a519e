/* topology_walk.h - iteration over all examples of topologies, and over all
 * their paths */
#ifndef TESTS_NETWORK_TOPOLOGY_WALK_H
#define TESTS_NETWORK_TOPOLOGY_WALK_H

#include "tests/network/topology_examples.h"

typedef void (*Check)(const Example *example, const Topology *topology);

static inline void for_each_topology_example(const char *kind, Check check)
{
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_autoptr(Topology) topology =
            topology_from_valid_yaml(examples[i].text);

        if (!kind || strcmp(examples[i].kind, kind) == 0)
            check(&examples[i], topology);
    }
}

typedef void (*PathCheck)(const Example *example, const Topology *topology,
                          uint32_t src, uint32_t dst, uint32_t way);

static inline void for_each_topology_path(const char *kind, PathCheck check)
{
    for (gsize i = 0; i < G_N_ELEMENTS(examples); i++) {
        g_autoptr(Topology) topology =
            topology_from_valid_yaml(examples[i].text);
        uint32_t n = topology_n_npus(topology);

        if (kind && strcmp(examples[i].kind, kind) != 0)
            continue;
        for (uint32_t src = 0; src < n; src++)
            for (uint32_t dst = 0; dst < n; dst++)
                for (uint32_t way = 0; way < 2 && dst != src; way++)
                    check(&examples[i], topology, src, dst, way);
    }
}

static inline const TopologyPort *port_of_link(const Topology *topology,
                                               uint32_t link)
{
    return topology_get_port(topology, link % topology_n_ports(topology));
}

/* Returns the next node on the path. Fails the test if the link is not one that
 * leaves @at. */
static inline uint32_t next_hop_of_path(const Topology *topology, uint32_t at,
                                        uint32_t dst, uint32_t way,
                                        uint32_t *ret_link)
{
    uint32_t from, to;

    *ret_link = topology_next_link(topology, at, dst, way);
    assert_true(*ret_link < topology_n_links(topology));
    assert_true(topology_get_link_nodes(topology, *ret_link, &from, &to));
    assert_int_equal(from, at);
    assert_true(to < topology_n_nodes(topology) && to != from);
    return to;
}

#endif
