/*
 * test_steady.c - skipping periods changes no figure
 *
 * A run that simulates what repeats only once gives, bit for bit, the figures
 * of the full run.  Systems are drawn at random; ACESIM_DRAWS=n draws n times
 * as
 * many. */
#include "tests/system_fixture.h"

#include "models/run/stack_costs.h"
#include "models/run/steady/skip.h"

#define N_SYSTEMS 90

/* ---- random systems with repeated periods -------------------------------- */

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ideal, message_cycles: 300, step_time: 200 ns}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s, launch_time: 3 us}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
     "only_while_communicating: true}"),
    "{kind: ace, sram: 256 KiB}",
    "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, alu_width: 4 B}",
    "{kind: ace, sram: 1 MiB, only_while_communicating: true}",
    ("{kind: copy-engine, engines: 3, copy_launch: 200 ns, sms: 2, "
     "memory_bandwidth: 60 GB/s}"),
    ("{kind: copy-engine, engines: 1, engine_bandwidth: 90 GB/s, copy_launch: "
     "0 ns, sms: 6, memory_bandwidth: 450 GB/s, only_while_communicating: "
     "false}"),
    "{kind: host, staging_bandwidth: 40 GB/s, reduce_bandwidth: 60 GB/s}",
    ("{kind: host, staging_bandwidth: 60 GB/s, staging_launch: 1 us, "
     "buffer_bandwidth: 90 GB/s, reduce_bandwidth: 40 GB/s, scale_bandwidth: "
     "50 GB/s, copies_back: 2, message_cycles: 300}"),
};

static const char *const npus[] = {
    "{sms: 80, clock: 1245 MHz, flops: 20 TFLOPS, hbm: {bandwidth: 900 GB/s}}",
    "{sms: 80, clock: 1 GHz, flops: 20 TFLOPS, fabric_bus: 20 GB/s, "
    "hbm: {bandwidth: 250 GB/s}}",
    "{sms: 80, clock: 1245 MHz, flops: 10 TFLOPS, "
    "hbm: {bandwidth: 250 GB/s, policy: shared}}",
};

static const char *const collectives[] = { "all-reduce", "reduce-scatter",
                                           "all-gather", "all-to-all" };

static const char *const schedulers[] = { "lifo", "fifo", "priority",
                                          "lifo, preempt: false",
                                          "fifo, preempt: false" };

static const char *const trainings[] = {
    "{iterations: 1}",
    "{iterations: 2}",
    "{iterations: 2, overlap: false}",
    "{iterations: 3, optimised: true, drain: false}",
};

#define PICK(rand, from)                                                       \
    ((from)[g_rand_int_range((rand), 0, (gint32)G_N_ELEMENTS(from))])

static const char *draw_topology_text(GRand *rand)
{
    g_autoptr(GString) text = NULL;
    int n_dims = g_rand_int_range(rand, 1, 4);

    if (g_rand_int_range(rand, 0, 4) == 0)
        return format_text(
            "{kind: %s, npus: %d, links: %d, bandwidth: 25 GB/s, "
            "latency: %d ns}",
            g_rand_boolean(rand) ? "switch" : "fully-connected",
            g_rand_int_range(rand, 2, 6), g_rand_int_range(rand, 1, 3),
            g_rand_int_range(rand, 0, 600));
    text = g_string_new("{kind: torus, dims: [");
    for (int d = 0; d < n_dims; d++) {
        gboolean both = g_rand_boolean(rand);

        g_string_append_printf(
            text,
            "%s{size: %d, direction: %s, links: %d, bandwidth: %d GB/s, "
            "latency: %d ns}",
            d > 0 ? ", " : "", g_rand_int_range(rand, 1, n_dims < 2 ? 6 : 4),
            both ? "both" : "one", g_rand_int_range(rand, 1, 3) * (1 + both),
            g_rand_int_range(rand, 1, 5) * 16,
            g_rand_int_range(rand, 0, 3) * 64);
    }
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static const char *draw_workload_text(GRand *rand, int chunk_bytes)
{
    int n = g_rand_int_range(rand, 100, 500);
    int more_bytes = g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 1, 1000);

    if (g_rand_int_range(rand, 0, 3) > 0)
        return format_text("{kind: collective, name: c, collective: %s, "
                           "payload: %d B, repeat: %d}",
                           PICK(rand, collectives),
                           n * chunk_bytes + more_bytes,
                           g_rand_int_range(rand, 1, 3));
    return format_text(
        "{kind: data-parallel, name: d, batch: %d, layers: ["
        "{kind: linear, name: a, in: 512, out: %d}, {kind: counted, name: gap1}, "
        "{kind: linear, name: b, in: 600, out: 1000}, {kind: counted, name: gap2}, "
        "{kind: linear, name: c, in: %d, out: 256}]}",
        g_rand_int_range(rand, 1, 64), 64 * g_rand_int_range(rand, 1, 24), n);
}

