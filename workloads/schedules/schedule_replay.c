/*
 * schedule_replay.c - executes a schedule and checks it
 *
 * The state of a unit is kept by pass, virtual stage and micro-batch.  Stages
 * take turns: each runs the units of its list until one has to wait for another
 * stage.  If no stage makes progress, the schedule has a deadlock.
 */
#include "workloads/schedules/schedule.h"

#define NOT_DONE UINT64_MAX

typedef struct {
    const Schedule *schedule;
    ScheduleTimes times;
    uint64_t *done_ps; /* owned: by pass, virtual stage, micro-batch */
    guint *position;   /* owned: by stage */
    uint64_t *clock_ps, *begin_ps; /* owned: by stage */
    uint64_t *work_ps;             /* owned: by stage */
    uint32_t *virtual_stages;      /* owned: by direction, stage, chunk */
    GArray *order;                 /* borrowed, or NULL */
    char *fault;                   /* owned: NULL so far */
} Replay;

/* A micro-batch of the second half runs in the other direction if there are
 * two, so virtual stages are looked up for the first and the last. */
static uint32_t direction_of_micro_batch(const Schedule *schedule,
                                         uint32_t micro_batch)
{
    return schedule->ops->has_two_directions &&
                   micro_batch >= schedule->shape.n_micro_batches / 2
               ? 1
               : 0;
}

static uint32_t *virtual_stage_slot(const Replay *replay, uint32_t direction,
                                    uint32_t stage, uint32_t chunk)
{
    const ScheduleShape *shape = &replay->schedule->shape;

    return &replay->virtual_stages[(direction * shape->n_stages + stage) *
                                       shape->n_chunks +
                                   chunk];
}

static uint64_t *end_time_of_unit(const Replay *replay, UnitPass pass,
                                  uint32_t v, uint32_t micro_batch)
{
    gsize n = replay->schedule->shape.n_micro_batches;

    return &replay->done_ps[(pass * (gsize)replay->schedule->n_virtual_stages +
                             v) *
                                n +
                            micro_batch];
}

static void schedule_replay_init(Replay *replay)
{
    const Schedule *schedule = replay->schedule;
    const ScheduleShape *shape = &schedule->shape;
    gsize n = (gsize)UNIT_N_PASSES * schedule->n_virtual_stages *
              shape->n_micro_batches;
    uint32_t last = shape->n_micro_batches - 1;

    replay->done_ps = g_new(uint64_t, n);
    for (gsize i = 0; i < n; i++)
        replay->done_ps[i] = NOT_DONE;
    replay->position = g_new0(guint, shape->n_stages);
    replay->clock_ps = g_new0(uint64_t, shape->n_stages);
    replay->begin_ps = g_new0(uint64_t, shape->n_stages);
    replay->work_ps = g_new0(uint64_t, shape->n_stages);
    n = 2 * (gsize)shape->n_stages * shape->n_chunks;
    replay->virtual_stages = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++)
        replay->virtual_stages[i] = UINT32_MAX;
    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++)
        for (uint32_t direction = 0; direction < 2; direction++) {
            SchedulePlace at =
                schedule_place(schedule, v, direction == 0 ? 0 : last);

            *virtual_stage_slot(replay, direction, at.stage, at.chunk) = v;
        }
}

static void schedule_replay_clear(Replay *replay)
{
    g_free(replay->done_ps);
    g_free(replay->position);
    g_free(replay->clock_ps);
    g_free(replay->begin_ps);
    g_free(replay->work_ps);
    g_free(replay->virtual_stages);
}

/* Returns the time of a unit of virtual stage @v. */
static uint64_t time_of_unit_ps(const ScheduleTimes *times, UnitPass pass,
                                uint32_t v)
{
    const ScheduleTimes *unit =
        times->by_virtual_stage ? &times->by_virtual_stage[v] : times;

    switch (pass) {
    case UNIT_FORWARD:
        return unit->forward_ps;
    case UNIT_BACKWARD:
        return unit->input_ps + unit->weight_ps;
    case UNIT_INPUT:
        return unit->input_ps;
    default:
        return unit->weight_ps;
    }
}

