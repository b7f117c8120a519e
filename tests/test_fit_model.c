/*
 * Tests of validate/fit: what the models say of a measured kernel, against
 * times worked out by hand.
 */
#include "tests/test_fit_model.h"

static void check(const GpuModel *model, const Measured *m,
                  const Measured *partner, double expected_us)
{
    double us = 0;

    assert_true(gpu_model_predict(model, m, partner, &us));
    assert_near(us, expected_us, expected_us * 1e-5);
}

static void test_a_reduction_reads_what_it_has_in_flight(void **state)
{
    GpuModel model = gpu();
    Measured m = row("reduce");

    (void)state;
    m.read_bytes = 2000000;
    m.write_bytes = 1000000;
    m.bytes_in_flight = 10000;
    m.n_sms = 10; /* 200 GB/s are read; writes ride along */
    check(&model, &m, NULL, 2 + 10);
    m.bytes_in_flight = 40000; /* the port: 40 GB/s each */
    check(&model, &m, NULL, 2 + 7.5);
    model.values[GPU_PORT_WRITE] = 0; /* 40 GB/s of reads */
    check(&model, &m, NULL, 2 + 5);
    m.n_sms = 100; /* the mix: 1000 (1 - 0.1 x 4 x 2/3 x 1/3) GB/s */
    check(&model, &m, NULL, 2 + 3 / (1 - 0.1 * 8 / 9));
}

/* Both limits are 40 GB/s: 40 x 2 / (1 + 1 + sqrt(4 - 4 (1 - q))). */
static void test_queueing_softens_the_lesser_of_two_limits(void **state)
{
    GpuModel model = gpu();

    (void)state;
    assert_near(gpu_model_sm_rate(&model, 20000, 1), 40, 1e-9);
    model.values[GPU_PORT_QUEUEING] = 0.25;
    assert_near(gpu_model_sm_rate(&model, 20000, 1), 40 / 1.5, 1e-9);
    assert_near(gpu_model_sm_rate(&model, 0, 1), 40, 1e-9);
}

/* 101 tiles of 128 x 128 x 10000 at 1 TFLOPS an SM: 327.68 us each. */
static void test_a_product_goes_in_waves_at_its_own_rate(void **state)
{
    GpuModel model = gpu();
    Measured m = row("own");

    (void)state;
    m.m = 128 * 101;
    m.n = 128;
    m.k = 10000;
    m.flop = 2 * m.m * m.n * m.k;
    check(&model, &m, NULL, 2 + 2 * 327.68);
    model.values[GPU_OWN_DEPTH] = 100;
    check(&model, &m, NULL, 2 + 2 * 327.68 * 1.01);
    m.m -= 100; /* the last tile is not full, but whole in time */
    check(&model, &m, NULL, 2 + 2 * 327.68 * 1.01);
}

/* 400 tiles of 256 x 128 x 4096 at 4 TFLOPS an SM: 67.1 us each, 4 waves. */
static void test_a_library_counts_on_sms_that_it_is_not_told_of(void **state)
{
    GpuModel model = gpu();
    Measured m = row("cublas");
    const double wave_us = 2 * 256 * 128 * 4096 / 4e6;

    (void)state;
    m.m = 256 * 20;
    m.n = 128 * 20;
    m.k = 4096;
    m.flop = 2 * m.m * m.n * m.k;
    check(&model, &m, NULL, 2 + 4 * wave_us);
    m.beside = "idle";
    m.beside_n_sms = 1;
    m.n_sms = 99;
    check(&model, &m, NULL, 2 + 5 * wave_us);
    model.library_stays = TRUE;
    check(&model, &m, NULL, 2 + 8 * wave_us);
    m.kernel = "cublas-told"; /* it takes 3200 tiles of 64 x 64 */
    check(&model, &m, NULL, 2 + 33 * wave_us / 8);
}

static void test_a_lookup_has_its_part_of_the_bandwidth(void **state)
{
    GpuModel model = gpu();
    Measured m = row("lookup");

    (void)state;
    m.read_bytes = 10000000;
    m.batch = 1000000;
    m.dim = 64;
    m.pooling = 32;
    check(&model, &m, NULL, 2 + 20);
    model.values[GPU_ROW_LOSS] = 256; /* as long as the row itself */
    check(&model, &m, NULL, 2 + 40);
}

/* 100 bags of 16 threads: 16 an SM, 8 rows of 16 bytes each, half of the time:
 * 1024 bytes in 500 ns on each SM. */
