/* test_graph.c - Tests of topologies/graph.c and of routes through graphs. */
#include "network/deadlock_check.h"
#include "tests/network/network_fixture.h"

static char *graph_topology_text(const char *nodes, const char *links,
                                 const char *more)
{
    return g_strdup_printf("{ kind: graph, nodes: [%s], links: [%s]%s }", nodes,
                           links, more);
}

static void add_graph_node(GString *nodes, const char *name, const char *kind)
{
    g_string_append_printf(nodes, "%s{ name: %s, kind: %s }",
                           nodes->len > 0 ? ", " : "", name, kind);
}

static void add_graph_link(GString *links, guint from, guint to,
                           const char *more)
{
    g_string_append_printf(links, "%s{ from: n%u, to: n%u, %s%s }",
                           links->len > 0 ? ", " : "", from, to, SLOW, more);
}

/* Returns nodes n0, n1, .... The first @n are NPUs, the others switches. */
static GString *graph_nodes_text(guint n, guint n_switches)
{
    GString *nodes = g_string_new(NULL);

    for (guint i = 0; i < n + n_switches; i++) {
        g_autofree char *name = g_strdup_printf("n%u", i);

        add_graph_node(nodes, name, i < n ? "npu" : "switch");
    }
    return nodes;
}

/* ---- comparison of graphs with built-in kinds ---------------------------- */

/* Asserts that @graph and @kind give the same arrival times. Each NPU sends to
 * the NPUs for which @sends is TRUE, since there is only one shortest path to
 * them. */
static void
check_graph_equals_kind(const char *graph, const char *kind,
                        gboolean (*sends)(uint32_t from, uint32_t to), guint n)
{
    g_autofree Send *traffic = g_new0(Send, MAX_SENDS);
    Fixture *one, *other;
    guint n_sends = 0;

    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            for (uint32_t k = 0; k < 2 && from != to && sends(from, to); k++)
                traffic[n_sends++] = (Send){ .src = from,
                                             .dst = to,
                                             .bytes = 3000 + 1000 * to,
                                             .order_lo = from * n + to,
                                             .at_ps = SIM_NS(from + k),
                                             .chunk = 2 * from + k };
    one = network_fixture_new(graph, FALSE);
    other = network_fixture_new(kind, FALSE);
    run_network_sends(one, traffic, n_sends);
    run_network_sends(other, traffic, n_sends);
    assert_memory_equal(one->arrival_ps, other->arrival_ps,
                        sizeof one->arrival_ps);
    assert_int_equal(network_n_hops(one->network),
                     network_n_hops(other->network));
    network_fixture_free(one);
    network_fixture_free(other);
}

static gboolean sends_to_all_npus(uint32_t from, uint32_t to)
{
    return from != to;
}

/* Returns whether the path on a torus of 3 x 5 is along one dimension. */
static gboolean sends_along_one_dimension(uint32_t from, uint32_t to)
{
    return from % 3 == to % 3 || from / 3 == to / 3;
}

static void test_a_graph_of_a_ring_equals_a_ring(void **state)
{
    g_autoptr(GString) nodes = graph_nodes_text(7, 0);
    g_autoptr(GString) one_way = g_string_new(NULL);
    g_autoptr(GString) both = g_string_new(NULL);
    g_autofree char *one_graph = NULL, *both_graph = NULL;

    (void)state;
    for (guint i = 0; i < 7; i++) {
        add_graph_link(one_way, i, (i + 1) % 7, ", both_ways: false");
        add_graph_link(both, i, (i + 1) % 7, "");
    }
    one_graph = graph_topology_text(nodes->str, one_way->str, "");
    both_graph = graph_topology_text(nodes->str, both->str, "");
    check_graph_equals_kind(one_graph, RING(7), sends_to_all_npus, 7);
    check_graph_equals_kind(
        both_graph, "{ kind: torus, dims: [{ size: 7, links: 2, " SLOW " }] }",
        sends_to_all_npus, 7);
}

