/* engine.c - the run loop of the discrete-event simulation; see engine.h */
#include "sim/core/engine.h"

#define PHASE_BITS 2

struct SimEngine {
    SimQueue *queue; /* owned; keys are time << PHASE_BITS | phase */
    SimTime now_ps;
    gboolean past_range;
    SimSettledFn settled;  /* NULL: no call is pending */
    gpointer settled_self; /* borrowed */
    /* The number of events to run before the engine checks for a pending
     * .settled function. */
    uint64_t n_until;
    SimTime stop_ps;  /* the last event before this time is a call of
                         set_engine_stop_time(),     pending or done */
    uint64_t n_stops; /* the number of calls of set_engine_stop_time() so far */
    gboolean
        is_stopped; /* set by the call of set_engine_stop_time() for .stop_ps */
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

SimTime sim_engine_now_ps(const SimEngine *engine)
{
    return engine->now_ps;
}

void sim_engine_schedule(SimEngine *engine, SimTime at_ps, SimPhase phase,
                         SimEventFn fn, gpointer self, uint32_t arg)
{
    /* Only the end of the range is checked here: sim_queue_push() asserts that
     * @at_ps is not in the past. */
    if (G_UNLIKELY(at_ps > SIM_ENGINE_MAX_PS)) {
        engine->past_range = TRUE;
        return;
    }
    sim_queue_push(engine->queue, at_ps << PHASE_BITS | phase, fn, self, arg);
}

void sim_engine_call_when_instant_settles(SimEngine *engine, SimSettledFn fn,
                                          gpointer self)
{
    g_assert(!engine->settled);
    engine->settled = fn;
    engine->settled_self = self;
    engine->n_until = 0;
}

void sim_engine_remove_all_events(SimEngine *engine, GArray *ret)
{
    g_assert(!engine->settled);
    sim_queue_remove_all(engine->queue, ret);
}

void sim_engine_set_now_ps(SimEngine *engine, SimTime now_ps)
{
    engine->now_ps = now_ps;
    sim_queue_restart_at_key(engine->queue, now_ps << PHASE_BITS);
}

void sim_engine_reschedule(SimEngine *engine, const SimEvent *event,
                           SimTime shift_ps)
{
    sim_engine_schedule(engine, sim_engine_event_time_ps(event) + shift_ps,
                        (SimPhase)(event->key & ((1 << PHASE_BITS) - 1)),
                        event->fn, event->self, event->arg);
}

uint64_t sim_engine_event_key(const SimEvent *event, SimTime shift_ps)
{
    return event->key + (shift_ps << PHASE_BITS);
}

SimTime sim_engine_event_time_ps(const SimEvent *event)
{
    return event->key >> PHASE_BITS;
}

gboolean sim_engine_has_more_events_now(const SimEngine *engine, SimPhase phase)
{
    return sim_queue_has_key_until(engine->queue,
                                   engine->now_ps << PHASE_BITS | phase);
}

gboolean sim_engine_exceeded_time_range(const SimEngine *engine)
{
    return engine->past_range;
}

/* Calls the pending function if the instant has settled, as often as one is
 * set. */
static void call_functions_of_settled_instant(SimEngine *engine)
{
    while (engine->settled &&
           !sim_engine_has_more_events_now(engine, SIM_PHASE_ACT)) {
        SimSettledFn fn = engine->settled;

        engine->settled = NULL;
        fn(engine->settled_self);
    }
}

/* Runs up to @n_max events, or fewer if one of them calls
 * sim_engine_call_when_instant_settles().  Returns the number of events run. */
static inline uint64_t run_events(SimEngine *engine, uint64_t n_max)
{
    uint64_t n_run = 0;
    SimEvent event;

    engine->n_until = n_max;
    while (n_run < engine->n_until && sim_queue_pop(engine->queue, &event)) {
        engine->now_ps = event.key >> PHASE_BITS;
        event.fn(event.self, event.arg, engine->now_ps);
        n_run++;
    }
    return n_run;
}

uint64_t sim_engine_run_events(SimEngine *engine, uint64_t n_max)
{
    uint64_t n_all = 0, n_run;

    do {
        call_functions_of_settled_instant(engine);
        n_run = run_events(engine, engine->settled ? 1 : n_max - n_all);
        n_all += n_run;
    } while (n_run > 0 && n_all < n_max);
    call_functions_of_settled_instant(engine);
    return n_all;
}

/* Ends sim_engine_run_before().  A call for an earlier time than the current
 * .stop_ps has no effect. */
static void set_engine_stop_time(gpointer self, uint32_t arg, uint64_t now_ps)
{
    SimEngine *engine = self;

    (void)arg;
    engine->n_stops++;
    if (now_ps + 1 != engine->stop_ps)
        return;
    engine->is_stopped = TRUE;
    engine->n_until = 0;
}

uint64_t sim_engine_run_before(SimEngine *engine, SimTime until_ps,
                               uint64_t n_max, gboolean *ret_all)
{
    uint64_t n_stops = engine->n_stops, n_all = 0, n_run;

    g_assert(until_ps >= engine->stop_ps && until_ps <= SIM_ENGINE_MAX_PS);
    if (until_ps > engine->stop_ps) {
        engine->stop_ps = until_ps;
        engine->is_stopped = FALSE;
        sim_engine_schedule(engine, until_ps - 1, SIM_PHASE_SAMPLE,
                            set_engine_stop_time, engine, 0);
    }
    while (!engine->is_stopped && n_all < n_max) {
        call_functions_of_settled_instant(engine);
        n_run = run_events(engine, engine->settled ? 1 : n_max - n_all);
        n_all += n_run;
    }
    call_functions_of_settled_instant(engine);
    *ret_all = engine->is_stopped;
    return n_all - (engine->n_stops - n_stops);
}

/* Schedules removed @events again, except those whose .self is @dropped. */
static void reschedule_events(SimEngine *engine, const GArray *events,
                              gconstpointer dropped)
{
    for (guint i = 0; i < events->len; i++) {
        const SimEvent *event = &g_array_index(events, SimEvent, i);

        if (event->self != dropped)
            sim_engine_reschedule(engine, event, 0);
    }
}

uint64_t sim_engine_run_missed_events(SimEngine *engine, SimTime from_ps,
                                      SimSettledFn begin, gpointer self)
{
    SimTime now_ps = engine->now_ps;
    uint64_t until_key = now_ps << PHASE_BITS | SIM_PHASE_ACT;
    uint64_t n_until = engine->n_until, n_run = 0;
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    g_autoptr(GArray) later = g_array_new(FALSE, FALSE, sizeof(SimEvent));

    sim_engine_remove_all_events(engine, others);
    sim_engine_set_now_ps(engine, from_ps);
    begin(self);
    while (sim_queue_first_key(engine->queue) <= until_key)
        n_run += sim_engine_run_events(engine, 1);
    sim_engine_remove_all_events(engine, later);
    sim_engine_set_now_ps(engine, now_ps);
    engine->n_until = n_until;
    reschedule_events(engine, others, self);
    reschedule_events(engine, later, NULL);
    return n_run;
}

SimTime sim_engine_next_event_ps(const SimEngine *engine)
{
    uint64_t key = sim_queue_first_key(engine->queue);

    return key == UINT64_MAX ? SIM_TIME_MAX : key >> PHASE_BITS;
}

uint64_t sim_engine_run(SimEngine *engine, SimTime until_ps)
{
    uint64_t n_run = 0;

    while (sim_queue_first_key(engine->queue) >> PHASE_BITS <= until_ps &&
           sim_engine_run_events(engine, 1) == 1)
        n_run++;
    return n_run;
}
