/*
 * test_transformer.c - graphs of language models against closed forms
 *
 * Sums over all ranks of an iteration are compared with formulas: FLOP of
 * products are 6 for each weight in a product and token, and bytes of each axis
 * are those of [KORTHIKANTI] and [MEGATRON2].
 */
#include <math.h>

#include "tests/workloads/workload_fixture.h"

#include "workloads/transformer/memory.h"

/* Builds the graph of @workload for @n_npus.  *@ret_doc owns the nodes. */
static OpGraph *build_graph_with(const char *workload, const char *products,
                                 uint32_t n_npus, ConfigDoc **ret_doc,
                                 GError **error)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *name = g_build_filename(root ? root : ".", "configs",
                                             "models", "t.yaml", NULL);
    g_autofree char *text = g_strdup_printf(
        "workload: %s\ntraining: {precision: bf16, products: %s, gradient: "
        "fp32}\n",
        workload, products);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, text, strlen(text), error);
    WorkloadRoot read;
    OpGraph *graph;

    *ret_doc = NULL;
    if (!doc || !config_doc_read(doc, workload_root_fields, &read, error))
        return NULL;
    graph = workload_build(&read.workload, &read.training,
                           &(WorkloadSite){ .n_npus = n_npus }, error);
    *ret_doc = g_steal_pointer(&doc);
    return graph;
}

static OpGraph *build_graph(const char *workload, uint32_t n_npus,
                            ConfigDoc **ret_doc, GError **error)
{
    return build_graph_with(workload, "training", n_npus, ret_doc, error);
}

/* A model of configs/models on tp 8, with a schedule. */
typedef struct {
    ConfigDoc *doc;
    Mesh mesh;
    Transformer transformer;
    Schedule *schedule;
    TransformerPart *parts;
} TransformerFixture;

static void transformer_fixture_init(TransformerFixture *f, const char *model,
                                     uint32_t pp, uint32_t n_chunks,
                                     uint32_t n_micro_batches,
                                     uint32_t micro_batch,
                                     gboolean is_selective)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *path =
        g_strdup_printf("%s/configs/models/%s.yaml", root ? root : ".", model);
    const ScheduleCommon plain = { .n_chunks = n_chunks };
    const ConfigVariant kind = { .kind = config_find_kind(
                                     &schedule_registry,
                                     n_chunks > 1 ? "interleaved" : "1f1b"),
                                 .params = &plain };
    const MeshConfig mesh = {
        .tp = 8, .cp = 1, .dp = 1, .pp = pp, .etp = 1, .ep = 1, .ep_local = 1
    };
    GError *error = NULL;
    uint32_t n = pp * n_chunks;

    *f = (TransformerFixture){ 0 };
    f->doc = config_doc_load(path, &error);
    assert_no_error(error);
    assert_true(config_doc_read(f->doc, language_model_fields,
                                &f->transformer.model, &error));
    assert_true(language_model_complete(&f->transformer.model, &error));
    assert_true(mesh_init(&f->mesh, &mesh, 0, &error));
    f->schedule = schedule_new(&kind, pp, n_micro_batches, &error);
    assert_no_error(error);
    f->transformer.mesh = &f->mesh;
    f->transformer.sequence = 2048;
    f->transformer.micro_batch = micro_batch;
    f->transformer.value_bytes = 2;
    f->transformer.is_fused = TRUE;
    f->transformer.divides_sequence = is_selective;
    f->transformer.recompute = recompute_set_of_word(
        is_selective ? RECOMPUTE_SELECTIVE : RECOMPUTE_NONE);
    f->parts = g_new0(TransformerPart, n);
    for (uint32_t v = 0; v < n; v++)
        f->parts[v] =
            (TransformerPart){ .first = v * f->transformer.model.n_layers / n,
                               .end = (v + 1) * f->transformer.model.n_layers /
                                      n };
}

static void transformer_fixture_clear(TransformerFixture *f)
{
    schedule_free(f->schedule);
    g_free(f->parts);
    config_doc_free(f->doc);
}

/* A small model: h 64, 8 heads of 8, 4 of keys and values, f 96, 100 words. */
#define SMALL                                                                   \
    "model: {name: small, layers: 12, hidden: 64, heads: 8, kv_heads: 4, ffn: " \
    "96, vocabulary: 104}, sequence: 32, "
#define H UINT64_C(64)

typedef struct {
    const char *parallel, *schedule;
    uint32_t tp, cp, dp, pp, n_chunks, n_micro_batches;
} Shape;

static const Shape shapes[] = {
    { "{}", "{kind: 1f1b}", 1, 1, 8, 1, 1, 2 },
    { "{tp: 4}", "{kind: 1f1b}", 4, 1, 2, 1, 1, 2 },
    { "{tp: 2, pp: 2}", "{kind: 1f1b}", 2, 1, 2, 2, 1, 4 },
    { "{tp: 2, pp: 2, cp: 2}", "{kind: gpipe}", 2, 2, 1, 2, 1, 4 },
    { "{pp: 4}", "{kind: interleaved, chunks: 3}", 1, 1, 2, 4, 3, 4 },
    { "{tp: 4, pp: 2}", "{kind: zb-h1}", 4, 1, 1, 2, 1, 4 },
};

static OpGraph *build_sharded(const Shape *shape, const char *shard,
                              ConfigDoc **ret_doc)
{
    g_autofree char *workload = g_strdup_printf(
        "{kind: transformer, " SMALL "batch: {global: %u}, parallel: %s, "
        "schedule: %s, shard: %s}",
        shape->dp * shape->n_micro_batches, shape->parallel, shape->schedule,
        shard);
    GError *error = NULL;
    OpGraph *graph = build_graph(workload, 8, ret_doc, &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

static OpGraph *build_shape(const Shape *shape, ConfigDoc **ret_doc)
{
    return build_sharded(shape, "{kind: zero-1}", ret_doc);
}

/* Returns how many NPUs run @op, of @n_npus that roles divide evenly. */
static uint64_t count_npus(const OpGraph *graph, const Op *op, uint32_t n_npus)
{
    return role_set_n_roles(op->roles) * (uint64_t)n_npus / graph->roles->len;
}

static uint64_t sum_product_flop(const OpGraph *graph)
{
    uint64_t flop = 0;

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);

        if (op->type == OP_COMPUTE && op->work->product.m > 0)
            flop += op->work->flop * count_npus(graph, op, 8);
    }
    return flop;
}

static void test_products_have_the_flop_of_their_weights(void **state)
{
    const uint64_t n_weights =
        12 * (H * (64 + 2 * 32) + 64 * H + 3 * H * 96) + 104 * H;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++) {
        const Shape *shape = &shapes[i];
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_shape(shape, &doc);
        uint64_t n_tokens = UINT64_C(32) * shape->dp * shape->n_micro_batches;

        assert_int_equal(sum_product_flop(graph), 6 * n_weights * n_tokens);
        config_doc_free(doc);
    }
}

/* Returns the payloads of collectives of kind @kind on the group @axis, summed
 * over operations and the ranks that run them. */
static uint64_t sum_payloads(const OpGraph *graph, CollKind kind,
                             const char *axis, uint64_t least_bytes)
{
    uint64_t bytes = 0;

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);

        if (op->type == OP_COLLECTIVE && op->kind == kind &&
            op->payload_bytes >= least_bytes &&
            g_str_equal(op_graph_group(graph, op->group)->name, axis))
            bytes += op->payload_bytes * count_npus(graph, op, 8);
    }
    return bytes;
}

static void test_axes_carry_the_bytes_of_the_formulas(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++) {
        const Shape *s = &shapes[i];
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_shape(s, &doc);
        uint64_t tokens = 32 / s->cp, vector = tokens * H * 2;
        uint64_t n_ranks = UINT64_C(8) / s->pp; /* of a stage */
        uint64_t n_boundaries = s->pp * s->n_chunks - 1;
        uint64_t n_layers = 12 * n_ranks * s->n_micro_batches;

        /* two gathers a layer forward, four backward; of the head one */
        if (s->tp > 1)
            assert_int_equal(sum_payloads(graph, COLL_ALL_GATHER, "tp", 1),
                             (6 * n_layers + n_ranks * s->n_micro_batches) *
                                 vector);
        /* two sums a layer in each direction; embedding twice, head once */
        if (s->tp > 1)
            assert_int_equal(sum_payloads(graph, COLL_REDUCE_SCATTER, "tp", 1),
                             (4 * n_layers + 3 * n_ranks * s->n_micro_batches) *
                                 vector);
        /* keys and values are gathered in both directions */
        if (s->cp > 1)
            assert_int_equal(sum_payloads(graph, COLL_ALL_GATHER, "cp", 1),
                             2 * n_layers * 32 * 2 * (32 / s->tp) * 2);
        /* a message has two ends */
        if (s->pp > 1)
            assert_int_equal(sum_payloads(graph, COLL_SEND, "pp", 1),
                             2 * 2 * n_boundaries * n_ranks *
                                 s->n_micro_batches * vector / s->tp);
        config_doc_free(doc);
    }
}

