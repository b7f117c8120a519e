/* test_optimiser.c - tests of workloads/optimiser.c: bytes against the table in
 * its header */
#include "tests/workloads/workload_fixture.h"

#include "workloads/optimiser.h"

enum { SGD = 2, MOMENTUM, ADAM, LAMB };

static void assert_optimiser_step(int optimiser, uint64_t weight_bytes,
                                  uint64_t gradient_bytes,
                                  gboolean master_copies, uint64_t first_bytes,
                                  uint64_t second_bytes)
{
    const OptimiserStep step = { .n_weights = 10,
                                 .weight_bytes = weight_bytes,
                                 .gradient_bytes = gradient_bytes,
                                 .master_copies = master_copies };
    OpWork works[OPTIMISER_MAX_WORKS];

    optimiser_list_kernels(optimiser, &step, works);
    assert_int_equal(works[0].bytes, 10 * first_bytes);
    assert_int_equal(works[1].bytes, 10 * second_bytes);
    assert_true(works[0].flop > 0);
    assert_int_equal(works[1].flop > 0, second_bytes > 0);
}

static void test_optimiser_names_are_in_the_order_of_the_table(void **state)
{
    (void)state;
    assert_string_equal(optimiser_names[OPTIMISER_AUTO], "auto");
    assert_string_equal(optimiser_names[OPTIMISER_NONE], "none");
    assert_string_equal(optimiser_names[SGD], "sgd");
    assert_string_equal(optimiser_names[MOMENTUM], "momentum");
    assert_string_equal(optimiser_names[ADAM], "adam");
    assert_string_equal(optimiser_names[LAMB], "lamb");
    assert_null(optimiser_names[LAMB + 1]);
}

/* Bytes per weight: gradient read, master weight read and written, weight
 * written, then optimiser states. */
static void test_mixed_precision_moves_master_copies_and_weights(void **state)
{
    (void)state;
    assert_optimiser_step(SGD, 2, 2, TRUE, 2 + 4 + 4 + 2, 0);
    assert_optimiser_step(MOMENTUM, 2, 2, TRUE, 2 + 4 + 4 + 2 + 8, 0);
    assert_optimiser_step(ADAM, 2, 2, TRUE, 2 + 4 + 4 + 2 + 16, 0);
    assert_optimiser_step(LAMB, 2, 2, TRUE, 2 + 4 + 16 + 4, 4 + 4 + 4 + 2);
}

/* Written bytes: master weight, weight and states.  LAMB's first kernel writes
 * its states and the update, the second one the weights. */
static void test_written_bytes_are_master_weight_weight_and_states(void **state)
{
    const OptimiserStep step = { .n_weights = 10,
                                 .weight_bytes = 2,
                                 .gradient_bytes = 2,
                                 .master_copies = TRUE };
    OpWork works[OPTIMISER_MAX_WORKS];

    (void)state;
    optimiser_list_kernels(MOMENTUM, &step, works);
    assert_int_equal(works[0].written_bytes, 10 * (4 + 2 + 4));
    optimiser_list_kernels(LAMB, &step, works);
    assert_int_equal(works[0].written_bytes, 10 * (8 + 4));
    assert_int_equal(works[1].written_bytes, 10 * (4 + 2));
}

/* An FP32 value for each state, and one for the master copy of 16 bits. */
static void test_kept_bytes_are_states_and_the_master_copy(void **state)
{
    static const uint64_t n_states[] = {
        [SGD] = 0, [MOMENTUM] = 1, [ADAM] = 2, [LAMB] = 2
    };

    (void)state;
    assert_int_equal(optimiser_state_bytes(OPTIMISER_NONE, 2, TRUE), 0);
    for (int o = SGD; o <= LAMB; o++) {
        assert_int_equal(optimiser_state_bytes(o, 2, TRUE),
                         4 * n_states[o] + 4);
        assert_int_equal(optimiser_state_bytes(o, 2, FALSE), 4 * n_states[o]);
        assert_int_equal(optimiser_state_bytes(o, 4, TRUE), 4 * n_states[o]);
    }
}

static void
test_without_master_copies_a_weight_is_read_and_written(void **state)
{
    (void)state;
    assert_optimiser_step(MOMENTUM, 2, 2, FALSE, 2 + 2 + 2 + 8, 0);
    assert_optimiser_step(MOMENTUM, 4, 4, TRUE, 4 + 4 + 4 + 8, 0);
    assert_optimiser_step(SGD, 2, 4, FALSE, 4 + 2 + 2, 0);
    assert_optimiser_step(LAMB, 4, 4, TRUE, 4 + 4 + 16 + 4, 4 + 4 + 4);
}

static void test_the_bytes_of_many_weights_saturate(void **state)
{
    const OptimiserStep step = { .n_weights = UINT64_C(1) << 62,
                                 .weight_bytes = 2,
                                 .gradient_bytes = 2 };
    OpWork works[OPTIMISER_MAX_WORKS];

    (void)state;
    optimiser_list_kernels(ADAM, &step, works);
    assert_int_equal(works[0].bytes, UINT64_C(1) << 63);
}

/* ---- optimiser steps in a workload --------------------------------------- */

static OpGraph *build_operation_graph(const char *file, const char *training)
{
    const char *source = g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".";
    g_autofree char *text =
        g_strdup_printf("workload: %s/configs/workloads/%s\n"
                        "training: { %s }\n",
                        source, file, training);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), &error);
    WorkloadRoot root;
    OpGraph *graph;

    assert_no_error(error);
    assert_true(config_doc_read(doc, workload_root_fields, &root, &error) ||
                error);
    assert_no_error(error);
    graph = workload_build(&root.workload, &root.training, NULL, &error);
    assert_no_error(error);
    return graph;
}

