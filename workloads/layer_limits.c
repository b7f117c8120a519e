/* layer_limits.c - reports layers whose cost saturates at 2^63 */
#include <inttypes.h>

#include "workloads/layer.h"

#define LAYER_LIMIT (UINT64_C(1) << 63) /* layer_mul() saturates here */

static gboolean is_countable(const LayerCost *cost)
{
    uint64_t most = cost->n_weights;

    for (int i = 0; i < OP_UPDATE; i++) {
        for (int k = 0; k < LAYER_MAX_WORKS; k++) {
            most = MAX(most, cost->pass[i][k].flop);
            most = MAX(most, cost->pass[i][k].bytes);
        }
        most = MAX(most, cost->elementwise_bytes[i]);
    }
    return most < LAYER_LIMIT;
}

static uint64_t count_of(const ConfigVariant *layer, const ConfigField *field)
{
    const char *params = layer->params;

    return *(const uint64_t *)(gconstpointer)(params + field->offset);
}

/* Returns the largest count, which is the most likely mistake of the user. */
static const ConfigField *largest(const ConfigVariant *layer)
{
    const ConfigField *most = NULL;

    for (const ConfigField *f = layer->kind->fields; f->key; f++)
        if (f->type == CONFIG_COUNT &&
            (!most || count_of(layer, f) > count_of(layer, most)))
            most = f;
    return most;
}

gboolean layer_check_cost(const ConfigVariant *layer, uint64_t batch,
                          const LayerCost *cost, GError **error)
{
    const ConfigField *most = largest(layer);
    g_autoptr(GString) others = NULL;

    if (is_countable(cost))
        return TRUE;
    g_assert(most); /* a saturated cost needs a large count */
    others = g_string_new(NULL);
    for (const ConfigField *f = layer->kind->fields; f->key; f++)
        if (f->type == CONFIG_COUNT && f != most && count_of(layer, f) > 1)
            g_string_append_printf(others, ", %s %" PRIu64, f->key,
                                   count_of(layer, f));
    config_set_error(error, layer->node, CONFIG_ERROR_CONFLICT,
                     "%s: %" PRIu64 "%s and a batch of %" PRIu64
                     " give layer '%s' 2^63 FLOP, bytes or weights or more, "
                     "too many to count",
                     most->key, count_of(layer, most), others->str, batch,
                     layer_common(layer)->name);
    return FALSE;
}