/* Returns when the backward pass of @v handed on its gradient: as one pass or
 * as an input pass. */
static uint64_t gradient_ready_at_ps(const Replay *replay, uint32_t v,
                                     uint32_t micro_batch)
{
    return MIN(*end_time_of_unit(replay, UNIT_BACKWARD, v, micro_batch),
               *end_time_of_unit(replay, UNIT_INPUT, v, micro_batch));
}

/* Returns when a result of virtual stage @v arrives at @stage. */
static uint64_t result_arrives_at_ps(const Replay *replay, uint64_t end_ps,
                                     uint32_t v, uint32_t micro_batch,
                                     uint32_t stage)
{
    if (end_ps == NOT_DONE)
        return NOT_DONE;
    return schedule_place(replay->schedule, v, micro_batch).stage == stage
               ? end_ps
               : end_ps + replay->times.message_ps;
}

/* Returns the time at which the needs of @unit of virtual stage @v are met, or
 * NOT_DONE. */
static uint64_t unit_ready_at_ps(const Replay *replay, const ScheduleUnit *unit,
                                 uint32_t v, uint32_t stage)
{
    uint32_t m = unit->micro_batch;
    uint64_t own_ps;

    if (unit->pass == UNIT_FORWARD)
        return v == 0 ? 0
                      : result_arrives_at_ps(
                            replay,
                            *end_time_of_unit(replay, UNIT_FORWARD, v - 1, m),
                            v - 1, m, stage);
    if (unit->pass == UNIT_WEIGHT)
        return *end_time_of_unit(replay, UNIT_INPUT, v, m);
    own_ps = *end_time_of_unit(replay, UNIT_FORWARD, v, m);
    if (v + 1 == replay->schedule->n_virtual_stages || own_ps == NOT_DONE)
        return own_ps;
    return MAX(own_ps, result_arrives_at_ps(
                           replay, gradient_ready_at_ps(replay, v + 1, m),
                           v + 1, m, stage));
}

static void set_error_of_unit(Replay *replay, const ScheduleUnit *unit,
                              uint32_t stage, const char *what)
{
    replay->fault =
        g_strdup_printf("the %s pass of micro-batch %u through chunk %u "
                        "of stage %u %s",
                        unit_pass_names[unit->pass], unit->micro_batch,
                        unit->chunk, stage, what);
}

/* Runs the next unit of @stage if it can begin; returns whether it did. */
static gboolean run_next_unit_of_stage(Replay *replay, uint32_t stage)
{
    const ScheduleShape *shape = &replay->schedule->shape;
    const GArray *units = replay->schedule->units[stage];
    const ScheduleUnit *unit =
        &g_array_index(units, ScheduleUnit, replay->position[stage]);
    uint64_t at_ps, *done;
    uint32_t v;

    if (unit->chunk >= shape->n_chunks ||
        unit->micro_batch >= shape->n_micro_batches) {
        set_error_of_unit(replay, unit, stage, "does not exist");
        return FALSE;
    }
    v = *virtual_stage_slot(
        replay, direction_of_micro_batch(replay->schedule, unit->micro_batch),
        stage, unit->chunk);
    if (v == UINT32_MAX) {
        set_error_of_unit(replay, unit, stage, "is on the wrong stage");
        return FALSE;
    }
    done = end_time_of_unit(replay, unit->pass, v, unit->micro_batch);
    if (*done != NOT_DONE) {
        set_error_of_unit(replay, unit, stage, "stands twice in the schedule");
        return FALSE;
    }
    at_ps = unit_ready_at_ps(replay, unit, v, stage);
    if (at_ps == NOT_DONE)
        return FALSE;
    at_ps = MAX(at_ps, replay->clock_ps[stage]);
    if (replay->position[stage] == 0)
        replay->begin_ps[stage] = at_ps;
    replay->work_ps[stage] += time_of_unit_ps(&replay->times, unit->pass, v);
    *done = replay->clock_ps[stage] =
        at_ps + time_of_unit_ps(&replay->times, unit->pass, v);
    if (replay->order) {
        const ScheduleStep step = { stage, replay->position[stage] };

        g_array_append_val(replay->order, step);
    }
    replay->position[stage]++;
    return TRUE;
}

