/*
 * test_workload.c - tests of workloads/workload.c, graph.c and all files of
 * configs/workloads
 *
 * Totals are compared with published ones, and the invariants of graphs are
 * checked for all files and
 * settings. */
#include "tests/workloads/workload_fixture.h"

static char *workload_folder(void)
{
    const char *root = g_getenv("SRCDIR");

    return g_build_filename(root ? root : ".", "configs", "workloads", NULL);
}

/* Reads configs/workloads/@file.  The returned document owns the data in
 * *@ret. */
static ConfigDoc *load_workload_file(const char *file, const char *training,
                                     WorkloadRoot *ret)
{
    g_autofree char *dir = workload_folder();
    g_autofree char *name = g_build_filename(dir, "test", NULL);
    g_autofree char *text =
        g_strdup_printf("workload: %s\ntraining: { %s }\n", file, training);
    g_autoptr(ConfigDoc) doc = NULL;
    GError *error = NULL;

    doc = config_doc_parse(name, text, strlen(text), &error);
    assert_no_error(error);
    if (!config_doc_read(doc, workload_root_fields, ret, &error))
        fail_msg("%s", error->message);
    return g_steal_pointer(&doc);
}

static OpGraph *build_graph_of_workload_file(const char *file,
                                             const char *training)
{
    WorkloadRoot root;
    g_autoptr(ConfigDoc) doc = load_workload_file(file, training, &root);
    GError *error = NULL;
    OpGraph *graph =
        workload_build(&root.workload, &root.training, NULL, &error);

    assert_no_error(error);
    assert_non_null(doc);
    return graph;
}

typedef struct {
    uint64_t flop, measured_ps;
    guint n_ops;
} PassTotal;

static PassTotal total_of_training_pass(const OpGraph *graph, OpPass pass)
{
    PassTotal total = { 0 };

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COMPUTE || op->pass != pass)
            continue;
        total.flop += op->work->flop;
        total.measured_ps += op->work->measured_ps;
        total.n_ops++;
    }
    return total;
}

static uint64_t total_payload_of_kind(const OpGraph *graph, CollKind kind,
                                      guint *ret_n)
{
    uint64_t n_bytes = 0;

    *ret_n = 0;
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE || op->kind != kind)
            continue;
        n_bytes += op->payload_bytes;
        ++*ret_n;
    }
    return n_bytes;
}

static void assert_all_reduced_bytes(const char *file, const char *training,
                                     guint n_collectives, uint64_t n_bytes)
{
    g_autoptr(OpGraph) graph = build_graph_of_workload_file(file, training);
    guint n;

    assert_int_equal(total_payload_of_kind(graph, COLL_ALL_REDUCE, &n),
                     n_bytes);
    assert_int_equal(n, n_collectives);
}

static void test_resnet50_reduces_51005824_bytes(void **state)
{
    (void)state;
    assert_all_reduced_bytes("resnet50.yaml", "", 54, 51005824);
    assert_all_reduced_bytes("resnet50.yaml", "overlap: false", 1, 51005824);
    assert_all_reduced_bytes("resnet50.yaml", "gradient: fp32", 54, 102011648);
    assert_all_reduced_bytes("resnet50.yaml", "gradient: fp32, overlap: false",
                             1, 102011648);
    assert_all_reduced_bytes("resnet50.yaml", "precision: fp32", 54, 51005824);
}

static void test_resnet50_has_4089184256_multiply_adds_an_image(void **state)
{
    g_autoptr(OpGraph) graph =
        build_graph_of_workload_file("resnet50.yaml", "elementwise: false");

    (void)state;
    assert_int_equal(graph->layers->len, 54);
    for (OpPass pass = OP_FORWARD; pass < OP_UPDATE; pass++) {
        PassTotal total = total_of_training_pass(graph, pass);

        assert_int_equal(total.flop, UINT64_C(4089184256) * 2 * 32);
        assert_int_equal(total.n_ops, 54);
    }
}

/* Published numbers of weights, less the normalisation weights, which these
 * files leave out.  ResNets have 2 of them per channel, so that the published
 * numbers are 11,689,512, 25,557,032, 44,549,160 and 60,192,808; Inception v3
 * has 1 per channel and 23,817,352 weights.  VGG-16 and AlexNet have no
 * normalisation. */
