/*
 * engine.h - the run loop of the discrete-event simulation
 *
 * The engine runs events in one total order.  So equal inputs give equal
 * outputs, byte for byte, on every machine.
 *
 * Order    (at_ps, phase, order of scheduling)
 * Units    SimTime, picoseconds
 * Range    SIM_ENGINE_MAX_PS, 53 days.  An event that is scheduled later never
 *          happens; sim_engine_exceeded_time_range() reports it.  Scheduling
 *          an event before now, or now in a phase that has ended, is a bug of
 *          the caller and fails an assertion
 * Owner    sim_engine_new() gives the caller the engine.  The engine borrows
 *          @self of each event: it must live until the event has run.
 * Threads  each engine is used by one thread; a run may have several engines
 *          and threads (models/run/regions).  A sweep runs one engine per
 *          process.
 */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

#include "sim/core/queue.h"
#include "sim/core/time.h"

#define SIM_ENGINE_MAX_PS (SIM_TIME_MAX >> 2)

typedef struct SimEngine SimEngine;

/*
 * The order of events at the same picosecond.  NPUs affect each other only in
 * DELIVER and LINK; in ACT each NPU affects only itself.  So no NPU can observe
 * the order in which the others acted within an instant, and one NPU that
 * represents its equivalence class observes the same as each member would.
 */
typedef enum {
    SIM_PHASE_DELIVER, /* messages arrive at nodes and at inboxes of NPUs */
    SIM_PHASE_ACT,     /* NPUs react to what has arrived */
    SIM_PHASE_LINK,    /* links choose the next message that is waiting */
    SIM_PHASE_SAMPLE,  /* counters are read, after all models have acted */
} SimPhase;

SimEngine *sim_engine_new(void);
void sim_engine_free(SimEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimEngine, sim_engine_free)

SimTime sim_engine_now_ps(const SimEngine *engine);

/* Calls @fn(@self, @arg, @at_ps) at @at_ps. */
void sim_engine_schedule(SimEngine *engine, SimTime at_ps, SimPhase phase,
                         SimEventFn fn, gpointer self, uint32_t arg);

/* Returns whether another event will happen now, in @phase or an earlier
 * phase. */
gboolean sim_engine_has_more_events_now(const SimEngine *engine,
                                        SimPhase phase);

/* Calls @fn(@self) once, when no event is left now in SIM_PHASE_ACT or before.
 * So the result does not depend on the order of these events.  Events that @fn
 * schedules now, in those phases, still happen now.  Only one call can be
 * pending. */
typedef void (*SimSettledFn)(gpointer self);
void sim_engine_call_when_instant_settles(SimEngine *engine, SimSettledFn fn,
                                          gpointer self);

/* Returns whether an event was scheduled past the range. */
gboolean sim_engine_exceeded_time_range(const SimEngine *engine);

/* Removes all events and appends them to @ret (of SimEvent) in their order. */
void sim_engine_remove_all_events(SimEngine *engine, GArray *ret);
/* These two functions resume a run later. sim_engine_set_now_ps() sets the time
 * of an engine without events to @now_ps. sim_engine_reschedule() then
 * schedules each removed @event again, @shift_ps later than before. */
void sim_engine_set_now_ps(SimEngine *engine, SimTime now_ps);
void sim_engine_reschedule(SimEngine *engine, const SimEvent *event,
                           SimTime shift_ps);
/* Returns the key of @event after a shift by @shift_ps; keys order events by
 * time and phase. */
uint64_t sim_engine_event_key(const SimEvent *event, SimTime shift_ps);
/* Returns the time at which @event happens. */
SimTime sim_engine_event_time_ps(const SimEvent *event);

/* To be called by an event in SIM_PHASE_ACT, with no call of
 * sim_engine_call_when_instant_settles() pending.  Simulates a part of the
 * system that was left out since @from_ps: sets the time back to @from_ps,
 * calls @begin(@self), and runs the events that follow from it up to now, all
 * phases until SIM_PHASE_ACT included.  Then the time is as before, and the
 * later events of the part join the others.  Events whose .self is @self are
 * dropped.  Returns the number of events run. */
uint64_t sim_engine_run_missed_events(SimEngine *engine, SimTime from_ps,
                                      SimSettledFn begin, gpointer self);

/* Runs until the queue is empty or the next event is later than @until_ps.  The
 * time stays at the last event.  Returns the number of events run. */
uint64_t sim_engine_run(SimEngine *engine, SimTime until_ps);

/* Runs until the queue is empty or @n_max events have run.  Returns the number
 * of events run. */
uint64_t sim_engine_run_events(SimEngine *engine, uint64_t n_max);

/* Runs the events before @until_ps, at most @n_max.  Sets *@ret_all if none of
 * them is left.  @until_ps must not fall from call to call, nor exceed the
 * range.  Afterwards the time may be later than the last event, but is before
 * @until_ps.  Returns the number of events run. */
uint64_t sim_engine_run_before(SimEngine *engine, SimTime until_ps,
                               uint64_t n_max, gboolean *ret_all);
/* Returns the time of the next event, or SIM_TIME_MAX if there is none. */
SimTime sim_engine_next_event_ps(const SimEngine *engine);

#endif
