/* test_layer_kernel_times.c - Tests of the time of a layer's kernels against
 * hand calculation. */
#include "tests/test.h"

#include "models/npu/kernel_time.h"

#define GB UINT64_C(1000000000)

static const ComputeScale no_scale = { 1, 1, FALSE };

/* 60 % of 100 TFLOPS are 60 TFLOPS, like the NPU of [ISCA21]. The comm-opt
 * endpoint leaves 74 of 80 SMs and 450 of 900 GB/s. FLOP and bytes are those of
 * test_layer.c:
 *
 *     input      53687091200 / (60e12 x 74 / 80) = 967.334977 us
 *     recurrent  498073600 / 450e9              = 1106.830223 us
 *
 * In a single roofline, the time of twice the FLOP (1934.669953 us) would hide
 * the time of all bytes. */
static void
test_a_forward_lstm_of_gnmt_is_arithmetic_then_memory_bound(void **state)
{
    const NpuConfig config = {
        .n_sms = 80,
        .clock_hz = GB,
        .flop_per_s = 100000 * GB,
        .efficiency_ppm = 600000,
        .sm_bytes_per_cycle = 64,
        .hbm = { .bandwidth_bytes_per_s = 900 * GB, .efficiency_ppm = 1000000 },
    };
    const OpWork input = { .flop = 53687091200, .bytes = 73924608 };
    const OpWork steps = { .flop = 53687091200,
                           .bytes = 498073600,
                           .n_kernels = 50 };
    const OpWork as_one = { .flop = 2 * input.flop,
                            .bytes = input.bytes + steps.bytes };

    (void)state;
    assert_int_equal(kernel_time_ps(&config, &input, no_scale, 74, 450 * GB),
                     967334977);
    assert_int_equal(kernel_time_ps(&config, &steps, no_scale, 74, 450 * GB),
                     1106830223);
    assert_int_equal(kernel_time_ps(&config, &as_one, no_scale, 74, 450 * GB),
                     1934669954);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_forward_lstm_of_gnmt_is_arithmetic_then_memory_bound),
    };

    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
