/* test_compute_stream.c - Tests of models/npu/compute_stream.c: a kernel whose
 * share of SMs and bandwidth changes while it runs. */
#include "tests/test.h"

#include "models/npu/compute_stream.h"

#define GB UINT64_C(1000000000)

/* The NPU reaches half of 100 TFLOPS, 64 GB/s per SM and 900 GB/s in total. */
static const NpuConfig npu = {
    .n_sms = 80,
    .clock_hz = 1000000000,
    .flop_per_s = 100000 * GB,
    .efficiency_ppm = 500000,
    .sm_bytes_per_cycle = 64,
    .hbm = { .bandwidth_bytes_per_s = 900 * GB, .efficiency_ppm = 1000000 },
};

static const ComputeScale no_scale = { 1, 1, FALSE };
/* A share that takes effect at .at_ps. */
typedef struct {
    SimTime at_ps;
    uint64_t n_sms, bytes_per_s;
} Share;

typedef struct {
    SimEngine *engine;
    KernelDemands *demands;
    ComputeStream *stream;
    Share shares[8];
    uint32_t n_shares;
    SimTime done_ps;
    int n_done;
} Kernel;

static void record_kernel_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Kernel *kernel = self;

    assert_int_equal(arg, 42);
    assert_true(compute_stream_is_idle(kernel->stream));
    kernel->done_ps = now_ps;
    kernel->n_done++;
}

static void apply_share_change(gpointer self, uint32_t i, uint64_t now_ps)
{
    Kernel *kernel = self;

    (void)now_ps;
    compute_stream_set_share(kernel->stream, kernel->shares[i].n_sms,
                             kernel->shares[i].bytes_per_s);
}

static void begin_kernel_test(Kernel *kernel)
{
    *kernel = (Kernel){ .engine = sim_engine_new() };
    kernel->demands = kernel_demands_new(&npu, 1);
    kernel->stream = compute_stream_new(kernel->engine, kernel->demands,
                                        record_kernel_end, kernel);
}

static void schedule_share_change(Kernel *kernel, SimTime at_ps, uint64_t n_sms,
                                  uint64_t bytes_per_s)
{
    uint32_t i = kernel->n_shares++;

    kernel->shares[i] = (Share){ at_ps, n_sms, bytes_per_s };
    if (at_ps == 0)
        apply_share_change(kernel, i, 0);
    else
        sim_engine_schedule(kernel->engine, at_ps, SIM_PHASE_ACT,
                            apply_share_change, kernel, i);
}

static void start_kernel_with_work(Kernel *kernel, const OpWork *work)
{
    compute_stream_start_kernel(kernel->stream, work, no_scale, 1000000, 42);
    sim_engine_run(kernel->engine, SIM_TIME_MAX);
}

static void run_kernel_to_the_end(Kernel *kernel)
{
    compute_stream_free(kernel->stream);
    kernel_demands_free(kernel->demands);
    sim_engine_free(kernel->engine);
}

static void test_a_kernel_ends_at_its_time_and_is_counted(void **state)
{
    const OpWork work = { .flop = GB, .bytes = 1000 };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    assert_true(compute_stream_is_idle(k.stream));
    schedule_share_change(&k, 0, 80, 900 * GB);
    compute_stream_start_kernel(k.stream, &work, no_scale, 1000000, 42);
    assert_false(compute_stream_is_idle(k.stream));
    sim_engine_run(k.engine, SIM_US(20) - 1);
    assert_int_equal(k.n_done, 0);
    sim_engine_run(k.engine, SIM_US(20));
    assert_int_equal(k.done_ps, SIM_US(20));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(20));
    assert_int_equal(compute_stream_busy_sm_ns(k.stream), 80 * 20000);
    assert_int_equal(compute_stream_bytes_moved(k.stream), 1000);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(40));
    assert_int_equal(k.n_done, 2);
    assert_int_equal(compute_stream_bytes_moved(k.stream), 2000);
    run_kernel_to_the_end(&k);
}

