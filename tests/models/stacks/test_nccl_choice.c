/* test_nccl_choice.c - the rates in NCCL's cost model for trees through several
 * machines, and the algorithm for large payloads */
#include "tests/models/stacks/nccl_fixture.h"

#include <math.h>

#define GIB     (UINT64_C(1) << 30)
#define MB_PS   UINT64_C(1000000) /* The time of one byte at 1 MB/s. */
#define V100ISH 6
#define A100ISH 12
#define H100ISH 18

/* Machines of eight GPUs on a switch with links of 20 GB/s, and NICs that each
 * serve an equal number of GPUs. */
typedef struct {
    uint32_t n_nodes, n_links, n_cards, card_gb_per_s;
    /* TRUE if the switch between the GPUs of a machine reduces. */
    gboolean adds;
} Cluster;

static Done all_reduce_on_cluster(const Cluster *cluster, const char *stack,
                                  uint64_t payload_bytes)
{
    g_autofree char *topology = g_strdup_printf(
        "{kind: nested, count: %u, inner: {kind: switch, npus: 8, links: %u, "
        "bandwidth: 20 GB/s, latency: 300 ns, reduces: %s}, nics: %u, nic: {bandwidth: 56 "
        "GB/s, latency: 250 ns}, rails: true, outer: {kind: switch, "
        "bandwidth: %u GB/s, latency: 1 us}}",
        cluster->n_nodes, cluster->n_links, cluster->adds ? "true" : "false",
        cluster->n_cards, cluster->card_gb_per_s);
    const Setup setup = { .topology = topology,
                          .endpoint = IDEAL,
                          .workload = single_collective_workload(
                              COLL_ALL_REDUCE, payload_bytes),
                          .training = "{iterations: 1, optimiser: none}",
                          .collectives = OWN,
                          .stack = stack };
    g_autoptr(GError) error = NULL;
    Done done = { 0 };

    read_run_setup(&done.run, &setup);
    done.run.system =
        system_new(&done.run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    done.recipe = system_recipe(done.run.system, 0);
    assert_non_null(done.recipe);
    return done;
}

/* Returns how much longer @more_bytes take than @bytes in the cost model. */
static SimTime time_of_additional_bytes_ps(const Cluster *cluster,
                                           const char *stack, uint64_t bytes,
                                           uint64_t more_bytes)
{
    Done less = all_reduce_on_cluster(cluster, stack, bytes);
    Done more = all_reduce_on_cluster(cluster, stack, more_bytes);
    SimTime ps = more.recipe->predicted_ps - less.recipe->predicted_ps;

    run_clear(&less.run);
    run_clear(&more.run);
    return ps;
}

static SimTime modelled_launch_time_ps(const Cluster *cluster,
                                       const char *stack)
{
    return time_of_additional_bytes_ps(cluster, stack, GIB, 2 * GIB);
}

#define TREE    "{kind: nccl, algorithm: tree, protocol: Simple}"
#define TREE_LL "{kind: nccl, algorithm: tree, protocol: LL}"

/* A tree carries each byte twice.  From three machines on, the model uses 92 %
 * of the NICs' rate.  For any number of machines it also uses a measured rate
 * for each channel.  There is one channel for each NIC, or two if a channel
 * takes 25 GB/s and there are few. */
static void test_the_rate_of_trees_is_limited_by_nics_and_channels(void **state)
{
    static const struct {
        Cluster cluster;
        uint64_t mb_per_s;
    } cases[] = {
        /* 92 % of the NICs' rate; between two machines data cross once. */
        { { 2, A100ISH, 4, 12, FALSE }, 4 * 12000 * 92 / 100 },
        { { 3, A100ISH, 4, 12, FALSE }, 4 * 12000 * 92 / 100 / 2 },
        { { 4, A100ISH, 4, 12, FALSE }, 4 * 12000 * 92 / 100 / 2 },
        { { 3, H100ISH, 4, 48, FALSE }, 4 * 48000 * 92 / 100 / 2 },
        { { 5, H100ISH, 4, 48, FALSE }, 4 * 48000 * 92 / 100 / 2 },
        /* Channel rates by generation. */
        { { 2, V100ISH, 4, 24, FALSE }, 4 * 18500 / 2 },
        { { 3, V100ISH, 4, 24, FALSE }, 4 * 10000 / 2 },
        { { 2, A100ISH, 4, 24, FALSE }, 4 * 23600 / 2 },
        { { 3, A100ISH, 4, 24, FALSE }, 4 * 17800 / 2 },
        { { 5, A100ISH, 4, 24, FALSE }, 4 * 17800 / 2 },
        { { 2, H100ISH, 8, 48, FALSE }, 8 * 41400 / 2 },
        { { 3, H100ISH, 8, 48, FALSE }, 8 * 36000 / 2 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_near_per_mille(modelled_launch_time_ps(&cases[i].cluster, TREE),
                              GIB * MB_PS / cases[i].mb_per_s, 1);
}

static void test_a_channels_rate_can_be_set(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: tree, protocol: "
                                "Simple, tree_channel_rate: 5 GB/s}";
    static const Cluster cluster = { 3, A100ISH, 4, 24, FALSE };

    (void)state;
    assert_near_per_mille(modelled_launch_time_ps(&cluster, stack),
                          GIB * MB_PS / (4 * 5000 / 2), 1);
}

/* Between two machines, trees send a payload once and rings nearly twice.  So
 * trees are chosen unless a channel is slower than its NIC.  From three
 * machines on, both send it about twice. */
static void test_large_payloads_take_rings_through_three_machines(void **state)
{
    static const struct {
        Cluster cluster;
        const char *algorithm;
    } cases[] = {
        { { 2, A100ISH, 4, 12, FALSE }, "Tree" },
        { { 3, A100ISH, 4, 12, FALSE }, "Ring" },
        { { 2, A100ISH, 4, 24, FALSE }, "Ring" },
        { { 3, A100ISH, 4, 24, FALSE }, "Ring" },
        { { 5, A100ISH, 4, 24, FALSE }, "Ring" },
        { { 2, H100ISH, 4, 48, FALSE }, "Tree" },
        { { 3, H100ISH, 4, 48, FALSE }, "Ring" },
        { { 5, H100ISH, 4, 48, FALSE }, "Ring" },
        { { 2, A100ISH, 8, 24, FALSE }, "Ring" },
        { { 3, A100ISH, 8, 24, FALSE }, "Ring" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Done done =
            all_reduce_on_cluster(&cases[i].cluster, "{kind: nccl}", MIB(128));

        assert_string_equal(done.recipe->algorithm, cases[i].algorithm);
        run_clear(&done.run);
    }
}

/* Trees reach a fraction of their rate that NCCL has measured for each protocol
 * and each power of two of the payload. */
static void test_trees_have_less_of_their_rate_for_middle_payloads(void **state)
{
    static const Cluster cluster = { 2, A100ISH, 4, 12, FALSE };
    static const struct {
        const char *stack;
        uint64_t payload_bytes, percent;
    } cases[] = {
        { TREE, MIB(1), 50 },      { TREE, MIB(8), 80 },
        { TREE, MIB(16), 70 },     { TREE, MIB(64), 80 },
        { TREE, MIB(256), 90 },    { TREE, MIB(512), 100 },
        { TREE, 128, 90 },         { TREE_LL, 1 << 18, 40 },
        { TREE_LL, MIB(32), 100 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint64_t bytes = cases[i].payload_bytes;
        /* 92 % of all NICs' rate; with LL 37.5 % of that. */
        double rate = 4 * 12000 * .92 * (double)cases[i].percent / 100 *
                      (g_str_equal(cases[i].stack, TREE) ? 1 : .375);
        SimTime ps = time_of_additional_bytes_ps(&cluster, cases[i].stack,
                                                 bytes, bytes * 3 / 2);

        assert_true(fabs((double)ps / ((double)bytes / 2 * MB_PS / rate) - 1) <
                    .02);
    }
}

/* The cost model uses 5/6 of the rate of the switch's links or of the NICs for
 * NVLSTree. */
static void test_nvls_trees_have_five_sixths_of_the_rate(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: nvls-tree}";
    static const struct {
        Cluster cluster;
        uint64_t mb_per_s;
    } cases[] = {
        { { 2, H100ISH, 8, 48, TRUE }, 18 * 20000 * 5 / 6 },
        { { 2, H100ISH, 4, 48, TRUE }, 4 * 48000 * 5 / 6 },
        { { 3, H100ISH, 8, 48, TRUE }, 8 * 48000 / 2 * 5 / 6 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_near_per_mille(modelled_launch_time_ps(&cases[i].cluster, stack),
                              GIB * MB_PS / cases[i].mb_per_s, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_the_rate_of_trees_is_limited_by_nics_and_channels),
        cmocka_unit_test(test_a_channels_rate_can_be_set),
        cmocka_unit_test(
            test_trees_have_less_of_their_rate_for_middle_payloads),
        cmocka_unit_test(test_nvls_trees_have_five_sixths_of_the_rate),
        cmocka_unit_test(test_large_payloads_take_rings_through_three_machines),
    };

    return cmocka_run_group_tests_name("nccl-choice", tests, NULL, NULL);
}
