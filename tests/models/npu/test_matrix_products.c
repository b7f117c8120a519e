/* test_matrix_products.c - Tests of models/npu/matrix_products.c: matrix
 * products by shape, against hand calculation. */
#include "tests/test.h"

#include "models/npu/kernel_time.h"
#include "models/npu/matrix_products.h"

#define GB UINT64_C(1000000000)

/* An SM does 10^12 multiply-adds and loads 10^12 bytes of operands per second.
 * Per term of its sums, a tile of 256 x 256 takes 65,536 ps of arithmetic and
 * 2048 ps for 512 x 4 B of operands. */
static const PrecisionConfig fp32 = {
    .flop_per_s = 20000 * GB,
    .efficiency_ppm = 1000000,
    .memory_ppm = 1000000,
    .least_tile = 256,
    .granule = 1,
    .overhead_ps = SIM_US(3),
    .convolution = { .overhead_ps = SIM_US(20),
                     .strided_ppm = 500000,
                     .overlapping_ppm = 250000,
                     .weight_gradient_ppm = 250000,
                     .weight_tile = 1,
                     .few_channels_ppm = 100000 },
    .recurrent = { .pass_ps = SIM_US(50),
                   .step_ps = SIM_US(7),
                   .products_ppm = 500000 },
};

static const WaveConfig waves = { .lone_tile_ppm = 850000 };

/* The time of one term of the sums of a tile. */
#define TILE_PS UINT64_C(67584)

static ProductNpu npu_with_product_model(const PrecisionConfig *precision)
{
    return (ProductNpu){ .precision = precision,
                         .waves = &waves,
                         .n_sms = 10,
                         .operand_bytes_per_s = 1000 * GB,
                         .bytes_per_s = 1000000000 * GB };
}

static OpWork matrix_product_work(uint64_t m, uint64_t n, uint64_t k)
{
    return (OpWork){ .flop = 2 * m * n * k,
                     .bytes = 4 * (m * k + k * n + m * n),
                     .product = { .m = m, .n = n, .k = k },
                     .precision = PRECISION_FP32 };
}

/* ---- tiles of a matrix product ------------------------------------------- */

static void test_a_tile_takes_the_time_of_arithmetic_and_operands(void **state)
{
    const ProductNpu npu = npu_with_product_model(&fp32);
    const OpWork work = matrix_product_work(2560, 200, 63);
    ProductTiles cut = product_choose_tiles(&npu, &work);

    (void)state;
    /* A tile at the edge counts as a whole tile. */
    assert_int_equal(cut.n_tiles, 10);
    assert_int_equal(cut.tile_ps, 63 * TILE_PS);
    assert_int_equal(cut.more_bytes, 0);
    assert_int_equal(cut.phase_bytes, 0);
    assert_int_equal(cut.more_ps, 0);
}

static void test_a_tile_takes_the_longer_time_if_operands_overlap(void **state)
{
    PrecisionConfig overlapping = fp32;
    ProductNpu npu = npu_with_product_model(&overlapping);
    const OpWork work = matrix_product_work(2560, 200, 63);

    (void)state;
    overlapping.operands_overlap = TRUE;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps, 63 * 65536);
    /* With a hundredth of the rate, operands take 204,800 ps for each term. */
    npu.operand_bytes_per_s /= 100;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps, 63 * 204800);
}

static void test_a_tile_alone_on_its_sm_is_slower(void **state)
{
    const ProductTiles cut = { .n_tiles = 10, .tile_ps = 850 };

    (void)state;
    assert_int_equal(product_arithmetic_ps(&waves, 20, &cut, 10), 1000);
    assert_int_equal(product_arithmetic_ps(&waves, 20, &cut, 20), 1000);
    assert_int_equal(product_arithmetic_ps(&waves, 20, &cut, 9), 1700);
    assert_int_equal(product_arithmetic_ps(&waves, 20, &cut, 5), 1700);
    assert_int_equal(product_arithmetic_ps(&waves, 20, &cut, 4), 2550);
    assert_true(product_arithmetic_ps(&waves, 20, &cut, 0) == SIM_TIME_MAX);
}

