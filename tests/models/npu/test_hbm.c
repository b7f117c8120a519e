/* Tests of models/npu/hbm.c */
#include "tests/models/npu/hbm_fixture.h"

static void assert_rates(const Told *told, uint64_t main_rate,
                         uint64_t side_rate, uint64_t read_rate,
                         uint64_t write_rate)
{
    const uint64_t expected[HBM_N_STREAMS] = { main_rate, side_rate, read_rate,
                                               write_rate };

    for (HbmStream s = 0; s < HBM_N_STREAMS; s++) {
        assert_int_equal(hbm_rate(told->hbm, s), expected[s]);
        assert_int_equal(told->rates[s], expected[s]);
    }
}

/* ---- partitioned ------------------------------------------------------ */

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

static void test_bandwidth_is_lost_where_reads_and_writes_mix(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 800000,
                         .turnaround_ppm = 100000 };

    (void)state;
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 1000000), 720 * GB);
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 0), 720 * GB);
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 500000), 648 * GB);
    /* 4 x 3/4 x 1/4 of a tenth */
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 750000), 666 * GB);
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 250000), 666 * GB);
}

/* A tenth is lost of writes alone, half as much of a copy, and a fifth of what
 * that leaves where the bus turns round. */
static void test_writes_may_have_less_than_reads(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .write_loss_ppm = 100000 };

    (void)state;
    assert_true(hbm_depends_on_mix(&config));
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 1000000), 900 * GB);
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 0), 810 * GB);
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 500000), 855 * GB);
    config.turnaround_ppm = 200000;
    assert_int_equal(hbm_mixed_bytes_per_s(&config, 500000), 684 * GB);
    config.write_loss_ppm = config.turnaround_ppm = 0;
    assert_false(hbm_depends_on_mix(&config));
}

static void test_what_no_share_was_set_for_belongs_to_the_main(void **state)
{
    Told told;

    (void)state;
    begin(&told, HBM_PARTITIONED, 900 * GB, 1, 1);
    assert_rates(&told, 900 * GB, 0, 0, 0);
    hbm_set_share(told.hbm, HBM_COMM_READ, 128 * GB);
    assert_rates(&told, 772 * GB, 0, 128 * GB, 0);
    hbm_set_share(told.hbm, HBM_SIDE, 80 * GB);
    assert_rates(&told, 692 * GB, 80 * GB, 128 * GB, 0);
    hbm_set_share(told.hbm, HBM_COMM_READ, 0);
    assert_rates(&told, 820 * GB, 80 * GB, 0, 0);
    hbm_free(told.hbm);
}

static void test_writes_stand_beside_the_share_of_the_reads(void **state)
{
    Told told;

    (void)state;
    begin(&told, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(told.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_share(told.hbm, HBM_COMM_WRITE, 128 * GB);
    assert_rates(&told, 772 * GB, 0, 128 * GB, 128 * GB);
    hbm_free(told.hbm);
}

static void test_shares_beyond_the_bandwidth_leave_the_main_none(void **state)
{
    Told told;

    (void)state;
    begin(&told, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(told.hbm, HBM_COMM_READ, 900 * GB);
    assert_rates(&told, 0, 0, 900 * GB, 0);
    hbm_set_share(told.hbm, HBM_SIDE, 80 * GB);
    assert_rates(&told, 0, 80 * GB, 820 * GB, 0);
    hbm_set_share(told.hbm, HBM_COMM_READ, 901 * GB);
    hbm_set_share(told.hbm, HBM_COMM_WRITE, 1000 * GB);
    assert_rates(&told, 0, 80 * GB, 410 * GB, 410 * GB);
    hbm_set_share(told.hbm, HBM_COMM_WRITE, 300 * GB);
    assert_rates(&told, 0, 80 * GB, 615 * GB, 205 * GB);
    hbm_free(told.hbm);
}

static void test_writes_may_be_charged_to_the_main_stream(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .policy = HBM_PARTITIONED,
                         .charge_writes = TRUE };
    Told told = { 0 };

    (void)state;
    told.hbm = hbm_new(&config, tell, &told);
    told.rates[HBM_MAIN] = hbm_rate(told.hbm, HBM_MAIN);
    hbm_set_share(told.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_share(told.hbm, HBM_COMM_WRITE, 100 * GB);
    assert_rates(&told, 672 * GB, 0, 128 * GB, 100 * GB);
    hbm_set_share(told.hbm, HBM_COMM_READ, 600 * GB);
    hbm_set_share(told.hbm, HBM_COMM_WRITE, 600 * GB);
    assert_rates(&told, 0, 0, 450 * GB, 450 * GB);
    hbm_free(told.hbm);
}

static void test_a_fixed_share_stays_whether_it_is_used_or_not(void **state)
{
    Told told;

    (void)state;
    begin(&told, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(told.hbm, HBM_COMM_READ, 128 * GB);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 500 * GB);
    hbm_set_demand(told.hbm, HBM_MAIN, 10 * GB);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 0);
    assert_rates(&told, 772 * GB, 0, 128 * GB, 0);
    assert_int_equal(told.n_calls[HBM_MAIN], 1);
    assert_int_equal(told.n_calls[HBM_COMM_READ], 1);
    hbm_free(told.hbm);
}

/* ---- shared: closed forms --------------------------------------------- */

static void test_streams_share_what_their_mix_leaves(void **state)
{
    HbmConfig config = { .bandwidth_bytes_per_s = 900 * GB,
                         .efficiency_ppm = 1000000,
                         .turnaround_ppm = 100000,
                         .policy = HBM_SHARED,
                         .compute_weight = 1,
                         .comm_weight = 1 };
    Told told = { 0 };

    (void)state;
    told.hbm = hbm_new(&config, tell, &told);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 900 * GB);
    assert_rates(&told, 0, 0, 900 * GB, 0);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 900 * GB);
    assert_rates(&told, 0, 0, 405 * GB, 405 * GB);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 0);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 0);
    hbm_set_demand(told.hbm, HBM_MAIN, 5000 * GB); /* two thirds are read */
    assert_in_range(hbm_rate(told.hbm, HBM_MAIN), 820000 * GB / 1000,
                    820001 * GB / 1000);
    hbm_set_mix(told.hbm, HBM_MAIN, 500000);
    assert_rates(&told, 810 * GB, 0, 0, 0);
    hbm_set_mix(told.hbm, HBM_MAIN, 1000000);
    assert_rates(&told, 900 * GB, 0, 0, 0);
    hbm_free(told.hbm);
}

