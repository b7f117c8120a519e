/*
 * zb_h1.c - zero bubble with the memory of 1F1B [ZEROBUBBLE]
 *
 * The gradients of weights do not delay other stages, so they fill the time in
 * which a stage would wait.  Stage s defers its weight passes by s input
 * passes.
 */
#include "workloads/schedules/schedule_impl.h"

static void zb_h1_list(gconstpointer params, const ScheduleShape *shape,
                       uint32_t stage, GArray *units)
{
    (void)params;
    schedule_list_zero_bubble(shape, shape->n_stages - stage, stage, units);
}

const ScheduleOps schedule_zb_h1 = {
    .base = { .name = "zb-h1",
              .summary = "weight gradients fill bubbles, memory as 1f1b",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .splits_backward = TRUE,
    .list = zb_h1_list,
};