/* Published behaviour: 132 blocks run together with 24 other blocks on 132
 * SMs. */
static void test_co_resident_tiles_take_170_percent_of_one(void **state)
{
    const ProductTiles cut = { .n_tiles = 132, .tile_ps = 8500 };

    (void)state;
    assert_int_equal(product_arithmetic_ps(&waves, 132, &cut, 132), 10000);
    assert_int_equal(product_arithmetic_ps(&waves, 132, &cut, 132 - 24), 17000);
}

static void
test_small_tiles_are_chosen_if_large_ones_leave_sms_idle(void **state)
{
    PrecisionConfig small_tiles = fp32;
    const ProductNpu npu = npu_with_product_model(&small_tiles);
    const OpWork work = matrix_product_work(320, 32, 63);
    ProductTiles cut;

    (void)state;
    small_tiles.least_tile = 32;
    cut = product_choose_tiles(&npu, &work);
    assert_int_equal(cut.n_tiles, 10);
    assert_int_equal(cut.tile_ps, 63 * (1024 + 256));
}

static void test_a_long_sum_of_few_results_is_split(void **state)
{
    PrecisionConfig slow_adding = fp32;
    ProductNpu npu = npu_with_product_model(&fp32);
    const OpWork work = matrix_product_work(256, 256, 1280);
    ProductTiles cut = product_choose_tiles(&npu, &work);

    (void)state;
    /* The sum is cut in 16 parts, two per SM. With 8 parts, each would be alone
     * on its SM and slower. */
    assert_int_equal(cut.n_tiles, 16);
    assert_int_equal(cut.tile_ps, 80 * TILE_PS);
    assert_int_equal(cut.more_bytes, 8 * 256 * 256 * 16);
    npu.launch_ps = SIM_US(2);
    slow_adding.parts_ps = SIM_US(5);
    npu.precision = &slow_adding;
    assert_int_equal(product_choose_tiles(&npu, &work).more_ps, SIM_US(7));
    slow_adding.parts_ps = SIM_US(1000000);
    assert_int_equal(product_choose_tiles(&npu, &work).n_tiles, 1);
    slow_adding.parts_ps = 0;
    npu.bytes_per_s = GB; /* The product takes 33.6 us for 64 KiB x 8 x 16. */
    assert_int_equal(product_choose_tiles(&npu, &work).n_tiles, 1);
}

static void test_a_narrow_product_is_split_freely(void **state)
{
    PrecisionConfig narrow = fp32;
    const ProductNpu npu = npu_with_product_model(&narrow);
    const OpWork work = matrix_product_work(1000000, 16, 64);
    ProductTiles cut;

    (void)state;
    narrow.narrow_ppm = 100000; /* The narrow product reaches 2 TFLOPS. */
    cut = product_choose_tiles(&npu, &work);
    assert_int_equal(product_arithmetic_ps(&waves, 10, &cut, 10), SIM_US(1024));
    assert_int_equal(product_arithmetic_ps(&waves, 10, &cut, 5), SIM_US(2048));
    narrow.narrow_ppm = 0;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps, 64 * TILE_PS);
}

/* ---- convolutions as matrix products ------------------------------------- */

/* Returns a 3 x 3 convolution of 64 images of 16 x 16, with 256 input and 256
 * output channels. */
static OpWork convolution_op_work(gboolean is_weight_gradient)
{
    uint64_t pixels = 64 * 16 * 16, k = UINT64_C(9) * 256;
    OpWork work = is_weight_gradient ? matrix_product_work(k, 256, pixels)
                                     : matrix_product_work(pixels, 256, k);
    OpProduct *product = &work.product;

    product->window_height = product->window_width = 3;
    product->stride_height = product->stride_width = 1;
    product->image_height = product->image_width = 16;
    product->cuts_sum = is_weight_gradient;
    work.bytes = 4 * (2 * pixels * 256 + k * 256);
    return work;
}