static void test_a_stream_alone_has_all_it_can_use(void **state)
{
    Told told;

    (void)state;
    begin_shared(&told, 900);
    assert_rates(&told, 0, 0, 0, 0);
    hbm_set_demand(told.hbm, HBM_MAIN, 300);
    assert_rates(&told, 300, 0, 0, 0);
    hbm_set_demand(told.hbm, HBM_MAIN, 5000);
    assert_rates(&told, 900, 0, 0, 0);
    hbm_set_demand(told.hbm, HBM_MAIN, 0);
    assert_rates(&told, 0, 0, 0, 0);
    hbm_free(told.hbm);
}

static void test_streams_that_want_more_have_equal_parts(void **state)
{
    Told told;

    (void)state;
    begin_shared(&told, 100);
    hbm_set_demand(told.hbm, HBM_MAIN, 1000);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 1000);
    assert_rates(&told, 50, 0, 50, 0);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 1000);
    assert_rates(&told, 33, 0, 33, 33); /* floored */
    hbm_set_demand(told.hbm, HBM_SIDE, 1000);
    assert_rates(&told, 25, 25, 25, 25);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 0);
    assert_rates(&told, 33, 33, 0, 33);
    hbm_free(told.hbm);
}

static void test_parts_go_by_weight(void **state)
{
    Told told;

    (void)state;
    begin(&told, HBM_SHARED, 1000, 3, 1);
    hbm_set_demand(told.hbm, HBM_MAIN, 5000);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 5000);
    assert_rates(&told, 750, 0, 250, 0);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 5000);
    assert_rates(&told, 600, 0, 200, 200);
    hbm_set_demand(told.hbm, HBM_SIDE, 5000);
    assert_rates(&told, 375, 375, 125, 125);
    hbm_free(told.hbm);
}

static void test_what_a_capped_stream_leaves_is_shared(void **state)
{
    Told told;

    (void)state;
    begin_shared(&told, 100);
    hbm_set_demand(told.hbm, HBM_MAIN, 5);
    hbm_set_demand(told.hbm, HBM_SIDE, 1000);
    assert_rates(&told, 5, 95, 0, 0);
    /* 25 each; 5 settles; 95 / 3 = 31: 30 settles; 65 / 2 */
    hbm_set_demand(told.hbm, HBM_COMM_READ, 30);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 1000);
    assert_rates(&told, 5, 32, 30, 32);
    hbm_set_demand(told.hbm, HBM_MAIN, 25);
    assert_rates(&told, 25, 25, 25, 25);
    hbm_free(told.hbm);
}

static void test_a_cap_and_a_weight_together(void **state)
{
    Told told;

    (void)state;
    /* 4:4:1:1 of 1000: 400 400 100 100.  The side is capped at 300, which
     * leaves 700 at 4:1:1 = 466 116 116 */
    begin(&told, HBM_SHARED, 1000, 4, 1);
    hbm_set_demand(told.hbm, HBM_MAIN, 5000);
    hbm_set_demand(told.hbm, HBM_SIDE, 300);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 5000);
    hbm_set_demand(told.hbm, HBM_COMM_WRITE, 5000);
    assert_rates(&told, 466, 300, 116, 116);
    hbm_free(told.hbm);
}

