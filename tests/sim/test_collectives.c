/* test_collectives.c - tests of sim/study/collectives: parsing of sizes, and
 * bus bandwidth */
#include "tests/test.h"

#include "sim/study/collectives/collectives.h"

static void test_ranges_double_and_lists_are_kept(void **state)
{
    static const uint64_t expected[] = { 8, 16, 32, 400000, 1 << 20 };
    g_autoptr(GArray) sizes =
        collectives_parse_sizes("8 B..63 B, 400 kB,1MiB", NULL);

    (void)state;
    assert_int_equal(sizes->len, G_N_ELEMENTS(expected));
    for (guint i = 0; i < sizes->len; i++)
        assert_int_equal(g_array_index(sizes, uint64_t, i), expected[i]);
}

static void test_invalid_sizes_are_errors(void **state)
{
    static const char *const bad[] = { "",      "8 B,",         "0 B",
                                       "2 TiB", "8 B..4 B",     "8 B..",
                                       "8",     "8 GB/s",       "1 B...2 B",
                                       "a..b",  "1 B..2 B..4 B" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;

        assert_null(collectives_parse_sizes(bad[i], &error));
        assert_non_null(error);
    }
}

static void test_busbw_is_defined_as_in_nccl_tests(void **state)
{
    static const struct {
        const char *kind;
        uint64_t num, den;
    } cases[] = { { "all-reduce", 14, 8 },
                  { "all-gather", 7, 8 },
                  { "reduce-scatter", 7, 8 },
                  { "all-to-all", 7, 8 },
                  { "broadcast", 1, 1 } };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        char kind[16];
        const Collectives c = { .kind = kind, .n_npus = 8 };
        uint64_t num, den;

        g_strlcpy(kind, cases[i].kind, sizeof kind);
        collectives_bus_factor(&c, &num, &den);
        assert_int_equal(num, cases[i].num);
        assert_int_equal(den, cases[i].den);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_double_and_lists_are_kept),
        cmocka_unit_test(test_invalid_sizes_are_errors),
        cmocka_unit_test(test_busbw_is_defined_as_in_nccl_tests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
