/* test_image_layer.c - tests of layers/conv.c, process_pool.c and
 * elementwise.c: costs against hand calculations */
#include "tests/workloads/layer_fixture.h"

static void test_conv1_of_resnet_has_118013952_multiply_adds(void **state)
{
    LayerCost c = cost("kind: conv, name: conv1, in: 3, out: 64, size: 224, "
                       "kernel: 7, stride: 2",
                       1);

    (void)state;
    assert_int_equal(c.n_weights, 9408);
    /* The layer moves 3 x 224^2 + 64 x 112^2 + 9408 values. */
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++)
        assert_pass_work(&c, pass, 2 * 118013952, 2 * 962752);
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 3 * 2 * 802816);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 5 * 2 * 802816);
    assert_int_equal(c.elementwise_bytes[OP_WEIGHT_GRADIENT], 0);
    /* The forward pass writes y, and the backward pass writes dx. */
    assert_int_equal(c.elementwise_written_bytes[OP_FORWARD], 2 * 802816);
    assert_int_equal(c.elementwise_written_bytes[OP_INPUT_GRADIENT],
                     2 * 802816);
    assert_int_equal(c.pass[OP_WEIGHT_GRADIENT][0].written_bytes, 2 * 9408);
}

/* The convolution reads 3 x 224^2 values and writes 64 x 112^2.  One
 * transposing kernel each reads and writes the input and the output. */
static void test_conv_transposes_its_input_and_output(void **state)
{
    static const char yaml[] = "kind: conv, name: conv1, in: 3, out: 64, "
                               "size: 224, kernel: 7, stride: 2";
    LayerContext context = { .batch = 1,
                             .precision = PRECISION_FP32,
                             .value_bytes = 4,
                             .elementwise = TRUE,
                             .fused = TRUE,
                             .searches = TRUE };
    LayerCost as_read = layer_cost_in_sequence_context(yaml, &context),
              transposed;
    uint64_t bytes = 4 * (150528 + 802816);

    (void)state;
    context.transposes = TRUE;
    transposed = layer_cost_in_sequence_context(yaml, &context);
    for (OpPass pass = OP_FORWARD; pass <= OP_INPUT_GRADIENT; pass++) {
        assert_int_equal(transposed.elementwise_bytes[pass] -
                             as_read.elementwise_bytes[pass],
                         2 * bytes);
        assert_int_equal(transposed.elementwise_written_bytes[pass] -
                             as_read.elementwise_written_bytes[pass],
                         bytes);
        assert_int_equal(transposed.n_elementwise[pass],
                         as_read.n_elementwise[pass] + 2);
    }
    assert_int_equal(transposed.elementwise_bytes[OP_WEIGHT_GRADIENT], 0);
}

static void test_counted_layer_counts_tensors_flop_and_activations(void **state)
{
    LayerCost c = cost("kind: counted, name: a, tensors: [100, 20, 3], "
                       "forward_flop: 1000, activations: 50",
                       4);

    (void)state;
    assert_int_equal(c.n_weights, 123);
    /* The layer has 4 samples of 50 values, each written and read, and 123
     * weights, in FP16. */
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++) {
        assert_pass_work(&c, pass, 4000, 2 * (2 * 4 * 50 + 123));
        assert_int_equal(c.pass[pass][0].written_bytes, 2 * 4 * 50);
    }
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 0);
}

static void
test_counted_layer_without_tensors_has_all_backward_in_one(void **state)
{
    LayerCost c = cost("kind: counted, name: scores, forward_flop: 1000, "
                       "activations: 50",
                       4);

    (void)state;
    assert_int_equal(c.n_weights, 0);
    assert_pass_work(&c, OP_FORWARD, 4000, 2 * 2 * 4 * 50);
    assert_pass_work(&c, OP_INPUT_GRADIENT, 8000, 2 * 2 * 2 * 4 * 50);
    assert_pass_work(&c, OP_WEIGHT_GRADIENT, 0, 0);
}

