/*
 * test_kernel.c - costs of single kernels against hand calculations
 *
 * The last test shows that a layer has the same cost as the kernel that it
 * consists of.
 */
#include "tests/config/config_parse.h"
#include "tests/test.h"
#include "workloads/kernel.h"
#include "workloads/layer.h"

static const ConfigField fields[] = {
    { .key = "kernel", .type = CONFIG_KIND, .registry = &kernel_registry },
    CONFIG_END,
};

static ConfigDoc *read_kernel_config(const ConfigField *table, gpointer ret,
                                     const char *yaml)
{
    g_autoptr(GError) error = NULL;
    ConfigDoc *doc = parse_valid_yaml("kernel", yaml);

    assert_true(config_doc_read(doc, table, ret, &error));
    assert_no_error(error);
    return doc;
}

static void kernel_work_of_yaml(const char *yaml,
                                OpWork works[KERNEL_MAX_WORKS])
{
    ConfigVariant kernel;
    g_autofree char *text = g_strdup_printf("kernel: %s", yaml);
    g_autoptr(ConfigDoc) doc = read_kernel_config(fields, &kernel, text);

    assert_true(kernel_check(&kernel, NULL));
    kernel_list_works(&kernel, works);
}

static void test_a_stream_has_the_given_bytes_and_flop(void **state)
{
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    kernel_work_of_yaml("{kind: stream, read: 2 KiB, write: 1 KiB, flop: 7, "
                        "in_flight: 64 B, precision: fp32}",
                        works);
    assert_int_equal(works[0].bytes, 3072);
    assert_int_equal(works[0].written_bytes, 1024);
    assert_int_equal(op_work_read_ppm(&works[0]), 666666);
    assert_int_equal(works[0].flop, 7);
    assert_int_equal(works[0].in_flight_bytes, 64);
    assert_int_equal(works[0].precision, PRECISION_FP32);
    assert_int_equal(works[1].bytes, 0);
}

static void test_a_stream_is_persistent_if_it_says_so(void **state)
{
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    kernel_work_of_yaml("{kind: stream, read: 2 KiB}", works);
    assert_false(works[0].is_persistent);
    kernel_work_of_yaml("{kind: stream, read: 2 KiB, persistent: true}", works);
    assert_true(works[0].is_persistent);
}

static void test_a_product_reads_two_operands_and_writes_one(void **state)
{
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    kernel_work_of_yaml("{kind: product, m: 3, n: 5, k: 7, count: 2}", works);
    assert_int_equal(works[0].flop, 2 * 3 * 5 * 7 * 2);
    assert_int_equal(works[0].bytes, 2 * 2 * (3 * 7 + 7 * 5 + 3 * 5));
    assert_int_equal(works[0].written_bytes, 2 * 2 * 3 * 5);
    assert_int_equal(op_work_n_results(&works[0]), 2 * 3 * 5);
}

/* The image has 10 x 8 pixels, the filter 3 x 2, the stride is 2 x 1, and one
 * row of zeros is added above and below.  The result has 5 x 7 pixels. */
#define CONV                                                                   \
    "{kind: convolution, batch: 2, in: 4, out: 6, height: 10, width: 8, "      \
    "filter_height: 3, filter_width: 2, stride_height: 2, pad_height: 1, "     \
    "pass: %s}"

static void test_a_convolution_is_a_product_in_each_pass(void **state)
{
    static const struct {
        const char *pass;
        uint64_t m, n, k, n_written;
    } cases[] = {
        { "forward", 2 * 5 * 7, 6, 3 * 2 * 4, 2 * 6 * 35 },
        { "input-gradient", 2 * 10 * 8, 4, 3 * 2 * 6, 2 * 4 * 80 },
        { "weight-gradient", 3 * 2 * 4, 6, 2 * 5 * 7, 6 * 4 * 6 },
    };
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml = g_strdup_printf(CONV, cases[i].pass);
        const OpProduct *product = &works[0].product;

        kernel_work_of_yaml(yaml, works);
        assert_int_equal(works[0].flop, 2 * 2 * 35 * 6 * 4 * 6);
        assert_int_equal(works[0].bytes,
                         2 * (2 * 4 * 80 + 2 * 6 * 35 + 6 * 4 * 6));
        assert_int_equal(works[0].written_bytes, 2 * cases[i].n_written);
        assert_int_equal(product->m, cases[i].m);
        assert_int_equal(product->n, cases[i].n);
        assert_int_equal(product->k, cases[i].k);
        assert_int_equal(product->window_height * product->window_width, 6);
    }
}

