/* test_trace_workload.c - tests of workloads/loops/trace.c: recorded traces as
 * workloads */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "sim/config/config.h"
#include "tests/workloads/workload_fixture.h"

/* The path of a temporary folder with the trace file x.txt. */
static char *folder;

static void write_trace_file(const char *text, gssize n_bytes)
{
    g_autofree char *path = g_build_filename(folder, "x.txt", NULL);

    assert_true(g_file_set_contents(path, text, n_bytes, NULL));
}

static OpGraph *build_operation_graph(const char *workload, const char *compute,
                                      char **inputs, GError **error)
{
    g_autofree char *name = g_build_filename(folder, "t.yaml", NULL);
    g_autofree char *text =
        g_strdup_printf("workload: { kind: trace, name: t, %s }\n"
                        "training: { compute: %s }\n",
                        workload, compute);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, text, strlen(text), error);
    g_autoptr(GString) out = g_string_new(NULL);
    WorkloadRoot root;

    if (!doc || !config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    workload_append_inputs(&root.workload, out);
    if (inputs)
        *inputs = g_strdup(out->str);
    return workload_build(&root.workload, &root.training, NULL, error);
}

static char *graph_text(const OpGraph *graph)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        g_string_append_printf(
            text, "%u %s ", i,
            (const char *)g_ptr_array_index(graph->layers, op->layer));
        if (op->type == OP_COLLECTIVE)
            g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " B",
                                   coll_kind_name(op->kind), op->payload_bytes);
        else
            g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " ns",
                                   op_pass_names[op->pass],
                                   op->work->measured_ps / 1000);
        for (uint32_t d = 0; d < op->n_deps; d++)
            g_string_append_printf(text, " < %u%s", op->deps[d].op,
                                   op->deps[d].n_iterations_back ? "@1" : "");
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

static void assert_text_reads(const char *text, const char *expected)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph = NULL;
    g_autofree char *got = NULL;

    write_trace_file(text, -1);
    graph = build_operation_graph("file: x.txt", "measured", NULL, &error);
    if (!graph)
        fail_msg("%s", error->message);
    got = graph_text(graph);
    assert_string_equal(got, expected);
}

/* ---- ASTRA-sim text as a workload ---------------------------------------- */

/* The readers of the format are tested in readers/test_astra_text.c. */
static void test_a_text_trace_becomes_a_graph(void **state)
{
    (void)state;
    assert_text_reads("DATA\n1\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 1000 5",
                      "0 a update 5 ns < 3@1\n"
                      "1 a forward 10 ns\n"
                      "2 a weight-gradient 30 ns\n"
                      "3 a all-reduce 1000 B < 2\n");
}

/* ---- recorded traces as a workload --------------------------------------- */

static void assert_trace_refused(const char *workload, const char *compute,
                                 const char *message)
{
    GError *error = NULL;

    assert_null(build_operation_graph(workload, compute, NULL, &error));
    if (!strstr(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

static void test_a_trace_without_shapes_needs_compute_measured(void **state)
{
    (void)state;
    write_trace_file("DATA\n1\na -1 2 NONE 0 2 NONE 0 3 NONE 0 1\n", -1);
    assert_trace_refused("file: x.txt", "roofline",
                         "x.txt' has times of kernels and no shapes: set "
                         "'training.compute' to measured");
}

static void
test_a_trace_file_is_found_next_to_the_workload_and_is_an_input(void **state)
{
    g_autofree char *one = NULL, *other = NULL;
    OpGraph *graph;

    (void)state;
    write_trace_file("DATA\n1\na -1 x NONE 0 2 NONE 0 2 NONE 0 1\n", -1);
    assert_trace_refused("file: x.txt", "measured", "x.txt:3:6: ");
    write_trace_file("DATA\n1\na -1 2 NONE 0 2 NONE 0 2 NONE 0 1\n", -1);
    graph = build_operation_graph("file: x.txt", "measured", &one, NULL);
    assert_int_equal(graph->ops->len, 2);
    op_graph_free(graph);
    write_trace_file("DATA\n1\na -1 2 NONE 0 2 NONE 0 3 NONE 0 1\n", -1);
    graph = build_operation_graph("file: x.txt, format: astra-text", "measured",
                                  &other, NULL);
    assert_int_equal(graph->ops->len, 2);
    op_graph_free(graph);
    assert_string_not_equal(one, other);
}

/* Checks that the error for @file has the position of its name and @reason,
 * with @compute as `training.compute`. */
static void assert_trace_file_unreadable(const char *file, const char *compute,
                                         const char *reason)
{
    g_autofree char *workload = g_strdup_printf("file: %s", file);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    g_autofree char *message = g_strdup_printf(
        "%s/t.yaml:1:41: file: '%s' cannot be read: %s", folder, path, reason);
    GError *error = NULL;

    assert_null(build_operation_graph(workload, compute, NULL, &error));
    assert_string_equal(error->message, message);
    g_error_free(error);
}

static void test_an_unreadable_file_is_reported_at_its_name(void **state)
{
    (void)state;
    assert_trace_file_unreadable("y.txt", "measured",
                                 "No such file or directory");
    assert_trace_file_unreadable("y.txt", "roofline",
                                 "No such file or directory");
    assert_trace_file_unreadable(".", "measured",
                                 "it is a directory; name a file in it");
    assert_trace_file_unreadable(".", "roofline",
                                 "it is a directory; name a file in it");
}

/* Each workload file in configs/traces names the trace file in the same
 * folder. */
static void test_every_trace_file_builds(void **state)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *traces =
        g_build_filename(root ? root : ".", "configs", "traces", NULL);
    g_autoptr(GDir) dir = g_dir_open(traces, 0, NULL);
    const char *file;
    guint n = 0;

    (void)state;
    while ((file = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(traces, "run.yaml", NULL);
        g_autofree char *text = g_strdup_printf(
            "workload: %s\ntraining: {compute: measured}\n", file);
        g_autoptr(ConfigDoc) doc =
            config_doc_parse(path, text, strlen(text), NULL);
        g_autoptr(OpGraph) graph = NULL;
        WorkloadRoot root_values;

        if (!g_str_has_suffix(file, ".yaml"))
            continue;
        assert_true(
            config_doc_read(doc, workload_root_fields, &root_values, NULL));
        graph = workload_build(&root_values.workload, &root_values.training,
                               NULL, NULL);
        assert_non_null(graph);
        n++;
    }
    assert_true(n > 0);
}

static int create_trace_folder(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("acesim-trace-XXXXXX", NULL);
    return folder ? 0 : 1;
}

static int remove_trace_folder(void **state)
{
    g_autofree char *path = g_build_filename(folder, "x.txt", NULL);

    (void)state;
    g_unlink(path);
    g_rmdir(folder);
    g_free(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_text_trace_becomes_a_graph),
        cmocka_unit_test(test_a_trace_without_shapes_needs_compute_measured),
        cmocka_unit_test(
            test_a_trace_file_is_found_next_to_the_workload_and_is_an_input),
        cmocka_unit_test(test_an_unreadable_file_is_reported_at_its_name),
        cmocka_unit_test(test_every_trace_file_builds),
    };

    return cmocka_run_group_tests_name("trace", tests, create_trace_folder,
                                       remove_trace_folder);
}
