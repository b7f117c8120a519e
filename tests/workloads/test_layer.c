/* test_layer.c - tests of workloads/layer.c and layers/: costs against hand
 * calculations */
#include "tests/workloads/layer_fixture.h"

static void test_linear_is_one_product_per_pass(void **state)
{
    LayerCost c = cost("kind: linear, name: a, in: 2048, out: 2048", 512);

    (void)state;
    assert_int_equal(c.n_weights, 4194304);
    /* Each pass moves 2 x (512 x 2048 + 512 x 2048 + 2048 x 2048) bytes. */
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++)
        assert_pass_work(&c, pass, UINT64_C(4294967296), 12582912);
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 0);
}

static void test_linear_counts_positions_bias_and_softmax(void **state)
{
    LayerCost c = cost("kind: linear, name: a, in: 3, out: 5, positions: 7, "
                       "bias: true, softmax: true",
                       2);

    (void)state;
    assert_int_equal(c.n_weights, 3 * 5 + 5);
    assert_pass_work(&c, OP_FORWARD, 2 * 14 * 15, 2 * (14 * 3 + 14 * 5 + 20));
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 2 * 14 * 5);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 2 * 2 * 14 * 5);
    assert_int_equal(c.elementwise_bytes[OP_WEIGHT_GRADIENT], 0);
}

static void test_lstm_reads_recurrent_weights_in_each_step(void **state)
{
    LayerCost c = cost("kind: lstm, name: a, in: 3, hidden: 2, steps: 5", 7);
    LayerCost kept = cost("kind: lstm, name: a, in: 3, hidden: 2, steps: 5, "
                          "resident: true",
                          7);

    (void)state;
    assert_int_equal(c.n_weights, 4 * 2 * (3 + 2));
    /* The product has 35 rows, 24 input weights and 16 recurrent weights. */
    assert_pass_work(&c, OP_FORWARD, 2800, 2 * (35 * 23 + 24 + 5 * 16));
    assert_pass_work(&c, OP_INPUT_GRADIENT, 2800, 2 * (35 * 31 + 24 + 5 * 16));
    assert_pass_work(&c, OP_WEIGHT_GRADIENT, 2800, 2 * (35 * 21 + 24 + 16));
    assert_pass_work(&kept, OP_FORWARD, 2800, 2 * (35 * 23 + 24 + 16));
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 2 * 35 * 6 * 2);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 2 * 35 * 8 * 2);
}

/*
 * An encoder layer of GNMT for 128 sentences of 50 words in FP16: 6400 rows,
 * 1024 inputs, 1024 hidden values, 4194304 input weights and as many recurrent
 * weights.
 *
 *   input      2 x 6400 x 4194304 = 53687091200 FLOP
 *              2 (6400 (1024 + 4 x 1024) + 4194304) = 73924608 B
 *   recurrent  50 of 2 x 128 x 4194304 = 1073741824 FLOP
 *              forward   50 x 2 (128 x  6 x 1024 + 4194304) = 498073600 B
 *              backward  50 x 2 (128 x 10 x 1024 + 4194304) = 550502400 B
 *              weights         2 (6400 x 5 x 1024 + 4194304) =  73924608 B
 *
 * The two kinds need separate rooflines.  At 60 TFLOPS and 900 GB/s both are
 * bound by FLOP: the input product takes 894.785 us (82.138 us of memory), each
 * of the 50 recurrent ones 17.896 us (11.068 us of memory).  With the resources
 * that comm-opt leaves, 450 GB/s and 74 SMs, the recurrent ones are bound by
 * memory: 1106.8 us, against 967.3 us of FLOP.  One roofline for both would
 * hide 1271.1 us of memory behind 1934.6 us of FLOP; the sum of two is 967.3 +
 * 1106.8
 * us. */
static void test_lstm_of_gnmt_is_two_kinds_of_kernels(void **state)
{
    LayerCost c =
        cost("kind: lstm, name: a, in: 1024, hidden: 1024, steps: 50", 128);
    uint64_t flop = UINT64_C(53687091200);

    (void)state;
    assert_pass_kernels(&c, OP_FORWARD, 0, 1, flop, 73924608);
    assert_pass_kernels(&c, OP_FORWARD, 1, 50, flop, 498073600);
    assert_pass_kernels(&c, OP_INPUT_GRADIENT, 0, 50, flop, 550502400);
    assert_pass_kernels(&c, OP_INPUT_GRADIENT, 1, 1, flop, 73924608);
    assert_pass_kernels(&c, OP_WEIGHT_GRADIENT, 0, 1, flop, 73924608);
    assert_pass_kernels(&c, OP_WEIGHT_GRADIENT, 1, 1, flop, 73924608);
    assert_int_equal(c.n_elementwise[OP_FORWARD], 50);
    assert_int_equal(c.n_elementwise[OP_INPUT_GRADIENT], 50);
    assert_int_equal(c.pass[OP_FORWARD][2].flop, 0);
}