static void test_winograd_trades_bytes_for_arithmetic(void **state)
{
    PrecisionConfig config = fp32;
    ProductNpu npu = npu_with_product_model(&config);
    const OpWork works[] = { convolution_op_work(FALSE),
                             convolution_op_work(TRUE) };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(works); i++) {
        /* The convolution has output tiles of 4 x 4. */
        uint64_t v = 4, n_images = 64 * 16;
        uint64_t values = 2 * n_images * 256 + 256 * 256;
        ProductTiles cut;

        config.convolution.weight_gradient_ppm = 1000000;
        config.convolution.winograd_ppm = 0;
        npu.bytes_per_s = 1000000000 * GB;
        npu.launch_ps = SIM_US(2);
        cut = product_choose_tiles(&npu, &works[i]);
        assert_int_equal(cut.phase_bytes, 0);
        config.convolution.winograd_ppm = 800000;
        cut = product_choose_tiles(&npu, &works[i]);
        assert_true(cut.more_ps >= 3 * SIM_US(2));
        assert_int_equal(cut.phase_bytes, 36 * v * values + works[i].bytes);
        /* The transform moves 36 / 16 of the bytes, written and read. */
        npu.bytes_per_s = 100 * GB;
        cut = product_choose_tiles(&npu, &works[i]);
        assert_int_equal(cut.phase_bytes, 0);
        config.granule = 8;
        npu.bytes_per_s = 1000000000 * GB;
        assert_int_equal(product_choose_tiles(&npu, &works[i]).phase_bytes, 0);
        config.granule = 1;
    }
}

/* A library that does not search its algorithms has no Winograd transforms. */
static void test_without_algorithm_search_there_is_no_winograd(void **state)
{
    PrecisionConfig config = fp32;
    ProductNpu npu = npu_with_product_model(&config);
    OpWork work = convolution_op_work(FALSE);
    ProductTiles plain, cut;

    (void)state;
    npu.bytes_per_s = 1000000000 * GB;
    config.convolution.winograd_ppm = 0;
    plain = product_choose_tiles(&npu, &work);
    config.convolution.winograd_ppm = 800000;
    assert_true(product_choose_tiles(&npu, &work).phase_bytes > 0);
    work.product.is_unsearched = TRUE;
    cut = product_choose_tiles(&npu, &work);
    assert_int_equal(cut.phase_bytes, 0);
    assert_int_equal(cut.n_tiles, plain.n_tiles);
    assert_int_equal(cut.more_ps, plain.more_ps);
}

static void test_winograd_of_2_x_2_depends_on_its_efficiency(void **state)
{
    PrecisionConfig config = fp32;
    ProductNpu npu = npu_with_product_model(&config);
    OpWork work = convolution_op_work(FALSE);

    (void)state;
    config.convolution.winograd_ppm = 500000;
    npu.bytes_per_s = 100 * GB; /* The transform with w = 4 costs too much. */
    /* Winograd saves 2.25 times the arithmetic at half the efficiency.  That is
     * a gain of 1.125, although loading operands also takes time. */
    assert_int_equal(product_choose_tiles(&npu, &work).n_tiles, 16 * 16);
    config.convolution.winograd_ppm = 300000;
    /* Cutting the sum in 13 halves would be less work than 7 whole tiles, but
     * such sums are not cut. */
    assert_int_equal(product_choose_tiles(&npu, &work).n_tiles, 64);
}

/* Returns a convolution of 64 images of @side x @side with a filter of @filter
 * x
 * @filter, with @in input and @out output channels. */
static OpWork convolution_of_shape(uint64_t side, uint64_t filter, uint64_t in,
                                   uint64_t out, gboolean is_weight_gradient)
{
    uint64_t pixels = 64 * side * side, k = filter * filter * in;
    OpWork work = is_weight_gradient ? matrix_product_work(k, out, pixels)
                                     : matrix_product_work(pixels, out, k);
    OpProduct *product = &work.product;

    product->window_height = product->window_width = filter;
    product->stride_height = product->stride_width = 1;
    product->image_height = product->image_width = side;
    product->cuts_sum = is_weight_gradient;
    work.bytes = 4 * (pixels * (in + out) + k * out);
    return work;
}

