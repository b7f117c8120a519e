/* forward_only.c - forward passes only, as for inference */
#include "workloads/schedules/schedule_impl.h"

static void forward_list(gconstpointer params, const ScheduleShape *shape,
                         uint32_t stage, GArray *units)
{
    (void)params;
    (void)stage;
    for (uint32_t m = 0; m < shape->n_micro_batches; m++)
        schedule_append_unit(units, UNIT_FORWARD, 0, m);
}

const ScheduleOps schedule_forward = {
    .base = { .name = "forward",
              .summary = "forward passes only, as for inference",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .has_no_backward = TRUE,
    .list = forward_list,
};