static void test_few_bags_do_not_fill_the_memory(void **state)
{
    const GpuModel model = gpu();
    Measured m = row("lookup");

    (void)state;
    m.read_bytes = 1024000;
    m.batch = 100;
    m.dim = 64;
    m.pooling = 8;
    check(&model, &m, NULL, 2 + 5);
}

static void test_an_engine_copies_after_its_setup(void **state)
{
    const GpuModel model = gpu();
    Measured m = row("memcpy-d2h");

    (void)state;
    m.n_sms = 0;
    m.bytes = m.read_bytes = 1000000;
    check(&model, &m, NULL, 5 + 20);
}

static void test_two_kernels_share_what_neither_can_have_alone(void **state)
{
    GpuModel model = gpu();
    Measured compute = row("read"), partner = row("reduce");

    (void)state;
    compute.read_bytes = 10000000;
    compute.beside = "reduce";
    compute.beside_n_sms = 30; /* 70 SMs could draw 2800 GB/s */
    partner.read_bytes = 1000000;
    partner.n_sms = 30;
    partner.bytes_in_flight = 10000; /* 600 GB/s */
    partner.beside = "stream";
    partner.beside_n_sms = 100; /* its partner's grid is for all of them */
    check(&model, &compute, &partner, 2 + 10 / 0.7); /* by SMs: 70 to 30 */
    model.values[GPU_CONFLICT] = 0.2;
    check(&model, &compute, &partner, 2 + 10 / 0.7 / 0.8);
    model.values[GPU_CONFLICT] = 0;
    model.values[GPU_WEIGHT] = 3;   /* 70 to 90 */
    partner.bytes_in_flight = 5000; /* it cannot use more than 300 */
    check(&model, &compute, &partner, 2 + 10 / 0.7);
    model.values[GPU_WEIGHT] = 1;
    partner.bytes_in_flight = 10000;
    partner.n_sms = compute.beside_n_sms = 10; /* 90 to 10 */
    check(&model, &partner, &compute, 2 + 10);
}

/* 1000 GB/s for both; the copy is read and written. */
static void test_an_engine_shares_by_its_own_weight(void **state)
{
    GpuModel model = gpu();
    Measured compute = row("read"), partner = row("memcpy-d2d");

    (void)state;
    model.values[GPU_ON_DEVICE] = 400;
    model.values[GPU_DEVICE_SETUP] = 1;
    model.values[GPU_TURNAROUND] = 0;
    model.values[GPU_ENGINE_WEIGHT] = 0.25;
    compute.read_bytes = 10000000;
    compute.beside = "engine-d2d";
    partner.n_sms = 0;
    partner.bytes = partner.read_bytes = partner.write_bytes = 1000000;
    partner.beside = "stream";
    check(&model, &compute, &partner, 2 + 12.5); /* 800 to 200 */
    check(&model, &partner, &compute, (1 + 2.5) * 4);
}

static void test_beside_nothing_a_kernel_has_the_sms_that_are_left(void **state)
{
    const GpuModel model = gpu();
    Measured m = row("own");

    (void)state;
    m.m = 128;
    m.n = 128 * 160; /* 2 waves on 80 SMs */
    m.k = 1000;
    m.beside = "idle";
    m.beside_n_sms = 20;
    check(&model, &m, NULL, 2 + 2 * 32.768);
}

static void test_launches_of_nothing_are_not_predicted(void **state)
{
    const GpuModel model = gpu();
    Measured m = row("empty-single");
    double us;

    (void)state;
    assert_false(gpu_model_predict(&model, &m, NULL, &us));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_reduction_reads_what_it_has_in_flight),
        cmocka_unit_test(test_queueing_softens_the_lesser_of_two_limits),
        cmocka_unit_test(test_a_product_goes_in_waves_at_its_own_rate),
        cmocka_unit_test(test_a_library_counts_on_sms_that_it_is_not_told_of),
        cmocka_unit_test(test_a_lookup_has_its_part_of_the_bandwidth),
        cmocka_unit_test(test_few_bags_do_not_fill_the_memory),
        cmocka_unit_test(test_an_engine_copies_after_its_setup),
        cmocka_unit_test(test_two_kernels_share_what_neither_can_have_alone),
        cmocka_unit_test(test_an_engine_shares_by_its_own_weight),
        cmocka_unit_test(
            test_beside_nothing_a_kernel_has_the_sms_that_are_left),
        cmocka_unit_test(test_launches_of_nothing_are_not_predicted),
    };

    return cmocka_run_group_tests_name("fit-model", tests, NULL, NULL);
}
