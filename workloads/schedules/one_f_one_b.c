/*
 * one_f_one_b.c - one forward pass and one backward pass by turns
 *
 * Stage s of p first runs p - 1 - s forward passes, so that the last stage can
 * begin with a backward pass at once [PIPEDREAM, MEGATRON2].
 */
#include "workloads/schedules/schedule_impl.h"

static void one_f_one_b_list(gconstpointer params, const ScheduleShape *shape,
                             uint32_t stage, GArray *units)
{
    uint32_t n = shape->n_micro_batches;
    uint32_t n_warm_up = MIN(n, shape->n_stages - 1 - stage);

    (void)params;
    for (uint32_t m = 0; m < n_warm_up; m++)
        schedule_append_unit(units, UNIT_FORWARD, 0, m);
    for (uint32_t m = 0; m + n_warm_up < n; m++) {
        schedule_append_unit(units, UNIT_FORWARD, 0, n_warm_up + m);
        schedule_append_unit(units, UNIT_BACKWARD, 0, m);
    }
    for (uint32_t m = n - n_warm_up; m < n; m++)
        schedule_append_unit(units, UNIT_BACKWARD, 0, m);
}

const ScheduleOps schedule_1f1b = {
    .base = { .name = "1f1b",
              .summary = "a forward and a backward pass by turns",
              .fields = plain_schedule_fields,
              .size = sizeof(PlainSchedule) },
    .n_chunks = 1,
    .list = one_f_one_b_list,
};