/* Returns the FLOP of all kernels that are not bound by memory alone. */
static uint64_t sum_attention_flop(const OpGraph *graph)
{
    uint64_t flop = 0;

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);

        if (op->type == OP_COMPUTE &&
            (op->work->class == KERNEL_CLASS_ATTENTION ||
             op->work->class == KERNEL_CLASS_ATTENTION_GRADIENT))
            flop +=
                op->work->flop * op->work->n_kernels * count_npus(graph, op, 8);
    }
    return flop;
}

/* The c ranks of a ring shift the keys and values of a rank c - 1 times in each
 * direction, and their gradients c times.  Attention has the FLOP that it has
 * with an all-gather.  Backward, two blocks of keys and values and two of
 * gradients are in buffers, in place of c each. */
static void test_a_ring_shifts_the_bytes_of_the_formulas(void **state)
{
    (void)state;
    for (guint is_full_attention_layer_type = 0;
         is_full_attention_layer_type < 2; is_full_attention_layer_type++)
        for (uint64_t c = 2; c <= 8; c *= 2) {
            OpGraph *graphs[2];
            ConfigDoc *docs[2];
            uint64_t block = 32 / c * 2 * 32 * 2, n_layers = 12 * 8 * 2;
            GError *error = NULL;

            for (guint ring = 0; ring < 2; ring++) {
                g_autofree char *text = g_strdup_printf(
                    "{kind: transformer, " SMALL
                    "batch: {global: %d}, parallel: {cp: %d, cp_exchange: %s}, "
                    "recompute: %s}",
                    (int)(2 * 8 / c), (int)c, ring ? "ring" : "all-gather",
                    is_full_attention_layer_type ? "full" : "selective");

                graphs[ring] = build_graph(text, 8, &docs[ring], &error);
                assert_non_null(graphs[ring]);
            }
            assert_int_equal(
                sum_payloads(graphs[1], COLL_SHIFT, "cp", 1),
                n_layers * block *
                    ((2 + is_full_attention_layer_type) * (c - 1) + c));
            assert_int_equal(sum_payloads(graphs[1], COLL_ALL_GATHER, "cp", 1),
                             0);
            assert_int_equal(
                sum_payloads(graphs[1], COLL_REDUCE_SCATTER, "cp", 1), 0);
            assert_int_equal(sum_attention_flop(graphs[1]),
                             sum_attention_flop(graphs[0]));
            assert_int_equal(sum_product_flop(graphs[1]),
                             sum_product_flop(graphs[0]));
            assert_int_equal(
                g_array_index(graphs[0]->memory, StageMemory, 0)
                        .peak.bytes[MEMORY_BUFFERS] -
                    g_array_index(graphs[1]->memory, StageMemory, 0)
                        .peak.bytes[MEMORY_BUFFERS],
                2 * (c - 2) * block);
            for (guint ring = 0; ring < 2; ring++) {
                op_graph_free(graphs[ring]);
                config_doc_free(docs[ring]);
            }
        }
}

static void test_a_ring_needs_fused_attention(void **state)
{
    ConfigDoc *doc;
    GError *error = NULL;
    OpGraph *graph = build_graph("{kind: transformer, " SMALL
                                 "batch: {global: 8}, parallel: {cp: 2, "
                                 "cp_exchange: ring}, attention: unfused}",
                                 8, &doc, &error);

    (void)state;
    assert_null(graph);
    assert_non_null(strstr(
        error->message, "parallel: cp_exchange 'ring' needs fused attention, "
                        "and attention is unfused; take"));
    g_clear_error(&error);
    config_doc_free(doc);
}

/* The small model with so many modules of multi-token prediction. */
static OpGraph *build_predicting(const Shape *shape, uint32_t mtp_depth,
                                 ConfigDoc **ret_doc)
{
    g_autofree char *workload = g_strdup_printf(
        "{kind: transformer, " SMALL "batch: {global: %u}, parallel: %s, "
        "schedule: %s, shard: {kind: replicated}}",
        shape->dp * shape->n_micro_batches, shape->parallel, shape->schedule);
    g_auto(GStrv) parts = g_strsplit(workload, "104}", 2);
    g_autofree char *text = g_strdup_printf("%s104, mtp_depth: %u}%s", parts[0],
                                            mtp_depth, parts[1]);
    GError *error = NULL;
    OpGraph *graph = build_graph(text, 8, ret_doc, &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

/* Each module has the products of a layer, of its projection, and of the head,
 * which are the only ones with weights. */
static void test_predictions_have_the_flop_of_their_weights(void **state)
{
    const uint64_t n_layer = H * (64 + 2 * 32) + 64 * H + 3 * H * 96;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (uint32_t depth = 0; depth <= 2; depth++) {
            const Shape *shape = &shapes[i];
            ConfigDoc *doc;
            g_autoptr(OpGraph) graph = build_predicting(shape, depth, &doc);
            uint64_t n_tokens =
                UINT64_C(32) * shape->dp * shape->n_micro_batches;
            uint64_t n_weights = 12 * n_layer + 104 * H +
                                 depth * (n_layer + 2 * H * H + 104 * H);
            /* Scores are half of 4 s a d FLOP of a token forward; model FLOP
             * count twice as much backward. */
            double scores = (12 + depth) * 2.0 * 32 * 64;
            double norms = (12 + depth) * 2.0 * H + H + depth * 3.0 * H;

            assert_int_equal(sum_product_flop(graph), 6 * n_weights * n_tokens);
            assert_true(fabs(graph->model_flop / (double)n_tokens -
                             (6 * ((double)n_weights + norms) + 3 * scores)) <
                        0.5);
            config_doc_free(doc);
        }
}

static void test_predictions_carry_the_bytes_of_the_formulas(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++) {
        const Shape *s = &shapes[i];
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_predicting(s, 2, &doc);
        uint64_t vector = 32 / s->cp * H * 2;
        uint64_t n = UINT64_C(8) / s->pp * s->n_micro_batches;

        /* A module gathers six times in its layer, once before the head, and
         * 2 + 1 vectors in each direction for its projection. */
        if (s->tp > 1)
            assert_int_equal(sum_payloads(graph, COLL_ALL_GATHER, "tp", 1),
                             (6 * 12 + 1 + 2 * (6 + 1 + 6)) * n * vector);
        /* It sums four times in its layer, once for the head, twice for the
         * embedding, and 2 vectors backward for its projection. */
        if (s->tp > 1)
            assert_int_equal(sum_payloads(graph, COLL_REDUCE_SCATTER, "tp", 1),
                             (4 * 12 + 3 + 2 * (4 + 1 + 2 + 2)) * n * vector);
        config_doc_free(doc);
    }
}

/* Returns the memory of the last stage of @shape. */
static RankMemory memory_of_last_stage(const Shape *shape, uint32_t mtp_depth)
{
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_predicting(shape, mtp_depth, &doc);
    RankMemory memory =
        g_array_index(graph->memory, StageMemory, graph->memory->len - 1).peak;

    config_doc_free(doc);
    return memory;
}

/* Beside the weights and activations of two layers, the last stage has those
 * of two projections and their norms, a copy of the embedding unless it has the
 * embedding itself, and logits of two more tokens. */
static void test_predictions_take_memory_on_the_last_stage(void **state)
{
    static const Shape rows[] = {
        { "{dp: 8}", "{kind: 1f1b}", 1, 1, 8, 1, 1, 2 },
        { "{tp: 2, pp: 2}", "{kind: 1f1b}", 2, 1, 2, 2, 1, 4 },
        { "{pp: 2, cp: 2}", "{kind: 1f1b}", 1, 2, 2, 2, 1, 4 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const Shape *s = &rows[i];
        RankMemory none = memory_of_last_stage(s, 0);
        RankMemory two = memory_of_last_stage(s, 2);
        uint64_t n_layer =
            (H * (64 + 2 * 32) + 64 * H + 3 * H * 96) / s->tp + 2 * H;
        uint64_t n_copy = s->pp > 1 ? 104 * H / s->tp : 0;
        uint64_t n_more = 2 * (n_layer + 2 * H * H / s->tp + 3 * H) + n_copy;
        uint64_t tokens = 32 / s->cp, n_own_layers = 12 / s->pp;

        assert_int_equal(two.bytes[MEMORY_WEIGHTS] - none.bytes[MEMORY_WEIGHTS],
                         2 * n_more);
        assert_int_equal(two.bytes[MEMORY_GRADIENTS] -
                             none.bytes[MEMORY_GRADIENTS],
                         4 * n_more);
        assert_int_equal(two.bytes[MEMORY_ACTIVATIONS] -
                             none.bytes[MEMORY_ACTIVATIONS],
                         2 * (none.bytes[MEMORY_ACTIVATIONS] / n_own_layers +
                              4 * tokens * H * 2 / s->tp));
        assert_int_equal(two.bytes[MEMORY_BUFFERS] - none.bytes[MEMORY_BUFFERS],
                         2 * tokens * 104 / s->tp * (2 + 4));
    }
}

/* How often a sharding reduces the gradients of all weights in an iteration of
 * m micro-batches, and how often it gathers the weights of layers, and of
 * embedding and head: .. + .._m * m. */
static const struct {
    const char *shard;
    CollKind reduction;
    uint64_t n_reduced, n_reduced_m, n_gathered, n_layers_m, n_ends_m;
} shardings[] = {
    { "{kind: replicated}", COLL_ALL_REDUCE, 1, 0, 0, 0, 0 },
    { "{kind: replicated, overlap: true, bucket: 20000}", COLL_ALL_REDUCE, 1, 0,
      0, 0, 0 },
    { "{kind: zero-1}", COLL_REDUCE_SCATTER, 1, 0, 1, 0, 0 },
    { "{kind: zero-1, overlap: true}", COLL_REDUCE_SCATTER, 1, 0, 1, 0, 0 },
    { "{kind: zero-1, overlap: true, bucket: 1}", COLL_REDUCE_SCATTER, 1, 0, 1,
      0, 0 },
    { "{kind: zero-2}", COLL_REDUCE_SCATTER, 0, 1, 1, 0, 0 },
    { "{kind: zero-2, overlap: false}", COLL_REDUCE_SCATTER, 0, 1, 1, 0, 0 },
    { "{kind: fsdp}", COLL_REDUCE_SCATTER, 0, 1, 0, 2, 1 },
    { "{kind: fsdp, overlap: false}", COLL_REDUCE_SCATTER, 0, 1, 0, 2, 1 },
};

static void test_shardings_move_the_bytes_of_all_weights(void **state)
{
    const Shape *shape = &shapes[2];
    uint64_t n_layer = (H * (64 + 2 * 32) + 64 * H + 3 * H * 96) / 2 + 2 * H;
    uint64_t n_ends = 104 * H / 2 + (104 * H + H) / 2;
    uint64_t n_weights = 12 * n_layer + n_ends, m = shape->n_micro_batches;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shardings); i++) {
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph =
            build_sharded(shape, shardings[i].shard, &doc);
        uint64_t n_reduced =
            (shardings[i].n_reduced + m * shardings[i].n_reduced_m) * n_weights;
        uint64_t n_gathered = shardings[i].n_gathered * n_weights +
                              m * shardings[i].n_layers_m * 12 * n_layer +
                              m * shardings[i].n_ends_m * n_ends;

        assert_int_equal(
            sum_payloads(graph, shardings[i].reduction, "cp+dp", 1),
            4 * 4 * n_reduced);
        assert_int_equal(sum_payloads(graph, COLL_ALL_GATHER, "cp+dp", 1),
                         4 * 2 * n_gathered);
        config_doc_free(doc);
    }
}

