/*
 * test_packet.c - Tests of network/transport/packet_network.c against closed
 * forms, exact to the picosecond. */
#include "tests/network/packet_fixture.h"

/* Returns the arrival time of the last of @sends in a new network. */
static SimTime last_arrival_time(const char *text, uint64_t buffer_bytes,
                                 const Send *sends, uint32_t n)
{
    Fixture *f = network_fixture_new(text, buffer_bytes);
    SimTime ret_ps;

    run_packet_sends(f, sends, n);
    ret_ps = f->arrival_ps[n - 1];
    network_fixture_free(f);
    return ret_ps;
}

/* ---- one message at packet fidelity -------------------------------------- */

/* The time is that of all packets but the last on the first link, plus that of
 * the last packet on every hop. Behind full packets, a short last packet keeps
 * their pace, so only its last hop is shorter. */
static void test_equal_hops_cost_a_packet_and_a_latency_each(void **state)
{
    static const uint64_t sizes[] = { 1, 249, 250, 251, 5000, 65537 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (uint32_t hops = 1; hops < 8; hops++) {
            Send send = { .src = 3, .dst = (3 + hops) % 8, .bytes = sizes[i] };
            uint64_t before = (sizes[i] - 1) / PACKET_BYTES;
            SimTime last_ps =
                (sizes[i] - before * PACKET_BYTES) * (SLOW_PS / PACKET_BYTES);
            SimTime hop_ps = before > 0 ? SLOW_PS : last_ps;

            assert_int_equal(last_arrival_time(RING(8), LARGE_BUFFER, &send, 1),
                             before * SLOW_PS + (hops - 1) * hop_ps + last_ps +
                                 hops * LATENCY_PS);
        }
}

static void test_over_unequal_hops_the_slowest_sets_the_pace(void **state)
{
    static const Send send = { .dst = 3, .bytes = 100 * PACKET_BYTES };
    SimTime expected_ps =
        99 * SLOW_PS + SLOW_PS + 1250 + LATENCY_PS + SIM_NS(70);

    (void)state;
    assert_int_equal(
        last_arrival_time("{ kind: torus, dims: [{ size: 2, links: 2, "
                          "" FAST " }, { size: 2, links: 2, " SLOW " }] }",
                          LARGE_BUFFER, &send, 1),
        expected_ps);
    assert_int_equal(
        last_arrival_time("{ kind: torus, dims: [{ size: 2, links: 2, "
                          "" SLOW " }, { size: 2, links: 2, " FAST " }] }",
                          LARGE_BUFFER, &send, 1),
        expected_ps);
}

static void test_parallel_links_share_a_message(void **state)
{
    static const Send send = { .dst = 1, .bytes = 100 * PACKET_BYTES };

    (void)state;
    assert_int_equal(
        last_arrival_time("{ kind: fully-connected, npus: 3, links: 4, " SLOW
                          " }",
                          LARGE_BUFFER, &send, 1),
        25 * SLOW_PS + LATENCY_PS);
}

static void test_a_link_has_the_rate_that_was_set(void **state)
{
    static const Send send = { .dst = 2, .bytes = 100 * PACKET_BYTES };
    Fixture *f = network_fixture_new(RING(4), LARGE_BUFFER);

    (void)state;
    packet_network_set_rate(f->network, topology_n_ports(f->topology),
                            UINT64_C(12500000000));
    run_packet_sends(f, &send, 1);
    assert_int_equal(f->arrival_ps[0],
                     100 * 2 * SLOW_PS + SLOW_PS + 2 * LATENCY_PS);
    network_fixture_free(f);
}

/* ---- buffers at packet fidelity ------------------------------------------ */

/* The buffer holds @b packets. Each packet occupies it for @held_ps. */
static void check_throughput_with_buffers(uint32_t hops, uint64_t b,
                                          SimTime held_ps)
{
    const Send send = { .dst = hops, .bytes = 90 * PACKET_BYTES };
    SimTime last_start_ps = b * SLOW_PS < held_ps
                                ? 89 / b * held_ps + 89 % b * SLOW_PS
                                : 89 * SLOW_PS;

    assert_int_equal(last_arrival_time(RING(4), b * PACKET_BYTES, &send, 1),
                     last_start_ps + hops * (SLOW_PS + LATENCY_PS));
}

/* A buffer at the destination is occupied from the start of the hop to its end.
 * A buffer between two links is occupied until the second link has carried the
 * packet. */
static void test_small_buffers_throttle_to_their_size_per_hop_time(void **state)
{
    (void)state;
    for (uint64_t b = 1; b < 60; b++) {
        check_throughput_with_buffers(1, b, SLOW_PS + LATENCY_PS);
        check_throughput_with_buffers(2, b, 2 * SLOW_PS + LATENCY_PS);
    }
}

static void test_a_buffer_of_one_hop_time_saturates_a_link(void **state)
{
    const Send send = { .dst = 3, .bytes = 100000 * PACKET_BYTES };
    Fixture *f = network_fixture_new(RING(4), 42 * PACKET_BYTES);

    (void)state;
    run_packet_sends(f, &send, 1);
    assert_int_equal(f->arrival_ps[0], (100000 + 2) * SLOW_PS + 3 * LATENCY_PS);
    assert_int_equal(packet_network_link_stats(f->network, 0).busy_ps,
                     100000 * SLOW_PS);
    network_fixture_free(f);
}

/* The link from NPU 1 on takes 250 ms per packet. NPU 0 fills the buffer at NPU
 * 1 and then stops. */
static void test_a_blocked_link_stops_its_senders(void **state)
{
    static const Send send = { .dst = 2, .bytes = 1000 * PACKET_BYTES };
    Fixture *f = network_fixture_new(RING(4), 64 * PACKET_BYTES);

    (void)state;
    packet_network_set_rate(f->network, topology_n_ports(f->topology), 1000);
    schedule_packet_sends(f, &send, 1);
    (void)sim_engine_run(f->engine, SIM_US(500));
    /* One packet has begun to leave NPU 1. It occupies the buffer until it has
     * left. */
    assert_int_equal(packet_network_link_stats(f->network, 0).sent_bytes,
                     64 * PACKET_BYTES);
    assert_int_equal(
        packet_network_link_stats(f->network, topology_n_ports(f->topology))
            .sent_bytes,
        PACKET_BYTES);
    assert_false(packet_network_is_empty(f->network));
    (void)sim_engine_run(f->engine, SIM_TIME_MAX);
    assert_int_equal(f->n_arrived, 1);
    assert_true(packet_network_is_empty(f->network));
    network_fixture_free(f);
}

/* NPUs 1 and 2 both send to NPU 0 through the switch. Traffic from NPU 3 has a
 * separate buffer. */
static void test_a_hot_spot_only_slows_its_own_senders(void **state)
{
    static const Send sends[] = {
        { .src = 1, .dst = 0, .bytes = 400 * PACKET_BYTES },
        { .src = 2, .dst = 0, .bytes = 400 * PACKET_BYTES },
        { .src = 3, .dst = 1, .bytes = 400 * PACKET_BYTES },
    };
    Fixture *f = network_fixture_new(SWITCH(4), 50 * PACKET_BYTES);

    (void)state;
    run_packet_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(MAX(f->arrival_ps[0], f->arrival_ps[1]),
                     801 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(MIN(f->arrival_ps[0], f->arrival_ps[1]),
                     800 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 401 * SLOW_PS + 2 * LATENCY_PS);
    network_fixture_free(f);
}

/* ---- order of packets ---------------------------------------------------- */

static void
test_a_message_that_has_begun_is_sent_before_smaller_keys(void **state)
{
    static const Send sends[] = {
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 2 },
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 3 },
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 1, .at_ps = 1 },
    };
    Fixture *f = network_fixture_new(RING(4), LARGE_BUFFER);

    (void)state;
    run_packet_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[0], 10 * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 20 * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[1], 30 * SLOW_PS + LATENCY_PS);
    network_fixture_free(f);
}

