/*
 * zb_h2.c - zero bubble with twice the memory of 1F1B [ZEROBUBBLE]
 *
 * Stage s of p begins with 2 (p - s) - 1 forward passes and defers its weight
 * passes by 2 s input passes.  With equal times no stage waits between its
 * first and its last unit.
 */
#include "workloads/schedules/schedule_impl.h"

static void zb_h2_list(gconstpointer params, const ScheduleShape *shape,
                       uint32_t stage, GArray *units)
{
    (void)params;
    schedule_list_zero_bubble(shape, 2 * (shape->n_stages - stage) - 1,
                              2 * stage, units);
}

const ScheduleOps schedule_zb_h2 = {
    .base = { .name = "zb-h2",
              .summary = "weight gradients fill bubbles, twice the memory",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .splits_backward = TRUE,
    .list = zb_h2_list,
};
