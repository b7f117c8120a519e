/*
 * test_packet_congestion.c - Tests of network/transport/packet_network.c with
 * the smallest possible buffers.
 *
 * The traffic would deadlock a network without virtual
 * channels. */
#include "tests/network/packet_fixture.h"

/* Returns messages from every NPU to every other, in reverse order if @reverse.
 * Few different keys are used. They depend only on the relative position of the
 * destination. */
static GArray *all_to_all_sends_new(const Topology *topology, uint64_t bytes,
                                    gboolean reverse)
{
    GArray *sends = g_array_new(FALSE, TRUE, sizeof(Send));
    g_autoptr(SymmetryFold) fold = symmetry_fold_new_maximal(topology);
    uint32_t n = topology_n_npus(topology);

    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t pair = reverse ? n * n - 1 - i : i, offset;
        Send send = { .src = pair / n, .dst = pair % n, .bytes = bytes };

        offset = symmetry_fold_translate_end(fold, send.src, send.dst);
        send.order = offset % 3;
        send.way = offset & 1;
        if (send.src != send.dst)
            g_array_append_val(sends, send);
    }
    return sends;
}

/* Returns the number of links of the path of @send. */
static uint64_t path_length_of_send(const Topology *topology, const Send *send)
{
    uint64_t hops = 0;
    uint32_t at = send->src;

    while (at != send->dst) {
        at = topology_link_target(
            topology, topology_next_link(topology, at, send->dst, send->way));
        hops++;
    }
    return hops;
}

static void check_bytes_conserved(Fixture *f, const GArray *sends)
{
    uint64_t hops = 0, n_messages = 0, sent_bytes = 0, expected_bytes = 0;

    for (uint32_t i = 0; i < sends->len; i++) {
        const Send *send = &g_array_index(sends, Send, i);

        hops += path_length_of_send(f->topology, send);
        expected_bytes += path_length_of_send(f->topology, send) * send->bytes;
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

/* Runs an all-to-all. The caller frees the result. */
static Fixture *run_all_to_all(const char *text, uint64_t bytes,
                               uint64_t buffer_bytes, gboolean reverse)
{
    Fixture *f = network_fixture_new(text, buffer_bytes);
    g_autoptr(GArray) sends = all_to_all_sends_new(f->topology, bytes, reverse);

    run_packet_sends(f, (const Send *)(gconstpointer)sends->data, sends->len);
    check_bytes_conserved(f, sends);
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
    "{ kind: mesh, dims: [{ size: 3, links: 2, " SLOW
    " }, { size: 3, links: 2, " SLOW " }] }",
    "{ kind: grid, dims: [{ shape: switch, size: 3, " SLOW
    " }, { shape: ring, size: 4, links: 2, " SLOW " }] }",
    "{ kind: nested, count: 3, inner: { kind: switch, npus: 4, " SLOW
    " }, nics: 4, nic: { " SLOW " }, rails: true, "
    "outer: { kind: switch, npus: 3, " SLOW " } }",
};

static void test_an_all_to_all_with_tiny_buffers_does_not_deadlock(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++)
        for (uint64_t b = 1; b <= 2; b++)
            network_fixture_free(run_all_to_all(
                crowded[i], 60 * PACKET_BYTES + 7, b * PACKET_BYTES, FALSE));
}

static void test_the_order_of_simultaneous_sends_does_not_matter(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++)
        for (uint64_t b = 2; b <= 64; b *= 4) {
            Fixture *one = run_all_to_all(crowded[i], 30 * PACKET_BYTES,
                                          b * PACKET_BYTES, FALSE);
            Fixture *other = run_all_to_all(crowded[i], 30 * PACKET_BYTES,
                                            b * PACKET_BYTES, TRUE);
            uint32_t n = one->n_arrived;

            for (uint32_t m = 0; m < n; m++)
                assert_int_equal(one->arrival_ps[m],
                                 other->arrival_ps[n - 1 - m]);
            network_fixture_free(one);
            network_fixture_free(other);
        }
}

/* Messages to the same relative position arrive at the same time. This needs
 * large buffers, since datelines are at fixed places. */
static void test_ties_do_not_depend_on_npu_ids(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(crowded); i++) {
        Fixture *f =
            run_all_to_all(crowded[i], 30 * PACKET_BYTES, LARGE_BUFFER, FALSE);
        g_autoptr(GArray) sends = all_to_all_sends_new(f->topology, 1, FALSE);
        g_autoptr(SymmetryFold) fold = symmetry_fold_new_maximal(f->topology);
        SimTime of_offset_ps[64] = { 0 };

        /* Topologies with several classes are not symmetric in all NPUs. */
        for (uint32_t m = 0;
             symmetry_fold_n_simulated_ends(fold) == 1 && m < sends->len; m++) {
            const Send *send = &g_array_index(sends, Send, m);
            SimTime *first_ps = &of_offset_ps[symmetry_fold_translate_end(
                fold, send->src, send->dst)];

            if (*first_ps == 0)
                *first_ps = f->arrival_ps[m];
            assert_int_equal(f->arrival_ps[m], *first_ps);
        }
        network_fixture_free(f);
    }
}

/* In a ring of n NPUs with one direction, every link carries n (n - 1) / 2
 * messages. */
static void test_an_all_to_all_fills_the_links_of_a_ring(void **state)
{
    SimTime bound_ps = UINT64_C(28) * 1000 * SLOW_PS, last_ps = 0;
    Fixture *f =
        run_all_to_all(TORUS(ONE(8)), 1000 * PACKET_BYTES, LARGE_BUFFER, FALSE);

    (void)state;
    for (uint32_t m = 0; m < f->n_arrived; m++)
        last_ps = MAX(last_ps, f->arrival_ps[m]);
    assert_true(last_ps >= bound_ps + LATENCY_PS);
    assert_true(last_ps <= bound_ps + bound_ps / 50);
    network_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_an_all_to_all_with_tiny_buffers_does_not_deadlock),
        cmocka_unit_test(test_the_order_of_simultaneous_sends_does_not_matter),
        cmocka_unit_test(test_ties_do_not_depend_on_npu_ids),
        cmocka_unit_test(test_an_all_to_all_fills_the_links_of_a_ring),
    };

    return cmocka_run_group_tests_name("packet crowds", tests, NULL, NULL);
}
