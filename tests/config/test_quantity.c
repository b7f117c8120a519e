/* Tests of sim/config/quantity.h */
#include "tests/test.h"

#include "sim/config/quantity.h"

#define MAX_U64_TEXT "18446744073709551615"

typedef struct {
    const char *text;
    ConfigType type;
    uint64_t value;
} ValidQuantity;

typedef struct {
    const char *text;
    ConfigType type;
    ConfigErrorCode code;
    const char *message;
} InvalidQuantity;

static void check_valid_quantities(const ValidQuantity *cases, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        g_autoptr(GError) error = NULL;
        uint64_t value = 1;

        if (!quantity_parse(cases[i].text, cases[i].type, &value, &error))
            print_error("%s\n", cases[i].text);
        assert_no_error(error);
        assert_true(value == cases[i].value);
    }
}

static void check_invalid_quantities(const InvalidQuantity *cases, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        GError *error = NULL;
        uint64_t value = 42;

        assert_false(
            quantity_parse(cases[i].text, cases[i].type, &value, &error));
        assert_config_error(error, cases[i].code, cases[i].message);
        assert_int_equal(value, 42);
    }
}

static void test_every_quantity_unit_has_its_scale(void **state)
{
    static const ValidQuantity cases[] = {
        { "7", CONFIG_COUNT, 7 },
        { "007", CONFIG_COUNT, 7 },
        { "-0", CONFIG_COUNT, 0 },
        { "3 B", CONFIG_BYTES, 3 },
        { "3 kB", CONFIG_BYTES, 3000 },
        { "3 MB", CONFIG_BYTES, 3000000 },
        { "3 GB", CONFIG_BYTES, 3000000000 },
        { "3 TB", CONFIG_BYTES, 3000000000000 },
        { "3 PB", CONFIG_BYTES, 3000000000000000 },
        { "3 KiB", CONFIG_BYTES, UINT64_C(3) << 10 },
        { "3 MiB", CONFIG_BYTES, UINT64_C(3) << 20 },
        { "3 GiB", CONFIG_BYTES, UINT64_C(3) << 30 },
        { "3 TiB", CONFIG_BYTES, UINT64_C(3) << 40 },
        { "3 ps", CONFIG_TIME, 3 },
        { "3 ns", CONFIG_TIME, 3000 },
        { "3 us", CONFIG_TIME, 3000000 },
        { "3 \xc2\xb5s", CONFIG_TIME, 3000000 },
        { "3 \xce\xbcs", CONFIG_TIME, 3000000 },
        { "3 ms", CONFIG_TIME, 3000000000 },
        { "3 s", CONFIG_TIME, 3000000000000 },
        { "3 B/s", CONFIG_BANDWIDTH, 3 },
        { "3 kB/s", CONFIG_BANDWIDTH, 3000 },
        { "3 MB/s", CONFIG_BANDWIDTH, 3000000 },
        { "3 GB/s", CONFIG_BANDWIDTH, 3000000000 },
        { "3 TB/s", CONFIG_BANDWIDTH, 3000000000000 },
        { "3 KiB/s", CONFIG_BANDWIDTH, UINT64_C(3) << 10 },
        { "3 MiB/s", CONFIG_BANDWIDTH, UINT64_C(3) << 20 },
        { "3 GiB/s", CONFIG_BANDWIDTH, UINT64_C(3) << 30 },
        { "3 TiB/s", CONFIG_BANDWIDTH, UINT64_C(3) << 40 },
        { "3 Hz", CONFIG_FREQUENCY, 3 },
        { "3 kHz", CONFIG_FREQUENCY, 3000 },
        { "3 MHz", CONFIG_FREQUENCY, 3000000 },
        { "3 GHz", CONFIG_FREQUENCY, 3000000000 },
        { "3 FLOPS", CONFIG_FLOPS, 3 },
        { "3 kFLOPS", CONFIG_FLOPS, 3000 },
        { "3 MFLOPS", CONFIG_FLOPS, 3000000 },
        { "3 GFLOPS", CONFIG_FLOPS, 3000000000 },
        { "3 TFLOPS", CONFIG_FLOPS, 3000000000000 },
        { "3 PFLOPS", CONFIG_FLOPS, 3000000000000000 },
        { "94 %", CONFIG_FRACTION, 940000 },
        { "94%", CONFIG_FRACTION, 940000 },
        { "0.94", CONFIG_FRACTION, 940000 },
        { "1", CONFIG_FRACTION, 1000000 },
        { "0.000001", CONFIG_FRACTION, 1 },
        { "0", CONFIG_FRACTION, 0 },
    };

    (void)state;
    check_valid_quantities(cases, G_N_ELEMENTS(cases));
}

