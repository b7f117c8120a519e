/* Tests of workloads/readers/ and workloads/loops/trace.c */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "tests/workloads/workload_fixture.h"
#include "workloads/readers/reader.h"

static OpGraph *read_text(const char *text, ComputeSetting compute,
                          GError **error)
{
    ReaderFile file = { "x.txt", text, strlen(text) };
    TrainingConfig training = { .compute = compute };
    const ReaderOps *reader = reader_find(READER_AUTO, &file, error);
    g_autoptr(OpGraph) graph = op_graph_new();

    if (!reader || !reader->read(&file, &training, graph, error))
        return NULL;
    op_graph_check(graph);
    return g_steal_pointer(&graph);
}

static char *describe(const OpGraph *graph)
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
                                   op->work.measured_ps / 1000);
        for (uint32_t d = 0; d < op->n_deps; d++)
            g_string_append_printf(text, " < %u%s", op->deps[d].op,
                                   op->deps[d].back ? "@1" : "");
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

static void assert_reads(const char *text, const char *expected)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph = read_text(text, COMPUTE_MEASURED, &error);
    g_autofree char *got = NULL;

    if (!graph)
        fail_msg("%s", error->message);
    got = describe(graph);
    assert_string_equal(got, expected);
}

static void expect(const char *text, const char *message)
{
    GError *error = NULL;

    assert_null(read_text(text, COMPUTE_MEASURED, &error));
    if (!g_str_has_prefix(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

/* ---- ASTRA-sim text --------------------------------------------------- */

static void test_data_is_the_data_parallel_loop(void **state)
{
    (void)state;
    assert_reads("DATA\n2\n"
                 "a -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 1000 5\n"
                 "b -1 11 NONE 0 21 NONE 0 31 ALLREDUCE 2000 1",
                 "0 a update 5 ns < 7@1\n"
                 "1 a forward 10 ns\n"
                 "2 b forward 11 ns < 4@1\n"
                 "3 b weight-gradient 31 ns\n"
                 "4 b all-reduce 2000 B < 3\n"
                 "5 b input-gradient 21 ns\n"
                 "6 a weight-gradient 30 ns\n"
                 "7 a all-reduce 1000 B < 6\n");
}

static void test_model_waits_for_collectives_between_layers(void **state)
{
    (void)state;
    assert_reads("MODEL\n2\n"
                 "a -1 10 ALLGATHER 100 20 ALLREDUCE 200 30 NONE 0 1\n"
                 "b -1 11 ALLGATHER 101 21 ALLREDUCE 201 31 NONE 0 1\n",
                 "0 a forward 10 ns\n"
                 "1 a all-gather 100 B < 0\n"
                 "2 b forward 11 ns < 1\n"
                 "3 b all-gather 101 B < 2\n"
                 "4 b input-gradient 21 ns < 3\n"
                 "5 b all-reduce 201 B < 4\n"
                 "6 b weight-gradient 31 ns\n"
                 "7 a weight-gradient 30 ns < 5\n");
}

static void test_one_of_anything_is_nothing(void **state)
{
    (void)state;
    assert_reads("DATA\n1\na -1 1 NONE 1 0 NONE 7 30 ALLREDUCE 1 0\n",
                 "0 a forward 0 ns\n1 a weight-gradient 30 ns\n");
}

static void test_lines_and_blanks_are_as_they_come(void **state)
{
    (void)state;
    assert_reads("\n  DATA \r\n\n1\ta\r\n-1 2 NONE\n0 2 NONE 0 2\t\tNONE 0 1 "
                 "\n\n",
                 "0 a forward 2 ns\n1 a weight-gradient 2 ns\n");
}

static void test_what_is_wrong_stands_where_it_is(void **state)
{
    (void)state;
    expect("DATA 7\n1\n", "x.txt:1:6: policy 'DATA' has no keys");
    expect("HYBRID_DLRM 4\n1\n",
           "x.txt:1:1: policy 'HYBRID_DLRM' splits NPUs into groups that the "
           "file does not say; DATA and MODEL are read");
    expect("DATA\n", "x.txt:2:1: the text ends where the number of layers is "
                     "due");
    expect("DATA\nmany\n", "x.txt:2:1: the number of layers has to be a whole "
                           "number of at most 100000, not 'many'");
    expect("DATA\n0\n", "x.txt:3:1: there are no layers");
    expect("DATA\n4294967296\n", "x.txt:2:1: the number of layers has to be");
    expect("DATA\n99999999999999999999999\n", "x.txt:2:1: the number of");
    expect("DATA\n-1\n", "x.txt:2:1: the number of layers has to be");
    expect("DATA\n1\na\n", "x.txt:4:1: the text ends after 0 layers and a part "
                           "of one");
    expect("DATA\n1\na -1 1.5 NONE 0",
           "x.txt:3:6: the time of the forward in ns has to be");
    expect("DATA\n1\na -1 1 NOONE 0",
           "x.txt:3:8: the collective of the forward is one of REDUCESCATTER, "
           "ALLGATHER, ALLREDUCE, ALLTOALL, NONE, not 'NOONE'");
    expect("DATA\n1\na -1 1 ALLREDUCE_DP_EP 0", "x.txt:3:8: the collective");
    expect("DATA\n1\na -1 1 NONE 0 2 ALLREDUCE 8 3 NONE 0 1\n",
           "x.txt:3:17: under policy DATA the input gradient has no "
           "collective");
    expect("MODEL\n1\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 8 1\n",
           "x.txt:3:26: under policy MODEL the weight gradient has no "
           "collective");
    expect("DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1 DATA\n",
           "x.txt:3:35: there are more words than the 1 layers have");
    expect("DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 99999999999999 1\n",
           "x.txt:3:31: the payload of the weight gradient in bytes");
    expect("DATA\n1\n\xff\xfe -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
           "x.txt:3:1: a layer's name has 200 bytes of UTF-8 at most");
    expect("never\n", "x.txt:1:1: no reader knows how this begins");
    expect("", "x.txt:1:1: no reader knows how this begins");
}

/* Every beginning of a text, and every text with a byte changed, is read or is
 * an error with a place. */
static void test_no_text_does_harm(void **state)
{
    const char *whole = "MODEL\n2\n"
                        "a -1 10 ALLGATHER 100 20 ALLREDUCE 200 30 NONE 0 1\n"
                        "b -1 11 ALLGATHER 101 21 ALLREDUCE 201 31 NONE 0 9\n";
    gsize n = strlen(whole);

    (void)state;
    for (gsize i = 0; i < n; i++)
        for (guint way = 0; way < 6; way++) {
            g_autofree char *text = g_strndup(whole, way > 0 ? n : i);
            GError *error = NULL;
            OpGraph *graph;

            if (way > 0)
                text[i] = "\n 9z\xff"[way - 1];
            graph = read_text(text, COMPUTE_MEASURED, &error);
            if (!graph) {
                assert_true(g_str_has_prefix(error->message, "x.txt:"));
                assert_true(g_utf8_validate(error->message, -1, NULL));
            }
            op_graph_free(graph);
            g_clear_error(&error);
        }
}

static void test_times_without_shapes_need_measured(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(read_text("DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
                          COMPUTE_ROOFLINE, &error));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                  "x.txt:1:1: kernels have measured times and no shapes; set "
                  "'training.compute' to measured");
}

/* ---- kind: trace ------------------------------------------------------ */

static OpGraph *build(const char *folder, const char *workload, char **inputs,
                      GError **error)
{
    g_autofree char *name = g_build_filename(folder, "t.yaml", NULL);
    g_autofree char *text =
        g_strdup_printf("workload: { kind: trace, name: t, %s }\n"
                        "training: { compute: measured }\n",
                        workload);
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

static void write_file(const char *folder, const char *text, gssize n_bytes)
{
    g_autofree char *path = g_build_filename(folder, "x.txt", NULL);

    assert_true(g_file_set_contents(path, text, n_bytes, NULL));
}

static void fails(const char *folder, const char *workload, const char *message)
{
    GError *error = NULL;

    assert_null(build(folder, workload, NULL, &error));
    if (!strstr(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

static void test_a_trace_is_a_file_beside_the_workload(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("acesim-reader-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "x.txt", NULL);
    g_autofree char *one = NULL, *other = NULL;
    OpGraph *graph;

    (void)state;
    write_file(folder, "DATA 1\na -1 2 NONE 0 2 NONE 0 2 NONE 0 1\n", -1);
    fails(folder, "file: x.txt", "x.txt:1:6: policy 'DATA' has no keys");
    write_file(folder, "DATA\n1\na -1 2 NONE 0 2 NONE 0 2 NONE 0 1\n", -1);
    graph = build(folder, "file: x.txt", &one, NULL);
    assert_int_equal(graph->ops->len, 2);
    op_graph_free(graph);
    write_file(folder, "DATA\n1\na -1 2 NONE 0 2 NONE 0 3 NONE 0 1\n", -1);
    graph = build(folder, "file: x.txt, format: astra-text", &other, NULL);
    assert_int_equal(graph->ops->len, 2);
    op_graph_free(graph);
    assert_string_not_equal(one, other);

    fails(folder, "file: y.txt", "t.yaml:1:41: file: ");
    write_file(folder, "DATA\0", 5);
    fails(folder, "file: x.txt", "has NULs, and is no text");
    fails(folder, "file: .", "it is a directory");
    g_unlink(path);
    g_rmdir(folder);
}

/* Each names the file beside it. */
static void test_every_trace_file_builds(void **state)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *folder =
        g_build_filename(root ? root : ".", "configs", "traces", NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *file;
    guint n = 0;

    (void)state;
    while ((file = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, "run.yaml", NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_is_the_data_parallel_loop),
        cmocka_unit_test(test_model_waits_for_collectives_between_layers),
        cmocka_unit_test(test_one_of_anything_is_nothing),
        cmocka_unit_test(test_lines_and_blanks_are_as_they_come),
        cmocka_unit_test(test_what_is_wrong_stands_where_it_is),
        cmocka_unit_test(test_no_text_does_harm),
        cmocka_unit_test(test_times_without_shapes_need_measured),
        cmocka_unit_test(test_a_trace_is_a_file_beside_the_workload),
        cmocka_unit_test(test_every_trace_file_builds),
    };

    return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
