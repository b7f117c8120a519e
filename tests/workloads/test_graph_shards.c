/*
 * test_graph_shards.c - shardings of training loops without segments: messages,
 * dependencies, and the memory of a rank, for each kind of the table
 */
#include "tests/workloads/loops_fixture.h"

#include "workloads/optimiser.h"
#include "workloads/sharding/sharding.h"

#define N_NPUS  8
#define WITHIN  2 /* ranks of a group, of kinds that divide within groups */
#define N_BATCH 4

/* 15, 25 and 20 weights, in the order of the forward pass. */
static const char three[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: three\n"
    "  batch: 4\n"
    "  layers:\n"
    "    - { kind: linear, name: a, in: 3, out: 5 }\n"
    "    - { kind: interaction, name: none, form: concatenation, vectors: 1,\n"
    "        dimension: 5 }\n"
    "    - { kind: linear, name: b, in: 5, out: 5 }\n"
    "    - { kind: linear, name: c, in: 5, out: 4 }\n";

static const char recommend[] =
    "workload:\n"
    "  kind: dlrm\n"
    "  name: recommend\n"
    "  batch: 4\n"
    "  embedding: { tables: 3, dimension: 4, lookups: 5 }\n"
    "  bottom:\n"
    "    - { name: a, in: 6, out: 4 }\n"
    "  top:\n"
    "    - { name: b, in: 16, out: 2 }\n"
    "    - { name: c, in: 2, out: 1 }\n";

/* A loop and the weights of its layers. */
static const struct {
    const char *text;
    uint64_t n_weights[3];
    gboolean has_micro_batches;
} loops[] = {
    { three, { 15, 25, 20 }, TRUE },
    { recommend, { 24, 32, 2 }, FALSE },
};

static const WorkloadSite site = { .n_npus = N_NPUS };

/* Settings of `training` under which a sharding is tried. */
typedef struct {
    uint64_t n_micro_batches;
    gboolean recompute, overlaps;
} Trial;

/* The messages of an iteration, in bytes. */
typedef struct {
    uint64_t reduce_scatter, all_reduce, all_gather;
} Traffic;

static const guint64 gradient_bytes = 4, weight_bytes = 2;

static uint64_t divide_rounding_up(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

static OpGraph *build_sharded(const char *loop, const char *shard,
                              const Trial *trial)
{
    g_autofree char *training = g_strdup_printf(
        "exchange: {kind: sharded, shard: %s}, optimiser: adam, precision: "
        "fp16, gradient: fp32, micro_batches: %" G_GUINT64_FORMAT
        ", recompute: %s",
        shard, trial->n_micro_batches, trial->recompute ? "true" : "false");
    GError *error = NULL;
    OpGraph *graph = build_graph_on_site(loop, training, &site, &error);

    if (!graph)
        fail_msg("%s: %s", shard, error->message);
    op_graph_check(graph);
    return graph;
}

/* Returns the value of `shard` for @kind; the caller frees it. */
static char *shard_text(const ConfigKind *kind, gboolean overlaps)
{
    g_autofree char *within = g_strdup_printf(", within: %d", WITHIN);

    return g_strdup_printf("{kind: %s, overlap: %s%s}", kind->name,
                           overlaps ? "true" : "false",
                           sharding_has_defaults(kind) ? "" : within);
}

static Traffic traffic_of_graph(const OpGraph *graph)
{
    Traffic ret = { 0 };

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE)
            continue;
        ret.reduce_scatter +=
            op->kind == COLL_REDUCE_SCATTER ? op->payload_bytes : 0;
        ret.all_reduce += op->kind == COLL_ALL_REDUCE ? op->payload_bytes : 0;
        ret.all_gather += op->kind == COLL_ALL_GATHER ? op->payload_bytes : 0;
    }
    return ret;
}

/* Returns the closed form for layers of @n weights.  The last layer keeps its
 * weights from the forward pass for the backward pass.  The first layer has no
 * input gradient, so only a repeated forward pass reads its weights then, and
 * keeps them for the forward pass of the next micro-batch. */
static Traffic expected_traffic(const Sharding *sharding, const uint64_t n[3],
                                const Trial *trial)
{
    uint64_t sum = n[0] + n[1] + n[2], m = trial->n_micro_batches;
    uint64_t parts = 0;
    Traffic ret = { 0 };

    for (guint i = 0; i < 3; i++)
        parts += divide_rounding_up(n[i], WITHIN);
    if (sharding->states)
        ret.reduce_scatter =
            (sharding->gradients ? m : 1) * sum * gradient_bytes;
    else
        ret.all_reduce = sum * gradient_bytes;
    if (sharding->has_groups)
        ret.all_reduce = m * parts * gradient_bytes;
    if (sharding->weights)
        ret.all_gather =
            (m * (sum + n[1]) + (trial->recompute ? n[0] : 0)) * weight_bytes;
    else if (sharding->states)
        ret.all_gather = sum * weight_bytes;
    return ret;
}

