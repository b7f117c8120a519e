/*
 * Tests of network/transport/packet.c: closed forms to the picosecond, then
 * traffic that would lock a network without channels, with buffers as small as
 * can be.
 */
#include "tests/network/topology_fixture.h"

#include "network/transport/packet.h"

#define MAX_MESSAGES 4096

/* A packet takes 10 ns on the slow link, 1.25 ns on the fast one. */
#define PACKET_BYTES 250
#define SLOW         "bandwidth: 25 GB/s, latency: 400 ns"
#define FAST         "bandwidth: 200 GB/s, latency: 70 ns"
#define SLOW_PS      SIM_NS(10)
#define LATENCY_PS   SIM_NS(400)
#define ROOMY        (1 << 30)

#define RING(size) /* one link, one way */                                     \
    "{ kind: torus, dims: [{ size: " #size ", direction: one, " SLOW " }] }"
#define SWITCH(size) "{ kind: switch, npus: " #size ", " SLOW " }"

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, order;
    SimTime at_ps;
    uint8_t way;
} Send;

typedef struct {
    SimEngine *engine;
    Topology *topology;
    PacketNetwork *network;
    const Send *sends; /* borrowed */
    uint32_t n_arrived;
    SimTime arrival_ps[MAX_MESSAGES]; /* 0: has not come */
} Fixture;

static void on_deliver(gpointer self, uint32_t message, SimTime now_ps)
{
    Fixture *f = self;

    assert_int_equal(f->arrival_ps[message], 0);
    assert_int_equal(sim_engine_now(f->engine), now_ps);
    f->arrival_ps[message] = now_ps;
    f->n_arrived++;
}

static Fixture *fixture_new(const char *text, uint64_t buffer_bytes)
{
    Fixture *f = g_new0(Fixture, 1);

    f->engine = sim_engine_new();
    f->topology = topology_built(text);
    f->network = packet_network_new(f->engine, f->topology, PACKET_BYTES,
                                    buffer_bytes, on_deliver, f);
    return f;
}

static void fixture_free(Fixture *f)
{
    packet_network_free(f->network);
    topology_free(f->topology);
    sim_engine_free(f->engine);
    g_free(f);
}

static void send_now(gpointer self, uint32_t index, SimTime now_ps)
{
    Fixture *f = self;
    const Send *s = &f->sends[index];
    NetMessage m = {
        .order_lo = s->order, .bytes = s->bytes, .dst = s->dst, .way = s->way
    };

    assert_int_equal(now_ps, s->at_ps);
    packet_network_send(f->network, s->src, index, &m);
}

static void start(Fixture *f, const Send *sends, uint32_t n)
{
    assert_true(n <= MAX_MESSAGES);
    f->sends = sends;
    for (uint32_t i = 0; i < n; i++)
        sim_engine_at(f->engine, sends[i].at_ps, SIM_PHASE_ACT, send_now, f, i);
}

static void run(Fixture *f, const Send *sends, uint32_t n)
{
    start(f, sends, n);
    (void)sim_engine_run(f->engine, SIM_TIME_MAX);
    assert_int_equal(f->n_arrived, n);
    assert_true(packet_network_is_empty(f->network));
}

/* When the last of @sends, run on a network of its own, has arrived. */
static SimTime arrival_of(const char *text, uint64_t buffer_bytes,
                          const Send *sends, uint32_t n)
{
    Fixture *f = fixture_new(text, buffer_bytes);
    SimTime ret_ps;

    run(f, sends, n);
    ret_ps = f->arrival_ps[n - 1];
    fixture_free(f);
    return ret_ps;
}

/* ---- one message ------------------------------------------------------ */

/* All packets but the last, then the last over every hop; behind others it
 * keeps their distance, so only its last hop is shorter. */
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

            assert_int_equal(arrival_of(RING(8), ROOMY, &send, 1),
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
    assert_int_equal(arrival_of("{ kind: torus, dims: [{ size: 2, links: 2, "
                                "" FAST " }, { size: 2, links: 2, " SLOW
                                " }] }",
                                ROOMY, &send, 1),
                     expected_ps);
    assert_int_equal(arrival_of("{ kind: torus, dims: [{ size: 2, links: 2, "
                                "" SLOW " }, { size: 2, links: 2, " FAST
                                " }] }",
                                ROOMY, &send, 1),
                     expected_ps);
}

