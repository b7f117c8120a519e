/*
 * test_network.c - Tests of message fidelity: closed forms of the formula of
 * network.h, then random traffic against a slow oracle.
 *
 * The oracle examines all messages and links at every step. If two messages
 * reach an NPU at the same picosecond, their order is neither promised nor
 * tested.
 */
#include "tests/network/network_fixture.h"

#include "network/paths.h"
#include "sim/core/rng.h"

/* On equal links, a message takes its bytes at the link's rate once, one packet
 * time per further hop, and the latency of each hop. */
static void check_message_over_hops(uint32_t n_hops, uint64_t bytes)
{
    Fixture *f = network_fixture_new(RING(8), FALSE);
    Send send = { .src = 3, .dst = (3 + n_hops) % 8, .bytes = bytes };
    uint64_t rate = topology_get_port(f->topology, 0)->payload_bytes_per_s;
    SimTime packet_ps = sim_time_from_bytes(MIN(bytes, PACKET_BYTES), rate);

    run_network_sends(f, &send, 1);
    assert_int_equal(f->arrival_ps[send.dst][0],
                     sim_time_from_bytes(bytes, rate) +
                         (n_hops - 1) * packet_ps + n_hops * LATENCY_PS);
    assert_int_equal(network_n_hops(f->network), n_hops);
    network_fixture_free(f);
}

static void
test_hops_cost_bytes_once_and_a_packet_and_latency_each(void **state)
{
    static const uint64_t sizes[] = { 1, 469, 470, 471, 65537, 1 << 30 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (uint32_t n_hops = 1; n_hops < 8; n_hops++)
            check_message_over_hops(n_hops, sizes[i]);
}

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, order;
    SimTime at_ps, arrival_ps;
} Row;

static void check_arrival_rows(const char *text, const Row *rows, guint n)
{
    Fixture *f = network_fixture_new(text, FALSE);
    Send sends[8];

    for (guint i = 0; i < n; i++)
        sends[i] = (Send){ .src = rows[i].src,
                           .dst = rows[i].dst,
                           .bytes = rows[i].bytes,
                           .order_lo = rows[i].order,
                           .at_ps = rows[i].at_ps,
                           .chunk = i };
    run_network_sends(f, sends, n);
    for (guint i = 0; i < n; i++)
        assert_int_equal(f->arrival_ps[rows[i].dst][i], rows[i].arrival_ps);
    network_fixture_free(f);
}

/* A fast link before a slow one causes no delay. A fast link after a slow one
 * sends only the last packet after all others have passed. */
static void test_the_tail_follows_at_the_slowest_rate(void **state)
{
    static const Row row = { 0, 3, 23500, 0, 0, 2500 + 72290 + 1400000 };

    (void)state;
    check_arrival_rows("{ kind: torus, dims: [{ size: 2, links: 2, " FAST " }, "
                       "{ size: 2, links: 2, " SLOW " }] }",
                       &row, 1);
    check_arrival_rows("{ kind: torus, dims: [{ size: 2, links: 2, " SLOW " }, "
                       "{ size: 2, links: 2, " FAST " }] }",
                       &row, 1);
}

static void test_new_messages_take_a_free_link_in_order_of_keys(void **state)
{
    static const Row rows[] = {
        { 0, 1, 235, 9, 0, 450000 }, { 0, 1, 235, 7, 0, 430000 },
        { 0, 1, 235, 8, 0, 440000 }, { 0, 1, 235, 6, 0, 410000 },
        { 0, 1, 235, 0, 1, 420000 }, /* arrives after the first has begun */
    };

    (void)state;
    check_arrival_rows(RING(4), rows, G_N_ELEMENTS(rows));
}

static void test_forwarded_and_new_messages_share_one_order(void **state)
{
    static const Row passing_last[] = {
        /* The other messages wait until the first one has passed. */
        { 1, 2, 23500, 9, 0, 1400000 },
        { 1, 2, 235, 1, 1, 1410000 },
        { 0, 2, 235, 5, 0, 1420000 },
    };
    static const Row passing_first[] = {
        { 1, 2, 23500, 9, 0, 1400000 },
        { 1, 2, 235, 6, 1, 1420000 },
        { 0, 2, 235, 5, 0, 1410000 },
    };

    (void)state;
    check_arrival_rows(RING(4), passing_last, G_N_ELEMENTS(passing_last));
    check_arrival_rows(RING(4), passing_first, G_N_ELEMENTS(passing_first));
}

