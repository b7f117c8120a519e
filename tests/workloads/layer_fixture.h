/*
 * layer_fixture.h - computes the cost of a layer given as YAML
 *
 * Values are FP16.
 */
#ifndef TESTS_WORKLOADS_LAYER_FIXTURE_H
#define TESTS_WORKLOADS_LAYER_FIXTURE_H

#include "tests/test.h"

#include "workloads/layer.h"

typedef struct {
    ConfigVariant layer;
} Root;

static const ConfigField root_fields[] = {
    { .key = "layer",
      .help = "the one to test",
      .type = CONFIG_KIND,
      .offset = offsetof(Root, layer),
      .registry = &layer_registry },
    CONFIG_END,
};

/* Computes the cost of the layer in @yaml.  Returns FALSE with @error set if
 * the layer is invalid. */
static inline gboolean read_layer_cost(const char *yaml,
                                       const LayerContext *context,
                                       LayerCost *ret, GError **error)
{
    g_autofree char *text = g_strdup_printf("layer: { %s }\n", yaml);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    Root root;

    if (!doc || !config_doc_read(doc, root_fields, &root, error) ||
        !layer_check(&root.layer, error))
        return FALSE;
    layer_compute_cost(&root.layer, context, ret);
    return TRUE;
}

static inline LayerCost
layer_cost_in_sequence_context(const char *yaml, const LayerContext *context)
{
    GError *error = NULL;
    LayerCost cost = { 0 };

    if (!read_layer_cost(yaml, context, &cost, &error))
        fail_msg("%s", error->message);
    return cost;
}

static inline LayerCost layer_cost_with_batch(const char *yaml, uint64_t batch,
                                              gboolean elementwise)
{
    return layer_cost_in_sequence_context(
        yaml, &(LayerContext){ .batch = batch,
                               .value_bytes = 2,
                               .elementwise = elementwise,
                               .fused = TRUE });
}

/* Returns the cost with one kernel per elementwise operation, without fusion,
 * as in frameworks of 2017. */
static inline LayerCost layer_cost_without_fusion(const char *yaml)
{
    return layer_cost_in_sequence_context(
        yaml,
        &(LayerContext){ .batch = 1, .value_bytes = 2, .elementwise = TRUE });
}

static inline LayerCost cost(const char *yaml, uint64_t batch)
{
    return layer_cost_with_batch(yaml, batch, TRUE);
}

/* Checks the sums of FLOP and bytes over all kernels of @pass. */
static inline void assert_pass_work(const LayerCost *cost, OpPass pass,
                                    uint64_t flop, uint64_t bytes)
{
    OpWork all = { 0 };

    for (guint i = 0; i < LAYER_MAX_WORKS; i++) {
        all.flop += cost->pass[pass][i].flop;
        all.bytes += cost->pass[pass][i].bytes;
        assert_int_equal(cost->pass[pass][i].measured_ps, 0);
    }
    assert_int_equal(all.flop, flop);
    assert_int_equal(all.bytes, bytes);
}

/* Checks entry @i of the kernels of @pass: @n kernels with @flop and @bytes in
 * total. */
static inline void assert_pass_kernels(const LayerCost *cost, OpPass pass,
                                       guint i, uint64_t n, uint64_t flop,
                                       uint64_t bytes)
{
    const OpWork *work = &cost->pass[pass][i];

    assert_int_equal(op_work_n_kernels(work), n);
    assert_int_equal(work->flop, flop);
    assert_int_equal(work->bytes, bytes);
}

#endif
