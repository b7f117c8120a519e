/* test_sensitivity.c - tests of sim/sensitivity/: effects of assumptions on a
 * speedup */
#include "tests/sim/sensitivity_fixture.h"

static double speedup_of_alternative(const SensitivityStudy *study,
                                     const char *name, guint i)
{
    const Alternative *attempt =
        assumption_alternative(require_assumption(study, name), i);

    assert_true(attempt->outcome.ok);
    return attempt->outcome.value;
}

/* ---- effects of assumptions ---------------------------------------------- */

static void test_a_speedup_is_over_the_best_baseline(void **state)
{
    Fixture *f = *state;
    char name[] = "collectives.chunk";
    char *only[] = { name, NULL };
    g_autoptr(SensitivityStudy) both = NULL, time = NULL, alone = NULL;
    char half[] = "half";
    char *names[] = { half, NULL };

    write_assumption_file(f, BASELINES);
    f->options.filter.only = only;
    both = sensitivity_study_of_fixture(f);
    assert_string_equal(both->base.best, "one");
    f->options.baselines = names;
    alone = sensitivity_study_of_fixture(f);
    assert_string_equal(alone->base.best, "half");
    assert_true(alone->base.value > both->base.value);
    /* This metric needs no speedup, so only the offload is run. */
    f->options.metric = "iteration_time_us";
    time = sensitivity_study_of_fixture(f);
    assert_null(time->base.best);
    assert_true(time->n_runs < alone->n_runs);
}

static void test_the_largest_assumption_effect_comes_first(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "platform,endpoint");
    write_assumption_file(f, BASELINES
                          "ranges:\n"
                          "  - {key: platform.topology.dims.*.bandwidth,\n"
                          "     values: [x0.5, x16], why: w}\n");
    study = sensitivity_study_of_fixture(f);
    for (guint i = 1; i < study->assumption_list->len; i++)
        assert_true(sensitivity_study_assumption_effect(
                        study, assumption_at(study->assumption_list, i - 1)) >=
                    sensitivity_study_assumption_effect(
                        study, assumption_at(study->assumption_list, i)));
    assert_true(sensitivity_study_assumption_effect(
                    study, assumption_at(study->assumption_list, 0)) > 0);
    assert_true(sensitivity_study_assumption_effect(
                    study, require_assumption(
                               study, "platform.topology.dims.*.bandwidth")) >
                0.05);
}

static void test_irrelevant_assumptions_have_no_effect(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;
    g_autofree char *text = NULL;

    vary_only_assumptions(f, "training,platform.npu.hbm");
    write_assumption_file(f, BASELINES);
    study = sensitivity_study_of_fixture(f);
    /* The workload computes nothing, so the precision has no effect. */
    assert_true(sensitivity_study_assumption_effect(
                    study, require_assumption(study, "training.precision")) <=
                0);
    text = sensitivity_study_text(study, 100);
    assert_non_null(strstr(text, "do not matter: "));
    assert_non_null(strstr(text, "have no range: "));
}

static void
test_a_case_may_change_only_the_baselines_or_the_offload(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "share,own share");
    write_assumption_file(f, BASELINES
                          "cases:\n"
                          "  - name: share\n"
                          "    of: baselines\n"
                          "    now: small\n"
                          "    try:\n"
                          "      smaller: {endpoint.memory_bandwidth: x0.5}\n"
                          "    why: w\n"
                          "  - name: own share\n"
                          "    of: offload\n"
                          "    now: large\n"
                          "    try:\n"
                          "      tiny: {endpoint.memory_bandwidth: 1 GB/s}\n"
                          "    why: w\n");
    study = sensitivity_study_of_fixture(f);
    assert_true(speedup_of_alternative(study, "share", 0) >
                1.5 * study->base.value);
    assert_true(speedup_of_alternative(study, "own share", 0) <
                0.5 * study->base.value);
}

