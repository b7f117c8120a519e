/*
 * Tests of sim/core/rng.h.  The golden values were computed by an independent
 * implementation in Python, written from the description in rng.h (the
 * exponential ones in floating point, which agrees within 1 ppm here).  Those
 * of SplitMix64 are published.
 *
 * Seeds are fixed, so tests do not fail by chance.  A tolerance is the error
 * that a sound generator may have: four standard errors of an estimate from
 * 10^5
 * draws. */
#include "tests/test.h"

#include <math.h>

#include "models/run/perturbation.h"

#define N_DRAWS 100000

/* ---- random streams ------------------------------------------------------ */

static void test_random_values_depend_only_on_their_place(void **state)
{
    RngStream a = rng_new_stream(7, "compute"),
              b = rng_new_stream(7, "compute");

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(rng_value_at_indices(a, i, i * i, ~i) ==
                    rng_value_at_indices(b, i, i * i, ~i));
}

static void test_random_values_do_not_depend_on_drawing_order(void **state)
{
    RngStream stream = rng_new_stream(7, "compute");
    uint64_t forwards[1000];

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        forwards[i] =
            rng_value_at_indices(stream, i % 10, i / 10 % 10, i / 100);
    for (uint64_t i = 1000; i-- > 0;) {
        (void)rng_value_at_indices(rng_new_stream(i, "another"), i, i, i);
        assert_true(rng_value_at_indices(stream, i % 10, i / 10 % 10,
                                         i / 100) == forwards[i]);
    }
}

/* Two of 10^4 values over 2^64 are equal by chance once in 10^11 runs. */
static void test_random_streams_of_other_names_or_seeds_differ(void **state)
{
    static const char *const names[] = { "",        "a",       "b",   "ab",
                                         "ba",      "aa",      "aab", "compute",
                                         "Compute", "compute " };
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    static uint64_t values[10 * 100 * 10];
    guint n = 0;

    (void)state;
    for (gsize name = 0; name < G_N_ELEMENTS(names); name++)
        for (uint64_t seed = 0; seed < 100; seed++)
            for (uint64_t a = 0; a < 10; a++) {
                values[n] = rng_value_at_indices(
                    rng_new_stream(seed, names[name]), a, 0, 0);
                assert_true(g_hash_table_add(seen, &values[n++]));
            }
}

static void test_random_values_at_permuted_places_differ(void **state)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    RngStream stream = rng_new_stream(1, "compute");
    static uint64_t values[20 * 20 * 20];
    guint n = 0;

    (void)state;
    for (uint64_t a = 0; a < 20; a++)
        for (uint64_t b = 0; b < 20; b++)
            for (uint64_t c = 0; c < 20; c++) {
                values[n] = rng_value_at_indices(stream, a, b, c);
                assert_true(g_hash_table_add(seen, &values[n++]));
            }
}

/* A bit is set in half of the draws; four standard errors are 4 sqrt(N) / 2. */
static void test_every_random_bit_is_set_half_the_time(void **state)
{
    RngStream stream = rng_new_stream(1, "bits");
    uint64_t n_set[64] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < N_DRAWS; i++)
        for (int bit = 0; bit < 64; bit++)
            n_set[bit] += rng_value_at_indices(stream, i, 0, 0) >> bit & 1;
    for (int bit = 0; bit < 64; bit++)
        assert_in_range(n_set[bit], N_DRAWS / 2 - 632, N_DRAWS / 2 + 632);
}

/* ---- values that are equal on every machine ------------------------------ */

/* The first three outputs of SplitMix64 from state 1234567, as published with
 * it.  The key of a stream without a name is the first output of its seed. */
static void test_the_random_mixing_step_is_splitmix64(void **state)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

    (void)state;
    assert_true(rng_new_stream(1234567, "").key ==
                UINT64_C(6457827717110365317));
    assert_true(rng_new_stream(1234567 + step, "").key ==
                UINT64_C(3203168211198807973));
    assert_true(rng_new_stream(1234567 + 2 * step, "").key ==
                UINT64_C(9817491932198370423));
}

static const struct {
    uint64_t seed;
    const char *name;
    uint64_t a, b, c;
    uint64_t value;
    int64_t uniform_ppm, normal_ppm, exponential_ppm;
} golden[] = {
    { 1, "compute", 0, 0, 0, UINT64_C(0x48387cabda27070c), -435776, -1247059,
      265451 },
    { 1, "compute", 1, 0, 0, UINT64_C(0x8959a20ef22c91ec), 73048, -1432377,
      -377356 },
    { 1, "compute", 0, 1, 0, UINT64_C(0xc80f94b9e1f2a7a7), 562976, -1025304,
      -753444 },
    { 1, "compute", 0, 0, 1, UINT64_C(0xc712ffd438451f68), 555268, -515621,
      -748501 },
    { 42, "compute", 7, 100, 3, UINT64_C(0x41eccb308ae5f582), -484961, -697103,
      356659 },
    { UINT64_MAX, "x", UINT64_MAX, UINT64_MAX, UINT64_MAX,
      UINT64_C(0x475321c2914d9860), -442776, 459990, 277934 },
    { 1, "", 0, 0, 0, UINT64_C(0xe28195ddd9ee4956), 769580, -993779, -877595 },
};

