/* schedule.c - the place of a unit, and activations that are kept */
#include "workloads/schedules/schedule.h"

SchedulePlace schedule_place(const Schedule *schedule, uint32_t virtual_stage,
                             uint32_t micro_batch)
{
    const ScheduleShape *shape = &schedule->shape;

    g_assert(virtual_stage < schedule->n_virtual_stages);
    if (schedule->ops->place)
        return schedule->ops->place(shape, virtual_stage, micro_batch);
    return (SchedulePlace){ .stage = virtual_stage % shape->n_stages,
                            .chunk = virtual_stage / shape->n_stages };
}

gboolean schedule_stage_holds(const Schedule *schedule, uint32_t stage,
                              uint32_t virtual_stage)
{
    uint32_t last = schedule->shape.n_micro_batches - 1;

    return schedule_place(schedule, virtual_stage, 0).stage == stage ||
           (schedule->ops->has_two_directions &&
            schedule_place(schedule, virtual_stage, last).stage == stage);
}

uint32_t schedule_virtual_stage(const Schedule *schedule, uint32_t stage,
                                uint32_t chunk, uint32_t micro_batch)
{
    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++) {
        SchedulePlace place = schedule_place(schedule, v, micro_batch);

        if (place.stage == stage && place.chunk == chunk)
            return v;
    }
    return UINT32_MAX;
}

void schedule_list_held_bytes(const Schedule *schedule, uint32_t stage,
                              const uint64_t *chunk_bytes, uint64_t *ret)
{
    const GArray *units = schedule->units[stage];
    uint64_t bytes = 0;

    for (guint i = 0; i < units->len; i++) {
        const ScheduleUnit *unit = &g_array_index(units, ScheduleUnit, i);

        if (unit->pass == UNIT_FORWARD)
            bytes += chunk_bytes[unit->chunk];
        ret[i] = bytes;
        if (unit->pass == UNIT_BACKWARD || unit->pass == UNIT_WEIGHT)
            bytes -= chunk_bytes[unit->chunk];
    }
}

uint64_t schedule_peak_bytes(const Schedule *schedule, uint32_t stage,
                             const uint64_t *chunk_bytes, uint32_t *ret_unit)
{
    guint n = schedule->units[stage]->len, best = 0;
    g_autofree uint64_t *held = g_new0(uint64_t, n + 1);

    schedule_list_held_bytes(schedule, stage, chunk_bytes, held);
    for (guint i = 1; i < n; i++)
        if (held[i] > held[best])
            best = i;
    if (ret_unit)
        *ret_unit = best;
    return held[best];
}