static void test_networks_have_the_published_weights_and_work(void **state)
{
    static const struct {
        const char *file;
        uint64_t batch, n_weights, n_multiply_adds;
    } networks[] = {
        { "resnet50-v1.yaml", 64, 25557032 - 53120, UINT64_C(3857973248) },
        { "resnet-18.yaml", 64, 11689512 - 9600, UINT64_C(1814073344) },
        { "resnet-101.yaml", 64, 44549160 - 105344, UINT64_C(7801405440) },
        { "resnet-152.yaml", 64, 60192808 - 151424, UINT64_C(11513626624) },
        { "vgg-16.yaml", 64, 138357544, UINT64_C(15470264320) },
        { "alexnet.yaml", 512, 61100840, 714188480 },
        { "inception-v3.yaml", 64, 23817352 - 17216, UINT64_C(5713216096) },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(networks); i++) {
        g_autoptr(OpGraph) graph =
            build_graph_of_workload_file(networks[i].file, "");

        assert_int_equal(graph->n_weights, networks[i].n_weights);
        assert_int_equal(total_of_training_pass(graph, OP_FORWARD).flop,
                         2 * networks[i].batch * networks[i].n_multiply_adds);
    }
}

/* Files that list the sizes of all tensors.  The totals of NASNet (88,753,150)
 * and of the LSTM (66 million) are published ones; GoogLeNet's sizes are from a
 * training log. */
