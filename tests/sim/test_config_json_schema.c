/*
 * test_config_json_schema.c - tests of sim/view/config_json_schema.h: JSON
 * schemas of all configuration files
 *
 * The schemas are valid JSON, contain all parameters, and accept and refuse the
 * same files as the reader
 * does. */
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/view/config_json_schema.h"
#include "tests/core/json_schema.h"
#include "tests/test.h"

static JsonValue *json_schema_of_topic(const ListTopic *topic)
{
    GString *text = make_json_schema(topic);
    gsize where;
    JsonValue *schema = json_value_parse(text->str, &where);

    if (!schema)
        fail_msg("%s: no JSON: %.60s", topic->file, text->str + where);
    g_string_free(text, TRUE);
    return schema;
}

/* ---- schemas of the files in configs/ ------------------------------------ */

/* Converts a node to JSON with the types of YAML 1.2, as an editor does. */
static JsonValue *json_value_of_node(const ConfigNode *node)
{
    static const char pattern[] = "^-?[0-9]+(\\.[0-9]+)?$";
    const char *text = config_node_text(node);
    gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;
    JsonValue *value;

    if (text && g_regex_match_simple(pattern, text, 0, 0))
        return json_value_new(JSON_NUMBER, text);
    if (text && (g_str_equal(text, "true") || g_str_equal(text, "false")))
        return json_value_new(JSON_BOOL, text);
    if (text)
        return json_value_new(JSON_STRING, text);
    value = json_value_new(is_map ? JSON_OBJECT : JSON_ARRAY, NULL);
    for (guint i = 0; i < config_node_count(node); i++) {
        if (is_map)
            g_ptr_array_add(value->keys, g_strdup(config_node_text(
                                             config_node_key(node, i))));
        g_ptr_array_add(value->values,
                        json_value_of_node(config_node_value(node, i)));
    }
    return value;
}

static char *schema_fault_of_file(const char *file, const ConfigDoc *doc)
{
    g_autoptr(JsonValue) schema = json_schema_of_topic(topic_find_file(file));
    g_autoptr(JsonValue) value = json_value_of_node(config_doc_root(doc));

    return json_schema_check(schema, schema, value);
}

static void check_files_of_folder(const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(
        g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".", "configs", folder, NULL);
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;
    guint n = 0;

    assert_non_null(dir);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *full = g_build_filename(path, name, NULL);
        g_autoptr(ConfigDoc) doc = NULL;
        g_autofree char *fault = NULL;

        /* A folder has sections of these files, which are read with them. */
        if (g_file_test(full, G_FILE_TEST_IS_DIR))
            continue;
        doc = config_doc_load(full, NULL);
        fault = doc ? schema_fault_of_file(file, doc) : NULL;
        if (!doc || fault)
            fail_msg("%s/%s: %s", folder, name, fault ? fault : "not read");
        n++;
    }
    g_dir_close(dir);
    assert_true(n > 0);
}

static void test_all_files_of_configs_conform_to_their_schemas(void **state)
{
    (void)state;
    check_files_of_folder("runs", "run");
    check_files_of_folder("contention", "run");
    check_files_of_folder("sweeps", "sweep");
    check_files_of_folder("platforms", "platform");
    check_files_of_folder("npus", "npu");
    check_files_of_folder("endpoints", "endpoint");
    check_files_of_folder("workloads", "workload");
}

/* ---- completeness of schemas --------------------------------------------- */

typedef struct {
    const JsonValue *root;
    guint n_fields;
    guint depth;
} Walk;

static void assert_schema_has_map(Walk *walk, const JsonValue *map,
                                  const ConfigField *fields);

/* Checks that @definition has a map for each kind of @registry. */
static void assert_schema_has_kinds(Walk *walk, const JsonValue *definition,
                                    const ConfigRegistry *registry)
{
    const JsonValue *list = json_value_at(definition, "oneOf");

    assert_non_null(list);
    for (guint i = 0; registry->kinds[i]; i++) {
        const JsonValue *map = json_value_item(list, i);
        const JsonValue *kind =
            json_value_at(json_value_at(map, "properties"), "kind");

        assert_string_equal(json_value_at(kind, "const")->text,
                            registry->kinds[i]->name);
        assert_schema_has_map(walk, map, registry->kinds[i]->fields);
    }
}