static void test_a_convolution_has_the_size_of_its_result_image(void **state)
{
    const char *const passes[] = { "forward", "input-gradient",
                                   "weight-gradient" };
    const uint64_t heights[] = { 4, 9, 4 }, widths[] = { 3, 7, 3 };
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(passes); i++) {
        g_autofree char *text = g_strdup_printf(
            "{kind: convolution, batch: 1, in: 1, out: 1, height: 9, width: 7, "
            "filter_height: 3, filter_width: 3, stride_height: 2, "
            "stride_width: 2, pass: %s}",
            passes[i]);

        kernel_work_of_yaml(text, works);
        assert_int_equal(works[0].product.image_height, heights[i]);
        assert_int_equal(works[0].product.image_width, widths[i]);
    }
}

static void test_a_filter_larger_than_the_image_is_an_error(void **state)
{
    ConfigVariant kernel;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = read_kernel_config(
        fields, &kernel,
        "kernel: {kind: convolution, batch: 1, in: 1, out: 1, height: 2, "
        "width: 9, filter_height: 3}");

    (void)state;
    assert_false(kernel_check(&kernel, &error));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                  "kernel:1:9: the filter is larger than the padded image");
}

static void test_a_recurrent_layer_has_one_kernel_per_step(void **state)
{
    OpWork works[KERNEL_MAX_WORKS];

    (void)state;
    kernel_work_of_yaml(
        "{kind: recurrent, cell: gru, hidden: 10, batch: 4, steps: 5}", works);
    assert_int_equal(works[0].n_kernels, 5);
    assert_int_equal(works[0].flop, 5 * 2 * 4 * 30 * 10);
    assert_int_equal(works[0].bytes, 5 * 2 * (4 * 10 + 10 * 30 + 4 * 30));
    assert_int_equal(works[0].product.m, 4);
    assert_int_equal(works[1].flop, 0);
    kernel_work_of_yaml(
        "{kind: recurrent, cell: vanilla, in: 3, hidden: 10, batch: 4, "
        "steps: 5, pass: weight-gradient}",
        works);
    assert_int_equal(works[0].flop, 2 * 10 * 10 * 20);
    assert_int_equal(works[1].flop, 2 * 10 * 3 * 20);
    assert_true(works[0].product.cuts_sum);
}

static void test_a_layer_has_the_cost_of_its_kernel(void **state)
{
    const ConfigField layer_fields[] = {
        { .key = "layer", .type = CONFIG_KIND, .registry = &layer_registry },
        CONFIG_END,
    };
    const LayerContext context = { .batch = 2,
                                   .precision = PRECISION_FP16,
                                   .value_bytes = 2,
                                   .elementwise = TRUE,
                                   .fused = TRUE,
                                   .searches = TRUE };
    OpWork works[KERNEL_MAX_WORKS];
    ConfigVariant layer;
    g_autoptr(ConfigDoc) doc = read_kernel_config(
        layer_fields, &layer,
        "layer: {kind: conv, name: c, in: 4, out: 6, size: 9, kernel: 3, "
        "stride: 2}");
    LayerCost cost;

    (void)state;
    layer_compute_cost(&layer, &context, &cost);
    kernel_work_of_yaml(
        "{kind: convolution, batch: 2, in: 4, out: 6, height: 9, "
        "width: 9, filter_height: 3, filter_width: 3, stride_height: 2, "
        "stride_width: 2, pad_height: 1, pad_width: 1}",
        works);
    assert_memory_equal(&cost.pass[OP_FORWARD][0], &works[0], sizeof works[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_has_the_given_bytes_and_flop),
        cmocka_unit_test(test_a_stream_is_persistent_if_it_says_so),
        cmocka_unit_test(test_a_product_reads_two_operands_and_writes_one),
        cmocka_unit_test(test_a_convolution_is_a_product_in_each_pass),
        cmocka_unit_test(test_a_convolution_has_the_size_of_its_result_image),
        cmocka_unit_test(test_a_filter_larger_than_the_image_is_an_error),
        cmocka_unit_test(test_a_recurrent_layer_has_one_kernel_per_step),
        cmocka_unit_test(test_a_layer_has_the_cost_of_its_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
