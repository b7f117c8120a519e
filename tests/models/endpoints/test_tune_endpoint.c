/* test_tune_endpoint.c - Tests of sim/study/tune_endpoint.h: endpoint values
 * that are `auto` are chosen by simulation. */
#include "sim/study/tune_endpoint.h"

#include "models/run/stack_costs.h"
#include "tests/system_fixture.h"

#define MiB (1 << 20)
#define NPU_12                                                                 \
    "{sms: 12, clock: 1 GHz, flops: 10 TFLOPS, hbm: {bandwidth: 900 GB/s}}"
#define NPU_SHARED                                                             \
    "{sms: 12, clock: 1 GHz, flops: 10 TFLOPS, hbm: {bandwidth: 900 GB/s, "    \
    "policy: shared}}"
/* A workload of kernels that SMs or memory limit, with gradients that are
 * reduced in parallel. */
#define LINEAR(name)                                                           \
    "{kind: linear, name: " name ", in: 1024, out: 1024, positions: 8}"
#define LAYERS                                                                 \
    "{kind: data-parallel, name: l, batch: 64, layers: [" LINEAR(              \
        "a") ", " LINEAR("b") ", " LINEAR("c") ", " LINEAR("d") "]}"

static const char *endpoint_text_with_auto_values(const char *sms,
                                                  const char *share)
{
    return format_text(
        "{kind: baseline, name: tuned, sms: %s, memory_bandwidth: "
        "%s, only_while_communicating: true, launch_time: 0 ns, "
        "step_time: 0 ns}",
        sms, share);
}