static void test_decimals_and_exponents_of_quantities_are_exact(void **state)
{
    static const ValidQuantity cases[] = {
        { "0.1 ns", CONFIG_TIME, 100 },
        { "72.29 ns", CONFIG_TIME, 72290 },
        { "72.29ns", CONFIG_TIME, 72290 },
        { "72.290000000000000000000000000000000000000000 ns", CONFIG_TIME,
          72290 },
        { ".5 ns", CONFIG_TIME, 500 },
        { "1e3 GB/s", CONFIG_BANDWIDTH, 1000000000000 },
        { "2.5E+1 GB/s", CONFIG_BANDWIDTH, 25000000000 },
        { "1e-3 ns", CONFIG_TIME, 1 },
        { "0.00001e5 ps", CONFIG_TIME, 1 },
        { "100000e-5 ps", CONFIG_TIME, 1 },
        { "0e999999999999999999999999 ps", CONFIG_TIME, 0 },
        { "0.0e-999999999999999999999999 ps", CONFIG_TIME, 0 },
        { "0 ns", CONFIG_TIME, 0 },
        { "0.0009765625 KiB", CONFIG_BYTES, 1 },
        { "0.0000000000009094947017729282379150390625 TiB", CONFIG_BYTES, 1 },
        /* The number is 2^64 - 1, written with more digits than 128 bits
         * hold. */
        { "16777215.9999999999990905052982270717620849609375 TiB", CONFIG_BYTES,
          UINT64_MAX },
        { MAX_U64_TEXT " Hz", CONFIG_FREQUENCY, UINT64_MAX },
        { MAX_U64_TEXT, CONFIG_COUNT, UINT64_MAX },
    };

    (void)state;
    check_valid_quantities(cases, G_N_ELEMENTS(cases));
}

