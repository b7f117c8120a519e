/*
 * Tests of network/transport/network.c: closed forms of the header's formula,
 * then random traffic against a slow oracle that looks at all messages and
 * links at every step.  Which of two messages is handed over first, when they
 * come to an NPU at the same picosecond, is not promised and not asked.
 */
#include "tests/network/network_fixture.h"

/* All hops are alike: to the bytes comes a packet for each further one. */
static void check_hops(uint32_t n_hops, uint64_t bytes)
{
    Fixture *f = fixture_new(RING(8), FALSE);
    Send send = { .src = 3, .dst = (3 + n_hops) % 8, .bytes = bytes };
    uint64_t rate = topology_port(f->topology, 0)->payload_bytes_per_s;
    SimTime packet_ps = sim_time_from_bytes(MIN(bytes, PACKET_BYTES), rate);

    run(f, &send, 1);
    assert_int_equal(f->arrival_ps[send.dst][0],
                     sim_time_from_bytes(bytes, rate) +
                         (n_hops - 1) * packet_ps + n_hops * LATENCY_PS);
    assert_int_equal(network_n_hops(f->network), n_hops);
    fixture_free(f);
}

static void test_hops_take_the_bytes_once_packets_and_latencies(void **state)
{
    static const uint64_t sizes[] = { 1, 469, 470, 471, 65537, 1 << 30 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (uint32_t n_hops = 1; n_hops < 8; n_hops++)
            check_hops(n_hops, sizes[i]);
}

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, order;
    SimTime at_ps, arrival_ps;
} Row;

static void check_rows(const char *text, const Row *rows, guint n)
{
    Fixture *f = fixture_new(text, FALSE);
    Send sends[8];

    for (guint i = 0; i < n; i++)
        sends[i] = (Send){ .src = rows[i].src,
                           .dst = rows[i].dst,
                           .bytes = rows[i].bytes,
                           .order_lo = rows[i].order,
                           .at_ps = rows[i].at_ps,
                           .chunk = i };
    run(f, sends, n);
    for (guint i = 0; i < n; i++)
        assert_int_equal(f->arrival_ps[rows[i].dst][i], rows[i].arrival_ps);
    fixture_free(f);
}

/* In front of the slow link the fast one is never in the way; behind it, it
 * has only the last packet to send when all have come. */
static void test_the_tail_follows_at_the_slowest_rate(void **state)
{
    static const Row row = { 0, 3, 23500, 0, 0, 2500 + 72290 + 1400000 };

    (void)state;
    check_rows("{ kind: torus, dims: [{ size: 2, links: 2, " FAST " }, "
               "{ size: 2, links: 2, " SLOW " }] }",
               &row, 1);
    check_rows("{ kind: torus, dims: [{ size: 2, links: 2, " SLOW " }, "
               "{ size: 2, links: 2, " FAST " }] }",
               &row, 1);
}

static void test_what_sets_out_goes_by_its_key_once_a_link_is_free(void **state)
{
    static const Row rows[] = {
        { 0, 1, 235, 9, 0, 450000 }, { 0, 1, 235, 7, 0, 430000 },
        { 0, 1, 235, 8, 0, 440000 }, { 0, 1, 235, 6, 0, 410000 },
        { 0, 1, 235, 0, 1, 420000 }, /* comes when the first has begun */
    };

    (void)state;
    check_rows(RING(4), rows, G_N_ELEMENTS(rows));
}

static void test_what_passes_and_what_sets_out_go_by_one_order(void **state)
{
    static const Row passing_last[] = {
        { 1, 2, 23500, 9, 0, 1400000 }, /* until then, the others wait */
        { 1, 2, 235, 1, 1, 1410000 },
        { 0, 2, 235, 5, 0, 1420000 },
    };
    static const Row passing_first[] = {
        { 1, 2, 23500, 9, 0, 1400000 },
        { 1, 2, 235, 6, 1, 1420000 },
        { 0, 2, 235, 5, 0, 1410000 },
    };

    (void)state;
    check_rows(RING(4), passing_last, G_N_ELEMENTS(passing_last));
    check_rows(RING(4), passing_first, G_N_ELEMENTS(passing_first));
}