static TuneResult *tune_setup(Run *run, const Setup *setup)
{
    GError *error = NULL;
    TuneResult *tuned;

    read_run_setup(run, setup);
    tuned = tune_endpoint(&run->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    return tuned;
}

static const char *all_reduce_text_of_mib(guint n)
{
    return single_collective_workload(COLL_ALL_REDUCE, (uint64_t)n * MiB);
}

/* Returns the shortest iteration over all numbers of SMs and all shares in
 * steps of 16 GB/s. */
static SimTime shortest_time_of_grid_ps(Setup setup, guint n_sms)
{
    SimTime shortest_ps = SIM_TIME_MAX;

    for (guint sms = 1; sms <= n_sms; sms++) {
        for (guint share = 16; share <= 64 * sms; share += 16) {
            g_autofree char *n = g_strdup_printf("%u", sms);
            g_autofree char *rate = g_strdup_printf("%u GB/s", share);

            setup.endpoint = endpoint_text_with_auto_values(n, rate);
            shortest_ps = MIN(shortest_ps, simulate_setup(&setup).iteration_ps);
        }
    }
    return shortest_ps;
}

static void check_tuning_against_grid(Setup setup)
{
    Run run;
    TuneResult *tuned;
    SimTime found_ps;

    setup.endpoint = endpoint_text_with_auto_values("auto", "auto");
    tuned = tune_setup(&run, &setup);
    found_ps = system_result(tuned->system).iteration_ps;
    assert_true((double)found_ps <=
                1.003 * (double)shortest_time_of_grid_ps(setup, 12));
    assert_true(tuned->trials->len <= 16);
    tuned_endpoint_free(tuned);
    run_clear(&run);
}

static void test_endpoint_tuning_is_as_good_as_a_grid(void **state)
{
    static const char *const links[] = { "25 GB/s", "100 GB/s", "400 GB/s" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
        const Setup setup = {
            .topology = format_text("{kind: torus, dims: [{size: 4, links: 2, "
                                    "bandwidth: %s, latency: 500 ns}]}",
                                    links[i]),
            .npu = NPU_12,
            .workload = LAYERS,
        };
        Setup alone = setup;

        alone.workload = all_reduce_text_of_mib(4);
        check_tuning_against_grid(setup);
        check_tuning_against_grid(alone);
    }
}

static void test_tuned_values_reproduce_the_best_trial(void **state)
{
    Run run;
    const Setup setup = { .npu = NPU_12,
                          .endpoint =
                              endpoint_text_with_auto_values("auto", "auto"),
                          .workload = all_reduce_text_of_mib(2) };
    TuneResult *tuned = tune_setup(&run, &setup);
    g_auto(GStrv) sets = list_tuned_endpoint_settings(tuned);
    g_autofree char *all = g_strjoinv(" ", sets);
    g_autofree char *text = tune_values_text(&tuned->config->endpoint);
    Setup fixed = setup;
    const TuneTrial *best =
        &g_array_index(tuned->trials, TuneTrial, tuned->best);
    EndpointClaim claim = endpoint_claim_resources(&tuned->config->endpoint);
    SystemResult r = system_result(tuned->system);
    SystemResult again;
    g_autofree char *sms = g_strdup_printf("%d", (int)claim.n_sms);
    g_autofree char *share =
        g_strdup_printf("%d MB/s", (int)(claim.read_bytes_per_s / 1000000));

    (void)state;
    fixed.endpoint = endpoint_text_with_auto_values(sms, share);
    again = simulate_setup(&fixed);
    assert_memory_equal(&again, &r, sizeof r);
    assert_int_equal(best->iteration_ps, r.iteration_ps);
    for (guint i = 0; i < tuned->trials->len; i++)
        assert_true(g_array_index(tuned->trials, TuneTrial, i).iteration_ps >=
                    r.iteration_ps);
    assert_int_equal(endpoint_n_runs_to_choose_auto(&tuned->config->endpoint),
                     tuned->trials->len);
    assert_int_equal(endpoint_n_runs_to_choose_auto(&run.config.endpoint), 0);
    assert_true(g_str_has_prefix(all, "endpoint.sms="));
    assert_non_null(strstr(all, " endpoint.memory_bandwidth="));
    assert_true(g_str_has_prefix(text, "sms "));
    tuned_endpoint_free(tuned);
    run_clear(&run);
}

static void test_endpoint_tuning_is_deterministic(void **state)
{
    const Setup setup = { .npu = NPU_12,
                          .endpoint =
                              endpoint_text_with_auto_values("auto", "auto"),
                          .workload = all_reduce_text_of_mib(2) };
    Run runs[2];
    TuneResult *tuned[2];

    (void)state;
    for (guint i = 0; i < 2; i++)
        tuned[i] = tune_setup(&runs[i], &setup);
    assert_int_equal(tuned[0]->trials->len, tuned[1]->trials->len);
    for (guint i = 0; i < tuned[0]->trials->len; i++) {
        const TuneTrial *a = &g_array_index(tuned[0]->trials, TuneTrial, i);
        const TuneTrial *b = &g_array_index(tuned[1]->trials, TuneTrial, i);

        assert_int_equal(a->step, b->step);
        assert_int_equal(a->part, b->part);
        assert_int_equal(a->iteration_ps, b->iteration_ps);
    }
    for (guint i = 0; i < 2; i++) {
        tuned_endpoint_free(tuned[i]);
        run_clear(&runs[i]);
    }
}

/* Only values that are `auto` are chosen. */
static void test_endpoint_tuning_keeps_given_values(void **state)
{
    static const char *const given[][2] = { { "3", "auto" },
                                            { "auto", "100 GB/s" } };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(given); i++) {
        const Setup setup = { .npu = NPU_12,
                              .endpoint = endpoint_text_with_auto_values(
                                  given[i][0], given[i][1]),
                              .workload = all_reduce_text_of_mib(2) };
        Run run;
        TuneResult *tuned = tune_setup(&run, &setup);
        EndpointClaim claim =
            endpoint_claim_resources(&tuned->config->endpoint);

        if (i == 0)
            assert_int_equal(claim.n_sms, 3);
        else
            assert_int_equal(claim.read_bytes_per_s, UINT64_C(100000000000));
        /* An SM draws 64 GB/s at most. */
        assert_true(claim.n_sms >= 1 && claim.n_sms <= 3);
        assert_true(claim.read_bytes_per_s > 0 &&
                    claim.read_bytes_per_s <= UINT64_C(192000000000));
        tuned_endpoint_free(tuned);
        run_clear(&run);
    }
}

/* The policy `shared` ignores the share, so trials differ only in the number of
 * SMs. */
static void test_tuning_of_shared_hbm_tries_only_sms(void **state)
{
    const Setup setup = { .npu = NPU_SHARED,
                          .endpoint =
                              endpoint_text_with_auto_values("auto", "auto"),
                          .workload = all_reduce_text_of_mib(2) };
    Run run;
    TuneResult *tuned = tune_setup(&run, &setup);

    (void)state;
    for (guint i = 0; i < tuned->trials->len; i++)
        for (guint k = 0; k < i; k++)
            assert_int_not_equal(
                g_array_index(tuned->trials, TuneTrial, i).step,
                g_array_index(tuned->trials, TuneTrial, k).step);
    tuned_endpoint_free(tuned);
    run_clear(&run);
}

