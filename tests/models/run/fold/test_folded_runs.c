/*
 * test_folded_runs.c - Tests that a run of one NPU that represents all gives
 * the same result, bit for bit, as a run of all NPUs.
 *
 * The numbers of simulated NPUs, hops and events differ by nature and are not
 * compared.
 */
#include "tests/system_fixture.h"

#include "models/collectives/algorithm.h"

/* ---- systems that are simulated folded and in full ----------------------- */

#define LINK       "bandwidth: 25 GB/s, latency: 500 ns"
#define BOTH(size) "{size: " #size ", links: 2, " LINK "}"
#define ONE(size)  "{size: " #size ", direction: one, " LINK "}"
#define FAST(size)                                                             \
    "{size: " #size ", links: 4, bandwidth: 100 GB/s, latency: 70 ns}"
#define TORUS(dims) "{kind: torus, dims: [" dims "]}"
#define SWITCH(n)   "{kind: switch, npus: " #n ", " LINK "}"
#define SWITCH_2(n) "{kind: switch, npus: " #n ", links: 2, " LINK "}"
#define ADDING(n, what)                                                        \
    "{kind: switch, npus: " #n ", reduces: true, " what LINK "}"
#define CONNECTED(n) "{kind: fully-connected, npus: " #n ", " LINK "}"

static const char *const topologies[] = {
    TORUS(BOTH(2)),
    TORUS(BOTH(3)),
    TORUS(BOTH(4)),
    TORUS(BOTH(5)),
    TORUS(ONE(2)),
    TORUS(ONE(3)),
    TORUS(ONE(5)),
    TORUS(FAST(2) ", " BOTH(2)),
    TORUS(FAST(3) ", " BOTH(2)),
    TORUS(FAST(2) ", " ONE(3)),
    /* Equal dimensions cause many events at the same time. */
    TORUS(BOTH(4) ", " BOTH(4)),
    TORUS(ONE(3) ", " BOTH(5)),
    TORUS(BOTH(2) ", " BOTH(2) ", " BOTH(2)),
    TORUS(FAST(4) ", " BOTH(2) ", " BOTH(2)),
    TORUS(FAST(2) ", " BOTH(3) ", " ONE(4)),
    TORUS(FAST(3) ", " BOTH(5) ", " BOTH(2)),
    TORUS(FAST(1) ", " BOTH(4) ", " BOTH(1)),
    TORUS(FAST(4) ", " BOTH(1) ", " BOTH(2)),
    SWITCH(2),
    SWITCH(3),
    SWITCH(4),
    SWITCH_2(5),
    SWITCH_2(8),
    ADDING(5, "links: 2, "),
    ADDING(8, "links: 3, reduce_rate: 10 GB/s, reduce_latency: 300 ns, "),
    CONNECTED(2),
    CONNECTED(3),
    CONNECTED(4),
    CONNECTED(5),
    CONNECTED(8),
};

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ace, sram: 256 KiB}",
    "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, alu_width: 4 B}",
    "{kind: ace, sram: 256 KiB, only_while_communicating: true}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
     "only_while_communicating: true}"),
    ("{kind: copy-engine, sms: 2, engines: 3, copy_launch: 400 ns, "
     "reduce_launch: 100 ns, memory_bandwidth: 45 GB/s}"),
    ("{kind: host, staging_bandwidth: 20 GB/s, staging_launch: 300 ns, "
     "buffer_bandwidth: 40 GB/s, reduce_bandwidth: 15 GB/s}"),
};

static const char *const workloads[] = {
    "{kind: collective, name: c, collective: all-reduce, payload: 96 KiB}",
    "{kind: collective, name: c, collective: reduce-scatter, "
    "payload: 100001 B}",
    "{kind: collective, name: c, collective: all-gather, payload: 100001 B}",
    "{kind: collective, name: c, collective: all-to-all, payload: 96 KiB}",
    "{kind: collective, name: c, collective: all-reduce, payload: 10001 B, "
    "repeat: 3}",
    "{kind: data-parallel, name: d, batch: 16, layers: ["
    "{kind: linear, name: a, in: 100, out: 101}, "
    "{kind: linear, name: b, in: 101, out: 150}, "
    "{kind: linear, name: c, in: 150, out: 30}]}",
    "{kind: dlrm, name: r, batch: 24, "
    "embedding: {tables: 6, dimension: 32, lookups: 4}, "
    "bottom: [{name: b1, in: 64, out: 64}, {name: b2, in: 64, out: 32}], "
    "top: [{name: t1, in: 224, out: 64}, {name: t2, in: 64, out: 1}]}",
};

static const char *const npus[] = {
    "{sms: 80, clock: 1245 MHz, flops: 1 TFLOPS, hbm: {bandwidth: 250 GB/s}}",
    "{sms: 80, clock: 1245 MHz, flops: 1 TFLOPS, "
    "hbm: {bandwidth: 250 GB/s, policy: shared}}",
    "{sms: 80, clock: 1 GHz, flops: 5 TFLOPS, launch_overhead: 2 us, "
    "fabric_bus: 20 GB/s, hbm: {bandwidth: 250 GB/s, policy: shared, "
    "communication_weight: 2}}",
};