static uint64_t divide_up(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

/* A group has the ranks of cp and .within of dp.  Each rank reduces its part of
 * each layer, of the embedding and of the head again, among the groups. */
static void test_groups_reduce_the_parts_of_all_weights(void **state)
{
    static const struct {
        Shape shape;
        uint32_t within;
        const char *more;
    } rows[] = {
        { { "{}", "{kind: 1f1b}", 1, 1, 8, 1, 1, 2 }, 4, "" },
        { { "{}", "{kind: 1f1b}", 1, 1, 8, 1, 1, 3 }, 2, ", overlap: false" },
        { { "{tp: 2}", "{kind: 1f1b}", 2, 1, 4, 1, 1, 2 }, 2, ", prefetch: 3" },
        { { "{tp: 2, order: [dp, tp]}", "{kind: 1f1b}", 2, 1, 4, 1, 1, 2 },
          2,
          "" },
        { { "{cp: 2}", "{kind: 1f1b}", 1, 2, 4, 1, 1, 1 }, 1, "" },
        { { "{cp: 2}", "{kind: 1f1b}", 1, 2, 4, 1, 1, 1 }, 2, "" },
        { { "{pp: 2}", "{kind: interleaved, chunks: 3}", 1, 1, 4, 2, 3, 4 },
          2,
          "" },
        { { "{pp: 2}", "{kind: zb-h1}", 1, 1, 4, 2, 1, 4 }, 2, "" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const Shape *s = &rows[i].shape;
        g_autofree char *shard = g_strdup_printf("{kind: hsdp, within: %u%s}",
                                                 rows[i].within, rows[i].more);
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_sharded(s, shard, &doc);
        uint64_t n_layer =
            (H * (64 + 2 * 32) + 64 * H + 3 * H * 96) / s->tp + 2 * H;
        uint64_t n_embedding = 104 * H / s->tp, n_head = 105 * H / s->tp;
        uint64_t n_group = s->cp * rows[i].within;
        uint64_t n_own = 12 * divide_up(n_layer, n_group) +
                         divide_up(n_embedding, n_group) +
                         divide_up(n_head, n_group);
        uint64_t n = 8 / s->pp * s->n_micro_batches;

        assert_int_equal(
            sum_payloads(graph, COLL_REDUCE_SCATTER, "cp+dp_within", 1),
            4 * n * (12 * n_layer + n_embedding + n_head));
        assert_int_equal(sum_payloads(graph, COLL_ALL_REDUCE, "dp_across", 1),
                         4 * n * n_own);
        assert_int_equal(
            sum_payloads(graph, COLL_ALL_GATHER, "cp+dp_within", 1),
            2 * n * (2 * 12 * n_layer + n_embedding + n_head));
        config_doc_free(doc);
    }
}

/* Returns the memory of kind @kind of the fullest rank. */
static uint64_t memory_of_shard(const char *shard, MemoryKind kind)
{
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_sharded(&shapes[0], shard, &doc);
    uint64_t bytes = rank_memory_fullest(graph->memory)->peak.bytes[kind];

    config_doc_free(doc);
    return bytes;
}

static void test_shardings_divide_memory(void **state)
{
    uint64_t n_layer = H * (64 + 2 * 32) + 64 * H + 3 * H * 96 + 2 * H;
    uint64_t n = 12 * n_layer + 104 * H + 104 * H + H; /* on 8 ranks */
    uint64_t buffers = memory_of_shard("{kind: zero-1}", MEMORY_BUFFERS);

    (void)state;
    /* logits of 32 tokens in BF16 and their loss in FP32 */
    assert_int_equal(buffers, 32 * 104 * (2 + 4));
    assert_int_equal(memory_of_shard("{kind: zero-1}", MEMORY_WEIGHTS), 2 * n);
    assert_int_equal(memory_of_shard("{kind: zero-1}", MEMORY_GRADIENTS),
                     4 * n);
    assert_int_equal(memory_of_shard("{kind: zero-2}", MEMORY_WEIGHTS), 2 * n);
    assert_int_equal(memory_of_shard("{kind: zero-2}", MEMORY_GRADIENTS),
                     4 * ((n + 7) / 8));
    assert_int_equal(memory_of_shard("{kind: zero-2}", MEMORY_BUFFERS),
                     buffers + 4 * n_layer);
    assert_int_equal(memory_of_shard("{kind: fsdp}", MEMORY_WEIGHTS),
                     2 * ((n + 7) / 8));
    assert_int_equal(memory_of_shard("{kind: fsdp}", MEMORY_BUFFERS),
                     buffers + (2 * 2 + 4) * n_layer);
    assert_int_equal(
        memory_of_shard("{kind: fsdp, prefetch: 3}", MEMORY_BUFFERS),
        buffers + (4 * 2 + 4) * n_layer);
    assert_int_equal(
        memory_of_shard("{kind: fsdp, overlap: false}", MEMORY_BUFFERS),
        buffers + (2 + 4) * n_layer);
    for (uint32_t within = 2; within <= 4; within += 2) {
        g_autofree char *hsdp =
            g_strdup_printf("{kind: hsdp, within: %u}", within);
        uint64_t n_own = divide_up(n, within);

        assert_int_equal(memory_of_shard(hsdp, MEMORY_WEIGHTS), 2 * n_own);
        assert_int_equal(memory_of_shard(hsdp, MEMORY_GRADIENTS), 4 * n_own);
        /* two states of FP32, and no master copies */
        assert_int_equal(memory_of_shard(hsdp, MEMORY_OPTIMISER), 8 * n_own);
        assert_int_equal(memory_of_shard(hsdp, MEMORY_BUFFERS),
                         memory_of_shard("{kind: fsdp}", MEMORY_BUFFERS));
    }
}

#define MOE_OF(Parallel)                                                       \
    "{kind: transformer, model: {name: m, layers: 4, hidden: 64, heads: 8, "   \
    "ffn: 96, vocabulary: 104, experts: {count: 16, per_token: 2, ffn: 32, "   \
    "dense_layers: 1}}, sequence: 32, batch: {global: 16}, parallel: " Parallel
#define MOE MOE_OF("{ep: 4}")

/* Returns the memory of kind @kind of the fullest of 8 ranks. */
static uint64_t memory_of_workload(const char *workload, MemoryKind kind)
{
    GError *error = NULL;
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_graph(workload, 8, &doc, &error);
    uint64_t bytes;

    if (!graph)
        fail_msg("%s", error->message);
    bytes = rank_memory_fullest(graph->memory)->peak.bytes[kind];
    config_doc_free(doc);
    return bytes;
}

/* Returns the activations of the fullest rank of MOE with the keys @more. */
static uint64_t activations_of_experts(const char *more)
{
    g_autofree char *workload = g_strdup_printf(MOE "%s}", more);

    return memory_of_workload(workload, MEMORY_ACTIVATIONS);
}

static void test_experts_keep_the_tokens_that_reach_them(void **state)
{
    /* 32 tokens; queries, keys, values and outputs of attention are h each */
    uint64_t layer = 32 * 8 * H + 2 * 32 * 4 * H, dense = 2 * 32 * 3 * 96;
    uint64_t token = 2 * (3 * 32 + H);

    (void)state;
    assert_int_equal(activations_of_experts(""),
                     4 * layer + dense + 3 * 2 * 32 * token);
    /* the first of four ranks gets 2 of 5 parts */
    assert_int_equal(
        activations_of_experts(", expert_load: {weights: [2, 2, 2, 2, 1, 1, 1, "
                               "1, 1, 1, 1, 1, 1, 1, 1, 1]}"),
        4 * layer + dense + 3 * (2 * 32 * 4 * 2 / 5 + 1) * token);
}

/* Experts are divided by edp, here 2 ranks, all other weights by dp, here 8. */
static void
test_experts_are_divided_among_the_ranks_that_share_them(void **state)
{
    uint64_t attention = 4 * H * H + 2 * H, experts = 16 * 3 * 32 * H;
    uint64_t n_dense =
        4 * attention + 3 * 96 * H + 3 * 16 * H + 2 * 104 * H + H;

    (void)state;
    assert_int_equal(
        memory_of_workload(MOE ", shard: {kind: fsdp}}", MEMORY_WEIGHTS),
        2 * ((n_dense + 7) / 8 + 3 * experts / 4 / 2));
}

/* With groups of 4 of 8 ranks, experts divided among 2 ranks are held by 2
 * ranks of each group, which divide them, and by 2 groups; experts divided
 * among 4 ranks are whole in each group. */
static void test_groups_divide_the_experts_that_they_share(void **state)
{
    static const uint32_t n_eps[] = { 2, 4 };
    uint64_t attention = 4 * H * H + 2 * H, expert = 3 * 32 * H;
    uint64_t n_dense =
        4 * attention + 3 * 96 * H + 3 * 16 * H + 2 * 104 * H + H;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(n_eps); i++) {
        uint32_t ep = n_eps[i], n_sharing = 4 / ep;
        uint64_t n_experts = 3 * 16 / ep * expert; /* of a rank, if whole */
        g_autofree char *workload = g_strdup_printf(
            MOE_OF("{ep: %u}") ", shard: {kind: hsdp, within: 4}}", ep);
        GError *error = NULL;
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_graph(workload, 8, &doc, &error);

        assert_no_error(error);
        assert_int_equal(
            rank_memory_fullest(graph->memory)->peak.bytes[MEMORY_WEIGHTS],
            2 * (divide_up(n_dense, 4) + n_experts / n_sharing));
        /* two micro-batches on each of 8 ranks */
        assert_int_equal(
            sum_payloads(graph, COLL_REDUCE_SCATTER, "edp_within", 1),
            n_sharing == 1 ? 0 : 4 * 8 * 2 * n_experts);
        assert_int_equal(sum_payloads(graph, COLL_ALL_GATHER, "edp_within", 1),
                         n_sharing == 1 ? 0 : 2 * 8 * 2 * 2 * n_experts);
        assert_int_equal(sum_payloads(graph, COLL_ALL_REDUCE, "edp_across", 1),
                         4 * 8 * 2 * n_experts / n_sharing);
        config_doc_free(doc);
    }
}

/* The last of two stages has two layers and a head of 4096 words, which is
 * larger.  What is prefetched with the head are layers, and not the
 * head again. */
static void test_weights_of_consecutive_groups_are_gathered(void **state)
{
    static const struct {
        uint32_t prefetch, n_layers;
    } rows[] = { { 1, 1 }, { 2, 2 }, { 9, 2 } };
    uint64_t n_layer = 4 * H * H + 3 * H * 96 + 2 * H;
    uint64_t n_head = 4096 * H + H, n_boundary = 32 * H;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *workload = g_strdup_printf(
            "{kind: transformer, model: {name: m, layers: 4, hidden: 64, "
            "heads: 8, ffn: 96, vocabulary: 4096}, sequence: 32, batch: "
            "{global: 8}, parallel: {pp: 2}, shard: {kind: fsdp, prefetch: "
            "%u}}",
            rows[i].prefetch);

        assert_int_equal(memory_of_workload(workload, MEMORY_BUFFERS),
                         32 * 4096 * (2 + 4) + 2 * 2 * n_boundary +
                             2 * (n_head + rows[i].n_layers * n_layer) +
                             4 * n_head);
    }
}