static void test_conv_without_norm_has_no_elementwise_traffic(void **state)
{
    LayerCost plain = cost("kind: conv, name: a, in: 1, out: 1, size: 4, "
                           "norm: false",
                           1);
    LayerCost joined = cost("kind: conv, name: a, in: 1, out: 1, size: 4, "
                            "norm: false, residual: true",
                            1);

    (void)state;
    assert_int_equal(plain.elementwise_bytes[OP_FORWARD], 0);
    assert_int_equal(plain.elementwise_bytes[OP_INPUT_GRADIENT], 0);
    assert_int_equal(joined.elementwise_bytes[OP_FORWARD], 2 * 16);
    assert_int_equal(joined.elementwise_bytes[OP_INPUT_GRADIENT], 3 * 2 * 16);
    assert_int_equal(joined.elementwise_written_bytes[OP_FORWARD], 0);
    assert_int_equal(joined.elementwise_written_bytes[OP_INPUT_GRADIENT],
                     2 * 16);
}

static void test_conv_counts_groups_padding_and_stride(void **state)
{
    LayerCost depthwise = cost("kind: conv, name: a, in: 32, out: 32, "
                               "size: 8, kernel: 3, groups: 32",
                               1);
    LayerCost inside = cost("kind: conv, name: a, in: 1, out: 1, size: 6, "
                            "kernel: 3, stride: 2, padding: none",
                            1);

    (void)state;
    assert_int_equal(depthwise.n_weights, 9 * 32);
    assert_int_equal(depthwise.pass[OP_FORWARD][0].flop, 2 * 64 * 9 * 32);
    /* Windows cover 0-2 and 2-4.  A third one, 4-6, would exceed the image, so
     * there are 2 x 2 output pixels. */
    assert_pass_work(&inside, OP_FORWARD, 2 * 4 * 9, 2 * (36 + 4 + 9));
}

static void test_conv_with_a_flat_kernel_pads_each_axis_separately(void **state)
{
    LayerCost wide = cost("kind: conv, name: a, in: 3, out: 5, size: 17, "
                          "kernel_width: 7",
                          1);
    LayerCost high = cost("kind: conv, name: a, in: 3, out: 5, size: 17, "
                          "kernel: 1, kernel_height: 7, padding: none",
                          1);

    (void)state;
    assert_int_equal(wide.n_weights, 7 * 3 * 5);
    /* The result has 17 x 17 output pixels. */
    assert_pass_work(&wide, OP_FORWARD, 2 * 289 * 105,
                     2 * (3 * 289 + 5 * 289 + 105));
    /* The result has 11 rows of 17 output pixels. */
    assert_int_equal(high.n_weights, 7 * 3 * 5);
    assert_pass_work(&high, OP_WEIGHT_GRADIENT, 2 * 187 * 105,
                     2 * (3 * 289 + 5 * 187 + 105));
}

static void test_the_bias_of_conv_is_a_separate_gradient(void **state)
{
    LayerCost c = cost("kind: conv, name: a, in: 3, out: 5, size: 4, "
                       "kernel: 3, norm: false, bias: true",
                       1);

    (void)state;
    assert_int_equal(c.n_weights, 9 * 3 * 5 + 5);
    assert_pass_work(&c, OP_FORWARD, 2 * 16 * 135, 2 * (3 * 16 + 5 * 16 + 135));
    /* The forward pass reads and writes each value. The backward pass reads y
     * and dy and writes dx. */
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 2 * 2 * 80);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 3 * 2 * 80);
}

/* Checks the elementwise work of @pass after a convolution with 4 x 4 outputs
 * of 2 bytes: @n_passes over these 32 B, by @n_kernels kernels. */
static void assert_elementwise_kernel(const LayerCost *cost, OpPass pass,
                                      uint64_t n_passes, uint64_t n_kernels)
{
    assert_int_equal(cost->elementwise_bytes[pass], n_passes * 32);
    assert_int_equal(cost->n_elementwise[pass], n_kernels);
}

