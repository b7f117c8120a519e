/* test_compression.c - tests of workloads/exchange/compressions/: bytes against
 * hand calculations, and the position of kernels */
#include "tests/workloads/loops_fixture.h"

#include "workloads/exchange/exchange.h"

static const char two[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: two\n"
    "  batch: 1\n"
    "  layers:\n"
    "    - { kind: linear, name: a, in: 30, out: 50 }\n"
    "    - { kind: counted, name: b, tensors: [900, 100],\n"
    "        forward_flop: 9 }\n";

static void test_fp16_halves_the_bytes_with_a_kernel_each_way(void **state)
{
    static const char training[] =
        "gradient: fp32, optimiser: sgd, "
        "exchange: {kind: layer, compression: {kind: fp16}}";
    g_autoptr(OpGraph) graph = build_valid_graph(two, training);
    const OpWork *unpack = op_graph_op(graph, 0)->work;
    const OpWork *pack = op_graph_op(graph, 7)->work;

    (void)state;
    assert_graph_text(two, training,
                      "0 a update < 12@1\n"
                      "1 a update\n"
                      "2 a forward\n"
                      "3 b update < 8@1\n"
                      "4 b update\n"
                      "5 b forward\n"
                      "6 b weight-gradient\n"
                      "7 b update\n"
                      "8 b all-reduce 2000 B p1 < 7\n"
                      "9 b input-gradient\n"
                      "10 a weight-gradient\n"
                      "11 a update\n"
                      "12 a all-reduce 3000 B p2 < 11\n");
    /* The kernel unpacks 1500 values of layer a. Each is read with 2 bytes and
     * written with 4. */
    assert_int_equal(unpack->bytes, 1500 * 6);
    assert_int_equal(unpack->written_bytes, 1500 * 4);
    /* The kernel packs 1000 values of layer b in two tensors. Each is read with
     * 4 bytes and written with 2. */
    assert_int_equal(pack->bytes, 1000 * 6);
    assert_int_equal(pack->written_bytes, 1000 * 2);
    assert_int_equal(pack->n_kernels, 2);
    assert_true(pack->is_elementwise);
}

static void test_top_k_gathers_the_values_of_all_npus(void **state)
{
    static const char training[] =
        "gradient: fp32, exchange: {kind: tensor, "
        "compression: {kind: top-k, density: 0.0015, "
        "select: 1 GB/s}}";
    g_autoptr(OpGraph) graph = build_valid_graph(two, training);
    const OpWork *select = op_graph_op(graph, 5)->work;
    const OpWork *scatter = op_graph_op(graph, 0)->work;

    (void)state;
    /* The tensors have 100, 900 and 1500 values, of which 1, 2 and 3 are kept,
     * each with 8 bytes.  Payloads are for two NPUs, the default if the number
     * of NPUs is unknown. */
    assert_graph_text(two, training,
                      "0 a update < 11@1\n"
                      "1 a forward\n"
                      "2 b update < 9@1 < 10@1\n"
                      "3 b forward\n"
                      "4 b weight-gradient\n"
                      "5 b update\n"
                      "6 b input-gradient\n"
                      "7 a weight-gradient\n"
                      "8 a update\n"
                      "9 b all-gather 16 B p1 < 5 lane 0\n"
                      "10 b all-gather 32 B p1 < 5 lane 0\n"
                      "11 a all-gather 48 B p2 < 8 lane 0\n");
    /* The selection reads 4000 B at 1 GB/s. */
    assert_int_equal(select->measured_ps, 4000000);
    assert_int_equal(select->bytes, 4000);
    /* The kernel clears 6000 B and adds 2 x 3 values, each read with its
     * index. */
    assert_int_equal(scatter->bytes, 6000 + 6 * (4 + 4) + 6 * (4 + 4));
    assert_int_equal(scatter->written_bytes, 6000 + 6 * 4);
}

static void test_gathered_bytes_grow_with_the_number_of_npus(void **state)
{
    static const char training[] =
        "gradient: fp32, exchange: {kind: single, "
        "compression: {kind: top-k, density: 0.001}}";
    const WorkloadSite site = { .n_npus = 64 };
    g_autoptr(OpGraph) graph = build_graph_on_site(two, training, &site, NULL);
    const Op *op = op_graph_op(graph, graph->ops->len - 1);

    (void)state;
    assert_int_equal(op->kind, COLL_ALL_GATHER);
    /* The share is 2.5 of 2500 values, rounded up to 3. */
    assert_int_equal(op->payload_bytes, 64 * 3 * 8);
}

static void test_gtop_k_reduces_the_values_of_one_npu(void **state)
{
    static const char training[] =
        "gradient: fp32, overlap: false, "
        "exchange: {kind: layer, compression: {kind: gtop-k}}";
    g_autoptr(OpGraph) graph = build_valid_graph(two, training);
    const Op *op = op_graph_op(graph, graph->ops->len - 1);

    (void)state;
    /* A share of 0.001 of 2500 values is rounded up to 3. */
    assert_int_equal(op->kind, COLL_ALL_REDUCE);
    assert_int_equal(op->payload_bytes, 3 * 8);
}

static void test_fp16_of_16_bits_is_an_error(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(build_operation_graph(
        two, "exchange: {kind: layer, compression: {kind: fp16}}", &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:9:74: kind: gradients have 16 bits without "
                        "'fp16': see 'training.gradient'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp16_halves_the_bytes_with_a_kernel_each_way),
        cmocka_unit_test(test_top_k_gathers_the_values_of_all_npus),
        cmocka_unit_test(test_gathered_bytes_grow_with_the_number_of_npus),
        cmocka_unit_test(test_gtop_k_reduces_the_values_of_one_npu),
        cmocka_unit_test(test_fp16_of_16_bits_is_an_error),
    };

    return cmocka_run_group_tests_name("compression", tests, NULL, NULL);
}
