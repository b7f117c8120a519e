/* op_times_by_npu.c - times of operations that differ from NPU to NPU; see
 * op_times_by_npu.h */
#include "models/run/prepare/op_times_by_npu.h"

#include <string.h>

static gboolean op_has_several_times(const Op *op)
{
    return op->n_times > 1 || op->n_gaps > 1;
}

static gboolean any_op_has_several_times(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_has_several_times(op_graph_op(graph, i)))
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

/* ---- classes of NPUs with equal times ------------------------------------ */

typedef struct {
    uint32_t *classes; /* the class of each NPU */
    uint32_t n_classes, n_npus;
    /* A value for each NPU; different values split a class. */
    uint64_t *values;
    uint64_t *firsts; /* for each class the value of its first NPU */
} NpuClasses;

typedef struct {
    uint32_t class_id;
    uint64_t value;
} ClassValue;

static guint hash_class_value(gconstpointer data)
{
    const ClassValue *value = data;

    return g_int64_hash(&value->value) * 31 + value->class_id;
}

static gboolean is_same_class_value(gconstpointer a, gconstpointer b)
{
    const ClassValue *value = a, *y = b;

    return value->class_id == y->class_id && value->value == y->value;
}

/* Returns whether NPUs of one class have different values, so that the class
 * must be split. */
static gboolean class_has_several_values(const NpuClasses *classes)
{
    for (uint32_t i = classes->n_npus; i-- > 0;)
        classes->firsts[classes->classes[i]] = classes->values[i];
    for (uint32_t i = 0; i < classes->n_npus; i++)
        if (classes->firsts[classes->classes[i]] != classes->values[i])
            return TRUE;
    return FALSE;
}

/* Splits each class into one class per value of its NPUs. */
static void split_npu_classes_by_value(NpuClasses *classes)
{
    g_autoptr(GHashTable) known = NULL;

    if (!class_has_several_values(classes))
        return;
    known = g_hash_table_new_full(hash_class_value, is_same_class_value, g_free,
                                  NULL);
    classes->n_classes = 0;
    for (uint32_t i = 0; i < classes->n_npus; i++) {
        const ClassValue is = { classes->classes[i], classes->values[i] };
        guint class_id = GPOINTER_TO_UINT(g_hash_table_lookup(known, &is));

        if (class_id == 0) {
            class_id = ++classes->n_classes;
            g_hash_table_insert(known, g_memdup2(&is, sizeof is),
                                GUINT_TO_POINTER(class_id));
        }
        classes->classes[i] = class_id - 1;
    }
}

/* Splits classes by the times @all_ps of @op, of which there are @n. */
static void split_npu_classes_by_op(NpuClasses *classes,
                                    const CollPlacement *placement,
                                    const Op *op, const uint64_t *all_ps,
                                    uint32_t n, const uint32_t *ranks)
{
    if (n < 2)
        return;
    for (uint32_t i = 0; i < classes->n_npus; i++)
        classes->values[i] = coll_placement_npu_runs_op(placement, i, op)
                                 ? op_time_value_of_rank(all_ps, n, ranks[i])
                                 : 0;
    split_npu_classes_by_value(classes);
}

uint32_t *op_times_npu_classes(const CollPlacement *placement,
                               const uint32_t *ranks, const OpRules *rules)
{
    const uint64_t *of_npus = op_rules_bits_by_npu(rules);
    uint32_t n = placement->n_npus;
    NpuClasses c = { .n_classes = 1, .n_npus = n };

    if (!ranks && !of_npus)
        return NULL;
    c.classes = g_new0(uint32_t, n);
    c.values = g_new(uint64_t, n);
    c.firsts = g_new(uint64_t, n);
    if (of_npus) {
        memcpy(c.values, of_npus, n * sizeof c.values[0]);
        split_npu_classes_by_value(&c);
    }
    for (guint i = 0;
         ranks && i < placement->graph->ops->len && c.n_classes < n; i++) {
        const Op *op = op_graph_op(placement->graph, i);

        split_npu_classes_by_op(&c, placement, op, op->times_ps, op->n_times,
                                ranks);
        split_npu_classes_by_op(&c, placement, op, op->gaps_ps, op->n_gaps,
                                ranks);
    }
    g_free(c.values);
    g_free(c.firsts);
    if (c.n_classes == 1)
        g_clear_pointer(&c.classes, g_free);
    return c.classes;
}

/* ---- at run time ------------------------------------------------------- */

ComputeScale op_times_scale(const System *system, uint32_t rank, uint32_t op)
{
    const Op *o = op_graph_op(system->plan.graph, op);
    ComputeScale scale = system->plan.kernel_scales[op];

    if (o->n_times > 0)
        scale.num = op_time_value_of_rank(o->times_ps, o->n_times, rank);
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
