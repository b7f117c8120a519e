/*
 * test_graph_topology_times.c - Tests of graphs against built-in kinds and
 * closed forms, exact to the picosecond.
 *
 * A built-in kind that is written as nodes and links has the same times. Other
 * shapes have times that can be derived by hand.
 *
 * Below, a link has the rate B and the latency L, a packet p bytes, and a block
 * of an all-reduce among n ranks m = S / n bytes. One hop over an idle link
 * takes t = m / B + L. The sizes are chosen such that all divisions are
 * exact. */
#include "tests/system_fixture.h"

#define PACKET 256 /* The default packet size in bytes. */

/* 32 bytes per nanosecond. */
#define LINK    "links: 1, bandwidth: 32 GB/s, latency: 500 ns"
#define LINK_2  "links: 2, bandwidth: 32 GB/s, latency: 500 ns"
#define LINK_PS 500000
#define BYTE_FS 31250

/* One chunk is in flight, with one message per block. */
#define WHOLE                                                                  \
    "{chunk: 1 GiB, message: 1 GiB, window: 1, packet: 256 B, "                \
    "algorithm: ring}"
#define IDEAL    "{kind: ideal, message_cycles: 0}"
#define BASELINE "{kind: baseline, sms: 6, memory_bandwidth: 90 GB/s}"

static SimTime transfer_time_ps_of(uint64_t bytes)
{
    g_assert(bytes * BYTE_FS % 1000 == 0);
    return bytes * BYTE_FS / 1000;
}

/* ---- texts of graph topologies ------------------------------------------- */

static void add_graph_npus(GString *text, uint32_t n)
{
    g_string_append(text, "{kind: graph, nodes: [");
    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, "%s{name: n%u, kind: npu}",
                               i > 0 ? ", " : "", i);
}

static void add_graph_link(GString *text, uint32_t from, uint32_t to,
                           gboolean both)
{
    g_string_append_printf(text,
                           "{from: n%u, to: n%u, " LINK ", both_ways: %s}, ",
                           from, to, both ? "true" : "false");
}

static const char *finish_graph_text(GString *text)
{
    g_string_truncate(text, text->len - 2);
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static const char *ring_graph_text(uint32_t n, gboolean both)
{
    g_autoptr(GString) text = g_string_new(NULL);

    add_graph_npus(text, n);
    g_string_append(text, "], links: [");
    for (uint32_t i = 0; i < n; i++)
        add_graph_link(text, i, (i + 1) % n, both);
    return finish_graph_text(text);
}

static const char *line_graph_text(uint32_t n)
{
    g_autoptr(GString) text = g_string_new(NULL);

    add_graph_npus(text, n);
    g_string_append(text, "], links: [");
    for (uint32_t i = 0; i + 1 < n; i++)
        add_graph_link(text, i, i + 1, TRUE);
    return finish_graph_text(text);
}

/* Links of dimension 0 come first, so that the first of the shortest routes
 * uses dimension 0 first, like a torus. */
static const char *torus_graph_text(uint32_t n, gboolean both)
{
    g_autoptr(GString) text = g_string_new(NULL);

    add_graph_npus(text, n * n);
    g_string_append(text, "], equal_cost: first, links: [");
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++)
            add_graph_link(text, y * n + x, y * n + (x + 1) % n, both);
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++)
            add_graph_link(text, y * n + x, (y + 1) % n * n + x, both);
    return finish_graph_text(text);
}

static const char *switch_graph_text(uint32_t n)
{
    g_autoptr(GString) text = g_string_new(NULL);

    add_graph_npus(text, n);
    g_string_append(text, ", {name: sw, kind: switch}], links: [");
    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(
            text, "{from: n%u, to: sw, " LINK ", both_ways: true}, ", i);
    return finish_graph_text(text);
}

/* ---- graphs of built-in kinds -------------------------------------------- */

static const char *const sizes[] = { "7 B", "4 KiB", "96 KiB", "1 MiB",
                                     "1000001 B" };

