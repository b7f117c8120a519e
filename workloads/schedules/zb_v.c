/*
 * zb_v.c - zero bubble with two chunks on each stage, in the form of a V
 *
 * Virtual stages 0 to p - 1 are chunk 0 of the stages in order, and p to 2p - 1
 * are chunk 1 of the stages in reverse order, so that the last stage passes its
 * result to itself.  The memory is that of 1F1B [VSCHEDULE].
 *
 * The list is made for passes of equal time and at least 2p - 1 micro-batches.
 * If there are fewer, it is made for 2p - 1, and the units of those that do not
 * exist are left out.
 */
#include "workloads/schedules/schedule_impl.h"

typedef struct {
    GArray *units;
    uint32_t n_micro_batches;
    uint32_t n[2][UNIT_N_PASSES]; /* passes so far, by chunk */
} VList;

static void append_schedule_unit(VList *list, UnitPass pass, uint32_t chunk)
{
    uint32_t micro_batch = list->n[chunk][pass]++;

    if (micro_batch < list->n_micro_batches)
        schedule_append_unit(list->units, pass, chunk, micro_batch);
}

/* Adds an input pass and its weight pass. */
static void append_input_and_weight_units(VList *list, uint32_t chunk)
{
    append_schedule_unit(list, UNIT_INPUT, chunk);
    append_schedule_unit(list, UNIT_WEIGHT, chunk);
}

static void zb_v_list(gconstpointer params, const ScheduleShape *shape,
                      uint32_t stage, GArray *units)
{
    VList list = { .units = units, .n_micro_batches = shape->n_micro_batches };
    uint32_t p = shape->n_stages, below = p - stage;
    uint32_t n = MAX(2 * p - 1, shape->n_micro_batches);

    (void)params;
    for (uint32_t i = 0; i < 2 * below - 1; i++)
        append_schedule_unit(&list, UNIT_FORWARD, 0);
    for (uint32_t i = 0; i < stage; i++) {
        append_schedule_unit(&list, UNIT_FORWARD, 1);
        append_schedule_unit(&list, UNIT_FORWARD, 0);
    }
    for (uint32_t i = 0; i < below; i++) {
        append_schedule_unit(&list, UNIT_FORWARD, 1);
        append_input_and_weight_units(&list, 1);
    }
    while (list.n[1][UNIT_FORWARD] < n) {
        if (list.n[0][UNIT_FORWARD] < n)
            append_schedule_unit(&list, UNIT_FORWARD, 0);
        append_input_and_weight_units(&list, 0);
        append_schedule_unit(&list, UNIT_FORWARD, 1);
        append_input_and_weight_units(&list, 1);
    }
    for (uint32_t i = 0; i < stage; i++) {
        append_schedule_unit(&list, UNIT_INPUT, 0);
        append_schedule_unit(&list, UNIT_INPUT, 1);
    }
    for (uint32_t i = 0; i < below; i++) {
        append_schedule_unit(&list, UNIT_INPUT, 0);
        append_schedule_unit(&list, UNIT_WEIGHT, 0);
    }
    while (list.n[1][UNIT_WEIGHT] < n)
        append_schedule_unit(&list, UNIT_WEIGHT, 1);
    while (list.n[0][UNIT_WEIGHT] < n)
        append_schedule_unit(&list, UNIT_WEIGHT, 0);
}

static SchedulePlace zb_v_place(const ScheduleShape *shape,
                                uint32_t virtual_stage, uint32_t micro_batch)
{
    uint32_t p = shape->n_stages;

    (void)micro_batch;
    return virtual_stage < p
               ? (SchedulePlace){ .stage = virtual_stage, .chunk = 0 }
               : (SchedulePlace){ .stage = 2 * p - 1 - virtual_stage,
                                  .chunk = 1 };
}

const ScheduleOps schedule_zb_v = {
    .base = { .name = "zb-v",
              .summary = "zero bubble, two chunks on each stage as a V",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 2,
    .place = zb_v_place,
    .splits_backward = TRUE,
    .list = zb_v_list,
};