static void test_a_missing_or_wrong_unit_is_named(void **state)
{
    static const InvalidQuantity cases[] = {
        { "1245", CONFIG_FREQUENCY, CONFIG_ERROR_UNIT,
          "'1245' has no unit; expected a frequency such as '1245 MHz'" },
        { "0", CONFIG_TIME, CONFIG_ERROR_UNIT,
          "'0' has no unit; expected a time such as '72 ns'" },
        { "64 KiB", CONFIG_FREQUENCY, CONFIG_ERROR_UNIT,
          "'64 KiB' is no frequency; expected one such as '1245 MHz'" },
        { "94 %", CONFIG_BYTES, CONFIG_ERROR_UNIT,
          "'94 %' is no size; expected one such as '64 KiB'" },
        { "5 parsecs", CONFIG_TIME, CONFIG_ERROR_UNIT,
          "'5 parsecs' is no time; expected one such as '72 ns'" },
        { "5 ns", CONFIG_FRACTION, CONFIG_ERROR_UNIT,
          "'5 ns' is no fraction; expected one such as '94 %'" },
        { "64 K", CONFIG_BYTES, CONFIG_ERROR_UNIT,
          "'64 K' is no size; expected one such as '64 KiB'" },
        { "5 mhz", CONFIG_FREQUENCY, CONFIG_ERROR_UNIT,
          "'5 mhz' is no frequency; did you mean 'MHz'?" },
        { "5 gB/s", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 gB/s' is no bandwidth; did you mean 'GB/s'?" },
        { "5 gb/s", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 gb/s' is unclear; did you mean bits, 'Gb/s', or bytes, 'GB/s'?" },
        { "5 gbs", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 gbs' is unclear; did you mean bits, 'Gb/s', or bytes, 'GB/s'?" },
        { "5 GBs", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 GBs' is no bandwidth; did you mean 'GB/s'?" },
        { "5 b/s", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 b/s' is in bits, which are not accepted; did you mean 'B/s'?" },
        { "5 Gib/s", CONFIG_BANDWIDTH, CONFIG_ERROR_UNIT,
          "'5 Gib/s' is in bits, which are not accepted; did you mean "
          "'GiB/s'?" },
        { "5 b", CONFIG_BYTES, CONFIG_ERROR_UNIT,
          "'5 b' is in bits, which are not accepted; did you mean 'B'?" },
        { "5 Gbits", CONFIG_BYTES, CONFIG_ERROR_UNIT,
          "'5 Gbits' is in bits, which are not accepted; expected bytes such "
          "as '64 KiB'" },
        { "5 KB", CONFIG_BYTES, CONFIG_ERROR_UNIT,
          "'5 KB' is no size; did you mean 'kB'?" },
        { "5 sec", CONFIG_TIME, CONFIG_ERROR_UNIT,
          "'5 sec' is no time; did you mean 's'?" },
    };

    (void)state;
    check_invalid_quantities(cases, G_N_ELEMENTS(cases));
}

static void test_a_quantity_without_a_number_is_a_type_error(void **state)
{
    static const InvalidQuantity cases[] = {
        { "fast", CONFIG_FREQUENCY, CONFIG_ERROR_TYPE,
          "'fast' is no frequency; expected one such as '1245 MHz'" },
        { "GB/s", CONFIG_BANDWIDTH, CONFIG_ERROR_TYPE,
          "'GB/s' is no bandwidth; expected one such as '200 GB/s'" },
        { ".", CONFIG_FRACTION, CONFIG_ERROR_TYPE,
          "'.' is no fraction; expected one such as '94 %'" },
        { "", CONFIG_FLOPS, CONFIG_ERROR_TYPE,
          "expected a compute rate such as '120 TFLOPS', got nothing" },
        { "", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got nothing" },
        { "1.5", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '1.5'" },
        { "1e6", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '1e6'; write '1000000'" },
        { "4.0", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '4.0'; write '4'" },
        { "1_000", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '1_000'" },
        { "0x10", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '0x10'" },
        { "64 KiB", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '64 KiB'" },
        { "+4", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '+4'" },
        { "4 ", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got '4 '; write '4'" },
        { "a\nb\x01\xff", CONFIG_COUNT, CONFIG_ERROR_TYPE,
          "expected a whole number, got 'a\\nb\\x01\\xff'" },
    };

    (void)state;
    check_invalid_quantities(cases, G_N_ELEMENTS(cases));
}

/* Programs write all digits of a double. */
static void test_digits_beyond_the_finest_unit_are_rounded(void **state)
{
    static const struct {
        const char *text;
        ConfigType type;
        uint64_t value;
        gboolean is_rounded;
    } cases[] = {
        { "31.46666666666667 ms", CONFIG_TIME, 31466666667, TRUE },
        { "31.466666666499999 ms", CONFIG_TIME, 31466666666, TRUE },
        { "33.333333333333336 %", CONFIG_FRACTION, 333333, TRUE },
        { "0.1234567890123456789012345", CONFIG_FRACTION, 123457, TRUE },
        { "1.0000000000000002 GB/s", CONFIG_BANDWIDTH, 1000000000, TRUE },
        { "1000.5 ps", CONFIG_TIME, 1001, TRUE },
        { "31.5 ms", CONFIG_TIME, 31500000000, FALSE },
        { "0.5 ns", CONFIG_TIME, 500, FALSE },
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        uint64_t value = 0;

        assert_true(
            quantity_parse(cases[i].text, cases[i].type, &value, &error));
        assert_int_equal(value, cases[i].value);
        assert_int_equal(quantity_is_rounded(cases[i].text, cases[i].type),
                         cases[i].is_rounded);
    }
}

static void test_unambiguous_bit_units_are_accepted(void **state)
{
    static const char *const names[] = {
        "8 Gb/s",    "8 Gbit/s", "8 gbps",       "8 Gbps",    "8000 mbps",
        "8000 Mbps", "1 GBps",   "8000000 kbps", "0.008 tbps"
    };
    g_autoptr(GError) error = NULL;
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_true(quantity_parse(names[i], CONFIG_BANDWIDTH, &value, &error));
        assert_int_equal(value, 1000000000);
    }
    assert_true(quantity_parse("1 EiB", CONFIG_BYTES, &value, &error));
    assert_int_equal(value, UINT64_C(1) << 60);
}

static void test_quantities_out_of_range_are_refused(void **state)
{
    static const InvalidQuantity cases[] = {
        { "18446744073709551616", CONFIG_COUNT, CONFIG_ERROR_RANGE,
          "'18446744073709551616' is too large" },
        { "18446744073709551616 B", CONFIG_BYTES, CONFIG_ERROR_RANGE,
          "'18446744073709551616 B' is too large" },
        { "18446744.073709551616 s", CONFIG_TIME, CONFIG_ERROR_RANGE,
          "'18446744.073709551616 s' is too large" },
        { "16777216 TiB", CONFIG_BYTES, CONFIG_ERROR_RANGE,
          "'16777216 TiB' is too large" },
        { "1e30 GB/s", CONFIG_BANDWIDTH, CONFIG_ERROR_RANGE,
          "'1e30 GB/s' is too large" },
        { "1e99999999999999999999 GB/s", CONFIG_BANDWIDTH, CONFIG_ERROR_RANGE,
          "'1e99999999999999999999 GB/s' is too large" },
        { "1e-99999999999999999999 GB/s", CONFIG_BANDWIDTH, CONFIG_ERROR_TYPE,
          "'1e-99999999999999999999 GB/s' is finer than 1 B/s" },
        { "0.5 ps", CONFIG_TIME, CONFIG_ERROR_TYPE,
          "'0.5 ps' is finer than 1 ps" },
        { "0.1 KiB", CONFIG_BYTES, CONFIG_ERROR_TYPE,
          "'0.1 KiB' is finer than 1 B" },
        { "1e-1 Hz", CONFIG_FREQUENCY, CONFIG_ERROR_TYPE,
          "'1e-1 Hz' is finer than 1 Hz" },
        { "0.3 FLOPS", CONFIG_FLOPS, CONFIG_ERROR_TYPE,
          "'0.3 FLOPS' is finer than 1 FLOPS" },
        { "0.0000001", CONFIG_FRACTION, CONFIG_ERROR_TYPE,
          "'0.0000001' is finer than one part per million" },
        { "-5 Hz", CONFIG_FREQUENCY, CONFIG_ERROR_RANGE,
          "'-5 Hz' is negative" },
        { "-1e99 Hz", CONFIG_FREQUENCY, CONFIG_ERROR_RANGE,
          "'-1e99 Hz' is negative" },
        { "-3", CONFIG_COUNT, CONFIG_ERROR_RANGE, "'-3' is negative" },
    };

    (void)state;
    check_invalid_quantities(cases, G_N_ELEMENTS(cases));
}

static void test_quantity_format_gives_the_shortest_text(void **state)
{
    static const ValidQuantity cases[] = {
        { "0", CONFIG_COUNT, 0 },
        { MAX_U64_TEXT, CONFIG_COUNT, UINT64_MAX },
        { "0 B", CONFIG_BYTES, 0 },
        { "1 kB", CONFIG_BYTES, 1000 },
        { "64 KiB", CONFIG_BYTES, 65536 },
        { "1.5 MiB", CONFIG_BYTES, 1536 << 10 },
        { "10 KiB", CONFIG_BYTES, 10240 },
        { "1024 kB", CONFIG_BYTES, 1024000 },
        { "80 GB", CONFIG_BYTES, 80000000000 },
        { "16 GiB", CONFIG_BYTES, UINT64_C(16) << 30 },
        { "0 ps", CONFIG_TIME, 0 },
        { "500 ns", CONFIG_TIME, 500000 },
        { "72.29 ns", CONFIG_TIME, 72290 },
        { "1.5 us", CONFIG_TIME, 1500000 },
        { "200 GB/s", CONFIG_BANDWIDTH, 200000000000 },
        { "1 TB/s", CONFIG_BANDWIDTH, 1000000000000 },
        { "1073741824 B/s", CONFIG_BANDWIDTH, 1 << 30 },
        { "1245 MHz", CONFIG_FREQUENCY, 1245000000 },
        { "1.2 GHz", CONFIG_FREQUENCY, 1200000000 },
        { "120 TFLOPS", CONFIG_FLOPS, 120000000000000 },
        { "94 %", CONFIG_FRACTION, 940000 },
        { "12.5 %", CONFIG_FRACTION, 125000 },
        { "0.0001 %", CONFIG_FRACTION, 1 },
        { "100 %", CONFIG_FRACTION, 1000000 },
        { "999.9999 %", CONFIG_FRACTION, 9999999 },
        { "118.304", CONFIG_FRACTION, 118304000 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = quantity_format(cases[i].value, cases[i].type);

        assert_string_equal(text, cases[i].text);
    }
}

static void check_quantity_round_trip(uint64_t value, ConfigType type)
{
    g_autofree char *text = quantity_format(value, type);
    g_autoptr(GError) error = NULL;
    uint64_t back = 0;

    if (!quantity_parse(text, type, &back, &error) || back != value)
        fail_msg("%s reads back as %" G_GUINT64_FORMAT, text, back);
}

static void test_a_formatted_quantity_reads_back_the_same(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2021);

    (void)state;
    for (ConfigType type = CONFIG_COUNT; type <= CONFIG_FRACTION; type++) {
        check_quantity_round_trip(0, type);
        check_quantity_round_trip(UINT64_MAX, type);
        for (guint i = 0; i < 20000; i++) {
            uint64_t bits = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
            uint64_t value = bits >> g_rand_int_range(rand, 0, 64);

            /* The unit of the text changes at powers of ten. */
            for (gint n = g_rand_int_range(rand, 0, 12); n > 0; n--)
                value = value <= UINT64_MAX / 10 ? value * 10 : value;
            check_quantity_round_trip(value, type);
            check_quantity_round_trip(value << g_rand_int_range(rand, 0, 40),
                                      type);
        }
    }
}

static void test_a_quantity_of_a_million_digits_is_parsed_fast(void **state)
{
    g_autofree char *digits = g_strnfill(1000000, '9');
    g_autofree char *fine = g_strconcat("0.", digits, " GB/s", NULL);
    g_autofree char *large = g_strconcat(digits, " GB/s", NULL);
    uint64_t value;

    (void)state;
    assert_true(quantity_parse(fine, CONFIG_BANDWIDTH, &value, NULL));
    assert_int_equal(value, 1000000000); /* The parser rounds the value. */
    assert_false(quantity_parse(large, CONFIG_BANDWIDTH, &value, NULL));
}

static void test_a_quantity_is_written_in_the_unit_of_another(void **state)
{
    const struct {
        uint64_t value;
        ConfigType type;
        const char *like, *text;
    } cases[] = {
        { 1109000000, CONFIG_TIME, "1 s", "0.001109 s" },
        { 1109000000, CONFIG_TIME, "3ms", "1.109 ms" },
        { 1536, CONFIG_BYTES, "2 KiB", "1.5 KiB" },
        { 12, CONFIG_COUNT, "7", "12" },
        { 12, CONFIG_BYTES, "7 s", "none" },
        { 12, CONFIG_BYTES, "many", "none" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text =
            quantity_format_like(cases[i].value, cases[i].type, cases[i].like);

        assert_string_equal(text ? text : "none", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_quantity_is_written_in_the_unit_of_another),
        cmocka_unit_test(test_every_quantity_unit_has_its_scale),
        cmocka_unit_test(test_decimals_and_exponents_of_quantities_are_exact),
        cmocka_unit_test(test_a_missing_or_wrong_unit_is_named),
        cmocka_unit_test(test_a_quantity_without_a_number_is_a_type_error),
        cmocka_unit_test(test_digits_beyond_the_finest_unit_are_rounded),
        cmocka_unit_test(test_unambiguous_bit_units_are_accepted),
        cmocka_unit_test(test_quantities_out_of_range_are_refused),
        cmocka_unit_test(test_quantity_format_gives_the_shortest_text),
        cmocka_unit_test(test_a_formatted_quantity_reads_back_the_same),
        cmocka_unit_test(test_a_quantity_of_a_million_digits_is_parsed_fast),
    };

    return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