#define LATENT                                                                  \
    "{kind: transformer, model: {name: m, layers: 1, hidden: 64, heads: 8, "    \
    "ffn: 96, vocabulary: 104, latent: {key_value_rank: 16, rotary: 4, other: " \
    "8, value: 6}}, sequence: 32, batch: {global: 8}}"

/* Queries and keys of a head have 8 + 4 values, values and results 6.  The
 * latent vector of 16 values is kept before and behind its norm. */
static void test_latent_attention_keeps_whole_keys_and_values(void **state)
{
    (void)state;
    assert_int_equal(memory_of_workload(LATENT, MEMORY_ACTIVATIONS),
                     32 * 8 * H + 2 * 32 * 8 * (12 + 12 + 6 + 6) +
                         2 * 32 * 2 * 16 + 2 * 32 * 3 * 96);
}

/* Full recomputation keeps the input of each layer, which sequence parallelism
 * divides among the 8 ranks of tp. */
static void test_full_recomputation_keeps_the_inputs_of_layers(void **state)
{
    static const WeightBytes of_weight = { .weight_bytes = 2 };

    (void)state;
    for (int divides = 0; divides <= 1; divides++) {
        StageMemory memory;
        TransformerFixture f;

        transformer_fixture_init(&f, "megatron-22b", 1, 1, 1, 4, divides);
        f.transformer.recompute = recompute_set_of_word(RECOMPUTE_FULL);
        memory = transformer_stage_memory(&f.transformer, f.schedule, f.parts,
                                          0, &of_weight);
        assert_int_equal(memory.peak.bytes[MEMORY_ACTIVATIONS],
                         f.transformer.model.n_layers * 4 * 2048 * 2 *
                             f.transformer.model.hidden / (divides ? 8 : 1));
        transformer_fixture_clear(&f);
    }
}

/* A stage has a buffer for each direction and neighbour. */
static void test_stages_have_buffers_for_their_neighbours(void **state)
{
    static const uint64_t n_buffers[] = { 2, 4, 4, 2 };
    static const WeightBytes of_weight = { .weight_bytes = 2 };
    TransformerFixture f;

    (void)state;
    transformer_fixture_init(&f, "gpt-3-175b", 4, 1, 4, 1, FALSE);
    for (uint32_t stage = 0; stage < 4; stage++) {
        StageMemory memory = transformer_stage_memory(
            &f.transformer, f.schedule, f.parts, stage, &of_weight);

        assert_int_equal(memory.peak.bytes[MEMORY_BUFFERS],
                         n_buffers[stage] *
                             transformer_boundary_bytes(&f.transformer));
    }
    transformer_fixture_clear(&f);
}

static void test_experts_send_their_tokens_both_ways(void **state)
{
    GError *error = NULL;
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_graph(MOE "}", 8, &doc, &error);

    (void)state;
    assert_no_error(error);
    /* of two micro-batches, three layers exchange tokens four times */
    assert_int_equal(sum_payloads(graph, COLL_ALL_TO_ALL, "ep", 1),
                     UINT64_C(8) * 2 * 3 * 4 * 32 * 2 * 64 * 2);
    assert_int_equal(graph->n_weights,
                     104 * H * 2 + H + 4 * (4 * H * H + 2 * H) + 3 * H * 96 +
                         3 * (16 * 3 * H * 32 + H * 16));
    config_doc_free(doc);
}

/* A stage has the weights of two virtual stages; the ranks of both that hold
 * the same ones reduce their gradients together. */
