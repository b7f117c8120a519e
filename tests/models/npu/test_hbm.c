/* test_hbm.c - Tests of models/npu/hbm_bandwidth.c: how streams share the
 * bandwidth. */
#include "tests/models/npu/hbm_fixture.h"

static void assert_stream_rates(const RateLog *log, uint64_t main_rate,
                                uint64_t side_rate, uint64_t read_rate,
                                uint64_t write_rate)
{
    const uint64_t expected[HBM_N_STREAMS] = { main_rate, side_rate, read_rate,
                                               write_rate };

    for (HbmStream s = 0; s < HBM_N_STREAMS; s++) {
        assert_int_equal(hbm_rate_of_stream(log->hbm, s), expected[s]);
        assert_int_equal(log->rates[s], expected[s]);
    }
}

/* ---- HBM bandwidth in partitions ----------------------------------------- */

static void test_usable_bandwidth_is_the_peak_times_the_efficiency(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 800000 };

    (void)state;
    assert_int_equal(hbm_usable_bytes_per_s(&config), 720 * GB);
    config.bandwidth_bytes_per_s = 1000000000000001;
    config.efficiency_ppm = 999999;
    assert_int_equal(hbm_usable_bytes_per_s(&config), 999999000000000);
}

static void test_mixing_reads_and_writes_loses_hbm_bandwidth(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 800000,
                         .turnaround_ppm = 100000 };

    (void)state;
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 1000000),
                     720 * GB);
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 0), 720 * GB);
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 500000),
                     648 * GB);
    /* The mixed stream loses 4 x 3/4 x 1/4 of a tenth of the bandwidth. */
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 750000),
                     666 * GB);
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 250000),
                     666 * GB);
}

/* Writes alone lose a tenth of the bandwidth, a copy loses a twentieth. Bus
 * turnaround then costs a fifth of the remainder. */
static void test_writes_may_have_less_bandwidth_than_reads(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .write_loss_ppm = 100000 };

    (void)state;
    assert_true(hbm_bandwidth_depends_on_read_fraction(&config));
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 1000000),
                     900 * GB);
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 0), 810 * GB);
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 500000),
                     855 * GB);
    config.turnaround_ppm = 200000;
    assert_int_equal(hbm_bytes_per_s_at_read_fraction(&config, 500000),
                     684 * GB);
    config.write_loss_ppm = config.turnaround_ppm = 0;
    assert_false(hbm_bandwidth_depends_on_read_fraction(&config));
}

static void test_the_main_stream_gets_the_unassigned_hbm_bandwidth(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    assert_stream_rates(&log, 900 * GB, 0, 0, 0);
    hbm_set_share(log.hbm, HBM_COMM_READ, 128 * GB);
    assert_stream_rates(&log, 772 * GB, 0, 128 * GB, 0);
    hbm_set_share(log.hbm, HBM_SIDE, 80 * GB);
    assert_stream_rates(&log, 692 * GB, 80 * GB, 128 * GB, 0);
    hbm_set_share(log.hbm, HBM_COMM_READ, 0);
    assert_stream_rates(&log, 820 * GB, 80 * GB, 0, 0);
    hbm_free(log.hbm);
}

