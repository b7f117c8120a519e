/*
 * test_steady.c - skipping periods changes no figure
 *
 * A run that simulates what repeats only once gives, bit for bit, the figures
 * of the full run.  Systems are drawn at random; ACESIM_DRAWS=n draws n times
 * as many, and ACESIM_SEED=n draws others. */
#include "tests/models/run/steady/steady_setups.h"

#include "models/run/stack_costs.h"

#define N_SYSTEMS 90

/* ---- comparison of skipped and simulated periods ------------------------- */

/* Compares the rows of every kind: runs, layers, links, jobs. */
static void assert_equal_figures(const Setup *s, const System *a,
                                 const System *b)
{
    SystemResult r = system_result(a), q = system_result(b);
    const OpGraph *graph = system_graph(a);
    g_autofree CollectiveTimes *times = system_collective_times(a);
    g_autofree CollectiveTimes *others = system_collective_times(b);

    r.n_events = q.n_events = 0;
    if (memcmp(&r, &q, sizeof r) != 0)
        fail_msg("%s: results differ: %" G_GUINT64_FORMAT
                 " and %" G_GUINT64_FORMAT " ps",
                 setup_text(s), r.total_ps, q.total_ps);
    assert_equal_ports(s, a, b);
    for (uint32_t l = 0; l < graph->layers->len; l++)
        for (OpPass pass = 0; pass < OP_N_PASSES; pass++)
            if (system_layer_compute_ps(a, l, pass) !=
                    system_layer_compute_ps(b, l, pass) ||
                system_layer_wait_ps(a, l, pass) !=
                    system_layer_wait_ps(b, l, pass))
                fail_msg("%s: layer %u differs", setup_text(s), l);
    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (times[op].took_ps != others[op].took_ps ||
            times[op].waited_ps != others[op].waited_ps)
            fail_msg("%s: collective %u differs", setup_text(s), op);
}

/* Returns the number of chunks that were skipped. */
static uint64_t compare_skipped_with_simulated(const Setup *s, FoldMode fold)
{
    Run full, skipping, checked;
    uint64_t n;

    if (!run_with_skip_mode(s, fold, SKIP_OFF, &full))
        return 0;
    assert_true(run_with_skip_mode(s, fold, SKIP_AUTO, &skipping));
    assert_true(run_with_skip_mode(s, fold, SKIP_CHECK, &checked));
    assert_int_equal(system_n_skipped(full.system), 0);
    assert_int_equal(system_n_skipped(checked.system), 0);
    assert_int_equal(system_n_skip_checked(full.system), 0);
    assert_int_equal(system_n_skip_checked(skipping.system), 0);
    assert_equal_figures(s, full.system, skipping.system);
    assert_equal_figures(s, full.system, checked.system);
    n = system_n_skipped(skipping.system);
    if ((n > 0) != (system_n_skip_checked(checked.system) > 0))
        fail_msg("%s: %" G_GUINT64_FORMAT " chunks skipped, %" G_GUINT64_FORMAT
                 " compared",
                 setup_text(s), n, system_n_skip_checked(checked.system));
    run_clear(&full);
    run_clear(&skipping);
    run_clear(&checked);
    return n;
}

/* Draws @n systems, of which each @full_every-th is simulated without symmetry
 * reduction.  More than a third must skip something. */
static void compare_random_setups(guint32 seed,
                                  void (*draw_one)(GRand *, Setup *), guint n,
                                  guint full_every)
{
    GRand *rand = g_rand_new_with_seed(random_seed(seed));
    guint n_skipping = 0;

    for (guint i = 0; i < n; i++) {
        Setup s;

        draw_one(rand, &s);
        n_skipping += compare_skipped_with_simulated(
                          &s, i % full_every == 0 ? FOLD_OFF : FOLD_AUTO) > 0
                          ? 1
                          : 0;
    }
    g_rand_free(rand);
    if (g_getenv("ACESIM_DRAWS"))
        print_message("%u of %u skip\n", n_skipping, n);
    assert_true(n_skipping > n / 3);
}

static void test_skipped_periods_change_no_figure(void **state)
{
    (void)state;
    compare_random_setups(17, draw_steady_setup, n_random_draws(N_SYSTEMS), 3);
}

/* The engine feeds two dimensions of four links each.  At the end of the period
 * that is skipped, the head of a message waits for its second link, and its
 * tail is still to come. */
static const Setup tail_to_come = {
    .topology = "{kind: torus, dims: [{size: 3, links: 4, bandwidth: 16 GB/s, "
                "latency: 128 ns}, {size: 3, links: 4, bandwidth: 48 GB/s, "
                "latency: 64 ns}]}",
    .npu = "{sms: 80, clock: 1245 MHz, flops: 10 TFLOPS, "
           "hbm: {bandwidth: 250 GB/s, policy: shared}}",
    .endpoint = "{kind: copy-engine, engines: 1, engine_bandwidth: 90 GB/s, "
                "copy_launch: 0 ns, sms: 6, memory_bandwidth: 450 GB/s}",
    .workload = "{kind: collective, name: c, collective: all-to-all, "
                "payload: 2031616 B, repeat: 2}",
    .training = "{iterations: 3}",
    .collectives = "{chunk: 8192 B, packet: 256 B, message: 1024 B, "
                   "window: 32, scheduler: fifo, preempt: false, "
                   "order: fixed}",
};