static void test_mirrored_stages_of_dualpipe_share_weights(void **state)
{
    GError *error = NULL;
    ConfigDoc *docs[2];
    g_autoptr(OpGraph) one =
        build_graph(MOE_OF("{pp: 2, ep: 4}") ", schedule: {kind: zb-h1}}", 8,
                    &docs[0], &error);
    g_autoptr(OpGraph) two =
        build_graph(MOE_OF("{pp: 2, ep: 4}") ", schedule: {kind: dualpipe}}", 8,
                    &docs[1], &error);
    static const int parts[] = { MEMORY_WEIGHTS, MEMORY_GRADIENTS };
    const uint64_t dense =
        104 * H * 2 + H + 4 * (4 * H * H + 2 * H) + 3 * H * 96 + 3 * H * 16;
    const uint64_t experts = UINT64_C(3) * 16 * 3 * H * 32;
    uint64_t all[2] = { 0 };

    (void)state;
    assert_no_error(error);
    /* of two stages of four ranks; the experts are divided among the four */
    assert_int_equal(sum_payloads(one, COLL_REDUCE_SCATTER, "cp+dp", 1),
                     4 * dense * 4);
    assert_int_equal(sum_payloads(two, COLL_REDUCE_SCATTER, "mirror+cp+dp", 1),
                     8 * dense * 4);
    assert_int_equal(sum_payloads(one, COLL_REDUCE_SCATTER, "edp", 1), 0);
    assert_int_equal(sum_payloads(two, COLL_REDUCE_SCATTER, "mirror+edp", 1),
                     2 * experts * 4);
    assert_int_equal(sum_product_flop(one), sum_product_flop(two));
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
        for (guint s = 0; s < 2; s++) {
            all[0] +=
                g_array_index(one->memory, StageMemory, s).peak.bytes[parts[i]];
            all[1] +=
                g_array_index(two->memory, StageMemory, s).peak.bytes[parts[i]];
        }
        assert_int_equal(2 * all[0], all[1]);
    }
    config_doc_free(docs[0]);
    config_doc_free(docs[1]);
}

/* Returns how many of @n_places with equal shares of @n_experts two different
 * experts lie on, as the mean over all pairs. */
static double places_of_pairs(uint32_t n_experts, uint32_t n_places)
{
    uint32_t share = n_experts / n_places, n = 0, n_pairs = 0;

    for (uint32_t a = 0; a < n_experts; a++)
        for (uint32_t b = 0; b < a; b++, n_pairs++)
            n += a / share == b / share ? 1 : 2;
    return (double)n / n_pairs;
}

