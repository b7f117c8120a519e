/* Tests of models/compute.c */
#include "tests/test.h"

#include "models/compute.h"

#define GB UINT64_C(1000000000)

/* 100 TFLOPS of which half is reached, 64 GB/s an SM, 900 GB/s in all. */
static const NpuConfig npu = {
    .n_sms = 80,
    .clock_hz = 1000000000,
    .flop_per_s = 100000 * GB,
    .efficiency_ppm = 500000,
    .sm_bytes_per_cycle = 64,
    .hbm = { .bandwidth_bytes_per_s = 900 * GB, .efficiency_ppm = 1000000 },
};

static const ComputeScale no_scale = { 1, 1, FALSE };

/* ---- roofline --------------------------------------------------------- */

static void test_flops_bind_in_proportion_to_the_sms(void **state)
{
    const OpWork work = { .flop = GB };

    (void)state;
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 900 * GB),
                     SIM_US(20));
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 0), SIM_US(20));
    assert_int_equal(compute_roofline_ps(&npu, &work, 40, 900 * GB),
                     SIM_US(40));
    assert_int_equal(compute_roofline_ps(&npu, &work, 3, 900 * GB), 533333334);
}

static void test_bytes_bind_at_the_share_of_the_bandwidth(void **state)
{
    const OpWork work = { .flop = 1, .bytes = 1000000 };

    (void)state;
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 100 * GB),
                     SIM_US(10));
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 300 * GB), 3333334);
    assert_int_equal(compute_roofline_ps(&npu, &work, 40, 300 * GB), 3333334);
}

static void test_few_sms_draw_no_more_than_their_bandwidth(void **state)
{
    const OpWork work = { .bytes = 1280000 };

    (void)state;
    assert_int_equal(npu_sm_bytes_per_s(&npu, 2), 128 * GB);
    assert_int_equal(npu_sm_bytes_per_s(&npu, 0), 0);
    assert_int_equal(compute_roofline_ps(&npu, &work, 2, 900 * GB), SIM_US(10));
    assert_int_equal(compute_roofline_ps(&npu, &work, 1, 900 * GB), SIM_US(20));
    assert_int_equal(compute_roofline_ps(&npu, &work, 4, 200 * GB), 6400000);
}

static void test_bytes_in_flight_over_latency_bind_an_sm(void **state)
{
    NpuConfig config = npu;

    (void)state;
    config.sm_in_flight_bytes = 16000;
    config.memory_latency_ps = SIM_NS(500);
    assert_int_equal(npu_sm_bytes_per_s(&config, 3), 96 * GB);
    config.memory_latency_ps = SIM_NS(100); /* the port: 64 GB/s */
    assert_int_equal(npu_sm_bytes_per_s(&config, 3), 192 * GB);
}

/* With U = 900 GB/s: the lesser of supply and U, or U S / (U + S). */
static void test_queueing_softens_the_knee(void **state)
{
    NpuConfig config = npu;
    uint64_t soft[3];

    (void)state;
    config.queueing_ppm = 1000000;
    assert_int_equal(npu_sm_bytes_per_s(&config, 9), 351219512195);
    assert_int_equal(npu_sm_bytes_per_s(&config, 0), 0);
    config.queueing_ppm = 1;
    assert_in_range(npu_sm_bytes_per_s(&config, 1), 63999900000, 64 * GB);
    assert_in_range(npu_sm_bytes_per_s(&config, 80), 899 * GB, 900 * GB);
    for (int i = 0; i < 3; i++) {
        config.queueing_ppm = (uint64_t)(i + 1) * 250000;
        soft[i] = npu_sm_bytes_per_s(&config, 14);
    }
    assert_true(soft[0] > soft[1] && soft[1] > soft[2]);
    /* q = 1/2: (U + S - sqrt(U^2 + S^2)) with S = 896 */
    assert_in_range(soft[1], 526033071296, 526033071297);
}