static void assert_schema_has_field(Walk *walk, const JsonValue *schema,
                                    const ConfigField *field)
{
    walk->n_fields++;
    if (field->help)
        assert_true(g_str_has_prefix(json_value_at(schema, "description")->text,
                                     field->help));
    if (field->type == CONFIG_SECTION) {
        assert_schema_has_map(
            walk, json_value_item(json_value_at(schema, "anyOf"), 0),
            field->fields);
    } else if (field->type == CONFIG_LIST) {
        /* one item alone, or a list */
        const JsonValue *list =
            field->may_be_item
                ? json_value_item(json_value_at(schema, "anyOf"), 1)
                : schema;

        assert_schema_has_field(walk, json_value_at(list, "items"),
                                field->item);
    } else if (field->type == CONFIG_KIND && walk->depth < 3) {
        const JsonValue *all =
            json_value_at(schema, field->without_kind ? "anyOf" : "allOf");
        const char *ref = json_value_at(json_value_item(all, 0), "$ref")->text;

        walk->depth++;
        assert_schema_has_kinds(walk, json_schema_resolve(walk->root, ref),
                                field->registry);
        walk->depth--;
    }
}

static void assert_schema_has_map(Walk *walk, const JsonValue *map,
                                  const ConfigField *fields)
{
    const JsonValue *properties = json_value_at(map, "properties");

    assert_string_equal(json_value_at(map, "additionalProperties")->text,
                        "false");
    for (; fields && fields->key; fields++) {
        const JsonValue *schema = json_value_at(properties, fields->key);

        if (!schema)
            fail_msg("no property '%s'", fields->key);
        if (fields->alias)
            assert_non_null(json_value_at(properties, fields->alias));
        assert_schema_has_field(walk, schema, fields);
    }
}

static void test_schemas_contain_every_parameter(void **state)
{
    guint n_files = 0, n_fields = 0;

    (void)state;
    for (const ListTopic *topic = topics; topic->name; topic++) {
        g_autoptr(JsonValue) schema = NULL;
        Walk walk = { 0 };

        if (!topic->file)
            continue;
        schema = json_schema_of_topic(topic);
        walk.root = schema;
        if (topic->registry)
            assert_schema_has_kinds(&walk, schema, topic->registry);
        else
            assert_schema_has_map(&walk, schema, topic->fields);
        n_fields += walk.n_fields;
        n_files++;
    }
    assert_true(n_files >= 11);
    assert_true(n_fields > 300);
}

/* ---- files that schemas refuse ------------------------------------------- */

static void test_schemas_refuse_what_the_reader_refuses(void **state)
{
    const struct {
        const char *file, *text, *fault;
    } cases[] = {
        { "endpoint", "{kind: ace, sram: 1 MiB}", NULL },
        { "endpoint", "{kind: ace, sramm: 1 MiB}",
          "one: kind: not 'baseline'" },
        { "endpoint", "{kind: acee}", "one: kind: not 'baseline'" },
        { "endpoint", "{sram: 1 MiB}", "one: no 'kind'" },
        { "endpoint", "ace.yaml", "one: no object" },
        { "npu", "{sms: 0.5}", "sms: no integer" },
        { "npu", "{sms: 0}", "sms: too small" },
        { "npu", "{clock: 3}", "clock: no string" },
        { "npu", "{clock: 3 GB}", "clock: '3 GB' has not the form" },
        { "perturb", "{jiter: 1}", "'jiter' is not known" },
        { "training", "{overlap: 1}", "overlap: no boolean" },
        { "training", "{compute: guess}", "compute: none of the words" },
        { "perturb", "{jitter: 2 %}", NULL },
        { "perturb", "{jitter: 0.02}", NULL },
        { "perturb", "{jitter: -1}", "jitter: any: too small" },
        { "run", "{platform: a.yaml, endpoint: b.yaml, workload: c.yaml}",
          NULL },
        { "run", "{platform: a.yaml, endpoint: b.yaml}", "no 'workload'" },
        { "run", "{platform: a.yaml, workload: b.yaml}", "one: no 'endpoint'" },
        { "run",
          "{platform: a.yaml, workload: b.yaml, endpoint: c.yaml, "
          "endpoints: {default: c.yaml}}",
          "more than one" },
        { "run",
          "{platform: a.yaml, workload: b.yaml, endpoints: {tp: c.yaml, "
          "default: d.yaml}}",
          NULL },
        { "run",
          "{platform: a.yaml, workload: b.yaml, endpoints: {tq: c.yaml, "
          "default: d.yaml}}",
          "endpoints: any: one: no 'kind'" },
        { "run", "{platform: '', endpoint: b.yaml, workload: c.yaml}",
          "platform: any: no object" },
        { "platform", "{topology: {kind: torus, dims: []}, npu: a.yaml}",
          "topology: one: dims: too few" },
        { "layer",
          "{kind: block, name: b, repeat: 2, layers: [{kind: block, name: c, "
          "layers: [{kind: linear, name: a, in: 1, out: 1}]}]}",
          NULL },
        { "layer", "{kind: block, name: b, layers: []}",
          "one: kind: not 'conv'" },
        { "layer",
          "{kind: block, name: b, layers: [{kind: block, name: c, layers: "
          "[{kind: linear, name: a, in: 1, out: x}]}]}",
          "one: kind: not 'conv'" },
        { "sweep", "{base: {}, axes: [{endpoint.sram: [1 MiB]}]}", NULL },
        { "sweep", "{base: {training: {overlap: no}}, axes: []}",
          "base: any: training: any: overlap: no boolean" },
        { "sweep", "{base: a.yaml, axes: [{training.overlap: [on]}]}",
          "axes: item: training.overlap: item: no boolean" },
        { "sweep", "{base: a.yaml, axes: [{training.overlap: []}]}",
          "axes: item: training.overlap: too few" },
        { "sweep", "{base: a.yaml, axes: [{zip: {a: 1}}]}",
          "axes: item: zip: a: no array" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ConfigDoc) doc = config_doc_parse(
            "a.yaml", cases[i].text, strlen(cases[i].text), NULL);
        g_autofree char *fault = schema_fault_of_file(cases[i].file, doc);
        const char *expected = cases[i].fault ? cases[i].fault : "none";

        if (!g_str_has_suffix(fault ? fault : "none", expected))
            fail_msg("%s: %s, expected %s", cases[i].text,
                     fault ? fault : "none", expected);
    }
}

