/* test_layer_block_walk.c - functions that walk recursive config tables
 * terminate */
#include "tests/workloads/layer_block_fixture.h"

/* ---- walks of recursive configuration tables ----------------------------- */

static guint count_word_in_text(const char *text, const char *word)
{
    guint n = 0;

    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

static void test_list_shows_a_recursive_kind_once(void **state)
{
    g_autofree char *all = list_topic_text(NULL, 100);
    g_autofree char *block = list_topic_text("block", 100);

    (void)state;
    assert_int_equal(count_word_in_text(all, "kind: block - "), 1);
    assert_int_equal(count_word_in_text(all, "kind: conv - "), 1);
    assert_int_equal(count_word_in_text(block, "\n  layers "), 1);
    assert_non_null(strstr(block, "counted, measured"));
}

static void test_completion_of_recursive_keys_terminates(void **state)
{
    g_auto(GStrv) keys = completion_list_keys();

    (void)state;
    assert_true(g_strv_contains((const char *const *)keys, "workload.layers"));
    assert_false(
        g_strv_contains((const char *const *)keys, "workload.layers.0.layers"));
}

static void test_keys_inside_blocks_are_known(void **state)
{
    (void)state;
    assert_true(config_key_is_known("workload.layers.0.layers.3.repeat"));
    assert_true(
        config_key_is_known("workload.layers.*.layers.*.layers.*.kernel"));
    assert_false(
        config_key_is_known("workload.layers.0.layers.0.layers.0.kernle"));
}

static void test_values_in_blocks_can_be_set(void **state)
{
    static const char text[] = HEAD
        "    - {kind: block, name: r, repeat: 2, layers: [" A ", " B "]}\n";
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), NULL);
    g_autoptr(OpGraph) graph = NULL;
    WorkloadRoot root;

    (void)state;
    assert_true(config_doc_set(doc, "workload.layers.0.layers.1.name", "--set",
                               "c", NULL));
    assert_true(
        config_doc_set(doc, "workload.layers.0.repeat", "--set", "1", NULL));
    assert_true(config_doc_read(doc, workload_root_fields, &root, NULL));
    graph = workload_build(&root.workload, &root.training, NULL, NULL);
    assert_string_equal(g_ptr_array_index(graph->layers, 1), "r.c");
}

/* Returns the resolved values of a workload with @layers as text, which the
 * caller frees. */
static char *config_values_of_layers(const char *layers)
{
    g_autofree char *text = g_strconcat(HEAD, layers, NULL);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), NULL);
    GString *out = g_string_new(NULL);
    WorkloadRoot root;

    assert_true(config_doc_read(doc, workload_root_fields, &root, NULL));
    config_append_values(out, workload_root_fields, &root);
    return g_string_free(out, FALSE);
}

static void
test_blocks_with_different_layers_have_different_values(void **state)
{
    g_autofree char *one = config_values_of_layers(
        "    - {kind: block, name: r, repeat: 2, layers: [" A ", " B "]}\n");
    g_autofree char *same =
        config_values_of_layers("    - kind: block\n"
                                "      repeat: 2\n"
                                "      name: r\n"
                                "      layers: [" A ", " B "]\n");
    g_autofree char *other = config_values_of_layers(
        "    - {kind: block, name: r, repeat: 2, layers: [" B ", " A "]}\n");

    (void)state;
    assert_string_equal(one, same);
    assert_string_not_equal(one, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_shows_a_recursive_kind_once),
        cmocka_unit_test(test_completion_of_recursive_keys_terminates),
        cmocka_unit_test(test_keys_inside_blocks_are_known),
        cmocka_unit_test(test_values_in_blocks_can_be_set),
        cmocka_unit_test(
            test_blocks_with_different_layers_have_different_values),
    };

    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
