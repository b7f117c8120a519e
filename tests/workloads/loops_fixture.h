/* loops_fixture.h - builds small workloads and prints their dependencies */
#ifndef TESTS_WORKLOADS_LOOPS_FIXTURE_H
#define TESTS_WORKLOADS_LOOPS_FIXTURE_H

#include "tests/workloads/workload_fixture.h"

/* Builds the graph of @workload.  The optimiser is `none` unless @training
 * names one.  Returns NULL with @error set on failure. */
static inline OpGraph *build_graph_on_site(const char *workload,
                                           const char *training,
                                           const WorkloadSite *site,
                                           GError **error)
{
    const char *none =
        strstr(training, "optimiser:") ? "" : "optimiser: none, ";
    g_autofree char *text =
        g_strdup_printf("%straining: { %s%s }\n", workload, none, training);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    WorkloadRoot root;

    if (!doc || !config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    return workload_build(&root.workload, &root.training, site, error);
}

static inline OpGraph *build_operation_graph(const char *workload,
                                             const char *training,
                                             GError **error)
{
    return build_graph_on_site(workload, training, NULL, error);
}

static inline OpGraph *build_valid_graph(const char *workload,
                                         const char *training)
{
    GError *error = NULL;
    OpGraph *graph = build_operation_graph(workload, training, &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

/*
 * Returns the graph as text, which the caller frees.  Each operation is a line:
 *
 *   2 a forward < 8@1            kernel; waits for op 8 of the last iteration
 *   8 a all-reduce 30 B p4 < 7   collective with priority 4
 *   8 a all-reduce 30 B p4 < 7 lane 0
 *   0 input read 500 ps < 2@4    input stage with its duration
 */
static char *graph_text(const OpGraph *graph)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        const char *layer = g_ptr_array_index(graph->layers, op->layer);

        g_string_append_printf(text, "%u %s ", i, layer);
        if (op->type == OP_COLLECTIVE)
            g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " B p%u",
                                   coll_kind_names[op->kind], op->payload_bytes,
                                   op->priority);
        else if (op->type == OP_STAGE)
            g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " ps",
                                   op_stage_names[op->stage], op->duration_ps);
        else
            g_string_append_printf(text, "%s%s", op_pass_names[op->pass],
                                   op->stream == OP_STREAM_SIDE ? " beside"
                                                                : "");
        for (uint32_t d = 0; d < op->n_deps; d++) {
            g_string_append_printf(text, " < %u", op->deps[d].op);
            if (op->deps[d].n_iterations_back > 0)
                g_string_append_printf(text, "@%u",
                                       op->deps[d].n_iterations_back);
        }
        if (op->lane != OP_NO_LANE)
            g_string_append_printf(text, " lane %u", op->lane);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

static inline void assert_graph_text(const char *workload, const char *training,
                                     const char *expected)
{
    g_autoptr(OpGraph) graph = build_valid_graph(workload, training);
    g_autofree char *text = graph_text(graph);

    assert_string_equal(text, expected);
}

#endif