static void test_a_token_reaches_the_mean_number_of_places(void **state)
{
    static const uint32_t rows[][2] = { { 16, 1 }, { 16, 2 },  { 16, 4 },
                                        { 16, 8 }, { 16, 16 }, { 12, 3 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        assert_true(fabs(expert_exchange_mean_places_of_token(rows[i][0], 2,
                                                              rows[i][1]) -
                         places_of_pairs(rows[i][0], rows[i][1])) < 1e-12);
    /* eight of the 128 experts on four nodes, as DeepSeek-V3 chooses them */
    assert_true(fabs(expert_exchange_mean_places_of_token(128, 8, 4) - 3.629) <
                0.001);
    assert_true(expert_exchange_mean_places_of_token(8, 8, 4) == 4);
}

/* A rank sends its 32 tokens between two nodes of two ranks each. */
static void test_tokens_are_sent_once_to_a_node(void **state)
{
    static const struct {
        const char *more;
        uint64_t dispatch, combine; /* bytes of a value */
        uint64_t between, inside;   /* copies */
    } rows[] = {
        { "", 2, 2, 50, 58 },
        { ", experts: {dispatch: fp8}", 1, 2, 50, 58 },
        { ", experts: {dispatch: fp8, combine: fp32}", 1, 4, 50, 58 },
        { ", experts: {most_nodes: 1}", 2, 2, 32, 51 },
        { ", experts: {most_nodes: 7, pieces: 3}", 2, 2, 50, 58 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *workload =
            g_strdup_printf(MOE_OF("{ep: 4, ep_local: 2}") "%s}", rows[i].more);
        /* of 8 ranks, two micro-batches and three layers; there and back, and
         * in both passes */
        uint64_t n =
            UINT64_C(8) * 2 * 3 * 2 * (rows[i].dispatch + rows[i].combine) * H;
        GError *error = NULL;
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_graph(workload, 8, &doc, &error);

        assert_no_error(error);
        assert_int_equal(sum_payloads(graph, COLL_ALL_TO_ALL, "ep_nodes", 1),
                         n * rows[i].between);
        assert_int_equal(sum_payloads(graph, COLL_ALL_TO_ALL, "ep_local", 1),
                         n * rows[i].inside);
        assert_int_equal(sum_payloads(graph, COLL_ALL_TO_ALL, "ep", 1), 0);
        config_doc_free(doc);
    }
}

/* Kernels of one unit of a pair lie behind the communication of the other. */
static void test_units_of_a_pair_take_turns_at_communication(void **state)
{
    GError *error = NULL;
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph =
        build_graph(MOE ", schedule: {kind: file, units: [\"F0 F1+B0 B1\"]}}",
                    8, &doc, &error);
    guint n_turns = 0, n_others = 0;

    (void)state;
    assert_no_error(error);
    for (uint32_t o = 1; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o),
                 *before = op_graph_op(graph, o - 1);

        if (op->unit == before->unit || op->unit > 3 || before->unit > 3 ||
            op->unit < 2 || before->unit < 2)
            continue;
        n_turns++;
        n_others += before->type != OP_COLLECTIVE;
    }
    assert_true(n_turns > 12);
    assert_int_equal(n_others, 1); /* behind the last communication of one */
    config_doc_free(doc);
}

/* Ranks of ep with 12, 4, 4 and 4 of 24 parts: the fullest has half of the
 * tokens of the group, twice those of an even load. */
static void test_uneven_experts_take_the_time_of_the_fullest_rank(void **state)
{
    GError *error = NULL;
    ConfigDoc *docs[2];
    g_autoptr(OpGraph) even = build_graph(MOE "}", 8, &docs[0], &error);
    g_autoptr(OpGraph) uneven = build_graph(
        MOE ", expert_load: {weights: [3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
            "1, 1, 1]}}",
        8, &docs[1], &error);
    /* of 8 ranks, 2 micro-batches and 3 layers, 4 experts with 16 more tokens
     * each, forward and backward */
    uint64_t more = UINT64_C(8) * 2 * 3 * 4 * 16 * 6 * 3 * H * 32;

    (void)state;
    assert_no_error(error);
    assert_int_equal(sum_product_flop(uneven) - sum_product_flop(even), more);
    assert_int_equal(sum_payloads(uneven, COLL_ALL_TO_ALL, "ep", 1), 0);
    assert_int_equal(sum_payloads(uneven, COLL_ALL_TO_ALLV, "ep", 1),
                     sum_payloads(even, COLL_ALL_TO_ALL, "ep", 1));
    for (uint32_t o = 0; o < uneven->ops->len; o++) {
        const Op *op = op_graph_op(uneven, o);

        if (op->type != OP_COLLECTIVE || op->kind != COLL_ALL_TO_ALLV)
            continue;
        assert_int_equal(op->weights->n, 4);
        assert_int_equal(op->weights->sums[1], 500000000);
        assert_int_equal(op->weights->sums[4], 1000000001); /* rounded */
    }
    config_doc_free(docs[0]);
    config_doc_free(docs[1]);
}

static void test_loads_that_no_router_makes_are_refused(void **state)
{
    static const struct {
        const char *load, *message;
    } wrong[] = {
        { "{zipf: 2}",
          "an expert would have 63.1 % of the chosen tokens, and a "
          "token uses 2 different experts, so that none has more "
          "than 50 %; use a more even load" },
        { "{weights: [1, 2]}", "weights: 2 for 16 experts; give one for each" },
        { "{zipf: 1, weights: [1]}", "exclude each other; give one" },
        { "{weights: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}",
          "all are 0; give at least one" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *workload =
            g_strdup_printf(MOE ", expert_load: %s}", wrong[i].load);
        g_autoptr(GError) error = NULL;
        ConfigDoc *doc;

        assert_null(build_graph(workload, 8, &doc, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s", error->message);
        g_clear_pointer(&doc, config_doc_free);
    }
}

/* Figure 1 of [KORTHIKANTI]: GiB of weights and optimiser of a rank, and of
 * activations of the first stage without recomputation, and with selective
 * recomputation and sequence parallelism. */
static void test_memory_equals_the_published_figures(void **state)
{
    static const struct {
        const char *model;
        uint32_t pp, n_chunks, n_micro_batches, micro_batch;
        double weights, all, selective;
    } rows[] = {
        { "megatron-22b", 1, 1, 1, 4, 45.5625, 59.25, 9.5625 },
        { "gpt-3-175b", 8, 3, 64, 1, 45.5625, 66.84375, 12.3515625 },
        { "megatron-530b", 35, 3, 280, 1, 31.640625, 114.0234375,
          23.076171875 },
        { "megatron-1t", 64, 1, 512, 1, 32.958984375, 131.25, 26.5625 },
    };
    static const WeightBytes of_weight = { .weight_bytes = 2,
                                           .gradient_bytes = 4,
                                           .state_bytes = 12 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (int is_selective = 0; is_selective <= 1; is_selective++) {
            uint64_t n_layers, h, bytes;
            double gib = 1024.0 * 1024 * 1024, activations;
            StageMemory memory;
            TransformerFixture f;

            transformer_fixture_init(&f, rows[i].model, rows[i].pp,
                                     rows[i].n_chunks, rows[i].n_micro_batches,
                                     rows[i].micro_batch, is_selective);
            f.transformer.is_fused = FALSE;
            memory = transformer_stage_memory(&f.transformer, f.schedule,
                                              f.parts, 0, &of_weight);
            n_layers = f.transformer.model.n_layers;
            h = f.transformer.model.hidden;
            /* the figure counts 12 L h^2 weights */
            bytes = 18 * (12 * n_layers * h * h / (8 * rows[i].pp));
            assert_true(fabs((double)bytes / gib - rows[i].weights) < 0.005);
            activations = (double)memory.peak.bytes[MEMORY_ACTIVATIONS] / gib;
            if (fabs(activations -
                     (is_selective ? rows[i].selective : rows[i].all)) > 0.005)
                fail_msg("%s: %g GiB of activations", rows[i].model,
                         activations);
            transformer_fixture_clear(&f);
        }
    }
}

/* Returns the FLOP of all kernels of @workload on 8 NPUs; sets *@ret_model_flop
 * to those of the model. */
static uint64_t sum_flop_of(const char *workload, double *ret_model_flop)
{
    GError *error = NULL;
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_graph(workload, 8, &doc, &error);
    uint64_t flop = 0;

    assert_no_error(error);
    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);

        if (op->type == OP_COMPUTE)
            flop += op->work->flop * count_npus(graph, op, 8);
    }
    *ret_model_flop = graph->model_flop;
    config_doc_free(doc);
    return flop;
}

/* Returns sum_flop_of() of the small model with the keys @more. */
static uint64_t sum_kernel_flop(const char *more, double *ret_model_flop)
{
    g_autofree char *workload = g_strdup_printf(
        "{kind: transformer, " SMALL "batch: {global: 16}, %s}", more);

    return sum_flop_of(workload, ret_model_flop);
}

/* With 8 heads of 8 values, attention has 128 FLOP for each pair of tokens and
 * layer forward, and 2.5 times as many backward, half of it as it is causal. */
static void test_attention_depends_on_the_packed_documents(void **state)
{
    static const struct {
        const char *documents;
        uint64_t mean; /* tokens of the document of a token */
    } rows[] = {
        { "[{length: 32}]", 32 },
        { "[{length: 8}]", 8 },
        { "[{length: 8, share: 50 %}, {length: 16, share: 50 %}]", 12 },
        { "[{length: 8, share: 75 %}, {length: 32, share: 25 %}]", 14 },
    };
    const uint64_t n_tokens = 16 * 32, n_layers = 12;
    double whole_model, model;
    uint64_t whole = sum_kernel_flop("name: w", &whole_model);

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *more =
            g_strdup_printf("documents: %s", rows[i].documents);
        uint64_t flop = sum_kernel_flop(more, &model);
        uint64_t less = n_tokens * n_layers * 128 * (32 - rows[i].mean);

        assert_int_equal(whole - flop, less * 7 / 2);
        assert_true(fabs(whole_model - model - 3.0 * (double)less) < 0.5);
    }
}

/* Every third of 12 layers has no window of 8 tokens.  The first 8 of 32 tokens
 * attend to 4 on average, the others to 8, which makes 7.  A window of the
 * whole sequence changes nothing. */
static void test_windows_count_in_their_layers(void **state)
{
    const char *const windows[] = { "", "window: 8, ",
                                    "window: 8, window_period: 3, ",
                                    "window: 32, " };
    const uint64_t n_pairs[] = { 12 * 32 / 2, 12 * 7, 8 * 7 + 4 * 32 / 2,
                                 12 * 32 / 2 };
    uint64_t flop[G_N_ELEMENTS(windows)];
    double model_flop[G_N_ELEMENTS(windows)];

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(windows); i++) {
        g_autofree char *workload = g_strdup_printf(
            "{kind: transformer, model: {%sname: small, layers: 12, hidden: "
            "64, heads: 8, kv_heads: 4, ffn: 96, vocabulary: 104}, sequence: "
            "32, batch: {global: 16}}",
            windows[i]);

        flop[i] = sum_flop_of(workload, &model_flop[i]);
        /* 16 x 32 tokens, 256 FLOP for a pair, 2.5 times as much backward */
        assert_int_equal(flop[0] - flop[i],
                         16 * 32 * 256 * (n_pairs[0] - n_pairs[i]) * 7 / 2);
        assert_true(fabs(model_flop[0] - model_flop[i] -
                         3.0 * 16 * 32 * 256 *
                             (double)(n_pairs[0] - n_pairs[i])) < 0.5);
    }
}

static void test_degrees_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *more, *message;
    } wrong[] = {
        { "batch: {global: 8}, parallel: {tp: 3, dp: 1}",
          "tp 3 is not the platform's 8" },
        { "batch: {global: 8}, parallel: {tp: 8}",
          "tp 8 does not divide 4 heads of keys and values" },
        { "batch: {global: 7}", "no whole number" },
        { "batch: {global: 8}, parallel: {ep: 2}", "has no experts" },
        { "batch: {global: 8}, parallel: {tp: 2, sequence: false, tp_pieces: "
          "2}",
          "tp_pieces 2 cut the gathers and sums of 'sequence: true', and "
          "sequence is false; leave one of them out" },
        { "batch: {global: 8}, parallel: {ep_copies: 1}",
          "has 0 experts, so it is not sent 1 times" },
        { "batch: {global: 8}, parallel: {ep: 2, ep_local: 4}",
          "ep_local 4 does not divide ep 2" },
        { "batch: {global: 8}, experts: {most_nodes: 2}",
          "most_nodes needs parallel.ep_local" },
        { "batch: {global: 8}, parallel: {pp: 8}, schedule: {kind: "
          "interleaved, chunks: 2}",
          "16 virtual stages are more than the 12 layers" },
        { "batch: {global: 2}, parallel: {pp: 4}, schedule: {kind: "
          "interleaved, chunks: 2}",
          "as many micro-batches as stages (4)" },
        { "batch: {global: 16}, parallel: {pp: 2}, schedule: {kind: dualpipe}, "
          "shard: {kind: fsdp}",
          "dualpipe keeps two copies of the weights, on two stages that do not "
          "reduce the gradients of a micro-batch at the same time; take "
          "zero-1" },
        { "batch: {global: 16}, parallel: {pp: 2}, schedule: {kind: dualpipe}, "
          "shard: {kind: hsdp, within: 2}",
          "reduce the gradients of a micro-batch at the same time; take "
          "zero-1" },
        { "batch: {global: 8}, shard: {kind: hsdp, within: 3}",
          "shard: hsdp: within 3 does not divide dp 8; use a divisor, such as "
          "the data-parallel ranks of a node" },
        { "batch: {global: 8}, shard: {kind: hsdp, within: 16}",
          "shard: hsdp: within 16 does not divide dp 8" },
        { "batch: {global: 8}, shard: {kind: hsdp, within: 8}",
          "within 8 is all of dp, so there are no copies; take fsdp" },
        { "batch: {global: 8}, shard: {kind: hsdp, within: 1}",
          "within 1 divides nothing; take replicated" },
        { "batch: {global: 8}, shard: {kind: hsdp}", "missing key 'within'" },
        { "batch: {global: 16}, parallel: {pp: 4}, schedule: {kind: dualpipe, "
          "micro_batches: 7}",
          "the batch makes 8, not 7" },
        { "batch: {global: 8}, schedule: {kind: 1f1b, micro_batches: 3}",
          "the batch makes 1, not 3" },
        { "batch: {global: 8}, expert_load: {zipf: 0.3}",
          "the model has no experts; leave it out" },
        { "batch: {global: 8}, documents: [{length: 33}]",
          "one of 33 tokens is longer than the sequence of 32; cut it" },
        { "batch: {global: 8}, documents: [{length: 3, share: 30 %}, {length: "
          "4, share: 60 %}]",
          "the shares make 90 %; change one" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *workload =
            g_strdup_printf("{kind: transformer, " SMALL "%s}", wrong[i].more);
        g_autoptr(GError) error = NULL;
        ConfigDoc *doc;

        assert_null(build_graph(workload, 8, &doc, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%zu: %s", i, error->message);
        g_clear_pointer(&doc, config_doc_free);
    }
}

/* Sums over the operations of a graph and all ranks. */
typedef struct {
    uint64_t product_flop, elementwise_bytes, attention_flop;
    uint64_t n_launches, host_ps, n_tp;
} GraphSums;

static GraphSums sums_of_graph(const OpGraph *graph)
{
    GraphSums sums = { 0 };

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);
        uint64_t n = count_npus(graph, op, 8);

        if (op->type == OP_STAGE) {
            sums.n_launches += n;
            sums.host_ps += n * op->duration_ps;
        } else if (op->type == OP_COLLECTIVE) {
            sums.n_tp +=
                g_str_equal(op_graph_group(graph, op->group)->name, "tp");
        } else if (op->work->product.m > 0) {
            sums.product_flop += n * op->work->flop;
        } else if (op->work->class == KERNEL_CLASS_ELEMENTWISE) {
            sums.elementwise_bytes += n * op->work->bytes;
        } else {
            sums.attention_flop += n * op->work->flop;
        }
    }
    return sums;
}

