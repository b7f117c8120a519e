/* Tests of sim/config/config.h: values and their ranges, read by tables */
#include "tests/config/config_machine.h"

/* ---- an example configuration with its tables ---------------------------- */

static void assert_config_reads(ConfigDoc *doc, All *all)
{
    g_autoptr(GError) error = NULL;

    if (!config_doc_read(doc, all_fields, all, &error))
        assert_no_error(error);
}

/* ---- reading of configuration values ------------------------------------- */

static void test_config_reads_values_of_every_type(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml(
        "t.yaml", "sms: 4\ntime: 72.29 ns\nbandwidth: 25 GB/s\n"
                  "rate: 1 PFLOPS\nshare: 0.5\noverlap: false\nname: ~\n"
                  "policy: shared\npipe: {clock: 2 GHz, width: 1 KiB}\n"
                  "sizes: [4, '2']\npipes:\n- clock: 3 GHz\n"
                  "endpoint: {kind: ace, clock: 5 GHz}\nraw: [x]\n");
    All all = { 0 };

    (void)state;
    assert_config_reads(doc, &all);
    assert_int_equal(all.n_sms, 4);
    assert_int_equal(all.time_ps, 72290);
    assert_int_equal(all.bandwidth_bytes_per_s, 25000000000);
    assert_int_equal(all.rate_flops, 1000000000000000);
    assert_int_equal(all.share_ppm, 500000);
    assert_false(all.overlap);
    assert_string_equal(all.name, "~");
    assert_int_equal(all.policy, 0);
    assert_int_equal(all.pipe.clock_hz, 2000000000);
    assert_int_equal(all.pipe.width_bytes, 1024);
    assert_int_equal(all.sizes.n, 2);
    assert_int_equal(((uint64_t *)all.sizes.items)[1], 2);
    assert_int_equal(all.pipes.n, 1);
    assert_int_equal(((Pipe *)all.pipes.items)->clock_hz, 3000000000);
    assert_int_equal(((Pipe *)all.pipes.items)->width_bytes, 64);
    assert_ptr_equal(all.endpoint.kind, &ace);
    assert_int_equal(((const Pipe *)all.endpoint.params)->clock_hz, 5000000000);
    assert_int_equal(config_node_count(all.endpoint.node), 2);
    assert_string_equal(config_node_text(config_node_value(all.raw, 0)), "x");
}

static void test_config_defaults_are_read_like_text(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "{}");
    All all = { 0 };

    (void)state;
    assert_config_reads(doc, &all);
    assert_int_equal(all.n_sms, 80);
    assert_int_equal(all.share_ppm, 940000);
    assert_true(all.overlap);
    assert_string_equal(all.name, "v100");
    assert_int_equal(all.policy, 1);
    assert_int_equal(all.pipe.clock_hz, 1000000000);
    assert_int_equal(all.sizes.n, 0);
    assert_null(all.sizes.items);
    assert_ptr_equal(all.endpoint.kind, &ideal);
    assert_non_null(all.endpoint.params);
    assert_int_equal(config_node_kind(all.raw), CONFIG_NODE_MAP);
}

