/* Tests of sustained runs: steps are summarised in the row of a second, and
 * rows in a line of the record; throttle reasons have names. */
#include "tests/test.h"

#include "validate/gpu/host/clock_throttle_reasons.h"
#include "validate/gpu/host/sustained_run_summary.h"

static void test_a_sustained_second_has_the_median_of_its_steps(void **state)
{
    static const double us[] = { 104, 100, 101, 102, 103 };
    SustainSecond second = { .n = 0 };
    MeasureResult row;

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(us); i++) {
        SustainSample sample = { 1700 + 10 * (double)i, 600, 0, 0 };

        sustain_add_sample(&second, us[i], &sample);
    }
    row = sustain_row_of_second(&second, 3, 64);
    assert_true(row.median_us == 102);
    assert_true(row.p10_us < row.median_us && row.p90_us > row.median_us);
    assert_true(row.sm_mhz == 1720);
    assert_true(row.power_w == 600);
    assert_true(row.celsius == 0);
    assert_int_equal(row.repetitions, 5);
    assert_int_equal(row.batch_launches, 64);
    assert_int_equal(row.second, 3);
    assert_int_equal(row.throttle, 0);
}

/* The driver may not report a sample, and there may be more steps than are
 * stored. */
static void test_unknown_samples_do_not_count_as_zero(void **state)
{
    SustainSample none = { 0, 0, 0, 0 }, some = { 1500, 0, 60, 4 };
    SustainSecond second = { .n = 0 };
    MeasureResult row;

    (void)state;
    sustain_add_sample(&second, 10, &some);
    for (int i = 0; i < 2 * SUSTAIN_STEPS; i++)
        sustain_add_sample(&second, 10, &none);
    row = sustain_row_of_second(&second, 1, 1);
    assert_true(row.sm_mhz == 1500);
    assert_true(row.celsius == 60);
    assert_true(row.power_w == 0);
    assert_int_equal(row.throttle, 4);
    assert_int_equal(row.repetitions, SUSTAIN_STEPS);
}

static void
test_the_first_sustained_second_is_compared_with_the_last(void **state)
{
    static const MeasureResult rows[] = {
        { .second = 1, .median_us = 100, .sm_mhz = 1980, .power_w = 640 },
        { .second = 2,
          .median_us = 104,
          .sm_mhz = 1700,
          .power_w = 701,
          .celsius = 60,
          .throttle = 4 },
        { .second = 4,
          .median_us = 110,
          .sm_mhz = 1620,
          .power_w = 699,
          .celsius = 70 },
    };
    Sustained sum = { .limit_w = 700 };
    char line[TABLE_IDENTITY_SIZE];

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        sustain_add_row(&sum, &rows[i]);
    assert_int_equal(sum.seconds, 4);
    assert_true(sum.first_us == 100 && sum.last_us == 110);
    sustain_describe(&sum, line, sizeof line);
    assert_string_equal(line, "+10.0 % time after 4 s, 1980 to 1620 MHz, at "
                              "most 701 of 700 W, 70 C, throttled by: "
                              "power-cap");
}

static void test_throttle_reasons_have_names(void **state)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        { 0, "" },
        { 0x1, "" },
        { 0x2, "application-clocks" },
        { 0x4, "power-cap" },
        { 0x8, "hw-slowdown" },
        { 0x20 | 0x40, "sw-thermal hw-thermal" },
        { 0x80, "power-brake" },
        { UINT64_C(1) << 60, "" },
    };
    char text[128], little[8];

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        throttle_text(cases[i].bits, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    throttle_text(UINT64_MAX, little, sizeof little);
    assert_string_equal(little, "applica");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sustained_second_has_the_median_of_its_steps),
        cmocka_unit_test(test_unknown_samples_do_not_count_as_zero),
        cmocka_unit_test(
            test_the_first_sustained_second_is_compared_with_the_last),
        cmocka_unit_test(test_throttle_reasons_have_names),
    };

    return cmocka_run_group_tests_name("measure_sustain", tests, NULL, NULL);
}
