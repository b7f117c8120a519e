/* Tests of models/run/system.c and of the training loop through whole runs */
#include "tests/system_fixture.h"

#define SMALL_DP                                                               \
    "{kind: data-parallel, name: small, batch: 32, layers: ["                  \
    "{kind: linear, name: a, in: 512, out: 512}, "                             \
    "{kind: linear, name: b, in: 512, out: 1024}, "                            \
    "{kind: linear, name: c, in: 1024, out: 256}]}"
#define SMALL_DLRM                                                             \
    "{kind: dlrm, name: small, batch: 64, "                                    \
    "embedding: {tables: 8, dimension: 64, lookups: 4}, "                      \
    "bottom: [{name: b1, in: 256, out: 256}, {name: b2, in: 256, out: 64}], "  \
    "top: [{name: t1, in: 576, out: 256}, {name: t2, in: 256, out: 1}]}"
#define ACE      "{kind: ace}"
#define IDEAL    "{kind: ideal}"
#define COMM_OPT "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}"
#define COMP_OPT "{kind: baseline, sms: 2, memory_bandwidth: 128 GB/s}"
#define ALL_THEN_ALL                                                           \
    "{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "                   \
    "only_while_communicating: true}"

static const char *const endpoints[] = { IDEAL, ACE, COMM_OPT, COMP_OPT,
                                         ALL_THEN_ALL };
static const char *const workloads[] = { SMALL_DP, SMALL_DLRM };

static uint64_t gradient_bytes(const SystemResult *r, const Run *run)
{
    uint64_t bytes = 0;
    const OpGraph *graph = system_graph(run->system);

    assert_true(r->n_iterations > 0);
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COLLECTIVE &&
            op_graph_op(graph, i)->kind == COLL_ALL_REDUCE)
            bytes += op_graph_op(graph, i)->payload_bytes;
    return bytes;
}

static SystemResult run_on_ace_platform(const char *endpoint,
                                        const char *workload,
                                        const char *training,
                                        const char *collectives)
{
    Setup s = { .topology = torus_ace(4, 2, 2),
                .endpoint = endpoint,
                .workload = workload,
                .training = training,
                .collectives = collectives };

    return result_of(&s);
}

/* ---- the comparison of the issue -------------------------------------- */

static SimTime isca21_point(ConfigDoc *doc, const char *endpoint,
                            gboolean overlap)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".",
                         "configs", "endpoints", endpoint, NULL);
    GError *error = NULL;
    SystemConfig config;
    System *system;
    SystemResult r;

    assert_true(config_doc_set(doc, "endpoint", "--set", path, &error));
    assert_true(config_doc_set(doc, "training.overlap", "--set",
                               overlap ? "true" : "false", &error));
    assert_true(config_doc_read(doc, system_fields, &config, &error) || error);
    assert_no_error(error);
    system = system_new(&config, FOLD_REQUIRE, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error) || error);
    assert_no_error(error);
    r = system_result(system);
    assert_int_equal(r.iteration_ps, r.compute_ps + r.exposed_ps);
    assert_int_equal(r.compute_ps >= r.roofline_ps, TRUE);
    system_free(system);
    return r.iteration_ps;
}

static void compare_isca21(const char *workload, const char *size)
{
    const char *source = g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".";
    g_autofree char *path =
        g_build_filename(source, "configs", "runs", "isca21.yaml", NULL);
    g_autofree char *what =
        g_strdup_printf("%s/configs/workloads/%s.yaml", source, workload);
    g_autofree char *where =
        g_strdup_printf("%s/configs/platforms/ace-%s.yaml", source, size);
    GError *error = NULL;
    ConfigDoc *doc = config_doc_load(path, &error);
    SimTime ideal_ps, ace_ps;

    assert_no_error(error);
    assert_true(config_doc_set(doc, "workload", "--set", what, &error));
    assert_true(config_doc_set(doc, "platform", "--set", where, &error));
    ideal_ps = isca21_point(doc, "ideal.yaml", TRUE);
    ace_ps = isca21_point(doc, "ace.yaml", TRUE);
    assert_true(ideal_ps <= ace_ps);
    assert_true(ace_ps <= isca21_point(doc, "no-overlap.yaml", FALSE));
    assert_true(ace_ps <= isca21_point(doc, "comm-opt.yaml", TRUE));
    assert_true(ace_ps <= isca21_point(doc, "comp-opt.yaml", TRUE));
    config_doc_free(doc);
}

static void test_ideal_beats_ace_and_ace_every_baseline(void **state)
{
    const char *names[] = { "resnet50", "gnmt", "dlrm" };
    const char *sizes[] = { "4x2x2", "4x4x2", "4x4x4", "4x8x4" };

    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(names); w++)
        for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
            compare_isca21(names[w], sizes[s]);
}