static const char *const trainings[] = {
    "{iterations: 2}",
    "{iterations: 2, overlap: false}",
    "{iterations: 3, optimised: true, drain: false}",
};

static const char *const scheduling[] = {
    "scheduler: lifo",
    "scheduler: fifo, window: 2, order: rotated",
    "scheduler: priority, message: 1 KiB",
    "scheduler: lifo, preempt: false, window: 3, order: fixed",
    "scheduler: fifo, preempt: false, message: 256 B",
};

/* ---- comparison of folded and full runs ---------------------------------- */

/* Returns FALSE if the configuration is refused, since not every algorithm
 * supports every topology. */
static gboolean run_if_possible(const Setup *setup, FoldMode fold,
                                SystemResult *ret)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    if (!run.system) {
        gboolean refused =
            g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT) ||
            g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD);

        if (!refused)
            fail_msg("%s: %s", setup_text(setup), error->message);
        g_clear_error(&error);
        run_clear(&run);
        return FALSE;
    }
    if (!system_run(run.system, &error))
        fail_msg("%s: %s", setup_text(setup), error->message);
    *ret = system_result(run.system);
    run_clear(&run);
    return TRUE;
}

#define SAME(field)                                                            \
    do {                                                                       \
        if (folded->field != full->field)                                      \
            fail_msg("%s" #field ": %" G_GUINT64_FORMAT                        \
                     " folded, %" G_GUINT64_FORMAT " in full",                 \
                     setup_text(setup), (uint64_t)folded->field,               \
                     (uint64_t)full->field);                                   \
    } while (0)

static void assert_same_result(const Setup *setup, const SystemResult *folded,
                               const SystemResult *full)
{
    SAME(n_npus);
    SAME(n_iterations);
    SAME(total_ps);
    SAME(iteration_ps);
    SAME(compute_ps);
    SAME(exposed_ps);
    SAME(roofline_ps);
    SAME(comm_ps);
    SAME(sent_bytes);
    SAME(hbm_comm_read_bytes);
    SAME(hbm_comm_write_bytes);
    SAME(hbm_compute_bytes);
    SAME(sm_compute_ns);
    SAME(sm_comm_ns);
    SAME(endpoint.hbm_read_bytes);
    SAME(endpoint.hbm_write_bytes);
    SAME(endpoint.hbm_busy_ps);
    SAME(endpoint.bus_busy_ps);
    for (guint i = 0; i < RESOURCE_MAX; i++) {
        SAME(uses[i].capacity);
        SAME(uses[i].busy_ps);
        SAME(uses[i].peak);
        SAME(uses[i].unit_us);
    }
    SAME(net_bytes_per_s);
    SAME(net_cap_bytes_per_s);
}

/* Compares a run with symmetry reduction with a full run. Returns the number of
 * NPUs simulated in the former, 0 if no reduction is possible. */
static uint32_t compare_folded_with_full(const Setup *setup)
{
    SystemResult folded, full;

    if (!run_if_possible(setup, FOLD_REQUIRE, &folded))
        return 0;
    assert_true(run_if_possible(setup, FOLD_OFF, &full));
    assert_true(folded.n_simulated < full.n_simulated || full.n_npus == 1);
    assert_int_equal(full.n_simulated, full.n_npus);
    assert_same_result(setup, &folded, &full);
    return folded.n_simulated;
}

/* ---- combinations of topology, algorithm, endpoint and workload ---------- */

/* Returns whether a combination is tested. Partial algorithms are not, since
 * their ranks differ, so there is no symmetry. The other less common algorithms
 * differ only in the naming of peers, so few endpoints and workloads
 * suffice. */
static gboolean is_combination_tried(int algorithm, gsize endpoint,
                                     gsize workload)
{
    const CollAlgorithm *a =
        algorithm == COLL_AUTO ? NULL : coll_algorithms[algorithm - 1];

    if (!a || a == &coll_ring || a == &coll_halving_doubling ||
        a == &coll_direct || a == &coll_in_switch)
        return TRUE;
    return !a->partial && endpoint < 2 && workload < 3;
}

/* Compares every third combination of topology, algorithm, endpoint and
 * workload, so that all combinations of any three occur. The other settings,
 * which matter less, alternate. ACESIM_DRAWS=3 compares all combinations. */
static void compare_on_topology(gsize topology, guint *ret_n)
{
    static const guint n_turns = 3 * 3 * 5;

    for (int a = 0; coll_algorithm_names[a]; a++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++) {
                guint turn = *ret_n * 7 % n_turns;
                Setup s = {
                    .topology = topologies[topology],
                    .npu = npus[turn % 3],
                    .endpoint = endpoints[e],
                    .workload = workloads[w],
                    .training = trainings[turn / 3 % 3],
                    .collectives = format_text(
                        "{chunk: 8 KiB, packet: 128 B, algorithm: %s, "
                        "%s}",
                        coll_algorithm_names[a], scheduling[turn / 9]),
                };

                if (is_combination_tried(a, e, w) &&
                    (topology + (gsize)a + e + w) % 3 < n_random_draws(1))
                    *ret_n += compare_folded_with_full(&s) > 0 ? 1 : 0;
            }
}