static void test_hbm_shares_of_reads_and_writes_add_up(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(log.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_share(log.hbm, HBM_COMM_WRITE, 128 * GB);
    assert_stream_rates(&log, 772 * GB, 0, 128 * GB, 128 * GB);
    hbm_free(log.hbm);
}

static void test_excessive_hbm_shares_leave_the_main_stream_none(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(log.hbm, HBM_COMM_READ, 900 * GB);
    assert_stream_rates(&log, 0, 0, 900 * GB, 0);
    hbm_set_share(log.hbm, HBM_SIDE, 80 * GB);
    assert_stream_rates(&log, 0, 80 * GB, 820 * GB, 0);
    hbm_set_share(log.hbm, HBM_COMM_READ, 901 * GB);
    hbm_set_share(log.hbm, HBM_COMM_WRITE, 1000 * GB);
    assert_stream_rates(&log, 0, 80 * GB, 410 * GB, 410 * GB);
    hbm_set_share(log.hbm, HBM_COMM_WRITE, 300 * GB);
    assert_stream_rates(&log, 0, 80 * GB, 615 * GB, 205 * GB);
    hbm_free(log.hbm);
}

static void test_writes_may_be_charged_to_the_main_stream(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .policy = HBM_PARTITIONED,
                         .charge_writes = TRUE };
    RateLog log = { 0 };

    (void)state;
    log.hbm = hbm_new(&config, log_stream_rate, &log);
    log.rates[HBM_MAIN] = hbm_rate_of_stream(log.hbm, HBM_MAIN);
    hbm_set_share(log.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_share(log.hbm, HBM_COMM_WRITE, 100 * GB);
    assert_stream_rates(&log, 672 * GB, 0, 128 * GB, 100 * GB);
    hbm_set_share(log.hbm, HBM_COMM_READ, 600 * GB);
    hbm_set_share(log.hbm, HBM_COMM_WRITE, 600 * GB);
    assert_stream_rates(&log, 0, 0, 450 * GB, 450 * GB);
    hbm_free(log.hbm);
}

static void test_a_fixed_share_is_independent_of_demand(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(log.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 500 * GB);
    hbm_set_demand(log.hbm, HBM_MAIN, 10 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 0);
    assert_stream_rates(&log, 772 * GB, 0, 128 * GB, 0);
    assert_int_equal(log.n_calls[HBM_MAIN], 1);
    assert_int_equal(log.n_calls[HBM_COMM_READ], 1);
    hbm_free(log.hbm);
}

/* ---- shared HBM bandwidth: closed forms ---------------------------------- */

static void test_hbm_streams_share_the_bandwidth_of_their_mix(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .turnaround_ppm = 100000,
                         .policy = HBM_SHARED,
                         .compute_weight = 1,
                         .comm_weight = 1 };
    RateLog log = { 0 };

    (void)state;
    log.hbm = hbm_new(&config, log_stream_rate, &log);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 900 * GB);
    assert_stream_rates(&log, 0, 0, 900 * GB, 0);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 900 * GB);
    assert_stream_rates(&log, 0, 0, 405 * GB, 405 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 0);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 0);
    /* Two thirds of the traffic are reads by default. */
    hbm_set_demand(log.hbm, HBM_MAIN, 5000 * GB);
    assert_in_range(hbm_rate_of_stream(log.hbm, HBM_MAIN), 820000 * GB / 1000,
                    820001 * GB / 1000);
    hbm_set_read_fraction(log.hbm, HBM_MAIN, 500000);
    assert_stream_rates(&log, 810 * GB, 0, 0, 0);
    hbm_set_read_fraction(log.hbm, HBM_MAIN, 1000000);
    assert_stream_rates(&log, 900 * GB, 0, 0, 0);
    hbm_free(log.hbm);
}

static void test_a_single_hbm_stream_gets_its_demand(void **state)
{
    RateLog log;

    (void)state;
    begin_shared_rate_log(&log, 900);
    assert_stream_rates(&log, 0, 0, 0, 0);
    hbm_set_demand(log.hbm, HBM_MAIN, 300);
    assert_stream_rates(&log, 300, 0, 0, 0);
    hbm_set_demand(log.hbm, HBM_MAIN, 5000);
    assert_stream_rates(&log, 900, 0, 0, 0);
    hbm_set_demand(log.hbm, HBM_MAIN, 0);
    assert_stream_rates(&log, 0, 0, 0, 0);
    hbm_free(log.hbm);
}

static void test_backlogged_hbm_streams_have_equal_parts(void **state)
{
    RateLog log;

    (void)state;
    begin_shared_rate_log(&log, 100);
    hbm_set_demand(log.hbm, HBM_MAIN, 1000);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 1000);
    assert_stream_rates(&log, 50, 0, 50, 0);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 1000);
    /* The equal parts of 100 are rounded down to 33. */
    assert_stream_rates(&log, 33, 0, 33, 33);
    hbm_set_demand(log.hbm, HBM_SIDE, 1000);
    assert_stream_rates(&log, 25, 25, 25, 25);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 0);
    assert_stream_rates(&log, 33, 33, 0, 33);
    hbm_free(log.hbm);
}

static void test_hbm_parts_are_proportional_to_weights(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_SHARED, 1000, 3, 1);
    hbm_set_demand(log.hbm, HBM_MAIN, 5000);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 5000);
    assert_stream_rates(&log, 750, 0, 250, 0);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 5000);
    assert_stream_rates(&log, 600, 0, 200, 200);
    hbm_set_demand(log.hbm, HBM_SIDE, 5000);
    assert_stream_rates(&log, 375, 375, 125, 125);
    hbm_free(log.hbm);
}

