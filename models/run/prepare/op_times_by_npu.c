/* op_times_by_npu.c - times of operations that differ from NPU to NPU; see
 * op_times_by_npu.h */
#include "models/run/prepare/op_times_by_npu.h"

#include <string.h>

static gboolean has_several_times(const Op *op)
{
    return op->n_times > 1 || op->n_gaps > 1;
}

static gboolean any_op_has_several_times(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++)
        if (has_several_times(op_graph_op(graph, i)))
            return TRUE;
    return FALSE;
}

uint32_t *op_times_npu_indices(const CollPlacement *placement)
{
    g_autofree uint32_t *n_of = NULL; /* of each role, the NPUs so far */
    uint32_t *ranks;

    if (!any_op_has_several_times(placement->graph))
        return NULL;
    n_of = g_new0(uint32_t, placement->graph->roles->len);
    ranks = g_new(uint32_t, placement->n_npus);
    for (uint32_t i = 0; i < placement->n_npus; i++)
        ranks[i] = n_of[coll_placement_role(placement, i)]++;
    return ranks;
}

/* ---- colours -------------------------------------------------------- */

typedef struct {
    uint32_t *colours; /* the colour of each NPU */
    uint32_t n_colours, n_npus;
    /* A value for each NPU; different values split a colour. */
    uint64_t *values;
    uint64_t *firsts; /* for each colour the value of its first NPU */
} Colouring;

typedef struct {
    uint32_t colour;
    uint64_t value;
} ColouredValue;

static guint hash_coloured_value(gconstpointer data)
{
    const ColouredValue *value = data;

    return g_int64_hash(&value->value) * 31 + value->colour;
}

static gboolean is_same_coloured_value(gconstpointer a, gconstpointer b)
{
    const ColouredValue *x = a, *y = b;

    return x->colour == y->colour && x->value == y->value;
}

/* Returns whether NPUs of one colour have different values, so that the colour
 * must be split. */
static gboolean colour_has_several_values(const Colouring *c)
{
    for (uint32_t i = c->n_npus; i-- > 0;)
        c->firsts[c->colours[i]] = c->values[i];
    for (uint32_t i = 0; i < c->n_npus; i++)
        if (c->firsts[c->colours[i]] != c->values[i])
            return TRUE;
    return FALSE;
}

/* Splits each colour into one colour per value of its NPUs. */
static void split_colours_by_value(Colouring *c)
{
    g_autoptr(GHashTable) known = NULL;

    if (!colour_has_several_values(c))
        return;
    known = g_hash_table_new_full(hash_coloured_value, is_same_coloured_value,
                                  g_free, NULL);
    c->n_colours = 0;
    for (uint32_t i = 0; i < c->n_npus; i++) {
        const ColouredValue is = { c->colours[i], c->values[i] };
        guint colour = GPOINTER_TO_UINT(g_hash_table_lookup(known, &is));

        if (colour == 0) {
            colour = ++c->n_colours;
            g_hash_table_insert(known, g_memdup2(&is, sizeof is),
                                GUINT_TO_POINTER(colour));
        }
        c->colours[i] = colour - 1;
    }
}

/* Splits colours by the times @all_ps of @op, of which there are @n. */
static void split_colours_by_op(Colouring *c, const CollPlacement *placement,
                                const Op *op, const uint64_t *all_ps,
                                uint32_t n, const uint32_t *ranks)
{
    if (n < 2)
        return;
    for (uint32_t i = 0; i < c->n_npus; i++)
        c->values[i] = coll_placement_npu_runs_op(placement, i, op)
                           ? op_value_of_npu(all_ps, n, ranks[i])
                           : 0;
    split_colours_by_value(c);
}

uint32_t *op_times_colours(const CollPlacement *placement,
                           const uint32_t *ranks, const OpRules *rules)
{
    const uint64_t *of_npus = op_rules_matching_npus(rules);
    uint32_t n = placement->n_npus;
    Colouring c = { .n_colours = 1, .n_npus = n };

    if (!ranks && !of_npus)
        return NULL;
    c.colours = g_new0(uint32_t, n);
    c.values = g_new(uint64_t, n);
    c.firsts = g_new(uint64_t, n);
    if (of_npus) {
        memcpy(c.values, of_npus, n * sizeof c.values[0]);
        split_colours_by_value(&c);
    }
    for (guint i = 0;
         ranks && i < placement->graph->ops->len && c.n_colours < n; i++) {
        const Op *op = op_graph_op(placement->graph, i);

        split_colours_by_op(&c, placement, op, op->times_ps, op->n_times,
                            ranks);
        split_colours_by_op(&c, placement, op, op->gaps_ps, op->n_gaps, ranks);
    }
    g_free(c.values);
    g_free(c.firsts);
    if (c.n_colours == 1)
        g_clear_pointer(&c.colours, g_free);
    return c.colours;
}

/* ---- at run time ------------------------------------------------------- */

ComputeScale op_times_scale(const System *system, uint32_t rank, uint32_t op)
{
    const Op *o = op_graph_op(system->plan.graph, op);
    ComputeScale scale = system->plan.kernel_scales[op];

    if (o->n_times > 0)
        scale.num = op_value_of_npu(o->times_ps, o->n_times, rank);
    return scale;
}

uint64_t op_times_factor_ppm(const System *system, uint32_t npu, uint32_t op)
{
    return system->plan.op_rules
               ? op_rules_product_of_factors_ppm(
                     system->plan.op_rules,
                     op_rules_matching_op(system->plan.op_rules, npu, op))
               : 1000000;
}