/* Builds the small model with @more keys on 8 NPUs, tp 4. */
static OpGraph *build_small(const char *more, const char *products,
                            ConfigDoc **ret_doc)
{
    g_autofree char *workload = g_strdup_printf(
        "{kind: transformer, " SMALL "batch: {global: 4}, %s}", more);
    GError *error = NULL;
    OpGraph *graph = build_graph_with(workload, products, 8, ret_doc, &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

static void test_pieces_do_the_same_work(void **state)
{
    ConfigDoc *docs[2];
    g_autoptr(OpGraph) whole =
        build_small("parallel: {tp: 4}", "training", &docs[0]);
    g_autoptr(OpGraph) cut =
        build_small("parallel: {tp: 4, tp_pieces: 3}", "training", &docs[1]);
    GraphSums a = sums_of_graph(whole), b = sums_of_graph(cut);

    (void)state;
    assert_int_equal(a.product_flop, b.product_flop);
    assert_int_equal(a.elementwise_bytes, b.elementwise_bytes);
    assert_int_equal(sum_payloads(whole, COLL_ALL_GATHER, "tp", 1),
                     sum_payloads(cut, COLL_ALL_GATHER, "tp", 1));
    assert_int_equal(sum_payloads(whole, COLL_REDUCE_SCATTER, "tp", 1),
                     sum_payloads(cut, COLL_REDUCE_SCATTER, "tp", 1));
    /* of a layer's ten collectives six are cut, for two micro-batches */
    assert_int_equal(b.n_tp - a.n_tp, 2 * 12 * 6 * 2);
    config_doc_free(docs[0]);
    config_doc_free(docs[1]);
}

static void test_unfused_attention_has_products_of_each_head(void **state)
{
    ConfigDoc *docs[2];
    g_autoptr(OpGraph) fused = build_small(
        "parallel: {tp: 4}, attention: fused", "training", &docs[0]);
    g_autoptr(OpGraph) unfused =
        build_small("parallel: {tp: 4}, attention: unfused, recompute: none",
                    "training", &docs[1]);
    GraphSums a = sums_of_graph(fused), b = sums_of_graph(unfused);
    /* 4 s s a d forward, twice that backward, in 12 layers of 4 sequences */
    uint64_t flop = UINT64_C(12) * 32 * 32 * H * 12 * 4;
    /* softmax: 2 + 3 values of each score */
    uint64_t bytes = UINT64_C(2) * 5 * 32 * 32 * 8 * 12 * 4;

    (void)state;
    assert_int_equal(b.product_flop - a.product_flop, flop);
    assert_int_equal(b.elementwise_bytes - a.elementwise_bytes, bytes);
    config_doc_free(docs[0]);
    config_doc_free(docs[1]);
}

static void test_quantised_values_are_gathered_and_cast(void **state)
{
    ConfigDoc *docs[3];
    g_autoptr(OpGraph) plain =
        build_small("parallel: {tp: 4}", "training", &docs[0]);
    g_autoptr(OpGraph) fp8 = build_small("parallel: {tp: 4}", "fp8", &docs[1]);
    g_autoptr(OpGraph) fp4 =
        build_small("parallel: {tp: 4}", "nvfp4", &docs[2]);
    uint64_t vector = UINT64_C(32) * H;
    uint64_t n = UINT64_C(8) * 2 * 12 * 6; /* gathers of layers */
    uint64_t all = sum_payloads(plain, COLL_ALL_GATHER, "tp", 1);
    /* Values of a layer that are cast: two inputs and two gradients between
     * parts, attention's output, gradients of queries, keys and values, the
     * activation and the gradients of both of its inputs. */
    uint64_t cast = 32 * (4 * H + H + 2 * H + 3 * 96) / 4 * 8 * 2 * 12;

    (void)state;
    assert_int_equal(all - sum_payloads(fp8, COLL_ALL_GATHER, "tp", 1),
                     n * vector);
    assert_int_equal(all - sum_payloads(fp4, COLL_ALL_GATHER, "tp", 1),
                     n * (2 * vector - vector / 2 - vector / 16));
    assert_int_equal(sums_of_graph(fp8).elementwise_bytes -
                         sums_of_graph(plain).elementwise_bytes,
                     cast * 4);
    config_doc_free(docs[0]);
    config_doc_free(docs[1]);
    config_doc_free(docs[2]);
}

static void test_the_host_launches_each_pass_of_a_layer(void **state)
{
    ConfigDoc *doc;
    g_autoptr(OpGraph) graph = build_small(
        "parallel: {pp: 2}, host: {forward: 10 us, backward: 20 us, step: 1 ms}",
        "training", &doc);
    GraphSums sums = sums_of_graph(graph);
    /* a micro-batch on each of 4 replicas */
    uint64_t us = 4 * (12 * 30 + 2 * 10) + 8 * 1000;

    (void)state;
    /* A pass of a layer, or of the head, is launched in eight pieces. */
    assert_int_equal(sums.n_launches, 8 * 4 * (12 * 2 + 2) + 8);
    assert_int_equal(sums.host_ps, us * 1000000);
    config_doc_free(doc);
}

/* ---- recomputation by module --------------------------------------------- */

/* A layer with dense, expert or latent modules, its repeated work, and the
 * bytes that it keeps on tp 2, of T = 32 tokens of bf16. */
typedef struct {
    const char *model, *recompute;
    /* Weights of a layer whose products a token repeats; experts count as often
     * as a token uses them. */
    uint64_t n_repeated;
    uint64_t n_kernels; /* kernels without products that a layer repeats */
    uint64_t kept;      /* bytes of a layer */
} RecomputeRow;

#define T                 UINT64_C(32)
#define TOKENS            (2 * T * H / 2) /* an input, or the output of a norm */
#define ATTENTION         (2 * T * (64 + 2 * 32 + 64) / 2)
#define MLP               (2 * T * 3 * 96 / 2)
#define ATTENTION_WEIGHTS (H * (64 + 2 * 32) + 64 * H)
#define MLP_WEIGHTS       (3 * H * 96)
#define EXPERT            (3 * H * 32)
#define WITH_EXPERTS      ", experts: {count: 8, per_token: 2, ffn: 32, shared: 1}"
#define WITH_LATENT                                                            \
    ", latent: {query_rank: 24, key_value_rank: 16, rotary: 4, other: 8, "     \
    "value: 6}"
#define WITH_WHOLE_QUERY                                                       \
    ", latent: {key_value_rank: 16, rotary: 4, other: 8, value: 6}"
#define QUERIES    (2 * T * 8 * 12 / 2)
#define KEY_VALUES (2 * T * 8 * (12 + 6) / 2)
#define RESULTS    (2 * T * 8 * 6 / 2)

static const RecomputeRow recompute_rows[] = {
    { "", "none", 0, 0, 4 * TOKENS + ATTENTION + MLP },
    { "", "selective", 0, 0, 4 * TOKENS + ATTENTION + MLP },
    { "", "[scores]", 0, 0, 4 * TOKENS + ATTENTION + MLP },
    { "", "[mlp]", MLP_WEIGHTS, 2, 3 * TOKENS + ATTENTION },
    { "", "[attention]", ATTENTION_WEIGHTS, 2, 3 * TOKENS + MLP },
    { "", "[attention, mlp]", ATTENTION_WEIGHTS + MLP_WEIGHTS, 4, 2 * TOKENS },
    { "", "full", ATTENTION_WEIGHTS + MLP_WEIGHTS, 4, TOKENS },
    { "", "[norms]", 0, 2, 2 * TOKENS + ATTENTION + MLP },
    { "", "[norms, mlp]", MLP_WEIGHTS, 3, 2 * TOKENS + ATTENTION },
    /* two chosen experts: copies of tokens and inner values */
    { WITH_EXPERTS, "none", 0, 0,
      4 * TOKENS + ATTENTION + 2 * T *(2 * (64 + 96) + 96) / 2 },
    { WITH_EXPERTS, "[experts]", 3 * EXPERT + 8 * H, 5,
      3 * TOKENS + ATTENTION },
    { WITH_EXPERTS, "[activations]", 0, 1,
      4 * TOKENS + ATTENTION + 2 * T *(2 * (64 + 64) + 96) / 2 },
    { WITH_EXPERTS, "[shared_experts]", EXPERT, 1,
      4 * TOKENS + ATTENTION + 2 * T * 2 * (64 + 96) / 2 },
    { WITH_EXPERTS, "[activations, shared_experts, norms]", EXPERT, 4,
      2 * TOKENS + ATTENTION + 2 * T * 2 * (64 + 64) / 2 },
    /* Latent vectors of 24 and 16 values are kept before and behind their
     * norms. */
    { WITH_LATENT, "none", 0, 0,
      4 * TOKENS + QUERIES + KEY_VALUES + RESULTS + MLP +
          2 * T * 2 * (24 + 16) / 2 },
    { WITH_LATENT, "[latent]", 24 * 8 * 12 + 16 * 8 * (8 + 6), 0,
      4 * TOKENS + RESULTS + MLP + 2 * T *(24 + 16 + 4) / 2 },
    { WITH_WHOLE_QUERY, "none", 0, 0,
      4 * TOKENS + QUERIES + KEY_VALUES + RESULTS + MLP + 2 * T * 2 * 16 / 2 },
    /* A window changes what attention reads, but fused attention keeps no
     * scores. */
    { ", window: 8", "none", 0, 0, 4 * TOKENS + ATTENTION + MLP },
};

static OpGraph *build_recomputed(const RecomputeRow *row, const char *schedule,
                                 ConfigDoc **ret_doc)
{
    g_autofree char *workload = g_strdup_printf(
        "{kind: transformer, model: {name: small, layers: 12, hidden: 64, "
        "heads: 8, kv_heads: 4, ffn: 96, vocabulary: 104%s}, sequence: 32, "
        "batch: {global: 16}, parallel: {tp: 2, ep: 2, pp: 2}, "
        "schedule: {kind: %s}, recompute: %s}",
        row->model, schedule, row->recompute);
    g_autofree char *dense = g_strdup(workload);
    GError *error = NULL;
    OpGraph *graph;

    if (!strstr(row->model, "experts"))
        memcpy(strstr(dense, "ep: 2"), "ep: 1", strlen("ep: 1"));
    graph = build_graph(dense, 8, ret_doc, &error);
    if (!graph)
        fail_msg("%s: %s", row->recompute, error->message);
    return graph;
}

static uint64_t count_kernels_without_products(const OpGraph *graph)
{
    uint64_t n = 0;

    for (uint32_t o = 0; o < graph->ops->len; o++) {
        const Op *op = op_graph_op(graph, o);

        if (op->type == OP_COMPUTE && op->work->product.m == 0)
            n += count_npus(graph, op, 8);
    }
    return n;
}

/* Each schedule has 16 / 2 micro-batches of T tokens on 2 replicas. */
static void test_recomputed_modules_repeat_their_work(void **state)
{
    static const char *const schedules[] = { "1f1b", "zb-h1", "gpipe" };
    const RecomputeRow *kept = &recompute_rows[0];

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(recompute_rows); i++) {
        const RecomputeRow *row = &recompute_rows[i];

        if (g_str_equal(row->recompute, "none"))
            kept = row;
        for (gsize s = 0; s < G_N_ELEMENTS(schedules); s++) {
            ConfigDoc *docs[2];
            g_autoptr(OpGraph) all =
                build_recomputed(kept, schedules[s], &docs[0]);
            g_autoptr(OpGraph) graph =
                build_recomputed(row, schedules[s], &docs[1]);

            assert_int_equal(sum_product_flop(graph) - sum_product_flop(all),
                             2 * row->n_repeated * 12 * 16 * T);
            /* of 6 layers of a stage, on 4 ranks, in 8 micro-batches */
            assert_int_equal(count_kernels_without_products(graph) -
                                 count_kernels_without_products(all),
                             row->n_kernels * 12 * 4 * 8);
            config_doc_free(docs[0]);
            config_doc_free(docs[1]);
        }
    }
}

/* The first of two stages has two micro-batches of 6 layers in flight. */
static void test_recomputed_modules_keep_their_inputs(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(recompute_rows); i++) {
        const RecomputeRow *row = &recompute_rows[i];
        ConfigDoc *doc;
        g_autoptr(OpGraph) graph = build_recomputed(row, "1f1b", &doc);
        const StageMemory *memory =
            &g_array_index(graph->memory, StageMemory, 0);

        if (memory->peak.bytes[MEMORY_ACTIVATIONS] != 2 * 6 * row->kept)
            fail_msg("%s: %" G_GUINT64_FORMAT " bytes", row->recompute,
                     memory->peak.bytes[MEMORY_ACTIVATIONS]);
        config_doc_free(doc);
    }
}

