/* Tests of sim/config/json/json_numbers.c: exact conversion of numbers,
 * and ranges */
#include "tests/test.h"

#include <string.h>

#include "sim/config/json/pull_parser.h"

static Source *source_of_text(const char *text)
{
    return source_from_memory("x.json", text, strlen(text));
}

static void assert_scaled_number(const char *text, uint64_t scale,
                                 int64_t expected)
{
    __int128 value;

    assert_true(json_pull_scale_text(text, strlen(text), scale, &value));
    assert_true(value == expected);
}

static void json_numbers_are_exact(void **state)
{
    (void)state;
    assert_scaled_number("0", 1, 0);
    assert_scaled_number("-0.0", 1000, 0);
    assert_scaled_number("12.5", 1, 13);
    assert_scaled_number("-12.5", 1, -13);
    assert_scaled_number("12.4999999", 1, 12);
    assert_scaled_number("4458677009853.422", 1000000, 4458677009853422000);
    assert_scaled_number("1.5e3", 1, 1500);
    assert_scaled_number("1e-05", 1000000, 10);
    assert_scaled_number("0.0000004", 1000000, 0);
    assert_scaled_number("0.0000005", 1000000, 1);
    assert_scaled_number("123456789012.3456789012345678901234567890", 1000000,
                         123456789012345679);
    assert_scaled_number("1e-999999999999", 1, 0);
    assert_scaled_number("0e999999999999", 1, 0);
    assert_scaled_number("000000000000000000000000000000000000001", 1, 1);
}

static void json_numbers_of_up_to_128_bits_are_exact(void **state)
{
    const char *text = "1694128201429795.422";
    __int128 value, expected = (__int128)1694128201429795 * 1000000 + 422000;

    (void)state;
    assert_true(json_pull_scale_text(text, strlen(text), 1000000, &value));
    assert_true(value == expected);
}

static void a_json_number_out_of_range_has_no_value(void **state)
{
    static const char *const texts[] = {
        "1e27",
        "1000000000000000000000000000",
        "1e999999999999",
        "999999999999999999999999999999999999999",
        "",
        "-",
        "1.",
        ".5",
        "1e",
        "NaN",
        "0x10",
        "1 2"
    };
    __int128 value;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_false(
            json_pull_scale_text(texts[i], strlen(texts[i]), 1000000, &value));
}

static void json_integers_out_of_range_are_refused(void **state)
{
    g_autoptr(Source) source =
        source_of_text("[18446744073709551615, 18446744073709551616, -1,"
                       " 9223372036854775808, -9223372036854775808, \"1\"]");
    g_autoptr(JsonPull) pull = json_pull_new(source);
    static const guint is_u64[] = { 1, 0, 0, 1, 0, 0 };
    static const guint is_i64[] = { 0, 0, 1, 0, 1, 0 };
    uint64_t u64;
    int64_t i64;

    (void)state;
    assert_true(json_pull_enter_container(pull, PULL_ARRAY));
    for (guint i = 0; json_pull_next_item(pull); i++) {
        assert_int_equal(json_pull_u64(pull, &u64), is_u64[i]);
        assert_int_equal(json_pull_i64(pull, &i64), is_i64[i]);
    }
    assert_int_equal(i64, INT64_MIN);
    assert_int_equal(json_pull_next_token(pull), PULL_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_numbers_are_exact),
        cmocka_unit_test(json_numbers_of_up_to_128_bits_are_exact),
        cmocka_unit_test(a_json_number_out_of_range_has_no_value),
        cmocka_unit_test(json_integers_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
