/* Tests of sim/config/config_set.c; those that need files are in
 * test_config_files.c */
#include "tests/config/config_fixture.h"

/* ---- overrides of values in one file ------------------------------------- */

static void test_an_override_replaces_or_adds_a_config_value(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml(
        "t.yaml", "leaf: {size: 1}\nleaves: [{size: 2}, {size: 3}]\n");
    Top top;

    (void)state;
    assert_config_set_succeeds(doc, "leaf.size", "11");
    assert_config_set_succeeds(doc, "leaves.1.size", "13");
    assert_config_set_succeeds(doc, "thing",
                               "{kind: box, left: {kind: leaf, size: 14}}");
    /* Setting a key creates a section that was absent. */
    assert_config_set_succeeds(doc, "thing.right.kind", "leaf");
    assert_config_set_succeeds(doc, "thing.right.size", "15");
    assert_config_reads(doc, &top);
    assert_int_equal(top.leaf.n, 11);
    assert_int_equal(((Leaf *)top.leaves.items)[0].n, 2);
    assert_int_equal(((Leaf *)top.leaves.items)[1].n, 13);
    assert_int_equal(sizeof_leaf_variant(left_child_of_variant(&top.thing)),
                     14);
    assert_int_equal(sizeof_leaf_variant(right_child_of_variant(&top.thing)),
                     15);
    assert_string_equal(
        config_node_text(config_doc_find_nearest(doc, "leaves.1.size")), "13");
    assert_config_set_succeeds(doc, "leaves", "[]");
    assert_config_reads(doc, &top);
    assert_int_equal(top.leaves.n, 0);
}

static void test_an_override_leaves_other_uses_of_a_yaml_anchor(void **state)
{
    g_autoptr(ConfigDoc) doc =
        parse_valid_yaml("t.yaml", "leaf: &l {size: 5}\nleaves: [*l, *l]\n");
    Top top;

    (void)state;
    assert_config_set_succeeds(doc, "leaves.0.size", "6");
    assert_config_reads(doc, &top);
    assert_int_equal(top.leaf.n, 5);
    assert_int_equal(((Leaf *)top.leaves.items)[0].n, 6);
    assert_int_equal(((Leaf *)top.leaves.items)[1].n, 5);
}

static void test_problems_of_an_override_are_reported_when_read(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "leaf:\n  size: 0\n");

    (void)state;
    assert_config_set_succeeds(doc, "leaf.sice", "7");
    assert_config_read_fails(
        doc, CONFIG_ERROR_RANGE,
        "t.yaml:2:9: size: 0 is outside [1, 100]\n"
        "--set:1:1: unknown key 'sice'; did you mean 'size'?");
    assert_config_set_succeeds(doc, "leaf", "{size: 101}");
    assert_config_read_fails(doc, CONFIG_ERROR_RANGE,
                             "--set:1:8: size: 101 is outside [1, 100]");
    assert_config_set_succeeds(doc, "leaf.size", "");
    assert_config_read_fails(
        doc, CONFIG_ERROR_TYPE,
        "--set:1:1: size: expected a whole number, got nothing");
}

static void test_an_override_path_without_a_target_is_reported(void **state)
{
    static const struct {
        const char *path, *text;
        ConfigErrorCode code;
        const char *message;
    } cases[] = {
        { "", "1", CONFIG_ERROR_SYNTAX,
          "--set:1:1: cannot set '': the path is empty" },
        { "leaf..size", "1", CONFIG_ERROR_SYNTAX,
          "--set:1:1: cannot set 'leaf..size': a part of the path is empty" },
        { "leaves.2.size", "1", CONFIG_ERROR_UNKNOWN_KEY,
          "--set:1:1: cannot set 'leaves.2.size': '2' is no index into a list "
          "of 2" },
        { "leaves.x", "1", CONFIG_ERROR_UNKNOWN_KEY,
          "--set:1:1: cannot set 'leaves.x': 'x' is no index into a list of "
          "2" },
        { "leaves.-1", "1", CONFIG_ERROR_UNKNOWN_KEY,
          "--set:1:1: cannot set 'leaves.-1': '-1' is no index into a list of "
          "2" },
        { "leaf.size.x", "1", CONFIG_ERROR_FILE,
          "--set:1:1: cannot set 'leaf.size.x': what should hold 'x' is no "
          "map, and '5' cannot be read: No such file or directory" },
        { "thing.x", "1", CONFIG_ERROR_TYPE,
          "--set:1:1: cannot set 'thing.x': what should hold 'x' is empty at "
          "t.yaml:3:7" },
        { "leaf", "[1", CONFIG_ERROR_SYNTAX,
          "--set:2:1: did not find expected ',' or ']' while parsing a flow "
          "sequence that began at line 1" },
        { "leaf", "{size: 1, size: 2}", CONFIG_ERROR_DUPLICATE_KEY,
          "--set:1:11: 'size' is given twice, first at line 1; remove one" },
        { "leaf.size", "\n 1\n--- 2", CONFIG_ERROR_SYNTAX,
          "--set:3:1: a second document begins; a file holds one" },
        { "leaf.size.a", "\n 1", CONFIG_ERROR_FILE,
          "--set:2:2: cannot set 'leaf.size.a': what should hold 'a' is no "
          "map, and '5' cannot be read: No such file or directory" },
    };
    g_autoptr(ConfigDoc) doc = parse_valid_yaml(
        "t.yaml", "leaf: &l {size: 5}\nleaves: [*l, *l]\nthing:\n");
    Top top;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_config_set_fails(doc, cases[i].path, cases[i].text,
                                cases[i].code, cases[i].message);
    assert_config_set_succeeds(doc, "thing", "{kind: leaf}");
    assert_config_reads(doc, &top); /* The failed calls have changed nothing. */
    assert_int_equal(top.leaf.n, 5);
}

static void test_the_depth_of_config_sections_is_limited(void **state)
{
    g_autoptr(GString) path = g_string_new("thing");
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "{}");

    (void)state;
    for (guint i = 0; i < CONFIG_MAX_DEPTH - 1; i++) {
        assert_config_set_succeeds(doc, path->str, "{kind: box}");
        g_string_append(path, ".left");
    }
    assert_config_set_succeeds(doc, path->str, "{kind: box}");
    assert_config_read_fails(
        doc, CONFIG_ERROR_SYNTAX,
        "--set:1:1: more than 64 levels, files counted in full");
    g_string_append(path, ".left");
    assert_config_set_fails(
        doc, path->str, "1", CONFIG_ERROR_SYNTAX,
        "--set:1:1: cannot set 'thing.left.left.left.left.left."
        "left.left.left.left.left.left.left.left.left.left...': "
        "the path has more than 64 parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_override_replaces_or_adds_a_config_value),
        cmocka_unit_test(test_an_override_leaves_other_uses_of_a_yaml_anchor),
        cmocka_unit_test(test_problems_of_an_override_are_reported_when_read),
        cmocka_unit_test(test_an_override_path_without_a_target_is_reported),
        cmocka_unit_test(test_the_depth_of_config_sections_is_limited),
    };

    return cmocka_run_group_tests_name("config_set", tests, NULL, NULL);
}