/* The first trial has as many SMs as the stack's kernels hold; none
 * has more. */
static void test_tuning_with_a_stack_begins_with_its_sms(void **state)
{
    const Setup setup = { .npu = NPU_900,
                          .endpoint =
                              endpoint_text_with_auto_values("auto", "auto"),
                          .stack = "{kind: nccl}",
                          .workload = all_reduce_text_of_mib(2) };
    Run run;
    TuneResult *tuned = tune_setup(&run, &setup);

    (void)state;
    assert_true(tuned->trials->len > 1);
    for (guint i = 0; i < tuned->trials->len; i++) {
        const TuneTrial *trial = &g_array_index(tuned->trials, TuneTrial, i);
        uint64_t n_sms =
            endpoint_claim_resources(&trial->config->endpoint).n_sms;

        if (i == 0)
            assert_int_equal(n_sms, system_stack_sms(tuned->system));
        else
            assert_true(n_sms <= system_stack_sms(tuned->system));
    }
    tuned_endpoint_free(tuned);
    run_clear(&run);
}

static void test_a_system_refuses_untuned_auto_values(void **state)
{
    const Setup setup = { .endpoint =
                              endpoint_text_with_auto_values("auto", "auto") };

    (void)state;
    assert_setup_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:3:11: `auto` values of the endpoint have not "
        "been chosen");
}

static void test_no_tuning_search_without_auto_values(void **state)
{
    static const char *const texts[] = {
        "{kind: baseline, sms: 2, memory_bandwidth: 100 GB/s}",
        "{kind: ace}",
        "{kind: ideal}",
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        const Setup setup = { .endpoint = texts[i] };
        g_autofree char *text = NULL;
        Run run;

        read_run_setup(&run, &setup);
        assert_false(endpoint_tuning_is_needed(&run.config));
        text = tune_values_text(&run.config.endpoint);
        assert_string_equal(text, "");
        run_clear(&run);
    }
}

/* One SM draws less bandwidth than the smallest share that a configuration can
 * give. */
static void test_tuned_values_are_valid_configurations(void **state)
{
    const Setup setup = {
        .npu = "{sms: 2, clock: 1 MHz, sm_bandwidth: 1, flops: 1 TFLOPS, "
               "hbm: {bandwidth: 900 GB/s}}",
        .endpoint = endpoint_text_with_auto_values("1", "auto"),
        .workload = single_collective_workload(COLL_ALL_REDUCE, 4096),
    };
    Run run;
    TuneResult *tuned = tune_setup(&run, &setup);

    (void)state;
    for (guint i = 0; i < tuned->trials->len; i++) {
        const TuneTrial *trial = &g_array_index(tuned->trials, TuneTrial, i);

        assert_true(endpoint_claim_resources(&trial->config->endpoint)
                        .read_bytes_per_s >= 1000000);
    }
    tuned_endpoint_free(tuned);
    run_clear(&run);
}

/* An error that is unrelated to tuning is the error of the first trial. */
static void test_tuning_an_impossible_run_reports_the_error(void **state)
{
    const Setup setup = {
        .endpoint = endpoint_text_with_auto_values("auto", "auto"),
        .workload = "{kind: collective, name: one, collective: all-reduce, "
                    "payload: 1 TiB}",
        .collectives = "{chunk: 64 B, message: 64 B}",
    };
    GError *error = NULL, *same = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &setup);
    assert_null(tune_endpoint(&run.config, (RunOptions){ 0 }, &error));
    assert_false(check_tuned_endpoint_is_buildable(
        &run.config, (RunOptions){ 0 }, NULL, &same));
    assert_gerror(same, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, error->message);
    g_clear_error(&error);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endpoint_tuning_is_as_good_as_a_grid),
        cmocka_unit_test(test_tuned_values_reproduce_the_best_trial),
        cmocka_unit_test(test_endpoint_tuning_is_deterministic),
        cmocka_unit_test(test_endpoint_tuning_keeps_given_values),
        cmocka_unit_test(test_tuning_of_shared_hbm_tries_only_sms),
        cmocka_unit_test(test_tuning_with_a_stack_begins_with_its_sms),
        cmocka_unit_test(test_a_system_refuses_untuned_auto_values),
        cmocka_unit_test(test_no_tuning_search_without_auto_values),
        cmocka_unit_test(test_tuned_values_are_valid_configurations),
        cmocka_unit_test(test_tuning_an_impossible_run_reports_the_error),
    };

    return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
