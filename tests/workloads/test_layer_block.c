/* test_layer_block.c - tests of workloads/layers/layer_block.c: expansion of
 * blocks, errors and depth limits */
#include "tests/workloads/layer_block_fixture.h"

static OpGraph *build_operation_graph(const char *layers, GError **error)
{
    g_autofree char *text = g_strconcat(HEAD, layers, NULL);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    WorkloadRoot root;

    if (!doc || !config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    return workload_build(&root.workload, &root.training, NULL, error);
}

static OpGraph *build_valid_graph(const char *layers)
{
    GError *error = NULL;
    OpGraph *graph = build_operation_graph(layers, &error);

    if (!graph)
        fail_msg("%s: %s", layers, error->message);
    return graph;
}

static char *operation_names_text(const OpGraph *graph)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < graph->layers->len; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? " " : "",
                               (char *)g_ptr_array_index(graph->layers, i));
    return g_string_free(out, FALSE);
}

static void assert_operation_names(const char *layers, const char *expected)
{
    g_autoptr(OpGraph) graph = build_valid_graph(layers);
    g_autofree char *names = operation_names_text(graph);

    assert_string_equal(names, expected);
}

static void assert_layers_refused(const char *layers, ConfigErrorCode code,
                                  const char *message)
{
    GError *error = NULL;

    assert_null(build_operation_graph(layers, &error));
    assert_config_error(error, code, message);
}

/* ---- expansion of layer blocks ------------------------------------------- */

static void test_layer_names_are_prefixed_with_their_block_name(void **state)
{
    (void)state;
    assert_operation_names(
        "    - {kind: block, name: r, layers: [" A ", " B "]}\n", "r.a r.b");
    assert_operation_names("    - {kind: block, name: r, repeat: 3, layers: [" A
                           ", " B "]}\n",
                           "r.1.a r.1.b r.2.a r.2.b r.3.a r.3.b");
}

static void test_repeats_are_numbered_from_first(void **state)
{
    (void)state;
    assert_operation_names("    - {kind: block, name: r.1, layers: [" A "]}\n"
                           "    - {kind: block, name: r, first: 2, repeat: 2,\n"
                           "       layers: [" A ", " B "]}\n"
                           "    - {kind: block, name: r, first: 4, layers: [" A
                           "]}\n",
                           "r.1.a r.2.a r.2.b r.3.a r.3.b r.4.a");
}

static void test_blocks_may_contain_repeats_and_blocks(void **state)
{
    (void)state;
    assert_operation_names(
        "    - kind: block\n"
        "      name: r\n"
        "      repeat: 2\n"
        "      layers:\n"
        "        - {kind: linear, name: c, in: 3, out: 3, repeat: 2}\n"
        "        - {kind: block, name: s, repeat: 2,\n"
        "           layers: [" A ", " B "]}\n"
        "        - {kind: block, name: t, layers: [" A ", " B "]}\n"
        "    - " A "\n",
        "r.1.c.1 r.1.c.2 r.1.s.1.a r.1.s.1.b r.1.s.2.a r.1.s.2.b "
        "r.1.t.a r.1.t.b "
        "r.2.c.1 r.2.c.2 r.2.s.1.a r.2.s.1.b r.2.s.2.a r.2.s.2.b "
        "r.2.t.a r.2.t.b a");
}

static void assert_equal_operations(const Op *a, const Op *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->layer, b->layer);
    assert_int_equal(a->pass, b->pass);
    assert_int_equal(a->n_deps, b->n_deps);
    for (uint32_t d = 0; d < a->n_deps; d++) {
        assert_int_equal(a->deps[d].op, b->deps[d].op);
        assert_int_equal(a->deps[d].n_iterations_back,
                         b->deps[d].n_iterations_back);
        assert_true(role_set_is_equal(a->deps[d].roles, 0));
        assert_true(role_set_is_equal(b->deps[d].roles, 0));
    }
    if (a->type == OP_COLLECTIVE) {
        assert_int_equal(a->payload_bytes, b->payload_bytes);
        assert_int_equal(a->priority, b->priority);
    } else {
        assert_memory_equal(a->work, b->work, sizeof a->work);
    }
}