static void test_symmetry_reduction_equals_a_full_run(void **state)
{
    guint n = 0;

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++) {
        guint before = n;

        compare_on_topology(t, &n);
        /* Each topology is compared at least with ring and direct, or with ring
         * and an equivalent algorithm. */
        assert_true(n - before >=
                    G_N_ELEMENTS(endpoints) * G_N_ELEMENTS(workloads) / 3);
    }
    assert_true(n > 700);
}

/* ---- random tori, folded and in full ------------------------------------- */

static const char *pick_random_text(GRand *rand, const char *const *from,
                                    gsize n)
{
    return from[g_rand_int_range(rand, 0, (gint32)n)];
}

/* Returns a torus with few different numbers, so that many events happen at the
 * same picosecond. */
static const char *draw_random_topology(GRand *rand)
{
    g_autoptr(GString) text = g_string_new("{kind: torus, dims: [");
    int n_dims = g_rand_int_range(rand, 1, 4);

    for (int d = 0; d < n_dims; d++) {
        gboolean both = g_rand_boolean(rand);

        g_string_append_printf(
            text,
            "%s{size: %d, direction: %s, links: %d, bandwidth: %d GB/s, "
            "latency: %d ns}",
            d > 0 ? ", " : "", g_rand_int_range(rand, 1, n_dims < 3 ? 6 : 4),
            both ? "both" : "one", g_rand_int_range(rand, 1, 3) * (1 + both),
            g_rand_boolean(rand) ? 32 : 64, g_rand_int_range(rand, 0, 3) * 64);
    }
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static void
test_symmetry_reduction_of_random_tori_equals_a_full_run(void **state)
{
    GRand *rand = g_rand_new_with_seed(random_seed(34));
    guint n = 0;

    (void)state;
    for (guint i = 0; i < n_random_draws(130); i++) {
        Setup s = {
            .topology = draw_random_topology(rand),
            .npu = pick_random_text(rand, npus, G_N_ELEMENTS(npus)),
            .endpoint =
                pick_random_text(rand, endpoints, G_N_ELEMENTS(endpoints)),
            .workload =
                pick_random_text(rand, workloads, G_N_ELEMENTS(workloads)),
            .training =
                pick_random_text(rand, trainings, G_N_ELEMENTS(trainings)),
        };

        s.collectives = format_text(
            "{chunk: %d B, packet: %d B, %s}",
            g_rand_boolean(rand) ? 8192 : g_rand_int_range(rand, 1000, 8000),
            64 << g_rand_int_range(rand, 0, 4),
            pick_random_text(rand, scheduling, G_N_ELEMENTS(scheduling)));
        n += compare_folded_with_full(&s) == 1 ? 1 : 0;
    }
    assert_int_equal(n, n_random_draws(130));
    g_rand_free(rand);
}

/* ---- configurations without symmetry ------------------------------------- */

static const Setup mixed = {
    .topology = CONNECTED(4),
    .collectives = "{algorithm: halving-doubling}",
    .workload =
        "{kind: dlrm, name: r, batch: 24, "
        "embedding: {tables: 6, dimension: 32, lookups: 4}, "
        "bottom: [{name: b1, in: 64, out: 32}], "
        "top: [{name: t1, in: 224, out: 64}, {name: t2, in: 64, out: 1}]}",
};

static void
test_rotation_and_xor_on_pairwise_links_cannot_be_reduced(void **state)
{
    (void)state;
    assert_setup_refused(
        &mixed, FOLD_REQUIRE, SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
        "cannot fold: on pairwise links, collectives by rotation "
        "and by XOR of ranks load different links");
}

static void test_auto_simulates_all_npus_without_symmetry(void **state)
{
    SystemResult r = simulate_setup(&mixed);

    (void)state;
    assert_int_equal(r.n_npus, 4);
    assert_int_equal(r.n_simulated, 4);
}

static void test_auto_uses_symmetry_reduction_if_possible(void **state)
{
    Setup s = mixed;

    (void)state;
    assert_int_equal(simulate_setup(&(Setup){ 0 }).n_simulated, 1);
    s.topology = SWITCH(4);
    assert_int_equal(simulate_setup(&s).n_simulated, 1);
    s.topology = CONNECTED(4);
    s.collectives = "{algorithm: ring}";
    assert_int_equal(simulate_setup(&s).n_simulated, 1);
    /* The number 5 is not a power of two, so no algorithm uses XOR. */
    s.topology = CONNECTED(5);
    s.collectives = NULL;
    assert_int_equal(simulate_setup(&s).n_simulated, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetry_reduction_equals_a_full_run),
        cmocka_unit_test(
            test_symmetry_reduction_of_random_tori_equals_a_full_run),
        cmocka_unit_test(
            test_rotation_and_xor_on_pairwise_links_cannot_be_reduced),
        cmocka_unit_test(test_auto_simulates_all_npus_without_symmetry),
        cmocka_unit_test(test_auto_uses_symmetry_reduction_if_possible),
    };

    return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
