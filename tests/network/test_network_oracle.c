/* test_network_oracle.c - random traffic is as a slow oracle has it */
#include "tests/network/network_fixture.h"

/* As NPU 0 sees it: keys are distinct, ties in time frequent. */
static Send draw(GRand *rand, uint32_t n_npus, uint32_t i)
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

/* The same sent by @src. */
static Send seen_from(const Topology *topology, Send send, uint32_t src)
{
    g_autoptr(Fold) alike = fold_new_most(topology);
    uint32_t dst = 0;

    while (fold_seen(alike, src, dst) != send.dst)
        dst++;
    send.src = src;
    send.dst = dst;
    return send;
}

static void reverse(Send *sends, guint n)
{
    for (guint i = 0; i < n / 2; i++) {
        Send kept = sends[i];

        sends[i] = sends[n - 1 - i];
        sends[n - 1 - i] = kept;
    }
}

static void check_as_oracle(const char *text, gboolean folded, Oracle *oracle,
                            const Send *sends, guint n)
{
    Fixture *f = fixture_new(text, folded);
    uint32_t n_ports = topology_n_ports(f->topology);
    uint32_t n_npus = folded ? fold_n(f->fold) : topology_n_npus(f->topology);

    run(f, sends, n);
    assert_memory_equal(f->arrival_ps, oracle->arrival_ps,
                        n_npus * sizeof f->arrival_ps[0]);
    for (uint32_t link = 0; link < n_npus * n_ports; link++) {
        NetPortStats stats = network_link_stats(f->network, link);

        assert_memory_equal(&stats, &oracle->stats[link], sizeof stats);
        assert_int_equal(f->busy_ps[link], stats.busy_ps);
    }
    fixture_free(f);
}

/* @alike: all NPUs send the same, else one of them each message. */
static void check_traffic(const char *text, guint32 seed, gboolean alike)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autoptr(Topology) topology = topology_built(text);
    g_autofree Send *sends = g_new(Send, MAX_SENDS);
    g_autofree Oracle *oracle = NULL;
    Send own[MAX_CHUNKS];
    uint32_t n_npus = topology_n_npus(topology);
    guint n = 0;

    for (uint32_t i = 0; i < MAX_CHUNKS; i++) {
        uint32_t sender = g_rand_int(rand) % n_npus;

        own[i] = draw(rand, n_npus, i);
        for (uint32_t npu = 0; npu < n_npus; npu++)
            if (alike || npu == sender)
                sends[n++] = seen_from(topology, own[i], npu);
    }
    oracle = oracle_new(topology, sends, n);
    check_as_oracle(text, FALSE, oracle, sends, n);
    reverse(sends, n);
    check_as_oracle(text, FALSE, oracle, sends, n);
    if (alike)
        check_as_oracle(text, TRUE, oracle, own, MAX_CHUNKS);
}

static const char *const topologies[] = {
    RING(5),
    "{ kind: torus, dims: [{ size: 3, links: 2, " FAST " }, "
    "{ size: 4, links: 4, " SLOW " }, { size: 2, links: 2, " SLOW " }] }",
    "{ kind: torus, dims: [{ size: 4, links: 2, " SLOW " }, "
    "{ size: 4, links: 2, " FAST " }] }",
    "{ kind: switch, npus: 6, links: 2, " SLOW " }",
    "{ kind: fully-connected, npus: 6, " SLOW " }",
};

static void test_traffic_is_as_the_oracle_says_in_any_order_sent(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (guint32 seed = 1; seed <= 30; seed++)
            check_traffic(topologies[t], seed, FALSE);
}

static void test_one_npu_stands_for_all_when_all_send_the_same(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (guint32 seed = 1; seed <= 3; seed++)
            check_traffic(topologies[t], seed, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traffic_is_as_the_oracle_says_in_any_order_sent),
        cmocka_unit_test(test_one_npu_stands_for_all_when_all_send_the_same),
    };

    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
