/* Tests of sim/config/config.h: kinds, lists, and reporting all problems at
 * once */
#include "tests/config/config_machine.h"

/* ---- kinds, lists and problems of a configuration ------------------------ */

static void test_config_kinds_are_selected_by_name(void **state)
{
    static const InvalidConfig cases[] = {
        { "endpoint: {kind: aec}\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:18: kind: unknown endpoint 'aec'; did you mean 'ace'?" },
        { "endpoint: {kind: baseline}\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:18: kind: unknown endpoint 'baseline'; known kinds: ace, "
          "ideal" },
        { "endpoint: {clock: 1 GHz}\n", CONFIG_ERROR_MISSING_KEY,
          "t.yaml:1:11: missing key 'kind' (endpoint: one of ace, ideal)" },
        { "endpoint: {kind: [ace]}\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:18: kind: expected a name, got a list" },
        { "endpoint: {kind: ideal, clock: 1 GHz}\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:25: unknown key 'clock', which belongs to 'pipe'; known "
          "keys: kind" },
        { "endpoint: {kind: ace}\n", CONFIG_ERROR_MISSING_KEY,
          "t.yaml:1:11: missing key 'clock' (of the pipe)" },
    };

    (void)state;
    check_invalid_configs(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_the_length_of_a_config_list_is_limited(void **state)
{
    static const struct {
        uint64_t min, max;
        const char *message;
    } cases[] = {
        { 3, 3, "t.yaml:1:8: sizes: expected exactly 3 items, got 2" },
        { 3, 9, "t.yaml:1:8: sizes: expected 3 to 9 items, got 2" },
        { 3, UINT64_MAX,
          "t.yaml:1:8: sizes: expected at least 3 items, got 2" },
        { 0, 1, "t.yaml:1:8: sizes: expected at most 1 items, got 2" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        ConfigField fields[] = {
            { .key = "sizes",
              .type = CONFIG_LIST,
              .item = &size_item,
              .item_size = sizeof(uint64_t),
              .min = cases[i].min,
              .max = cases[i].max },
            CONFIG_END,
        };
        InvalidConfig bad = { "sizes: [1, 2]\n", CONFIG_ERROR_RANGE,
                              cases[i].message };

        check_invalid_configs(fields, &bad, 1);
    }
}

static void test_all_config_problems_are_reported_in_text_order(void **state)
{
    static const InvalidConfig cases[] = {
        { "policy: x\nsms: 1\npipe:\n  width: 0 B\nsms: 2\nshare: 101 %\n",
          CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:9: policy: unknown value 'x'; known values: shared, "
          "partitioned\n"
          "t.yaml:4:3: missing key 'clock' (of the pipe)\n"
          "t.yaml:4:10: width: must be at least 1 B, got 0 B\n"
          "t.yaml:5:1: 'sms' is given twice, first at line 2; remove one\n"
          "t.yaml:6:8: share: must be at most 100 %, got 101 %" },
        /* A problem of a node that is named twice is reported once. */
        { "pipe: &p {clock: 1 Hz}\npipes: [*p, *p]\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:18: clock: 1 Hz is outside [1 MHz, 10 GHz]" },
    };

    (void)state;
    check_invalid_configs(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_the_number_of_reported_problems_is_limited(void **state)
{
    g_autoptr(GString) yaml = g_string_new(NULL);
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) lines = NULL;
    All all;

    (void)state;
    for (guint i = 0; i < 25; i++)
        g_string_append_printf(yaml, "unheard_of_%u: 1\n", i);
    doc = parse_valid_yaml("t.yaml", yaml->str);
    assert_false(config_doc_read(doc, all_fields, &all, &error));
    lines = g_strsplit(error->message, "\n", -1);
    assert_int_equal(g_strv_length(lines), 21);
    assert_true(g_str_has_prefix(lines[19], "t.yaml:20:1: unknown key"));
    assert_string_equal(lines[20], "... and 5 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_kinds_are_selected_by_name),
        cmocka_unit_test(test_the_length_of_a_config_list_is_limited),
        cmocka_unit_test(test_all_config_problems_are_reported_in_text_order),
        cmocka_unit_test(test_the_number_of_reported_problems_is_limited),
    };

    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
