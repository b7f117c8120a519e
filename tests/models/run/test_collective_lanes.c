/*
 * test_collective_lanes.c - Tests of models/run/admit/collective_lanes.c and
 * fusion_buffers.c: begin and end of collectives, exact to the picosecond. The
 * runs verify all data.
 */
#include "tests/models/run/collective_lanes_fixture.h"

/* An all-reduce alone takes 9 us for 100,000 bytes, 15 us for 200,000, 21 us
 * for 300,000 and 27 us for 400,000. */
static void
test_a_single_all_reduce_in_a_lane_takes_its_closed_form(void **state)
{
    Setup setup =
        lanes_setup("", KERNEL("k", 10) REDUCE("a", "k", 100000, "none"), 1);

    (void)state;
    assert_int_equal(all_reduce_ps(100000), US(9));
    assert_int_equal(all_reduce_ps(200000), US(15));
    assert_string_equal(operation_events_text(&setup),
                        "begins a 10\nends a 19\n");
}

static void test_a_lane_of_one_runs_collectives_in_program_order(void **state)
{
    Setup setup = lanes_setup("{name: l}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 200000, "l")
                                      REDUCE("c", "k", 100000, "l"),
                              1);

    (void)state;
    assert_string_equal(operation_events_text(&setup),
                        "begins a 10\nends a 19\n"
                        "begins b 19\nends b 34\n"
                        "begins c 34\nends c 43\n");
    assert_int_equal(simulate_setup(&setup).total_ps, US(43));
}

/* Collective b is ready at 12 us and c at 14 us, while a is in flight. */
#define THREE                                                                  \
    KERNEL("j", 10)                                                            \
    URGENT("a", "j", 100000, "l", 1)                                           \
    KERNEL("k", 2)                                                             \
    URGENT("b", "k", 100000, "l", 2)                                           \
    KERNEL("m", 2) URGENT("c", "m", 200000, "l", 3)

static void
test_a_lane_takes_the_first_ready_or_most_urgent_collective(void **state)
{
    Setup as_ready = lanes_setup("{name: l}", THREE, 1);
    Setup urgent = lanes_setup("{name: l, order: priority}", THREE, 1);

    (void)state;
    assert_string_equal(operation_events_text(&as_ready),
                        "begins a 10\nends a 19\n"
                        "begins b 19\nends b 28\n"
                        "begins c 28\nends c 43\n");
    assert_string_equal(operation_events_text(&urgent),
                        "begins a 10\nends a 19\n"
                        "begins c 19\nends c 34\n"
                        "begins b 34\nends b 43\n");
}

/* Two collectives of 100,000 bytes are within the credit, one with another of
 * 400,000 is not. A collective larger than the credit runs alone. */
static void
test_only_a_single_collective_may_exceed_the_lane_credit(void **state)
{
    Setup setup = lanes_setup("{name: l, at_a_time: 0, credit: 250000 B}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 100000, "l")
                                      REDUCE("c", "k", 400000, "l")
                                          REDUCE("d", "k", 100000, "l"),
                              1);

    (void)state;
    /* Collectives a and b use opposite directions of the ring. */
    assert_string_equal(operation_events_text(&setup),
                        "begins a 10\nbegins b 10\n"
                        "ends a 19\nends b 19\n"
                        "begins c 19\nends c 46\n"
                        "begins d 46\nends d 55\n");
}

/* The collective lane polls at multiples of 6 us, and late if it was busy then.
 * a is ready at 10 us, b at 12 us, c at 39 us and d at 54 us. */
static void test_a_lane_polls_at_multiples_of_its_cycle_or_late(void **state)
{
    Setup setup =
        lanes_setup("{name: l, cycle: 6 us}",
                    KERNEL("j", 10) REDUCE("a", "j", 100000, "l") KERNEL("k", 2)
                        REDUCE("b", "k", 100000, "l") KERNEL("m", 27)
                            REDUCE("c", "m", 100000, "l") KERNEL("n", 15)
                                REDUCE("d", "n", 100000, "l"),
                    1);

    (void)state;
    /* At 12 us, a and b are ready, and b follows a. All is done at 30 us. The
     * ticks at 18 and 24 us have passed, so the collective lane polls at 30 us,
     * and the next ticks are at 36 and 42 us. c ends at 51 us, with a late
     * poll. The tick after that is at 57 us, when d is ready. */
    assert_string_equal(operation_events_text(&setup),
                        "begins a 12\nends a 21\n"
                        "begins b 21\nends b 30\n"
                        "begins c 42\nends c 51\n"
                        "begins d 57\nends d 66\n");
}

/* A collective that gets ready while the collective lane is busy during a tick
 * begins immediately afterwards. */
