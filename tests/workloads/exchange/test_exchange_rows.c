/* test_exchange_rows.c - how the gradients of embeddings are sent */
#include "tests/workloads/loops_fixture.h"

#include "workloads/exchange/exchange.h"

/* A table of 40 rows of 3 values, of which a sample touches 5 rows, and its
 * offset; a smaller table; and a layer. */
static const char words[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: words\n"
    "  batch: 2\n"
    "  layers:\n"
    "    - { kind: counted, name: a, tensors: [120, 3, 8], forward_flop: 9,\n"
    "        sparse: [{rows: 5, values: 3}, {tensor: 2, rows: 1, values: 4}] }\n"
    "    - { kind: linear, name: b, in: 3, out: 5 }\n";

/* Two samples of 5 rows of 3 values of 2 B with a number of 8 B, and of 1 row
 * of 4 values, from each of the NPUs that are assumed. */
#define N_NPUS  UINT64_C(2)
#define LARGE_B (N_NPUS * 2 * 5 * (3 * 2 + 8))
#define SMALL_B (N_NPUS * 2 * 1 * (4 * 2 + 8))

static char *embedding_gathers_text(uint32_t first, const char *after)
{
    return g_strdup_printf("%u a all-gather %" G_GUINT64_FORMAT " B p2 < 6%s\n"
                           "%u a all-gather %" G_GUINT64_FORMAT " B p2 < 6%s\n",
                           first, SMALL_B, after, first + 1, LARGE_B, after);
}

static void assert_graph_ends_with(const char *training, uint32_t first,
                                   const char *end)
{
    g_autoptr(OpGraph) graph = build_valid_graph(words, training);
    g_autofree char *text = graph_text(graph);
    g_autofree char *from = g_strdup_printf("\n%u ", first);
    const char *rest = strstr(text, from);

    assert_non_null(rest);
    assert_string_equal(rest + 1, end);
}

static void test_embedding_gradients_are_dense_by_default(void **state)
{
    (void)state;
    assert_graph_ends_with("exchange: {kind: tensor}", 5,
                           "5 b all-reduce 30 B p1 < 2 lane 0\n"
                           "6 a all-reduce 16 B p2 < 4 lane 0\n"
                           "7 a all-reduce 6 B p2 < 4 lane 0\n"
                           "8 a all-reduce 240 B p2 < 4 lane 0\n");
}

static void test_embedding_rows_are_gathered_on_the_lane(void **state)
{
    g_autofree char *rows = embedding_gathers_text(7, " lane 0");
    g_autofree char *end = g_strconcat(rows,
                                       "9 b all-reduce 30 B p1 < 4 lane 0\n"
                                       "10 a all-reduce 6 B p2 < 6 lane 0\n",
                                       NULL);

    (void)state;
    assert_graph_ends_with("exchange: {kind: tensor, sparse: gather}", 7, end);
    assert_graph_ends_with("exchange: {kind: groups, n: 2, sparse: gather}", 7,
                           end);
}

static void test_exchange_groups_contain_only_dense_tensors(void **state)
{
    g_autofree char *rows = embedding_gathers_text(7, " lane 0");
    g_autofree char *end =
        g_strconcat(rows, "9 a..b all-reduce 36 B p2 < 6 lane 0\n", NULL);

    (void)state;
    assert_graph_ends_with("exchange: {kind: groups, sparse: gather}", 7, end);
}

static void
test_embedding_rows_are_sent_in_parallel_without_a_lane(void **state)
{
    g_autofree char *rows = embedding_gathers_text(7, "");
    g_autofree char *end =
        g_strconcat(rows, "9 all-gradients all-reduce 36 B p0 < 6\n", NULL);

    (void)state;
    assert_graph_ends_with("exchange: {kind: single, sparse: gather}", 7, end);
    assert_graph_ends_with(
        "overlap: false, exchange: {kind: layer, sparse: gather}", 7, end);
}

static void test_the_next_iteration_adds_up_the_gathered_rows(void **state)
{
    g_autoptr(OpGraph) graph =
        build_valid_graph(words, "exchange: {kind: tensor, sparse: gather}");
    const Op *large = op_graph_op(graph, 0), *small = op_graph_op(graph, 1);

    (void)state;
    /* The kernel reads the gathered rows, and reads and writes a row of the
     * gradient for each. */
    assert_int_equal(large->pass, OP_UPDATE);
    assert_int_equal(large->work->bytes, LARGE_B + 2 * N_NPUS * 2 * 5 * 3 * 2);
    assert_int_equal(small->work->bytes, SMALL_B + 2 * N_NPUS * 2 * 1 * 4 * 2);
    assert_int_equal(large->work->flop, N_NPUS * 2 * 5 * 3);
    /* The kernel waits for all messages of the layer. */
    assert_int_equal(large->n_deps, 3);
    assert_int_equal(op_graph_op(graph, 2)->n_deps, 0);
}

static void test_gathered_rows_have_separate_buffers(void **state)
{
    g_autoptr(OpGraph) graph =
        build_valid_graph(words, "exchange: {kind: fusion, sparse: gather}");
    const OpLane *lane = op_graph_lane(graph, 0);
    const Op *last =
        op_graph_op(graph, lane->first_buffer + lane->n_buffers - 1);

    (void)state;
    assert_int_equal(graph->lanes->len, 1);
    assert_int_equal(lane->first_buffer + lane->n_buffers, graph->ops->len);
    assert_int_equal(last->kind, COLL_ALL_GATHER);
    assert_true(last->payload_bytes >= SMALL_B + LARGE_B);
}

static void test_invalid_embedding_exchanges_are_errors(void **state)
{
    static const struct {
        const char *sparse, *message;
    } cases[] = {
        { "{tensor: 3, rows: 1, values: 1}",
          "t.yaml:7:17: sparse: there is no tensor 3 of 3" },
        { "{rows: 1, values: 7}",
          "t.yaml:7:17: sparse: tensor 0 has 120 values, which are no rows of 7" },
        { "{rows: 1, values: 3}, {tensor: 0, rows: 2, values: 4}",
          "t.yaml:7:17: sparse: tensor 0 is there twice" },
    };
    GError *error = NULL;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(
            "workload:\n"
            "  kind: data-parallel\n"
            "  name: words\n"
            "  batch: 2\n"
            "  layers:\n"
            "    - { kind: counted, name: a, tensors: [120, 3, 8],\n"
            "        sparse: [%s] }\n",
            cases[i].sparse);

        assert_null(build_operation_graph(text, "", &error));
        assert_config_error(error, CONFIG_ERROR_CONFLICT, cases[i].message);
    }
    assert_null(build_operation_graph(words,
                                      "exchange: {kind: layer, sparse: gather, "
                                      "compression: {kind: top-k}}",
                                      &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:9:62: sparse: rows that are gathered go as "
                        "they are, but 'compression' is 'top-k'; leave one of "
                        "them out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_embedding_gradients_are_dense_by_default),
        cmocka_unit_test(test_embedding_rows_are_gathered_on_the_lane),
        cmocka_unit_test(test_exchange_groups_contain_only_dense_tensors),
        cmocka_unit_test(
            test_embedding_rows_are_sent_in_parallel_without_a_lane),
        cmocka_unit_test(test_the_next_iteration_adds_up_the_gathered_rows),
        cmocka_unit_test(test_gathered_rows_have_separate_buffers),
        cmocka_unit_test(test_invalid_embedding_exchanges_are_errors),
    };

    return cmocka_run_group_tests_name("exchange rows", tests, NULL, NULL);
}