/* Filters of 3 x 3 and 5 x 5 are transformed, on images that are at least twice
 * as wide; the gradient of a filter of 3 x 3 also needs 128 channels. */
static void test_winograd_needs_its_filters_images_and_channels(void **state)
{
    static const struct {
        uint64_t side, filter, in, out;
        gboolean is_weight_gradient;
        uint64_t points; /* of a transformed tile; 0: none is transformed */
    } rows[] = {
        { 16, 5, 256, 256, FALSE, 64 }, { 16, 5, 64, 64, TRUE, 64 },
        { 9, 5, 256, 256, FALSE, 0 },   { 5, 3, 256, 256, FALSE, 0 },
        { 16, 4, 256, 256, FALSE, 0 },  { 16, 3, 64, 64, TRUE, 0 },
        { 16, 3, 128, 64, TRUE, 36 },   { 16, 3, 64, 128, TRUE, 36 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        PrecisionConfig config = fp32;
        ProductNpu npu = npu_with_product_model(&config);
        OpWork work =
            convolution_of_shape(rows[i].side, rows[i].filter, rows[i].in,
                                 rows[i].out, rows[i].is_weight_gradient);
        uint64_t n_tiles = 64 * (rows[i].side / 4) * (rows[i].side / 4);
        uint64_t values =
            n_tiles * (rows[i].in + rows[i].out) + rows[i].in * rows[i].out;

        config.least_tile = 32;
        config.convolution.weight_gradient_ppm = 1000000;
        config.convolution.winograd_ppm = 1;
        assert_int_equal(
            product_choose_tiles(&npu, &work).phase_bytes,
            rows[i].points > 0 ? rows[i].points * 4 * values + work.bytes : 0);
    }
}

static void
test_a_gradient_through_strides_uses_part_of_the_filter(void **state)
{
    const ProductNpu npu = npu_with_product_model(&fp32);
    OpWork work = matrix_product_work(2560, 256, 252);

    (void)state;
    work.flop /= 4;
    work.product.window_height = work.product.window_width = 1;
    work.product.stride_height = work.product.stride_width = 2;
    work.product.image_height = work.product.image_width = 16;
    /* The tile has 63 terms of the sum, at half of the rate. */
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps,
                     63 * (2 * (TILE_PS - 2048) + 2048));
}

/* With a filter of 3 x 3 and a stride of 2, windows overlap. */
static void
test_a_gradient_of_overlapping_windows_has_its_own_share(void **state)
{
    const ProductNpu npu = npu_with_product_model(&fp32);
    OpWork work = matrix_product_work(2560, 256, 252);

    (void)state;
    work.flop /= 4;
    work.product.window_height = work.product.window_width = 3;
    work.product.stride_height = work.product.stride_width = 2;
    work.product.image_height = work.product.image_width = 16;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps,
                     63 * (4 * (TILE_PS - 2048) + 2048));
}

/* The products of steps reach half of the efficiency here, and the product for
 * the gradient of their weights, which is one for all steps, all of it. */
static void test_products_of_recurrent_steps_have_their_own_share(void **state)
{
    const ProductNpu npu = npu_with_product_model(&fp32);
    OpWork work = matrix_product_work(2560, 256, 63);

    (void)state;
    work.product.is_recurrent = TRUE;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps,
                     63 * (2 * (TILE_PS - 2048) + 2048));
    work.product.cuts_sum = TRUE;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps, 63 * TILE_PS);
}

static void test_channels_are_rounded_up_to_granules(void **state)
{
    PrecisionConfig tensor = fp32;
    ProductNpu npu = npu_with_product_model(&tensor);
    OpWork work = matrix_product_work(2560, 256, 3 * 4);

    (void)state;
    npu.n_sms = 1; /* With a single SM, the largest tiles are the best. */
    tensor.flop_per_s /= 10;
    tensor.granule = 8;
    work.product.window_height = work.product.window_width = 2;
    work.product.stride_height = work.product.stride_width = 1;
    work.product.image_height = work.product.image_width = 16;
    tensor.convolution.few_channels_ppm = 1000000;
    /* A product rounds 3 channels up to 8. */
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps,
                     8 * 4 * TILE_PS);
    tensor.convolution.few_channels_ppm = 250000;
    assert_int_equal(product_choose_tiles(&npu, &work).tile_ps,
                     8 * 4 * (4 * (TILE_PS - 2048) + 2048));
}

