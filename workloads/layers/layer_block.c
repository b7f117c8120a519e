/*
 * layer_block.c - a block of layers that is given once and used several times
 *
 * A block is not a layer: it represents the layers of its list, in order, with
 * the whole list `repeat` times.  Layer L of block B is named B.N.L, where N is
 * the number of the repeat, counted from `first`. It is named B.L if there is
 * only one repeat and its number is 1. Layers of a block may have repeats
 * (B.N.L.M), and may be blocks (B.N.C.L).
 *
 * `first` is for stages of a CNN whose first block differs from the others and
 * is therefore a separate block.
 *
 * As in every list, branches follow one after the other, so parallel layers
 * need not fit each other.  Input and output of a block are known only if all
 * its layers have a known shape; only then a repeated block must fit itself.
 */
#include "workloads/layer_impl.h"

typedef struct {
    /* Common fields, without times: the layers of the block have their own. */
    LayerCommon common;
    LayerBlock block;
} BlockParams;

static const ConfigField block_fields[] = {
    { .key = "name",
      .help = "what the names of its layers begin with",
      .type = CONFIG_NAME,
      .offset = offsetof(BlockParams, common.name) },
    { .key = "repeat",
      .help = "how many such blocks follow each other",
      .type = CONFIG_COUNT,
      .offset = offsetof(BlockParams, common.repeat),
      .min = 1,
      .max = LAYER_MAX_REPEAT,
      .fallback = "1" },
    { .key = "first",
      .help = "number of the first repeat, in names",
      .type = CONFIG_COUNT,
      .offset = offsetof(BlockParams, block.first),
      .min = 1,
      .max = LAYER_MAX_REPEAT,
      .fallback = "1" },
    { .key = "layers",
      .help = "in forward order; blocks too",
      .type = CONFIG_LIST,
      .offset = offsetof(BlockParams, block.layers),
      .min = 1,
      .item = &layer_item,
      .item_size = sizeof(ConfigVariant) },
    CONFIG_END,
};

static const LayerBlock *layer_block_params(gconstpointer params)
{
    const BlockParams *block_params = params;

    return &block_params->block;
}

static gboolean block_check(const ConfigVariant *layer, GError **error)
{
    const ConfigList *list = &layer_block_params(layer->params)->layers;
    const ConfigVariant *layers = list->items;

    for (guint i = 0; i < list->n; i++)
        if (!layer_check(&layers[i], error))
            return FALSE;
    return TRUE;
}

static gboolean block_width(gconstpointer params, uint64_t *in, uint64_t *out)
{
    const ConfigList *list = &layer_block_params(params)->layers;
    const ConfigVariant *layers = list->items;
    uint64_t next, behind;

    if (!layer_find_widths(&layers[0], in, out))
        return FALSE;
    for (guint i = 1; i < list->n; i++) {
        if (!layer_find_widths(&layers[i], &next, &behind) || next != *out)
            return FALSE;
        *out = behind;
    }
    return TRUE;
}

const LayerOps layer_block = {
    .base = { .name = "block",
              .summary = "layers that stand several times, one after the other",
              .fields = block_fields,
              .size = sizeof(BlockParams) },
    .check = block_check,
    .width = block_width,
    .block = layer_block_params,
};