static void test_a_graph_of_a_line_equals_a_mesh(void **state)
{
    g_autoptr(GString) nodes = graph_nodes_text(8, 0);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *graph = NULL;

    (void)state;
    for (guint i = 0; i < 7; i++)
        add_graph_link(links, i, i + 1, "");
    graph = graph_topology_text(nodes->str, links->str, "");
    check_graph_equals_kind(
        graph, "{ kind: mesh, dims: [{ size: 8, links: 2, " SLOW " }] }",
        sends_to_all_npus, 8);
}

static void test_a_graph_of_a_switch_equals_a_switch(void **state)
{
    g_autoptr(GString) nodes = graph_nodes_text(6, 1);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *graph = NULL;

    (void)state;
    for (guint i = 0; i < 6; i++)
        add_graph_link(links, i, 6, "");
    graph = graph_topology_text(nodes->str, links->str, "");
    check_graph_equals_kind(graph, "{ kind: switch, npus: 6, " SLOW " }",
                            sends_to_all_npus, 6);
}

static void test_a_graph_of_a_torus_equals_a_torus(void **state)
{
    g_autoptr(GString) nodes = graph_nodes_text(15, 0);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *graph = NULL;

    (void)state;
    for (guint i = 0; i < 15; i++) {
        add_graph_link(links, i, i / 3 * 3 + (i + 1) % 3, "");
        add_graph_link(links, i, (i + 3) % 15, "");
    }
    graph = graph_topology_text(nodes->str, links->str, "");
    check_graph_equals_kind(graph,
                            "{ kind: torus, dims: [{ size: 3, links: 2, " SLOW
                            " }, "
                            "{ size: 5, links: 2, " SLOW " }] }",
                            sends_along_one_dimension, 15);
}

/* ---- graph paths of equal length ----------------------------------------- */

/* Returns eight NPUs, four on each of two leaves, and two spines. */
static Topology *clos_topology_new(const char *more)
{
    g_autoptr(GString) nodes = graph_nodes_text(8, 4);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *graph = NULL;

    for (guint i = 0; i < 8; i++)
        add_graph_link(links, i, 8 + i / 4, "");
    for (guint i = 0; i < 4; i++)
        add_graph_link(links, 8 + i % 2, 10 + i / 2, "");
    graph = graph_topology_text(nodes->str, links->str, more);
    return topology_from_valid_yaml(graph);
}

/* Returns a set of bits. Bit 2 d + way is set if path id @way to NPU 4 + d uses
 * the second spine. */
static guint count_clos_spines_used(const char *more)
{
    g_autoptr(Topology) clos = clos_topology_new(more);
    guint spines = 0;

    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t way = 0; way < 2; way++) {
            uint32_t link = topology_next_link(clos, 8, 4 + d, way);

            spines |= (topology_link_target(clos, link) - 10) << (2 * d + way);
        }
    return spines;
}

static void test_a_hash_spreads_equal_paths_deterministically(void **state)
{
    guint one = count_clos_spines_used(""), other = 0;

    (void)state;
    assert_int_equal(one, count_clos_spines_used(", seed: 1"));
    assert_true(one != 0 && one != 255);
    for (guint seed = 2; seed < 6; seed++) {
        g_autofree char *more = g_strdup_printf(", seed: %u", seed);

        other |= count_clos_spines_used(more) ^ one;
    }
    assert_true(other != 0);
    assert_int_equal(count_clos_spines_used(", equal_cost: first"), 0);
}

/* ---- errors in graphs ---------------------------------------------------- */

#define AB           "{ name: a, kind: npu }, { name: b, kind: npu }"
#define TO(from, to) "{ from: " #from ", to: " #to ", " SLOW " }"

