/* test_optimise_memory.c - tests of sim/study/optimise/: memory as a limit, and
 * fusion of kernels */
#include "sim/study/load_run_file.h"
#include "tests/sim/optimise/optimise_fixture.h"

static const RankMemory *memory_of(const System *system)
{
    return &rank_memory_fullest(system_graph(system)->memory)->peak;
}

static uint64_t activation_bytes(const System *system)
{
    return memory_of(system)->bytes[MEMORY_ACTIVATIONS];
}

static void test_a_run_that_exceeds_the_memory_is_refused(void **state)
{
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "order"), 20);
    GError *error = NULL;
    guint64 needs;

    (void)state;
    {
        g_autoptr(OptimiseResult) o = run_optimise_task(&task);

        needs = o->default_trial->memory_bytes;
    }
    /* The memory holds 163,500 weights and as many gradients in 2 bytes each,
     * and 500 activations of 2 bytes. */
    assert_int_equal(needs, 163500 * 4 + 500 * 2);
    task.maker.memory_bytes = needs;
    optimise_result_free(run_optimise_task(&task));
    task.maker.memory_bytes = needs - 1;
    assert_null(optimise_run(&task, &error));
    assert_true(g_str_has_prefix(error->message, "a rank needs 655000 B"));
    g_clear_error(&error);
    g_hash_table_unref(m.results);
}

/* Micro-batches do not change the total FLOP.  Recomputation repeats the
 * forward pass, which adds a third of the time. */
static void test_micro_batches_and_recomputation_save_memory(void **state)
{
    const struct {
        const char *set;
        uint64_t activation_bytes;
        SimTime least_ps, most_ps; /* The range of the expected compute time. */
    } cases[] = {
        /* The rate is 1000 samples/s, and 500 values of 2 bytes are kept per
         * sample. */
        { "workload.batch=4", 4 * 1000, 3999999000, 4000001000 },
        { "training.micro_batches=2", 2 * 1000, 3999999000, 4000001000 },
        { "training.micro_batches=4", 1000, 3999999000, 4000001000 },
        /* Five layers of 200 bytes have segments of two. The ends of two
         * segments are kept, and the two layers of one segment. */
        { "training.recompute=true", 4 * 800, 5333330000, 5333335000 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = open_config_text(NULL, &error);
        g_autoptr(System) system = NULL;
        SystemConfig config;
        SystemResult result;

        assert_true(config_doc_set(doc, "workload.batch", "t", "4", &error));
        assert_true(load_apply_setting(doc, cases[i].set, &error));
        assert_true(config_doc_read(doc, system_fields, &config, &error));
        system = system_new(&config, (RunOptions){ 0 }, &error);
        assert_no_error(error);
        assert_true(system_run(system, &error));
        result = system_result(system);
        assert_int_equal(activation_bytes(system), cases[i].activation_bytes);
        assert_in_range(result.compute_ps, cases[i].least_ps, cases[i].most_ps);
    }
}

static uint64_t activation_bytes_of(const char *text)
{
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("run.yaml", text, strlen(text), &error);
    g_autoptr(System) system = NULL;
    SystemConfig config;

    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    return activation_bytes(system);
}

/* Nine layers that write 200 bytes each, in three segments of three: the ends
 * of two segments are kept, and one whole segment. */
static void
test_recomputation_keeps_ends_of_segments_and_one_segment(void **state)
{
    GString *text = g_string_new(
        "platform:\n"
        "  topology: {kind: switch, npus: 2, bandwidth: 1 GB/s, latency: 2 us}\n"
        "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS, "
        "hbm: {bandwidth: 900 GB/s}}\n"
        "endpoint: {kind: ideal}\n"
        "training: {recompute: false}\n"
        "workload:\n  kind: data-parallel\n  name: nine\n  batch: 1\n"
        "  layers:\n");
    char *recompute;

    (void)state;
    for (guint i = 0; i < 9; i++)
        g_string_append_printf(text,
                               "    - {kind: counted, name: l%u, tensors: "
                               "[10], forward_flop: 1000, activations: 100}\n",
                               i);
    assert_int_equal(activation_bytes_of(text->str), 9 * 200);
    recompute = strstr(text->str, "false");
    g_string_overwrite(text, (gsize)(recompute - text->str), "true ");
    assert_int_equal(activation_bytes_of(text->str), (2 + 3) * 200);
    g_string_free(text, TRUE);
}

/* Four layers with 100 input and 100 output channels have 40,000 weights in
 * total.  Convolution and normalisation are separate kernels, each of which
 * writes 100 values per sample. */
#define FOUR_LAYERS                                                            \
    "{kind: conv, name: l, in: 100, out: 100, size: 1, relu: false, repeat: 4}"

/* Returns a run of @layer with a batch of 8.  @config must outlive it. */
static System *build_layers_with_training(const char *layer,
                                          const char *training,
                                          SystemConfig *config)
{
    g_autofree char *text = g_strdup_printf(
        "platform:\n"
        "  topology: {kind: switch, npus: 2, bandwidth: 1 GB/s, latency: 2 us}\n"
        "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
        "        hbm: {bandwidth: 900 GB/s}}\n"
        "endpoint: {kind: ideal, name: i}\n"
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: four\n"
        "  batch: 8\n"
        "  layers:\n"
        "    - %s\n"
        "training: {iterations: 1, fused: false, %s}\n",
        layer, training);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("run.yaml", text, strlen(text), &error);
    System *system;

    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, config, &error));
    system = system_new(config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    return system;
}

