/*
 * test_side_stream_share.c - Tests of the share of the side stream if it is
 * `auto`.
 *
 * The optimised loop of DLRM runs its lookups in the side stream. The chosen
 * share must be as good as the best of all given shares. The optimised loop
 * must then never be slower than the default loop with an ideal
 * endpoint. */
#include "models/run/stack_costs.h"
#include "models/run/system.h"
#include "tests/test.h"

#define RUN_FILE "configs/runs/isca21.yaml"

typedef struct {
    SimTime iteration_ps;
    uint64_t n_sms, bytes_per_s;
    gboolean is_chosen;
} Outcome;

/* Runs RUN_FILE with DLRM and with the "key=value" texts of @sets, which end
 * with NULL. */
static Outcome run_with_overrides(const char *const *sets)
{
    GError *error = NULL;
    ConfigDoc *doc = config_doc_load(RUN_FILE, &error);
    SystemConfig config;
    System *system;
    Outcome outcome;

    assert_no_error(error);
    assert_true(config_doc_set(doc, "workload", "test",
                               "configs/workloads/dlrm.yaml", &error));
    for (; *sets; sets++) {
        g_auto(GStrv) parts = g_strsplit(*sets, "=", 2);

        assert_true(config_doc_set(doc, parts[0], "test", parts[1], &error));
    }
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error));
    outcome.iteration_ps = system_result(system).iteration_ps;
    outcome.is_chosen =
        system_chosen_side_share(system, &outcome.n_sms, &outcome.bytes_per_s);
    system_free(system);
    config_doc_free(doc);
    return outcome;
}

static Outcome run_with_tuned_share(const char *endpoint, const char *sms,
                                    const char *bandwidth)
{
    g_autofree char *e = g_strdup_printf("endpoint=%s", endpoint);
    g_autofree char *n = g_strdup_printf("platform.npu.side_sms=%s", sms);
    g_autofree char *b =
        g_strdup_printf("platform.npu.side_bandwidth=%s", bandwidth);
    const char *sets[] = { e, n, b, "training.optimised=true", NULL };

    return run_with_overrides(sets);
}

static void test_the_tuned_side_share_is_as_good_as_the_best(void **state)
{
    Outcome chosen =
        run_with_tuned_share("configs/endpoints/ideal.yaml", "auto", "auto");
    SimTime best_ps = SIM_TIME_MAX;

    (void)state;
    assert_true(chosen.is_chosen);
    for (guint n = 1; n <= 40; n++) {
        g_autofree char *sms = g_strdup_printf("%u", n);
        /* An SM draws 64 B per cycle at 1245 MHz. */
        g_autofree char *bandwidth =
            g_strdup_printf("%.3f GB/s", MIN(n * 64 * 1.245, 890));
        Outcome given = run_with_tuned_share("configs/endpoints/ideal.yaml",
                                             sms, bandwidth);

        assert_false(given.is_chosen);
        best_ps = MIN(best_ps, given.iteration_ps);
    }
    assert_in_range(chosen.iteration_ps, 1, best_ps + best_ps / 100);
}

static void test_one_of_two_side_share_values_may_be_given(void **state)
{
    Outcome by_sms =
        run_with_tuned_share("configs/endpoints/ideal.yaml", "3", "auto");
    Outcome by_bandwidth = run_with_tuned_share("configs/endpoints/ideal.yaml",
                                                "auto", "150 GB/s");

    (void)state;
    assert_int_equal(by_sms.n_sms, 3);
    assert_int_equal(by_sms.bytes_per_s, UINT64_C(3) * 64 * 1245000000);
    assert_int_equal(by_bandwidth.bytes_per_s, UINT64_C(150000000000));
    assert_int_equal(by_bandwidth.n_sms, 2); /* One SM draws 79.68 GB/s. */
}

static void test_the_optimised_loop_is_never_slower_with_ideal(void **state)
{
    static const char *const platforms[] = { "ace-4x2x2", "ace-4x4x2",
                                             "ace-4x4x4", "ace-4x8x4" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(platforms); i++) {
        g_autofree char *platform =
            g_strdup_printf("platform=configs/platforms/%s.yaml", platforms[i]);
        const char *default_sets[] = { platform,
                                       "endpoint=configs/endpoints/ideal.yaml",
                                       NULL };
        const char *optimised_sets[] = {
            platform, "endpoint=configs/endpoints/ideal.yaml",
            "training.optimised=true", NULL
        };

        assert_true(run_with_overrides(optimised_sets).iteration_ps <
                    run_with_overrides(default_sets).iteration_ps);
    }
}

/* The share is 80 of 900 GB/s. A lookup that takes 419.431 us with all of the
 * bandwidth takes 11.25 times as long, which is a lower bound on the
 * iteration. */
static void test_the_published_side_share_is_too_small(void **state)
{
    Outcome given =
        run_with_tuned_share("configs/endpoints/ideal.yaml", "1", "80 GB/s");

    (void)state;
    assert_true(given.iteration_ps >= UINT64_C(419431000) * 1125 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_tuned_side_share_is_as_good_as_the_best),
        cmocka_unit_test(test_one_of_two_side_share_values_may_be_given),
        cmocka_unit_test(test_the_optimised_loop_is_never_slower_with_ideal),
        cmocka_unit_test(test_the_published_side_share_is_too_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
