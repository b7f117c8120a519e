/* Tests of sim/core/config*.c */
#include "sim/config/config.h"
#include "tests/config/config_parse.h"

/* ---- something to configure ------------------------------------------- */

typedef struct {
    uint64_t clock_hz;
    uint64_t width_bytes;
} Pipe;

static const ConfigField pipe_fields[] = {
    { .key = "clock",
      .help = "of the pipe",
      .type = CONFIG_FREQUENCY,
      .offset = offsetof(Pipe, clock_hz),
      .min = 1000000,
      .max = 10000000000 },
    { .key = "width",
      .help = "per cycle",
      .type = CONFIG_BYTES,
      .offset = offsetof(Pipe, width_bytes),
      .min = 1,
      .max = UINT64_MAX,
      .fallback = "64 B" },
    CONFIG_END,
};

static const ConfigKind ace = { "ace", "offloads", pipe_fields, sizeof(Pipe) };
static const ConfigKind ideal = { "ideal", "costs nothing", NULL, 0 };
static const ConfigKind *const endpoint_kinds[] = { &ace, &ideal, NULL };
static const ConfigRegistry endpoints = { "endpoint", endpoint_kinds };

static const char *const policies[] = { "shared", "partitioned", NULL };

typedef struct {
    uint64_t n_sms, time_ps, bandwidth_bytes_per_s, rate_flops, share_ppm;
    gboolean overlap;
    const char *name;
    int policy;
    Pipe pipe;
    ConfigList sizes;
    ConfigList pipes;
    ConfigVariant endpoint;
    const ConfigNode *raw;
} All;

static const ConfigField size_item = { .type = CONFIG_COUNT, .min = 1 };
static const ConfigField pipe_item = { .type = CONFIG_SECTION,
                                       .fields = pipe_fields };

static const ConfigField all_fields[] = {
    { .key = "sms",
      .type = CONFIG_COUNT,
      .offset = offsetof(All, n_sms),
      .max = 256,
      .fallback = "80" },
    { .key = "time",
      .type = CONFIG_TIME,
      .offset = offsetof(All, time_ps),
      .fallback = "0 ns" },
    { .key = "bandwidth",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(All, bandwidth_bytes_per_s),
      .min = 1000,
      .fallback = "200 GB/s" },
    { .key = "rate",
      .type = CONFIG_FLOPS,
      .offset = offsetof(All, rate_flops),
      .fallback = "120 TFLOPS" },
    { .key = "share",
      .type = CONFIG_FRACTION,
      .offset = offsetof(All, share_ppm),
      .max = 1000000,
      .fallback = "94 %" },
    { .key = "overlap",
      .type = CONFIG_BOOL,
      .offset = offsetof(All, overlap),
      .fallback = "true" },
    { .key = "name",
      .type = CONFIG_NAME,
      .offset = offsetof(All, name),
      .fallback = "v100" },
    { .key = "policy",
      .type = CONFIG_ENUM,
      .offset = offsetof(All, policy),
      .names = policies,
      .fallback = "partitioned" },
    { .key = "pipe",
      .type = CONFIG_SECTION,
      .offset = offsetof(All, pipe),
      .fields = pipe_fields,
      .fallback = "{clock: 1 GHz}" },
    { .key = "sizes",
      .type = CONFIG_LIST,
      .offset = offsetof(All, sizes),
      .item = &size_item,
      .item_size = sizeof(uint64_t),
      .max = 3,
      .fallback = "[]" },
    { .key = "pipes",
      .type = CONFIG_LIST,
      .offset = offsetof(All, pipes),
      .item = &pipe_item,
      .item_size = sizeof(Pipe),
      .fallback = "[]" },
    { .key = "endpoint",
      .type = CONFIG_KIND,
      .offset = offsetof(All, endpoint),
      .registry = &endpoints,
      .fallback = "{kind: ideal}" },
    { .key = "raw",
      .type = CONFIG_RAW,
      .offset = offsetof(All, raw),
      .fallback = "{}" },
    CONFIG_END,
};

typedef struct {
    const char *yaml;
    ConfigErrorCode code;
    const char *message;
} Bad;

static void read_well(ConfigDoc *doc, All *all)
{
    g_autoptr(GError) error = NULL;

    if (!config_doc_read(doc, all_fields, all, &error))
        assert_no_error(error);
}

static void check_bad(const ConfigField *fields, const Bad *cases, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        All all = { 0 };
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = parse("t.yaml", cases[i].yaml, &error);

        if (doc)
            assert_false(config_doc_read(doc, fields, &all, &error));
        assert_config_error(error, cases[i].code, cases[i].message);
    }
}

/* ---- values ----------------------------------------------------------- */

static void test_every_type_is_read(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_well(
        "t.yaml", "sms: 4\ntime: 72.29 ns\nbandwidth: 25 GB/s\n"
                  "rate: 1 PFLOPS\nshare: 0.5\noverlap: false\nname: ~\n"
                  "policy: shared\npipe: {clock: 2 GHz, width: 1 KiB}\n"
                  "sizes: [4, '2']\npipes:\n- clock: 3 GHz\n"
                  "endpoint: {kind: ace, clock: 5 GHz}\nraw: [x]\n");
    All all = { 0 };

    (void)state;
    read_well(doc, &all);
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
    assert_int_equal(config_node_n(all.endpoint.node), 2);
    assert_string_equal(config_node_text(config_node_value(all.raw, 0)), "x");
}

