/* test_exchange.c - the messages and dependencies that exchanges add */
#include "tests/workloads/loops_fixture.h"

/* Three layers with weights, one of which has three tensors, and one layer
 * without weights. */
static const char four[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: four\n"
    "  batch: 2\n"
    "  layers:\n"
    "    - { kind: linear, name: a, in: 3, out: 5 }\n"
    "    - { kind: interaction, name: b, form: concatenation, vectors: 1,\n"
    "        dimension: 5 }\n"
    "    - { kind: counted, name: c, tensors: [20, 3, 2], forward_flop: 9 }\n"
    "    - { kind: linear, name: d, in: 5, out: 5 }\n";

static const char recommend[] =
    "workload:\n"
    "  kind: dlrm\n"
    "  name: recommend\n"
    "  batch: 2\n"
    "  embedding: { tables: 3, dimension: 4, lookups: 5 }\n"
    "  bottom:\n"
    "    - { name: bottom, in: 6, out: 4 }\n"
    "  top:\n"
    "    - { name: top, in: 16, out: 1 }\n";

static void test_exchange_by_layer_is_the_default(void **state)
{
    static const char expected[] = "0 a forward < 12@1\n"
                                   "1 b forward\n"
                                   "2 c forward < 8@1\n"
                                   "3 d forward < 5@1\n"
                                   "4 d weight-gradient\n"
                                   "5 d all-reduce 50 B p1 < 4\n"
                                   "6 d input-gradient\n"
                                   "7 c weight-gradient\n"
                                   "8 c all-reduce 50 B p2 < 7\n"
                                   "9 c input-gradient\n"
                                   "10 b input-gradient\n"
                                   "11 a weight-gradient\n"
                                   "12 a all-reduce 30 B p4 < 11\n";

    (void)state;
    assert_graph_text(four, "", expected);
    assert_graph_text(four, "exchange: {kind: layer}, synchronise: layer",
                      expected);
}

static void test_exchange_by_step_delays_the_first_operation(void **state)
{
    (void)state;
    assert_graph_text(four, "synchronise: step",
                      "0 a forward < 5@1 < 8@1 < 12@1\n"
                      "1 b forward\n"
                      "2 c forward\n"
                      "3 d forward\n"
                      "4 d weight-gradient\n"
                      "5 d all-reduce 50 B p1 < 4\n"
                      "6 d input-gradient\n"
                      "7 c weight-gradient\n"
                      "8 c all-reduce 50 B p2 < 7\n"
                      "9 c input-gradient\n"
                      "10 b input-gradient\n"
                      "11 a weight-gradient\n"
                      "12 a all-reduce 30 B p4 < 11\n");
}

/* The kernels of `four`; the arguments are the dependencies on the exchange. */
#define KERNELS(a, c, d)                                                       \
    "0 a forward" a "\n"                                                       \
    "1 b forward\n"                                                            \
    "2 c forward" c "\n"                                                       \
    "3 d forward" d "\n"                                                       \
    "4 d weight-gradient\n"                                                    \
    "5 d input-gradient\n"                                                     \
    "6 c weight-gradient\n"                                                    \
    "7 c input-gradient\n"                                                     \
    "8 b input-gradient\n"                                                     \
    "9 a weight-gradient\n"

static void
test_exchange_by_tensor_sends_the_last_of_a_layer_first(void **state)
{
    static const char messages[] = "10 d all-reduce 50 B p1 < 4 lane 0\n"
                                   "11 c all-reduce 4 B p2 < 6 lane 0\n"
                                   "12 c all-reduce 6 B p2 < 6 lane 0\n"
                                   "13 c all-reduce 40 B p2 < 6 lane 0\n"
                                   "14 a all-reduce 30 B p4 < 9 lane 0\n";
    g_autofree char *by_layer = g_strconcat(
        KERNELS(" < 14@1", " < 11@1 < 12@1 < 13@1", " < 10@1"), messages, NULL);
    g_autofree char *by_step = g_strconcat(
        KERNELS(" < 10@1 < 11@1 < 12@1 < 13@1 < 14@1", "", ""), messages, NULL);
    g_autoptr(OpGraph) graph =
        build_valid_graph(four, "exchange: {kind: tensor}");
    const OpLane *lane = op_graph_lane(graph, 0);

    (void)state;
    assert_graph_text(four, "exchange: {kind: tensor}", by_layer);
    assert_graph_text(four, "exchange: {kind: tensor}, synchronise: step",
                      by_step);
    assert_int_equal(graph->lanes->len, 1);
    assert_int_equal(lane->at_a_time, 1);
    assert_int_equal(lane->order, LANE_AS_READY);
    assert_int_equal(lane->credit_bytes + lane->fusion_bytes + lane->cycle_ps,
                     0);
}

static void test_single_exchange_equals_no_overlap(void **state)
{
    static const char *const ways[] = {
        "exchange: {kind: single}",
        "overlap: false",
        "overlap: false, exchange: {kind: single}",
        "exchange: {kind: single}, synchronise: step",
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(ways); i++)
        assert_graph_text(
            four, ways[i],
            KERNELS(" < 10@1", "",
                    "") "10 all-gradients all-reduce 130 B p0 < 9\n");
}

static void test_merged_groups_wait_for_their_last_tensor(void **state)
{
    static const char messages[] = "10 c..d all-reduce 54 B p2 < 6 lane 0\n"
                                   "11 a..c all-reduce 76 B p4 < 9 lane 0\n";
    g_autofree char *by_layer =
        g_strconcat(KERNELS(" < 11@1", " < 10@1", ""), messages, NULL);
    g_autofree char *by_step =
        g_strconcat(KERNELS(" < 10@1 < 11@1", "", ""), messages, NULL);

    (void)state;
    assert_graph_text(four, "exchange: {kind: merged, groups: [2, 3]}",
                      by_layer);
    assert_graph_text(four, "exchange: {kind: groups, groups: [2, 3]}",
                      by_layer);
    assert_graph_text(four, "exchange: {kind: groups, n: 2}", by_layer);
    assert_graph_text(
        four, "exchange: {kind: merged, groups: [2, 3]}, synchronise: step",
        by_step);
    /* A group of one layer keeps that layer. */
    assert_graph_text(
        four, "exchange: {kind: merged, groups: [1, 3, 1]}",
        KERNELS(" < 12@1", " < 11@1",
                " < 10@1") "10 d all-reduce 50 B p1 < 4 lane 0\n"
                           "11 c all-reduce 50 B p2 < 6 lane 0\n"
                           "12 a all-reduce 30 B p4 < 9 lane 0\n");
}

static void
test_exchange_groups_have_the_given_number_and_equal_sizes(void **state)
{
    (void)state;
    /* The groups have 1, 2 and 2 tensors. */
    assert_graph_text(
        four, "exchange: {kind: groups, n: 3}",
        KERNELS(" < 12@1", " < 11@1",
                " < 10@1") "10 d all-reduce 50 B p1 < 4 lane 0\n"
                           "11 c all-reduce 10 B p2 < 6 lane 0\n"
                           "12 a..c all-reduce 70 B p4 < 9 lane 0\n");
}

static void test_gradient_partitions_are_sent_by_priority(void **state)
{
    static const char way[] =
        "exchange: {kind: partition, bytes: 21 B, credit: 40 B}";
    g_autoptr(OpGraph) graph = build_valid_graph(four, way);
    const OpLane *lane = op_graph_lane(graph, 0);

    (void)state;
    assert_graph_text(
        four, way,
        KERNELS(" < 17@1 < 18@1", " < 13@1 < 14@1 < 15@1 < 16@1",
                " < 10@1 < 11@1 < 12@1") "10 d all-reduce 20 B p1 < 4 lane 0\n"
                                         "11 d all-reduce 20 B p1 < 4 lane 0\n"
                                         "12 d all-reduce 10 B p1 < 4 lane 0\n"
                                         "13 c all-reduce 4 B p2 < 6 lane 0\n"
                                         "14 c all-reduce 6 B p2 < 6 lane 0\n"
                                         "15 c all-reduce 20 B p2 < 6 lane 0\n"
                                         "16 c all-reduce 20 B p2 < 6 lane 0\n"
                                         "17 a all-reduce 20 B p4 < 9 lane 0\n"
                                         "18 a all-reduce 10 B p4 < 9 lane "
                                         "0\n");
    assert_int_equal(lane->order, LANE_BY_PRIORITY);
    assert_int_equal(lane->credit_bytes, 40);
    assert_int_equal(lane->at_a_time, 0);
}

static void test_fused_tensors_have_a_lane_with_buffers(void **state)
{
    g_autoptr(OpGraph) graph = build_valid_graph(
        four, "exchange: {kind: fusion, buffer: 64 B, cycle: 1 ms, "
              "negotiation: 3 us, copy: 2 GB/s}");
    const OpLane *lane = op_graph_lane(graph, 0);
    const Op *first, *last;

    (void)state;
    assert_int_equal(lane->order, LANE_AS_READY);
    assert_int_equal(lane->at_a_time, 1);
    assert_int_equal(lane->fusion_bytes, 64);
    assert_int_equal(lane->cycle_ps, 1000000000);
    assert_int_equal(lane->negotiate_ps, 3000000);
    assert_int_equal(lane->copy_bytes_per_s, 2000000000);
    assert_int_equal(op_graph_op(graph, 10)->payload_bytes, 50);
    assert_int_equal(op_graph_op(graph, 14)->payload_bytes, 30);
    assert_int_equal(op_graph_op(graph, 14)->lane, 0);
    assert_int_equal(op_graph_op(graph, 2)->n_deps, 3);
    assert_int_equal(lane->first_buffer, 15);
    assert_true(lane->n_buffers > 0);
    first = op_graph_op(graph, lane->first_buffer);
    last = op_graph_op(graph, lane->first_buffer + lane->n_buffers - 1);
    /* The message contains at least the two smallest tensors of layer c. */
    assert_int_equal(first->payload_bytes, 8);
    assert_int_equal(last->payload_bytes, 64);
}

static void test_a_single_tensor_needs_no_fusion_buffer(void **state)
{
    g_autoptr(OpGraph) graph =
        build_valid_graph("workload:\n"
                          "  kind: data-parallel\n"
                          "  name: one\n"
                          "  batch: 1\n"
                          "  layers:\n"
                          "    - { kind: linear, name: a, in: 3, out: 5 }\n",
                          "exchange: {kind: fusion}");

    (void)state;
    assert_int_equal(op_graph_lane(graph, 0)->n_buffers, 0);
}

static void test_dlrm_waits_for_all_before_its_lookup(void **state)
{
    (void)state;
    assert_graph_text(recommend, "exchange: {kind: tensor}, synchronise: step",
                      "0 embedding forward < 9@1 < 10@1\n"
                      "1 embedding all-to-all 48 B p4294967295 < 0\n"
                      "2 bottom forward\n"
                      "3 top forward < 1\n"
                      "4 top weight-gradient\n"
                      "5 top input-gradient\n"
                      "6 embedding all-to-all 48 B p4294967295 < 5\n"
                      "7 bottom weight-gradient\n"
                      "8 embedding update < 6\n"
                      "9 top all-reduce 32 B p1 < 4 lane 0\n"
                      "10 bottom all-reduce 48 B p3 < 7 lane 0\n");
}

static void
test_optimised_dlrm_waits_for_all_before_its_first_layer(void **state)
{
    (void)state;
    assert_graph_text(recommend, "optimised: true, synchronise: step",
                      "0 embedding update beside < 8@1\n"
                      "1 embedding forward beside\n"
                      "2 embedding all-to-all 48 B p4294967295 < 1\n"
                      "3 bottom forward < 6@1 < 10@1\n"
                      "4 top forward < 2@1\n"
                      "5 top weight-gradient\n"
                      "6 top all-reduce 32 B p1 < 5\n"
                      "7 top input-gradient\n"
                      "8 embedding all-to-all 48 B p4294967295 < 7\n"
                      "9 bottom weight-gradient\n"
                      "10 bottom all-reduce 48 B p3 < 9\n");
    assert_graph_text(recommend,
                      "optimised: true, exchange: {kind: merged, groups: [2]}",
                      "0 embedding update beside < 7@1\n"
                      "1 embedding forward beside\n"
                      "2 embedding all-to-all 48 B p4294967295 < 1\n"
                      "3 bottom forward < 9@1\n"
                      "4 top forward < 2@1\n"
                      "5 top weight-gradient\n"
                      "6 top input-gradient\n"
                      "7 embedding all-to-all 48 B p4294967295 < 6\n"
                      "8 bottom weight-gradient\n"
                      "9 bottom..top all-reduce 80 B p3 < 8 lane 0\n");
}

static void
test_all_gradients_come_before_the_optimisers_first_step(void **state)
{
    (void)state;
    assert_graph_text("workload:\n"
                      "  kind: data-parallel\n"
                      "  name: two\n"
                      "  batch: 1\n"
                      "  layers:\n"
                      "    - { kind: linear, name: a, in: 3, out: 5 }\n"
                      "    - { kind: linear, name: b, in: 5, out: 5 }\n",
                      "optimiser: sgd, synchronise: step",
                      "0 a update < 5@1 < 8@1\n"
                      "1 a forward\n"
                      "2 b update\n"
                      "3 b forward\n"
                      "4 b weight-gradient\n"
                      "5 b all-reduce 50 B p1 < 4\n"
                      "6 b input-gradient\n"
                      "7 a weight-gradient\n"
                      "8 a all-reduce 30 B p2 < 7\n");
}

static void test_invalid_exchanges_are_errors(void **state)
{
    static const char none[] =
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: none\n"
        "  batch: 1\n"
        "  layers:\n"
        "    - { kind: interaction, name: b, form: concatenation, vectors: 1,\n"
        "        dimension: 5 }\n";
    static const char alone[] =
        "workload: { kind: collective, name: x, payload: 1 KiB,\n"
        "            collective: all-gather }\n";
    static const struct {
        const char *workload, *training, *message;
    } cases[] = {
        { alone, "exchange: {kind: tensor}",
          "t.yaml:3:47: kind: a workload of kind 'collective' has no gradients "
          "to exchange; leave 'training.exchange' out" },
        { alone, "exchange: {kind: layer, compression: {kind: top-k}}",
          "t.yaml:3:47: kind: a workload of kind 'collective' has no gradients "
          "to exchange; leave 'training.exchange' out" },
        { alone, "synchronise: step",
          "t.yaml:1:19: kind: 'collective' has no gradients that an iteration "
          "could wait for; leave 'training.synchronise' out" },
        { none, "exchange: {kind: single}",
          "t.yaml:8:47: kind: 'single' has nothing to do, as no layer of the "
          "workload has weights; leave it out" },
        { four, "overlap: false, exchange: {kind: tensor}",
          "t.yaml:11:63: kind: 'tensor' runs in parallel with "
          "back-propagation, but 'training.overlap' is false; leave one of "
          "them out" },
        { four, "exchange: {kind: merged, groups: [2, 2]}",
          "t.yaml:11:63: groups: they have 4 tensors together, but the workload "
          "has 5" },
        { four, "exchange: {kind: groups, groups: [2, 4]}",
          "t.yaml:11:63: groups: they have 6 tensors together, but the workload "
          "has 5" },
        { four, "exchange: {kind: groups, n: 6}",
          "t.yaml:11:58: n: of 6 groups some are empty: the workload has 5 "
          "tensors" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;

        assert_null(build_operation_graph(cases[i].workload, cases[i].training,
                                          &error));
        assert_config_error(error, CONFIG_ERROR_CONFLICT, cases[i].message);
    }
}

static void test_too_many_gradient_partitions_are_an_error(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(build_operation_graph(
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: one\n"
        "  batch: 1\n"
        "  layers:\n"
        "    - { kind: linear, name: a, in: 1000, out: 1000 }\n",
        "exchange: {kind: partition, bytes: 8 B}", &error));
    assert_config_error(error, CONFIG_ERROR_RANGE,
                        "t.yaml:7:65: bytes: partitions of 8 B are more than "
                        "200000, the most that a graph may have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_by_layer_is_the_default),
        cmocka_unit_test(test_exchange_by_step_delays_the_first_operation),
        cmocka_unit_test(
            test_exchange_by_tensor_sends_the_last_of_a_layer_first),
        cmocka_unit_test(test_single_exchange_equals_no_overlap),
        cmocka_unit_test(test_merged_groups_wait_for_their_last_tensor),
        cmocka_unit_test(
            test_exchange_groups_have_the_given_number_and_equal_sizes),
        cmocka_unit_test(test_gradient_partitions_are_sent_by_priority),
        cmocka_unit_test(test_fused_tensors_have_a_lane_with_buffers),
        cmocka_unit_test(test_a_single_tensor_needs_no_fusion_buffer),
        cmocka_unit_test(test_dlrm_waits_for_all_before_its_lookup),
        cmocka_unit_test(
            test_optimised_dlrm_waits_for_all_before_its_first_layer),
        cmocka_unit_test(
            test_all_gradients_come_before_the_optimisers_first_step),
        cmocka_unit_test(test_invalid_exchanges_are_errors),
        cmocka_unit_test(test_too_many_gradient_partitions_are_an_error),
    };

    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