/* NPUs 0 and 2 send over NPU 1 to NPU 4. The link from 1 to 4 is busy until
 * both messages wait for it. */
static void check_overtaking(uint64_t order, SimTime at_ps, SimTime arrival_ps)
{
    const Row rows[] = {
        { 1, 4, 23500, 0, 0, 1400000 },
        { 2, 4, 235, 5, 0, 2 * 1415000 - arrival_ps },
        { 0, 4, 235, order, at_ps, arrival_ps },
    };

    check_arrival_rows("{ kind: torus, dims: [{ size: 3, links: 2, " SLOW " }, "
                       "{ size: 3, direction: one, " SLOW " }] }",
                       rows, G_N_ELEMENTS(rows));
}

static void test_forwarded_messages_go_by_key_not_by_arrival(void **state)
{
    (void)state;
    check_overtaking(1, 0, 1410000);
    check_overtaking(9, 0, 1420000);
    check_overtaking(1, 1, 1410000);
    check_overtaking(9, 1, 1420000);
}

static void test_messages_of_equal_keys_go_by_number_of_hops(void **state)
{
    static const NetMessage one = { .order_lo = 5, .n_hops = 1 };
    static const NetMessage two = { .order_lo = 5, .n_hops = 2 };

    (void)state;
    assert_true(network_message_before(&one, &two));
    assert_false(network_message_before(&two, &one));
}

static void test_parallel_links_carry_a_message_each(void **state)
{
    static const Row rows[] = {
        { 0, 1, 235, 1, 0, 410000 }, { 0, 1, 470, 2, 0, 420000 },
        { 0, 1, 235, 3, 0, 420000 }, { 0, 1, 235, 4, 0, 430000 },
        { 0, 1, 235, 5, 0, 430000 },
    };

    (void)state;
    check_arrival_rows(
        "{ kind: torus, dims: [{ size: 3, links: 2, direction: one, " SLOW
        " }] }",
        rows, G_N_ELEMENTS(rows));
}

/* A packet takes 20 ns. Three of the five packets of the second message share
 * one link. */
static void test_a_message_takes_all_links_of_a_port(void **state)
{
    static const Row rows[] = {
        { 0, 1, 4 * 470, 1, 0, 440000 },
        { 0, 2, 5 * 470, 2, 0, 40000 + 60000 + 400000 + 20000 + 400000 },
        /* The packets of this message pass in parallel with the fifth
         * packet. */
        { 0, 1, 470, 3, 0, 500000 },
        { 0, 1, 2 * 470 + 47, 4, 0, 522000 },
    };

    (void)state;
    check_arrival_rows(
        "{ kind: torus, dims: [{ size: 3, links: 2, direction: one, " SLOW
        " }] }",
        rows, G_N_ELEMENTS(rows));
}

/* A message that arrives at a quarter of a port's rate leaves three of the four
 * links to others. */
static void test_slow_packets_leave_the_other_links_to_others(void **state)
{
    static const Row rows[] = {
        { 0, 3, 23500, 0, 0, 1400000 + 420000 },
        { 1, 3, 4 * 470, 1, 1000000, 1440000 },
    };

    (void)state;
    check_arrival_rows("{ kind: torus, dims: [{ size: 2, links: 2, " SLOW " }, "
                       "{ size: 2, links: 8, " SLOW " }] }",
                       rows, G_N_ELEMENTS(rows));
}

/* The two flows share the link from the switch to NPU 0. The first packets get
 * there after 420 ns. */
