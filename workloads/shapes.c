/* shapes.c - checks that the inputs and outputs of layers fit; see shapes.h */
#include "workloads/shapes.h"

#include <inttypes.h>
#include <string.h>

#include "workloads/layer.h"

/* Limits of the search for concatenations: the number of joined outputs, and
 * the largest sum in units of the greatest common divisor. */
#define MAX_JOINED 64
#define MAX_SUM    UINT64_C(65536)

/* Inputs and outputs of the layers up to the current one. */
typedef struct {
    GArray *given;    /* owned: of LayerShape, the outputs */
    GArray *taken;    /* owned: of uint64_t, the inputs */
    GArray *images;   /* owned: of uint64_t, heights of images */
    gboolean is_open; /* the previous layer has an unknown shape */
    const char *name; /* name of the layer that has the output .last */
    uint64_t last;
} Seen;

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t remainder = a % b;

        a = b;
        b = remainder;
    }
    return a;
}

static gboolean is_square(uint64_t n)
{
    uint64_t root = 0;

    while ((root + 1) * (root + 1) <= n && root < UINT64_C(65536))
        root++;
    return root * root == n;
}

/* Returns whether the input of @layer can be made of the output @given. */
static gboolean fits_one(const LayerShape *given, const LayerShape *layer)
{
    uint64_t in = layer->in, out = given->out;

    if (in == out)
        return TRUE;
    if (given->out_size > 0 && in % out == 0 && is_square(in / out))
        return TRUE;
    if (given->is_sequence && in % out == 0)
        return TRUE;
    if (given->may_split && out % in == 0)
        return TRUE;
    return layer->in_size > 0 && given->out_size == 0 && out % in == 0 &&
           out / in == layer->in_size * layer->in_size;
}

/* Returns whether @in is a sum of some of the last outputs, each used once. */
static gboolean is_sum(const Seen *seen, uint64_t in)
{
    guint n = MIN(seen->given->len, MAX_JOINED);
    guint first = seen->given->len - n;
    g_autofree guint8 *reached = NULL;
    uint64_t unit = in;

    for (guint i = first; i < seen->given->len; i++)
        unit = gcd(unit, g_array_index(seen->given, LayerShape, i).out);
    if (in / unit > MAX_SUM)
        return FALSE;
    in /= unit;
    reached = g_new0(guint8, in + 1);
    reached[0] = 1;
    for (guint i = first; i < seen->given->len; i++) {
        uint64_t out = g_array_index(seen->given, LayerShape, i).out / unit;

        for (uint64_t sum = in; out > 0 && sum >= out; sum--)
            reached[sum] |= reached[sum - out];
    }
    return reached[in];
}

static gboolean fits(const Seen *seen, const LayerShape *layer)
{
    if (layer->in == 0 || seen->is_open || seen->given->len == 0)
        return TRUE;
    for (guint i = 0; i < seen->given->len; i++)
        if (fits_one(&g_array_index(seen->given, LayerShape, i), layer))
            return TRUE;
    for (guint i = 0; i < seen->taken->len; i++)
        if (g_array_index(seen->taken, uint64_t, i) == layer->in)
            return TRUE;
    return is_sum(seen, layer->in);
}

/* Returns whether @size is a multiple of @earlier, or @earlier divided by a
 * whole number, with a tolerance of one pixel. */
static gboolean is_resized(uint64_t earlier, uint64_t size)
{
    uint64_t factor = (earlier + size / 2) / size;

    if (size >= earlier)
        return size % earlier == 0;
    for (uint64_t k = MAX(factor, 2) - (factor > 2); k <= factor + 1; k++)
        if (earlier / k <= size + 1 && size <= earlier / k + 1)
            return TRUE;
    return FALSE;
}

static gboolean fits_image(const Seen *seen, uint64_t size)
{
    if (size == 0 || seen->is_open || seen->images->len == 0)
        return TRUE;
    for (guint i = 0; i < seen->images->len; i++)
        if (is_resized(g_array_index(seen->images, uint64_t, i), size))
            return TRUE;
    return FALSE;
}

static gboolean is_known(const GArray *values, uint64_t value)
{
    for (guint i = 0; i < values->len; i++)
        if (g_array_index(values, uint64_t, i) == value)
            return TRUE;
    return FALSE;
}

static void note_shape(Seen *seen, const LayerShape *shape, const char *name)
{
    if (shape->in > 0 && !is_known(seen->taken, shape->in))
        g_array_append_val(seen->taken, shape->in);
    if (shape->in_size > 0 && !is_known(seen->images, shape->in_size))
        g_array_append_val(seen->images, shape->in_size);
    if (shape->out_size > 0 && !is_known(seen->images, shape->out_size))
        g_array_append_val(seen->images, shape->out_size);
    seen->is_open = shape->out == 0;
    if (shape->out == 0)
        return;
    g_array_append_val(seen->given, *shape);
    seen->last = shape->out;
    seen->name = name;
}

static gboolean check_one(Seen *seen, const ConfigVariant *layer,
                          GError **error)
{
    LayerShape shape;

    layer_shape(layer, &shape);
    if (!fits(seen, &shape)) {
        config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                         "%s: %" PRIu64 ", but '%s' before it gives %" PRIu64
                         " values, and no earlier layer or several together "
                         "give as many",
                         shape.in_key, shape.in, seen->name, seen->last);
        return FALSE;
    }
    if (!fits_image(seen, shape.in_size)) {
        config_set_error(
            error, layer->node, CONFIG_ERROR_CONFLICT,
            "size: an image of %" PRIu64
            " pixels, but no layer before it has one from which "
            "that is left, such as %" PRIu64,
            shape.in_size,
            g_array_index(seen->images, uint64_t, seen->images->len - 1));
        return FALSE;
    }
    note_shape(seen, &shape, layer_common(layer)->name);
    return TRUE;
}

static gboolean check_list(Seen *seen, const ConfigList *list, GError **error)
{
    const ConfigVariant *layers = list->items;

    for (guint i = 0; i < list->n; i++) {
        const LayerBlock *block = layer_block_of(&layers[i]);

        if (block ? !check_list(seen, &block->layers, error)
                  : !check_one(seen, &layers[i], error))
            return FALSE;
    }
    return TRUE;
}

gboolean shapes_check(const ConfigList *layers, GError **error)
{
    Seen seen = { .given = g_array_new(FALSE, FALSE, sizeof(LayerShape)),
                  .taken = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                  .images = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                  .name = "" };
    gboolean ok = check_list(&seen, layers, error);

    g_array_unref(seen.given);
    g_array_unref(seen.taken);
    g_array_unref(seen.images);
    return ok;
}