/* ---- the time of an iteration ----------------------------------------- */

static void test_an_iteration_is_compute_and_exposed_time(void **state)
{
    const int numbers[] = { 1, 2, 5 };

    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
                SystemResult r = run_on_ace_platform(
                    endpoints[e], workloads[w],
                    text_of("{iterations: %d}", numbers[i]), NULL);

                assert_int_equal(r.n_iterations, numbers[i]);
                assert_int_equal(r.iteration_ps, r.compute_ps + r.exposed_ps);
                assert_int_equal(r.iteration_ps,
                                 (r.total_ps + r.n_iterations - 1) /
                                     r.n_iterations);
                assert_true(r.comm_ps <= r.iteration_ps);
                assert_true(r.net_bytes_per_s <= r.net_cap_bytes_per_s);
            }
}

static void test_each_iteration_sends_and_computes_the_same(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult one = run_on_ace_platform(endpoints[e], workloads[w],
                                                   "{iterations: 1}", NULL);
            SystemResult five = run_on_ace_platform(endpoints[e], workloads[w],
                                                    "{iterations: 5}", NULL);

            assert_int_equal(one.sent_bytes, five.sent_bytes);
            assert_int_equal(one.hbm_compute_bytes, five.hbm_compute_bytes);
            assert_int_equal(one.hbm_comm_read_bytes, five.hbm_comm_read_bytes);
            assert_int_equal(one.hbm_comm_write_bytes,
                             five.hbm_comm_write_bytes);
            assert_int_equal(one.roofline_ps, five.roofline_ps);
            assert_true(five.total_ps > one.total_ps);
            assert_true(five.total_ps <= 5 * one.total_ps);
        }
}

static void test_all_gradients_are_sent_overlapped_or_not(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++) {
        const char *training[] = { "{overlap: true}", "{overlap: false}" };
        uint64_t bytes[2];

        for (int i = 0; i < 2; i++) {
            Setup s = { .topology = torus_ace(4, 2, 2),
                        .endpoint = ACE,
                        .workload = workloads[w],
                        .training = training[i] };
            Run run;
            SystemResult r = run_setup(&run, &s, FOLD_AUTO);

            bytes[i] = gradient_bytes(&r, &run);
            run_clear(&run);
        }
        assert_true(bytes[0] > 0);
        assert_int_equal(bytes[0], bytes[1]);
    }
}

/* Compute never stands beside communication then, but for an all-to-all. */
static void test_without_overlap_the_parts_add_up(void **state)
{
    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        SystemResult apart = run_on_ace_platform(
            endpoints[e], SMALL_DP, "{iterations: 2, overlap: false}", NULL);
        SystemResult beside = run_on_ace_platform(
            endpoints[e], SMALL_DP, "{iterations: 2, overlap: true}", NULL);

        assert_near(apart.iteration_ps, apart.compute_ps + apart.comm_ps, 1);
        assert_int_equal(apart.exposed_ps, apart.comm_ps);
        assert_int_equal(apart.compute_ps, apart.roofline_ps);
        if (e < 4) /* all SMs or none: then overlap has nothing to give */
            assert_true(beside.iteration_ps <= apart.iteration_ps);
    }
}

static void test_a_run_that_does_not_drain_ends_with_its_compute(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult drained =
                run_on_ace_platform(endpoints[e], workloads[w],
                                    "{iterations: 2, drain: true}", NULL);
            SystemResult cut =
                run_on_ace_platform(endpoints[e], workloads[w],
                                    "{iterations: 2, drain: false}", NULL);

            assert_true(cut.total_ps <= drained.total_ps);
            if (w == 0)
                assert_true(cut.total_ps < drained.total_ps);
            assert_true(cut.total_ps >= 2 * cut.compute_ps);
            assert_int_equal(cut.sent_bytes, drained.sent_bytes);
        }
}

static void test_one_iteration_undrained_has_nothing_to_wait_for(void **state)
{
    SystemResult r = run_on_ace_platform(IDEAL, SMALL_DP,
                                         "{iterations: 1, drain: false}", NULL);

    (void)state;
    assert_int_equal(r.exposed_ps, 0);
    assert_int_equal(r.total_ps, r.roofline_ps);
}

static void test_layers_times_add_up_to_the_run(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            Setup s = { .topology = torus_ace(4, 2, 2),
                        .endpoint = endpoints[e],
                        .workload = workloads[w],
                        .training = "{iterations: 2, drain: false}" };
            Run run;
            SystemResult r = run_setup(&run, &s, FOLD_AUTO);
            SimTime sum_ps = 0;

            for (guint l = 0; l < system_graph(run.system)->layers->len; l++)
                for (OpPass p = 0; p < OP_N_PASSES; p++)
                    sum_ps += system_layer_compute_ps(run.system, l, p) +
                              system_layer_wait_ps(run.system, l, p);
            assert_int_equal(sum_ps, r.total_ps);
            run_clear(&run);
        }
}