static void test_topology_errors_have_file_line_and_column(void **state)
{
    static const struct {
        const char *nodes, *links, *more, *message;
    } cases[] = {
        { "{ name: s, kind: switch }", "", "",
          "nodes: 0 of kind npu are outside [1, 2048]" },
        { AB ", { name: a, kind: nic }", TO(a, b), "",
          "name: there is another node 'a'" },
        { AB, TO(a, bb), "", "to: there is no node 'bb'; did you mean 'b'?" },
        { AB, TO(a, a), "", "to: 'a-a' joins a node to itself" },
        { AB, TO(a, b) ", " TO(b, a), "",
          "to: 'b-a' is given twice; `links` says how many there are in "
          "parallel" },
        { AB ", { name: c, kind: npu }", TO(a, b), "",
          "links: no way leads from 'a' to 'c'" },
        { AB, "{ from: a, to: b, both_ways: false, " SLOW " }", "",
          "links: no way leads from 'b' to 'a'" },
        { AB ", { name: n, kind: nic }", TO(a, b), "",
          "links: no way leads from 'a' to 'n'" },
        { AB, TO(a, b),
          ", limits: [{ name: x, bandwidth: 1 GB/s, "
          "links: [[a, c]] }]",
          "links: there is no node 'c'" },
        { AB ", { name: c, kind: switch }", TO(a, b),
          ", limits: [{ name: x, bandwidth: 1 GB/s, links: [[a, c]] }]",
          "links: there is no link from 'a' to 'c'" },
        { AB, TO(a, b),
          ", limits: [{ name: x, bandwidth: 1 GB/s, "
          "links: [[a, b], [b, a], [a, b]] }]",
          "links: the link from 'a' to 'b' is given twice" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *graph =
            graph_topology_text(cases[i].nodes, cases[i].links, cases[i].more);
        g_autoptr(GError) error = NULL;

        assert_null(topology_from_yaml(graph, &error));
        assert_non_null(error);
        assert_true(g_str_has_prefix(error->message, "t.yaml:1:"));
        if (!g_str_has_suffix(error->message, cases[i].message))
            fail_msg("'%s' is not '%s'", error->message, cases[i].message);
    }
}

/* ---- packet fidelity on graphs ------------------------------------------- */

static void check_packet_fidelity_allowed(const char *graph, const char *wrong)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(graph);
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = config_doc_parse("t.yaml", "{}", 2, NULL);

    if (topology_check_no_packet_deadlock(topology, config_doc_root(doc),
                                          &error)) {
        if (wrong)
            fail_msg("not refused: %s", wrong);
        return;
    }
    assert_non_null(wrong);
    assert_string_equal(error->message, wrong);
}

static void test_packets_need_a_graph_without_buffer_cycles(void **state)
{
    g_autoptr(GString) nodes = graph_nodes_text(4, 0);
    g_autoptr(GString) ring = g_string_new(NULL);
    g_autoptr(GString) line = g_string_new(NULL);
    g_autofree char *ring_graph = NULL, *line_graph = NULL, *limited = NULL;

    (void)state;
    for (guint i = 0; i < 4; i++) {
        add_graph_link(ring, i, (i + 1) % 4, ", both_ways: false");
        if (i < 3)
            add_graph_link(line, i, i + 1, "");
    }
    ring_graph = graph_topology_text(nodes->str, ring->str, "");
    line_graph = graph_topology_text(nodes->str, line->str, "");
    limited = graph_topology_text(nodes->str, line->str,
                                  ", limits: [{ name: root, bandwidth: 1 GB/s, "
                                  "links: [[n0, n1]] }]");
    check_packet_fidelity_allowed(line_graph, NULL);
    check_packet_fidelity_allowed(
        ring_graph,
        "t.yaml:1:1: fidelity: on this graph packets could wait for "
        "each other in a ring: n1-n2, n2-n3, n3-n0, n0-n1; take "
        "`message`");
    check_packet_fidelity_allowed(limited, NULL);
}

/* ---- reach of graph links ------------------------------------------------ */

static TopologyReach reach_of_named_link(const Topology *topology,
                                         const char *name)
{
    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        if (strcmp(topology_get_port(topology, p)->name, name) == 0)
            return (TopologyReach)topology_get_port(topology, p)->reach;
    fail_msg("there is no link '%s'", name);
    return TOPOLOGY_N_REACHES;
}

/* If a link gives no reach, it follows from the nodes that the link joins.
 * Links between GPUs and their switches are near. Links to a CPU, and from an
 * NPU to a network card, are in the host. Links on the other side of the card
 * are in the network. */