static void test_parallel_links_share_a_message(void **state)
{
    static const Send send = { .dst = 1, .bytes = 100 * PACKET_BYTES };

    (void)state;
    assert_int_equal(
        arrival_of("{ kind: fully-connected, npus: 3, links: 4, " SLOW " }",
                   ROOMY, &send, 1),
        25 * SLOW_PS + LATENCY_PS);
}

static void test_a_link_has_the_rate_that_was_set(void **state)
{
    static const Send send = { .dst = 2, .bytes = 100 * PACKET_BYTES };
    Fixture *f = fixture_new(RING(4), ROOMY);

    (void)state;
    packet_network_set_rate(f->network, topology_n_ports(f->topology),
                            UINT64_C(12500000000));
    run(f, &send, 1);
    assert_int_equal(f->arrival_ps[0],
                     100 * 2 * SLOW_PS + SLOW_PS + 2 * LATENCY_PS);
    fixture_free(f);
}

/* ---- buffers ---------------------------------------------------------- */

/* Room for b packets, of which each is held from its start to its end. */
static void check_throttled(uint32_t hops, uint64_t b, SimTime held_ps)
{
    const Send send = { .dst = hops, .bytes = 90 * PACKET_BYTES };
    SimTime last_start_ps = b * SLOW_PS < held_ps
                                ? 89 / b * held_ps + 89 % b * SLOW_PS
                                : 89 * SLOW_PS;

    assert_int_equal(arrival_of(RING(4), b * PACKET_BYTES, &send, 1),
                     last_start_ps + hops * (SLOW_PS + LATENCY_PS));
}

/* Room at the destination is held on the way there, room between two links
 * until the second has carried the packet too. */
static void test_small_buffers_throttle_to_their_size_per_way(void **state)
{
    (void)state;
    for (uint64_t b = 1; b < 60; b++) {
        check_throttled(1, b, SLOW_PS + LATENCY_PS);
        check_throttled(2, b, 2 * SLOW_PS + LATENCY_PS);
    }
}

static void test_a_buffer_of_the_way_there_saturates_a_link(void **state)
{
    const Send send = { .dst = 3, .bytes = 100000 * PACKET_BYTES };
    Fixture *f = fixture_new(RING(4), 42 * PACKET_BYTES);

    (void)state;
    run(f, &send, 1);
    assert_int_equal(f->arrival_ps[0], (100000 + 2) * SLOW_PS + 3 * LATENCY_PS);
    assert_int_equal(packet_network_link_stats(f->network, 0).busy_ps,
                     100000 * SLOW_PS);
    fixture_free(f);
}

/* The link from 1 on takes 250 ms a packet; 0 can fill 1's buffer, no more. */
static void test_a_blocked_link_stops_who_sends_to_it(void **state)
{
    static const Send send = { .dst = 2, .bytes = 1000 * PACKET_BYTES };
    Fixture *f = fixture_new(RING(4), 64 * PACKET_BYTES);

    (void)state;
    packet_network_set_rate(f->network, topology_n_ports(f->topology), 1000);
    start(f, &send, 1);
    (void)sim_engine_run(f->engine, SIM_US(500));
    /* One packet has begun to leave 1, and holds its room until it has. */
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
    fixture_free(f);
}

/* 1 and 2 both send to 0 through the switch; 3's buffer is its own. */
static void test_a_hot_spot_halves_who_sends_to_it_and_no_one_else(void **state)
{
    static const Send sends[] = {
        { .src = 1, .dst = 0, .bytes = 400 * PACKET_BYTES },
        { .src = 2, .dst = 0, .bytes = 400 * PACKET_BYTES },
        { .src = 3, .dst = 1, .bytes = 400 * PACKET_BYTES },
    };
    Fixture *f = fixture_new(SWITCH(4), 50 * PACKET_BYTES);

    (void)state;
    run(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(MAX(f->arrival_ps[0], f->arrival_ps[1]),
                     801 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(MIN(f->arrival_ps[0], f->arrival_ps[1]),
                     800 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 401 * SLOW_PS + 2 * LATENCY_PS);
    fixture_free(f);
}

/* ---- order ------------------------------------------------------------ */

static void test_what_sets_out_goes_by_key_once_a_message_is_out(void **state)
{
    static const Send sends[] = {
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 2 },
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 3 },
        { .dst = 1, .bytes = 10 * PACKET_BYTES, .order = 1, .at_ps = 1 },
    };
    Fixture *f = fixture_new(RING(4), ROOMY);

    (void)state;
    run(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[0], 10 * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 20 * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[1], 30 * SLOW_PS + LATENCY_PS);
    fixture_free(f);
}

