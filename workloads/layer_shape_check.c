/* layer_shape_check.c - checks that the inputs and outputs of layers fit; see
 * layer_shape_check.h */
#include "workloads/layer_shape_check.h"

#include <inttypes.h>
#include <string.h>

#include "sim/core/integer_math.h"
#include "workloads/layer.h"

/* Limits of the search for concatenations: the number of joined outputs, and
 * the largest sum in units of the greatest common divisor. */
#define MAX_JOINED 64
#define MAX_SUM    UINT64_C(65536)

/* Inputs and outputs of the layers up to the current one. */
typedef struct {
    /* Owned: outputs of earlier layers; the elements are LayerShape. */
    GArray *outputs;
    /* Owned: numbers of values that go in; the elements are uint64_t. */
    GArray *inputs;
    /* Owned: heights of images; the elements are uint64_t. */
    GArray *image_sizes;
    gboolean follows_unknown; /* the previous layer has an unknown shape */
    const char *name;         /* name of the layer that has .last_output */
    uint64_t last_output;
} EarlierLayers;

static gboolean is_number_of_square_image_pixels(uint64_t n)
{
    uint64_t root = 0;

    while ((root + 1) * (root + 1) <= n && root < UINT64_C(65536))
        root++;
    return root * root == n;
}

/* Returns whether the input of @layer can be made of the output of the layer
 * @earlier. */
static gboolean input_fits_earlier_layer(const LayerShape *earlier,
                                         const LayerShape *layer)
{
    uint64_t in = layer->in, out = earlier->out;

    if (in == out)
        return TRUE;
    if (earlier->out_size > 0 && in % out == 0 &&
        is_number_of_square_image_pixels(in / out))
        return TRUE;
    if (earlier->is_sequence && in % out == 0)
        return TRUE;
    if (earlier->may_split && out % in == 0)
        return TRUE;
    return layer->in_size > 0 && earlier->out_size == 0 && out % in == 0 &&
           out / in == layer->in_size * layer->in_size;
}

/* Returns whether @in is a sum of some of the last outputs, each used once. */
static gboolean input_is_sum_of_outputs(const EarlierLayers *earlier_layers,
                                        uint64_t in)
{
    guint n = MIN(earlier_layers->outputs->len, MAX_JOINED);
    guint first = earlier_layers->outputs->len - n;
    g_autofree guint8 *reached = NULL;
    uint64_t unit = in;

    for (guint i = first; i < earlier_layers->outputs->len; i++)
        unit = greatest_common_divisor(
            unit, g_array_index(earlier_layers->outputs, LayerShape, i).out);
    if (in / unit > MAX_SUM)
        return FALSE;
    in /= unit;
    reached = g_new0(guint8, in + 1);
    reached[0] = 1;
    for (guint i = first; i < earlier_layers->outputs->len; i++) {
        uint64_t out =
            g_array_index(earlier_layers->outputs, LayerShape, i).out / unit;

        for (uint64_t sum = in; out > 0 && sum >= out; sum--)
            reached[sum] |= reached[sum - out];
    }
    return reached[in];
}

/* Returns whether the input of @layer can come from earlier layers, by the
 * rules of layer_shape_check.h. */
static gboolean input_fits_earlier_layers(const EarlierLayers *earlier_layers,
                                          const LayerShape *layer)
{
    if (layer->in == 0 || earlier_layers->follows_unknown ||
        earlier_layers->outputs->len == 0)
        return TRUE;
    for (guint i = 0; i < earlier_layers->outputs->len; i++)
        if (input_fits_earlier_layer(
                &g_array_index(earlier_layers->outputs, LayerShape, i), layer))
            return TRUE;
    for (guint i = 0; i < earlier_layers->inputs->len; i++)
        if (g_array_index(earlier_layers->inputs, uint64_t, i) == layer->in)
            return TRUE;
    return input_is_sum_of_outputs(earlier_layers, layer->in);
}

/* Returns whether @size is a multiple of @earlier, or @earlier divided by a
 * whole number, with a tolerance of one pixel. */
