/* test_kernel_time.c - Tests of models/npu/kernel_time.c. */
#include "tests/test.h"

#include "models/npu/kernel_time.h"

#define GB UINT64_C(1000000000)

/* The NPU reaches half of 100 TFLOPS, 64 GB/s per SM and 900 GB/s in total. */
static const NpuConfig npu = {
    .n_sms = 80,
    .clock_hz = 1000000000,
    .flop_per_s = 100000 * GB,
    .efficiency_ppm = 500000,
    .sm_bytes_per_cycle = 64,
    .port_sharing_ppm = 1000000,
    .port_queueing_ppm = 1000000,
    .hbm = { .bandwidth_bytes_per_s = 900 * GB, .efficiency_ppm = 1000000 },
};

static const ComputeScale no_scale = { 1, 1, FALSE };

/* ---- roofline of a kernel ------------------------------------------------ */

static void test_arithmetic_time_is_inverse_to_the_number_of_sms(void **state)
{
    const OpWork work = { .flop = GB };

    (void)state;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 900 * GB),
                     SIM_US(20));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 0), SIM_US(20));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 40, 900 * GB),
                     SIM_US(40));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 3, 900 * GB),
                     533333334);
}

static void test_memory_time_follows_the_share_of_the_bandwidth(void **state)
{
    const OpWork work = { .flop = 1, .bytes = 1000000 };

    (void)state;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 100 * GB),
                     SIM_US(10));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 300 * GB),
                     3333334);
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 40, 300 * GB),
                     3333334);
}

static void test_few_sms_are_limited_by_their_own_bandwidth(void **state)
{
    const OpWork work = { .bytes = 1280000 };

    (void)state;
    assert_int_equal(npu_sms_max_bytes_per_s(&npu, 2), 128 * GB);
    assert_int_equal(npu_sms_max_bytes_per_s(&npu, 0), 0);
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 2, 900 * GB),
                     SIM_US(10));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 1, 900 * GB),
                     SIM_US(20));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 4, 200 * GB),
                     6400000);
}

/* An SM moves 16,000 B per round trip, which takes 500 ns of latency and 250 ns
 * in the SM's port. */
static void test_bytes_in_flight_over_latency_limit_an_sm(void **state)
{
    NpuConfig config = npu;

    (void)state;
    config.sm_in_flight_bytes = 16000;
    config.memory_latency_ps = SIM_NS(500);
    assert_int_equal(npu_sms_max_bytes_per_s(&config, 3), 64 * GB);
}

/* 6,400 B in flight take 100 ns in the port. Blocks start in 200 ns, loads have
 * a latency of 500 ns, stores of 100 ns. The rates per SM are thus 8 GB/s for
 * reads, 16 GB/s for writes and 7.1 GB/s for copies. */
static void test_loads_and_stores_have_separate_latencies(void **state)
{
    NpuConfig config = npu;
    OpWork reads = { .bytes = 2, .in_flight_bytes = 6400 };
    OpWork writes = { .bytes = 2, .written_bytes = 2, .in_flight_bytes = 6400 };
    OpWork copies = { .bytes = 2, .written_bytes = 1, .in_flight_bytes = 6400 };

    (void)state;
    config.memory_latency_ps = SIM_NS(500);
    config.store_latency_ps = SIM_NS(100);
    config.block_start_ps = SIM_NS(200);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 10), 80 * GB);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &writes, 10),
                     160 * GB);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &copies, 10),
                     71111111111);
    config.sm_in_flight_bytes =
        3200; /* The smaller limit holds: bytes take 50 ns in the port. */
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 10),
                     42666666666);
    reads.in_flight_bytes =
        0; /* Without a limit of the operation, the limit of the SM holds. */
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 10),
                     42666666666);
    assert_int_equal(npu_sms_max_bytes_per_s(&config, 10), 42666666666);
}

/* 6,400 B take 500 ns to load and 100 ns to store; blocks start in 200 ns. The
 * port takes 100 ns more.  A persistent copy waits for its loads alone, and a
 * persistent write for its stores alone. */
static void test_persistent_kernels_start_no_blocks(void **state)
{
    NpuConfig config = npu;
    OpWork reads = { .bytes = 2, .in_flight_bytes = 6400 };
    OpWork writes = { .bytes = 2, .written_bytes = 2, .in_flight_bytes = 6400 };
    OpWork copies = { .bytes = 2, .written_bytes = 1, .in_flight_bytes = 6400 };

    (void)state;
    config.memory_latency_ps = SIM_NS(500);
    config.store_latency_ps = SIM_NS(100);
    config.block_start_ps = SIM_NS(200);
    reads.is_persistent = writes.is_persistent = copies.is_persistent = 1;
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 10),
                     106666666666);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &copies, 10),
                     106666666666);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &writes, 10),
                     320 * GB);
}

