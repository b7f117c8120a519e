/* test_tile_waves.c - Tests of models/npu/tile_waves.h against hand
 * calculation. */
#include "tests/test.h"

#include "models/npu/tile_waves.h"

#define N_SMS 132

static const WaveConfig whole = { .lone_tile_ppm = 1000000 };

#define TILE_PS UINT64_C(1000000000)

/* Returns the time of @n_tiles on @n_sms, in thousandths of the time of one
 * tile. */
static uint64_t count_waves(const WaveConfig *config, uint64_t n_tiles,
                            uint64_t n_sms)
{
    SimTime free_ps = (TILE_PS * n_tiles + n_sms - 1) / n_sms;
    SimTime ps =
        waves_time_of_product_ps(config, N_SMS, free_ps, n_tiles, n_sms);

    return (ps + TILE_PS / 2000) / (TILE_PS / 1000);
}

static void test_the_busiest_sm_determines_the_number_of_waves(void **state)
{
    (void)state;
    assert_int_equal(count_waves(&whole, 132, 132), 1000);
    assert_int_equal(count_waves(&whole, 132, 66), 2000);
    assert_int_equal(count_waves(&whole, 132, 108), 2000);
    assert_int_equal(count_waves(&whole, 1, 132), 1000);
    assert_int_equal(count_waves(&whole, 264, 132), 2000);
}

static void test_a_lone_tile_is_slower_and_two_on_an_sm_are_not(void **state)
{
    WaveConfig config = whole;

    (void)state;
    config.lone_tile_ppm = 800000;
    assert_int_equal(count_waves(&config, 132, 132), 1250);
    assert_int_equal(count_waves(&config, 132, 108), 2000);
    assert_int_equal(count_waves(&config, 264, 132), 2000);
    config.lone_tile_ppm = 500000;
    assert_int_equal(count_waves(&config, 132, 132), 2000);
}

static void test_persistent_blocks_wait_for_an_sm_to_the_end(void **state)
{
    WaveConfig config = whole;

    (void)state;
    config.is_persistent = TRUE;
    /* Each block has 16 tiles. With one SM less, one block starts only after
     * another block has ended. */
    assert_int_equal(count_waves(&config, 16 * 132, 132), 16000);
    assert_int_equal(count_waves(&config, 16 * 132, 131), 32000);
    assert_int_equal(count_waves(&whole, 16 * 132, 131), 17000);
    /* If there are fewer tiles than SMs, each tile is a block. */
    assert_int_equal(count_waves(&config, 100, 100), 1000);
}

static void test_more_sms_never_make_a_kernel_slower(void **state)
{
    WaveConfig config = whole;

    (void)state;
    for (int i = 0; i < 4; i++) {
        config.lone_tile_ppm = i & 1 ? 700000 : 1000000;
        config.is_persistent = i & 2;
        for (uint64_t t = 1; t < 600; t += 7)
            for (uint64_t s = 2; s <= 132; s++)
                assert_true(count_waves(&config, t, s) <=
                            count_waves(&config, t, s - 1));
    }
}

static void test_a_huge_number_of_tiles_does_not_overflow(void **state)
{
    WaveConfig config = whole;

    (void)state;
    config.is_persistent = TRUE;
    assert_in_range(
        waves_time_of_product_ps(&config, N_SMS, SIM_US(1), UINT64_MAX, 132),
        SIM_US(1), SIM_US(1) + 1);
    assert_in_range(
        waves_time_of_product_ps(&config, N_SMS, SIM_US(1), UINT64_MAX, 66),
        SIM_US(1), SIM_US(1) + 1);
    assert_int_equal(
        waves_time_of_product_ps(&whole, N_SMS, SIM_TIME_MAX, 132, 132),
        SIM_TIME_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_busiest_sm_determines_the_number_of_waves),
        cmocka_unit_test(test_a_lone_tile_is_slower_and_two_on_an_sm_are_not),
        cmocka_unit_test(test_persistent_blocks_wait_for_an_sm_to_the_end),
        cmocka_unit_test(test_more_sms_never_make_a_kernel_slower),
        cmocka_unit_test(test_a_huge_number_of_tiles_does_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