/* Asserts equal times. @workload has SIZE in place of the payload. */
static void assert_equal_times(const char *built_in, const char *graph,
                               const char *workload, const char *algorithm)
{
    static const char *const endpoints[] = { IDEAL, BASELINE };

    for (guint e = 0; e < G_N_ELEMENTS(endpoints); e++)
        for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
            g_auto(GStrv) parts = g_strsplit(workload, "SIZE", -1);
            g_autofree char *work = g_strjoinv(sizes[i], parts);
            Setup setup = {
                .topology = built_in,
                .endpoint = endpoints[e],
                .workload = work,
                .collectives = format_text("{algorithm: %s}", algorithm),
            };
            SystemResult a = simulate_setup(&setup), b;

            setup.topology = graph;
            b = simulate_setup(&setup);
            if (a.total_ps != b.total_ps || a.sent_bytes != b.sent_bytes)
                fail_msg("%s%" G_GUINT64_FORMAT " ps for %" G_GUINT64_FORMAT
                         " ps of %s",
                         setup_text(&setup), b.total_ps, a.total_ps, built_in);
        }
}

#define ALONE(kind)                                                            \
    "{kind: collective, name: c, collective: " kind ", payload: SIZE}"

static void test_a_ring_graph_has_the_times_of_a_ring(void **state)
{
    static const char one[] =
        "{kind: torus, dims: [{size: 8, direction: one, " LINK "}]}";
    static const char both[] = "{kind: torus, dims: [{size: 7, " LINK_2 "}]}";

    (void)state;
    assert_equal_times(one, ring_graph_text(8, FALSE), ALONE("all-reduce"),
                       "ring");
    assert_equal_times(one, ring_graph_text(8, FALSE), ALONE("all-gather"),
                       "ring");
    assert_equal_times(one, ring_graph_text(8, FALSE), ALONE("all-to-all"),
                       "direct");
    /* With seven NPUs, the two directions never have equal lengths. */
    assert_equal_times(both, ring_graph_text(7, TRUE), ALONE("all-to-all"),
                       "direct");
    assert_equal_times(both, ring_graph_text(7, TRUE), ALONE("all-reduce"),
                       "direct");
}

/* A torus uses its dimensions. A graph needs explicit groups for that. */
#define BY_ROWS                                                                \
    "{kind: program, name: p, groups: [{name: rows, size: 4, stride: 1}, "     \
    "{name: columns, size: 4, stride: 4}], roles: [{name: r, "                 \
    "ops: [{kind: collective, name: c0, collective: reduce-scatter, "          \
    "group: rows, bytes: SIZE}, {kind: collective, name: c1, "                 \
    "collective: all-reduce, group: columns, bytes: SIZE, after: [c0]}, "      \
    "{kind: collective, name: c2, collective: all-gather, group: rows, "       \
    "bytes: SIZE, after: [c1]}]}]}"
#define SHUFFLED                                                               \
    "{kind: program, name: p, groups: [{name: rows, size: 4, stride: 1}, "     \
    "{name: columns, size: 4, stride: 4}], roles: [{name: r, "                 \
    "ops: [{kind: collective, name: c0, collective: all-to-all, "              \
    "group: rows, bytes: SIZE}, {kind: collective, name: c1, "                 \
    "collective: all-to-all, group: columns, bytes: SIZE}]}]}"
#define OF_ALL                                                                 \
    "{kind: program, name: p, groups: [{name: g, ranks: [[0, 1, 2, 3, 4, 5, "  \
    "6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]}], roles: [{name: r, "               \
    "ops: [{kind: collective, name: c, collective: all-to-all, group: g, "     \
    "bytes: SIZE}]}]}"

static void test_a_torus_graph_has_the_times_of_a_torus(void **state)
{
    static const char one[] =
        "{kind: torus, dims: [{size: 4, direction: one, " LINK "}, "
        "{size: 4, direction: one, " LINK "}]}";

    (void)state;
    assert_equal_times(one, torus_graph_text(4, FALSE), BY_ROWS, "ring");
    assert_equal_times(one, torus_graph_text(4, FALSE), SHUFFLED, "direct");
    assert_equal_times(one, torus_graph_text(4, FALSE), OF_ALL, "direct");
}