static void test_tiles_are_worked_off_in_whole_waves(void **state)
{
    OpWork work = { .flop = GB, .product = { .m = 1000, .n = 80, .k = 1 } };
    NpuConfig config = npu;

    (void)state;
    config.tile_results = 1000;
    assert_int_equal(compute_roofline_ps(&config, &work, 80, 0), SIM_US(20));
    /* 2 waves on 79 SMs, the second with one tile; rounded up twice */
    assert_int_equal(compute_roofline_ps(&config, &work, 79, 0),
                     SIM_US(40) + 1);
    work.product = (OpProduct){ .m = 39 * 1000 + 1, .n = 1, .k = 1 };
    /* 40 tiles, on 80 SMs or on 40 */
    assert_int_equal(compute_roofline_ps(&config, &work, 80, 0), SIM_US(40));
    assert_int_equal(compute_roofline_ps(&config, &work, 40, 0), SIM_US(40));
    work.product.cuts_sum = TRUE;
    assert_int_equal(compute_roofline_ps(&config, &work, 80, 0), SIM_US(20));
}

static void test_the_longer_of_flops_and_bytes_counts(void **state)
{
    const OpWork work = { .flop = GB, .bytes = 9000000 };

    (void)state;
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 900 * GB),
                     SIM_US(20));
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 450 * GB),
                     SIM_US(20));
    assert_int_equal(compute_roofline_ps(&npu, &work, 80, 400 * GB), 22500000);
}

static void test_work_with_nothing_to_do_it_with_never_ends(void **state)
{
    const OpWork flop = { .flop = 1 }, bytes = { .bytes = 1 }, none = { 0 };

    (void)state;
    assert_true(compute_roofline_ps(&npu, &flop, 0, 900 * GB) == SIM_TIME_MAX);
    assert_true(compute_roofline_ps(&npu, &bytes, 80, 0) == SIM_TIME_MAX);
    assert_true(compute_roofline_ps(&npu, &bytes, 0, 900 * GB) == SIM_TIME_MAX);
    assert_true(compute_time_ps(&npu, &flop, no_scale, 0, 0) == SIM_TIME_MAX);
    assert_true(compute_time_ps(&npu, &bytes, (ComputeScale){ 1, 2, TRUE }, 0,
                                0) == SIM_TIME_MAX);
    assert_int_equal(compute_roofline_ps(&npu, &none, 0, 0), 0);
}

/* ceil(flop x S / (peak x efficiency x s)), written down once more. */
static SimTime exact_flop_ps(const NpuConfig *config, uint64_t flop,
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
        assert_int_equal(compute_roofline_ps(&config, &work, n_sms, 0),
                         exact_flop_ps(&config, work.flop, n_sms));
    }
    g_rand_free(rand);
}

/* ---- time and demand -------------------------------------------------- */

static void test_launching_a_kernel_comes_on_top(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB };

    (void)state;
    config.launch_ps = SIM_US(5);
    assert_int_equal(compute_time_ps(&config, &work, no_scale, 80, 0),
                     SIM_US(25));
    assert_int_equal(compute_time_ps(&config, &work, no_scale, 40, 0),
                     SIM_US(45));
    assert_int_equal(
        compute_time_ps(&config, &work, (ComputeScale){ 3, 2, FALSE }, 40, 0),
        SIM_US(65));
}

static void test_each_of_several_kernels_is_launched(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB, .n_kernels = 50 };
    const ComputeScale measured = { SIM_US(7), SIM_US(20), TRUE };

    (void)state;
    config.launch_ps = SIM_US(2);
    assert_int_equal(compute_launch_ps(&config, &work, no_scale), SIM_US(100));
    assert_int_equal(compute_time_ps(&config, &work, no_scale, 80, 0),
                     SIM_US(120));
    assert_int_equal(compute_time_ps(&config, &work, measured, 80, 0),
                     SIM_US(7));
}

static void test_a_measured_time_holds_on_the_whole_npu_and_slows(void **state)
{
    NpuConfig config = npu;
    const OpWork work = { .flop = GB };
    const ComputeScale scale = { SIM_US(7), SIM_US(20), TRUE };

    (void)state;
    config.launch_ps = SIM_US(5);
    assert_int_equal(compute_time_ps(&config, &work, scale, 80, 0), SIM_US(7));
    assert_int_equal(compute_time_ps(&config, &work, scale, 40, 0), SIM_US(14));
    /* ceil(533333334 x 7 / 20) */
    assert_int_equal(compute_time_ps(&config, &work, scale, 3, 0), 186666667);
}

static void test_a_fixed_time_holds_on_any_share(void **state)
{
    const OpWork none = { 0 };
    const ComputeScale fixed = { 12345, 0, TRUE };

    (void)state;
    assert_int_equal(compute_time_ps(&npu, &none, fixed, 80, 900 * GB), 12345);
    assert_int_equal(compute_time_ps(&npu, &none, fixed, 1, 0), 12345);
}

