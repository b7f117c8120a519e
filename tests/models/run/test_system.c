/* Tests of models/run/system.h and of the training loop through whole runs */
#include "tests/models/run/training_fixture.h"

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
    };

    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