static void test_tails_that_are_to_come_are_moved(void **state)
{
    (void)state;
    assert_true(compare_skipped_with_simulated(&tail_to_come, FOLD_AUTO) > 0);
    assert_true(compare_skipped_with_simulated(&tail_to_come, FOLD_OFF) > 0);
}

#define N_OF_TOPOLOGY 8

/* Messages of several senders may share a link here, as in a tree. */
static void test_skipped_periods_change_no_figure_on_any_topology(void **state)
{
    (void)state;
    for (guint t = 0; topology_registry.kinds[t]; t++) {
        const char *kind = topology_registry.kinds[t]->name;
        GRand *rand = g_rand_new_with_seed(random_seed(18 + t));
        guint n_skipping = 0, n = n_random_draws(N_OF_TOPOLOGY);

        for (guint i = 0; i < n; i++) {
            Setup s;

            draw_steady_setup_on(rand, kind, &s);
            n_skipping += compare_skipped_with_simulated(
                              &s, i % 3 == 0 ? FOLD_OFF : FOLD_AUTO) > 0
                              ? 1
                              : 0;
        }
        g_rand_free(rand);
        if (g_getenv("ACESIM_DRAWS"))
            print_message("%s: %u of %u skip\n", kind, n_skipping, n);
    }
}

/* ---- skipping of whole iterations ---------------------------------------- */

#define N_ITERATED 24

/* Many sizes of small chunks leave the bytes in the two directions of a ring
 * uneven. */
static const char *draw_workload_of_iterations(GRand *rand)
{
    g_autoptr(GString) layers = g_string_new(NULL);
    guint n = (guint)g_rand_int_range(rand, 2, 9);

    if (g_rand_int_range(rand, 0, 3) == 0)
        return format_text("{kind: collective, name: c, collective: %s, "
                           "payload: %d B, repeat: %d}",
                           PICK(rand, collectives),
                           g_rand_int_range(rand, 1000, 200000),
                           g_rand_int_range(rand, 1, 5));
    for (guint i = 0; i < n; i++)
        g_string_append_printf(
            layers,
            "%s{kind: counted, name: gap%u}, {kind: linear, name: l%u, in: %d, "
            "out: %d}",
            i > 0 ? ", " : "", i, i, g_rand_int_range(rand, 8, 200),
            g_rand_int_range(rand, 8, 400));
    return format_text(
        "{kind: data-parallel, name: d, batch: %d, layers: [%s]}",
        g_rand_int_range(rand, 1, 64), layers->str);
}

static void draw_setup_of_iterations(GRand *rand, Setup *ret)
{
    *ret = (Setup){
        .topology = format_text(
            "{kind: torus, dims: [{size: %d, links: 2, bandwidth: %d "
            "GB/s, latency: 90 ns}, {size: 3, links: 2, direction: %s, "
            "bandwidth: 16 GB/s, latency: 300 ns}]}",
            g_rand_int_range(rand, 2, 5), g_rand_int_range(rand, 1, 5) * 16,
            g_rand_int_range(rand, 0, 4) > 0 ? "both" : "one"),
        .npu = PICK(rand, npus),
        .endpoint = PICK(rand, endpoint_texts),
        .workload = draw_workload_of_iterations(rand),
        .training = g_rand_boolean(rand) ? "{iterations: 6}"
                                         : "{iterations: 6, overlap: false}",
        .collectives = format_text(
            "{chunk: %d B, packet: 256 B, message: 1024 B, window: %d, "
            "scheduler: %s, order: %s}",
            g_rand_int_range(rand, 2000, 9000),
            1 << g_rand_int_range(rand, 0, 6), PICK(rand, schedulers),
            g_rand_boolean(rand) ? "fixed" : "rotated"),
    };
}

static void test_skipped_iterations_change_no_figure(void **state)
{
    (void)state;
    compare_random_setups(23, draw_setup_of_iterations,
                          n_random_draws(N_ITERATED), 2);
}

/* The links are so slow that kernels of the next iteration wait for collectives
 * of the last one.  Those end before the next iteration has any. */
static const Setup overlapping = {
    .topology = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: 16 GB/s, "
                "latency: 90 ns}, {size: 3, links: 2, bandwidth: 16 GB/s, "
                "latency: 300 ns}]}",
    .npu = "{sms: 80, clock: 1245 MHz, flops: 20 TFLOPS, "
           "hbm: {bandwidth: 900 GB/s}}",
    .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    .workload =
        "{kind: data-parallel, name: d, batch: 64, layers: ["
        "{kind: linear, name: a, in: 128, out: 256}, {kind: counted, name: gap3}, "
        "{kind: linear, name: b, in: 256, out: 512}, {kind: counted, name: gap4}, "
        "{kind: linear, name: c, in: 512, out: 256}]}",
    .training = "{iterations: 2}",
    .collectives = "{chunk: 8192 B, packet: 256 B, message: 1024 B, "
                   "window: 16, scheduler: lifo, order: fixed}",
};