static void test_random_values_are_the_same_on_every_machine(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(golden); i++) {
        RngStream stream = rng_new_stream(golden[i].seed, golden[i].name);
        uint64_t value =
            rng_value_at_indices(stream, golden[i].a, golden[i].b, golden[i].c);

        assert_true(value == golden[i].value);
        assert_int_equal(rng_uniform_ppm(value), golden[i].uniform_ppm);
        assert_int_equal(rng_normal_ppm(value), golden[i].normal_ppm);
        assert_int_equal(rng_exponential_ppm(value), golden[i].exponential_ppm);
    }
}

/* ---- distributions of random values -------------------------------------- */

typedef struct {
    /* The mean and the variance are in units of the scale. */
    double mean, variance,
        below_0; /* The fraction of draws that are negative. */
    int64_t least_ppm, most_ppm;
} Moments;

static Moments compute_moments_of_distribution(int64_t (*draw_ppm)(uint64_t),
                                               const char *name)
{
    RngStream stream = rng_new_stream(1, name);
    Moments m = { .least_ppm = INT64_MAX, .most_ppm = INT64_MIN };
    double sum = 0, squares = 0;

    for (uint64_t i = 0; i < N_DRAWS; i++) {
        int64_t x_ppm =
            draw_ppm(rng_value_at_indices(stream, i % 64, i / 64, 0));
        double x = (double)x_ppm / 1e6;

        sum += x;
        squares += x * x;
        m.below_0 += x_ppm < 0 ? 1.0 / N_DRAWS : 0;
        m.least_ppm = MIN(m.least_ppm, x_ppm);
        m.most_ppm = MAX(m.most_ppm, x_ppm);
    }
    m.mean = sum / N_DRAWS;
    m.variance = squares / N_DRAWS - m.mean * m.mean;
    return m;
}

static void assert_within_tolerance(double actual, double expected,
                                    double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.6f is not within %g of %.6f", actual, tolerance, expected);
}

/* Standard errors: of the mean sqrt(variance / N); of the variance sqrt((m4 -
 * variance^2) / N) with the fourth moment m4; of a fraction p of the draws
 * sqrt(p (1 - p) / N). */
static void test_uniform_is_level_from_minus_1_to_1(void **state)
{
    Moments m = compute_moments_of_distribution(rng_uniform_ppm, "uniform");

    (void)state;
    assert_int_equal(rng_uniform_ppm(0), -1000000);
    assert_int_equal(rng_uniform_ppm(UINT64_MAX), 1000000);
    assert_true(m.least_ppm >= -1000000 && m.least_ppm < -999000);
    assert_true(m.most_ppm <= 1000000 && m.most_ppm > 999000);
    assert_within_tolerance(m.mean, 0, 4 * 0.00183);
    /* The fourth moment of this distribution is 1/5. */
    assert_within_tolerance(m.variance, 1.0 / 3, 4 * 0.00095);
    assert_within_tolerance(m.below_0, 0.5, 4 * 0.00159);
}

static void test_normal_has_mean_0_and_deviation_1(void **state)
{
    Moments m = compute_moments_of_distribution(rng_normal_ppm, "normal");

    (void)state;
    assert_true(m.least_ppm >= -6000000 && m.least_ppm < -3500000);
    assert_true(m.most_ppm <= 6000000 && m.most_ppm > 3500000);
    assert_within_tolerance(m.mean, 0, 4 * 0.00317);
    /* The fourth moment of this distribution is 2.9. */
    assert_within_tolerance(m.variance, 1, 4 * 0.00436);
    assert_within_tolerance(m.below_0, 0.5, 4 * 0.00159);
}

static gboolean is_within_1_deviation(int64_t x_ppm)
{
    return x_ppm > -1000000 && x_ppm < 1000000;
}

/* The sum of twelve uniform values is in 67.8 % of the draws within one
 * deviation (68.3 % of a true normal distribution; 57.7 % of a uniform one with
 * this variance). */
static void test_normal_has_the_shape_of_a_bell(void **state)
{
    RngStream stream = rng_new_stream(1, "bell");
    double part = 0;

    (void)state;
    for (uint64_t i = 0; i < N_DRAWS; i++)
        part += is_within_1_deviation(
            rng_normal_ppm(rng_value_at_indices(stream, i, 0, 0)));
    assert_within_tolerance(part / N_DRAWS, 0.6785, 4 * 0.00148);
}

