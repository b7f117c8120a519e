/*
 * segments.c - creates and frees segments, and the plans that place them; see
 * segments.h
 */
#include "workloads/segments/segments.h"

static void clear_segment_op(gpointer data)
{
    SegmentOp *op = data;

    if (op->deps)
        g_array_unref(op->deps);
}

Segment *segment_new(const char *name, const ConfigNode *node)
{
    Segment *segment = g_new0(Segment, 1);

    segment->name = name;
    segment->node = node;
    segment->exit = SEGMENT_NONE;
    segment->ops = g_array_new(FALSE, FALSE, sizeof(SegmentOp));
    g_array_set_clear_func(segment->ops, clear_segment_op);
    return segment;
}

uint32_t segment_add_op(Segment *segment, const ConfigVariant *op)
{
    const SegmentOp added = { .op = *op };

    g_array_append_val(segment->ops, added);
    return segment->ops->len - 1;
}

void segment_add_dep(Segment *segment, uint32_t op, const SegmentDep *dep)
{
    SegmentOp *waits = &g_array_index(segment->ops, SegmentOp, op);

    g_assert(op < segment->ops->len);
    g_assert(dep->kind != SEGMENT_DEP_LOCAL || dep->n_iterations_back > 0 ||
             dep->op < op);
    if (!waits->deps)
        waits->deps = g_array_new(FALSE, FALSE, sizeof(SegmentDep));
    g_array_append_vals(waits->deps, dep, 1);
}

void segment_mark_op_may_run_ahead(Segment *segment, uint32_t op)
{
    g_assert(op < segment->ops->len);
    g_array_index(segment->ops, SegmentOp, op).is_ahead = TRUE;
}

void segment_free(Segment *segment)
{
    g_array_unref(segment->ops);
    g_free(segment);
}

static uint32_t *new_unset_indices(uint32_t n)
{
    uint32_t *indices = g_new(uint32_t, n);

    for (uint32_t i = 0; i < n; i++)
        indices[i] = SEGMENT_NONE;
    return indices;
}

SegmentPlan *segment_plan_new(const Schedule *schedule, const Mesh *mesh,
                              const ConfigNode *node)
{
    SegmentPlan *plan = g_new0(SegmentPlan, 1);

    g_assert(mesh->sizes[MESH_PP] == schedule->shape.n_stages);
    plan->schedule = schedule;
    plan->mesh = mesh;
    plan->node = node;
    plan->segments =
        g_ptr_array_new_with_free_func((GDestroyNotify)segment_free);
    for (UnitPass pass = 0; pass < UNIT_N_PASSES; pass++)
        plan->segment_of[pass] = new_unset_indices(schedule->n_virtual_stages);
    plan->updates = new_unset_indices(schedule->shape.n_stages);
    return plan;
}

void segment_plan_free(SegmentPlan *plan)
{
    if (!plan)
        return;
    g_ptr_array_unref(plan->segments);
    for (UnitPass pass = 0; pass < UNIT_N_PASSES; pass++)
        g_free(plan->segment_of[pass]);
    g_free(plan->updates);
    g_free(plan);
}

const Segment *segment_plan_find_segment(const SegmentPlan *plan, UnitPass pass,
                                         uint32_t virtual_stage)
{
    uint32_t i = plan->segment_of[pass][virtual_stage];

    return i == SEGMENT_NONE ? NULL : g_ptr_array_index(plan->segments, i);
}