static void test_counted_networks_have_the_published_weights(void **state)
{
    static const struct {
        const char *file;
        uint64_t n_weights;
    } networks[] = {
        { "resnet-50-tensors.yaml", 25557032 },
        { "resnet-50-keras.yaml", 25583592 },
        { "resnet-101-tensors.yaml", 44549160 },
        { "resnet-152-tensors.yaml", 60192808 },
        { "vgg-16-tensors.yaml", 138357544 },
        { "alexnet-tensors.yaml", 61100840 },
        { "inception-v3-tensors.yaml", 23817352 },
        { "inception-v4.yaml", 42679816 },
        { "densenet-161.yaml", 28681000 },
        { "densenet-201.yaml", 20013928 },
        { "googlenet.yaml", 13378280 },
        { "mobilenet.yaml", 4231976 },
        { "nasnet-large.yaml", 88753150 },
        { "bert-base-s64.yaml", 110111042 },
        { "bert-base-s128.yaml", 110111042 },
        { "bert-large-s64.yaml", 336232258 },
        { "lstm-ptb.yaml", 66010000 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(networks); i++) {
        g_autoptr(OpGraph) graph =
            build_graph_of_workload_file(networks[i].file, "");

        assert_int_equal(graph->n_weights, networks[i].n_weights);
    }
}

static void
test_resnet50_stages_reduce_the_bytes_of_the_public_trace(void **state)
{
    static const struct {
        const char *prefix;
        uint64_t n_bytes; /* The bytes of the gradients of the stage in FP32. */
    } stages[] = {
        { "conv1", 37632 },    { "res2.", 851968 },   { "res3.", 4849664 },
        { "res4.", 28311552 }, { "res5.", 59768832 }, { "fc1000", 8192000 },
    };
    g_autoptr(OpGraph) graph =
        build_graph_of_workload_file("resnet50.yaml", "gradient: fp32");

    (void)state;
    for (gsize s = 0; s < G_N_ELEMENTS(stages); s++) {
        uint64_t n_bytes = 0;

        for (uint32_t i = 0; i < graph->ops->len; i++) {
            const Op *op = op_graph_op(graph, i);
            const char *layer = g_ptr_array_index(graph->layers, op->layer);

            if (g_str_has_prefix(layer, stages[s].prefix))
                n_bytes += op->payload_bytes;
        }
        assert_int_equal(n_bytes, stages[s].n_bytes);
    }
}

static void test_resnet50_is_calibrated_only_if_configured(void **state)
{
    g_autoptr(OpGraph) roofline =
        build_graph_of_workload_file("resnet50.yaml", "");
    g_autoptr(OpGraph) isca21 =
        build_graph_of_workload_file("resnet50.yaml", "compute: measured");

    (void)state;
    for (int pass = 0; pass < OP_N_PASSES; pass++)
        assert_int_equal(roofline->calibrated_ps[pass], 0);
    assert_int_equal(isca21->calibrated_ps[OP_FORWARD], 380038000);
    assert_int_equal(isca21->calibrated_ps[OP_INPUT_GRADIENT], 377463000);
    assert_int_equal(isca21->calibrated_ps[OP_WEIGHT_GRADIENT], 337813000);
    assert_int_equal(isca21->calibrated_ps[OP_UPDATE], 0);
}

static void test_dlrm_reduces_and_exchanges_the_public_sizes(void **state)
{
    g_autoptr(OpGraph) graph = build_graph_of_workload_file("dlrm.yaml", "");
    g_autoptr(OpGraph) optimised =
        build_graph_of_workload_file("dlrm.yaml", "optimised: true");
    guint n;

    (void)state;
    assert_all_reduced_bytes("dlrm.yaml", "", 19, 114823168);
    assert_all_reduced_bytes("dlrm.yaml", "overlap: false", 1, 114823168);
    assert_all_reduced_bytes("dlrm.yaml", "gradient: fp32", 19, 229646336);
    assert_int_equal(total_payload_of_kind(graph, COLL_ALL_TO_ALL, &n),
                     2 * 4194304);
    assert_int_equal(n, 2);
    assert_int_equal(total_payload_of_kind(optimised, COLL_ALL_TO_ALL, &n),
                     2 * 4194304);
    assert_int_equal(n, 2);
}

static void test_dlrm_takes_the_public_times(void **state)
{
    g_autoptr(OpGraph) graph =
        build_graph_of_workload_file("dlrm.yaml", "compute: measured");

    (void)state;
    assert_int_equal(total_of_training_pass(graph, OP_FORWARD).measured_ps,
                     1399259000);
    assert_int_equal(
        total_of_training_pass(graph, OP_INPUT_GRADIENT).measured_ps,
        979828000);
    assert_int_equal(
        total_of_training_pass(graph, OP_WEIGHT_GRADIENT).measured_ps +
            total_of_training_pass(graph, OP_UPDATE).measured_ps,
        979838000);
}

static void test_optimised_dlrm_does_the_same_work(void **state)
{
    g_autoptr(OpGraph) graph = build_graph_of_workload_file("dlrm.yaml", "");
    g_autoptr(OpGraph) optimised =
        build_graph_of_workload_file("dlrm.yaml", "optimised: true");

    (void)state;
    for (OpPass pass = OP_FORWARD; pass < OP_N_PASSES; pass++) {
        assert_int_equal(total_of_training_pass(graph, pass).flop,
                         total_of_training_pass(optimised, pass).flop);
        assert_int_equal(total_of_training_pass(graph, pass).n_ops,
                         total_of_training_pass(optimised, pass).n_ops);
    }
}

static void test_gnmt_reduces_487587840_bytes(void **state)
{
    (void)state;
    /* 19 tensors: embedding, 16 LSTM layers, attention, classifier.  The
     * decoder's lookups share the gradient of the encoder's embedding. */
    assert_all_reduced_bytes("gnmt.yaml", "", 19, 487587840);
    assert_all_reduced_bytes("gnmt.yaml", "overlap: false", 1, 487587840);
    assert_all_reduced_bytes("gnmt.yaml", "gradient: fp32", 19, 975175680);
}

/* Checks the invariants that simulation relies on, for any workload. */
static void check_graph_dependencies(const OpGraph *graph)
{
    op_graph_check(graph);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COLLECTIVE)
            assert_true(op->payload_bytes > 0);
        else
            assert_true(op->work->flop > 0 || op->work->bytes > 0);
        for (uint32_t d = 0; d < op->n_deps; d++)
            assert_true(op->deps[d].n_iterations_back == 1 ||
                        op->deps[d].op < i);
    }
}

static void test_every_workload_file_builds_in_every_setting(void **state)
{
    static const char *const settings[] = {
        "overlap: true",     "overlap: false",     "optimised: true",
        "compute: measured", "elementwise: false", "precision: bf16",
        "fused: false",
    };
    g_autofree char *path = workload_folder();
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *file;
    guint n_files = 0;

    (void)state;
    assert_non_null(dir);
    while ((file = g_dir_read_name(dir))) {
        if (!g_str_has_suffix(file, ".yaml"))
            continue;
        n_files++;
        for (gsize i = 0; i < G_N_ELEMENTS(settings); i++) {
            g_autoptr(OpGraph) graph =
                build_graph_of_workload_file(file, settings[i]);

            check_graph_dependencies(graph);
        }
    }
    assert_true(n_files >= 13);
}

