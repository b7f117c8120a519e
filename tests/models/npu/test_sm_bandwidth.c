/* test_sm_bandwidth.c - Tests of models/npu/sm_bandwidth.c. */
#include "tests/test.h"

#include "models/npu/sm_bandwidth.h"

#define GB UINT64_C(1000000000)

static void test_without_in_flight_limit_the_sm_port_limits(void **state)
{
    SmTurn turn = { .total_bytes_per_s_of_port_links = 64 * GB,
                    .turn_ps = SIM_NS(700) };

    (void)state;
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 1), 64 * GB);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 80), 5120 * GB);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 0), 0);
    /* The value is so large that it limits nothing. */
    turn.in_flight_bytes = UINT64_C(1) << 40;
    assert_in_range(sm_bandwidth_without_memory_limit(&turn, 1),
                    63999 * GB / 1000, 64 * GB);
}

/* A round trip takes 500 ns of latency and 250 ns for 16,000 B in the port. */
static void test_an_sm_round_trip_is_latency_plus_port_time(void **state)
{
    SmTurn turn = { .total_bytes_per_s_of_port_links = 64 * GB,
                    .in_flight_bytes = 16000,
                    .turn_ps = SIM_NS(500),
                    .port_queueing_ppm = 1000000 };

    (void)state;
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 1), 21333333333);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 3), 64 * GB);
    turn.turn_ps = SIM_NS(1750);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 1), 8 * GB);
    turn.in_flight_bytes = 1;
    /* The SM supplies half a byte per second. */
    turn.turn_ps = 2 * SIM_PS_PER_SEC;
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 1), 1);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 9), 4);
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 0), 0);
    turn.in_flight_bytes = 16000;
    turn.turn_ps = 0;
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 1), 64 * GB);
}

/* With U = 900 GB/s, S = 9 x 64 GB/s and q = 1, the rate is U S / (U + S). */
static void test_queueing_only_softens_the_bandwidth_knee(void **state)
{
    SmTurn turn = { .total_bytes_per_s_of_port_links = 64 * GB,
                    .queueing_ppm = 1000000 };

    (void)state;
    assert_int_equal(sm_bandwidth_with_queueing(&turn, 9, 900 * GB),
                     351219512195);
    assert_int_equal(sm_bandwidth_with_queueing(&turn, 0, 900 * GB), 0);
    assert_int_equal(sm_bandwidth_with_queueing(&turn, 9, 0), 0);
    assert_int_equal(sm_bandwidth_with_queueing(&turn, 9, 1), 1);
    turn.queueing_ppm = 1;
    assert_in_range(sm_bandwidth_with_queueing(&turn, 1, 900 * GB), 63999900000,
                    64 * GB);
    turn.queueing_ppm = 0;
    assert_int_equal(sm_bandwidth_with_queueing(&turn, 80, 900 * GB),
                     5120 * GB);
}

static void test_the_largest_sm_parameters_do_not_overflow(void **state)
{
    SmTurn turn = { .total_bytes_per_s_of_port_links =
                        UINT64_C(65536) * 100000000000,
                    .in_flight_bytes = UINT64_C(1) << 40,
                    .turn_ps = 3 * UINT64_C(1000000000000),
                    .queueing_ppm = 500000 };
    uint64_t one = sm_bandwidth_without_memory_limit(&turn, 1);

    (void)state;
    assert_in_range(one, 366000000000, 367000000000);
    turn.in_flight_bytes = 0;
    assert_int_equal(sm_bandwidth_without_memory_limit(&turn, 100000),
                     UINT64_MAX);
    assert_in_range(sm_bandwidth_with_queueing(&turn, 100000, GB), 900000000,
                    GB);
}

/* ---- the port, and bytes in flight --------------------------------------- */

/* The port loads 64 and stores 32 GB/s.  A copy loads for 1/128 and stores for
 * 1/64 of a time unit. */
static void test_port_sharing_adds_the_shorter_direction(void **state)
{
    (void)state;
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 0, 1000000),
                     64 * GB);
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 1000000, 1000000),
                     64 * GB);
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 500000, 0), 32 * GB);
    /* Both directions at once, then one after the other, then half of that. */
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 0, 500000), 64 * GB);
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 1000000, 500000),
                     42666666666);
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 500000, 500000),
                     51200000000);
    /* Two loads per store keep both directions equally long. */
    assert_int_equal(sm_port_bytes_per_s(64 * GB, 32 * GB, 0, 666667),
                     95999952000);
    assert_int_equal(sm_port_bytes_per_s(1, 1, 1000000, 333333), 1);
}

static void test_a_port_of_one_rate_is_independent_of_the_mix(void **state)
{
    (void)state;
    for (uint64_t read_ppm = 0; read_ppm <= 1000000; read_ppm += 62500) {
        assert_int_equal(
            sm_port_bytes_per_s(91 * GB, 91 * GB, 1000000, read_ppm), 91 * GB);
        assert_true(sm_port_bytes_per_s(91 * GB, 91 * GB, 0, read_ppm) >=
                    91 * GB);
    }
}

/* Returns the supply as it was before the port could be independent of the
 * turn: a turn ends with the time of the port. */
