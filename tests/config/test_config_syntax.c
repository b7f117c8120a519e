/* Tests of sim/config/config_parse.c and config_message.c, and of the limits */
#include "sim/core/word_suggestions.h"
#include "tests/config/config_parse.h"

/* A table that accepts any document whose root is a map with the single key
 * `raw`. */
typedef struct {
    const ConfigNode *raw;
} Any;

static const ConfigField any_fields[] = {
    { .key = "raw", .type = CONFIG_RAW, .fallback = "{}" },
    CONFIG_END,
};

static void assert_config_reads(ConfigDoc *doc, Any *any)
{
    g_autoptr(GError) error = NULL;

    if (!config_doc_read(doc, any_fields, any, &error))
        assert_no_error(error);
}

static void test_values_of_maps_are_found_by_key(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        parse_yaml("t.yaml", "raw: {a: 1, b: {c: 2}, d: [3]}", &error);
    const ConfigNode *map;

    (void)state;
    assert_no_error(error);
    map = config_map_value(config_doc_root(doc), "raw");
    assert_string_equal(config_map_text(map, "a"), "1");
    assert_string_equal(config_map_text(config_map_value(map, "b"), "c"), "2");
    assert_null(config_map_value(map, "c"));
    assert_null(config_map_text(map, "b"));
    assert_null(config_map_value(config_map_value(map, "d"), "0"));
    assert_null(config_map_value(config_map_value(map, "a"), "a"));
    assert_null(config_map_value(NULL, "a"));
    assert_null(config_map_text(NULL, "a"));
}

static void assert_parse_fails(const char *yaml, ConfigErrorCode code,
                               const char *message)
{
    GError *error = NULL;

    assert_null(parse_yaml("t.yaml", yaml, &error));
    assert_config_error(error, code, message);
}

static void assert_config_read_fails(ConfigDoc *doc, ConfigErrorCode code,
                                     const char *message)
{
    Any any;
    GError *error = NULL;

    assert_false(config_doc_read(doc, any_fields, &any, &error));
    assert_config_error(error, code, message);
}

static void test_a_yaml_syntax_error_has_a_position(void **state)
{
    static const struct {
        const char *yaml;
        ConfigErrorCode code;
        const char *message;
    } cases[] = {
        { "", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:1: the file is empty; check that it is the right one" },
        { "# nothing\n---\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:1: the file is empty; check that it is the right one" },
        { "a: [1\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:1: did not find expected ',' or ']' while parsing a flow "
          "sequence that began at line 1" },
        { "a: 1\n--- \nb: 2\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:1: a second document begins; a file holds one" },
        { "b: &x {a: 1}\n<<: *x\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:1: the merge key '<<' is not supported; write the keys "
          "out" },
        { "a: *x\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:4: the alias 'x' has no anchor before it; write the value out, or put the text in quotes" },
        { "a: &x [1, *x]\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:11: the alias 'x' stands inside its own anchor; write the value out" },
        { "[a]: 1\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:1: a key must be a word, not a list or map" },
        { "a: !!int 5\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:4: the tag 'tag:yaml.org,2002:int' is not supported; leave it out" },
        { "a: \"x\\0y\"\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:1:4: a text holds a NUL character; remove it" },
        { "\xef\xbb\xbf\xc3\xa4: 1\nb: \xc3\xa4\xff\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:5: the byte 0xff is not UTF-8; save the file as UTF-8" },
        { "a: 1\nb: \x01\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:4: control characters are not allowed" },
        { "a: 1\na: 2\nb: ]\n", CONFIG_ERROR_DUPLICATE_KEY,
          "t.yaml:2:1: 'a' is given twice, first at line 1; remove one\n"
          "t.yaml:3:4: did not find expected node content while parsing a "
          "block node that began at line 3" },
        { "a:\n\tb: 1\n", CONFIG_ERROR_SYNTAX,
          "t.yaml:2:1: found character that cannot start any token while "
          "scanning for the next token that began at line 2; indent with "
          "blanks, not tabs" },
    };
    GError *error = NULL;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_parse_fails(cases[i].yaml, cases[i].code, cases[i].message);
    assert_null(config_doc_parse("t.yaml", "a: \0", 4, &error));
    assert_config_error(error, CONFIG_ERROR_SYNTAX,
                        "t.yaml:1:4: a NUL byte; is this a text file?");
}

static void test_a_wrong_yaml_indentation_gets_a_hint(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        { "a:\n  b: 1\n c: 2\n",
          "t.yaml:3:2: did not find expected key while parsing a block mapping "
          "that began at line 1; is the indentation right?" },
        { "a:\n  b: 1\n   c: 2\n",
          "t.yaml:3:5: mapping values are not allowed in this context; is the "
          "indentation right?" },
        { "a:\n  - x\n  y: 1\n",
          "t.yaml:3:3: did not find expected '-' indicator while parsing a "
          "block collection that began at line 2; is the indentation right?" },
        { "  a: 1\nb: 2\n", "t.yaml:2:1: did not find expected <document "
                            "start>; is the indentation right?" },
        { "a:\n  b: - 1\n",
          "t.yaml:2:6: block sequence entries are not allowed in "
          "this context; is the indentation right?" },
        { "a: b: 1\n",
          "t.yaml:1:5: mapping values are not allowed in this context" },
        { "a:\n  b: 1\n\tc: 2\n",
          "t.yaml:3:1: found a tab character that violates indentation while "
          "scanning a plain scalar that began at line 2; indent with blanks, "
          "not tabs" },
        { "a: [1\nb: 2\n",
          "t.yaml:2:2: did not find expected ',' or ']' while parsing a flow "
          "sequence that began at line 1" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_parse_fails(cases[i].yaml, CONFIG_ERROR_SYNTAX,
                           cases[i].message);
}

static void test_a_quoted_merge_key_is_an_ordinary_yaml_key(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "raw: {'<<': 1}\n");
    Any any;

    (void)state;
    assert_config_reads(doc, &any);
    assert_string_equal(config_node_text(config_node_key(any.raw, 0)), "<<");
}

static char *repeat_text(const char *text, guint n)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < n; i++)
        g_string_append(out, text);
    return g_string_free(out, FALSE);
}

