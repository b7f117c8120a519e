/* test_loops.c - tests of workloads/loop.c and loops/: dependencies between
 * operations */
#include "tests/workloads/loops_fixture.h"

/* The workload has two layers with weights, and a layer without weights between
 * them. */
static const char three[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: three\n"
    "  batch: 2\n"
    "  calibrated: { forward: 5 us }\n"
    "  layers:\n"
    "    - { kind: linear, name: a, in: 3, out: 5, forward_time: 7 ns }\n"
    "    - { kind: interaction, name: b, form: concatenation, vectors: 1,\n"
    "        dimension: 5 }\n"
    "    - { kind: linear, name: c, in: 5, out: 5, repeat: 2 }\n";

static void test_data_parallel_layer_waits_for_its_own_all_reduce(void **state)
{
    (void)state;
    assert_graph_text(three, "",
                      "0 a forward < 12@1\n"
                      "1 b forward\n"
                      "2 c.1 forward < 8@1\n"
                      "3 c.2 forward < 5@1\n"
                      "4 c.2 weight-gradient\n"
                      "5 c.2 all-reduce 50 B p1 < 4\n"
                      "6 c.2 input-gradient\n"
                      "7 c.1 weight-gradient\n"
                      "8 c.1 all-reduce 50 B p2 < 7\n"
                      "9 c.1 input-gradient\n"
                      "10 b input-gradient\n"
                      "11 a weight-gradient\n"
                      "12 a all-reduce 30 B p4 < 11\n");
}

static void
test_without_overlap_one_all_reduce_follows_back_propagation(void **state)
{
    (void)state;
    assert_graph_text(three, "overlap: false",
                      "0 a forward < 10@1\n"
                      "1 b forward\n"
                      "2 c.1 forward\n"
                      "3 c.2 forward\n"
                      "4 c.2 weight-gradient\n"
                      "5 c.2 input-gradient\n"
                      "6 c.1 weight-gradient\n"
                      "7 c.1 input-gradient\n"
                      "8 b input-gradient\n"
                      "9 a weight-gradient\n"
                      "10 all-gradients all-reduce 130 B p0 < 9\n");
}

static void test_gradients_are_reduced_in_their_own_precision(void **state)
{
    (void)state;
    assert_graph_text(three, "overlap: false, gradient: fp32",
                      "0 a forward < 10@1\n"
                      "1 b forward\n"
                      "2 c.1 forward\n"
                      "3 c.2 forward\n"
                      "4 c.2 weight-gradient\n"
                      "5 c.2 input-gradient\n"
                      "6 c.1 weight-gradient\n"
                      "7 c.1 input-gradient\n"
                      "8 b input-gradient\n"
                      "9 a weight-gradient\n"
                      "10 all-gradients all-reduce 260 B p0 < 9\n");
}

static void test_backward_can_start_with_the_input_gradient(void **state)
{
    (void)state;
    assert_graph_text(
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: one\n"
        "  batch: 1\n"
        "  backward: input-first\n"
        "  first_input_gradient: true\n"
        "  layers:\n"
        "    - { kind: lstm, name: a, in: 1, hidden: 1, steps: 1 }\n",
        "",
        "0 a forward < 8@1\n"
        "1 a forward\n"
        "2 a forward\n"
        "3 a input-gradient\n"
        "4 a input-gradient\n"
        "5 a input-gradient\n"
        "6 a weight-gradient\n"
        "7 a weight-gradient\n"
        "8 a all-reduce 16 B p1 < 7\n");
}

static void test_elementwise_kernels_can_be_left_out_of_the_graph(void **state)
{
    static const char conv[] =
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: one\n"
        "  batch: 1\n"
        "  layers:\n"
        "    - { kind: conv, name: a, in: 1, out: 1, size: 4 }\n";

    (void)state;
    assert_graph_text(conv, "",
                      "0 a forward < 4@1\n"
                      "1 a forward\n"
                      "2 a input-gradient\n"
                      "3 a weight-gradient\n"
                      "4 a all-reduce 2 B p1 < 3\n");
    assert_graph_text(conv, "elementwise: false",
                      "0 a forward < 2@1\n"
                      "1 a weight-gradient\n"
                      "2 a all-reduce 2 B p1 < 1\n");
}

static void test_measured_times_are_used_only_if_configured(void **state)
{
    g_autoptr(OpGraph) shapes = build_valid_graph(three, "compute: roofline");
    g_autoptr(OpGraph) times = build_valid_graph(three, "compute: measured");

    (void)state;
    assert_int_equal(op_graph_op(shapes, 0)->work->measured_ps, 0);
    assert_int_equal(shapes->calibrated_ps[OP_FORWARD], 0);
    assert_int_equal(op_graph_op(times, 0)->work->measured_ps, 7000);
    assert_int_equal(op_graph_op(times, 0)->work->flop, 2 * 2 * 3 * 5);
    assert_int_equal(op_graph_op(times, 2)->work->measured_ps, 0);
    assert_int_equal(times->calibrated_ps[OP_FORWARD], 5000000);
    assert_int_equal(times->calibrated_ps[OP_INPUT_GRADIENT], 0);
}

/* 2 samples at 2.5 samples/s take 800 ms, and each pass gets a third of it. */
static void test_the_rate_of_one_npu_is_divided_among_the_passes(void **state)
{
    static const char rated[] =
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: rated\n"
        "  batch: 2\n"
        "  samples_per_s: 2.5\n"
        "  layers:\n"
        "    - { kind: linear, name: a, in: 3, out: 5 }\n";
    g_autoptr(OpGraph) shapes = build_operation_graph(rated, "", NULL);
    g_autoptr(OpGraph) rate =
        build_operation_graph(rated, "compute: measured", NULL);

    (void)state;
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++) {
        assert_int_equal(shapes->calibrated_ps[pass], 0);
        assert_int_equal(rate->calibrated_ps[pass], UINT64_C(266666666666));
    }
}