/* 0 and 2 send over 1 to 4; the link from there is occupied until both wait. */
static void check_passing(uint64_t order, SimTime at_ps, SimTime arrival_ps)
{
    const Row rows[] = {
        { 1, 4, 23500, 0, 0, 1400000 },
        { 2, 4, 235, 5, 0, 2 * 1415000 - arrival_ps },
        { 0, 4, 235, order, at_ps, arrival_ps },
    };

    check_rows("{ kind: torus, dims: [{ size: 3, links: 2, " SLOW " }, "
               "{ size: 3, direction: one, " SLOW " }] }",
               rows, G_N_ELEMENTS(rows));
}

static void test_what_passes_goes_by_its_key_whenever_it_came(void **state)
{
    (void)state;
    check_passing(1, 0, 1410000);
    check_passing(9, 0, 1420000);
    check_passing(1, 1, 1410000);
    check_passing(9, 1, 1420000);
}

static void test_equal_keys_go_by_the_hops_made(void **state)
{
    static const NetMessage one = { .order_lo = 5, .n_hops = 1 };
    static const NetMessage two = { .order_lo = 5, .n_hops = 2 };

    (void)state;
    assert_true(network_before(&one, &two));
    assert_false(network_before(&two, &one));
}

static void test_parallel_links_carry_a_message_each(void **state)
{
    static const Row rows[] = {
        { 0, 1, 235, 1, 0, 410000 }, { 0, 1, 470, 2, 0, 420000 },
        { 0, 1, 235, 3, 0, 420000 }, { 0, 1, 235, 4, 0, 430000 },
        { 0, 1, 235, 5, 0, 430000 },
    };

    (void)state;
    check_rows(
        "{ kind: torus, dims: [{ size: 3, links: 2, direction: one, " SLOW
        " }] }",
        rows, G_N_ELEMENTS(rows));
}

/* Packets take 20 ns each; three of the second's five share a link. */
static void test_a_message_takes_all_links_of_a_port(void **state)
{
    static const Row rows[] = {
        { 0, 1, 4 * 470, 1, 0, 440000 },
        { 0, 2, 5 * 470, 2, 0, 40000 + 60000 + 400000 + 20000 + 400000 },
        { 0, 1, 470, 3, 0, 500000 }, /* beside the fifth */
        { 0, 1, 2 * 470 + 47, 4, 0, 522000 },
    };

    (void)state;
    check_rows(
        "{ kind: torus, dims: [{ size: 3, links: 2, direction: one, " SLOW
        " }] }",
        rows, G_N_ELEMENTS(rows));
}

/* What comes at a fourth of the rate leaves three of four links to others. */
static void test_slow_packets_take_no_more_links_than_they_need(void **state)
{
    static const Row rows[] = {
        { 0, 3, 23500, 0, 0, 1400000 + 420000 },
        { 1, 3, 4 * 470, 1, 1000000, 1440000 },
    };

    (void)state;
    check_rows("{ kind: torus, dims: [{ size: 2, links: 2, " SLOW " }, "
               "{ size: 2, links: 8, " SLOW " }] }",
               rows, G_N_ELEMENTS(rows));
}

/* Down to 0 there is one link, 420 ns after the first packets set out. */
static void test_two_flows_over_one_link_have_half_each(void **state)
{
    static const Row rows[] = {
        { 1, 0, 23500, 0, 0, 1820000 },
        { 2, 0, 23500, 1, 0, 2820000 },
        { 1, 0, 23500, 2, 0, 3820000 },
        { 2, 0, 23500, 3, 0, 4820000 },
    };

    (void)state;
    check_rows("{ kind: switch, npus: 3, " SLOW " }", rows, G_N_ELEMENTS(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hops_take_the_bytes_once_packets_and_latencies),
        cmocka_unit_test(test_the_tail_follows_at_the_slowest_rate),
        cmocka_unit_test(
            test_what_sets_out_goes_by_its_key_once_a_link_is_free),
        cmocka_unit_test(test_what_passes_and_what_sets_out_go_by_one_order),
        cmocka_unit_test(test_what_passes_goes_by_its_key_whenever_it_came),
        cmocka_unit_test(test_equal_keys_go_by_the_hops_made),
        cmocka_unit_test(test_parallel_links_carry_a_message_each),
        cmocka_unit_test(test_a_message_takes_all_links_of_a_port),
        cmocka_unit_test(test_slow_packets_take_no_more_links_than_they_need),
        cmocka_unit_test(test_two_flows_over_one_link_have_half_each),
    };

    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
