/*
 * test_graph_digests.c - the graphs of all shipped workloads, operation by
 * operation
 *
 * tests/golden/graphs.txt has a line for each file of configs/workloads and for
 * each setting of training: the number of operations and a checksum of their
 * fields in table order.  The order is a tie-break of the simulation, so it
 * must not change unnoticed.  Run with ACESIM_UPDATE=1 to rewrite the file.
 */
#include "tests/workloads/workload_fixture.h"

static const char *const settings[] = {
    "",
    "overlap: false",
    "optimised: true",
    "micro_batches: 3",
    "micro_batches: 2, recompute: true",
    "optimiser: adam, synchronise: step",
    "exchange: {kind: single}",
    "exchange: {kind: tensor}",
    "exchange: {kind: merged}",
    "exchange: {kind: fusion}",
    "exchange: {kind: partition}",
    "exchange: {kind: parameter-server, servers: {size: 4, at: 3}}",
};

static char *source_path(const char *name)
{
    const char *root = g_getenv("SRCDIR");

    return g_build_filename(root ? root : ".", name, NULL);
}

static void append_roles_of_program(GString *text, const RoleSet *roles)
{
    for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
         r = role_set_next(roles, r))
        g_string_append_printf(text, " %u", r);
}

static void append_recorded_times(GString *text, const uint64_t *times_ps,
                                  uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, " %" G_GUINT64_FORMAT, times_ps[i]);
}

/* Appends all fields of an operation that a run depends on. */
static void append_op(GString *text, const OpGraph *graph, const Op *op)
{
    const OpWork *work = op->work;

    g_string_append_printf(
        text, "%d %s %s roles", op->type, op_pass_names[op->pass],
        (const char *)g_ptr_array_index(graph->layers, op->layer));
    append_roles_of_program(text, op->roles);
    g_string_append_printf(
        text,
        "; stage %d %u %" G_GUINT64_FORMAT " %d; kernel %d %" G_GUINT64_FORMAT
        " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
        " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %d; product"
        " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
        " %" G_GUINT64_FORMAT "; collective %d %" G_GUINT64_FORMAT
        " %u %u %u %d %d %u %u %d %u;",
        op->stage, op->queue, op->duration_ps, op->is_recorded, op->stream,
        work->flop, work->bytes, work->written_bytes, work->measured_ps,
        work->n_kernels, work->in_flight_bytes, work->precision,
        work->product.m, work->product.n, work->product.k,
        work->product.n_products, op->kind, op->payload_bytes, op->priority,
        op->group, op->lane, op->is_buffer, op->is_packed, op->from, op->to,
        op->is_star, op->n_weights);
    append_roles_of_program(text, op->sender_roles);
    append_recorded_times(text, op->times_ps, op->n_times);
    append_recorded_times(text, op->gaps_ps, op->n_gaps);
    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        g_string_append_printf(text, "; after %u@%u", dep->op,
                               dep->n_iterations_back);
        append_roles_of_program(text, dep->roles);
    }
    g_string_append_c(text, '\n');
}

/* Appends the line of the workload @file under @training.  A setting that the
 * workload does not have gives the line "refused". */
static void append_line(GString *out, const char *file, const char *training)
{
    g_autofree char *dir = source_path("configs/workloads/test");
    g_autofree char *yaml =
        g_strdup_printf("workload: %s\ntraining: { %s }\n", file, training);
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(OpGraph) graph = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(dir, yaml, strlen(yaml), &error);
    g_autofree char *sum = NULL;
    WorkloadRoot root;

    assert_no_error(error);
    g_string_append_printf(out, "%s {%s}: ", file, training);
    if (config_doc_read(doc, workload_root_fields, &root, &error))
        graph = workload_build(&root.workload, &root.training,
                               &(WorkloadSite){ .n_npus = 16 }, &error);
    if (!graph) {
        g_string_append(out, "refused\n");
        return;
    }
    for (uint32_t i = 0; i < graph->ops->len; i++)
        append_op(text, graph, op_graph_op(graph, i));
    sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
    g_string_append_printf(out, "%u operations, %.16s\n", graph->ops->len, sum);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *graph_as_text_lines(void)
{
    g_autofree char *dir = source_path("configs/workloads");
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    GDir *folder = g_dir_open(dir, 0, NULL);
    GString *out = g_string_new(NULL);
    const char *name;

    assert_non_null(folder);
    while ((name = g_dir_read_name(folder)))
        if (g_str_has_suffix(name, ".yaml"))
            g_ptr_array_add(files, g_strdup(name));
    g_dir_close(folder);
    g_ptr_array_sort(files, compare_names);
    for (guint f = 0; f < files->len; f++)
        for (gsize s = 0; s < G_N_ELEMENTS(settings); s++)
            append_line(out, g_ptr_array_index(files, f), settings[s]);
    return g_string_free(out, FALSE);
}

static void test_graphs_of_shipped_workloads_have_not_changed(void **state)
{
    g_autofree char *path = source_path("tests/golden/graphs.txt");
    g_autofree char *expected = NULL;
    g_autofree char *now = graph_as_text_lines();
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) old = NULL, new = NULL;

    (void)state;
    if (g_getenv("ACESIM_UPDATE")) {
        assert_true(g_file_set_contents(path, now, -1, NULL));
        return;
    }
    assert_true(g_file_get_contents(path, &expected, NULL, &error));
    old = g_strsplit(expected, "\n", -1);
    new = g_strsplit(now, "\n", -1);
    for (guint i = 0; old[i] && new[i]; i++)
        assert_string_equal(new[i], old[i]);
    assert_string_equal(now, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs_of_shipped_workloads_have_not_changed),
    };

    return cmocka_run_group_tests_name("graph digests", tests, NULL, NULL);
}