static void test_demand_is_what_keeps_the_sms_fed(void **state)
{
    const OpWork balanced = { .flop = GB, .bytes = 2000000 };
    const OpWork hungry = { .flop = GB, .bytes = 1000 * GB };
    const OpWork only_bytes = { .bytes = 5 }, only_flop = { .flop = 5 };

    (void)state;
    assert_int_equal(compute_demand_bytes_per_s(&npu, &balanced, 80), 100 * GB);
    assert_int_equal(compute_demand_bytes_per_s(&npu, &balanced, 40), 50 * GB);
    assert_int_equal(compute_demand_bytes_per_s(&npu, &hungry, 80), 5120 * GB);
    assert_int_equal(compute_demand_bytes_per_s(&npu, &hungry, 2), 128 * GB);
    assert_int_equal(compute_demand_bytes_per_s(&npu, &only_bytes, 2),
                     128 * GB);
    assert_int_equal(compute_demand_bytes_per_s(&npu, &only_flop, 80), 0);
}

/* ---- a kernel whose share changes ------------------------------------- */

/* Shares to come into force, and what became of the kernel. */
typedef struct {
    SimTime at_ps;
    uint64_t n_sms, bytes_per_s;
} Share;

typedef struct {
    SimEngine *engine;
    ComputeStream *stream;
    Share shares[8];
    uint32_t n_shares;
    SimTime done_ps;
    int n_done;
} Kernel;

static void on_done(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Kernel *kernel = self;

    assert_int_equal(arg, 42);
    assert_true(compute_stream_is_idle(kernel->stream));
    kernel->done_ps = now_ps;
    kernel->n_done++;
}

static void on_share(gpointer self, uint32_t i, uint64_t now_ps)
{
    Kernel *kernel = self;

    (void)now_ps;
    compute_stream_set_share(kernel->stream, kernel->shares[i].n_sms,
                             kernel->shares[i].bytes_per_s);
}

static void begin(Kernel *kernel)
{
    *kernel = (Kernel){ .engine = sim_engine_new() };
    kernel->stream = compute_stream_new(kernel->engine, &npu, on_done, kernel);
}

static void share_at(Kernel *kernel, SimTime at_ps, uint64_t n_sms,
                     uint64_t bytes_per_s)
{
    uint32_t i = kernel->n_shares++;

    kernel->shares[i] = (Share){ at_ps, n_sms, bytes_per_s };
    if (at_ps == 0)
        on_share(kernel, i, 0);
    else
        sim_engine_at(kernel->engine, at_ps, SIM_PHASE_ACT, on_share, kernel,
                      i);
}

static void run_kernel(Kernel *kernel, const OpWork *work)
{
    compute_stream_start(kernel->stream, work, no_scale, 1000000, 42);
    sim_engine_run(kernel->engine, SIM_TIME_MAX);
}

static void end(Kernel *kernel)
{
    compute_stream_free(kernel->stream);
    sim_engine_free(kernel->engine);
}

static void test_a_kernel_ends_at_its_time_and_is_counted(void **state)
{
    const OpWork work = { .flop = GB, .bytes = 1000 };
    Kernel k;

    (void)state;
    begin(&k);
    assert_true(compute_stream_is_idle(k.stream));
    share_at(&k, 0, 80, 900 * GB);
    compute_stream_start(k.stream, &work, no_scale, 1000000, 42);
    assert_false(compute_stream_is_idle(k.stream));
    sim_engine_run(k.engine, SIM_US(20) - 1);
    assert_int_equal(k.n_done, 0);
    sim_engine_run(k.engine, SIM_US(20));
    assert_int_equal(k.done_ps, SIM_US(20));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(20));
    assert_int_equal(compute_stream_sm_ns(k.stream), 80 * 20000);
    assert_int_equal(compute_stream_bytes(k.stream), 1000);
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(40));
    assert_int_equal(k.n_done, 2);
    assert_int_equal(compute_stream_bytes(k.stream), 2000);
    end(&k);
}

static void test_what_is_left_takes_the_time_of_the_new_share(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 0);
    /* 8 of 20 us done, the other 12 take 24 at half the SMs; 12 of those
     * later 12 are left, which are 6 at 80 */
    share_at(&k, SIM_US(8), 40, 0);
    share_at(&k, SIM_US(20), 80, 0);
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(26));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(26));
    assert_int_equal(compute_stream_sm_ns(k.stream), 80 * 14000 + 40 * 12000);
    end(&k);
}

