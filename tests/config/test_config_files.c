/* Tests of sim/config/config_file.c: a document that is read from several
 * files */
#include "tests/config/config_fixture.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a temporary folder that is the current folder during a test --------- */

typedef struct {
    char *path, *before; /* The struct owns this memory. */
} Folder;

static int enter_folder(void **state)
{
    Folder *folder = g_new0(Folder, 1);

    folder->path = g_dir_make_tmp("acesim-config-XXXXXX", NULL);
    folder->before = g_get_current_dir();
    *state = folder;
    return folder->path ? g_chdir(folder->path) : -1;
}

static void remove_folder_recursively(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);

        if (g_file_test(child, G_FILE_TEST_IS_DIR))
            remove_folder_recursively(child);
        else
            g_unlink(child);
    }
    g_rmdir(path);
}

static int leave_folder(void **state)
{
    Folder *folder = *state;
    int status = g_chdir(folder->before);

    remove_folder_recursively(folder->path);
    g_free(folder->path);
    g_free(folder->before);
    g_free(folder);
    return status;
}

static void write_text_file(const char *name, const char *text)
{
    assert_true(g_file_set_contents(name, text, -1, NULL));
}

/* ---- configuration files that name other files --------------------------- */

static void test_file_names_are_relative_to_the_including_file(void **state)
{
    g_autoptr(ConfigDoc) doc = NULL;
    Top top;

    (void)state;
    g_mkdir("sub", 0700);
    write_text_file("top.yaml", "thing: sub/box.yaml\nleaf: leaf.yaml\n");
    write_text_file("leaf.yaml", "size: 3\n");
    write_text_file("sub/box.yaml", "kind: box\nleft: leaf.yaml\n");
    write_text_file("sub/leaf.yaml", "kind: leaf\nsize: 4\n");
    doc = config_doc_load("top.yaml", NULL);
    assert_config_reads(doc, &top);
    assert_int_equal(top.leaf.n, 3);
    assert_int_equal(sizeof_leaf_variant(left_child_of_variant(&top.thing)), 4);
    assert_int_equal(sizeof_leaf_variant(right_child_of_variant(&top.thing)),
                     7);
    assert_string_equal(
        config_node_file(left_child_of_variant(&top.thing)->node),
        "sub/leaf.yaml");
    assert_string_equal(
        config_node_text(config_doc_find_nearest(doc, "thing.left.size")), "4");
}

static void test_problems_of_all_files_are_in_reading_order(void **state)
{
    g_autoptr(ConfigDoc) doc = NULL;

    (void)state;
    g_mkdir("sub", 0700);
    write_text_file("top.yaml",
                    "leaf: sub/leaf.yaml\nleaves: [none.yaml, bad.yaml, "
                    "list.yaml]\nthig: 1\n");
    write_text_file("sub/leaf.yaml", "size: 0\nsize: 1\n");
    write_text_file("bad.yaml", "size: [\n");
    write_text_file("list.yaml", "- 1\n");
    doc = config_doc_load("top.yaml", NULL);
    assert_config_read_fails(
        doc, CONFIG_ERROR_FILE,
        "top.yaml:2:10: leaves.0: 'none.yaml' cannot be read: No such file or "
        "directory\n"
        "top.yaml:3:1: unknown key 'thig'; did you mean 'thing'?\n"
        "sub/leaf.yaml:1:7: size: 0 is outside [1, 100]\n"
        "sub/leaf.yaml:2:1: 'size' is given twice, first at line 1; remove one\n"
        "bad.yaml:2:1: did not find expected node content while parsing a "
        "flow node that began at line 2\n"
        "list.yaml:1:1: leaves.2: expected a map, got a list");
}

static void test_only_regular_files_are_included(void **state)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        { "none.yaml", "none.yaml: cannot be read: No such file or directory" },
        { ".", ".: cannot be read: it is a directory; name a file in it" },
        { "/dev/zero",
          "/dev/zero: cannot be read: it is a device, pipe or socket; give a regular file" },
        { "fifo",
          "fifo: cannot be read: it is a device, pipe or socket; give a regular file" },
        { "huge",
          "huge: cannot be read: it is larger than 512 MiB; check that it is the right file, or shorten it" },
    };
    GError *error = NULL;

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    write_text_file("huge", "");
    assert_int_equal(truncate("huge", CONFIG_MAX_FILE_BYTES + 1), 0);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_null(config_doc_load(cases[i].name, &error));
        assert_config_error(error, CONFIG_ERROR_FILE, cases[i].message);
    }
}