static void test_persistent_lstm_kernel_is_launched_once(void **state)
{
    LayerCost c = cost("kind: lstm, name: a, in: 3, hidden: 2, steps: 5, "
                       "resident: true",
                       7);

    (void)state;
    /* The kernel moves 35 rows of 6 x 2 = 12 values and reads the 16 recurrent
     * weights once. */
    assert_pass_kernels(&c, OP_FORWARD, 1, 1, 2 * 35 * 16, 2 * (35 * 12 + 16));
    assert_pass_kernels(&c, OP_INPUT_GRADIENT, 0, 1, 2 * 35 * 16,
                        2 * (35 * 20 + 16));
}

static void
test_attention_and_embedding_have_their_number_of_kernels(void **state)
{
    LayerCost scores = cost("kind: attention, name: a, query: 2, key: 3, "
                            "units: 4, queries: 5, keys: 6",
                            7);
    LayerCost table =
        cost("kind: embedding, name: a, rows: 10, dimension: 4", 1);

    (void)state;
    /* The product projects 35 query rows of 2 values by a 2 x 4 matrix, and 42
     * key rows of 3 values by a 3 x 4 matrix. */
    assert_pass_kernels(&scores, OP_FORWARD, 0, 1, 2 * 35 * 8,
                        2 * (35 * 2 + 35 * 4 + 8));
    assert_pass_kernels(&scores, OP_FORWARD, 1, 1, 2 * 42 * 12,
                        2 * (42 * 3 + 42 * 4 + 12));
    assert_pass_kernels(&scores, OP_FORWARD, 3, 1, 2 * 210 * 3,
                        2 * (210 + 126 + 105));
    assert_int_equal(scores.pass[OP_WEIGHT_GRADIENT][2].flop, 0);
    assert_int_equal(table.pass[OP_WEIGHT_GRADIENT][0].flop, 0);
    assert_int_equal(table.pass[OP_WEIGHT_GRADIENT][0].bytes, 2 * 40);
    assert_true(table.pass[OP_WEIGHT_GRADIENT][1].flop > 0);
    assert_int_equal(table.pass[OP_WEIGHT_GRADIENT][2].bytes, 0);
}

static void test_a_bidirectional_lstm_costs_as_much_as_two(void **state)
{
    LayerCost one = cost("kind: lstm, name: a, in: 3, hidden: 2, steps: 5", 7);
    LayerCost two = cost("kind: lstm, name: a, in: 3, hidden: 2, steps: 5, "
                         "bidirectional: true",
                         7);

    (void)state;
    assert_int_equal(two.n_weights, 2 * one.n_weights);
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++) {
        for (guint i = 0; i < 2; i++)
            assert_pass_kernels(&two, pass, i, 2 * one.pass[pass][i].n_kernels,
                                2 * one.pass[pass][i].flop,
                                2 * one.pass[pass][i].bytes);
        assert_int_equal(two.elementwise_bytes[pass],
                         2 * one.elementwise_bytes[pass]);
    }
}

static void test_attention_projects_then_scores_then_averages(void **state)
{
    LayerCost c = cost("kind: attention, name: a, query: 2, key: 3, units: 4, "
                       "queries: 5, keys: 6",
                       7);

    (void)state;
    assert_int_equal(c.n_weights, 4 * (2 + 3));
    /* The layer has 35 queries and 42 keys, so there are 196 input values, 308
     * projected values and 210 pairs. */
    assert_pass_work(&c, OP_FORWARD, 1568 + 210 * (16 + 6), 2966);
    assert_pass_work(&c, OP_INPUT_GRADIENT, 1568 + 210 * (16 + 12), 4254);
    assert_pass_work(&c, OP_WEIGHT_GRADIENT, 1568, 2 * (196 + 308 + 20));
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 2 * 2 * 210);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 3 * 2 * 210);
}

static void test_embedding_reads_a_row_and_an_index_per_lookup(void **state)
{
    LayerCost c = cost("kind: embedding, name: a, rows: 10, dimension: 4, "
                       "tables: 3, lookups: 5, gradient: none",
                       2);

    (void)state;
    assert_int_equal(c.n_weights, 0);
    assert_pass_work(&c, OP_FORWARD, 120, 6 * (5 * (8 + 8) + 8));
    assert_pass_work(&c, OP_INPUT_GRADIENT, 0, 0);
    assert_pass_work(&c, OP_WEIGHT_GRADIENT, 120, 6 * (8 + 5 * (16 + 8)));
}