static void test_training_defaults_are_those_of_the_paper(void **state)
{
    WorkloadRoot root;
    g_autoptr(ConfigDoc) doc = load_workload_file("resnet50.yaml", "", &root);

    (void)state;
    assert_non_null(doc);
    assert_string_equal(workload_name(&root.workload), "resnet-50");
    assert_int_equal(root.training.n_iterations, 2);
    assert_true(root.training.drain);
    assert_true(root.training.overlap);
    assert_false(root.training.optimised);
    assert_true(root.training.elementwise);
    assert_true(root.training.fused);
    assert_int_equal(root.training.compute, COMPUTE_ROOFLINE);
    assert_int_equal(root.training.precision, PRECISION_FP16);
    assert_int_equal(root.training.gradient, PRECISION_FP16);
    assert_int_equal(precision_bytes(PRECISION_BF16), 2);
    assert_int_equal(precision_bytes(PRECISION_FP32), 4);
}

static void test_every_loop_has_a_summary_and_a_builder(void **state)
{
    (void)state;
    for (const ConfigKind *const *k = workload_registry.kinds; *k; k++) {
        assert_non_null((*k)->summary);
        assert_true((*k)->size >= sizeof(WorkloadCommon));
        assert_non_null(((const LoopOps *)*k)->build);
        for (const ConfigKind *const *l = workload_registry.kinds; l < k; l++)
            assert_string_not_equal((*l)->name, (*k)->name);
    }
}

static void test_a_graph_keeps_its_operations_and_dependencies(void **state)
{
    g_autoptr(OpGraph) graph = op_graph_new();
    uint32_t layer = op_graph_add_layer(graph, "a");
    uint32_t first =
        op_graph_add_compute(graph, layer, OP_UPDATE, OP_STREAM_SIDE,
                             &(OpWork){ .flop = 1, .bytes = 2 });
    uint32_t second = op_graph_add_collective(graph, layer, OP_FORWARD,
                                              COLL_ALL_GATHER, 3, 4);

    (void)state;
    op_graph_add_dep(graph, second, first, 0);
    op_graph_add_dep(graph, first, second, 1);
    op_graph_check(graph);
    assert_string_equal(g_ptr_array_index(graph->layers, layer), "a");
    assert_int_equal(op_graph_op(graph, first)->work->bytes, 2);
    assert_int_equal(op_graph_op(graph, first)->stream, OP_STREAM_SIDE);
    assert_int_equal(op_graph_op(graph, first)->deps[0].op, second);
    assert_int_equal(op_graph_op(graph, first)->deps[0].n_iterations_back, 1);
    assert_int_equal(op_graph_op(graph, second)->kind, COLL_ALL_GATHER);
    assert_int_equal(op_graph_op(graph, second)->payload_bytes, 3);
    assert_int_equal(op_graph_op(graph, second)->priority, 4);
    assert_int_equal(op_graph_op(graph, second)->n_deps, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resnet50_reduces_51005824_bytes),
        cmocka_unit_test(test_resnet50_has_4089184256_multiply_adds_an_image),
        cmocka_unit_test(test_networks_have_the_published_weights_and_work),
        cmocka_unit_test(test_counted_networks_have_the_published_weights),
        cmocka_unit_test(
            test_resnet50_stages_reduce_the_bytes_of_the_public_trace),
        cmocka_unit_test(test_resnet50_is_calibrated_only_if_configured),
        cmocka_unit_test(test_dlrm_reduces_and_exchanges_the_public_sizes),
        cmocka_unit_test(test_dlrm_takes_the_public_times),
        cmocka_unit_test(test_optimised_dlrm_does_the_same_work),
        cmocka_unit_test(test_gnmt_reduces_487587840_bytes),
        cmocka_unit_test(test_every_workload_file_builds_in_every_setting),
        cmocka_unit_test(test_training_defaults_are_those_of_the_paper),
        cmocka_unit_test(test_every_loop_has_a_summary_and_a_builder),
        cmocka_unit_test(test_a_graph_keeps_its_operations_and_dependencies),
    };

    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