static void test_unused_hbm_bandwidth_of_a_capped_stream_is_shared(void **state)
{
    RateLog log;

    (void)state;
    begin_shared_rate_log(&log, 100);
    hbm_set_demand(log.hbm, HBM_MAIN, 5);
    hbm_set_demand(log.hbm, HBM_SIDE, 1000);
    assert_stream_rates(&log, 5, 95, 0, 0);
    /* Equal parts are 25. MAIN needs 5, so 95 / 3 = 31 remain each. COMM_READ
     * needs 30, so 65 / 2 = 32 remain each. */
    hbm_set_demand(log.hbm, HBM_COMM_READ, 30);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 1000);
    assert_stream_rates(&log, 5, 32, 30, 32);
    hbm_set_demand(log.hbm, HBM_MAIN, 25);
    assert_stream_rates(&log, 25, 25, 25, 25);
    hbm_free(log.hbm);
}

static void test_hbm_caps_and_weights_combine(void **state)
{
    RateLog log;

    (void)state;
    /* Weights 4:4:1:1 of 1000 give 400, 400, 100 and 100. SIDE is capped at
     * 300, which leaves 700 at 4:1:1: 466, 116 and 116. */
    begin_rate_log(&log, HBM_SHARED, 1000, 4, 1);
    hbm_set_demand(log.hbm, HBM_MAIN, 5000);
    hbm_set_demand(log.hbm, HBM_SIDE, 300);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 5000);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 5000);
    assert_stream_rates(&log, 466, 300, 116, 116);
    hbm_free(log.hbm);
}

static void test_only_changed_hbm_rates_are_reported(void **state)
{
    RateLog log;

    (void)state;
    begin_shared_rate_log(&log, 100);
    hbm_set_demand(log.hbm, HBM_MAIN, 30);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 40);
    assert_int_equal(log.n_calls[HBM_MAIN], 1);
    assert_int_equal(log.n_calls[HBM_COMM_READ], 1);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 40);
    assert_int_equal(log.n_calls[HBM_COMM_READ], 1);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 90);
    assert_int_equal(log.n_calls[HBM_COMM_READ], 2);
    assert_int_equal(log.n_calls[HBM_MAIN], 1);
    assert_int_equal(log.n_calls[HBM_SIDE], 0);
    assert_int_equal(log.n_calls[HBM_COMM_WRITE], 0);
    assert_stream_rates(&log, 30, 0, 70, 0);
    hbm_free(log.hbm);
}

/* ---- shared HBM bandwidth: max-min fairness ------------------------------ */

static void assert_max_min_fair_rates(const RateLog *log,
                                      const uint64_t *demands,
                                      const uint64_t *weights, uint64_t usable)
{
    uint64_t sum = 0;
    gboolean has_backlog = FALSE;

    for (HbmStream s = 0; s < HBM_N_STREAMS; s++) {
        uint64_t rate = hbm_rate_of_stream(log->hbm, s);

        assert_int_equal(rate, log->rates[s]);
        assert_true(rate <= demands[s]);
        sum += rate;
        if (rate == demands[s])
            continue;
        has_backlog = TRUE;
        /* No stream has more per weight than an unsatisfied stream, except for
         * rounding of the latter's rate. */
        for (HbmStream o = 0; o < HBM_N_STREAMS; o++)
            assert_true(hbm_rate_of_stream(log->hbm, o) * weights[s] <=
                        (rate + 1) * weights[o]);
    }
    assert_true(sum <= usable);
    if (has_backlog)
        assert_true(sum + HBM_N_STREAMS > usable);
}

static void test_hbm_rates_are_max_min_fair_for_any_demands(void **state)
{
    GRand *rand = g_rand_new_with_seed(31);

    (void)state;
    for (int i = 0; i < 200; i++) {
        uint64_t compute = (uint64_t)g_rand_int_range(rand, 1, 10);
        uint64_t comm = (uint64_t)g_rand_int_range(rand, 1, 10);
        const uint64_t weights[] = { compute, compute, comm, comm };
        uint64_t usable = (uint64_t)g_rand_int_range(rand, 1, 1000);
        uint64_t demands[HBM_N_STREAMS] = { 0 };
        RateLog log;

        begin_rate_log(&log, HBM_SHARED, usable, compute, comm);
        for (int j = 0; j < 20; j++) {
            HbmStream s = (HbmStream)g_rand_int_range(rand, 0, HBM_N_STREAMS);

            demands[s] = g_rand_boolean(rand)
                             ? 0
                             : (uint64_t)g_rand_int_range(rand, 0, 1500);
            hbm_set_demand(log.hbm, s, demands[s]);
            assert_max_min_fair_rates(&log, demands, weights, usable);
        }
        hbm_free(log.hbm);
    }
    g_rand_free(rand);
}