static void
test_dense_embedding_gradient_is_as_large_as_the_tables(void **state)
{
    LayerCost c = cost("kind: embedding, name: a, rows: 10, dimension: 4, "
                       "tables: 3, positions: 2, lookups: 5",
                       1);

    (void)state;
    assert_int_equal(c.n_weights, 10 * 4 * 3);
    assert_int_equal(c.pass[OP_WEIGHT_GRADIENT][0].bytes, 2 * 120);
    assert_int_equal(c.pass[OP_WEIGHT_GRADIENT][1].bytes, 768);
}

static void test_interaction_forms_differ_in_work(void **state)
{
    LayerCost in_place =
        cost("kind: interaction, name: a, vectors: 4, dimension: 3", 2);
    LayerCost joined = cost("kind: interaction, name: a, vectors: 4, "
                            "dimension: 3, form: concatenation",
                            2);
    LayerCost dot = cost("kind: interaction, name: a, vectors: 4, "
                         "dimension: 3, form: dot",
                         2);

    (void)state;
    assert_pass_work(&in_place, OP_FORWARD, 0, 0);
    assert_pass_work(&joined, OP_FORWARD, 0, 2 * 2 * (12 + 12));
    assert_pass_work(&joined, OP_INPUT_GRADIENT, 0, 2 * 2 * (12 + 12));
    assert_pass_work(&dot, OP_FORWARD, 2 * 2 * 16 * 3, 2 * 2 * (12 + 9));
    assert_pass_work(&dot, OP_INPUT_GRADIENT, 192, 2 * 2 * (9 + 12 + 12));
}

static void test_measured_layer_times_are_kept(void **state)
{
    LayerCost c = cost("kind: measured, name: a, weights: 9, flop: 8, "
                       "forward_time: 1 us, input_gradient_time: 2 us, "
                       "weight_gradient_time: 0 ns",
                       1);
    LayerCost shaped = cost("kind: linear, name: a, in: 1, out: 1, "
                            "weight_gradient_time: 3 ns",
                            1);

    (void)state;
    assert_int_equal(c.n_weights, 9);
    assert_int_equal(c.pass[OP_FORWARD][0].measured_ps, 1000000);
    assert_int_equal(c.pass[OP_FORWARD][0].flop, 8);
    assert_int_equal(c.pass[OP_INPUT_GRADIENT][0].measured_ps, 2000000);
    assert_int_equal(c.pass[OP_WEIGHT_GRADIENT][0].measured_ps, 0);
    assert_int_equal(shaped.pass[OP_WEIGHT_GRADIENT][0].measured_ps, 3000);
}

static void test_attention_and_lstm_describe_their_matrix_products(void **state)
{
    LayerCost a = cost("kind: attention, name: a, query: 2, key: 3, units: 4, "
                       "queries: 5, keys: 6",
                       7);
    LayerCost l = cost("kind: lstm, name: l, in: 2, hidden: 3, steps: 4", 5);
    const OpProduct *average = &a.pass[OP_FORWARD][3].product;
    const OpProduct *keys = &a.pass[OP_WEIGHT_GRADIENT][1].product;
    const OpProduct *back = &a.pass[OP_INPUT_GRADIENT][2].product;

    (void)state;
    assert_true(average->m == 5 && average->n == 3 && average->k == 6 &&
                average->n_products == 7);
    assert_true(keys->m == 3 && keys->n == 4 && keys->k == 42 &&
                keys->cuts_sum);
    assert_true(back->m == 35 && back->n == 2 && back->k == 4);
    assert_true(l.pass[OP_FORWARD][1].product.is_recurrent);
    assert_true(l.pass[OP_INPUT_GRADIENT][0].product.is_recurrent);
    assert_true(l.pass[OP_WEIGHT_GRADIENT][1].product.is_recurrent);
    assert_false(l.pass[OP_FORWARD][0].product.is_recurrent);
}

static void test_elementwise_traffic_can_be_left_out(void **state)
{
    LayerCost c = layer_cost_with_batch(
        "kind: conv, name: a, in: 1, out: 1, size: 4", 1, FALSE);

    (void)state;
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 0);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 0);
    assert_int_equal(c.pass[OP_FORWARD][0].bytes, 2 * (16 + 16 + 1));
}