static void test_only_those_whose_rate_changes_are_told(void **state)
{
    Told told;

    (void)state;
    begin_shared(&told, 100);
    hbm_set_demand(told.hbm, HBM_MAIN, 30);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 40);
    assert_int_equal(told.n_calls[HBM_MAIN], 1);
    assert_int_equal(told.n_calls[HBM_COMM_READ], 1);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 40);
    assert_int_equal(told.n_calls[HBM_COMM_READ], 1);
    hbm_set_demand(told.hbm, HBM_COMM_READ, 90);
    assert_int_equal(told.n_calls[HBM_COMM_READ], 2);
    assert_int_equal(told.n_calls[HBM_MAIN], 1);
    assert_int_equal(told.n_calls[HBM_SIDE], 0);
    assert_int_equal(told.n_calls[HBM_COMM_WRITE], 0);
    assert_rates(&told, 30, 0, 70, 0);
    hbm_free(told.hbm);
}

/* ---- shared: what makes it max-min fair ------------------------------- */

static void assert_is_fair(const Told *told, const uint64_t *demands,
                           const uint64_t *weights, uint64_t usable)
{
    uint64_t sum = 0;
    gboolean wants_more = FALSE;

    for (HbmStream s = 0; s < HBM_N_STREAMS; s++) {
        uint64_t rate = hbm_rate(told->hbm, s);

        assert_int_equal(rate, told->rates[s]);
        assert_true(rate <= demands[s]);
        sum += rate;
        if (rate == demands[s])
            continue;
        wants_more = TRUE;
        /* nobody has more per weight than one who wants more: but for the
         * floor of its own rate */
        for (HbmStream o = 0; o < HBM_N_STREAMS; o++)
            assert_true(hbm_rate(told->hbm, o) * weights[s] <=
                        (rate + 1) * weights[o]);
    }
    assert_true(sum <= usable);
    if (wants_more)
        assert_true(sum + HBM_N_STREAMS > usable);
}

static void test_shares_are_max_min_fair_for_any_demands(void **state)
{
    GRand *rand = g_rand_new_with_seed(31);

    (void)state;
    for (int i = 0; i < 200; i++) {
        uint64_t compute = (uint64_t)g_rand_int_range(rand, 1, 10);
        uint64_t comm = (uint64_t)g_rand_int_range(rand, 1, 10);
        const uint64_t weights[] = { compute, compute, comm, comm };
        uint64_t usable = (uint64_t)g_rand_int_range(rand, 1, 1000);
        uint64_t demands[HBM_N_STREAMS] = { 0 };
        Told told;

        begin(&told, HBM_SHARED, usable, compute, comm);
        for (int j = 0; j < 20; j++) {
            HbmStream s = (HbmStream)g_rand_int_range(rand, 0, HBM_N_STREAMS);

            demands[s] = g_rand_boolean(rand)
                             ? 0
                             : (uint64_t)g_rand_int_range(rand, 0, 1500);
            hbm_set_demand(told.hbm, s, demands[s]);
            assert_is_fair(&told, demands, weights, usable);
        }
        hbm_free(told.hbm);
    }
    g_rand_free(rand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_usable_bandwidth_is_the_peak_times_the_efficiency),
        cmocka_unit_test(test_bandwidth_is_lost_where_reads_and_writes_mix),
        cmocka_unit_test(test_streams_share_what_their_mix_leaves),
        cmocka_unit_test(test_writes_may_have_less_than_reads),
        cmocka_unit_test(test_what_no_share_was_set_for_belongs_to_the_main),
        cmocka_unit_test(test_writes_stand_beside_the_share_of_the_reads),
        cmocka_unit_test(test_writes_may_be_charged_to_the_main_stream),
        cmocka_unit_test(test_shares_beyond_the_bandwidth_leave_the_main_none),
        cmocka_unit_test(test_a_fixed_share_stays_whether_it_is_used_or_not),
        cmocka_unit_test(test_a_stream_alone_has_all_it_can_use),
        cmocka_unit_test(test_streams_that_want_more_have_equal_parts),
        cmocka_unit_test(test_parts_go_by_weight),
        cmocka_unit_test(test_what_a_capped_stream_leaves_is_shared),
        cmocka_unit_test(test_a_cap_and_a_weight_together),
        cmocka_unit_test(test_only_those_whose_rate_changes_are_told),
        cmocka_unit_test(test_shares_are_max_min_fair_for_any_demands),
    };

    return cmocka_run_group_tests_name("hbm", tests, NULL, NULL);
}