static void test_a_switch_graph_has_the_times_of_a_switch(void **state)
{
    static const char built_in[] = "{kind: switch, npus: 8, " LINK "}";

    (void)state;
    assert_equal_times(built_in, switch_graph_text(8), ALONE("all-reduce"),
                       "ring");
    assert_equal_times(built_in, switch_graph_text(8), ALONE("all-reduce"),
                       "halving-doubling");
    assert_equal_times(built_in, switch_graph_text(8), ALONE("all-reduce"),
                       "direct");
    assert_equal_times(built_in, switch_graph_text(8), ALONE("all-to-all"),
                       "direct");
}

/* ---- a ring algorithm on a line ------------------------------------------ */

/*
 * Time of a ring all-reduce on a line of n NPUs.
 *
 * A rank sends step s when it has received step s - 1. So rank r + 1 receives
 * step s after a chain of s messages, each to the next rank. From rank n - 1 to
 * rank 0, a message passes n - 1 links in the other direction, which nothing
 * else uses. Its head takes p / B + L on each link but the last, and its tail
 * follows at the rate of a link:
 *
 *     far = (n - 2) (p / B + L) + t
 *
 * Two sends of a rank are a whole message apart, so no link is needed before it
 * is free. The longest chain is that of the last step, the 2 (n - 1)-th, to
 * rank 0. It takes the far way twice, the second time at its end (n > 2):
 *
 *     (2 (n - 1) - 2) t + 2 far = 2 (n - 1) t + 2 (n - 2) (p / B + L)
 *
 * The first term is the time on a
 * ring. */
static SimTime ring_on_line_ps(uint32_t n, uint64_t payload_bytes)
{
    uint64_t m = payload_bytes / n;
    SimTime t = transfer_time_ps_of(m) + LINK_PS;

    g_assert(payload_bytes % n == 0 && m >= PACKET && n > 2);
    return 2 * (n - 1) * t +
           2 * (n - 2) * (transfer_time_ps_of(PACKET) + LINK_PS);
}

static void assert_ring_on_line_time(const char *topology, uint32_t n,
                                     uint64_t payload)
{
    Setup setup = { .topology = topology,
                    .endpoint = IDEAL,
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, payload),
                    .collectives = WHOLE };

    assert_int_equal(simulate_setup(&setup).total_ps,
                     ring_on_line_ps(n, payload));
}

static void test_a_ring_algorithm_on_a_line_returns_over_all_links(void **state)
{
    static const uint32_t lengths[] = { 3, 4, 8, 13 };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++)
        for (uint64_t m = PACKET; m <= 1 << 20; m *= 16) {
            uint32_t n = lengths[i];

            assert_ring_on_line_time(line_graph_text(n), n, n * m);
            assert_ring_on_line_time(
                format_text("{kind: mesh, dims: [{size: %u, " LINK_2 "}]}", n),
                n, n * m);
            assert_ring_on_line_time(
                format_text(
                    "{kind: grid, dims: [{shape: line, size: %u, " LINK_2 "}]}",
                    n),
                n, n * m);
        }
}

/* ---- groups on crossing dimensions --------------------------------------- */

/* Returns the time of an all-reduce in rows and one in columns. A payload of 0
 * omits the collective. */
static SimTime crossing_groups_ps(const char *topology, uint64_t rows_bytes,
                                  uint64_t columns_bytes)
{
    static const char *const names[] = { "rows", "columns" };
    const uint64_t bytes[] = { rows_bytes, columns_bytes };
    g_autoptr(GString) ops = g_string_new(NULL);
    Setup setup = { .topology = topology,
                    .endpoint = IDEAL,
                    .collectives = "{chunk: 1 GiB, message: 1 GiB, window: 2, "
                                   "packet: 256 B, algorithm: ring}" };

    for (guint i = 0; i < 2; i++)
        if (bytes[i] > 0)
            g_string_append_printf(
                ops,
                "%s{kind: collective, name: %s, collective: all-reduce, group: "
                "%s, bytes: %" G_GUINT64_FORMAT " B}",
                ops->len > 0 ? ", " : "", names[i], names[i], bytes[i]);
    setup.workload = format_text(
        "{kind: program, name: p, groups: [{name: rows, dims: [0]}, "
        "{name: columns, dims: [1]}], roles: [{name: r, "
        "ops: [%s]}]}",
        ops->str);
    return simulate_setup(&setup).total_ps;
}

