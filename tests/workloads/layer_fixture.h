/*
 * layer_fixture.h - the cost of a layer that is written as in a file
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

/* The cost of the layer in @yaml, or FALSE and why not. */
static inline gboolean read_cost(const char *yaml, const LayerContext *context,
                                 LayerCost *ret, GError **error)
{
    g_autofree char *text = g_strdup_printf("layer: { %s }\n", yaml);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    Root root;

    if (!doc || !config_doc_read(doc, root_fields, &root, error) ||
        !layer_check(&root.layer, error))
        return FALSE;
    layer_cost(&root.layer, context, ret);
    return TRUE;
}

static inline LayerCost cost_with(const char *yaml, const LayerContext *context)
{
    GError *error = NULL;
    LayerCost cost = { 0 };

    if (!read_cost(yaml, context, &cost, &error))
        fail_msg("%s", error->message);
    return cost;
}

static inline LayerCost cost_in(const char *yaml, uint64_t batch,
                                gboolean elementwise)
{
    return cost_with(yaml, &(LayerContext){ .batch = batch,
                                            .value_bytes = 2,
                                            .elementwise = elementwise,
                                            .fused = TRUE });
}

/* Each elementwise kernel by itself, as frameworks of 2017 had them. */
static inline LayerCost cost_apart(const char *yaml)
{
    return cost_with(
        yaml,
        &(LayerContext){ .batch = 1, .value_bytes = 2, .elementwise = TRUE });
}

static inline LayerCost cost(const char *yaml, uint64_t batch)
{
    return cost_in(yaml, batch, TRUE);
}

/* What all kernels of @pass do together. */
static inline void assert_work(const LayerCost *cost, OpPass pass,
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

/* The @i-th kind of kernel of @pass, of which there are @n. */
static inline void assert_kernels(const LayerCost *cost, OpPass pass, guint i,
                                  uint64_t n, uint64_t flop, uint64_t bytes)
{
    const OpWork *work = &cost->pass[pass][i];

    assert_int_equal(op_work_n_kernels(work), n);
    assert_int_equal(work->flop, flop);
    assert_int_equal(work->bytes, bytes);
}

#endif