static void test_remaining_kernel_work_runs_at_the_new_share(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, 0, 80, 0);
    /* After 8 of 20 us, the other 12 us of work take 24 us on half of the SMs.
     * After 12 of these 24 us, the remainder takes 6 us on all 80 SMs. */
    schedule_share_change(&k, SIM_US(8), 40, 0);
    schedule_share_change(&k, SIM_US(20), 80, 0);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(26));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(26));
    assert_int_equal(compute_stream_busy_sm_ns(k.stream),
                     80 * 14000 + 40 * 12000);
    run_kernel_to_the_end(&k);
}

static void test_remaining_kernel_time_is_rounded_up(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, 0, 80, 0);
    /* The remaining time is ceil((20000000 - 1000001) x 533333334 / 20000000)
     * ps. */
    schedule_share_change(&k, 1000001, 3, 0);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, 1000001 + 506666641);
    run_kernel_to_the_end(&k);
}

static void test_kernel_bandwidth_and_sms_may_change_together(void **state)
{
    const OpWork work = { .bytes = 1280000 };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    /* The kernel would take 2 us in all with this share. */
    schedule_share_change(&k, 0, 80, 640 * GB);
    /* At 128 GB/s the kernel takes 10 us in all, so 7.5 us are left. */
    schedule_share_change(&k, 500000, 2, 640 * GB);
    /* At this share the kernel takes 20 us in all, so 11 us are left. */
    schedule_share_change(&k, 2500000, 2, 64 * GB);
    schedule_share_change(&k, 7500000, 80,
                          640 * GB); /* At this share 0.6 us are left. */
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, 8100000);
    run_kernel_to_the_end(&k);
}

static void test_a_kernel_without_sms_waits_and_is_not_busy(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, 0, 80, 0);
    schedule_share_change(&k, SIM_US(5), 0, 0);
    /* With half of the SMs, the remaining 15 of 20 us take 30 us. */
    schedule_share_change(&k, SIM_US(105), 40, 0);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(135));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(35));
    assert_int_equal(compute_stream_busy_sm_ns(k.stream),
                     80 * 5000 + 40 * 30000);
    run_kernel_to_the_end(&k);
}

static void test_a_kernel_may_start_before_it_has_a_share(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, SIM_US(3), 80, 0);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(23));
    assert_int_equal(compute_stream_busy_ps(k.stream), SIM_US(20));
    run_kernel_to_the_end(&k);
}

static void test_a_kernel_that_never_has_a_share_never_ends(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.n_done, 0);
    assert_false(compute_stream_is_idle(k.stream));
    assert_int_equal(compute_stream_busy_ps(k.stream), 0);
    run_kernel_to_the_end(&k);
}

static void test_a_share_change_at_the_end_has_no_effect(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, 0, 80, 0);
    /* This change is scheduled first, so it is handled before the end of the
     * kernel. */
    schedule_share_change(&k, SIM_US(20), 0, 0);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.n_done, 1);
    assert_int_equal(k.done_ps, SIM_US(20));
    run_kernel_to_the_end(&k);
}

static void test_reverted_share_changes_cost_no_time(void **state)
{
    const OpWork work = { .flop = GB };
    Kernel k;

    (void)state;
    begin_kernel_test(&k);
    schedule_share_change(&k, 0, 80, 0);
    schedule_share_change(&k, SIM_US(7), 80, 0);
    schedule_share_change(&k, SIM_US(8), 40, 0);
    schedule_share_change(&k, SIM_US(8), 80, 0);
    /* The kernel moves no bytes, so the share of bandwidth does not matter. */
    schedule_share_change(&k, SIM_US(9), 80, 500 * GB);
    start_kernel_with_work(&k, &work);
    assert_int_equal(k.done_ps, SIM_US(20));
    run_kernel_to_the_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel_ends_at_its_time_and_is_counted),
        cmocka_unit_test(test_remaining_kernel_work_runs_at_the_new_share),
        cmocka_unit_test(test_remaining_kernel_time_is_rounded_up),
        cmocka_unit_test(test_kernel_bandwidth_and_sms_may_change_together),
        cmocka_unit_test(test_a_kernel_without_sms_waits_and_is_not_busy),
        cmocka_unit_test(test_a_kernel_may_start_before_it_has_a_share),
        cmocka_unit_test(test_a_kernel_that_never_has_a_share_never_ends),
        cmocka_unit_test(test_a_share_change_at_the_end_has_no_effect),
        cmocka_unit_test(test_reverted_share_changes_cost_no_time),
    };

    return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
}
