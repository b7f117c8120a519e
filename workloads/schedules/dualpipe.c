/*
 * dualpipe.c - two pipelines in opposite directions on the same stages
 *
 * The first half of the micro-batches enters at stage 0, the second half at the
 * last stage.  Stage s holds virtual stage s of one direction as chunk 0 and
 * virtual stage p - 1 - s, of the other, as chunk 1: two copies of the weights.
 * In the steady phase a forward pass of one direction and a backward pass of
 * the other run side by side, so that communication of one is behind kernels of
 * the other [DSV3].
 *
 * The list of a stage of the first half has eight phases.  With h = p / 2 and
 * r = the stage, counted from the nearer end:
 *
 *   1  2 (h - r - 1) forward passes of the near direction
 *   2  r + 1 pairs of forward passes, near and far
 *   3  h - r - 1 times: input and weight pass of the far direction, and a
 *      forward pass of the far direction
 *   4  n / 2 - p + r + 1 times: forward near beside backward far, then forward
 *      far beside backward near
 *   5  h - r - 1 times: backward far, then forward far beside backward near
 *   6  r + 1 pairs of backward passes, far and near; from the middle on their
 *      weight passes are deferred
 *   7  h - r - 1 times: a deferred weight pass, and an input pass of the near
 *      direction whose weight pass is deferred
 *   8  r + 1 deferred weight passes
 *
 * A stage of the second half has the same list with the directions exchanged.
 */
#include "workloads/schedules/schedule_impl.h"

typedef struct {
    GArray *units;
    uint32_t n_half;                      /* micro-batches of one direction */
    gboolean is_upper;                    /* the stage is in the second half */
    uint32_t n_forward[2], n_backward[2]; /* passes so far, by direction */
    GArray *deferred;                     /* owned: of ScheduleUnit */
} DualList;

/* The direction 0 (near) or 1 (far) of a stage as a chunk. */
static uint32_t dualpipe_chunk_of_direction(const DualList *list,
                                            uint32_t direction)
{
    return list->is_upper ? 1 - direction : direction;
}

static uint32_t dualpipe_micro_batch_of_direction(const DualList *list,
                                                  uint32_t chunk, uint32_t i)
{
    return chunk == 0 ? i : list->n_half + i;
}

static void append_forward_unit(DualList *list, uint32_t direction,
                                gboolean is_paired)
{
    uint32_t chunk = dualpipe_chunk_of_direction(list, direction);

    schedule_append_unit(list->units, UNIT_FORWARD, chunk,
                         dualpipe_micro_batch_of_direction(
                             list, chunk, list->n_forward[direction]++));
    g_array_index(list->units, ScheduleUnit, list->units->len - 1).is_paired =
        is_paired;
}

static void append_backward_unit(DualList *list, uint32_t direction,
                                 gboolean defers)
{
    uint32_t chunk = dualpipe_chunk_of_direction(list, direction);
    ScheduleUnit unit = {
        .pass = defers ? UNIT_INPUT : UNIT_BACKWARD,
        .chunk = chunk,
        .micro_batch = dualpipe_micro_batch_of_direction(
            list, chunk, list->n_backward[direction]++),
    };

    g_array_append_val(list->units, unit);
    if (!defers)
        return;
    unit.pass = UNIT_WEIGHT;
    g_array_append_val(list->deferred, unit);
}

/* Adds the weight pass that was deferred first. */
static void append_deferred_weight_unit(DualList *list)
{
    g_assert(list->deferred->len > 0);
    g_array_append_val(list->units,
                       g_array_index(list->deferred, ScheduleUnit, 0));
    g_array_remove_index(list->deferred, 0);
}

static void append_overlapped_pair(DualList *list, uint32_t forward,
                                   uint32_t backward)
{
    append_forward_unit(list, forward, TRUE);
    append_backward_unit(list, backward, FALSE);
}