static void test_a_config_kind_given_as_a_word_gets_a_hint(void **state)
{
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", "thing: leaf", 11, NULL);

    (void)state;
    assert_config_read_fails(
        doc, CONFIG_ERROR_FILE,
        "t.yaml:1:8: thing: 'leaf' cannot be read: No such file "
        "or directory; did you mean '{kind: leaf}'?");
}

static void test_a_config_file_that_includes_itself_is_refused(void **state)
{
    g_autoptr(ConfigDoc) doc = NULL;

    (void)state;
    write_text_file("a.yaml", "thing: b.yaml\nleaf: a.yaml\n");
    write_text_file("b.yaml", "kind: box\nleft: ./c.yaml\n");
    write_text_file("c.yaml", "kind: box\nright: b.yaml\n");
    doc = config_doc_load("a.yaml", NULL);
    assert_config_read_fails(
        doc, CONFIG_ERROR_FILE,
        "a.yaml:2:7: leaf: 'a.yaml' includes itself: a.yaml -> a.yaml\n"
        "./c.yaml:2:8: right: 'b.yaml' includes itself: b.yaml -> ./c.yaml -> "
        "b.yaml");
}

static void test_a_config_file_named_twice_is_read_once(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml(
        "t.yaml", "thing: {kind: box, left: l.yaml, right: l.yaml}");
    Top top;

    (void)state;
    write_text_file("l.yaml", "kind: leaf\nsize: 9\n");
    assert_config_reads(doc, &top);
    assert_ptr_equal(left_child_of_variant(&top.thing)->node,
                     right_child_of_variant(&top.thing)->node);
    g_unlink("l.yaml");
    assert_config_reads(doc, &top);
    assert_int_equal(sizeof_leaf_variant(right_child_of_variant(&top.thing)),
                     9);
}

static void test_nested_includes_are_bounded(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "thing: f0.yaml\n");

    (void)state;
    for (guint i = 0; i < 30; i++) {
        g_autofree char *name = g_strdup_printf("f%u.yaml", i);
        g_autofree char *text = g_strdup_printf(
            "kind: box\nleft: f%u.yaml\nright: f%u.yaml\n", i + 1, i + 1);

        write_text_file(name, i < 29 ? text : "kind: leaf\n");
    }
    assert_config_read_fails(
        doc, CONFIG_ERROR_SYNTAX,
        "f28.yaml:2:7: more than 1000000 values, files counted "
        "in full; the environment variable ACESIM_MAX_NODES "
        "allows more");
}

/* ---- overrides of values in several files -------------------------------- */

static void test_an_override_descends_into_included_files(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml(
        "t.yaml", "thing: {kind: box, left: sub/b.yaml, right: sub/b.yaml}");
    Top top;

    (void)state;
    g_mkdir("sub", 0700);
    write_text_file("sub/b.yaml", "kind: box\nleft: l.yaml\nright: l.yaml\n");
    write_text_file("sub/l.yaml", "kind: leaf\nsize: 9\n");
    write_text_file("here.yaml", "kind: leaf\nsize: 10\n");
    assert_config_set_succeeds(doc, "thing.left.left.size", "12");
    assert_config_set_succeeds(doc, "thing.right.left", "here.yaml");
    assert_config_reads(doc, &top);
    assert_int_equal(sizeof_leaf_variant(left_child_of_variant(
                         left_child_of_variant(&top.thing))),
                     12);
    assert_int_equal(sizeof_leaf_variant(right_child_of_variant(
                         left_child_of_variant(&top.thing))),
                     9);
    assert_int_equal(sizeof_leaf_variant(left_child_of_variant(
                         right_child_of_variant(&top.thing))),
                     10);
    assert_int_equal(sizeof_leaf_variant(right_child_of_variant(
                         right_child_of_variant(&top.thing))),
                     9);
}

static void test_an_override_path_into_a_broken_file_is_reported(void **state)
{
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "leaf: bad.yaml\n"
                                                          "thing: word.yaml\n");

    (void)state;
    write_text_file("bad.yaml", "a: ]\n");
    write_text_file("word.yaml", "word\n");
    assert_config_set_fails(
        doc, "leaf.size", "1", CONFIG_ERROR_SYNTAX,
        "bad.yaml:1:4: did not find expected node content while "
        "parsing a block node that began at line 1");
    assert_config_set_fails(
        doc, "thing.size", "1", CONFIG_ERROR_TYPE,
        "--set:1:1: cannot set 'thing.size': word.yaml holds no "
        "map");
}