static void test_config_errors_name_allowed_values(void **state)
{
    static const InvalidConfig cases[] = {
        { "sms: 1.5\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:6: sms: expected a whole number, got '1.5'" },
        { "sms: 300\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:6: sms: must be at most 256, got 300" },
        { "sms: -3\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:6: sms: '-3' is negative, must be at most 256" },
        { "sms:\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:5: sms: expected a whole number, got nothing" },
        { "sms: {a: 1}\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:6: sms: expected a whole number, got a map" },
        { "bandwidth: 5 B/s\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:12: bandwidth: must be at least 1 kB/s, got 5 B/s" },
        { "time: -1 ns\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:7: time: '-1 ns' is negative" },
        { "rate: [1]\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:7: rate: expected a compute rate such as '120 TFLOPS', "
          "got a list" },
        { "overlap: yes\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:10: overlap: expected true or false, got 'yes'" },
        { "name: ''\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:7: name: expected a name, got ''" },
        { "name: \"a\\tb\"\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:7: name: a name has no control characters, got "
          "'a\\x09b'" },
        { "policy: sharde\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:9: policy: unknown value 'sharde'; did you mean "
          "'shared'?" },
        { "policy: fifo\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:9: policy: unknown value 'fifo'; known values: shared, "
          "partitioned" },
        { "policy: {}\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:9: policy: expected one of shared, partitioned, got a "
          "map" },
        { "sizes: {a: 1}\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:8: sizes: expected a list, got a map" },
        { "sizes: 4\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:8: sizes: expected a list, got '4'" },
        { "sizes: [1, 2, 3, 4]\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:8: sizes: expected at most 3 items, got 4" },
        { "sizes: [1, x]\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:12: sizes.1: expected a whole number, got 'x'" },
        { "pipes: [{width: 1 B}]\n", CONFIG_ERROR_MISSING_KEY,
          "t.yaml:1:9: missing key 'clock' (of the pipe)" },
        { "pipe: [1]\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:7: pipe: expected a map or the name of a file, got a "
          "list" },
        { "pipe:\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:6: pipe: expected a map or the name of a file, got "
          "nothing" },
        { "[1]\n", CONFIG_ERROR_TYPE,
          "t.yaml:1:1: expected a map, got a list" },
    };

    (void)state;
    check_invalid_configs(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_config_checks_keys_and_quantities(void **state)
{
    static const InvalidConfig cases[] = {
        { "clock: 1 GHz\nwidht: 1 B\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:2:1: unknown key 'widht'; did you mean 'width'?" },
        { "clok: 1 GHz\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:1: unknown key 'clok'; did you mean 'clock'?" },
        { "widht: 1 B\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:1: unknown key 'widht'; did you mean 'width'?\n"
          "t.yaml:1:1: missing key 'clock' (of the pipe)" },
        { "clock: 1 GHz\nlatency: 1 ns\n", CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:2:1: unknown key 'latency'; known keys: clock, width" },
        { "clock: 1 GHz\nclock: 2 GHz\n", CONFIG_ERROR_DUPLICATE_KEY,
          "t.yaml:2:1: 'clock' is given twice, first at line 1; remove one" },
        { "width: 1 B\n", CONFIG_ERROR_MISSING_KEY,
          "t.yaml:1:1: missing key 'clock' (of the pipe)" },
        { "clock: 5 Hz\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:8: clock: 5 Hz is outside [1 MHz, 10 GHz]" },
        { "clock: 1e30 GHz\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:8: clock: '1e30 GHz' is too large, must be in [1 MHz, "
          "10 GHz]" },
        { "clock: 1245\n", CONFIG_ERROR_UNIT,
          "t.yaml:1:8: clock: '1245' has no unit; expected a frequency such "
          "as '1245 MHz'" },
        { "clock: 64 KiB\n", CONFIG_ERROR_UNIT,
          "t.yaml:1:8: clock: '64 KiB' is no frequency; expected one such as "
          "'1245 MHz'" },
    };

    (void)state;
    check_invalid_configs(pipe_fields, cases, G_N_ELEMENTS(cases));
}

static void test_both_ends_of_a_value_range_are_allowed(void **state)
{
    static const char *const good[] = { "sms: 256",
                                        "share: 100 %",
                                        "bandwidth: 1 kB/s",
                                        "pipe: {clock: 1 MHz}",
                                        "pipe: {clock: 10 GHz, width: 1 B}",
                                        "sizes: [1, 2, 3]" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", good[i]);
        All all;

        assert_config_reads(doc, &all);
    }
}

static const ConfigField auto_fields[] = {
    { .key = "chunk",
      .help = "what is pipelined",
      .type = CONFIG_BYTES,
      .min = 64,
      .max = 1024,
      .may_be_auto = TRUE,
      .fallback = "auto" },
    CONFIG_END,
};

static void test_a_config_number_may_be_auto(void **state)
{
    static const InvalidConfig cases[] = {
        { "chunk: automatic", CONFIG_ERROR_TYPE,
          "t.yaml:1:8: chunk: 'automatic' is no size; expected one "
          "such as '64 KiB'" },
        { "chunk: 8 B", CONFIG_ERROR_RANGE,
          "t.yaml:1:8: chunk: 8 B is outside [64 B, 1 KiB] or auto" },
        { "chunk: [1]", CONFIG_ERROR_TYPE,
          "t.yaml:1:8: chunk: expected a size such as '64 KiB', or "
          "auto, got a list" },
    };
    static const char *const texts[] = { "{}", "chunk: auto", "chunk: 64 B" };
    static const uint64_t wanted[] = { CONFIG_AUTO, CONFIG_AUTO, 64 };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", texts[i]);
        g_autoptr(GError) error = NULL;
        uint64_t bytes = 1;

        assert_true(config_doc_read(doc, auto_fields, &bytes, &error));
        assert_int_equal(bytes, wanted[i]);
    }
    check_invalid_configs(auto_fields, cases, G_N_ELEMENTS(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_reads_values_of_every_type),
        cmocka_unit_test(test_config_defaults_are_read_like_text),
        cmocka_unit_test(test_config_errors_name_allowed_values),
        cmocka_unit_test(test_config_checks_keys_and_quantities),
        cmocka_unit_test(test_both_ends_of_a_value_range_are_allowed),
        cmocka_unit_test(test_a_config_number_may_be_auto),
    };

    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