/* ---- launch overheads of products ---------------------------------------- */

static void test_each_product_family_has_its_launch_overhead(void **state)
{
    OpWork work = matrix_product_work(1, 1, 1);
    const ProductTiles cut = { .n_tiles = 1,
                               .tile_ps = 1,
                               .more_ps = SIM_US(1) };

    (void)state;
    assert_int_equal(product_overhead_ps(&fp32, &work, &cut), SIM_US(4));
    work.n_kernels = 5;
    assert_int_equal(product_overhead_ps(&fp32, &work, &cut), SIM_US(20));
    work.product.window_height = 1;
    assert_int_equal(product_overhead_ps(&fp32, &work, &cut), SIM_US(105));
    work.product.is_recurrent = TRUE;
    assert_int_equal(product_overhead_ps(&fp32, &work, &cut), SIM_US(90));
}

/* ---- matrix products inside an NPU --------------------------------------- */

static NpuConfig npu_with_fp32_section(void)
{
    return (NpuConfig){
        .waves = { .lone_tile_ppm = 850000 },
        .n_sms = 10,
        .clock_hz = GB,
        .flop_per_s = 10000 * GB,
        .efficiency_ppm = 1000000,
        .sm_bytes_per_cycle = 1000,
        .operand_bytes_per_cycle = 1000,
        .launch_ps = SIM_US(2),
        .precisions = { .fp32 = fp32 },
        .hbm = { .bandwidth_bytes_per_s = 1000 * GB,
                 .efficiency_ppm = 1000000 },
    };
}

static void test_a_precision_section_applies_only_to_its_precision(void **state)
{
    const NpuConfig npu = npu_with_fp32_section();
    const ComputeScale no_scale = { 1, 1, FALSE };
    OpWork work = matrix_product_work(2560, 256, 63);
    SimTime lone_ps = (63 * TILE_PS * 100 + 84) / 85;

    (void)state;
    work.bytes = 1000;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 10, 1000 * GB),
                     lone_ps);
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 9, 1000 * GB),
                     2 * 63 * TILE_PS);
    assert_int_equal(kernel_time_ps(&npu, &work, no_scale, 10, 1000 * GB),
                     lone_ps + SIM_US(5));
    /* The precision has no section, so its product is timed like any other
     * kernel. */
    work.precision = PRECISION_FP16;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 10, 1000 * GB),
                     work.flop / 10);
    assert_int_equal(kernel_launch_time_ps(&npu, &work, no_scale), SIM_US(2));
    assert_int_equal(compute_tiles_of_work(&npu, &work).n_tiles, 0);
    work.precision = PRECISION_FP32;
    work.product = (OpProduct){ 0 };
    assert_int_equal(compute_tiles_of_work(&npu, &work).n_tiles, 0);
}

static void test_products_reach_a_part_of_the_bandwidth(void **state)
{
    NpuConfig npu = npu_with_fp32_section();
    OpWork work = matrix_product_work(2560, 256, 63);

    (void)state;
    npu.precisions.fp32.memory_ppm = 500000;
    work.bytes = 100000000;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 10, 1000 * GB),
                     SIM_US(200));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 10, 400 * GB),
                     SIM_US(250));
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &work, 10), 500 * GB);
    /* The time is lone_ps of
     * test_a_precision_section_applies_only_to_its_precision(). */
    work.bytes = 1000;
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &work, 10),
                     1000 * UINT64_C(1000000000000) /
                         ((63 * TILE_PS * 100 + 84) / 85));
}

