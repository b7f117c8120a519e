/* engine.c - the run loop */
#include "sim/core/engine.h"

#define PHASE_BITS 2

struct SimEngine {
    SimQueue *queue; /* owned; keys are time << PHASE_BITS | phase */
    SimTime now_ps;
    gboolean past_range;
};

SimEngine *sim_engine_new(void)
{
    SimEngine *engine = g_new0(SimEngine, 1);

    engine->queue = sim_queue_new();
    return engine;
}

void sim_engine_free(SimEngine *engine)
{
    if (!engine)
        return;
    sim_queue_free(engine->queue);
    g_free(engine);
}

SimTime sim_engine_now(const SimEngine *engine)
{
    return engine->now_ps;
}

void sim_engine_at(SimEngine *engine, SimTime at_ps, SimPhase phase,
                   SimEventFn fn, gpointer self, uint32_t arg)
{
    /* No event may change the past: the queue asserts it. */
    if (G_UNLIKELY(at_ps > SIM_ENGINE_MAX_PS)) {
        engine->past_range = TRUE;
        return;
    }
    sim_queue_push(engine->queue, at_ps << PHASE_BITS | phase, fn, self, arg);
}

void sim_engine_take_all(SimEngine *engine, GArray *ret)
{
    sim_queue_take_all(engine->queue, ret);
}

void sim_engine_set_now(SimEngine *engine, SimTime now_ps)
{
    engine->now_ps = now_ps;
    sim_queue_restart(engine->queue, now_ps << PHASE_BITS);
}

void sim_engine_put(SimEngine *engine, const SimEvent *event, SimTime shift_ps)
{
    sim_engine_at(engine, sim_engine_event_ps(event) + shift_ps,
                  (SimPhase)(event->key & ((1 << PHASE_BITS) - 1)), event->fn,
                  event->self, event->arg);
}

uint64_t sim_engine_key(const SimEvent *event, SimTime shift_ps)
{
    return event->key + (shift_ps << PHASE_BITS);
}

SimTime sim_engine_event_ps(const SimEvent *event)
{
    return event->key >> PHASE_BITS;
}

gboolean sim_engine_has_more_now(const SimEngine *engine, SimPhase phase)
{
    return sim_queue_has_until(engine->queue,
                               engine->now_ps << PHASE_BITS | phase);
}

gboolean sim_engine_is_past_range(const SimEngine *engine)
{
    return engine->past_range;
}

uint64_t sim_engine_run(SimEngine *engine, SimTime until_ps)
{
    uint64_t n_run = 0;
    SimEvent event;

    if (until_ps != SIM_TIME_MAX &&
        sim_queue_first_key(engine->queue) >> PHASE_BITS > until_ps)
        return 0;
    while (sim_queue_pop(engine->queue, &event)) {
        engine->now_ps = event.key >> PHASE_BITS;
        event.fn(event.self, event.arg, engine->now_ps);
        n_run++;
        if (until_ps != SIM_TIME_MAX &&
            sim_queue_first_key(engine->queue) >> PHASE_BITS > until_ps)
            break;
    }
    return n_run;
}

uint64_t sim_engine_run_events(SimEngine *engine, uint64_t n_max)
{
    uint64_t n_run = 0;
    SimEvent event;

    while (n_run < n_max && sim_queue_pop(engine->queue, &event)) {
        engine->now_ps = event.key >> PHASE_BITS;
        event.fn(event.self, event.arg, engine->now_ps);
        n_run++;
    }
    return n_run;
}