/* The first packet of 0 is at 1 when 41 of 1's own have gone. */
static void check_passing(uint64_t order, guint own_packets, guint passing)
{
    const Send sends[] = {
        { .src = 1, .dst = 2, .bytes = 50 * PACKET_BYTES, .order = 5 },
        { .src = 0, .dst = 2, .bytes = 10 * PACKET_BYTES, .order = order },
    };
    Fixture *f = fixture_new(RING(4), ROOMY);

    run(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[0], own_packets * SLOW_PS + LATENCY_PS);
    assert_int_equal(f->arrival_ps[1], passing * SLOW_PS + LATENCY_PS);
    fixture_free(f);
}

static void test_what_passes_and_what_sets_out_go_by_one_order(void **state)
{
    (void)state;
    assert_int_equal(51 * SLOW_PS + LATENCY_PS, 11 * SLOW_PS + 2 * LATENCY_PS);
    check_passing(4, 60, 51);
    check_passing(6, 50, 60);
}

static void test_equal_arrivals_go_by_key(void **state)
{
    static const Send sends[] = {
        { .src = 1, .dst = 0, .bytes = PACKET_BYTES, .order = 2 },
        { .src = 2, .dst = 0, .bytes = PACKET_BYTES, .order = 1 },
        { .src = 3, .dst = 0, .bytes = PACKET_BYTES, .order = 3 },
    };
    Fixture *f = fixture_new(SWITCH(4), ROOMY);

    (void)state;
    run(f, sends, G_N_ELEMENTS(sends));
    assert_int_equal(f->arrival_ps[1], 2 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[0], 3 * SLOW_PS + 2 * LATENCY_PS);
    assert_int_equal(f->arrival_ps[2], 4 * SLOW_PS + 2 * LATENCY_PS);
    fixture_free(f);
}

/* ---- all to all ------------------------------------------------------- */

/* Every NPU to every other, @reverse from the last to the first, with a few
 * keys that no NPU number enters. */
static GArray *all_to_all_new(const Topology *topology, uint64_t bytes,
                              gboolean reverse)
{
    GArray *sends = g_array_new(FALSE, TRUE, sizeof(Send));
    g_autoptr(Fold) alike = fold_new_most(topology);
    uint32_t n = topology_n_npus(topology);

    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t pair = reverse ? n * n - 1 - i : i, offset;
        Send send = { .src = pair / n, .dst = pair % n, .bytes = bytes };

        offset = fold_seen(alike, send.src, send.dst);
        send.order = offset % 3;
        send.way = offset & 1;
        if (send.src != send.dst)
            g_array_append_val(sends, send);
    }
    return sends;
}

/* Links that the way of @send takes. */
static uint64_t way_length(const Topology *topology, const Send *send)
{
    uint64_t hops = 0;
    uint32_t at = send->src;

    while (at != send->dst) {
        at = topology_to(topology,
                         topology_next(topology, at, send->dst, send->way));
        hops++;
    }
    return hops;
}

static void check_conserved(Fixture *f, const GArray *sends)
{
    uint64_t hops = 0, n_messages = 0, sent_bytes = 0, expected_bytes = 0;

    for (uint32_t i = 0; i < sends->len; i++) {
        const Send *send = &g_array_index(sends, Send, i);

        hops += way_length(f->topology, send);
        expected_bytes += way_length(f->topology, send) * send->bytes;
    }
    for (uint32_t l = 0; l < topology_n_links(f->topology); l++) {
        NetPortStats stats = packet_network_link_stats(f->network, l);

        n_messages += stats.n_messages;
        sent_bytes += stats.sent_bytes;
    }
    assert_int_equal(n_messages, hops);
    assert_int_equal(packet_network_n_hops(f->network), hops);
    assert_int_equal(sent_bytes, expected_bytes);
}

/* Runs an all-to-all; the caller frees what is returned. */
static Fixture *all_to_all_run(const char *text, uint64_t bytes,
                               uint64_t buffer_bytes, gboolean reverse)
{
    Fixture *f = fixture_new(text, buffer_bytes);
    g_autoptr(GArray) sends = all_to_all_new(f->topology, bytes, reverse);

    run(f, (const Send *)(gconstpointer)sends->data, sends->len);
    check_conserved(f, sends);
    return f;
}

#define BOTH(size) "{ size: " #size ", links: 2, " SLOW " }"
#define ONE(size)  "{ size: " #size ", direction: one, " SLOW " }"
#define TORUS(...) "{ kind: torus, dims: [" __VA_ARGS__ "] }"