/* ---- shared HBM bandwidth by SMs ----------------------------------------- */

static void begin_rate_log_by_sms(RateLog *log, HbmShareBy share_by)
{
    *log = (RateLog){ .config = { .bandwidth_bytes_per_s = 900 * GB,
                                  .efficiency_ppm = 1000000,
                                  .policy = HBM_SHARED,
                                  .share_by = (int)share_by,
                                  .compute_weight = 1,
                                  .comm_weight = 1 } };
    log->hbm = hbm_new(&log->config, log_stream_rate, log);
}

static void set_supply_and_demand(RateLog *log, HbmStream stream,
                                  uint64_t supply, uint64_t demand)
{
    hbm_set_supply(log->hbm, stream, supply);
    hbm_set_demand(log->hbm, stream, demand);
}

static void test_sms_share_the_hbm_in_proportion_to_their_supply(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_SMS);
    set_supply_and_demand(&log, HBM_MAIN, 4000 * GB, 900 * GB);
    assert_stream_rates(&log, 900 * GB, 0, 0, 0);
    set_supply_and_demand(&log, HBM_COMM_READ, 500 * GB, 500 * GB);
    assert_stream_rates(&log, 800 * GB, 0, 100 * GB, 0);
    /* A supply that changes alone changes the rates. */
    hbm_set_supply(log.hbm, HBM_MAIN, 1000 * GB);
    assert_stream_rates(&log, 600 * GB, 0, 300 * GB, 0);
    /* A kernel may use what an endpoint leaves. */
    hbm_set_demand(log.hbm, HBM_COMM_READ, 200 * GB);
    hbm_set_demand(log.hbm, HBM_MAIN, 600 * GB);
    assert_stream_rates(&log, 600 * GB, 0, 200 * GB, 0);
    hbm_free(log.hbm);
}

/* An endpoint has the part 500 / 1500 by weight of the 900 GB/s. */
static void
test_an_endpoint_on_sms_waits_behind_requests_of_kernels(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_SMS);
    set_supply_and_demand(&log, HBM_MAIN, 1000 * GB, 225 * GB);
    set_supply_and_demand(&log, HBM_COMM_READ, 500 * GB, 480 * GB);
    /* The load is a quarter, so three quarters of the demand are left. */
    assert_stream_rates(&log, 225 * GB, 0, 360 * GB, 0);
    /* The part by weight is the least that it gets. */
    hbm_set_demand(log.hbm, HBM_MAIN, 450 * GB);
    assert_stream_rates(&log, 450 * GB, 0, 300 * GB, 0);
    hbm_set_demand(log.hbm, HBM_MAIN, 0);
    assert_stream_rates(&log, 0, 0, 480 * GB, 0);
    /* An engine does not wait. */
    hbm_set_demand(log.hbm, HBM_MAIN, 225 * GB);
    hbm_set_supply(log.hbm, HBM_COMM_READ, 0);
    assert_stream_rates(&log, 225 * GB, 0, 480 * GB, 0);
    hbm_free(log.hbm);
}

static void test_engines_get_the_hbm_before_sms(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_SMS);
    set_supply_and_demand(&log, HBM_MAIN, 4000 * GB, 900 * GB);
    set_supply_and_demand(&log, HBM_SIDE, 2000 * GB, 900 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_READ, 200 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 100 * GB);
    assert_stream_rates(&log, 400 * GB, 200 * GB, 200 * GB, 100 * GB);
    /* Engines divide a memory that they fill, and leave SMs nothing. */
    hbm_set_demand(log.hbm, HBM_COMM_READ, 800 * GB);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 500 * GB);
    assert_stream_rates(&log, 0, 0, 450 * GB, 450 * GB);
    hbm_free(log.hbm);
}

static void test_supplies_have_no_effect_by_default(void **state)
{
    RateLog log;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_STREAMS);
    set_supply_and_demand(&log, HBM_MAIN, 4000 * GB, 900 * GB);
    set_supply_and_demand(&log, HBM_COMM_READ, 500 * GB, 500 * GB);
    assert_stream_rates(&log, 450 * GB, 0, 450 * GB, 0);
    hbm_set_demand(log.hbm, HBM_COMM_WRITE, 900 * GB);
    assert_stream_rates(&log, 300 * GB, 0, 300 * GB, 300 * GB);
    hbm_set_supply(log.hbm, HBM_MAIN, GB);
    assert_stream_rates(&log, 300 * GB, 0, 300 * GB, 300 * GB);
    hbm_free(log.hbm);
}