static uint64_t supply_with_port_in_turn(const SmTurn *turn, uint64_t n_sms)
{
    SimWide in_flight_ps = (SimWide)turn->in_flight_bytes * SIM_PS_PER_SEC;
    SimWide port_ps =
        (in_flight_ps + turn->total_bytes_per_s_of_port_links - 1) /
        turn->total_bytes_per_s_of_port_links;

    return MAX((uint64_t)(in_flight_ps * n_sms / (turn->turn_ps + port_ps)), 1);
}

static SmTurn random_turn(GRand *rand, uint64_t port_queueing_ppm)
{
    return (SmTurn){
        .total_bytes_per_s_of_port_links =
            (uint64_t)g_rand_int_range(rand, 1, 200000) * 1000003,
        .in_flight_bytes = (uint64_t)g_rand_int_range(rand, 1, 1 << 20),
        .turn_ps = (uint64_t)g_rand_int_range(rand, 1, 2000000),
        .port_queueing_ppm = port_queueing_ppm,
    };
}

static void test_full_port_queueing_puts_the_port_into_the_turn(void **state)
{
    GRand *rand = g_rand_new_with_seed(7);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        SmTurn turn = random_turn(rand, 1000000);
        uint64_t n_sms = (uint64_t)g_rand_int_range(rand, 1, 200);

        assert_int_equal(sm_bandwidth_without_memory_limit(&turn, n_sms),
                         supply_with_port_in_turn(&turn, n_sms));
    }
    g_rand_free(rand);
}

static void test_no_port_queueing_gives_the_smaller_bound(void **state)
{
    GRand *rand = g_rand_new_with_seed(8);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        SmTurn turn = random_turn(rand, 0);
        uint64_t n_sms = (uint64_t)g_rand_int_range(rand, 1, 200);
        uint64_t waiting = (uint64_t)((SimWide)turn.in_flight_bytes *
                                      SIM_PS_PER_SEC * n_sms / turn.turn_ps);

        assert_int_equal(
            sm_bandwidth_without_memory_limit(&turn, n_sms),
            MIN(waiting, turn.total_bytes_per_s_of_port_links * n_sms));
    }
    g_rand_free(rand);
}

/* With 16,000 B in 250 ns, both bounds are 64 GB/s.  A factor p of 1/4 gives
 * 2/3 of that: a / (1 + sqrt(p)). */
static void test_equal_bounds_delay_each_other_by_the_root(void **state)
{
    SmTurn turn = { .total_bytes_per_s_of_port_links = 64 * GB,
                    .in_flight_bytes = 16000,
                    .turn_ps = SIM_NS(250),
                    .port_queueing_ppm = 250000 };

    (void)state;
    assert_in_range(sm_bandwidth_without_memory_limit(&turn, 1), 42666666660,
                    42666666667);
    turn.port_queueing_ppm = 10000;
    assert_in_range(sm_bandwidth_without_memory_limit(&turn, 1), 58181818175,
                    58181818182);
}

static void check_monotone(const SmTurn *less, uint64_t less_sms,
                           const SmTurn *more, uint64_t more_sms)
{
    assert_true(sm_bandwidth_without_memory_limit(less, less_sms) <=
                sm_bandwidth_without_memory_limit(more, more_sms));
}

static void test_supply_grows_with_sms_port_and_bytes_in_flight(void **state)
{
    GRand *rand = g_rand_new_with_seed(9);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        SmTurn turn =
            random_turn(rand, (uint64_t)g_rand_int_range(rand, 0, 1000001));
        SmTurn port = turn, in_flight = turn, sharp = turn;
        uint64_t n_sms = (uint64_t)g_rand_int_range(rand, 1, 200);

        port.total_bytes_per_s_of_port_links +=
            port.total_bytes_per_s_of_port_links / 16 + 1;
        in_flight.in_flight_bytes += in_flight.in_flight_bytes / 16 + 1;
        sharp.port_queueing_ppm /= 2;
        check_monotone(&turn, n_sms, &turn, n_sms + 1);
        check_monotone(&turn, n_sms, &port, n_sms);
        check_monotone(&turn, n_sms, &in_flight, n_sms);
        check_monotone(&turn, n_sms, &sharp, n_sms);
    }
    g_rand_free(rand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_in_flight_limit_the_sm_port_limits),
        cmocka_unit_test(test_an_sm_round_trip_is_latency_plus_port_time),
        cmocka_unit_test(test_queueing_only_softens_the_bandwidth_knee),
        cmocka_unit_test(test_the_largest_sm_parameters_do_not_overflow),
        cmocka_unit_test(test_port_sharing_adds_the_shorter_direction),
        cmocka_unit_test(test_a_port_of_one_rate_is_independent_of_the_mix),
        cmocka_unit_test(test_full_port_queueing_puts_the_port_into_the_turn),
        cmocka_unit_test(test_no_port_queueing_gives_the_smaller_bound),
        cmocka_unit_test(test_equal_bounds_delay_each_other_by_the_root),
        cmocka_unit_test(test_supply_grows_with_sms_port_and_bytes_in_flight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
