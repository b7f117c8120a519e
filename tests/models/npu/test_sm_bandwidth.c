/* test_sm_bandwidth.c - Tests of models/npu/sm_bandwidth.c. */
#include "tests/test.h"

#include "models/npu/sm_bandwidth.h"

#define GB UINT64_C(1000000000)

static void test_without_in_flight_limit_the_sm_port_limits(void **state)
{
    SmTurn turn = { .port_bytes_per_s = 64 * GB, .turn_ps = SIM_NS(700) };

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
    SmTurn turn = { .port_bytes_per_s = 64 * GB,
                    .in_flight_bytes = 16000,
                    .turn_ps = SIM_NS(500) };

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
    SmTurn turn = { .port_bytes_per_s = 64 * GB, .queueing_ppm = 1000000 };

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
    SmTurn turn = { .port_bytes_per_s = UINT64_C(65536) * 100000000000,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_in_flight_limit_the_sm_port_limits),
        cmocka_unit_test(test_an_sm_round_trip_is_latency_plus_port_time),
        cmocka_unit_test(test_queueing_only_softens_the_bandwidth_knee),
        cmocka_unit_test(test_the_largest_sm_parameters_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