static void test_a_lane_busy_at_a_tick_polls_immediately_after(void **state)
{
    Setup setup = lanes_setup("{name: l, cycle: 8 us}",
                              KERNEL("j", 8) REDUCE("a", "j", 100000, "l")
                                  KERNEL("k", 1) REDUCE("b", "k", 100000, "l"),
                              1);

    (void)state;
    assert_string_equal(operation_events_text(&setup),
                        "begins a 8\nends a 17\n"
                        "begins b 17\nends b 26\n");
}

/* A poll takes all collectives that are ready. b therefore goes before c, which
 * is more urgent but was not ready. */
static void test_a_lane_poll_takes_all_ready_collectives(void **state)
{
    Setup setup =
        lanes_setup("{name: l, order: priority, cycle: 10 us}",
                    KERNEL("j", 10) URGENT("a", "j", 100000, "l", 2)
                        URGENT("b", "j", 100000, "l", 1) KERNEL("k", 2)
                            URGENT("c", "k", 100000, "l", 3),
                    1);

    (void)state;
    assert_string_equal(operation_events_text(&setup),
                        "begins a 10\nends a 19\n"
                        "begins b 19\nends b 28\n"
                        "begins c 28\nends c 37\n");
}

/* ---- fusion of collectives in lanes -------------------------------------- */

#define BUFFER(n) "buffer of l"

/* Collectives a, b and c have 300,000 bytes together. Collective d does not fit
 * with them, and e is larger than a buffer. Members end when their buffer does,
 * in order. */
static void test_consecutive_collectives_that_fit_are_fused(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 300000 B}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l") REDUCE("c", "k", 100000, "l")
                REDUCE("d", "k", 100000, "l") REDUCE("e", "k", 400000, "l")
                    REDUCE("f", "k", 100000, "l") REDUCE("g", "k", 100000, "l"),
        1);

    (void)state;
    assert_string_equal(operation_events_text(&setup),
                        "begins buffer of l 10\n"
                        "begins a 10\nbegins b 10\nbegins c 10\n"
                        "ends buffer of l 31\nends a 31\nends b 31\nends c 31\n"
                        "begins d 31\nends d 40\n"
                        "begins e 40\nends e 67\n"
                        "begins buffer of l 67\nbegins f 67\nbegins g 67\n"
                        "ends buffer of l 82\nends f 82\nends g 82\n");
    assert_int_equal(simulate_setup(&setup).total_ps, US(82));
}

/* Collective b is of another kind, so it is not fused with a. */
static void test_collectives_of_different_kinds_are_not_fused(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 1 MiB}",
        KERNEL("k", 10) REDUCE(
            "a", "k", 100000,
            "l") "{kind: collective, collective: all-gather, name: b, after: [k], "
                 "bytes: 100000 B, lane: l}, " REDUCE("c", "k", 100000, "l"),
        1);

    (void)state;
    assert_string_equal(operation_events_text(&setup),
                        "begins a 10\nends a 19\n"
                        "begins b 19\nends b 23.5\n"
                        "begins c 23.5\nends c 32.5\n");
}

/* A poll negotiates for 3 us. 200,000 bytes are copied in 2 us, in and out. A
 * single collective is not copied. */
static void test_lane_negotiation_and_copies_take_time(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 200000 B, cycle: 20 us, negotiation: 3 us, copy: "
        "100 GB/s}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l") REDUCE("c", "k", 100000, "l")
                KERNEL("m", 12) REDUCE("d", "m", 100000, "l"),
        1);
    SystemResult result = simulate_setup(&setup);

    (void)state;
    /* At 20 us, a and b are negotiated until 23 us and then take 2 + 15 + 2 us.
     * c begins at 42 us, since nothing has to be negotiated. d, ready at 22 us,
     * is negotiated in a late poll at 51 us. */
    assert_string_equal(operation_events_text(&setup),
                        "begins buffer of l 23\nbegins a 23\nbegins b 23\n"
                        "ends buffer of l 42\nends a 42\nends b 42\n"
                        "begins c 42\nends c 51\n"
                        "begins d 54\nends d 63\n");
    assert_int_equal(result.total_ps, US(63));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_single_all_reduce_in_a_lane_takes_its_closed_form),
        cmocka_unit_test(test_a_lane_of_one_runs_collectives_in_program_order),
        cmocka_unit_test(
            test_a_lane_takes_the_first_ready_or_most_urgent_collective),
        cmocka_unit_test(
            test_only_a_single_collective_may_exceed_the_lane_credit),
        cmocka_unit_test(test_a_lane_polls_at_multiples_of_its_cycle_or_late),
        cmocka_unit_test(test_a_lane_busy_at_a_tick_polls_immediately_after),
        cmocka_unit_test(test_a_lane_poll_takes_all_ready_collectives),
        cmocka_unit_test(test_consecutive_collectives_that_fit_are_fused),
        cmocka_unit_test(test_collectives_of_different_kinds_are_not_fused),
        cmocka_unit_test(test_lane_negotiation_and_copies_take_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