static uint64_t count_chunks_of_an_iteration(const System *system)
{
    const OpGraph *graph = system_graph(system);
    uint64_t n = 0;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COLLECTIVE)
            n += (op->payload_bytes - 1) / 8192 + 1;
    }
    return n;
}

static void
test_iterations_that_begin_during_collectives_are_skipped(void **state)
{
    Run run;

    (void)state;
    assert_true(run_with_skip_mode(&overlapping, FOLD_AUTO, SKIP_AUTO, &run));
    /* The first update waits for its gradient. */
    assert_true(system_layer_wait_ps(run.system, 0, OP_UPDATE) > 0);
    assert_int_equal(system_n_skipped(run.system),
                     count_chunks_of_an_iteration(run.system));
    run_clear(&run);
    assert_true(run_with_skip_mode(&overlapping, FOLD_AUTO, SKIP_CHECK, &run));
    assert_int_equal(system_n_skipped(run.system), 0);
    assert_int_equal(system_n_skip_checked(run.system),
                     count_chunks_of_an_iteration(run.system));
    run_clear(&run);
    compare_skipped_with_simulated(&overlapping, FOLD_AUTO);
    compare_skipped_with_simulated(&overlapping, FOLD_OFF);
}

/* In some iterations chunks take other ring directions than in the one before,
 * with no moment at which nothing is in flight.  Iterations that repeat are
 * skipped, and the others are simulated. */
static const Setup uneven[] = {
    {
        .topology =
            "{kind: torus, dims: [{size: 4, links: 2, bandwidth: 32 GB/s, "
            "latency: 90 ns}, {size: 3, links: 2, bandwidth: 16 GB/s, "
            "latency: 300 ns}]}",
        .npu = "{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, fabric_bus: 20 GB/s, "
               "hbm: {bandwidth: 250 GB/s}}",
        .endpoint = "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, "
                    "alu_width: 4 B}",
        .workload =
            "{kind: data-parallel, name: d, batch: 37, layers: ["
            "{kind: linear, name: a, in: 182, out: 182}, {kind: counted, name: gap5}, "
            "{kind: linear, name: b, in: 51, out: 166}, {kind: counted, name: gap6}, "
            "{kind: linear, name: c, in: 75, out: 375}, {kind: counted, name: gap7}, "
            "{kind: linear, name: d, in: 109, out: 238}, {kind: counted, name: gap8}, "
            "{kind: linear, name: e, in: 45, out: 184}, {kind: counted, name: gap9}, "
            "{kind: linear, name: f, in: 150, out: 349}]}",
        .training = "{iterations: 6}",
        .collectives = "{chunk: 8280 B, packet: 256 B, message: 1024 B, "
                       "window: 8, scheduler: lifo, preempt: false, "
                       "order: rotated}",
    },
    {
        .topology =
            "{kind: torus, dims: [{size: 2, links: 2, bandwidth: 16 GB/s, "
            "latency: 90 ns}, {size: 3, links: 2, bandwidth: 16 GB/s, "
            "latency: 300 ns}]}",
        .npu = "{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, fabric_bus: 20 GB/s, "
               "hbm: {bandwidth: 250 GB/s}}",
        .endpoint = "{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
                    "only_while_communicating: true}",
        .workload =
            "{kind: data-parallel, name: d, batch: 25, layers: ["
            "{kind: linear, name: a, in: 92, out: 161}, {kind: counted, name: gap10}, "
            "{kind: linear, name: b, in: 25, out: 361}, {kind: counted, name: gap11}, "
            "{kind: linear, name: c, in: 23, out: 351}, {kind: counted, name: gap12}, "
            "{kind: linear, name: d, in: 135, out: 160}]}",
        .training = "{iterations: 6}",
        .collectives = "{chunk: 5836 B, packet: 256 B, message: 1024 B, "
                       "window: 8, scheduler: priority}",
    },
};

static void
test_iterations_that_repeat_are_skipped_and_others_simulated(void **state)
{
    (void)state;
    /* The first system skips one iteration of six, the second two and later
     * one. */
    assert_int_equal(compare_skipped_with_simulated(&uneven[0], FOLD_AUTO), 41);
    assert_true(compare_skipped_with_simulated(&uneven[1], FOLD_AUTO) > 0);
    for (guint i = 0; i < G_N_ELEMENTS(uneven); i++)
        compare_skipped_with_simulated(&uneven[i], FOLD_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_iterations_that_begin_during_collectives_are_skipped),
        cmocka_unit_test(test_skipped_iterations_change_no_figure),
        cmocka_unit_test(
            test_iterations_that_repeat_are_skipped_and_others_simulated),
        cmocka_unit_test(test_tails_that_are_to_come_are_moved),
        cmocka_unit_test(test_skipped_periods_change_no_figure),
        cmocka_unit_test(test_skipped_periods_change_no_figure_on_any_topology),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