#define N_WEIGHTS UINT64_C(40000)
/* Values that one kernel of a layer writes. */
#define WRITTEN (UINT64_C(8) * 100)

/* The bytes of a weight, of its gradient, of its optimiser state and of an
 * activation depend on different keys. */
static void test_each_part_of_memory_has_its_own_precision(void **state)
{
    static const struct {
        const char *training;
        /* The bytes of each weight, of its gradient and of its optimiser
         * state with the master copy. */
        uint64_t weight, gradient, optimiser;
        uint64_t activations; /* The bytes of all activations. */
    } cases[] = {
        { "optimiser: none", 2, 2, 0, 8 * WRITTEN * 2 },
        { "optimiser: sgd", 2, 2, 4, 8 * WRITTEN * 2 },
        { "optimiser: momentum", 2, 2, 8, 8 * WRITTEN * 2 },
        { "optimiser: adam", 2, 2, 12, 8 * WRITTEN * 2 },
        { "optimiser: lamb", 2, 2, 12, 8 * WRITTEN * 2 },
        { "optimiser: adam, master_copies: false", 2, 2, 8, 8 * WRITTEN * 2 },
        { "optimiser: adam, gradient: fp32", 2, 4, 12, 8 * WRITTEN * 2 },
        { "optimiser: adam, precision: bf16", 2, 2, 12, 8 * WRITTEN * 2 },
        /* Weights in FP32 need no separate master copy. */
        { "optimiser: adam, precision: fp32", 4, 2, 8, 8 * WRITTEN * 4 },
        { "optimiser: adam, precision: fp32, gradient: fp32", 4, 4, 8,
          8 * WRITTEN * 4 },
        { "optimiser: none, micro_batches: 4", 2, 2, 0, 8 * WRITTEN * 2 / 4 },
        /* The output of the last kernel of three layers is kept, and that of
         * both kernels of the fourth. */
        { "optimiser: none, recompute: true", 2, 2, 0, (3 + 2) * WRITTEN * 2 },
        { "optimiser: none, recompute: true, micro_batches: 4", 2, 2, 0,
          (3 + 2) * WRITTEN * 2 / 4 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        SystemConfig config;
        g_autoptr(System) system =
            build_layers_with_training(FOUR_LAYERS, cases[i].training, &config);
        const RankMemory *m = memory_of(system);

        print_message("# %s\n", cases[i].training);
        assert_int_equal(m->bytes[MEMORY_WEIGHTS], N_WEIGHTS * cases[i].weight);
        assert_int_equal(m->bytes[MEMORY_GRADIENTS],
                         N_WEIGHTS * cases[i].gradient);
        assert_int_equal(m->bytes[MEMORY_OPTIMISER],
                         N_WEIGHTS * cases[i].optimiser);
        assert_int_equal(m->bytes[MEMORY_ACTIVATIONS], cases[i].activations);
        assert_int_equal(rank_memory_sum(m),
                         N_WEIGHTS * (cases[i].weight + cases[i].gradient +
                                      cases[i].optimiser) +
                             cases[i].activations);
    }
}

/* Returns the number of values kept when four layers, each of which writes
 * @written values and passes 1 to the next, are recomputed: the smallest over
 * segments of one layer, of two and of all four. */
static uint64_t activations_with_recomputation(uint64_t written)
{
    return MIN(3 + written, MIN(1 + 2 * written, 4 * written));
}

/* ReLU is a kernel after normalisation, and its output is the input of the next
 * layer.  A softmax with its loss writes nothing in the forward pass, so the
 * output of the product is the input of the next layer. */
static void
test_recomputed_layers_keep_what_their_last_kernel_writes(void **state)
{
    static const struct {
        const char *layer;
        /* The values that all kernels of a layer write, in units of WRITTEN. */
        uint64_t written;
    } cases[] = {
        { "{kind: conv, name: l, in: 100, out: 100, size: 1, repeat: 4}", 3 },
        { "{kind: linear, name: l, in: 100, out: 100, softmax: true, repeat: "
          "4}",
          1 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        SystemConfig config, again;
        g_autoptr(System) all = build_layers_with_training(
            cases[i].layer, "optimiser: none", &config);
        g_autoptr(System) recomputed = build_layers_with_training(
            cases[i].layer, "optimiser: none, recompute: true", &again);

        assert_int_equal(activation_bytes(all),
                         4 * cases[i].written * WRITTEN * 2);
        assert_int_equal(activation_bytes(recomputed),
                         activations_with_recomputation(cases[i].written) *
                             WRITTEN * 2);
    }
}

static char *replace_in_config_text(const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(run_text, from, 2);

    assert_int_equal(g_strv_length(parts), 2);
    return g_strjoinv(to, parts);
}

/* Returns a run with a batch of 8.  In the test the activations of half a batch
 * fit the memory, those of a whole one do not. */
static ConfigDoc *open_large_config(gpointer self, GError **error)
{
    g_autofree char *text = replace_in_config_text("batch: 1\n", "batch: 8\n");

    (void)self;
    return config_doc_parse("run.yaml", text, strlen(text), error);
}

static void test_the_search_makes_a_run_fit_the_memory(void **state)
{
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, (const SearchMove **)moves, 60);
    g_autoptr(OptimiseResult) o = NULL;
    GError *error = NULL;

    (void)state;
    task.maker.open = open_large_config;
    task.maker.memory_bytes = 163500 * 4 + 4 * 1000;
    o = optimise_run(&task, &error);
    assert_no_error(error);
    assert_int_equal(o->default_trial->time_ps, 0);
    assert_true(o->best->time_ps > 0);
    assert_true(o->best->memory_bytes <= task.maker.memory_bytes);
    assert_string_equal(o->best->candidate->sets[ASPECT_ACCUMULATE],
                        "training.micro_batches=2");
    g_hash_table_unref(m.results);
}

/* Returns a program of kernels with gaps between them. */
static ConfigDoc *open_program_config(gpointer self, GError **error)
{
    static const char text[] =
        "platform:\n"
        "  topology: {kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 2 us}\n"
        "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
        "        hbm: {bandwidth: 900 GB/s}}\n"
        "endpoint: {kind: ideal, name: i}\n"
        "workload:\n"
        "  kind: program\n"
        "  name: p\n"
        "  roles:\n"
        "    - name: all\n"
        "      ops:\n"
        "        - {kind: kernel, name: a, time: 100 us}\n"
        "        - {kind: kernel, name: b, time: 100 us, gap: 10 us}\n"
        "        - {kind: kernel, name: c, time: 100 us, gap: 20 us, after: [b]}\n"
        "        - {kind: collective, name: s, collective: all-reduce, "
        "bytes: 1 kB, after: [c]}\n"
        "        - {kind: kernel, name: d, time: 100 us, gap: 5 us, after: [s]}\n"
        "training: {compute: measured, iterations: 1}\n";

    (void)self;
    return config_doc_parse("run.yaml", text, strlen(text), error);
}

static void test_adjacent_kernels_are_fused(void **state)
{
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "operators"), 40);
    g_autoptr(OptimiseResult) o = NULL;

    (void)state;
    task.maker.open = open_program_config;
    o = run_optimise_task(&task);
    assert_int_equal(o->default_trial->time_ps - o->best->time_ps,
                     30 * UINT64_C(1000000));
    assert_non_null(strstr(o->best->text, "workload.roles.0.ops.1.gap=0 ps"));
    assert_non_null(strstr(o->best->text, "workload.roles.0.ops.2.gap=0 ps"));
    assert_null(strstr(o->best->text, "ops.4.gap"));
    g_hash_table_unref(m.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_that_exceeds_the_memory_is_refused),
        cmocka_unit_test(
            test_recomputation_keeps_ends_of_segments_and_one_segment),
        cmocka_unit_test(test_micro_batches_and_recomputation_save_memory),
        cmocka_unit_test(test_each_part_of_memory_has_its_own_precision),
        cmocka_unit_test(
            test_recomputed_layers_keep_what_their_last_kernel_writes),
        cmocka_unit_test(test_the_search_makes_a_run_fit_the_memory),
        cmocka_unit_test(test_adjacent_kernels_are_fused),
    };

    return cmocka_run_group_tests_name("optimise_memory", tests, NULL, NULL);
}
