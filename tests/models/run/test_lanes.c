/*
 * Tests of models/run/admit/lanes.c and buffers.c: what begins when, to the
 * picosecond, with all data carried along
 */
#include "tests/models/run/lanes_fixture.h"

/* An all-reduce of 100,000 bytes alone takes 9 us, of 200,000 15, of 300,000
 * 21, of 400,000 27. */
static void test_times_alone_are_as_the_fixture_has_them(void **state)
{
    Setup setup =
        lanes_setup("", KERNEL("k", 10) REDUCE("a", "k", 100000, "none"), 1);

    (void)state;
    assert_int_equal(all_reduce_ps(100000), US(9));
    assert_int_equal(all_reduce_ps(200000), US(15));
    assert_string_equal(watched(&setup), "begins a 10\nends a 19\n");
}

static void test_one_at_a_time_is_a_chain_as_it_stands(void **state)
{
    Setup setup = lanes_setup("{name: l}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 200000, "l")
                                      REDUCE("c", "k", 100000, "l"),
                              1);

    (void)state;
    assert_string_equal(watched(&setup), "begins a 10\nends a 19\n"
                                         "begins b 19\nends b 34\n"
                                         "begins c 34\nends c 43\n");
    assert_int_equal(result_of(&setup).total_ps, US(43));
}

/* b is ready at 12, c at 14, when a is under way. */
#define THREE                                                                  \
    KERNEL("j", 10)                                                            \
    URGENT("a", "j", 100000, "l", 1)                                           \
    KERNEL("k", 2)                                                             \
    URGENT("b", "k", 100000, "l", 2)                                           \
    KERNEL("m", 2) URGENT("c", "m", 200000, "l", 3)

static void test_what_is_ready_first_goes_first_or_what_is_urgent(void **state)
{
    Setup as_ready = lanes_setup("{name: l}", THREE, 1);
    Setup urgent = lanes_setup("{name: l, order: priority}", THREE, 1);

    (void)state;
    assert_string_equal(watched(&as_ready), "begins a 10\nends a 19\n"
                                            "begins b 19\nends b 28\n"
                                            "begins c 28\nends c 43\n");
    assert_string_equal(watched(&urgent), "begins a 10\nends a 19\n"
                                          "begins c 19\nends c 34\n"
                                          "begins b 34\nends b 43\n");
}

/* Two of 100,000 are within the credit, 200,000 beside one is not; one that is
 * larger than the credit goes alone. */
static void test_a_credit_is_not_exceeded_but_by_one_alone(void **state)
{
    Setup setup = lanes_setup("{name: l, at_a_time: 0, credit: 250000 B}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 100000, "l")
                                      REDUCE("c", "k", 400000, "l")
                                          REDUCE("d", "k", 100000, "l"),
                              1);

    (void)state;
    /* a and b go round in opposite ways. */
    assert_string_equal(watched(&setup), "begins a 10\nbegins b 10\n"
                                         "ends a 19\nends b 19\n"
                                         "begins c 19\nends c 46\n"
                                         "begins d 46\nends d 55\n");
}

/* The last look was at 0: a is ready at 10, b at 12.  b at 19 is late, since a
 * was under way at 18; c is ready at 39, the last look at 33 (+ 6 each). */
static void test_a_cycle_looks_at_its_multiples_or_late(void **state)
{
    Setup setup =
        lanes_setup("{name: l, cycle: 6 us}",
                    KERNEL("j", 10) REDUCE("a", "j", 100000, "l") KERNEL("k", 2)
                        REDUCE("b", "k", 100000, "l") KERNEL("m", 27)
                            REDUCE("c", "m", 100000, "l") KERNEL("n", 15)
                                REDUCE("d", "n", 100000, "l"),
                    1);

    (void)state;
    /* 12 is a multiple, and both are ready: b goes after a.  At 30 all is
     * done; a late look was then (ticks at 18 and 24 have gone by), so that
     * ticks are at 36, 42: c, which ends at 51, when a look is late.  d is
     * ready at 54, and the ticks are at 57. */
    assert_string_equal(watched(&setup), "begins a 12\nends a 21\n"
                                         "begins b 21\nends b 30\n"
                                         "begins c 42\nends c 51\n"
                                         "begins d 57\nends d 66\n");
}