static uint64_t expected_whole_bytes(const Sharding *sharding,
                                     const uint64_t n[3], gboolean prefetches)
{
    uint64_t one = MAX(n[0], MAX(n[1], n[2]));
    uint64_t two = MAX(n[0] + n[1], n[1] + n[2]);

    return (sharding->weights ? (prefetches ? two : one) * weight_bytes : 0) +
           (sharding->gradients ? one * gradient_bytes : 0);
}

static gboolean kind_has_key(const ConfigKind *kind, const char *key)
{
    for (const ConfigField *field = kind->fields; field->key; field++)
        if (g_str_equal(field->key, key))
            return TRUE;
    return FALSE;
}

static void assert_memory(const OpGraph *graph, const ConfigKind *kind,
                          const uint64_t n[3], gboolean overlaps)
{
    const Sharding sharding = sharding_divided_by(kind);
    const uint64_t *bytes =
        g_array_index(graph->memory, StageMemory, 0).peak.bytes;
    uint64_t sum = n[0] + n[1] + n[2];
    uint64_t own =
        divide_rounding_up(sum, sharding.has_groups ? WITHIN : N_NPUS);
    uint64_t state = 8 + 4; /* two moments and the master copy */

    assert_int_equal(graph->memory->len, 1);
    assert_int_equal(bytes[MEMORY_WEIGHTS],
                     (sharding.weights ? own : sum) * weight_bytes);
    assert_int_equal(bytes[MEMORY_GRADIENTS],
                     (sharding.gradients ? own : sum) * gradient_bytes);
    assert_int_equal(bytes[MEMORY_OPTIMISER],
                     (sharding.states ? own : sum) * state);
    assert_int_equal(
        bytes[MEMORY_BUFFERS],
        expected_whole_bytes(&sharding, n,
                             overlaps && kind_has_key(kind, "prefetch")));
}

/* The step of Adam on the weights of which a rank has the states. */
static void assert_step(const OpGraph *graph, const ConfigKind *kind,
                        const uint64_t n[3])
{
    const Sharding sharding = sharding_divided_by(kind);
    uint64_t sum = n[0] + n[1] + n[2];
    const OptimiserStep step = {
        .n_weights = !sharding.states
                         ? sum
                         : divide_rounding_up(
                               sum, sharding.has_groups ? WITHIN : N_NPUS),
        .weight_bytes = weight_bytes,
        .gradient_bytes = gradient_bytes,
        .master_copies = TRUE,
    };
    OpWork works[OPTIMISER_MAX_WORKS];
    guint n_steps = 0;

    optimiser_list_kernels(OPTIMISER_NONE + 3, &step, works);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (g_str_equal(g_ptr_array_index(graph->layers, op->layer), "step")) {
            assert_int_equal(op->work->bytes, works[0].bytes);
            assert_int_equal(op->work->flop, works[0].flop);
            n_steps++;
        }
    }
    assert_int_equal(n_steps, 1);
    assert_int_equal(graph->optimiser_bytes, works[0].bytes);
    assert_string_equal(graph->optimiser, "adam");
    assert_int_equal(graph->n_weights, sum);
}

static void check_sharding(const ConfigKind *kind, guint loop,
                           const Trial *trial)
{
    g_autofree char *shard = shard_text(kind, trial->overlaps);
    g_autoptr(OpGraph) graph = build_sharded(loops[loop].text, shard, trial);
    const Sharding sharding = sharding_divided_by(kind);
    const uint64_t *n = loops[loop].n_weights;
    Traffic is = traffic_of_graph(graph);
    Traffic should = expected_traffic(&sharding, n, trial);

    if (is.reduce_scatter != should.reduce_scatter ||
        is.all_reduce != should.all_reduce ||
        is.all_gather != should.all_gather)
        fail_msg("%s, loop %u, %" G_GUINT64_FORMAT " micro-batches", shard,
                 loop, trial->n_micro_batches);
    assert_memory(graph, kind, n, trial->overlaps);
    assert_step(graph, kind, n);
}