static void test_a_block_equals_its_expanded_layers(void **state)
{
    g_autoptr(OpGraph) block = build_valid_graph(
        "    - {kind: block, name: r, repeat: 2, layers: [" A ", " B "]}\n");
    g_autoptr(OpGraph) layers =
        build_valid_graph("    - {kind: linear, name: r.1.a, in: 3, out: 5}\n"
                          "    - {kind: linear, name: r.1.b, in: 5, out: 3}\n"
                          "    - {kind: linear, name: r.2.a, in: 3, out: 5}\n"
                          "    - {kind: linear, name: r.2.b, in: 5, out: 3}\n");
    g_autofree char *names = operation_names_text(block);
    g_autofree char *expected = operation_names_text(layers);

    (void)state;
    assert_string_equal(names, expected);
    assert_int_equal(block->n_weights, 60);
    assert_int_equal(layers->n_weights, 60);
    assert_int_equal(block->ops->len, layers->ops->len);
    for (uint32_t i = 0; i < block->ops->len; i++)
        assert_equal_operations(op_graph_op(block, i), op_graph_op(layers, i));
}

static void test_one_anchored_list_may_serve_several_blocks(void **state)
{
    (void)state;
    assert_operation_names("    - {kind: block, name: r, layers: &two [" A
                           ", " B "]}\n"
                           "    - {kind: block, name: s, layers: *two}\n",
                           "r.a r.b s.a s.b");
}

/* ---- errors in layer blocks ---------------------------------------------- */

static void test_a_repeated_chain_must_match_its_own_input(void **state)
{
    (void)state;
    assert_layers_refused(
        "    - {kind: block, name: r, repeat: 2,\n"
        "       layers: [" A ", {kind: linear, name: b, in: 5,\n"
        "         out: 4}]}\n",
        CONFIG_ERROR_CONFLICT,
        "t.yaml:7:38: repeat: the block takes 3 values and gives 4, "
        "so it cannot follow itself");
    assert_layers_refused(
        "    - {kind: block, name: r, repeat: 2, layers: [\n"
        "        {kind: block, name: s, layers: [" A "]},\n"
        "        {kind: lstm, name: l, in: 5, hidden: 2, steps: 1,\n"
        "         bidirectional: true}]}\n",
        CONFIG_ERROR_CONFLICT,
        "t.yaml:7:38: repeat: the block takes 3 values and gives 4, "
        "so it cannot follow itself");
}

/* As in Inception, the block has two branches that both read its input. */
static void test_a_repeated_block_with_branches_is_allowed(void **state)
{
    (void)state;
    assert_operation_names(
        "    - {kind: block, name: r, repeat: 2, layers: [\n"
        "        {kind: conv, name: a, in: 8, out: 5, size: 9},\n"
        "        {kind: conv, name: b, in: 8, out: 3, size: 9}]}\n",
        "r.1.a r.1.b r.2.a r.2.b");
    assert_operation_names("    - {kind: block, name: r, repeat: 2, layers: [" A
                           ",\n"
                           "        {kind: interaction, name: i, form: dot,\n"
                           "         vectors: 2, dimension: 5}]}\n",
                           "r.1.a r.1.i r.2.a r.2.i");
}

static void test_errors_in_blocks_have_their_position(void **state)
{
    (void)state;
    assert_layers_refused(
        "    - kind: block\n"
        "      name: r\n"
        "      layers:\n"
        "        - {kind: linear, name: a, in: 3, out: 5, repeat: 2}\n",
        CONFIG_ERROR_CONFLICT,
        "t.yaml:10:58: repeat: the layer takes 3 values and gives 5, "
        "so it cannot follow itself");
    assert_layers_refused(
        "    - kind: block\n"
        "      name: r\n"
        "      layers:\n"
        "        - {kind: conv, name: a, in: 6, out: 4, size: 8,\n"
        "           groups: 4}\n",
        CONFIG_ERROR_CONFLICT,
        "t.yaml:11:20: groups: 4 does not divide both in (6) and out "
        "(4)");
    assert_layers_refused("    - {kind: block, name: r, layers: [" A "]}\n"
                          "    - {kind: linear, name: r.a, in: 5, out: 5}\n",
                          CONFIG_ERROR_CONFLICT,
                          "t.yaml:8:28: name: there are two layers 'r.a'");
    assert_layers_refused("    - {kind: block, name: r, repeat: 2,\n"
                          "       layers: [" A ", " B "]}\n"
                          "    - {kind: block, name: r, first: 2,\n"
                          "       layers: [" A "]}\n",
                          CONFIG_ERROR_CONFLICT,
                          "t.yaml:10:38: name: there are two layers 'r.2.a'");
}