/* The port stores half as fast as it loads.  A copy on one SM that loads and
 * stores at once takes the time of its stores. */
static void test_loads_and_stores_have_separate_ports(void **state)
{
    NpuConfig config = npu;
    OpWork reads = { .bytes = 2 };
    OpWork writes = { .bytes = 2, .written_bytes = 2 };
    OpWork copies = { .bytes = 2, .written_bytes = 1 };

    (void)state;
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &writes, 1), 64 * GB);
    config.sm_store_bytes_per_cycle = 32;
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 1), 64 * GB);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &writes, 1), 32 * GB);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &copies, 1),
                     42666666666);
    config.port_sharing_ppm = 0;
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &copies, 1), 64 * GB);
    assert_int_equal(npu_supply_of_sms_bytes_per_s(&config, &copies, 80),
                     5120 * GB);
    assert_int_equal(npu_supply_of_sms_bytes_per_s(&config, NULL, 2), 128 * GB);
}

/* An SM does not wait for its stores, so their roofline has a sharp knee. */
static void test_queueing_affects_only_loads(void **state)
{
    NpuConfig config = npu;
    OpWork writes = { .bytes = 1, .written_bytes = 1 };
    OpWork reads = { .bytes = 1 };

    (void)state;
    config.queueing_ppm = 1000000;
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &writes, 9), 576 * GB);
    assert_int_equal(npu_kernel_max_bytes_per_s(&config, &reads, 9),
                     351219512195);
}

/* A copy reaches 810 of 900 GB/s (turnaround), a write 720 GB/s (write
 * loss). */
static void test_the_mix_of_reads_and_writes_limits_a_kernel(void **state)
{
    NpuConfig config = npu;
    OpWork work = { .bytes = 8100000, .written_bytes = 4050000 };

    (void)state;
    config.hbm.turnaround_ppm = 100000;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 900 * GB),
                     SIM_US(10));
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 405 * GB),
                     SIM_US(20));
    config.hbm.turnaround_ppm = 0;
    config.hbm.write_loss_ppm = 200000;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 900 * GB),
                     SIM_US(10));
    work.written_bytes = work.bytes = 7200000;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 900 * GB),
                     SIM_US(10));
    assert_int_equal(kernel_demand_bytes_per_s(&config, &work, 80), 720 * GB);
}

/* With U = 900 GB/s usable and S supplied by the SMs, the rate is min(S, U)
 * without queueing and U S / (U + S) with full queueing (q = 1). */
static void test_queueing_softens_the_roofline_knee(void **state)
{
    NpuConfig config = npu;
    uint64_t soft[3];

    (void)state;
    config.queueing_ppm = 1000000;
    assert_int_equal(npu_sms_max_bytes_per_s(&config, 9), 351219512195);
    assert_int_equal(npu_sms_max_bytes_per_s(&config, 0), 0);
    config.queueing_ppm = 1;
    assert_in_range(npu_sms_max_bytes_per_s(&config, 1), 63999900000, 64 * GB);
    assert_in_range(npu_sms_max_bytes_per_s(&config, 80), 899 * GB, 900 * GB);
    for (int i = 0; i < 3; i++) {
        config.queueing_ppm = (uint64_t)(i + 1) * 250000;
        soft[i] = npu_sms_max_bytes_per_s(&config, 14);
    }
    assert_true(soft[0] > soft[1] && soft[1] > soft[2]);
    /* With q = 1/2, the rate is U + S - sqrt(U^2 + S^2), with S = 896 GB/s. */
    assert_in_range(soft[1], 526033071296, 526033071297);
}

static void test_tiles_run_in_whole_waves(void **state)
{
    OpWork work = { .flop = GB, .product = { .m = 1000, .n = 80, .k = 1 } };
    NpuConfig config = npu;

    (void)state;
    config.tile_results = 1000;
    config.waves.lone_tile_ppm = 1000000;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0),
                     SIM_US(20));
    /* 79 SMs need two waves, the second with one tile. The time is rounded up
     * twice. */
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 79, 0),
                     SIM_US(40) + 1);
    work.product = (OpProduct){ .m = 39 * 1000 + 1, .n = 1, .k = 1 };
    /* 40 tiles keep at most 40 SMs busy. */
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0),
                     SIM_US(40));
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 40, 0),
                     SIM_US(40));
    work.product.cuts_sum = TRUE;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0),
                     SIM_US(20));
}