/* What gets ready while the lane is busy over a tick goes at once. */
static void test_busy_over_a_tick_it_looks_at_once(void **state)
{
    Setup setup = lanes_setup("{name: l, cycle: 8 us}",
                              KERNEL("j", 8) REDUCE("a", "j", 100000, "l")
                                  KERNEL("k", 1) REDUCE("b", "k", 100000, "l"),
                              1);

    (void)state;
    assert_string_equal(watched(&setup), "begins a 8\nends a 17\n"
                                         "begins b 17\nends b 26\n");
}

/* At a look all that is ready is taken: b goes before c, which is more urgent
 * but was not there. */
static void test_a_look_of_a_cycle_takes_all_that_is_ready(void **state)
{
    Setup setup =
        lanes_setup("{name: l, order: priority, cycle: 10 us}",
                    KERNEL("j", 10) URGENT("a", "j", 100000, "l", 2)
                        URGENT("b", "j", 100000, "l", 1) KERNEL("k", 2)
                            URGENT("c", "k", 100000, "l", 3),
                    1);

    (void)state;
    assert_string_equal(watched(&setup), "begins a 10\nends a 19\n"
                                         "begins b 19\nends b 28\n"
                                         "begins c 28\nends c 37\n");
}

/* ---- fusion ------------------------------------------------------------ */

#define BUFFER(n) "buffer of l"

/* a, b and c are 300,000 bytes; d does not fit beside them, and e is larger
 * than a buffer.  Members end in order when the buffer does. */
static void test_what_follows_each_other_and_fits_goes_as_one(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 300000 B}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l") REDUCE("c", "k", 100000, "l")
                REDUCE("d", "k", 100000, "l") REDUCE("e", "k", 400000, "l")
                    REDUCE("f", "k", 100000, "l") REDUCE("g", "k", 100000, "l"),
        1);

    (void)state;
    assert_string_equal(watched(&setup),
                        "begins buffer of l 10\n"
                        "begins a 10\nbegins b 10\nbegins c 10\n"
                        "ends buffer of l 31\nends a 31\nends b 31\nends c 31\n"
                        "begins d 31\nends d 40\n"
                        "begins e 40\nends e 67\n"
                        "begins buffer of l 67\nbegins f 67\nbegins g 67\n"
                        "ends buffer of l 82\nends f 82\nends g 82\n");
    assert_int_equal(result_of(&setup).total_ps, US(82));
}

/* Of another kind. */
static void test_what_differs_is_not_fused(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 1 MiB}",
        KERNEL("k", 10) REDUCE(
            "a", "k", 100000,
            "l") "{kind: collective, collective: all-gather, name: b, after: [k], "
                 "bytes: 100000 B, lane: l}, " REDUCE("c", "k", 100000, "l"),
        1);

    (void)state;
    assert_string_equal(watched(&setup), "begins a 10\nends a 19\n"
                                         "begins b 19\nends b 23.5\n"
                                         "begins c 23.5\nends c 32.5\n");
}

/* Negotiated for 3 us at each look; 200,000 bytes are copied in 2 us, in and
 * out; what goes alone is not copied. */
static void test_negotiation_and_copies_take_their_time(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 200000 B, cycle: 20 us, negotiation: 3 us, copy: "
        "100 GB/s}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l") REDUCE("c", "k", 100000, "l")
                KERNEL("m", 12) REDUCE("d", "m", 100000, "l"),
        1);
    SystemResult result = result_of(&setup);

    (void)state;
    /* At 20: a and b, negotiated until 23, 2 + 15 + 2; c at 42, when nothing
     * has to be negotiated; d, ready at 22, at a late look at 51. */
    assert_string_equal(watched(&setup),
                        "begins buffer of l 23\nbegins a 23\nbegins b 23\n"
                        "ends buffer of l 42\nends a 42\nends b 42\n"
                        "begins c 42\nends c 51\n"
                        "begins d 54\nends d 63\n");
    assert_int_equal(result.total_ps, US(63));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_alone_are_as_the_fixture_has_them),
        cmocka_unit_test(test_one_at_a_time_is_a_chain_as_it_stands),
        cmocka_unit_test(test_what_is_ready_first_goes_first_or_what_is_urgent),
        cmocka_unit_test(test_a_credit_is_not_exceeded_but_by_one_alone),
        cmocka_unit_test(test_a_cycle_looks_at_its_multiples_or_late),
        cmocka_unit_test(test_busy_over_a_tick_it_looks_at_once),
        cmocka_unit_test(test_a_look_of_a_cycle_takes_all_that_is_ready),
        cmocka_unit_test(test_what_follows_each_other_and_fits_goes_as_one),
        cmocka_unit_test(test_what_differs_is_not_fused),
        cmocka_unit_test(test_negotiation_and_copies_take_their_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