static void test_what_is_left_is_rounded_up(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 0);
    /* ceil((20000000 - 1000001) x 533333334 / 20000000) */
    share_at(&k, 1000001, 3, 0);
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, 1000001 + 506666641);
    end(&k);
}

static void test_bytes_and_sms_may_change_together(void **state)
{
    const OpWork work = { .bytes = 1280000 };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 640 * GB);       /* 2 us */
    share_at(&k, 500000, 2, 640 * GB);   /* 128 GB/s: 10 us, 7.5 left */
    share_at(&k, 2500000, 2, 64 * GB);   /* 20 us, 11 left */
    share_at(&k, 7500000, 80, 640 * GB); /* 0.6 left */
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, 8100000);
    end(&k);
}

static void test_a_kernel_without_sms_waits_and_is_not_busy(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 0);
    share_at(&k, SIM_US(5), 0, 0);
    share_at(&k, SIM_US(105), 40, 0); /* 15 of 20 left: 30 us */
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(135));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(35));
    assert_int_equal(compute_stream_sm_ns(k.stream), 80 * 5000 + 40 * 30000);
    end(&k);
}

static void test_a_kernel_may_start_before_it_has_a_share(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, SIM_US(3), 80, 0);
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(23));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(20));
    end(&k);
}

static void test_a_kernel_that_never_has_a_share_never_ends(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    run_kernel(&k, &work);
    assert_int_equal(k.n_done, 0);
    assert_false(compute_stream_is_idle(k.stream));
    assert_int_equal(compute_stream_busy_ps(k.stream), 0);
    end(&k);
}

static void test_a_share_that_changes_at_the_end_changes_nothing(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 0);
    share_at(&k, SIM_US(20), 0, 0); /* scheduled first, so it comes first */
    run_kernel(&k, &work);
    assert_int_equal(k.n_done, 1);
    assert_int_equal(k.done_ps, SIM_US(20));
    end(&k);
}

static void test_equal_shares_and_back_again_cost_nothing(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin(&k);
    share_at(&k, 0, 80, 0);
    share_at(&k, SIM_US(7), 80, 0);
    share_at(&k, SIM_US(8), 40, 0);
    share_at(&k, SIM_US(8), 80, 0);
    share_at(&k, SIM_US(9), 80, 500 * GB); /* bytes do not matter to it */
    run_kernel(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(20));
    end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flops_bind_in_proportion_to_the_sms),
        cmocka_unit_test(test_bytes_bind_at_the_share_of_the_bandwidth),
        cmocka_unit_test(test_few_sms_draw_no_more_than_their_bandwidth),
        cmocka_unit_test(test_bytes_in_flight_over_latency_bind_an_sm),
        cmocka_unit_test(test_queueing_softens_the_knee),
        cmocka_unit_test(test_tiles_are_worked_off_in_whole_waves),
        cmocka_unit_test(test_the_longer_of_flops_and_bytes_counts),
        cmocka_unit_test(test_work_with_nothing_to_do_it_with_never_ends),
        cmocka_unit_test(test_flops_round_up_once_for_any_number_of_sms),
        cmocka_unit_test(test_launching_a_kernel_comes_on_top),
        cmocka_unit_test(test_each_of_several_kernels_is_launched),
        cmocka_unit_test(test_a_measured_time_holds_on_the_whole_npu_and_slows),
        cmocka_unit_test(test_a_fixed_time_holds_on_any_share),
        cmocka_unit_test(test_demand_is_what_keeps_the_sms_fed),
        cmocka_unit_test(test_a_kernel_ends_at_its_time_and_is_counted),
        cmocka_unit_test(test_what_is_left_takes_the_time_of_the_new_share),
        cmocka_unit_test(test_what_is_left_is_rounded_up),
        cmocka_unit_test(test_bytes_and_sms_may_change_together),
        cmocka_unit_test(test_a_kernel_without_sms_waits_and_is_not_busy),
        cmocka_unit_test(test_a_kernel_may_start_before_it_has_a_share),
        cmocka_unit_test(test_a_kernel_that_never_has_a_share_never_ends),
        cmocka_unit_test(test_a_share_that_changes_at_the_end_changes_nothing),
        cmocka_unit_test(test_equal_shares_and_back_again_cost_nothing),
    };

    return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
}