static void
test_a_product_of_one_wave_may_be_slower_than_its_share(void **state)
{
    const OpWork work = { .flop = GB,
                          .product = { .m = 1000, .n = 80, .k = 1 } };
    NpuConfig config = npu;

    (void)state;
    config.tile_results = 1000;
    config.waves.lone_tile_ppm = 800000;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0),
                     SIM_US(25));
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 40, 0),
                     SIM_US(40));
    config.waves.is_persistent = TRUE;
    config.tile_results = 100; /* Each persistent block computes ten tiles. */
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0),
                     SIM_US(20));
    assert_in_range(kernel_roofline_time_ps(&config, &work, 79, 0), SIM_US(40),
                    SIM_US(40) + 1);
}

static void test_blocks_of_products_by_shape_may_be_persistent(void **state)
{
    const OpWork work = { .flop = 1,
                          .precision = PRECISION_FP32,
                          .product = { .m = 1, .n = 1, .k = 1 },
                          .cut = { .n_tiles = 1600, .tile_ps = 1000 } };
    NpuConfig config = npu;

    (void)state;
    config.waves.lone_tile_ppm = 850000;
    config.precisions.fp32 =
        (PrecisionConfig){ .flop_per_s = GB, .memory_ppm = 1000000 };
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0), 20000);
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 79, 0), 21000);
    config.waves.is_persistent = TRUE;
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 80, 0), 20000);
    assert_int_equal(kernel_roofline_time_ps(&config, &work, 79, 0), 40000);
}

static void
test_the_roofline_is_the_longer_of_compute_and_memory_time(void **state)
{
    const OpWork work = { .flop = GB, .bytes = 9000000 };

    (void)state;
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 900 * GB),
                     SIM_US(20));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 450 * GB),
                     SIM_US(20));
    assert_int_equal(kernel_roofline_time_ps(&npu, &work, 80, 400 * GB),
                     22500000);
}

static void test_a_kernel_without_resources_never_ends(void **state)
{
    const OpWork flop = { .flop = 1 }, bytes = { .bytes = 1 }, none = { 0 };

    (void)state;
    assert_true(kernel_roofline_time_ps(&npu, &flop, 0, 900 * GB) ==
                SIM_TIME_MAX);
    assert_true(kernel_roofline_time_ps(&npu, &bytes, 80, 0) == SIM_TIME_MAX);
    assert_true(kernel_roofline_time_ps(&npu, &bytes, 0, 900 * GB) ==
                SIM_TIME_MAX);
    assert_true(kernel_time_ps(&npu, &flop, no_scale, 0, 0) == SIM_TIME_MAX);
    assert_true(kernel_time_ps(&npu, &bytes, (ComputeScale){ 1, 2, TRUE }, 0,
                               0) == SIM_TIME_MAX);
    assert_int_equal(kernel_roofline_time_ps(&npu, &none, 0, 0), 0);
}

/* Returns ceil(flop x S / (peak x efficiency x s)), computed independently of
 * the model. */
static SimTime exact_compute_time_ps(const NpuConfig *config, uint64_t flop,
                                     uint64_t n_sms)
{
    SimWide num = (SimWide)flop * config->n_sms * 1000000;
    SimWide den = (SimWide)config->flop_per_s / 1000000 *
                  config->efficiency_ppm * n_sms / 1000000;

    return (SimTime)((num + den - 1) / den);
}

static void test_flops_round_up_once_for_any_number_of_sms(void **state)
{
    GRand *rand = g_rand_new_with_seed(32);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        NpuConfig config = npu;
        OpWork work = { .flop = (uint64_t)g_rand_int(rand) };
        uint64_t n_sms;

        config.n_sms = (uint64_t)g_rand_int_range(rand, 1, 200);
        config.efficiency_ppm =
            (uint64_t)g_rand_int_range(rand, 1, 101) * 10000;
        n_sms = (uint64_t)g_rand_int_range(rand, 1, (int)config.n_sms + 1);
        assert_int_equal(kernel_roofline_time_ps(&config, &work, n_sms, 0),
                         exact_compute_time_ps(&config, work.flop, n_sms));
    }
    g_rand_free(rand);
}

/* ---- time and bandwidth demand of a kernel ------------------------------- */