static void test_exceeded_yaml_limits_are_errors(void **state)
{
    g_autofree char *deepest = repeat_text("[", CONFIG_MAX_DEPTH);
    g_autofree char *closed = repeat_text("]", CONFIG_MAX_DEPTH);
    g_autofree char *fits = g_strconcat(deepest, closed, NULL);
    g_autofree char *deep = repeat_text("[", 100000);
    g_autofree char *many = repeat_text("- \n", CONFIG_MAX_NODES);
    g_autoptr(GString) laughs = g_string_new("a0: &a0 [x, x]\n");
    g_autoptr(GString) tags = g_string_new(NULL);
    g_autoptr(GString) tower = g_string_new("a0: &a0 []\n");

    (void)state;
    config_doc_free(parse_valid_yaml("t.yaml", fits));
    assert_parse_fails(
        deep, CONFIG_ERROR_SYNTAX,
        "t.yaml:1:65: more than 64 levels deep; nest fewer lists and maps");
    assert_parse_fails(many, CONFIG_ERROR_SYNTAX,
                       "t.yaml:1000000:2: more than 1000000 nodes, "
                       "aliases counted in full; the environment "
                       "variable ACESIM_MAX_NODES allows more");
    for (guint i = 1; i < 80; i++) {
        g_string_append_printf(laughs, "a%u: &a%u [*a%u, *a%u]\n", i, i, i - 1,
                               i - 1);
        g_string_append_printf(tower, "a%u: &a%u [*a%u]\n", i, i, i - 1);
    }
    for (guint i = 0; i < 17; i++)
        g_string_append_printf(tags, "%%TAG !a%u! b\n", i);
    assert_parse_fails(
        tags->str, CONFIG_ERROR_SYNTAX,
        "t.yaml:17:1: more than 16 %TAG directives; leave them out, since tags are not supported");
    assert_parse_fails(laughs->str, CONFIG_ERROR_SYNTAX,
                       "t.yaml:18:18: more than 1000000 nodes, "
                       "aliases counted in full; the environment "
                       "variable ACESIM_MAX_NODES allows more");
    assert_parse_fails(
        tower->str, CONFIG_ERROR_SYNTAX,
        "t.yaml:64:12: more than 64 levels deep; nest fewer lists and maps");
}