/* ---- schedulers ------------------------------------------------------- */

static const char *const orders[] = { "lifo", "fifo", "priority" };

static void test_every_scheduler_sends_everything(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult first = run_on_ace_platform(endpoints[e], workloads[w],
                                                     "{iterations: 2}", NULL);

            for (int i = 0; i < 12; i++) {
                SystemResult r = run_on_ace_platform(
                    endpoints[e], workloads[w], "{iterations: 2}",
                    text_of("{scheduler: %s, preempt: %s, window: %d}",
                            orders[i % 3], i / 3 % 2 ? "true" : "false",
                            i / 6 ? 64 : 1));

                assert_int_equal(r.sent_bytes, first.sent_bytes);
                assert_int_equal(r.hbm_comm_write_bytes,
                                 first.hbm_comm_write_bytes);
                assert_int_equal(r.iteration_ps, r.compute_ps + r.exposed_ps);
            }
        }
}

/* The last layer's gradient is out first, and fifo serves it first; the
 * first layer's, which the next iteration needs first, comes out last. */
static void test_lifo_and_fifo_are_not_the_same(void **state)
{
    const char *layers = "{kind: data-parallel, name: two, batch: 1, layers: ["
                         "{kind: linear, name: first, in: 64, out: 2048}, "
                         "{kind: linear, name: last, in: 2048, out: 4096}]}";
    SystemResult lifo = run_on_ace_platform(IDEAL, layers, "{iterations: 3}",
                                            "{scheduler: lifo, window: 4}");
    SystemResult fifo = run_on_ace_platform(IDEAL, layers, "{iterations: 3}",
                                            "{scheduler: fifo, window: 4}");

    (void)state;
    assert_true(lifo.iteration_ps != fifo.iteration_ps);
    assert_int_equal(lifo.sent_bytes, fifo.sent_bytes);
}

/* Tables that wait for a small all-to-all, issued while a large all-reduce
 * is under way: how long the update of the last iteration stands still. */
static SimTime wait_for_all_to_all(const char *collectives)
{
    Setup s = {
        .workload =
            "{kind: dlrm, name: wide, batch: 8, "
            "embedding: {tables: 4, dimension: 64, lookups: 4}, "
            "bottom: [{name: b1, in: 64, out: 64}], "
            "top: [{name: t1, in: 320, out: 8192}, {name: t2, in: 8192, "
            "out: 1}]}",
        .collectives = collectives,
    };
    Run run;
    SimTime wait_ps;

    run_setup(&run, &s, FOLD_AUTO);
    assert_string_equal(g_ptr_array_index(system_graph(run.system)->layers, 0),
                        "embedding");
    wait_ps = system_layer_wait_ps(run.system, 0, OP_UPDATE);
    run_clear(&run);
    return wait_ps;
}

/* The all-reduce takes 157 us, a chunk of it about 7, the all-to-all 1. */
static void test_what_is_urgent_passes_what_has_begun(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
        assert_true(wait_for_all_to_all(text_of("{scheduler: %s, window: 1}",
                                                orders[i])) < SIM_US(10));
        assert_true(wait_for_all_to_all(
                        text_of("{scheduler: %s, window: 1, preempt: false}",
                                orders[i])) > SIM_US(100));
    }
}

/* ---- what cannot end -------------------------------------------------- */

/* No file that passes the checks is known to stall: so the side stream gets
 * one SM more behind their back. */
static void assert_stalls(const Setup *setup, const char *const *phrases)
{
    GError *error = NULL;
    Run run;

    run_read(&run, setup);
    run.system = system_new(&run.config, FOLD_AUTO, &error);
    assert_no_error(error);
    run.config.platform.npu.side_sms++;
    assert_false(system_run(run.system, &error));
    assert_non_null(error);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED));
    for (; *phrases; phrases++)
        if (!strstr(error->message, *phrases))
            fail_msg("'%s' lacks '%s'", error->message, *phrases);
    g_clear_error(&error);
    run_clear(&run);
}

static void assert_no_system(const Setup *setup, const char *message)
{
    GError *error = NULL;
    Run run;

    run_read(&run, setup);
    run.system = system_new(&run.config, FOLD_AUTO, &error);
    assert_null(run.system);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    g_clear_error(&error);
    run_clear(&run);
}