static void test_each_sharding_follows_its_closed_forms(void **state)
{
    (void)state;
    for (const ConfigKind *const *k = sharding_registry.kinds; *k; k++)
        for (guint loop = 0; loop < G_N_ELEMENTS(loops); loop++)
            for (uint64_t m = 1;
                 m <= (loops[loop].has_micro_batches ? N_BATCH : 1); m *= 2)
                for (guint set = 0; set < 4; set++) {
                    const Trial trial = { .n_micro_batches = m,
                                          .recompute = set & 1,
                                          .overlaps = set & 2 };

                    if (loops[loop].has_micro_batches || !trial.recompute)
                        check_sharding(*k, loop, &trial);
                }
}

/* ---- dependencies -------------------------------------------------------- */

static void assert_sharded_text(const char *shard, const char *more,
                                const char *expected)
{
    g_autofree char *training = g_strdup_printf(
        "exchange: {kind: sharded, shard: %s}, precision: fp16%s", shard, more);
    GError *error = NULL;
    g_autoptr(OpGraph) graph =
        build_graph_on_site(three, training, &site, &error);
    g_autofree char *text = NULL;

    if (!graph)
        fail_msg("%s", error->message);
    text = graph_text(graph);
    assert_string_equal(text, expected);
}

static void test_zero_1_gathers_behind_the_step(void **state)
{
    (void)state;
    assert_sharded_text("{kind: zero-1}", "",
                        "0 a forward < 12@1\n"
                        "1 none forward\n"
                        "2 b forward\n"
                        "3 c forward\n"
                        "4 c weight-gradient\n"
                        "5 c input-gradient\n"
                        "6 b weight-gradient\n"
                        "7 b input-gradient\n"
                        "8 none input-gradient\n"
                        "9 a weight-gradient\n"
                        "10 a..c reduce-scatter 120 B p4 < 9\n"
                        "11 step update < 10\n"
                        "12 a..c all-gather 120 B p4 < 11\n");
}

static void test_buckets_are_reduced_as_they_get_ready(void **state)
{
    (void)state;
    assert_sharded_text("{kind: zero-1, overlap: true, bucket: 30}", "",
                        "0 a forward < 13@1\n"
                        "1 none forward\n"
                        "2 b forward\n"
                        "3 c forward < 14@1\n"
                        "4 c weight-gradient\n"
                        "5 c input-gradient\n"
                        "6 b weight-gradient\n"
                        "7 b input-gradient\n"
                        "8 none input-gradient\n"
                        "9 a weight-gradient\n"
                        "10 b..c reduce-scatter 90 B p2 < 6\n"
                        "11 a reduce-scatter 30 B p4 < 9\n"
                        "12 step update < 10 < 11\n"
                        "13 a..b all-gather 80 B p4 < 12\n"
                        "14 c all-gather 40 B p1 < 12\n");
    assert_sharded_text("{kind: zero-1, overlap: true, bucket: 30}",
                        ", synchronise: step",
                        "0 a forward < 13@1 < 14@1\n"
                        "1 none forward\n"
                        "2 b forward\n"
                        "3 c forward\n"
                        "4 c weight-gradient\n"
                        "5 c input-gradient\n"
                        "6 b weight-gradient\n"
                        "7 b input-gradient\n"
                        "8 none input-gradient\n"
                        "9 a weight-gradient\n"
                        "10 b..c reduce-scatter 90 B p2 < 6\n"
                        "11 a reduce-scatter 30 B p4 < 9\n"
                        "12 step update < 10 < 11\n"
                        "13 a..b all-gather 80 B p4 < 12\n"
                        "14 c all-gather 40 B p1 < 12\n");
}

static void test_fsdp_gathers_ahead(void **state)
{
    (void)state;
    assert_sharded_text("{kind: fsdp}", "",
                        "0 a all-gather 30 B p4 < 17@1\n"
                        "1 a forward < 0\n"
                        "2 none forward\n"
                        "3 b all-gather 50 B p2 < 17@1\n"
                        "4 b forward < 3\n"
                        "5 c all-gather 40 B p1 < 1\n"
                        "6 c forward < 5\n"
                        "7 c weight-gradient\n"
                        "8 c reduce-scatter 40 B p1 < 7\n"
                        "9 c input-gradient\n"
                        "10 b all-gather 50 B p2 < 6\n"
                        "11 b weight-gradient < 10\n"
                        "12 b reduce-scatter 50 B p2 < 11\n"
                        "13 b input-gradient\n"
                        "14 none input-gradient\n"
                        "15 a weight-gradient\n"
                        "16 a reduce-scatter 30 B p4 < 15\n"
                        "17 step update < 16 < 12 < 8 < 15\n");
}