/* The first packet of NPU 0 reaches NPU 1 when NPU 1 has sent 41 of its own
 * packets. */
static void check_packet_overtaking(uint64_t order, guint own_packets,
                                    guint passing)
{
    const Send sends[] = {
        { .src = 1, .dst = 2, .bytes = 50 * PACKET_BYTES, .order = 5 },
        { .src = 0, .dst = 2, .bytes = 10 * PACKET_BYTES, .order = order },
    };
    Fixture *f = network_fixture_new(RING(4), LARGE_BUFFER);

    run_packet_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[0], own_packets * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[1], passing * SLOW_PS + LATENCY_PS);
    network_fixture_free(f);
}

static void test_forwarded_and_new_messages_share_one_order(void **state)
{
    (void)state;
    assert_int_equal(51 * SLOW_PS + LATENCY_PS, 11 * SLOW_PS + 2 * LATENCY_PS);
    check_packet_overtaking(4, 60, 51);
    check_packet_overtaking(6, 50, 60);
}

static void test_simultaneous_arrivals_go_by_key(void **state)
{
    static const Send sends[] = {
        { .src = 1, .dst = 0, .bytes = PACKET_BYTES, .order = 2 },
        { .src = 2, .dst = 0, .bytes = PACKET_BYTES, .order = 1 },
        { .src = 3, .dst = 0, .bytes = PACKET_BYTES, .order = 3 },
    };
    Fixture *f = network_fixture_new(SWITCH(4), LARGE_BUFFER);

    (void)state;
    run_packet_sends(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[1], 2 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[0], 3 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 4 * SLOW_PS + 2 * LATENCY_PS);
    network_fixture_free(f);
}

