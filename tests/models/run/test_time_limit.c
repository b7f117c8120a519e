/* test_time_limit.c - Tests of models/run/prepare/config_limits.c: the limits
 * of what can be simulated. */
#include "tests/system_fixture.h"

static void test_a_run_beyond_the_time_range_is_an_error(void **state)
{
    const Setup s = {
        .topology = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: "
                    "5 kB/s, latency: 1 us}]}",
        .workload = "{kind: collective, name: c, collective: all-reduce, "
                    "payload: 1 TiB}",
        .collectives = "{chunk: 1 TiB, message: 1 TiB}",
    };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_false(system_run(run.system, &error));
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LONG));
    assert_string_equal(
        error->message,
        "the run takes longer than the 53 days that can be "
        "simulated: training.iterations: 1, each with 0 s "
        "of kernels; the lowest bandwidth, 5e-06 GB/s, is a link's "
        "bandwidth x efficiency");
    g_clear_error(&error);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_beyond_the_time_range_is_an_error),
    };

    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