static void test_a_node_of_another_document_keeps_its_position(void **state)
{
    g_autoptr(ConfigDoc) other = NULL;
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("t.yaml", "leaf: {size: 0}\n");
    g_autoptr(GError) error = NULL;
    Top top;

    (void)state;
    g_mkdir("sub", 0700);
    write_text_file("sub/l.yaml", "kind: leaf\nsize: 9\n");
    other = parse_valid_yaml("sub/sweep.yaml", "values:\n- 200\n- l.yaml\n");
    assert_true(config_doc_set_node(
        doc, "thing", config_doc_find_nearest(other, "values.1"), &error));
    assert_true(config_doc_set_node(
        doc, "leaf.size", config_doc_find_nearest(other, "values.0"), &error));
    assert_config_read_fails(
        doc, CONFIG_ERROR_RANGE,
        "sub/sweep.yaml:2:3: size: 200 is outside [1, 100]");
    assert_false(config_doc_set_node(
        doc, "leaf..x", config_doc_find_nearest(other, "values.0"), &error));
    assert_config_error(error, CONFIG_ERROR_SYNTAX,
                        "sub/sweep.yaml:2:3: cannot set 'leaf..x': a part of "
                        "the path is empty");
    assert_config_set_succeeds(doc, "leaf.size", "8");
    assert_config_reads(doc, &top);
    assert_int_equal(sizeof_leaf_variant(&top.thing), 9);
}

#define in_a_folder(test)                                                      \
    cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

/* ---- documents that share files ------------------------------------------ */

typedef struct {
    uint64_t a;
} One;

static const ConfigField one_fields[] = {
    { .key = "a", .type = CONFIG_COUNT, .offset = offsetof(One, a), .max = 9 },
    CONFIG_END,
};

static const ConfigField nested_fields[] = {
    { .key = "one", .type = CONFIG_SECTION, .fields = one_fields },
    CONFIG_END,
};

static void assert_library_file_read_once(ConfigDoc *library, const char *name,
                                          uint64_t a, const char *message)
{
    GError *error = NULL;
    ConfigDoc *doc = config_doc_load_from(library, name, &error);
    One one = { 0 };

    assert_no_error(error);
    if (message) {
        assert_false(config_doc_read(doc, nested_fields, &one, &error));
        assert_string_equal(error->message, message);
        g_clear_error(&error);
    } else {
        assert_true(config_doc_read(doc, nested_fields, &one, &error));
        assert_int_equal(one.a, a);
    }
    config_doc_free(doc);
}

static void test_a_config_library_reads_a_file_once(void **state)
{
    ConfigDoc *library = config_library_new();

    (void)state;
    write_text_file("top.yaml", "one: one.yaml");
    write_text_file("one.yaml", "a: 1");
    assert_library_file_read_once(library, "top.yaml", 1, NULL);
    write_text_file("one.yaml", "a: 2");
    g_unlink("top.yaml");
    assert_library_file_read_once(library, "top.yaml", 1, NULL);
    config_doc_free(library);
}

/* A problem in a file is reported for each document that names the file, and
 * for no other. */
static void
test_problems_in_library_files_are_reported_per_document(void **state)
{
    ConfigDoc *library = config_library_new();

    (void)state;
    write_text_file("bad.yaml", "one: broken.yaml");
    write_text_file("broken.yaml", "a: 1\na: 2");
    write_text_file("good.yaml", "one: {a: 3}");
    for (int i = 0; i < 2; i++) {
        assert_library_file_read_once(
            library, "bad.yaml", 0,
            "broken.yaml:2:1: 'a' is given twice, first at line 1; remove one");
        assert_library_file_read_once(library, "good.yaml", 3, NULL);
    }
    config_doc_free(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(test_file_names_are_relative_to_the_including_file),
        in_a_folder(test_problems_of_all_files_are_in_reading_order),
        in_a_folder(test_only_regular_files_are_included),
        in_a_folder(test_a_config_kind_given_as_a_word_gets_a_hint),
        in_a_folder(test_a_config_file_that_includes_itself_is_refused),
        in_a_folder(test_a_config_file_named_twice_is_read_once),
        in_a_folder(test_nested_includes_are_bounded),
        in_a_folder(test_an_override_descends_into_included_files),
        in_a_folder(test_an_override_path_into_a_broken_file_is_reported),
        in_a_folder(test_a_node_of_another_document_keeps_its_position),
        in_a_folder(test_a_config_library_reads_a_file_once),
        in_a_folder(test_problems_in_library_files_are_reported_per_document),
    };

    return cmocka_run_group_tests_name("config_files", tests, NULL, NULL);
}