static void
test_an_endpoint_that_leaves_compute_nothing_is_an_error(void **state)
{
    const Setup sms = {
        .endpoint = "{kind: baseline, sms: 80, memory_bandwidth: 450 GB/s}",
        .workload = SMALL_DP,
    };
    const Setup bandwidth = {
        .endpoint = "{kind: ace, memory_bandwidth: 900 GB/s}",
        .workload = SMALL_DLRM,
    };

    (void)state;
    assert_no_system(&sms, "run.yaml:3:11: the endpoint leaves compute "
                           "nothing: it takes 80 of 80 SMs and 450 of 900 "
                           "GB/s of HBM for good");
    assert_no_system(&bandwidth, "run.yaml:3:11: the endpoint leaves compute "
                                 "nothing: it takes 0 of 80 SMs and 900 of "
                                 "900 GB/s of HBM for good");
}

/* The side stream works, the main one waits for its own kernel's SMs. */
static void test_a_stall_names_what_waits_for_what(void **state)
{
    const Setup s = {
        .npu = "{sms: 8, clock: 1 GHz, flops: 100 TFLOPS, side_sms: 1, "
               "hbm: {bandwidth: 900 GB/s}}",
        .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
        .workload = SMALL_DLRM,
        .training = "{optimised: true, iterations: 3}",
    };
    const char *const phrases[] = { "the run stalled at ",
                                    "kernel of b1 (update) has no SMs",
                                    " waits for all-to-all of ", NULL };

    (void)state;
    assert_stalls(&s, phrases);
}

/* ---- more is not slower ----------------------------------------------- */

/* A list schedule has anomalies: bounded here by 2 %. */
static void test_faster_links_are_not_slower(void **state)
{
    GRand *rand = g_rand_new_with_seed(33);

    (void)state;
    for (int i = 0; i < 60; i++) {
        int size = g_rand_int_range(rand, 2, 6);
        int other = g_rand_int_range(rand, 1, 4);
        gsize e = (gsize)g_rand_int_range(rand, 0, G_N_ELEMENTS(endpoints));
        gsize w = (gsize)g_rand_int_range(rand, 0, 2);
        int order = g_rand_int_range(rand, 0, 3);
        SimTime before_ps = SIM_TIME_MAX;

        for (int gb_per_s = 5; gb_per_s <= 160; gb_per_s *= 2) {
            Setup s = {
                .topology = text_of(
                    "{kind: torus, dims: ["
                    "{size: %d, links: 2, bandwidth: %d GB/s, latency: 70 ns}, "
                    "{size: %d, links: 2, bandwidth: %d GB/s, latency: 400 ns}]}",
                    size, gb_per_s, other, gb_per_s),
                .endpoint = endpoints[e],
                .workload = workloads[w],
                .training = "{iterations: 2}",
                .collectives = text_of("{scheduler: %s}", orders[order]),
            };
            SystemResult r = result_of(&s);

            if (before_ps != SIM_TIME_MAX &&
                r.total_ps > before_ps + before_ps / 50)
                fail_msg("%s: %" G_GUINT64_FORMAT
                         " ps after %" G_GUINT64_FORMAT,
                         setup_text(&s), r.total_ps, before_ps);
            before_ps = r.total_ps;
        }
    }
    g_rand_free(rand);
}

static void test_the_same_run_twice_is_the_same(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult a = run_on_ace_platform(endpoints[e], workloads[w],
                                                 "{iterations: 2}", NULL);
            SystemResult b = run_on_ace_platform(endpoints[e], workloads[w],
                                                 "{iterations: 2}", NULL);

            assert_memory_equal(&a, &b, sizeof(a));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_beats_ace_and_ace_every_baseline),
        cmocka_unit_test(test_an_iteration_is_compute_and_exposed_time),
        cmocka_unit_test(test_each_iteration_sends_and_computes_the_same),
        cmocka_unit_test(test_all_gradients_are_sent_overlapped_or_not),
        cmocka_unit_test(test_without_overlap_the_parts_add_up),
        cmocka_unit_test(test_a_run_that_does_not_drain_ends_with_its_compute),
        cmocka_unit_test(test_one_iteration_undrained_has_nothing_to_wait_for),
        cmocka_unit_test(test_layers_times_add_up_to_the_run),
        cmocka_unit_test(test_every_scheduler_sends_everything),
        cmocka_unit_test(test_lifo_and_fifo_are_not_the_same),
        cmocka_unit_test(test_what_is_urgent_passes_what_has_begun),
        cmocka_unit_test(
            test_an_endpoint_that_leaves_compute_nothing_is_an_error),
        cmocka_unit_test(test_a_stall_names_what_waits_for_what),
        cmocka_unit_test(test_faster_links_are_not_slower),
        cmocka_unit_test(test_the_same_run_twice_is_the_same),
    };

    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
