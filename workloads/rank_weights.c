/* rank_weights.c - stores each distinct list of weights once, as prefix sums */
#include "workloads/rank_weights.h"

#include <string.h>

#include "sim/config/config.h"

const ConfigField weights_item = {
    .key = "weight",
    .help = "of a rank; 0: it is sent nothing",
    .type = CONFIG_COUNT,
    .max = WEIGHTS_MAX_VALUE,
};

static gsize memory_bytes_of_weights(const CollWeights *weights)
{
    return sizeof *weights + ((gsize)weights->n + 1) * sizeof weights->sums[0];
}

static CollWeights *prefix_sums_of_weights(const ConfigList *list)
{
    const uint64_t *items = list->items;
    CollWeights *ret =
        g_malloc0(sizeof *ret + ((gsize)list->n + 1) * sizeof ret->sums[0]);

    ret->n = list->n;
    for (guint i = 0; i < list->n; i++)
        ret->sums[i + 1] = ret->sums[i] + items[i];
    return ret;
}

static gboolean weights_are_equal(const ConfigList *list)
{
    const uint64_t *items = list->items;

    for (guint i = 1; i < list->n; i++)
        if (items[i] != items[0])
            return FALSE;
    return TRUE;
}

/* Returns the stored copy of equal weights, or stores @weights; takes ownership
 * of @weights. */
static const CollWeights *find_or_add_weights(OpGraph *graph,
                                              CollWeights *weights)
{
    for (guint i = 0; i < graph->weights->len; i++) {
        const CollWeights *other = g_ptr_array_index(graph->weights, i);

        if (other->n != weights->n ||
            memcmp(other, weights, memory_bytes_of_weights(weights)) != 0)
            continue;
        g_free(weights);
        return other;
    }
    g_ptr_array_add(graph->weights, weights);
    return weights;
}

gboolean rank_weights_set_of_op(OpGraph *graph, uint32_t op,
                                const ConfigList *weights, GError **error)
{
    Op *o = &g_array_index(graph->ops, Op, op);
    CollWeights *sums;

    if (weights->n == 0)
        return TRUE;
    if (o->kind != COLL_ALL_TO_ALLV) {
        config_set_error(error, weights->node, CONFIG_ERROR_CONFLICT,
                         "weights: a collective of kind '%s' has none; leave "
                         "them out",
                         coll_kind_name(o->kind));
        return FALSE;
    }
    sums = prefix_sums_of_weights(weights);
    o->n_weights = weights->n;
    if (sums->sums[sums->n] == 0) {
        g_free(sums);
        config_set_error(error, weights->node, CONFIG_ERROR_RANGE,
                         "weights: all are 0, so nothing is sent");
        return FALSE;
    }
    if (weights_are_equal(weights))
        g_free(sums);
    else
        o->weights = find_or_add_weights(graph, sums);
    return TRUE;
}

const CollWeights *rank_weights_copy(OpGraph *graph, const CollWeights *weights)
{
    return find_or_add_weights(
        graph, g_memdup2(weights, memory_bytes_of_weights(weights)));
}