static void test_an_assumption_may_change_the_winner(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;
    g_autofree char *sentence = NULL;
    const Alternative *attempt;

    vary_only_assumptions(f, "engine,collectives.window");
    write_assumption_file(
        f, BASELINES "cases:\n"
                     "  - name: engine\n"
                     "    of: offload\n"
                     "    now: fast\n"
                     "    try: {slow: {endpoint.memory_bandwidth: 1 GB/s}}\n"
                     "    why: w\n");
    study = sensitivity_study_of_fixture(f);
    assert_true(study->base.value > 1);
    attempt = assumption_alternative(require_assumption(study, "engine"), 0);
    assert_true(sensitivity_study_changes_winner(study, &attempt->outcome));
    sentence = sensitivity_study_summary_text(study);
    assert_non_null(strstr(sentence, "With engine (slow) a baseline wins."));
}

static void test_a_case_may_add_and_remove_baselines(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "more,fewer");
    write_assumption_file(
        f, BASELINES "cases:\n"
                     "  - name: more\n"
                     "    now: two\n"
                     "    add:\n"
                     "      others:\n"
                     "        endpoint: {kind: baseline, name: more, sms: 1,\n"
                     "                   memory_bandwidth: 1 GB/s}\n"
                     "        endpoint.sms: [1, 8]\n"
                     "        endpoint.memory_bandwidth: [100 GB/s, 450 GB/s]\n"
                     "    why: w\n"
                     "  - name: fewer\n"
                     "    now: two\n"
                     "    without: {slow ones: [one], all: [one, half]}\n"
                     "    why: w\n");
    study = sensitivity_study_of_fixture(f);
    assert_true(speedup_of_alternative(study, "more", 0) < study->base.value);
    assert_string_equal(
        assumption_alternative(require_assumption(study, "more"), 0)
            ->outcome.best,
        "more, 8, 450 GB/s");
    assert_true(speedup_of_alternative(study, "fewer", 0) > study->base.value);
    assert_string_equal(
        assumption_alternative(require_assumption(study, "fewer"), 1)
            ->outcome.reason,
        "no baseline is left");
}

/* The best point of a grid around the tuned endpoint is no faster than it. */
static void test_a_baseline_may_be_tuned(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "tuning");
    write_assumption_file(
        f, BASELINES "cases:\n"
                     "  - name: tuning\n"
                     "    now: two\n"
                     "    add:\n"
                     "      tuned: {endpoint: {kind: baseline, name: tuned,\n"
                     "              sms: auto, memory_bandwidth: auto}}\n"
                     "      grid:\n"
                     "        endpoint: {kind: baseline, name: grid, sms: 1,\n"
                     "                   memory_bandwidth: 1 GB/s}\n"
                     "        endpoint.sms: [2, 4]\n"
                     "        endpoint.memory_bandwidth: [64 GB/s, 200 GB/s]\n"
                     "    why: w\n");
    study = sensitivity_study_of_fixture(f);
    assert_string_equal(
        assumption_alternative(require_assumption(study, "tuning"), 0)
            ->outcome.best,
        "tuned");
    assert_true(speedup_of_alternative(study, "tuning", 0) <=
                1.001 * speedup_of_alternative(study, "tuning", 1));
    assert_true(speedup_of_alternative(study, "tuning", 1) < study->base.value);
}

static void
test_impossible_alternatives_are_reported_without_effect(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;
    g_autofree char *text = NULL;

    vary_only_assumptions(f, "SMs");
    write_assumption_file(f,
                          BASELINES "cases:\n"
                                    "  - name: SMs\n"
                                    "    of: baselines\n"
                                    "    now: few\n"
                                    "    try: {too many: {endpoint.sms: 200}}\n"
                                    "    why: w\n");
    study = sensitivity_study_of_fixture(f);
    assert_false(assumption_alternative(require_assumption(study, "SMs"), 0)
                     ->outcome.ok);
    assert_true(sensitivity_study_assumption_effect(
                    study, require_assumption(study, "SMs")) <= 0);
    text = sensitivity_study_text(study, 100);
    assert_non_null(strstr(text, "SMs cannot be 'too many': one: "));
}