static void test_two_flows_over_one_link_have_half_each(void **state)
{
    static const Row rows[] = {
        { 1, 0, 23500, 0, 0, 1820000 },
        { 2, 0, 23500, 1, 0, 2820000 },
        { 1, 0, 23500, 2, 0, 3820000 },
        { 2, 0, 23500, 3, 0, 4820000 },
    };

    (void)state;
    check_arrival_rows("{ kind: switch, npus: 3, " SLOW " }", rows,
                       G_N_ELEMENTS(rows));
}

/* NPUs 0 and 1 send 47,000 bytes to NPUs 2 and 3. A byte takes 1 ns on the
 * links of the NPUs. The link between has the given rate, and the graph has the
 * given limits. */
static void check_two_senders(const char *rate, const char *limits,
                              SimTime first_ps, SimTime second_ps)
{
    const Row rows[] = {
        { 0, 2, 47000, 0, 0, first_ps },
        { 1, 3, 47000, 1, 0, second_ps },
    };
    g_autofree char *text = g_strdup_printf(
        "{ kind: graph, npus_forward: false, nodes: [{ name: a, kind: npu }, "
        "{ name: b, kind: npu }, { name: c, kind: npu }, "
        "{ name: d, kind: npu }, { name: s, kind: sw }, "
        "{ name: t, kind: sw }], links: ["
        "{ from: a, to: s, bandwidth: 1 GB/s, latency: 0 ns }, "
        "{ from: b, to: s, bandwidth: 1 GB/s, latency: 0 ns }, "
        "{ from: s, to: t, bandwidth: %s, latency: 0 ns }, "
        "{ from: t, to: c, bandwidth: 1 GB/s, latency: 0 ns }, "
        "{ from: t, to: d, bandwidth: 1 GB/s, latency: 0 ns }]%s }",
        rate, limits);

    check_arrival_rows(text, rows, G_N_ELEMENTS(rows));
}

/* A packet takes 470 ns on the first and on the last link, and 235 ns on the
 * shared link, which is twice as fast. On the shared link, the first packet of
 * the second message waits for that of the first message. */
static void test_two_senders_share_a_link_of_twice_their_rate(void **state)
{
    (void)state;
    check_two_senders("2 GB/s", "", 47705000, 47940000);
}

/* On a link of 1.5 GB/s, the second message gets 0.5 GB/s until the first has
 * passed. Its second half then moves at 1.5 GB/s on this link, and at 1 GB/s on
 * the last link. */
static void test_the_second_message_gets_the_remainder_of_a_link(void **state)
{
    (void)state;
    check_two_senders("1.5 GB/s", "", 47000000 + 313334 + 470000, 71361667);
}

/* With a common limit of 2 GB/s, both messages leave at 1 GB/s. With 1.5 GB/s,
 * the second gets half of its rate until the first has passed. */
static void test_senders_share_a_limit_of_more_than_their_rate(void **state)
{
    (void)state;
    check_two_senders("4 GB/s",
                      ", limits: [{ name: l, bandwidth: 2 GB/s, "
                      "links: [[a, s], [b, s]] }]",
                      47587500, 47705000);
    check_two_senders("4 GB/s",
                      ", limits: [{ name: l, bandwidth: 1.5 GB/s, "
                      "links: [[a, s], [b, s]] }]",
                      47587500, 71087500);
}

/* Returns a random message of NPU 0. Keys are unique, and equal times are
 * frequent. */
static Send draw_random_send(GRand *rand, uint32_t n_npus, uint32_t i)
{
    static const uint64_t bytes[] = { 1, 100, 470, 1000, 8192, 8192, 40000 };

    return (Send){ .dst = 1 + g_rand_int(rand) % (n_npus - 1),
                   .bytes = bytes[g_rand_int(rand) % G_N_ELEMENTS(bytes)],
                   .order_hi = g_rand_int(rand) % 3,
                   .order_lo = g_rand_int(rand) % 64 << 8 | i,
                   .at_ps = SIM_NS(500) * (g_rand_int(rand) % 4),
                   .way = (uint8_t)(g_rand_int(rand) % 2),
                   .chunk = i };
}