static void test_kernels_wait_without_overlap(void **state)
{
    (void)state;
    assert_sharded_text("{kind: fsdp, overlap: false}", "",
                        "0 a all-gather 30 B p4 < 17@1\n"
                        "1 a forward < 0\n"
                        "2 none forward\n"
                        "3 b all-gather 50 B p2 < 1\n"
                        "4 b forward < 3\n"
                        "5 c all-gather 40 B p1 < 4\n"
                        "6 c forward < 5\n"
                        "7 c weight-gradient\n"
                        "8 c reduce-scatter 40 B p1 < 7\n"
                        "9 c input-gradient < 8\n"
                        "10 b all-gather 50 B p2 < 9\n"
                        "11 b weight-gradient < 10\n"
                        "12 b reduce-scatter 50 B p2 < 11\n"
                        "13 b input-gradient < 12\n"
                        "14 none input-gradient\n"
                        "15 a weight-gradient\n"
                        "16 a reduce-scatter 30 B p4 < 15\n"
                        "17 step update < 16 < 12 < 8 < 15\n");
}

static void test_reductions_of_a_layer_wait_for_each_other(void **state)
{
    (void)state;
    assert_sharded_text("{kind: zero-2}", ", micro_batches: 2",
                        "0 a forward < 27@1\n"
                        "1 none forward\n"
                        "2 b forward\n"
                        "3 c forward\n"
                        "4 c weight-gradient\n"
                        "5 c reduce-scatter 40 B p1 < 4\n"
                        "6 c input-gradient\n"
                        "7 b weight-gradient\n"
                        "8 b reduce-scatter 50 B p2 < 7\n"
                        "9 b input-gradient\n"
                        "10 none input-gradient\n"
                        "11 a weight-gradient\n"
                        "12 a reduce-scatter 30 B p4 < 11\n"
                        "13 a forward\n"
                        "14 none forward\n"
                        "15 b forward\n"
                        "16 c forward\n"
                        "17 c weight-gradient\n"
                        "18 c reduce-scatter 40 B p1 < 17 < 5\n"
                        "19 c input-gradient\n"
                        "20 b weight-gradient\n"
                        "21 b reduce-scatter 50 B p2 < 20 < 8\n"
                        "22 b input-gradient\n"
                        "23 none input-gradient\n"
                        "24 a weight-gradient\n"
                        "25 a reduce-scatter 30 B p4 < 24 < 12\n"
                        "26 step update < 25 < 21 < 18 < 24\n"
                        "27 a..c all-gather 120 B p4 < 26\n");
}

/* ---- refusals ------------------------------------------------------------ */

static void assert_refused(const char *loop, const char *training,
                           const char *expected)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph =
        build_graph_on_site(loop, training, &site, &error);

    assert_null(graph);
    assert_non_null(error);
    if (!strstr(error->message, expected))
        fail_msg("%s: %s", training, error->message);
    g_error_free(error);
}

static void test_shardings_that_cannot_be_are_refused(void **state)
{
    static const char weightless[] =
        "workload: {kind: data-parallel, name: none, batch: 1, layers: "
        "[{kind: interaction, name: a, form: concatenation, vectors: 1, "
        "dimension: 5}]}\n";
    static const char alone[] =
        "workload: {kind: collective, name: alone, collective: all-reduce, "
        "payload: 1 MiB}\n";
    static const struct {
        const char *loop, *training, *says;
    } cases[] = {
        { three, "exchange: {kind: sharded, shard: {kind: zero-4}}",
          "t.yaml:" },
        { three, "exchange: {kind: sharded, shard: {kind: hsdp, within: 3}}",
          "shard: hsdp: within 3 does not divide dp 8" },
        { three, "exchange: {kind: sharded, shard: {kind: hsdp, within: 8}}",
          "shard: hsdp: within 8 is all of dp" },
        { three, "exchange: {kind: sharded, shard: {kind: hsdp}}", "within" },
        { three, "exchange: {kind: sharded, shard: {kind: fsdp, bucket: 3}}",
          "bucket" },
        { three, "exchange: {kind: sharded, compression: {kind: fp16}}",
          "compression" },
        { three, "exchange: {kind: sharded}, overlap: false",
          "kind: 'sharded' has its own 'shard.overlap'" },
        { weightless, "exchange: {kind: sharded}", "has nothing to do" },
        { alone, "exchange: {kind: sharded}", "no gradients to exchange" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_refused(cases[i].loop, cases[i].training, cases[i].says);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_sharding_follows_its_closed_forms),
        cmocka_unit_test(test_zero_1_gathers_behind_the_step),
        cmocka_unit_test(test_buckets_are_reduced_as_they_get_ready),
        cmocka_unit_test(test_fsdp_gathers_ahead),
        cmocka_unit_test(test_kernels_wait_without_overlap),
        cmocka_unit_test(test_reductions_of_a_layer_wait_for_each_other),
        cmocka_unit_test(test_shardings_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