static void test_the_reach_of_a_link_follows_from_its_nodes(void **state)
{
    static const struct {
        const char *from, *to;
        TopologyReach reach;
    } links[] = {
        { "a", "b", TOPOLOGY_NEAR },    { "a", "s", TOPOLOGY_NEAR },
        { "b", "s", TOPOLOGY_NEAR },    { "a", "p", TOPOLOGY_HOST },
        { "b", "c", TOPOLOGY_HOST },    { "p", "c", TOPOLOGY_HOST },
        { "a", "n", TOPOLOGY_HOST },    { "p", "m", TOPOLOGY_HOST },
        { "n", "t", TOPOLOGY_NETWORK }, { "m", "t", TOPOLOGY_NETWORK },
        { "n", "m", TOPOLOGY_NETWORK },
    };
    g_autoptr(GString) nodes = g_string_new(
        "{ name: a, kind: npu }, { name: b, kind: npu }, { name: s, kind: "
        "switch }, { name: p, kind: pcie }, { name: c, kind: cpu }, { name: n, "
        "kind: nic }, { name: m, kind: nic }, { name: t, kind: switch }");
    g_autoptr(GString) given = g_string_new(NULL);
    g_autofree char *graph = NULL;
    g_autoptr(Topology) t = NULL;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(links); i++)
        g_string_append_printf(given, "%s{ from: %s, to: %s, %s }",
                               i > 0 ? ", " : "", links[i].from, links[i].to,
                               SLOW);
    graph = graph_topology_text(nodes->str, given->str, "");
    t = topology_from_valid_yaml(graph);
    for (gsize i = 0; i < G_N_ELEMENTS(links); i++) {
        g_autofree char *there =
            g_strdup_printf("%s-%s", links[i].from, links[i].to);
        g_autofree char *back =
            g_strdup_printf("%s-%s", links[i].to, links[i].from);

        assert_int_equal(reach_of_named_link(t, there), links[i].reach);
        assert_int_equal(reach_of_named_link(t, back), links[i].reach);
    }
}

/* If NPUs do not forward, network cards and switches still do. */
static void test_only_npus_stop_forwarding(void **state)
{
    g_autofree char *graph = graph_topology_text(
        "{ name: a, kind: npu }, { name: b, kind: npu }, { name: n, kind: nic "
        "}, { name: m, kind: nic }, { name: s, kind: switch }",
        TO(a, n) ", " TO(n, s) ", " TO(s, m) ", " TO(m, b),
        ", npus_forward: false");
    g_autofree char *line = graph_topology_text(
        "{ name: a, kind: npu }, { name: b, kind: npu }, { name: c, kind: npu "
        "}",
        TO(a, b) ", " TO(b, c), ", npus_forward: false");
    g_autoptr(Topology) t = topology_from_valid_yaml(graph);
    g_autoptr(GError) error = NULL;
    uint32_t at = 0;
    guint n = 0;

    (void)state;
    for (; at != 1; n++)
        at = topology_link_target(t, topology_next_link(t, at, 1, 0));
    assert_int_equal(n, 4);
    assert_null(topology_from_yaml(line, &error));
    assert_true(g_str_has_suffix(error->message,
                                 "no way leads from 'a' to 'c'; NPUs pass "
                                 "nothing on (npus_forward)"));
}

/* ---- limits that several links share ------------------------------------- */

/* Returns a network in which NPUs 0 and 1 send to NPUs 2 and 3 over a switch.
 * Both links to the switch, of 23.5 GB/s each, have a common limit of @rate. */
static Fixture *network_with_limit_new(const char *rate)
{
    g_autoptr(GString) nodes = graph_nodes_text(4, 1);
    g_autoptr(GString) links = g_string_new(NULL);
    g_autofree char *limits = g_strdup_printf(
        ", limits: [{ name: root, bandwidth: %s, links: [[n0, n4], "
        "[n1, n4]] }]",
        rate);
    g_autofree char *graph = NULL;

    for (guint i = 0; i < 4; i++)
        add_graph_link(links, i, 4, "");
    graph = graph_topology_text(nodes->str, links->str, limits);
    return network_fixture_new(graph, FALSE);
}