static void assert_optimiser_kernels(const char *file, const char *training,
                                     const char *name, uint64_t bytes)
{
    g_autoptr(OpGraph) graph = build_operation_graph(file, training);

    assert_string_equal(graph->optimiser, name);
    assert_int_equal(graph->optimiser_bytes, bytes);
}

/* ResNet-50 has 25,502,912 weights; momentum moves 20 B for each, 510 MB, which
 * takes 0.567 ms at 900 GB/s. */
static void test_workload_files_name_their_optimiser(void **state)
{
    (void)state;
    assert_optimiser_kernels("resnet50.yaml", "", "momentum", 510058240);
    assert_optimiser_kernels("resnet50.yaml", "gradient: fp32", "momentum",
                             561064064);
    assert_optimiser_kernels("resnet50.yaml", "master_copies: false",
                             "momentum", 357040768);
    assert_optimiser_kernels("resnet50.yaml", "optimiser: lamb", "lamb",
                             1020116480);
    assert_optimiser_kernels("gnmt.yaml", "", "adam", UINT64_C(6826229760));
    assert_optimiser_kernels("dlrm.yaml", "", "sgd", 688939008);
}

static void
test_measured_workloads_have_an_optimiser_only_if_configured(void **state)
{
    g_autoptr(OpGraph) none =
        build_operation_graph("resnet50.yaml", "compute: measured");
    g_autoptr(OpGraph) off =
        build_operation_graph("resnet50.yaml", "optimiser: none");

    (void)state;
    assert_null(none->optimiser);
    assert_null(off->optimiser);
    assert_int_equal(none->n_weights, 25502912);
    assert_optimiser_kernels(
        "resnet50.yaml", "compute: measured, optimiser: sgd", "sgd", 306034944);
}

/* Returns TRUE if the only dependency of @op is the all-reduce of its layer in
 * the previous iteration. */
static gboolean operation_waits_for_gradient(const OpGraph *graph, const Op *op)
{
    return op->n_deps == 1 && op->deps[0].n_iterations_back == 1 &&
           op_graph_op(graph, op->deps[0].op)->kind == COLL_ALL_REDUCE &&
           op_graph_op(graph, op->deps[0].op)->layer == op->layer;
}

/* LAMB has two kernels per layer.  The first one waits for the layer's
 * gradient. */
static void test_the_step_of_a_layer_precedes_its_forward_pass(void **state)
{
    g_autoptr(OpGraph) graph =
        build_operation_graph("resnet50.yaml", "optimiser: lamb");
    guint n_steps = 0;

    (void)state;
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->pass != OP_UPDATE || !operation_waits_for_gradient(graph, op))
            continue;
        n_steps++;
        assert_int_equal(op[1].pass, OP_UPDATE);
        assert_int_equal(op[1].n_deps, 0);
        assert_int_equal(op[2].pass, OP_FORWARD);
        assert_int_equal(op[2].n_deps, 0);
        assert_int_equal(op[2].layer, op->layer);
    }
    assert_int_equal(n_steps, 54);
}

static void test_without_overlap_the_first_step_waits_for_all(void **state)
{
    g_autoptr(OpGraph) graph =
        build_operation_graph("resnet50.yaml", "overlap: false");
    const Op *first = op_graph_op(graph, 0);

    (void)state;
    assert_int_equal(first->pass, OP_UPDATE);
    assert_int_equal(first->n_deps, 1);
    assert_int_equal(first->deps[0].op, graph->ops->len - 1);
    assert_int_equal(first->deps[0].n_iterations_back, 1);
    for (guint i = 1; i < graph->ops->len - 1; i++)
        assert_int_equal(op_graph_op(graph, i)->n_deps, 0);
}

/* Only the forward pass after the interaction and the step of the embedding
 * tables wait for an all-to-all.  The step waits for the gradients that the
 * all-to-all returns. */
static void
test_only_two_kernels_of_dlrm_wait_for_exchanged_vectors(void **state)
{
    g_autoptr(OpGraph) graph = build_operation_graph("dlrm.yaml", "");
    guint n_waiting = 0;

    (void)state;
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        for (guint d = 0; d < op->n_deps && op->type == OP_COMPUTE; d++) {
            if (op_graph_op(graph, op->deps[d].op)->kind != COLL_ALL_TO_ALL)
                continue;
            n_waiting++;
            assert_true(op->pass == OP_FORWARD || op->layer == 0);
        }
    }
    assert_int_equal(n_waiting, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimiser_names_are_in_the_order_of_the_table),
        cmocka_unit_test(test_mixed_precision_moves_master_copies_and_weights),
        cmocka_unit_test(
            test_written_bytes_are_master_weight_weight_and_states),
        cmocka_unit_test(test_kept_bytes_are_states_and_the_master_copy),
        cmocka_unit_test(
            test_without_master_copies_a_weight_is_read_and_written),
        cmocka_unit_test(test_the_bytes_of_many_weights_saturate),
        cmocka_unit_test(test_workload_files_name_their_optimiser),
        cmocka_unit_test(
            test_measured_workloads_have_an_optimiser_only_if_configured),
        cmocka_unit_test(test_the_step_of_a_layer_precedes_its_forward_pass),
        cmocka_unit_test(test_without_overlap_the_first_step_waits_for_all),
        cmocka_unit_test(
            test_only_two_kernels_of_dlrm_wait_for_exchanged_vectors),
    };

    return cmocka_run_group_tests_name("optimiser", tests, NULL, NULL);
}