static const AssumptionCombination *
combination_of_assumptions(const SensitivityStudy *study, const char *name)
{
    for (guint i = 0; i < study->combinations->len; i++)
        if (g_str_equal(sensitivity_study_combination_at(study, i)->name, name))
            return sensitivity_study_combination_at(study, i);
    return NULL;
}

static void
test_combinations_have_a_larger_effect_than_each_assumption(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;
    const AssumptionCombination *lowest, *pair;

    vary_only_assumptions(f, "a,c,endpoint.fsms");
    write_assumption_file(f, BASELINES
                          "cases:\n"
                          "  - {name: a, of: offload, now: x, why: w,\n"
                          "     try: {b: {endpoint.memory_bandwidth: x0.25}}}\n"
                          "  - {name: c, of: baselines, now: x, why: w,\n"
                          "     try: {d: {endpoint.memory_bandwidth: x1.25,\n"
                          "               endpoint.sms: x2}}}\n");
    study = sensitivity_study_of_fixture(f);
    lowest = combination_of_assumptions(study, STUDY_LOWEST);
    pair = combination_of_assumptions(study, STUDY_PAIR);
    assert_non_null(lowest);
    assert_non_null(pair);
    assert_true(lowest->outcome.value < speedup_of_alternative(study, "a", 0));
    assert_true(lowest->outcome.value < speedup_of_alternative(study, "c", 0));
    assert_int_equal(pair->members->len, 2);
    assert_true(
        combination_of_assumptions(study, STUDY_HIGHEST) == NULL ||
        combination_of_assumptions(study, STUDY_HIGHEST)->outcome.value >
            study->base.value);
}

static void test_a_baseline_keeps_its_own_settings(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "collectives.window");
    write_assumption_file(
        f, "baselines:\n"
           "  - name: once\n"
           "    set: {endpoint: {kind: baseline, sms: 1,\n"
           "          memory_bandwidth: 64 GB/s},\n"
           "          collectives.window: 1}\n"
           "ranges:\n"
           "  - {key: collectives.window, values: [2], why: w}\n");
    study = sensitivity_study_of_fixture(f);
    /* The case changes the window of the offload; the window of the baseline is
     * part of its definition. */
    assert_true(speedup_of_alternative(study, "collectives.window", 0) <
                study->base.value);
}

static void test_the_sensitivity_csv_has_a_role_per_row(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;
    g_autoptr(GString) csv = NULL;
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(GError) error = NULL;
    guint role;

    vary_only_assumptions(f, "endpoint.memory_bandwidth");
    write_assumption_file(f, BASELINES);
    study = sensitivity_study_of_fixture(f);
    csv = sensitivity_study_to_csv(study);
    table = csv_table_parse("s.csv", csv->str, csv->len, &error);
    assert_no_error(error);
    assert_true(csv_table_column(table, "role", &role, &error));
    assert_string_equal(csv_table_text(table, 0, role), "base");
    assert_string_equal(csv_table_text(table, 1, role), "try");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_speedup_is_over_the_best_baseline),
        TEST(test_the_largest_assumption_effect_comes_first),
        TEST(test_irrelevant_assumptions_have_no_effect),
        TEST(test_a_case_may_change_only_the_baselines_or_the_offload),
        TEST(test_an_assumption_may_change_the_winner),
        TEST(test_a_case_may_add_and_remove_baselines),
        TEST(test_a_baseline_may_be_tuned),
        TEST(test_impossible_alternatives_are_reported_without_effect),
        TEST(test_combinations_have_a_larger_effect_than_each_assumption),
        TEST(test_a_baseline_keeps_its_own_settings),
        TEST(test_the_sensitivity_csv_has_a_role_per_row),
    };

    return cmocka_run_group_tests_name("sensitivity", tests, NULL, NULL);
}
