/*
 * test_exchange_sums.c - every exchange sends every gradient exactly once
 *
 * For each network of configs/workloads the payloads add up to its gradients.
 * Each message waits for a kernel, and a kernel waits for it.
 */
#include "tests/workloads/workload_fixture.h"

#include "workloads/exchange/exchange.h"

static char *workload_folder(void)
{
    const char *root = g_getenv("SRCDIR");

    return g_build_filename(root ? root : ".", "configs", "workloads", NULL);
}

/* Returns the settings that @exchange needs. */
static const char *training_with_exchange(const char *exchange)
{
    return g_str_equal(exchange, "parameter-server") ? ", servers: {list: [1]}"
                                                     : "";
}

/* Returns whether all collectives of @loop come from gradients.  Jobs are
 * excluded: they have gradients if one of them has, and other collectives
 * too. */
static gboolean has_gradients(const ConfigKind *loop)
{
    return ((const LoopOps *)loop)->has_gradients &&
           !g_str_equal(loop->name, "jobs");
}

/* Returns the graph.  NULL: the workload has no gradients, or has other
 * collectives, in which servers have no part. */
static OpGraph *build_operation_graph(const char *file, const char *exchange)
{
    g_autofree char *dir = workload_folder();
    g_autofree char *name = g_build_filename(dir, "test", NULL);
    g_autofree char *text = g_strdup_printf(
        "workload: %s\n"
        "training: { compute: measured, synchronise: step,\n"
        "            gradient: fp32, exchange: {kind: %s%s} }\n",
        file, exchange, training_with_exchange(exchange));
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, text, strlen(text), &error);
    WorkloadRoot root;
    OpGraph *graph = NULL;

    assert_no_error(error);
    if (!config_doc_read(doc, workload_root_fields, &root, &error))
        fail_msg("%s", error->message);
    if (has_gradients(root.workload.kind)) {
        graph = workload_build(&root.workload, &root.training, NULL, &error);
        if (error && strstr(error->message, "servers have no part"))
            g_clear_error(&error);
        assert_no_error(error);
    }
    return graph;
}

static uint64_t sum_of_payload_bytes(const OpGraph *graph)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COLLECTIVE && !op->is_buffer &&
            coll_contract(op->kind)->adds) {
            assert_true(op->n_deps > 0);
            sum += op->payload_bytes;
        }
    }
    return sum;
}

/* Returns whether @kind needs no key but its name. */
static gboolean exchange_has_defaults(const ConfigKind *kind)
{
    for (const ConfigField *field = kind->fields; field->key; field++)
        if (!field->fallback)
            return FALSE;
    return TRUE;
}

static void check_exchanges_of_file(const char *file)
{
    for (const ConfigKind *const *k = exchange_registry.kinds; *k; k++) {
        g_autoptr(OpGraph) graph = exchange_has_defaults(*k)
                                       ? build_operation_graph(file, (*k)->name)
                                       : NULL;

        if (!graph)
            continue;
        if (sum_of_payload_bytes(graph) != 4 * graph->n_weights)
            fail_msg("%s: %s sends %" G_GUINT64_FORMAT
                     " B of %" G_GUINT64_FORMAT " values",
                     file, (*k)->name, sum_of_payload_bytes(graph),
                     graph->n_weights);
    }
}

static void test_every_exchange_sends_every_gradient_once(void **state)
{
    g_autofree char *path = workload_folder();
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *file;

    (void)state;
    assert_non_null(dir);
    while ((file = g_dir_read_name(dir)))
        check_exchanges_of_file(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_exchange_sends_every_gradient_once),
    };

    return cmocka_run_group_tests_name("exchange sums", tests, NULL, NULL);
}