static void test_many_yaml_keys_are_read_in_linear_time(void **state)
{
    g_autoptr(GString) yaml = g_string_new("raw:\n");
    g_autoptr(ConfigDoc) doc = NULL;
    Any any;

    (void)state;
    for (guint i = 0; i < 200000; i++)
        g_string_append_printf(yaml, "  k%u: 1\n", i);
    doc = parse_valid_yaml("t.yaml", yaml->str);
    assert_config_reads(doc, &any);
    assert_int_equal(config_node_count(any.raw), 200000);
}

/* ---- suggested words and node kinds -------------------------------------- */

static void test_the_nearest_known_word_is_suggested(void **state)
{
    static const char *const names[] = { "width", "clock", "lock",
                                         "sms",   "tx",    NULL };

    (void)state;
    assert_string_equal(words_find_nearest("widht", names), "width");
    assert_string_equal(words_find_nearest("wdth", names), "width");
    /* Swapping two letters gives the known word. */
    assert_string_equal(words_find_nearest("xt", names), "tx");
    assert_string_equal(words_find_nearest("clocks", names), "clock");
    /* Two known words are equally near, and the first is suggested. */
    assert_string_equal(words_find_nearest("block", names), "clock");
    assert_string_equal(words_find_nearest("smss", names), "sms");
    assert_string_equal(words_find_nearest("sms", names), "sms");
    assert_null(words_find_nearest("latency", names));
    assert_null(words_find_nearest("", names));
    assert_null(words_find_nearest("x", names));
}

static void test_a_long_text_in_a_message_is_cut_and_escaped(void **state)
{
    g_autofree char *key = repeat_text("k", 1000);
    g_autofree char *shown = repeat_text("k", 80);
    g_autofree char *yaml = g_strdup_printf("? %s\n: 1\n", key);
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", yaml);
    g_autofree char *message = g_strdup_printf(
        "t.yaml:1:3: unknown key '%s...'; known keys: raw", shown);

    (void)state;
    assert_config_read_fails(doc, CONFIG_ERROR_UNKNOWN_KEY, message);
    config_doc_free(g_steal_pointer(&doc));
    doc = parse_valid_yaml("t.yaml", "raw: 1\n\"a\\nb\\e\": 1\n");
    assert_config_read_fails(
        doc, CONFIG_ERROR_UNKNOWN_KEY,
        "t.yaml:2:1: unknown key 'a\\nb\\x1b'; known keys: raw");
}

static void test_yaml_nodes_have_a_kind_and_a_position(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "a: [1, {b: x}]\n");
    const ConfigNode *list = config_node_value(config_doc_root(doc), 0);
    GError *error = NULL;

    (void)state;
    assert_int_equal(config_node_kind(list), CONFIG_NODE_LIST);
    assert_int_equal(config_node_count(list), 2);
    assert_null(config_node_text(list));
    assert_int_equal(config_node_count(config_node_value(list, 0)), 0);
    assert_string_equal(config_node_file(list), "t.yaml");
    assert_ptr_equal(config_doc_find_nearest(doc, "a.1.b"),
                     config_node_value(config_node_value(list, 1), 0));
    assert_ptr_equal(config_doc_find_nearest(doc, "a.2.b"), list);
    assert_ptr_equal(config_doc_find_nearest(doc, "a.1.c"),
                     config_node_value(list, 1));
    assert_ptr_equal(config_doc_find_nearest(doc, ""), config_doc_root(doc));
    config_set_error(&error, config_doc_find_nearest(doc, "a.1.b"),
                     CONFIG_ERROR_CONFLICT, "%d is too many", 3);
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:1:12: 3 is too many");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_maps_are_found_by_key),
        cmocka_unit_test(test_a_yaml_syntax_error_has_a_position),
        cmocka_unit_test(test_a_wrong_yaml_indentation_gets_a_hint),
        cmocka_unit_test(test_a_quoted_merge_key_is_an_ordinary_yaml_key),
        cmocka_unit_test(test_exceeded_yaml_limits_are_errors),
        cmocka_unit_test(test_many_yaml_keys_are_read_in_linear_time),
        cmocka_unit_test(test_the_nearest_known_word_is_suggested),
        cmocka_unit_test(test_a_long_text_in_a_message_is_cut_and_escaped),
        cmocka_unit_test(test_yaml_nodes_have_a_kind_and_a_position),
    };

    return cmocka_run_group_tests_name("config_syntax", tests, NULL, NULL);
}