/* Returns the equivalent of @send with the sender @src. */
static Send translate_send_to_source(const Topology *topology, Send send,
                                     uint32_t src)
{
    g_autoptr(SymmetryFold) fold = symmetry_fold_new_maximal(topology);
    uint32_t dst = 0;

    while (symmetry_fold_translate_end(fold, src, dst) != send.dst)
        dst++;
    send.src = src;
    send.dst = dst;
    return send;
}

static void reverse_sends(Send *sends, guint n)
{
    for (guint i = 0; i < n / 2; i++) {
        Send swapped = sends[i];

        sends[i] = sends[n - 1 - i];
        sends[n - 1 - i] = swapped;
    }
}

static void check_network_equals_oracle(const char *text, gboolean folded,
                                        Oracle *oracle, const Send *sends,
                                        guint n)
{
    Fixture *f = network_fixture_new(text, folded);
    uint32_t n_npus = folded ? symmetry_fold_n_simulated_ends(f->fold)
                             : topology_n_npus(f->topology);

    run_network_sends(f, sends, n);
    assert_memory_equal(f->arrival_ps, oracle->arrival_ps,
                        n_npus * sizeof f->arrival_ps[0]);
    for (uint32_t link = 0; link < topology_n_links(f->topology); link++) {
        uint32_t npu = 0;
        NetPortStats stats;

        if (folded && symmetry_fold_translate_link(f->fold, link, &npu) != link)
            continue;
        stats = network_link_stats(f->network, link);
        assert_memory_equal(&stats, &oracle->stats[link], sizeof stats);
        assert_int_equal(f->busy_ps[link], stats.busy_ps);
    }
    network_fixture_free(f);
}

/* If @by_part, the first NPU of each symmetric part sends the same messages.
 * Otherwise one of all NPUs sends each message. */
static void check_random_traffic(const char *text, guint32 seed,
                                 gboolean by_part)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autoptr(Topology) topology = topology_from_valid_yaml(text);
    g_autofree Send *sends = g_new(Send, MAX_SENDS);
    g_autofree Oracle *oracle = NULL;
    Send own[MAX_CHUNKS];
    uint32_t n_npus = topology_n_npus(topology);
    uint32_t part_ends = topology_get_symmetry(topology)->part_ends;
    guint n = 0;

    for (uint32_t i = 0; i < MAX_CHUNKS; i++) {
        uint32_t sender = g_rand_int(rand) % n_npus;

        own[i] = draw_random_send(rand, n_npus, i);
        for (uint32_t npu = 0; npu < n_npus; npu++)
            if (by_part ? npu % part_ends == 0 : npu == sender)
                sends[n++] = translate_send_to_source(topology, own[i], npu);
        if (n > 0 && sends[n - 1].dst == sends[n - 1].src)
            n--;
    }
    oracle = oracle_new(topology, sends, n);
    check_network_equals_oracle(text, FALSE, oracle, sends, n);
    reverse_sends(sends, n);
    check_network_equals_oracle(text, FALSE, oracle, sends, n);
    if (by_part)
        check_network_equals_oracle(text, TRUE, oracle, own, MAX_CHUNKS);
}

static const char *const topologies[] = {
    RING(5),
    "{ kind: torus, dims: [{ size: 3, links: 2, " FAST " }, "
    "{ size: 4, links: 4, " SLOW " }, { size: 2, links: 2, " SLOW " }] }",
    "{ kind: torus, dims: [{ size: 4, links: 2, " SLOW " }, "
    "{ size: 4, links: 2, " FAST " }] }",
    "{ kind: switch, npus: 6, links: 2, " SLOW " }",
    "{ kind: torus, dims: [{ size: 3, links: 8, " FAST " }, "
    "{ size: 4, links: 5, direction: one, " SLOW " }] }",
    "{ kind: fully-connected, npus: 6, " SLOW " }",
    "{ kind: mesh, dims: [{ size: 3, links: 2, " SLOW " }, "
    "{ size: 4, links: 4, " FAST " }] }",
    "{ kind: grid, dims: [{ shape: switch, size: 3, links: 2, " SLOW " }, "
    "{ shape: full, size: 4, " FAST " }] }",
    "{ kind: nested, count: 3, inner: { kind: switch, npus: 4, " FAST " }, "
    "nics: 2, nic: { " FAST " }, outer: { kind: switch, npus: 6, " SLOW " } }",
    "{ kind: nested, count: 2, inner: { kind: fully-connected, npus: 3, " FAST
    " }, nics: 3, nic: { " FAST " }, rails: true, "
    "outer: { kind: torus, dims: [{ size: 2, links: 2, " SLOW " }] } }",
    "{ kind: nested, count: 3, inner: { kind: switch, npus: 4, " FAST " }, "
    "nics: 4, nic: { " FAST " }, outer: { kind: switch, npus: 12, " SLOW " } }",
};