static void test_a_chosen_product_split_is_kept(void **state)
{
    const NpuConfig npu = npu_with_fp32_section();
    OpWork work = matrix_product_work(2560, 256, 630);
    SimTime ps = kernel_roofline_time_ps(&npu, &work, 7, 300 * GB);

    (void)state;
    work.cut = compute_tiles_of_work(&npu, &work);
    assert_true(work.cut.n_tiles > 0);
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 7, 300 * GB), ps);
    work.cut.tile_ps *= 2;
    assert_int_equal(compute_tiles_of_work(&npu, &work).tile_ps,
                     work.cut.tile_ps);
}

static void test_the_time_of_repeated_kernels_is_a_multiple(void **state)
{
    const NpuConfig npu = npu_with_fp32_section();
    const OpWork one = matrix_product_work(2560, 256, 63);
    OpWork many = one;

    (void)state;
    many.n_kernels = 7;
    many.flop *= 7;
    many.bytes *= 7;
    assert_int_equal(kernel_roofline_time_ps(&npu, &many, 10, 1000 * GB),
                     7 * kernel_roofline_time_ps(&npu, &one, 10, 1000 * GB));
}

/* A kernel is never faster with a smaller share of SMs or bandwidth. */
static void test_a_smaller_share_never_speeds_up_a_product(void **state)
{
    NpuConfig npu = npu_with_fp32_section();
    const OpWork works[] = { matrix_product_work(4096, 300, 4096),
                             convolution_op_work(FALSE),
                             convolution_op_work(TRUE),
                             matrix_product_work(5000, 8, 700) };

    (void)state;
    npu.precisions.fp32.least_tile = 32;
    npu.precisions.fp32.narrow_ppm = 200000;
    npu.precisions.fp32.convolution.winograd_ppm = 800000;
    for (guint i = 0; i < G_N_ELEMENTS(works); i++)
        for (uint64_t s = 2; s <= 10; s++)
            for (uint64_t b = 200 * GB; b <= 1000 * GB; b += 200 * GB) {
                SimTime ps = kernel_roofline_time_ps(&npu, &works[i], s, b);

                assert_true(
                    kernel_roofline_time_ps(&npu, &works[i], s - 1, b) >= ps);
                assert_true(kernel_roofline_time_ps(&npu, &works[i], s,
                                                    b - 100 * GB) >= ps);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tile_takes_the_time_of_arithmetic_and_operands),
        cmocka_unit_test(test_a_tile_takes_the_longer_time_if_operands_overlap),
        cmocka_unit_test(test_a_tile_alone_on_its_sm_is_slower),
        cmocka_unit_test(test_co_resident_tiles_take_170_percent_of_one),
        cmocka_unit_test(
            test_small_tiles_are_chosen_if_large_ones_leave_sms_idle),
        cmocka_unit_test(test_a_long_sum_of_few_results_is_split),
        cmocka_unit_test(test_a_narrow_product_is_split_freely),
        cmocka_unit_test(test_without_algorithm_search_there_is_no_winograd),
        cmocka_unit_test(test_winograd_trades_bytes_for_arithmetic),
        cmocka_unit_test(test_winograd_of_2_x_2_depends_on_its_efficiency),
        cmocka_unit_test(
            test_a_gradient_through_strides_uses_part_of_the_filter),
        cmocka_unit_test(
            test_a_gradient_of_overlapping_windows_has_its_own_share),
        cmocka_unit_test(test_winograd_needs_its_filters_images_and_channels),
        cmocka_unit_test(test_products_of_recurrent_steps_have_their_own_share),
        cmocka_unit_test(test_channels_are_rounded_up_to_granules),
        cmocka_unit_test(test_each_product_family_has_its_launch_overhead),
        cmocka_unit_test(
            test_a_precision_section_applies_only_to_its_precision),
        cmocka_unit_test(test_products_reach_a_part_of_the_bandwidth),
        cmocka_unit_test(test_a_chosen_product_split_is_kept),
        cmocka_unit_test(test_the_time_of_repeated_kernels_is_a_multiple),
        cmocka_unit_test(test_a_smaller_share_never_speeds_up_a_product),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
