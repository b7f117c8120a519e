/*
 * backwards_first.c - a toy: a schedule with one micro-batch in flight
 *
 * Each stage runs the backward pass of a micro-batch before the forward pass of
 * the next one.  The pipeline is never filled.
 */
#include "workloads/schedules/schedule_impl.h"

static void backwards_first_list(gconstpointer params,
                                 const ScheduleShape *shape, uint32_t stage,
                                 GArray *units)
{
    (void)params;
    (void)stage;
    for (uint32_t m = 0; m < shape->n_micro_batches; m++) {
        schedule_append_unit(units, UNIT_FORWARD, 0, m);
        schedule_append_unit(units, UNIT_BACKWARD, 0, m);
    }
}

const ScheduleOps schedule_backwards_first = {
    .base = { .name = "backwards-first",
              .summary = "a toy: one micro-batch at a time",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .list = backwards_first_list,
};
