/* test_assumptions.c - tests of sim/sensitivity/: assumptions of a
 * configuration and the ranges that a file gives them */
#include "sim/sensitivity/config_key_pattern.h"
#include "tests/sim/sensitivity_fixture.h"

/* ---- keys of assumptions ------------------------------------------------- */

static void test_a_star_pattern_matches_every_item(void **state)
{
    g_autofree char *pattern =
        config_key_pattern("platform.topology.dims.12.size");

    (void)state;
    assert_string_equal(pattern, "platform.topology.dims.*.size");
    assert_true(config_key_matches("a.*.b", "a.0.b"));
    assert_false(config_key_matches("a.*.b", "a.x.b"));
    assert_false(config_key_matches("a.*.b", "a.0.b.c"));
    assert_true(config_key_matches("a.1.b", "a.1.b"));
    assert_false(config_key_matches("a.1.b", "a.2.b"));
    assert_true(config_key_is_below("a.b", "a"));
    assert_false(config_key_is_below("ab", "a"));
}

static void test_assumption_keys_of_all_kinds_are_known(void **state)
{
    (void)state;
    assert_true(config_key_is_known("endpoint.sram"));
    assert_true(config_key_is_known("endpoint.sms"));
    assert_true(config_key_is_known("platform.topology.dims.*.latency"));
    assert_true(config_key_is_known("workload.calibrated.forward"));
    assert_true(config_key_is_known("endpoint"));
    assert_false(config_key_is_known("endpoint.srams"));
    assert_false(config_key_is_known("platform.topology.dims.x.latency"));
    assert_false(config_key_is_known(""));
}

static void test_a_factor_is_x_followed_by_a_number(void **state)
{
    double factor;

    (void)state;
    assert_true(value_change_parse_factor("x0.5", &factor));
    assert_true(factor == 0.5);
    assert_true(value_change_parse_factor("x2", &factor));
    assert_false(value_change_parse_factor("2", &factor));
    assert_false(value_change_parse_factor("x", &factor));
    assert_false(value_change_parse_factor("xy", &factor));
    assert_false(value_change_parse_factor("x2 GB/s", &factor));
    assert_false(value_change_parse_factor("x0", &factor));
}

/* ---- assumptions and their alternatives ---------------------------------- */

static void test_comments_and_defaults_mark_assumptions(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "endpoint,collectives.window");
    write_assumption_file(f, BASELINES);
    study = sensitivity_study_of_fixture(f);
    assert_non_null(
        find_assumption_of_key(study, "endpoint.memory_bandwidth of ace"));
    /* The value of the window is a default, so it is an assumption. */
    assert_non_null(
        find_assumption_of_key(study, "endpoint.sram_split of ace"));
    assert_non_null(find_assumption_of_key(study, "collectives.window"));
    assert_null(find_assumption_of_key(study, "platform.npu.sms"));
    assert_null(
        find_assumption_of_key(study, "endpoint.memory_bandwidth of one"));
    assert_string_equal(
        require_assumption(study, "endpoint.memory_bandwidth of ace")->source,
        "assumed: for the test");
}

/* The NPU has no section `fp16`, so the keys of that section are no
 * assumptions. */
static void test_an_absent_section_has_no_assumptions(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "platform.npu");
    write_assumption_file(f, BASELINES);
    study = sensitivity_study_of_fixture(f);
    assert_non_null(
        find_assumption_of_key(study, "platform.npu.memory_latency"));
    assert_null(find_assumption_of_key(study, "platform.npu.fp16.memory"));
}

static void assert_alternative_labels(const SensitivityStudy *study,
                                      const char *name, const char *expected)
{
    const Assumption *assumption = require_assumption(study, name);
    g_autoptr(GString) labels = g_string_new(NULL);

    for (guint i = 0; i < assumption->alternatives->len; i++)
        g_string_append_printf(labels, "%s%s", i > 0 ? ", " : "",
                               assumption_alternative(assumption, i)->label);
    assert_string_equal(labels->str, expected);
}

static void test_numbers_are_halved_and_doubled_within_their_range(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "endpoint,platform.npu.hbm");
    write_assumption_file(f, BASELINES);
    study = sensitivity_study_of_fixture(f);
    assert_alternative_labels(study, "endpoint.memory_bandwidth of ace",
                              "64 GB/s, 256 GB/s");
    /* The efficiency is limited to 100 %, and the weight is at least 1. */
    assert_alternative_labels(study, "platform.npu.hbm.efficiency", "50 %");
    assert_alternative_labels(study, "platform.npu.hbm.compute_weight", "2");
    assert_alternative_labels(study, "endpoint.sram_split of ace",
                              "bandwidth, bandwidth-x-chunk, latency");
    /* Half and twice of 0 are 0, so no alternative remains. */
    assert_alternative_labels(study, "platform.npu.hbm.turnaround", "");
}

