/* gpipe.c - all forward passes, then all backward passes [GPIPE] */
#include "workloads/schedules/schedule_impl.h"

static void gpipe_list(gconstpointer params, const ScheduleShape *shape,
                       uint32_t stage, GArray *units)
{
    (void)params;
    (void)stage;
    for (uint32_t m = 0; m < shape->n_micro_batches; m++)
        schedule_append_unit(units, UNIT_FORWARD, 0, m);
    for (uint32_t m = 0; m < shape->n_micro_batches; m++)
        schedule_append_unit(units, UNIT_BACKWARD, 0, m);
}

const ScheduleOps schedule_gpipe = {
    .base = { .name = "gpipe",
              .summary = "all forward passes, then all backward passes",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .list = gpipe_list,
};