static void test_unfused_conv_launches_each_elementwise_kernel(void **state)
{
    static const struct {
        const char *options;
        uint64_t n_passes[2], n_kernels[2];
    } cases[] = {
        { "norm: true", { 3 + 2, 5 + 3 }, { 2, 2 } },
        { "norm: true, relu: false", { 3, 5 }, { 1, 1 } },
        { "norm: false, bias: true", { 2 + 2, 1 + 3 }, { 2, 2 } },
        { "norm: true, residual: true", { 3 + 2 + 3, 5 + 3 + 3 }, { 3, 3 } },
        { "norm: false", { 0, 0 }, { 0, 0 } },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml =
            g_strdup_printf("kind: conv, name: a, in: 1, out: 1, size: 4, %s",
                            cases[i].options);
        LayerCost c = layer_cost_without_fusion(yaml);

        assert_elementwise_kernel(&c, OP_FORWARD, cases[i].n_passes[0],
                                  cases[i].n_kernels[0]);
        assert_elementwise_kernel(&c, OP_INPUT_GRADIENT, cases[i].n_passes[1],
                                  cases[i].n_kernels[1]);
    }
}

static void test_fused_conv_costs_the_same_with_and_without_relu(void **state)
{
    LayerCost with = cost("kind: conv, name: a, in: 1, out: 1, size: 4", 1);
    LayerCost without = cost("kind: conv, name: a, in: 1, out: 1, size: 4, "
                             "relu: false, bias: true",
                             1);

    (void)state;
    assert_elementwise_kernel(&with, OP_FORWARD, 3, 1);
    assert_elementwise_kernel(&without, OP_FORWARD, 3, 1);
    assert_elementwise_kernel(&without, OP_INPUT_GRADIENT, 5, 1);
}

static void test_pool_moves_both_images_and_has_no_weights(void **state)
{
    LayerCost max_pool = cost("kind: pool, name: a, channels: 3, size: 7, "
                              "kernel: 3, stride: 2",
                              2);
    LayerCost mean_pool = cost("kind: pool, name: a, channels: 3, size: 7, "
                               "kernel: 3, form: mean, padding: same",
                               2);

    (void)state;
    assert_int_equal(max_pool.n_weights, 0);
    /* Forward: 7 x 7 to 3 x 3.  The max pool's backward pass moves x, y and
     * both gradients. */
    assert_pass_work(&max_pool, OP_FORWARD, 0, 2 * 2 * 3 * (49 + 9));
    assert_pass_work(&max_pool, OP_INPUT_GRADIENT, 0, 2 * 2 * 2 * 3 * (49 + 9));
    assert_pass_work(&max_pool, OP_WEIGHT_GRADIENT, 0, 0);
    assert_pass_work(&mean_pool, OP_FORWARD, 0, 2 * 2 * 3 * (49 + 49));
    assert_pass_work(&mean_pool, OP_INPUT_GRADIENT, 0, 2 * 2 * 3 * (49 + 49));
}

static void test_elementwise_layer_counts_its_passes(void **state)
{
    static const char yaml[] = "kind: elementwise, name: a, values: 5, "
                               "forward: 0, backward: 4";
    LayerCost c = cost(yaml, 3);
    LayerCost left_out = layer_cost_with_batch(yaml, 3, FALSE);

    (void)state;
    assert_pass_work(&c, OP_FORWARD, 0, 0);
    assert_int_equal(c.elementwise_bytes[OP_FORWARD], 0);
    assert_int_equal(c.elementwise_bytes[OP_INPUT_GRADIENT], 4 * 2 * 3 * 5);
    assert_int_equal(left_out.elementwise_bytes[OP_INPUT_GRADIENT], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv_transposes_its_input_and_output),
        cmocka_unit_test(test_conv1_of_resnet_has_118013952_multiply_adds),
        cmocka_unit_test(
            test_counted_layer_counts_tensors_flop_and_activations),
        cmocka_unit_test(
            test_counted_layer_without_tensors_has_all_backward_in_one),
        cmocka_unit_test(test_conv_without_norm_has_no_elementwise_traffic),
        cmocka_unit_test(test_conv_counts_groups_padding_and_stride),
        cmocka_unit_test(
            test_conv_with_a_flat_kernel_pads_each_axis_separately),
        cmocka_unit_test(test_the_bias_of_conv_is_a_separate_gradient),
        cmocka_unit_test(test_unfused_conv_launches_each_elementwise_kernel),
        cmocka_unit_test(test_fused_conv_costs_the_same_with_and_without_relu),
        cmocka_unit_test(test_pool_moves_both_images_and_has_no_weights),
        cmocka_unit_test(test_elementwise_layer_counts_its_passes),
    };

    return cmocka_run_group_tests_name("image_layer", tests, NULL, NULL);
}
