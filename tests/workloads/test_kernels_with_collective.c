/* test_kernels_with_collective.c - tests of
 * workloads/loops/kernels_with_collective.c: kernels in parallel with a
 * collective */
#include "tests/workloads/workload_fixture.h"

#define BESIDE(kernels)                                                        \
    "workload:\n"                                                              \
    "  kind: beside\n"                                                         \
    "  name: b\n"                                                              \
    "  collective: all-gather\n"                                               \
    "  payload: 7 B\n"                                                         \
    "  repeat: 2\n"                                                            \
    "  kernels: [" kernels "]\n"

static OpGraph *build_operation_graph(const char *workload,
                                      const char *training, GError **error)
{
    g_autofree char *text =
        g_strdup_printf("%straining: { %s }\n", workload, training);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    WorkloadRoot root;

    if (!doc || !config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    return workload_build(&root.workload, &root.training, NULL, error);
}

static OpGraph *two_kernel_loop(gboolean overlap)
{
    return build_operation_graph(
        BESIDE("{ kind: stream, name: copy, read: 4 B }, "
               "{ kind: product, name: p, m: 2, n: 3, k: 5 }"),
        overlap ? "" : "overlap: false", NULL);
}

static void assert_depends_on(const OpGraph *graph, uint32_t i, uint32_t on,
                              uint32_t back)
{
    const Op *op = op_graph_op(graph, i);

    assert_int_equal(op->n_deps, 1);
    assert_int_equal(op->deps[0].op, on);
    assert_int_equal(op->deps[0].n_iterations_back, back);
}

static void test_the_kernel_list_is_repeated_as_configured(void **state)
{
    g_autoptr(OpGraph) graph = two_kernel_loop(TRUE);
    const char *const names[] = { "copy", "p", "copy", "p", "all-gather" };

    (void)state;
    assert_non_null(graph);
    assert_int_equal(graph->ops->len, G_N_ELEMENTS(names));
    for (guint i = 0; i < graph->ops->len; i++)
        assert_string_equal(graph->layers->pdata[op_graph_op(graph, i)->layer],
                            names[i]);
    assert_int_equal(op_graph_op(graph, 4)->type, OP_COLLECTIVE);
    assert_int_equal(op_graph_op(graph, 4)->payload_bytes, 7);
}

static void
test_kernels_and_collective_start_after_both_of_the_last_iteration(void **state)
{
    g_autoptr(OpGraph) graph = two_kernel_loop(TRUE);

    (void)state;
    assert_depends_on(graph, 0, 4, 1);
    assert_depends_on(graph, 4, 3, 1);
}

static void
test_without_overlap_the_collective_waits_for_the_kernels(void **state)
{
    g_autoptr(OpGraph) graph = two_kernel_loop(FALSE);

    (void)state;
    assert_depends_on(graph, 0, 4, 1);
    assert_depends_on(graph, 4, 3, 0);
}

static void test_kernels_have_the_work_of_their_shapes(void **state)
{
    g_autoptr(OpGraph) graph = build_operation_graph(
        BESIDE("{ kind: product, m: 2, n: 3, k: 5, precision: fp32 }"), "",
        NULL);
    const OpWork *work = op_graph_op(graph, 1)->work;

    (void)state;
    assert_int_equal(work->flop, 60);
    assert_int_equal(work->bytes, 4 * (10 + 15 + 6));
    assert_int_equal(work->precision, PRECISION_FP32);
}

static void test_invalid_kernels_are_errors(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(build_operation_graph(
        BESIDE("{ kind: stream, read: 4 B, sms: 6 }"), "", &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:7:45: sms: in a run a kernel has what the "
                        "endpoint leaves; leave it out");
    error = NULL;
    assert_null(build_operation_graph(BESIDE("{ kind: stream }"), "", &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "t.yaml:7:12: kernels: none of them does anything");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_kernel_list_is_repeated_as_configured),
        cmocka_unit_test(
            test_kernels_and_collective_start_after_both_of_the_last_iteration),
        cmocka_unit_test(
            test_without_overlap_the_collective_waits_for_the_kernels),
        cmocka_unit_test(test_kernels_have_the_work_of_their_shapes),
        cmocka_unit_test(test_invalid_kernels_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