static void test_a_rate_in_addition_to_totals_is_an_error(void **state)
{
    GError *error = NULL;
    OpGraph *graph = build_operation_graph(
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: both\n"
        "  batch: 2\n"
        "  samples_per_s: 2.5\n"
        "  calibrated: { forward: 5 us }\n"
        "  layers:\n"
        "    - { kind: linear, name: a, in: 3, out: 5 }\n",
        "compute: measured", &error);

    (void)state;
    assert_null(graph);
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:5:18: samples_per_s: totals of the passes are "
                        "`calibrated` already");
}

static void test_measured_time_includes_its_elementwise_kernels(void **state)
{
    (void)state;
    assert_graph_text("workload:\n"
                      "  kind: data-parallel\n"
                      "  name: one\n"
                      "  batch: 1\n"
                      "  layers:\n"
                      "    - { kind: conv, name: a, in: 1, out: 1, size: 4,\n"
                      "        forward_time: 1 ns }\n",
                      "compute: measured",
                      "0 a forward < 3@1\n"
                      "1 a input-gradient\n"
                      "2 a weight-gradient\n"
                      "3 a all-reduce 2 B p1 < 2\n");
}

static void test_a_layer_with_times_only_is_bound_by_flop(void **state)
{
    static const char timed[] =
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: one\n"
        "  batch: 1\n"
        "  layers:\n"
        "    - { kind: measured, name: a, forward_time: 1 ns,\n"
        "        input_gradient_time: 1 ns, weight_gradient_time: 1 ns }\n";
    g_autoptr(OpGraph) graph = build_valid_graph(timed, "compute: measured");
    GError *error = NULL;

    (void)state;
    assert_int_equal(op_graph_op(graph, 0)->work->measured_ps, 1000);
    assert_int_equal(op_graph_op(graph, 0)->work->flop, 60000);
    assert_int_equal(op_graph_op(graph, 0)->work->bytes, 0);
    assert_null(build_operation_graph(timed, "", &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:6:7: layer 'a' has a measured time but no "
                        "shape: give 'flop' or 'bytes', or set "
                        "'training.compute' to measured");
}

static void test_a_workload_may_consist_of_collectives_only(void **state)
{
    (void)state;
    assert_graph_text("workload: { kind: collective, name: x, payload: 1 KiB,\n"
                      "            collective: all-gather }\n",
                      "", "0 all-gather all-gather 1024 B p1\n");
    assert_graph_text("workload: { kind: collective, name: x, payload: 1 KiB,\n"
                      "            collective: all-to-all, repeat: 2 }\n",
                      "",
                      "0 all-to-all.1 all-to-all 1024 B p2\n"
                      "1 all-to-all.2 all-to-all 1024 B p1\n");
}

static void test_dlrm_layers_of_inconsistent_sizes_are_errors(void **state)
{
    static const struct {
        const char *bottom, *top, *message;
    } cases[] = {
        { "{ name: a, in: 6, out: 5 }", "{ name: t, in: 16, out: 1 }",
          "t.yaml:7:30: out: 5, but the tables' dimension is 4" },
        { "{ name: a, in: 6, out: 4 }", "{ name: t, in: 4, out: 1 }",
          "t.yaml:9:22: in: 4, but what stands before it gives 16 values" },
        { "{ name: a, in: 6, out: 4 }", "{ name: a, in: 16, out: 1 }",
          "t.yaml:9:15: name: there are two layers 'a'" },
        { "{ name: a, in: 6, out: 4, repeat: 2 }",
          "{ name: t, in: 16, out: 1 }",
          "t.yaml:7:41: repeat: the layer takes 6 values and gives 4, so it "
          "cannot follow itself" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(
            "workload:\n"
            "  kind: dlrm\n"
            "  name: x\n"
            "  batch: 2\n"
            "  embedding: { tables: 3, dimension: 4, lookups: 5 }\n"
            "  bottom:\n"
            "    - %s\n"
            "  top:\n"
            "    - %s\n",
            cases[i].bottom, cases[i].top);
        GError *error = NULL;

        assert_null(build_operation_graph(text, "", &error));
        assert_config_error(error, CONFIG_ERROR_CONFLICT, cases[i].message);
    }
}

static void test_all_workload_errors_are_reported(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(build_operation_graph(
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: x\n"
        "  batch: 0\n"
        "  layers:\n"
        "    - { kind: con, name: a }\n"
        "    - { kind: linear, name: b, in: 3, otu: 4 }\n",
        "optimiser: none, overlp: true", &error));
    assert_config_error(
        error, CONFIG_ERROR_RANGE,
        "t.yaml:4:10: batch: 0 is outside [1, 1000000000]\n"
        "t.yaml:6:15: kind: unknown layer 'con'; did you mean 'conv'?\n"
        "t.yaml:7:39: unknown key 'otu'; did you mean 'out'?\n"
        "t.yaml:8:30: unknown key 'overlp'; did you mean 'overlap'?");
}

static void test_too_many_layers_are_an_error(void **state)
{
    GString *text = g_string_new("workload:\n"
                                 "  kind: data-parallel\n"
                                 "  name: x\n"
                                 "  batch: 1\n"
                                 "  layers:\n");
    GError *error = NULL;

    (void)state;
    for (int i = 0; i < 11; i++)
        g_string_append_printf(text,
                               "    - { kind: linear, name: l%d, in: 1, "
                               "out: 1, repeat: 10000 }\n",
                               i);
    assert_null(build_operation_graph(text->str, "", &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:16:7: more than 100000 layers, with their "
                        "repeats");
    g_string_free(text, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_parallel_layer_waits_for_its_own_all_reduce),
        cmocka_unit_test(
            test_without_overlap_one_all_reduce_follows_back_propagation),
        cmocka_unit_test(test_gradients_are_reduced_in_their_own_precision),
        cmocka_unit_test(test_backward_can_start_with_the_input_gradient),
        cmocka_unit_test(test_elementwise_kernels_can_be_left_out_of_the_graph),
        cmocka_unit_test(test_measured_times_are_used_only_if_configured),
        cmocka_unit_test(test_the_rate_of_one_npu_is_divided_among_the_passes),
        cmocka_unit_test(test_a_rate_in_addition_to_totals_is_an_error),
        cmocka_unit_test(test_measured_time_includes_its_elementwise_kernels),
        cmocka_unit_test(test_a_layer_with_times_only_is_bound_by_flop),
        cmocka_unit_test(test_a_workload_may_consist_of_collectives_only),
        cmocka_unit_test(test_dlrm_layers_of_inconsistent_sizes_are_errors),
        cmocka_unit_test(test_all_workload_errors_are_reported),
        cmocka_unit_test(test_too_many_layers_are_an_error),
    };

    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