static void test_a_given_range_replaces_halving_and_doubling(void **state)
{
    Fixture *f = *state;
    g_autoptr(SensitivityStudy) study = NULL;

    vary_only_assumptions(f, "platform");
    write_assumption_file(
        f, BASELINES "ranges:\n"
                     "  - {key: platform.npu.sms, values: [40, x2], why: w}\n"
                     "  - {key: platform.topology.dims.*.latency,\n"
                     "     values: [x0.5], why: w}\n"
                     "skip:\n"
                     "  - {key: collectives.window, why: w}\n");
    study = sensitivity_study_of_fixture(f);
    assert_alternative_labels(study, "platform.npu.sms", "40, 160");
    assert_alternative_labels(study, "platform.topology.dims.*.latency",
                              "250 ns");
    assert_string_equal(require_assumption(study, "platform.npu.sms")->why,
                        "w");
    assert_null(find_assumption_of_key(study, "collectives.window"));
}

static void test_assumptions_on_the_command_line_override_the_file(void **state)
{
    Fixture *f = *state;
    char range[] = "collectives.window=8..16..x4";
    char name[] = "collectives";
    char *ranges[] = { range, NULL };
    char *only[] = { name, NULL };
    g_autoptr(SensitivityStudy) study = NULL;

    write_assumption_file(f, BASELINES
                          "ranges:\n"
                          "  - {key: collectives.window, values: [1], why: w}\n"
                          "skip:\n"
                          "  - {key: collectives.window, why: w}\n");
    f->options.filter.ranges = ranges;
    f->options.filter.only = only;
    study = sensitivity_study_of_fixture(f);
    assert_alternative_labels(study, "collectives.window", "8, 16, 256");
    assert_null(find_assumption_of_key(study, "endpoint.sram_split of ace"));
}

/* ---- errors in files of assumptions -------------------------------------- */

/* Checks that the study fails with @message, which has its position in the file
 * unless it begins with "--". */
static void assert_assumptions_refused(const Fixture *f, const char *message)
{
    g_autofree char *expected =
        g_str_has_prefix(message, "--")
            ? g_strdup(message)
            : g_strdup_printf("%s:%s", f->file, message);
    GError *error = NULL;
    int number;

    assert_null(sensitivity_study_run(&f->options, &number, &error));
    assert_config_error(error, (gint)error->code, expected);
}

static void test_errors_in_an_assumption_file_have_a_position(void **state)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        { "ranges:\n  - {key: endpoint.sram_spilt, values: [1], why: w}\n",
          "2:11: key: no configuration has 'endpoint.sram_spilt'; did you mean "
          "'endpoint.sram_split'?" },
        { "ranges:\n  - {key: endpoint.sram, values: [], why: w}\n",
          "2:34: values: expected 1 to 64 items, got 0" },
        { "ranges:\n  - {key: endpoint.sram, valeus: [1 MiB], why: w}\n",
          "2:26: unknown key 'valeus'; did you mean 'values'?" },
        { BASELINES "cases:\n  - {name: a, now: b, why: w}\n",
          "9:5: a case has to have something under try:, add: or without:" },
        { BASELINES "cases:\n  - {name: a, now: b, why: w,\n"
                    "     without: {c: [on]}}\n",
          "10:20: no baseline here is called 'on'; did you mean 'one'?" },
        { BASELINES "ranges:\n"
                    "  - {key: endpoint.sram, values: [5 parsecs], why: w}\n",
          "9:35: sram: '5 parsecs' is no size; expected one such as '64 KiB'" },
    };
    const Fixture *f = *state;

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        write_assumption_file(f, cases[i].text);
        assert_assumptions_refused(f, cases[i].message);
    }
}

static void
test_assumption_errors_on_the_command_line_name_the_option(void **state)
{
    Fixture *f = *state;
    char range[] = "endpoint.fsmss=1..2";
    char foreign[] = "platform.topology.npus=4";
    char name[] = "relaese";
    char *ranges[] = { range, NULL };
    char *names[] = { name, NULL };

    write_assumption_file(f, BASELINES "cases:\n"
                                       "  - {name: release, now: n, why: w,\n"
                                       "     try: {a: {endpoint.alus: 1}}}\n");
    f->options.filter.ranges = ranges;
    assert_assumptions_refused(
        f, "--range endpoint.fsmss:1:1: key: no configuration has "
           "'endpoint.fsmss'; did you mean 'endpoint.fsms'?");
    ranges[0] = foreign;
    assert_assumptions_refused(
        f, "--range platform.topology.npus:1:1: this configuration "
           "has no 'platform.topology.npus'");
    f->options.filter.ranges = NULL;
    f->options.filter.only = names;
    assert_assumptions_refused(
        f, "--only: nothing assumed is called 'relaese'; did you "
           "mean 'release'?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_pattern_matches_every_item),
        cmocka_unit_test(test_assumption_keys_of_all_kinds_are_known),
        cmocka_unit_test(test_a_factor_is_x_followed_by_a_number),
        TEST(test_comments_and_defaults_mark_assumptions),
        TEST(test_an_absent_section_has_no_assumptions),
        TEST(test_numbers_are_halved_and_doubled_within_their_range),
        TEST(test_a_given_range_replaces_halving_and_doubling),
        TEST(test_assumptions_on_the_command_line_override_the_file),
        TEST(test_errors_in_an_assumption_file_have_a_position),
        TEST(test_assumption_errors_on_the_command_line_name_the_option),
    };

    return cmocka_run_group_tests_name("assumptions", tests, NULL, NULL);
}