/* Rows only use links of dimension 0, columns only those of dimension 1. Each
 * takes the same time as alone, that of a line of 4. */
static void test_groups_on_crossing_dimensions_run_in_parallel(void **state)
{
    static const char mesh[] =
        "{kind: mesh, dims: [{size: 4, " LINK_2 "}, {size: 4, " LINK_2 "}]}";
    static const uint64_t small = 4 * 1024, large = 4 * 65536;

    (void)state;
    assert_int_equal(crossing_groups_ps(mesh, large, 0),
                     ring_on_line_ps(4, large));
    assert_int_equal(crossing_groups_ps(mesh, 0, large),
                     ring_on_line_ps(4, large));
    assert_int_equal(crossing_groups_ps(mesh, large, small),
                     ring_on_line_ps(4, large));
    assert_int_equal(crossing_groups_ps(mesh, small, large),
                     ring_on_line_ps(4, large));
    assert_int_equal(crossing_groups_ps(mesh, large, large),
                     ring_on_line_ps(4, large));
}

/* ---- nodes joined by a switch -------------------------------------------- */

/*
 * Time of one ring over 4 nodes of 8 NPUs, node by node.
 *
 * Inside a node, a message takes one link. From the last NPU of a node to the
 * first of the next, it takes four links: to the NIC, to the switch, and down
 * again. All links have the rate B, but different latencies:
 *
 *     t = m / B + L,    far = 3 p / B + m / B + 2 L_nic + 2 L_outer
 *
 * As on a line, sends are a whole message apart and never wait. A chain of 2
 * (32 - 1) = 62 messages takes the far way every eighth time, at most eight
 * times:
 *
 *     (62 - 8) t + 8
 * far */
static SimTime flat_ring_over_nodes_ps(uint64_t m, SimTime nic_ps,
                                       SimTime outer_ps)
{
    SimTime t = transfer_time_ps_of(m) + LINK_PS;
    SimTime far = 3 * transfer_time_ps_of(PACKET) + transfer_time_ps_of(m) +
                  2 * nic_ps + 2 * outer_ps;

    return 54 * t + 8 * far;
}

static void test_a_flat_ring_leaves_a_node_every_eighth_hop(void **state)
{
    static const char nodes[] =
        "{kind: nested, count: 4, inner: {kind: torus, dims: [{size: 8, " LINK_2
        "}]}, nics: 1, nic: {links: 1, bandwidth: 32 GB/s, latency: 200 ns}, "
        "rails: false, outer: {kind: switch, npus: 4, links: 1, bandwidth: 32 "
        "GB/s, latency: 1 us}}";

    (void)state;
    for (uint64_t m = PACKET; m <= 1 << 18; m *= 8) {
        Setup setup = { .topology = nodes,
                        .endpoint = IDEAL,
                        .workload =
                            single_collective_workload(COLL_ALL_REDUCE, 32 * m),
                        .collectives = WHOLE };

        assert_int_equal(simulate_setup(&setup).total_ps,
                         flat_ring_over_nodes_ps(m, 200000, 1000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ring_graph_has_the_times_of_a_ring),
        cmocka_unit_test(test_a_torus_graph_has_the_times_of_a_torus),
        cmocka_unit_test(test_a_switch_graph_has_the_times_of_a_switch),
        cmocka_unit_test(
            test_a_ring_algorithm_on_a_line_returns_over_all_links),
        cmocka_unit_test(test_groups_on_crossing_dimensions_run_in_parallel),
        cmocka_unit_test(test_a_flat_ring_leaves_a_node_every_eighth_hop),
    };

    return cmocka_run_group_tests_name("graph forms", tests, NULL, NULL);
}