static void check_limited_arrivals(const char *rate, SimTime first_ps,
                                   SimTime second_ps)
{
    /* Each message takes 1 us on its link, and one packet of 20 ns on the next
     * link. */
    static const Send sends[] = {
        { .src = 0, .dst = 2, .bytes = 23500, .order_lo = 1, .chunk = 0 },
        { .src = 1, .dst = 3, .bytes = 23500, .order_lo = 0, .chunk = 0 },
    };
    SimTime way_ps = 2 * LATENCY_PS + SIM_NS(20);
    Fixture *f = network_with_limit_new(rate);

    run_network_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[3][0], first_ps + way_ps);
    assert_int_equal(f->arrival_ps[2][0], second_ps + way_ps);
    network_fixture_free(f);
}

static void test_the_second_by_key_gets_the_remainder_of_a_limit(void **state)
{
    (void)state;
    check_limited_arrivals("23.5 GB/s", SIM_NS(1000), SIM_NS(2000));
    /* With this limit, the rate of the link decides. */
    check_limited_arrivals("47 GB/s", SIM_NS(1000), SIM_NS(1000));
    /* With this limit, a message gets half of the rate of the link. */
    check_limited_arrivals("35.25 GB/s", SIM_NS(1000), SIM_NS(1500));
    /* With this limit, the rate of the limit decides. */
    check_limited_arrivals("11.75 GB/s", SIM_NS(2000), SIM_NS(4000));
}

/* Two messages with the same key get half of the limit each, and use all of it
 * together. */
static void test_messages_of_equal_keys_share_a_limit(void **state)
{
    g_autofree Send *sends = g_new0(Send, 2 * MAX_CHUNKS);
    Fixture *f = network_with_limit_new("23.5 GB/s");
    SimTime last_ps = 0;

    (void)state;
    for (guint i = 0; i < 2 * MAX_CHUNKS; i++)
        sends[i] = (Send){ .src = i % 2,
                           .dst = 2 + i % 2,
                           .bytes = 23500,
                           .order_lo = i / 2,
                           .chunk = i / 2 };
    run_network_sends(f, sends, 2 * MAX_CHUNKS);
    for (guint c = 0; c < MAX_CHUNKS; c++) {
        SimTime least = MIN(f->arrival_ps[2][c], f->arrival_ps[3][c]);
        SimTime most = MAX(f->arrival_ps[2][c], f->arrival_ps[3][c]);

        assert_int_equal(most, least);
        last_ps = MAX(last_ps, most);
    }
    assert_int_equal(last_ps, 2 * MAX_CHUNKS * SIM_NS(1000) + 2 * LATENCY_PS +
                                  SIM_NS(20));
    network_fixture_free(f);
}

/* The busy time of a limit is the time that it needs for all bytes that passed
 * it. */
static void test_a_limit_is_busy_for_all_bytes_that_pass_it(void **state)
{
    static const Send sends[] = {
        { .src = 0, .dst = 2, .bytes = 23500, .order_lo = 1, .chunk = 0 },
        { .src = 1, .dst = 3, .bytes = 47000, .order_lo = 0, .chunk = 0 },
        { .src = 2, .dst = 3, .bytes = 47000, .order_lo = 2, .chunk = 2 },
    };
    Fixture *f = network_with_limit_new("23.5 GB/s");

    (void)state;
    run_network_sends(f, sends, G_N_ELEMENTS(sends));
    /* Messages of NPU 2 do not pass the limit. */
    assert_int_equal(network_limit_busy_ps(f->network, 0, 0), SIM_NS(3000));
    network_fixture_free(f);
}

/* The links of two NPUs have separate limits. A message begins when its own
 * limit is free, even if the other one is busy. */