static void test_exponential_has_mean_1_less_1(void **state)
{
    Moments m =
        compute_moments_of_distribution(rng_exponential_ppm, "exponential");

    (void)state;
    assert_int_equal(rng_exponential_ppm(UINT64_MAX), -1000000);
    assert_true(m.least_ppm >= -1000000 && m.least_ppm < -999900);
    assert_true(m.most_ppm <= 21180710 && m.most_ppm > 8000000);
    assert_within_tolerance(m.mean, 0, 4 * 0.00317);
    /* The fourth moment of this distribution is 9. */
    assert_within_tolerance(m.variance, 1, 4 * 0.00895);
    assert_within_tolerance(m.below_0, 1 - exp(-1), 4 * 0.00153);
}

/* -ln(u) for u = (value / 2^32 + 1) / 2^32.  The error of 20 bits of the
 * logarithm and six digits of ln 2 is at most 0.7 + 5.8 ppm. */
static void assert_exponential_is_minus_ln(uint64_t value)
{
    double expected = -log(((double)(value >> 32) + 1) / 4294967296.0);
    double actual = (double)rng_exponential_ppm(value) / 1e6 + 1;

    assert_within_tolerance(actual, expected, 20e-6);
}

static void test_exponential_is_minus_ln_within_20_ppm(void **state)
{
    RngStream stream = rng_new_stream(1, "logarithm");

    (void)state;
    /* The shift makes values of all magnitudes equally frequent. */
    for (uint64_t i = 0; i < N_DRAWS; i++)
        assert_exponential_is_minus_ln(rng_value_at_indices(stream, i, 0, 0) >>
                                       i % 33);
    for (int bit = 32; bit < 64; bit++)
        for (uint64_t near = 0; near < 5; near++)
            assert_exponential_is_minus_ln((UINT64_C(1) << bit) + (near << 32) -
                                           (UINT64_C(2) << 32));
}

static void test_exponential_never_rises_with_its_value(void **state)
{
    int64_t last_ppm = rng_exponential_ppm(0);

    (void)state;
    for (uint64_t w = 1; w < 1000000; w++) {
        uint64_t value = w * 4294 << 32;
        int64_t ppm = rng_exponential_ppm(value);

        assert_true(ppm <= last_ppm);
        last_ppm = ppm;
    }
}

/* ---- effect of a random draw on a kernel --------------------------------- */

/* The first golden values, scaled. */
static void test_each_kernel_has_a_separate_jitter_factor(void **state)
{
    PerturbedNpu slow = { .npu = 0, .time_factor_ppm = 2000000 };
    PerturbConfig c = { .seed = 1,
                        .jitter_ppm = 500000,
                        .distribution = JITTER_UNIFORM };

    (void)state;
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 0), 1000000 - 217888);
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 1, 0), 1000000 + 281488);
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 1), 1000000 + 277634);
    c.distribution = JITTER_NORMAL;
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 0), 1000000 - 623529);
    /* No kernel is shorter than a tenth of its time without jitter. */
    c.jitter_ppm = 3000000;
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 0), 100000);
    c.distribution = JITTER_EXPONENTIAL;
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 0), 1000000 + 796353);
    c.npus = (ConfigList){ .items = &slow, .n = 1 };
    assert_int_equal(perturb_kernel_factor_ppm(&c, 0, 0, 0),
                     2 * (1000000 + 796353));
    assert_int_equal(perturb_kernel_factor_ppm(&c, 1, 0, 0), 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_values_depend_only_on_their_place),
        cmocka_unit_test(test_random_values_do_not_depend_on_drawing_order),
        cmocka_unit_test(test_random_streams_of_other_names_or_seeds_differ),
        cmocka_unit_test(test_random_values_at_permuted_places_differ),
        cmocka_unit_test(test_every_random_bit_is_set_half_the_time),
        cmocka_unit_test(test_the_random_mixing_step_is_splitmix64),
        cmocka_unit_test(test_random_values_are_the_same_on_every_machine),
        cmocka_unit_test(test_uniform_is_level_from_minus_1_to_1),
        cmocka_unit_test(test_normal_has_mean_0_and_deviation_1),
        cmocka_unit_test(test_normal_has_the_shape_of_a_bell),
        cmocka_unit_test(test_exponential_has_mean_1_less_1),
        cmocka_unit_test(test_exponential_is_minus_ln_within_20_ppm),
        cmocka_unit_test(test_exponential_never_rises_with_its_value),
        cmocka_unit_test(test_each_kernel_has_a_separate_jitter_factor),
    };

    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