static void test_hbm_rates_by_sms_exceed_neither_demand_nor_sum(void **state)
{
    GRand *rand = g_rand_new_with_seed(32);
    uint64_t demands[HBM_N_STREAMS] = { 0 };
    uint64_t supplies[HBM_N_STREAMS] = { 0 };
    RateLog log;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_SMS);
    for (int i = 0; i < 4000; i++) {
        HbmStream s = (HbmStream)g_rand_int_range(rand, 0, HBM_N_STREAMS);
        uint64_t sum = 0, wanted = 0;
        gboolean waits = FALSE;

        demands[s] =
            (uint64_t)g_rand_int_range(rand, 0, 3) * g_rand_int(rand) * 200;
        supplies[s] =
            (uint64_t)g_rand_int_range(rand, 0, 4) * g_rand_int(rand) * 1000000;
        set_supply_and_demand(&log, s, supplies[s], demands[s]);
        for (s = 0; s < HBM_N_STREAMS; s++) {
            assert_true(hbm_rate_of_stream(log.hbm, s) <= demands[s]);
            sum += hbm_rate_of_stream(log.hbm, s);
            wanted += demands[s];
            waits |= s >= HBM_COMM_READ && demands[s] > 0 && supplies[s] > 0;
        }
        assert_true(sum <= 900 * GB);
        /* An endpoint on SMs that waits leaves a part of the memory unused. */
        if (!waits)
            assert_true(sum + HBM_N_STREAMS >= MIN(wanted, 900 * GB));
    }
    hbm_free(log.hbm);
    g_rand_free(rand);
}

static void test_a_copy_of_the_hbm_state_keeps_supplies(void **state)
{
    RateLog log;
    gpointer copy;

    (void)state;
    begin_rate_log_by_sms(&log, HBM_BY_SMS);
    set_supply_and_demand(&log, HBM_MAIN, 4000 * GB, 900 * GB);
    copy = hbm_copy_state(log.hbm);
    hbm_set_supply(log.hbm, HBM_MAIN, 500 * GB);
    hbm_restore_state(log.hbm, copy);
    set_supply_and_demand(&log, HBM_COMM_READ, 500 * GB, 500 * GB);
    assert_stream_rates(&log, 800 * GB, 0, 100 * GB, 0);
    hbm_free(log.hbm);
    g_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_usable_bandwidth_is_the_peak_times_the_efficiency),
        cmocka_unit_test(test_mixing_reads_and_writes_loses_hbm_bandwidth),
        cmocka_unit_test(test_hbm_streams_share_the_bandwidth_of_their_mix),
        cmocka_unit_test(test_writes_may_have_less_bandwidth_than_reads),
        cmocka_unit_test(
            test_the_main_stream_gets_the_unassigned_hbm_bandwidth),
        cmocka_unit_test(test_hbm_shares_of_reads_and_writes_add_up),
        cmocka_unit_test(test_writes_may_be_charged_to_the_main_stream),
        cmocka_unit_test(test_excessive_hbm_shares_leave_the_main_stream_none),
        cmocka_unit_test(test_a_fixed_share_is_independent_of_demand),
        cmocka_unit_test(test_a_single_hbm_stream_gets_its_demand),
        cmocka_unit_test(test_backlogged_hbm_streams_have_equal_parts),
        cmocka_unit_test(test_hbm_parts_are_proportional_to_weights),
        cmocka_unit_test(
            test_unused_hbm_bandwidth_of_a_capped_stream_is_shared),
        cmocka_unit_test(test_hbm_caps_and_weights_combine),
        cmocka_unit_test(test_only_changed_hbm_rates_are_reported),
        cmocka_unit_test(test_hbm_rates_are_max_min_fair_for_any_demands),
        cmocka_unit_test(test_sms_share_the_hbm_in_proportion_to_their_supply),
        cmocka_unit_test(
            test_an_endpoint_on_sms_waits_behind_requests_of_kernels),
        cmocka_unit_test(test_engines_get_the_hbm_before_sms),
        cmocka_unit_test(test_supplies_have_no_effect_by_default),
        cmocka_unit_test(test_hbm_rates_by_sms_exceed_neither_demand_nor_sum),
        cmocka_unit_test(test_a_copy_of_the_hbm_state_keeps_supplies),
    };

    return cmocka_run_group_tests_name("hbm", tests, NULL, NULL);
}
