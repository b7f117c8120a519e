/*
 * engine.h - the run loop
 *
 * A discrete-event engine with one total order, so that equal inputs give
 * equal outputs, byte for byte, on every machine.
 *
 * Order    (at_ps, phase, order of scheduling)
 * Units    SimTime, picoseconds
 * Range    SIM_ENGINE_MAX_PS, 53 days; what is scheduled later never happens,
 *          and sim_engine_is_past_range() says so.  Scheduling before now, or
 *          now in a phase that is over, is a bug in the caller and asserts
 * Owner    sim_engine_new() gives the caller the engine.  The engine borrows
 *          @self of each event: it must live until the event has run.
 * Threads  one engine, one thread; a run may have several of both
 *          (models/run/regions).  A sweep runs one engine per process.
 */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

#include "sim/core/queue.h"
#include "sim/core/time.h"

#define SIM_ENGINE_MAX_PS (SIM_TIME_MAX >> 2)

typedef struct SimEngine SimEngine;

/*
 * Order of events that fall on the same picosecond.  What several NPUs do to
 * each other goes through DELIVER and LINK, what one NPU does to itself is
 * ACT; so within an instant no NPU sees in which order the others acted, and
 * one NPU that stands for all (see system.h) sees what each of them would.
 */
typedef enum {
    SIM_PHASE_DELIVER, /* messages arrive at nodes and at NPUs' inboxes */
    SIM_PHASE_ACT,     /* NPUs react */
    SIM_PHASE_LINK,    /* links choose among what waits for them */
    SIM_PHASE_SAMPLE,  /* counters are read, after all models acted */
} SimPhase;

SimEngine *sim_engine_new(void);
void sim_engine_free(SimEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimEngine, sim_engine_free)

SimTime sim_engine_now(const SimEngine *engine);

/* Calls @fn(@self, @arg, @at_ps) at @at_ps. */
void sim_engine_at(SimEngine *engine, SimTime at_ps, SimPhase phase,
                   SimEventFn fn, gpointer self, uint32_t arg);

/* Something is still to happen now, in @phase or before. */
gboolean sim_engine_has_more_now(const SimEngine *engine, SimPhase phase);

/* Calls @fn(@self) once, when nothing more is to happen now in SIM_PHASE_ACT or
 * before: so it sees all that happened, in whatever order.  What it brings
 * about in those phases happens then, now still.  One may wait for that at a
 * time. */
typedef void (*SimSettledFn)(gpointer self);
void sim_engine_when_settled(SimEngine *engine, SimSettledFn fn, gpointer self);

/* TRUE when something was scheduled past the range. */
gboolean sim_engine_is_past_range(const SimEngine *engine);

/* Takes all events out, into @ret (of SimEvent), in their order. */
void sim_engine_take_all(SimEngine *engine, GArray *ret);
/* Now is @now_ps, where nothing is scheduled; then @event, of those, comes
 * @shift_ps later than it would have. */
void sim_engine_set_now(SimEngine *engine, SimTime now_ps);
void sim_engine_put(SimEngine *engine, const SimEvent *event, SimTime shift_ps);
/* What orders it then among others: by time and phase. */
uint64_t sim_engine_key(const SimEvent *event, SimTime shift_ps);
/* When @event is to happen. */
SimTime sim_engine_event_ps(const SimEvent *event);

/* Runs until the queue is empty or the next event is later than @until_ps;
 * now stays at the last event.  Returns the number of events run. */
uint64_t sim_engine_run(SimEngine *engine, SimTime until_ps);

/* Runs until the queue is empty or @n_max events were run; gives how many. */
uint64_t sim_engine_run_events(SimEngine *engine, uint64_t n_max);

/* Likewise, what is before @until_ps, which never falls from call to call and
 * is no later than the range; *@ret_all: nothing is left of that.  Now may be
 * later than the last event then, but before @until_ps. */
uint64_t sim_engine_run_before(SimEngine *engine, SimTime until_ps,
                               uint64_t n_max, gboolean *ret_all);
/* When something happens next; SIM_TIME_MAX: never. */
SimTime sim_engine_next_ps(const SimEngine *engine);

#endif