static void test_kernel_launch_time_is_added(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB };

    (void)state;
    config.launch_ps = SIM_US(5);
    assert_int_equal(kernel_time_ps(&config, &work, no_scale, 80, 0),
                     SIM_US(25));
    assert_int_equal(kernel_time_ps(&config, &work, no_scale, 40, 0),
                     SIM_US(45));
    assert_int_equal(
        kernel_time_ps(&config, &work, (ComputeScale){ 3, 2, FALSE }, 40, 0),
        SIM_US(65));
}

static void test_each_of_several_kernels_is_launched(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB, .n_kernels = 50 };
    const ComputeScale measured = { SIM_US(7), SIM_US(20), TRUE };

    (void)state;
    config.launch_ps = SIM_US(2);
    assert_int_equal(kernel_launch_time_ps(&config, &work, no_scale),
                     SIM_US(100));
    assert_int_equal(kernel_time_ps(&config, &work, no_scale, 80, 0),
                     SIM_US(120));
    assert_int_equal(kernel_time_ps(&config, &work, measured, 80, 0),
                     SIM_US(7));
}

static void test_a_measured_kernel_time_grows_with_fewer_sms(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB };
    const ComputeScale scale = { SIM_US(7), SIM_US(20), TRUE };

    (void)state;
    config.launch_ps = SIM_US(5);
    assert_int_equal(kernel_time_ps(&config, &work, scale, 80, 0), SIM_US(7));
    assert_int_equal(kernel_time_ps(&config, &work, scale, 40, 0), SIM_US(14));
    /* The expected time is ceil(533333334 x 7 / 20) ps. */
    assert_int_equal(kernel_time_ps(&config, &work, scale, 3, 0), 186666667);
}

static void test_a_fixed_kernel_time_is_independent_of_the_share(void **state)
{
    const OpWork none = { 0 };
    const ComputeScale fixed = { 12345, 0, TRUE };

    (void)state;
    assert_int_equal(kernel_time_ps(&npu, &none, fixed, 80, 900 * GB), 12345);
    assert_int_equal(kernel_time_ps(&npu, &none, fixed, 1, 0), 12345);
}

static void
test_kernel_demand_is_the_bandwidth_that_keeps_sms_busy(void **state)
{
    const OpWork balanced = { .flop = GB, .bytes = 2000000 };
    const OpWork hungry = { .flop = GB, .bytes = 1000 * GB };
    const OpWork only_bytes = { .bytes = 5 }, only_flop = { .flop = 5 };

    (void)state;
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &balanced, 80), 100 * GB);
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &balanced, 40), 50 * GB);
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &hungry, 80), 5120 * GB);
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &hungry, 2), 128 * GB);
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &only_bytes, 2), 128 * GB);
    assert_int_equal(kernel_demand_bytes_per_s(&npu, &only_flop, 80), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic_time_is_inverse_to_the_number_of_sms),
        cmocka_unit_test(test_memory_time_follows_the_share_of_the_bandwidth),
        cmocka_unit_test(test_few_sms_are_limited_by_their_own_bandwidth),
        cmocka_unit_test(test_bytes_in_flight_over_latency_limit_an_sm),
        cmocka_unit_test(test_loads_and_stores_have_separate_latencies),
        cmocka_unit_test(test_persistent_kernels_start_no_blocks),
        cmocka_unit_test(test_loads_and_stores_have_separate_ports),
        cmocka_unit_test(test_queueing_affects_only_loads),
        cmocka_unit_test(test_the_mix_of_reads_and_writes_limits_a_kernel),
        cmocka_unit_test(test_queueing_softens_the_roofline_knee),
        cmocka_unit_test(test_tiles_run_in_whole_waves),
        cmocka_unit_test(
            test_a_product_of_one_wave_may_be_slower_than_its_share),
        cmocka_unit_test(test_blocks_of_products_by_shape_may_be_persistent),
        cmocka_unit_test(
            test_the_roofline_is_the_longer_of_compute_and_memory_time),
        cmocka_unit_test(test_a_kernel_without_resources_never_ends),
        cmocka_unit_test(test_flops_round_up_once_for_any_number_of_sms),
        cmocka_unit_test(test_kernel_launch_time_is_added),
        cmocka_unit_test(test_each_of_several_kernels_is_launched),
        cmocka_unit_test(test_a_measured_kernel_time_grows_with_fewer_sms),
        cmocka_unit_test(test_a_fixed_kernel_time_is_independent_of_the_share),
        cmocka_unit_test(
            test_kernel_demand_is_the_bandwidth_that_keeps_sms_busy),
    };

    return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
}