static void test_a_limit_delays_only_its_own_links(void **state)
{
    static const Send sends[] = {
        { .src = 0, .dst = 2, .bytes = 23500, .order_lo = 0, .chunk = 0 },
        { .src = 0, .dst = 2, .bytes = 23500, .order_lo = 1, .chunk = 2 },
        { .src = 1, .dst = 3, .bytes = 23500, .order_lo = 0, .chunk = 0 },
        { .src = 1, .dst = 3, .bytes = 23500, .order_lo = 1, .chunk = 2 },
    };
    g_autoptr(GString) nodes = graph_nodes_text(4, 1);
    g_autoptr(GString) links = g_string_new(NULL);
    SimTime way_ps = 2 * LATENCY_PS + SIM_NS(20);
    g_autofree char *graph = NULL;
    Fixture *f;

    (void)state;
    for (guint i = 0; i < 4; i++)
        add_graph_link(links, i, 4, "");
    /* A message takes 2 us at 11.75 GB/s and 4 us at 5.875 GB/s. */
    graph = graph_topology_text(
        nodes->str, links->str,
        ", limits: [{ name: a, bandwidth: 11.75 GB/s, links: "
        "[[n0, n4]] }, { name: b, bandwidth: 5.875 GB/s, links: "
        "[[n1, n4]] }]");
    f = network_fixture_new(graph, FALSE);
    run_network_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[2][0], SIM_NS(2000) + way_ps);
    assert_int_equal(f->arrival_ps[2][2], SIM_NS(4000) + way_ps);
    assert_int_equal(f->arrival_ps[3][0], SIM_NS(4000) + way_ps);
    assert_int_equal(f->arrival_ps[3][2], SIM_NS(8000) + way_ps);
    assert_int_equal(network_limit_busy_ps(f->network, 0, 0), SIM_NS(4000));
    assert_int_equal(network_limit_busy_ps(f->network, 0, 1), SIM_NS(8000));
    network_fixture_free(f);
}

/* Each of three servers has its own copy of the limit. */
static void test_each_server_has_its_own_limit(void **state)
{
#define SERVER                                                                 \
    "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, kind: npu }, "  \
    "{ name: c, kind: npu }, { name: s, kind: switch }, "                      \
    "{ name: n, kind: nic }], links: [{ from: a, to: s, " SLOW                 \
    " }, { from: b, to: s, " SLOW " }, { from: c, to: s, " SLOW                \
    " }, { from: s, to: n, " SLOW " }], limits: [{ name: root, bandwidth: "    \
    "11.75 GB/s, links: [[a, s], [b, s]] }] }"
    Send sends[9];
    Fixture *f =
        network_fixture_new("{ kind: nested, count: 3, nics: 0, inner: " SERVER
                            ", outer: { kind: switch, npus: 3, " SLOW " } }",
                            FALSE);
    SimTime way_ps = 2 * LATENCY_PS + SIM_NS(20);

    (void)state;
    for (uint32_t i = 0; i < 9; i++)
        sends[i] = (Send){ .src = i / 3 * 3 + i % 2,
                           .dst = i / 3 * 3 + 2,
                           .bytes = 23500,
                           .order_lo = i % 3,
                           .chunk = 2 * (i % 3) };
    run_network_sends(f, sends, G_N_ELEMENTS(sends));
    for (uint32_t server = 0; server < 3; server++) {
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(f->arrival_ps[3 * server + 2][2 * k],
                             (k + 1) * SIM_NS(2000) + way_ps);
        assert_int_equal(network_limit_busy_ps(f->network, server, 0),
                         SIM_NS(6000));
    }
    network_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_graph_of_a_ring_equals_a_ring),
        cmocka_unit_test(test_a_graph_of_a_line_equals_a_mesh),
        cmocka_unit_test(test_a_graph_of_a_switch_equals_a_switch),
        cmocka_unit_test(test_a_graph_of_a_torus_equals_a_torus),
        cmocka_unit_test(test_a_hash_spreads_equal_paths_deterministically),
        cmocka_unit_test(test_topology_errors_have_file_line_and_column),
        cmocka_unit_test(test_packets_need_a_graph_without_buffer_cycles),
        cmocka_unit_test(test_the_second_by_key_gets_the_remainder_of_a_limit),
        cmocka_unit_test(test_messages_of_equal_keys_share_a_limit),
        cmocka_unit_test(test_a_limit_is_busy_for_all_bytes_that_pass_it),
        cmocka_unit_test(test_a_limit_delays_only_its_own_links),
        cmocka_unit_test(test_each_server_has_its_own_limit),
        cmocka_unit_test(test_the_reach_of_a_link_follows_from_its_nodes),
        cmocka_unit_test(test_only_npus_stop_forwarding),
    };

    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