static void test_defaults_are_read_like_text(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_well("t.yaml", "{}");
    All all = { 0 };

    (void)state;
    read_well(doc, &all);
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

static void test_values_that_do_not_fit_say_what_does(void **state)
{
    static const Bad cases[] = {
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
    check_bad(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_keys_and_quantities_are_checked(void **state)
{
    static const Bad cases[] = {
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
          "t.yaml:2:1: 'clock' is given twice, first at line 1" },
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
    check_bad(pipe_fields, cases, G_N_ELEMENTS(cases));
}

static void test_both_ends_of_a_range_are_in_it(void **state)
{
    static const char *const good[] = { "sms: 256",
                                        "share: 100 %",
                                        "bandwidth: 1 kB/s",
                                        "pipe: {clock: 1 MHz}",
                                        "pipe: {clock: 10 GHz, width: 1 B}",
                                        "sizes: [1, 2, 3]" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(ConfigDoc) doc = parse_well("t.yaml", good[i]);
        All all;

        read_well(doc, &all);
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

static void test_a_number_may_be_chosen_by_who_uses_it(void **state)
{
    static const Bad cases[] = {
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
        g_autoptr(ConfigDoc) doc = parse_well("t.yaml", texts[i]);
        g_autoptr(GError) error = NULL;
        uint64_t bytes = 1;

        assert_true(config_doc_read(doc, auto_fields, &bytes, &error));
        assert_int_equal(bytes, wanted[i]);
    }
    check_bad(auto_fields, cases, G_N_ELEMENTS(cases));
}

static void test_kinds_are_picked_by_name(void **state)
{
    static const Bad cases[] = {
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
          "t.yaml:1:25: unknown key 'clock'; known keys: kind" },
        { "endpoint: {kind: ace}\n", CONFIG_ERROR_MISSING_KEY,
          "t.yaml:1:11: missing key 'clock' (of the pipe)" },
        { "endpoint: ace\n", CONFIG_ERROR_FILE,
          "t.yaml:1:11: endpoint: 'ace' cannot be read: No such file or "
          "directory; did you mean '{kind: ace}'?" },
    };

    (void)state;
    check_bad(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_a_list_has_as_many_items_as_it_may(void **state)
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
        Bad bad = { "sizes: [1, 2]\n", CONFIG_ERROR_RANGE, cases[i].message };

        check_bad(fields, &bad, 1);
    }
}

static void test_all_problems_are_told_in_the_order_of_the_text(void **state)
{
    static const Bad cases[] = {
        { "policy: x\nsms: 1\npipe:\n  width: 0 B\nsms: 2\nshare: 101 %\n",
          CONFIG_ERROR_UNKNOWN_KEY,
          "t.yaml:1:9: policy: unknown value 'x'; known values: shared, "
          "partitioned\n"
          "t.yaml:4:3: missing key 'clock' (of the pipe)\n"
          "t.yaml:4:10: width: must be at least 1 B, got 0 B\n"
          "t.yaml:5:1: 'sms' is given twice, first at line 2\n"
          "t.yaml:6:8: share: must be at most 100 %, got 101 %" },
        /* the same node twice: one problem */
        { "pipe: &p {clock: 1 Hz}\npipes: [*p, *p]\n", CONFIG_ERROR_RANGE,
          "t.yaml:1:18: clock: 1 Hz is outside [1 MHz, 10 GHz]" },
    };

    (void)state;
    check_bad(all_fields, cases, G_N_ELEMENTS(cases));
}

static void test_a_flood_of_problems_is_cut(void **state)
{
    g_autoptr(GString) yaml = g_string_new(NULL);
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) lines = NULL;
    All all;

    (void)state;
    for (guint i = 0; i < 25; i++)
        g_string_append_printf(yaml, "unheard_of_%u: 1\n", i);
    doc = parse_well("t.yaml", yaml->str);
    assert_false(config_doc_read(doc, all_fields, &all, &error));
    lines = g_strsplit(error->message, "\n", -1);
    assert_int_equal(g_strv_length(lines), 21);
    assert_true(g_str_has_prefix(lines[19], "t.yaml:20:1: unknown key"));
    assert_string_equal(lines[20], "... and 5 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_is_read),
        cmocka_unit_test(test_defaults_are_read_like_text),
        cmocka_unit_test(test_values_that_do_not_fit_say_what_does),
        cmocka_unit_test(test_keys_and_quantities_are_checked),
        cmocka_unit_test(test_both_ends_of_a_range_are_in_it),
        cmocka_unit_test(test_a_number_may_be_chosen_by_who_uses_it),
        cmocka_unit_test(test_kinds_are_picked_by_name),
        cmocka_unit_test(test_a_list_has_as_many_items_as_it_may),
        cmocka_unit_test(test_all_problems_are_told_in_the_order_of_the_text),
        cmocka_unit_test(test_a_flood_of_problems_is_cut),
    };

    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