static void
test_random_traffic_equals_the_oracle_in_any_send_order(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (guint32 seed = 1; seed <= 30; seed++)
            check_random_traffic(topologies[t], seed, FALSE);
}

static gboolean topology_is_symmetric(const char *text)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(text);
    g_autoptr(SymmetryFold) fold = symmetry_fold_new_maximal(topology);

    return symmetry_fold_n_simulated_units(fold) == 1;
}

static void test_one_part_represents_all_if_all_send_the_same(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (guint32 seed = 1;
             seed <= 3 && topology_is_symmetric(topologies[t]); seed++)
            check_random_traffic(topologies[t], seed, TRUE);
}

/* A network caches the first links of paths, and an entry may replace another.
 * The result must always be that of the topology. */
static void check_cached_first_links(const char *text)
{
    Fixture *f = network_fixture_new(text, FALSE);
    uint32_t n = topology_n_npus(f->topology);

    assert_true(topology_should_cache_next_links(f->topology));
    for (uint64_t i = 0; i < 40000; i++) {
        uint64_t drawn =
            rng_value_at_indices(rng_new_stream(1, "ways"), i, 0, 0);
        uint32_t src = (uint32_t)(drawn % n), way = (uint32_t)(drawn >> 62 & 1);
        uint32_t dst = (uint32_t)((src + 1 + (drawn >> 32) % (n - 1)) % n);

        assert_int_equal(network_first_link_of_path(f->network, src, dst, way),
                         topology_next_link(f->topology, src, dst, way));
        assert_int_equal(network_path_reach(f->network, src, dst, way),
                         topology_path_reach(f->topology, src, dst, way));
    }
    network_fixture_free(f);
}

static void test_cached_paths_equal_those_of_the_topology(void **state)
{
    (void)state;
    check_cached_first_links(
        "{ kind: nested, count: 20, inner: { kind: switch, "
        "npus: 4, " FAST " }, nics: 4, nic: { " SLOW " }, "
        "rails: true, outer: { kind: switch, " SLOW " } }");
    check_cached_first_links("{ kind: fat-tree, npus: 72, radix: 12, " SLOW
                             " }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_hops_cost_bytes_once_and_a_packet_and_latency_each),
        cmocka_unit_test(test_the_tail_follows_at_the_slowest_rate),
        cmocka_unit_test(test_new_messages_take_a_free_link_in_order_of_keys),
        cmocka_unit_test(test_forwarded_and_new_messages_share_one_order),
        cmocka_unit_test(test_forwarded_messages_go_by_key_not_by_arrival),
        cmocka_unit_test(test_messages_of_equal_keys_go_by_number_of_hops),
        cmocka_unit_test(test_parallel_links_carry_a_message_each),
        cmocka_unit_test(test_a_message_takes_all_links_of_a_port),
        cmocka_unit_test(test_slow_packets_leave_the_other_links_to_others),
        cmocka_unit_test(test_two_senders_share_a_link_of_twice_their_rate),
        cmocka_unit_test(test_the_second_message_gets_the_remainder_of_a_link),
        cmocka_unit_test(test_senders_share_a_limit_of_more_than_their_rate),
        cmocka_unit_test(test_two_flows_over_one_link_have_half_each),
        cmocka_unit_test(
            test_random_traffic_equals_the_oracle_in_any_send_order),
        cmocka_unit_test(test_cached_paths_equal_those_of_the_topology),
        cmocka_unit_test(test_one_part_represents_all_if_all_send_the_same),
    };

    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