/* ---- schema patterns of quantities --------------------------------------- */

static void
test_patterns_of_quantities_match_what_the_parser_accepts(void **state)
{
    const char *const texts[] = {
        "8",           "8 ",       "0",          "08",     "1.5",
        ".5",          "5.",       "1e3",        "1 e3",   "64 KiB",
        "64KiB",       "64  KiB",  "64 kib",     "1.5e3B", "72 ns",
        "3 \xc2\xb5s", "-1 B",     "200 GB/s",   "94 %",   "94%",
        "0.94",        "1245 MHz", "120 TFLOPS", "GB/s",   "",
        "a 3 GB/s",    "3 GB/s b", "1e999 B",    "1..5 B",
    };

    (void)state;
    for (ConfigType type = CONFIG_COUNT; type <= CONFIG_FRACTION; type++) {
        g_autofree char *pattern = quantity_regex_pattern(type);

        for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
            g_autoptr(GError) error = NULL;
            uint64_t value;
            gboolean is_read = quantity_parse(texts[i], type, &value, &error);
            gboolean matches = g_regex_match_simple(pattern, texts[i],
                                                    G_REGEX_DOLLAR_ENDONLY, 0);
            gboolean is_valid =
                is_read ||
                (error->code == CONFIG_ERROR_RANGE && texts[i][0] != '-') ||
                strstr(error->message, "finer");

            if (matches != is_valid)
                fail_msg("'%s' against %s", texts[i], pattern);
        }
    }
}

/* ---- JSON parser of the tests -------------------------------------------- */

static void test_the_json_parser_of_the_tests_refuses_invalid_json(void **state)
{
    const char *const good[] = { "{}", "[1, -0.5e+3, \"a\\u0041\\n\", null]",
                                 " {\"a\": {\"b\": [true, false]}} " };
    const char *const bad[] = {
        "",         "{",         "{,}",       "[1,]",
        "[01]",     "[1.]",      "[.5]",      "['a']",
        "[\"\n\"]", "[\"\\x\"]", "{\"a\" 1}", "{\"a\": 1, \"a\": 2}",
        "[1] 2",    "[nul]",     "[\"a]",     "[1 2]",
        "{1: 2}"
    };
    gsize where;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(JsonValue) value = json_value_parse(good[i], &where);

        assert_non_null(value);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        if (json_value_parse(bad[i], &where))
            fail_msg("%s was taken for JSON", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_files_of_configs_conform_to_their_schemas),
        cmocka_unit_test(test_schemas_contain_every_parameter),
        cmocka_unit_test(test_schemas_refuse_what_the_reader_refuses),
        cmocka_unit_test(
            test_patterns_of_quantities_match_what_the_parser_accepts),
        cmocka_unit_test(
            test_the_json_parser_of_the_tests_refuses_invalid_json),
    };

    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