static const char *const crowded[] = {
    TORUS(BOTH(4) "," BOTH(4)),
    TORUS(ONE(4) "," ONE(4)),
    TORUS(BOTH(3) "," BOTH(5)),
    TORUS(ONE(3) "," ONE(5)),
    TORUS(BOTH(2) "," BOTH(2) "," BOTH(2)),
    TORUS(ONE(2) "," ONE(2) "," ONE(2)),
    TORUS(ONE(8)),
    TORUS(BOTH(8)),
    TORUS(BOTH(2) "," ONE(4) "," BOTH(5)),
    SWITCH(8),
    "{ kind: fully-connected, npus: 8, " SLOW " }",
};

static void test_all_to_all_with_tiny_buffers_does_not_lock(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++)
        for (uint64_t b = 1; b <= 2; b++)
            fixture_free(all_to_all_run(crowded[i], 60 * PACKET_BYTES + 7,
                                        b * PACKET_BYTES, FALSE));
}

static void test_the_order_of_sends_in_an_instant_does_not_matter(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++)
        for (uint64_t b = 2; b <= 64; b *= 4) {
            Fixture *one = all_to_all_run(crowded[i], 30 * PACKET_BYTES,
                                          b * PACKET_BYTES, FALSE);
            Fixture *other = all_to_all_run(crowded[i], 30 * PACKET_BYTES,
                                            b * PACKET_BYTES, TRUE);
            uint32_t n = one->n_arrived;

            for (uint32_t m = 0; m < n; m++)
                assert_int_equal(one->arrival_ps[m],
                                 other->arrival_ps[n - 1 - m]);
            fixture_free(one);
            fixture_free(other);
        }
}

/* What is sent as far arrives as early; where buffers never bind, since the
 * datelines have a place. */
static void test_ties_know_no_npu_number(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++) {
        Fixture *f =
            all_to_all_run(crowded[i], 30 * PACKET_BYTES, ROOMY, FALSE);
        g_autoptr(GArray) sends = all_to_all_new(f->topology, 1, FALSE);
        g_autoptr(Fold) alike = fold_new_most(f->topology);
        SimTime of_offset_ps[64] = { 0 };

        for (uint32_t m = 0; m < sends->len; m++) {
            const Send *send = &g_array_index(sends, Send, m);
            SimTime *first_ps =
                &of_offset_ps[fold_seen(alike, send->src, send->dst)];

            if (*first_ps == 0)
                *first_ps = f->arrival_ps[m];
            assert_int_equal(f->arrival_ps[m], *first_ps);
        }
        fixture_free(f);
    }
}

/* A one-way ring of n: every link carries n (n - 1) / 2 messages. */
static void test_all_to_all_fills_the_links_of_a_ring(void **state)
{
    SimTime bound_ps = UINT64_C(28) * 1000 * SLOW_PS, last_ps = 0;
    Fixture *f =
        all_to_all_run(TORUS(ONE(8)), 1000 * PACKET_BYTES, ROOMY, FALSE);

    (void)state;
    for (uint32_t m = 0; m < f->n_arrived; m++)
        last_ps = MAX(last_ps, f->arrival_ps[m]);
    assert_true(last_ps >= bound_ps + LATENCY_PS);
    assert_true(last_ps <= bound_ps + bound_ps / 50);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_hops_cost_a_packet_and_a_latency_each),
        cmocka_unit_test(test_over_unequal_hops_the_slowest_sets_the_pace),
        cmocka_unit_test(test_parallel_links_share_a_message),
        cmocka_unit_test(test_a_link_has_the_rate_that_was_set),
        cmocka_unit_test(test_small_buffers_throttle_to_their_size_per_way),
        cmocka_unit_test(test_a_buffer_of_the_way_there_saturates_a_link),
        cmocka_unit_test(test_a_blocked_link_stops_who_sends_to_it),
        cmocka_unit_test(
            test_a_hot_spot_halves_who_sends_to_it_and_no_one_else),
        cmocka_unit_test(test_what_sets_out_goes_by_key_once_a_message_is_out),
        cmocka_unit_test(test_what_passes_and_what_sets_out_go_by_one_order),
        cmocka_unit_test(test_equal_arrivals_go_by_key),
        cmocka_unit_test(test_all_to_all_with_tiny_buffers_does_not_lock),
        cmocka_unit_test(test_the_order_of_sends_in_an_instant_does_not_matter),
        cmocka_unit_test(test_ties_know_no_npu_number),
        cmocka_unit_test(test_all_to_all_fills_the_links_of_a_ring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
