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

uint64_t schedule_peak_bytes(const Schedule *schedule, uint32_t stage,
                             const uint64_t *chunk_bytes, uint32_t *ret_unit)
{
    const GArray *units = schedule->units[stage];
    uint64_t bytes = 0, peak = 0;
    uint32_t peak_unit = 0;

    for (guint i = 0; i < units->len; i++) {
        const ScheduleUnit *unit = &g_array_index(units, ScheduleUnit, i);

        if (unit->pass == UNIT_FORWARD)
            bytes += chunk_bytes[unit->chunk];
        else if (unit->pass != UNIT_INPUT)
            bytes -= chunk_bytes[unit->chunk];
        if (bytes > peak)
            peak_unit = i;
        peak = MAX(peak, bytes);
    }
    if (ret_unit)
        *ret_unit = peak_unit;
    return peak;
}