static void append_warm_up_units(DualList *list, uint32_t h, uint32_t r)
{
    for (uint32_t i = 0; i < 2 * (h - r - 1); i++)
        append_forward_unit(list, 0, FALSE);
    for (uint32_t i = 0; i < r + 1; i++) {
        append_forward_unit(list, 0, FALSE);
        append_forward_unit(list, 1, FALSE);
    }
    for (uint32_t i = 0; i < h - r - 1; i++) {
        append_backward_unit(list, 1, TRUE);
        append_deferred_weight_unit(list);
        append_forward_unit(list, 1, FALSE);
    }
}

static void append_steady_units(DualList *list, uint32_t h, uint32_t r)
{
    for (uint32_t i = 0; i < list->n_half + r + 1 - 2 * h; i++) {
        if (i == 0 && r + 1 == h) { /* the far forward pass is a neighbour's */
            append_forward_unit(list, 0, FALSE);
            append_backward_unit(list, 1, FALSE);
        } else {
            append_overlapped_pair(list, 0, 1);
        }
        append_overlapped_pair(list, 1, 0);
    }
    for (uint32_t i = 0; i < h - r - 1; i++) {
        append_backward_unit(list, 1, FALSE);
        append_overlapped_pair(list, 1, 0);
    }
}

static void append_cool_down_units(DualList *list, uint32_t h, uint32_t r)
{
    gboolean defers = FALSE;

    for (uint32_t i = 0; i < r + 1; i++) {
        gboolean is_middle = i == (r + 1) / 2;

        defers = defers || (is_middle && r % 2 == 1);
        append_backward_unit(list, 1, defers);
        defers = defers || is_middle;
        append_backward_unit(list, 0, defers);
    }
    for (uint32_t i = 0; i < h - r - 1; i++) {
        append_deferred_weight_unit(list);
        append_backward_unit(list, 0, TRUE);
    }
    while (list->deferred->len > 0)
        append_deferred_weight_unit(list);
}

static gboolean dualpipe_check(gconstpointer params, const ScheduleShape *shape,
                               const ConfigNode *node, GError **error)
{
    (void)params;
    if (shape->n_stages % 2 != 0) {
        config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                         "schedule: dualpipe needs an even number of stages, "
                         "not %u; use another pp or schedule",
                         shape->n_stages);
        return FALSE;
    }
    if (!schedule_check_micro_batches("dualpipe", 2 * shape->n_stages,
                                      "two micro-batches for each stage", shape,
                                      node, error))
        return FALSE;
    if (shape->n_micro_batches % 2 == 0)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "schedule: dualpipe divides the micro-batches between two "
                     "directions and needs an even number of them, not %u; "
                     "use one more",
                     shape->n_micro_batches);
    return FALSE;
}

static void dualpipe_list(gconstpointer params, const ScheduleShape *shape,
                          uint32_t stage, GArray *units)
{
    uint32_t p = shape->n_stages, h = p / 2;
    DualList list = { .units = units,
                      .n_half = shape->n_micro_batches / 2,
                      .is_upper = stage >= h,
                      .deferred =
                          g_array_new(FALSE, FALSE, sizeof(ScheduleUnit)) };
    uint32_t r = list.is_upper ? p - 1 - stage : stage;

    (void)params;
    append_warm_up_units(&list, h, r);
    append_steady_units(&list, h, r);
    append_cool_down_units(&list, h, r);
    g_array_unref(list.deferred);
}

static SchedulePlace dualpipe_place(const ScheduleShape *shape,
                                    uint32_t virtual_stage,
                                    uint32_t micro_batch)
{
    return micro_batch < shape->n_micro_batches / 2
               ? (SchedulePlace){ .stage = virtual_stage, .chunk = 0 }
               : (SchedulePlace){ .stage = shape->n_stages - 1 - virtual_stage,
                                  .chunk = 1 };
}

const ScheduleOps schedule_dualpipe = {
    .base = { .name = "dualpipe",
              .summary = "two directions at once, two copies of the weights",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 2,
    .has_two_directions = TRUE,
    .check = dualpipe_check,
    .place = dualpipe_place,
    .splits_backward = TRUE,
    .list = dualpipe_list,
};