static gboolean image_size_is_resized(uint64_t earlier, uint64_t size)
{
    uint64_t factor = (earlier + size / 2) / size;

    if (size >= earlier)
        return size % earlier == 0;
    for (uint64_t k = MAX(factor, 2) - (factor > 2); k <= factor + 1; k++)
        if (earlier / k <= size + 1 && size <= earlier / k + 1)
            return TRUE;
    return FALSE;
}

static gboolean image_fits_earlier_image(const EarlierLayers *earlier_layers,
                                         uint64_t size)
{
    if (size == 0 || earlier_layers->follows_unknown ||
        earlier_layers->image_sizes->len == 0)
        return TRUE;
    for (guint i = 0; i < earlier_layers->image_sizes->len; i++)
        if (image_size_is_resized(
                g_array_index(earlier_layers->image_sizes, uint64_t, i), size))
            return TRUE;
    return FALSE;
}

static gboolean shape_value_is_known(const GArray *values, uint64_t value)
{
    for (guint i = 0; i < values->len; i++)
        if (g_array_index(values, uint64_t, i) == value)
            return TRUE;
    return FALSE;
}

static void add_earlier_shape(EarlierLayers *earlier_layers,
                              const LayerShape *shape, const char *name)
{
    if (shape->in > 0 &&
        !shape_value_is_known(earlier_layers->inputs, shape->in))
        g_array_append_val(earlier_layers->inputs, shape->in);
    if (shape->in_size > 0 &&
        !shape_value_is_known(earlier_layers->image_sizes, shape->in_size))
        g_array_append_val(earlier_layers->image_sizes, shape->in_size);
    if (shape->out_size > 0 &&
        !shape_value_is_known(earlier_layers->image_sizes, shape->out_size))
        g_array_append_val(earlier_layers->image_sizes, shape->out_size);
    earlier_layers->follows_unknown = shape->out == 0;
    if (shape->out == 0)
        return;
    g_array_append_val(earlier_layers->outputs, *shape);
    earlier_layers->last_output = shape->out;
    earlier_layers->name = name;
}

static gboolean check_layer_shape(EarlierLayers *earlier_layers,
                                  const ConfigVariant *layer, GError **error)
{
    LayerShape shape;

    layer_find_shape(layer, &shape);
    if (!input_fits_earlier_layers(earlier_layers, &shape)) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "%s: %" PRIu64 ", but '%s' before it gives %" PRIu64
                         " values, and no earlier layer or several together "
                         "give as many",
                         shape.in_key, shape.in, earlier_layers->name,
                         earlier_layers->last_output);
        return FALSE;
    }
    if (!image_fits_earlier_image(earlier_layers, shape.in_size)) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "size: an image of %" PRIu64
                         " pixels, but no layer before it has one from which "
                         "that is left, such as %" PRIu64,
                         shape.in_size,
                         g_array_index(earlier_layers->image_sizes, uint64_t,
                                       earlier_layers->image_sizes->len - 1));
        return FALSE;
    }
    add_earlier_shape(earlier_layers, &shape, layer_common(layer)->name);
    return TRUE;
}

static gboolean check_layer_list(EarlierLayers *earlier_layers,
                                 const ConfigList *list, GError **error)
{
    const ConfigVariant *layers = list->items;

    for (guint i = 0; i < list->n; i++) {
        const LayerBlock *block = layer_find_block(&layers[i]);

        if (block ? !check_layer_list(earlier_layers, &block->layers, error)
                  : !check_layer_shape(earlier_layers, &layers[i], error))
            return FALSE;
    }
    return TRUE;
}

gboolean shapes_check(const ConfigList *layers, GError **error)
{
    EarlierLayers earlier_layers = {
        .outputs = g_array_new(FALSE, FALSE, sizeof(LayerShape)),
        .inputs = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
        .image_sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
        .name = ""
    };
    gboolean ok = check_layer_list(&earlier_layers, layers, error);

    g_array_unref(earlier_layers.outputs);
    g_array_unref(earlier_layers.inputs);
    g_array_unref(earlier_layers.image_sizes);
    return ok;
}