static void draw_steady_setup(GRand *rand, Setup *ret)
{
    int chunk_bytes =
        g_rand_boolean(rand) ? 8192 : g_rand_int_range(rand, 1000, 6000);

    *ret = (Setup){
        .topology = draw_topology_text(rand),
        .npu = PICK(rand, npus),
        .endpoint = PICK(rand, endpoints),
        .workload = draw_workload_text(rand, chunk_bytes),
        .training = PICK(rand, trainings),
        .collectives = format_text(
            "{chunk: %d B, packet: %d B, message: %d B, window: %d, "
            "scheduler: %s, order: %s}",
            chunk_bytes, 128 << g_rand_int_range(rand, 0, 3),
            g_rand_boolean(rand) ? 8192 : 1024,
            1 << g_rand_int_range(rand, 0, 6), PICK(rand, schedulers),
            g_rand_boolean(rand) ? "fixed" : "rotated"),
    };
}

/* ---- comparison of skipped and simulated periods ------------------------- */

/* Returns FALSE if the drawn system is refused. */
static gboolean run_with_skip_mode(const Setup *s, FoldMode fold, SkipMode skip,
                                   Run *run)
{
    GError *error = NULL;

    read_run_setup(run, s);
    run->system = system_new(&run->config, fold, &error);
    if (run->system) {
        system_set_skipping(run->system, skip);
        if (!system_run(run->system, &error))
            fail_msg("%s: %s", setup_text(s), error->message);
        return TRUE;
    }
    assert_true(g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT));
    g_clear_error(&error);
    run_clear(run);
    return FALSE;
}

/* Compares the rows of every kind: runs, layers, links, jobs. */
static void assert_equal_figures(const Setup *s, const System *a,
                                 const System *b)
{
    SystemResult r = system_result(a), q = system_result(b);
    const OpGraph *graph = system_graph(a);

    r.n_events = q.n_events = 0;
    if (memcmp(&r, &q, sizeof r) != 0)
        fail_msg("%s: results differ: %" G_GUINT64_FORMAT
                 " and %" G_GUINT64_FORMAT " ps",
                 setup_text(s), r.total_ps, q.total_ps);
    for (uint32_t p = 0; p < topology_n_ports(system_topology(a)); p++) {
        NetPortStats at = system_port_stats(a, p), bt = system_port_stats(b, p);

        if (memcmp(&at, &bt, sizeof at) != 0)
            fail_msg("%s: port %u differs", setup_text(s), p);
    }
    for (uint32_t l = 0; l < graph->layers->len; l++)
        for (OpPass pass = 0; pass < OP_N_PASSES; pass++)
            if (system_layer_compute_ps(a, l, pass) !=
                    system_layer_compute_ps(b, l, pass) ||
                system_layer_wait_ps(a, l, pass) !=
                    system_layer_wait_ps(b, l, pass))
                fail_msg("%s: layer %u differs", setup_text(s), l);
    for (uint32_t op = 0; op < graph->ops->len; op++)
        if (system_collective_ps(a, op) != system_collective_ps(b, op))
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
    GRand *rand = g_rand_new_with_seed(seed);
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
        .endpoint = PICK(rand, endpoints),
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
        cmocka_unit_test(test_skipped_periods_change_no_figure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