/* ---- limits at packet fidelity ------------------------------------------- */

/* NPU a sends to b over a link that belongs to two limits. A packet takes 10 ns
 * at 25 GB/s, 50 ns at 5 GB/s and 20 ns at 12.5 GB/s. The slowest sets the
 * pace, in any order of the limits. */
static void test_of_several_limits_the_slowest_sets_the_pace(void **state)
{
    static const char *const limits[] = {
        "{ name: x, bandwidth: 5 GB/s, links: [[a, b]] }, "
        "{ name: y, bandwidth: 12.5 GB/s, links: [[a, b]] }",
        "{ name: y, bandwidth: 12.5 GB/s, links: [[a, b]] }, "
        "{ name: x, bandwidth: 5 GB/s, links: [[a, b]] }",
        "{ name: x, bandwidth: 5 GB/s, links: [[a, b], [b, a]] }",
    };
    const Send send = { .src = 0, .dst = 1, .bytes = 20 * PACKET_BYTES };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
        g_autofree char *graph = g_strdup_printf(
            "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, kind: "
            "npu }], links: [{ from: a, to: b, %s }], limits: [%s] }",
            SLOW, limits[i]);

        /* The last packet starts when 19 packets have passed the limit. */
        assert_int_equal(last_arrival_time(graph, LARGE_BUFFER, &send, 1),
                         19 * SIM_NS(50) + SLOW_PS + LATENCY_PS);
    }
}

/* Each packet in either direction of the cable occupies the common limit. Both
 * directions together get its rate. */
static void test_two_directions_share_a_limit(void **state)
{
    static const Send sends[] = {
        { .src = 0, .dst = 1, .bytes = 20 * PACKET_BYTES, .order = 1 },
        { .src = 1, .dst = 0, .bytes = 20 * PACKET_BYTES, .order = 2 },
    };

    (void)state;
    assert_int_equal(
        last_arrival_time(
            "{ kind: graph, nodes: [{ name: a, kind: npu }, { name: b, "
            "kind: npu }], links: [{ from: a, to: b, " SLOW
            " }], limits: [{ name: x, bandwidth: 25 GB/s, links: [[a, "
            "b], [b, a]] }] }",
            LARGE_BUFFER, sends, 2),
        39 * SLOW_PS + SLOW_PS + LATENCY_PS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_hops_cost_a_packet_and_a_latency_each),
        cmocka_unit_test(test_over_unequal_hops_the_slowest_sets_the_pace),
        cmocka_unit_test(test_parallel_links_share_a_message),
        cmocka_unit_test(test_a_link_has_the_rate_that_was_set),
        cmocka_unit_test(
            test_small_buffers_throttle_to_their_size_per_hop_time),
        cmocka_unit_test(test_a_buffer_of_one_hop_time_saturates_a_link),
        cmocka_unit_test(test_a_blocked_link_stops_its_senders),
        cmocka_unit_test(test_a_hot_spot_only_slows_its_own_senders),
        cmocka_unit_test(
            test_a_message_that_has_begun_is_sent_before_smaller_keys),
        cmocka_unit_test(test_forwarded_and_new_messages_share_one_order),
        cmocka_unit_test(test_simultaneous_arrivals_go_by_key),
        cmocka_unit_test(test_of_several_limits_the_slowest_sets_the_pace),
        cmocka_unit_test(test_two_directions_share_a_limit),
    };

    return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}
