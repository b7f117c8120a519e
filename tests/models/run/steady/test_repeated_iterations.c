/* test_repeated_iterations.c - counts the iterations that are simulated if some
 * repeat the one before, models/run/steady/repeated_iterations.h */
#include "tests/test.h"

#include "models/run/steady/skip_mode.h"
#include "models/run/system.h"
#include "sim/study/load_run_file.h"

/* Returns the events of @n iterations of ResNet-50 with comp-opt on 4x4x4.  Its
 * chunks change their ring directions every second iteration. */
static uint64_t n_events(const char *n_iterations, SkipMode mode)
{
    const char *dir = g_getenv("SRCDIR");
    g_autofree char *path =
        g_build_filename(dir, "configs/runs/isca21.yaml", NULL);
    g_autofree char *endpoint =
        g_strdup_printf("endpoint=%s/configs/endpoints/comp-opt.yaml", dir);
    g_autofree char *training =
        g_strdup_printf("training.iterations=%s", n_iterations);
    char *sets[] = { endpoint, training, NULL };
    SystemConfig config;
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, &error);
    g_autoptr(System) system = NULL;

    assert_no_error(error);
    system = system_new(&config, (RunOptions){ .skip = mode }, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error));
    return system_result(system).n_events;
}

/* Simulated are the first two iterations, and the first one that differs.  That
 * one is compared with the iteration before it, which was skipped. */
static void
test_three_iterations_are_simulated_if_two_kinds_alternate(void **state)
{
    uint64_t each = n_events("6", SKIP_OFF) / 6;

    (void)state;
    assert_in_range(n_events("6", SKIP_AUTO), 2 * each + 1,
                    3 * each + each / 2);
    assert_int_equal(n_events("20", SKIP_AUTO), n_events("6", SKIP_AUTO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_three_iterations_are_simulated_if_two_kinds_alternate),
    };

    return cmocka_run_group_tests_name("laps", tests, NULL, NULL);
}