/* Finds the first unit that is missing. */
static void find_missing_unit(Replay *replay)
{
    const Schedule *schedule = replay->schedule;

    for (uint32_t v = 0; v < schedule->n_virtual_stages; v++)
        for (uint32_t m = 0; m < schedule->shape.n_micro_batches; m++) {
            SchedulePlace at = schedule_place(schedule, v, m);
            gboolean is_whole =
                *end_time_of_unit(replay, UNIT_BACKWARD, v, m) != NOT_DONE;
            gboolean is_input =
                *end_time_of_unit(replay, UNIT_INPUT, v, m) != NOT_DONE;
            gboolean is_weight =
                *end_time_of_unit(replay, UNIT_WEIGHT, v, m) != NOT_DONE;
            const ScheduleUnit unit = { .chunk = at.chunk, .micro_batch = m };
            ScheduleUnit missing = unit;

            if (*end_time_of_unit(replay, UNIT_FORWARD, v, m) == NOT_DONE)
                missing.pass = UNIT_FORWARD;
            else if (schedule->ops->has_no_backward ||
                     (is_whole && !is_input && !is_weight) ||
                     (!is_whole && is_input && is_weight))
                continue;
            else if (is_whole)
                missing.pass = UNIT_BACKWARD;
            else
                missing.pass = is_input ? UNIT_WEIGHT : UNIT_INPUT;
            set_error_of_unit(replay, &missing, at.stage,
                              is_whole && missing.pass == UNIT_BACKWARD
                                  ? "stands beside an input or weight pass"
                                  : "is missing");
            return;
        }
}

static void fill_schedule_figures(const Replay *replay, ScheduleFigures *ret)
{
    const Schedule *schedule = replay->schedule;
    uint64_t ones[SCHEDULE_MAX_CHUNKS];

    for (uint32_t c = 0; c < schedule->shape.n_chunks; c++)
        ones[c] = 1;
    *ret = (ScheduleFigures){ 0 };
    for (uint32_t s = 0; s < schedule->shape.n_stages; s++) {
        uint64_t span_ps = replay->clock_ps[s] - replay->begin_ps[s];

        ret->makespan_ps = MAX(ret->makespan_ps, replay->clock_ps[s]);
        ret->work_ps = MAX(ret->work_ps, replay->work_ps[s]);
        ret->bubble_ps = MAX(ret->bubble_ps, span_ps - replay->work_ps[s]);
        ret->most_in_flight =
            MAX(ret->most_in_flight,
                (uint32_t)schedule_peak_bytes(schedule, s, ones, NULL));
    }
}

gboolean schedule_replay(const Schedule *schedule, const ScheduleTimes *times,
                         ScheduleFigures *ret, GArray *ret_order,
                         char **ret_fault)
{
    Replay r = { .schedule = schedule, .order = ret_order };
    uint32_t n_stages = schedule->shape.n_stages;
    gboolean has_progress = TRUE;

    r.times = times ? *times : (ScheduleTimes){ 1, 1, 1, 0, NULL };
    schedule_replay_init(&r);
    while (has_progress && !r.fault) {
        has_progress = FALSE;
        for (uint32_t s = 0; s < n_stages && !r.fault; s++)
            while (!r.fault && r.position[s] < schedule->units[s]->len &&
                   run_next_unit_of_stage(&r, s))
                has_progress = TRUE;
    }
    for (uint32_t s = 0; s < n_stages && !r.fault; s++)
        if (r.position[s] < schedule->units[s]->len)
            set_error_of_unit(
                &r,
                &g_array_index(schedule->units[s], ScheduleUnit, r.position[s]),
                s, "never begins: it waits for a unit behind it");
    if (!r.fault)
        find_missing_unit(&r);
    if (!r.fault && ret)
        fill_schedule_figures(&r, ret);
    schedule_replay_clear(&r);
    *ret_fault = r.fault;
    return !r.fault;
}