static void test_layer_counts_saturate_at_two_to_the_63(void **state)
{
    LayerCost c = cost("kind: linear, name: a, in: 1000000000, "
                       "out: 1000000000, positions: 1000000000",
                       1000);

    (void)state;
    assert_int_equal(layer_multiply_saturating(UINT64_MAX, UINT64_MAX),
                     UINT64_C(1) << 63);
    assert_int_equal(layer_multiply_saturating(UINT64_C(1) << 62, 2),
                     UINT64_C(1) << 63);
    assert_int_equal(layer_multiply_saturating(UINT64_C(1) << 31, 3),
                     UINT64_C(3) << 31);
    assert_int_equal(layer_add_saturating(UINT64_MAX, 1), UINT64_C(1) << 63);
    assert_int_equal(layer_add_saturating(2, 3), 5);
    assert_int_equal(c.pass[OP_FORWARD][0].flop, UINT64_C(1) << 63);
    assert_int_equal(c.pass[OP_FORWARD][0].bytes, UINT64_C(1) << 63);
}

static void test_every_kind_has_a_summary_and_a_cost_or_a_block(void **state)
{
    (void)state;
    for (const ConfigKind *const *k = layer_registry.kinds; *k; k++) {
        assert_non_null((*k)->summary);
        assert_true((*k)->size >= sizeof(LayerCommon));
        assert_true(!((const LayerOps *)*k)->cost !=
                    !((const LayerOps *)*k)->block);
        for (const ConfigKind *const *l = layer_registry.kinds; l < k; l++)
            assert_string_not_equal((*l)->name, (*k)->name);
    }
}

static void test_inconsistent_shapes_are_errors(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        { "kind: conv, name: a, in: 6, out: 4, size: 8, groups: 4",
          "t.yaml:1:63: groups: 4 does not divide both in (6) and out (4)" },
        { "kind: conv, name: a, in: 1, out: 1, size: 2, kernel: 3, "
          "padding: none",
          "t.yaml:1:63: kernel: 3 is larger than the padded image (2)" },
        { "kind: conv, name: a, in: 1, out: 1, size: 2, kernel_width: 5, "
          "padding: none",
          "t.yaml:1:69: kernel_width: 5 is larger than the padded image (2)" },
        { "kind: pool, name: a, channels: 1, size: 2, kernel: 3",
          "t.yaml:1:61: kernel: 3 is larger than the padded image (2)" },
        { "kind: linear, name: a, in: 6, out: 4, repeat: 2",
          "t.yaml:1:56: repeat: the layer takes 6 values and gives 4, so it "
          "cannot follow itself" },
        { "kind: lstm, name: a, in: 4, hidden: 4, steps: 1, repeat: 2, "
          "bidirectional: true",
          "t.yaml:1:67: repeat: the layer takes 4 values and gives 8, so it "
          "cannot follow itself" },
    };
    LayerContext context = { .batch = 1, .value_bytes = 2 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        LayerCost c;

        assert_false(read_layer_cost(cases[i].yaml, &context, &c, &error));
        assert_config_error(error, CONFIG_ERROR_CONFLICT, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_is_one_product_per_pass),
        cmocka_unit_test(test_linear_counts_positions_bias_and_softmax),
        cmocka_unit_test(test_lstm_reads_recurrent_weights_in_each_step),
        cmocka_unit_test(test_lstm_of_gnmt_is_two_kinds_of_kernels),
        cmocka_unit_test(test_persistent_lstm_kernel_is_launched_once),
        cmocka_unit_test(
            test_attention_and_embedding_have_their_number_of_kernels),
        cmocka_unit_test(test_a_bidirectional_lstm_costs_as_much_as_two),
        cmocka_unit_test(test_attention_projects_then_scores_then_averages),
        cmocka_unit_test(test_embedding_reads_a_row_and_an_index_per_lookup),
        cmocka_unit_test(
            test_dense_embedding_gradient_is_as_large_as_the_tables),
        cmocka_unit_test(test_interaction_forms_differ_in_work),
        cmocka_unit_test(test_measured_layer_times_are_kept),
        cmocka_unit_test(
            test_attention_and_lstm_describe_their_matrix_products),
        cmocka_unit_test(test_elementwise_traffic_can_be_left_out),
        cmocka_unit_test(test_layer_counts_saturate_at_two_to_the_63),
        cmocka_unit_test(test_every_kind_has_a_summary_and_a_cost_or_a_block),
        cmocka_unit_test(test_inconsistent_shapes_are_errors),
    };

    return cmocka_run_group_tests_name("layer", tests, NULL, NULL);
}