static void test_recomputation_of_what_is_not_there_is_refused(void **state)
{
    static const char *const rows[][2] = {
        { "[full, mlp]", "recompute: 'full' stands alone" },
        { "[none, selective]", "recompute: 'none' stands alone" },
        { "[experts]", "model 'small' has no layer with 'experts'" },
        { "[latent]", "model 'small' has no latent vectors" },
        { "[activations]", "model 'small' has no experts" },
        { "[shared_experts]", "model 'small' has no shared experts" },
        { "[]", "recompute: expected 1 to 16 items, got 0" },
        { "layers", "recompute: unknown value 'layers'" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *workload = g_strdup_printf(
            "{kind: transformer, " SMALL "batch: {global: 8}, recompute: %s}",
            rows[i][0]);
        g_autoptr(GError) error = NULL;
        ConfigDoc *doc;

        assert_null(build_graph(workload, 8, &doc, &error));
        if (!strstr(error->message, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], error->message);
        if (doc)
            config_doc_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_have_the_flop_of_their_weights),
        cmocka_unit_test(test_axes_carry_the_bytes_of_the_formulas),
        cmocka_unit_test(test_a_ring_shifts_the_bytes_of_the_formulas),
        cmocka_unit_test(test_a_ring_needs_fused_attention),
        cmocka_unit_test(test_shardings_move_the_bytes_of_all_weights),
        cmocka_unit_test(test_groups_reduce_the_parts_of_all_weights),
        cmocka_unit_test(test_predictions_have_the_flop_of_their_weights),
        cmocka_unit_test(test_predictions_carry_the_bytes_of_the_formulas),
        cmocka_unit_test(test_predictions_take_memory_on_the_last_stage),
        cmocka_unit_test(test_shardings_divide_memory),
        cmocka_unit_test(test_groups_divide_the_experts_that_they_share),
        cmocka_unit_test(test_experts_keep_the_tokens_that_reach_them),
        cmocka_unit_test(test_experts_send_their_tokens_both_ways),
        cmocka_unit_test(test_mirrored_stages_of_dualpipe_share_weights),
        cmocka_unit_test(test_a_token_reaches_the_mean_number_of_places),
        cmocka_unit_test(test_tokens_are_sent_once_to_a_node),
        cmocka_unit_test(test_units_of_a_pair_take_turns_at_communication),
        cmocka_unit_test(test_memory_equals_the_published_figures),
        cmocka_unit_test(
            test_experts_are_divided_among_the_ranks_that_share_them),
        cmocka_unit_test(test_latent_attention_keeps_whole_keys_and_values),
        cmocka_unit_test(test_full_recomputation_keeps_the_inputs_of_layers),
        cmocka_unit_test(test_stages_have_buffers_for_their_neighbours),
        cmocka_unit_test(test_uneven_experts_take_the_time_of_the_fullest_rank),
        cmocka_unit_test(test_loads_that_no_router_makes_are_refused),
        cmocka_unit_test(test_attention_depends_on_the_packed_documents),
        cmocka_unit_test(test_weights_of_consecutive_groups_are_gathered),
        cmocka_unit_test(test_windows_count_in_their_layers),
        cmocka_unit_test(test_degrees_that_do_not_fit_are_refused),
        cmocka_unit_test(test_pieces_do_the_same_work),
        cmocka_unit_test(test_unfused_attention_has_products_of_each_head),
        cmocka_unit_test(test_quantised_values_are_gathered_and_cast),
        cmocka_unit_test(test_the_host_launches_each_pass_of_a_layer),
        cmocka_unit_test(test_recomputed_modules_repeat_their_work),
        cmocka_unit_test(test_recomputed_modules_keep_their_inputs),
        cmocka_unit_test(test_recomputation_of_what_is_not_there_is_refused),
    };

    return cmocka_run_group_tests_name("transformer", tests, NULL, NULL);
}