static void test_all_errors_in_blocks_are_reported(void **state)
{
    (void)state;
    assert_layers_refused(
        "    - {kind: block, name: r, repeat: 0, layers: []}\n"
        "    - {kind: blok, name: r}\n"
        "    - {kind: block, name: r, layers: [{kind: block,\n"
        "       nmae: s, layers: [" A "]}]}\n"
        "    - {kind: block, name: r, layers: 3}\n"
        "    - {kind: block, name: r, forward_time: 1 us,\n"
        "       layers: [" A "]}\n",
        CONFIG_ERROR_RANGE,
        "t.yaml:7:38: repeat: 0 is outside [1, 10000]\n"
        "t.yaml:7:49: layers: expected at least 1 items, got 0\n"
        "t.yaml:8:14: kind: unknown layer 'blok'; did you mean "
        "'block'?\n"
        "t.yaml:10:8: unknown key 'nmae'; did you mean 'name'?\n"
        "t.yaml:11:38: layers: expected a list, got '3'\n"
        "t.yaml:12:30: unknown key 'forward_time'; known keys: kind, "
        "name, repeat, first, layers");
}

/* ---- depth limits of layer blocks ---------------------------------------- */

static void test_the_layer_limit_counts_expanded_layers(void **state)
{
    static const char one[] =
        "{kind: linear, name: a, in: 3, out: 3, repeat: 10000}";
    g_autofree char *largest = g_strdup_printf(
        "    - {kind: block, name: r, repeat: 10, layers: [%s]}\n", one);
    g_autofree char *too_many = g_strdup_printf("%s    - " A "\n", largest);
    g_autofree char *far_too_many = g_strdup_printf(
        "    - {kind: block, name: q, repeat: 10000, layers: [\n"
        "        {kind: block, name: r, repeat: 10000, layers: [\n"
        "          %s]}]}\n",
        one);
    g_autoptr(OpGraph) graph = build_valid_graph(largest);

    (void)state;
    assert_int_equal(graph->layers->len, 100000);
    assert_layers_refused(
        too_many, CONFIG_ERROR_RANGE,
        "t.yaml:8:7: more than 100000 layers, with their repeats");
    assert_layers_refused(
        far_too_many, CONFIG_ERROR_RANGE,
        "t.yaml:9:11: more than 100000 layers, with their repeats");
}

/* Returns @n nested blocks around layer A, which the caller frees. */
static char *nested_blocks_text(guint n)
{
    GString *text = g_string_new("    - ");

    for (guint i = 0; i < n; i++)
        g_string_append(text, "{kind: block, name: r, layers: [");
    g_string_append(text, A);
    for (guint i = 0; i < n; i++)
        g_string_append(text, "]}");
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

/* Each block adds two levels of YAML, a list and a map.  Four levels surround
 * the outermost block. */
static void test_blocks_nest_as_deeply_as_the_file_limit_allows(void **state)
{
    const guint largest = (CONFIG_MAX_DEPTH - 4) / 2;
    g_autofree char *deepest = nested_blocks_text(largest);
    g_autofree char *deeper = nested_blocks_text(largest + 1);
    g_autoptr(OpGraph) graph = build_valid_graph(deepest);
    const char *name = g_ptr_array_index(graph->layers, 0);

    (void)state;
    assert_int_equal(graph->layers->len, 1);
    assert_int_equal(strlen(name), 2 * largest + 1);
    assert_layers_refused(
        deeper, CONFIG_ERROR_SYNTAX,
        "t.yaml:7:998: more than 64 levels deep; nest fewer lists "
        "and maps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layer_names_are_prefixed_with_their_block_name),
        cmocka_unit_test(test_repeats_are_numbered_from_first),
        cmocka_unit_test(test_blocks_may_contain_repeats_and_blocks),
        cmocka_unit_test(test_a_block_equals_its_expanded_layers),
        cmocka_unit_test(test_one_anchored_list_may_serve_several_blocks),
        cmocka_unit_test(test_a_repeated_chain_must_match_its_own_input),
        cmocka_unit_test(test_a_repeated_block_with_branches_is_allowed),
        cmocka_unit_test(test_errors_in_blocks_have_their_position),
        cmocka_unit_test(test_all_errors_in_blocks_are_reported),
        cmocka_unit_test(test_the_layer_limit_counts_expanded_layers),
        cmocka_unit_test(test_blocks_nest_as_deeply_as_the_file_limit_allows),
    };

    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
