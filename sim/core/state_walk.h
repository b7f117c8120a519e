/*
 * state_walk.h - walks through the whole state of a run, to compare it or to
 * shift it in time
 *
 * Each object with state has one function that visits all of its state in a
 * fixed order.  There are two kinds of walk:
 *
 *   record   writes the state down in a form that is equal for two states
 *            with the same future: times relative to now, and neither
 *            addresses nor record numbers
 *   shift    moves the same state to a later time: points in time are
 *            shifted, and counters grow as they did in each period
 *
 * One function does both, so exactly the state that was compared is shifted.
 *
 * Units    ps
 * Owner    the caller; words and arrays are borrowed for the walk
 */
#ifndef SIM_CORE_STATE_WALK_H
#define SIM_CORE_STATE_WALK_H

#include "sim/core/state_words.h"
#include "sim/core/time.h"

typedef struct SteadyWalk SteadyWalk;

/* One change of a quantity that does not grow evenly because it is counted in
 * steps coarser than a picosecond.  A log keeps the changes of one place in a
 * run, so that they can be repeated. */
typedef struct {
    SimTime at_ps; /* absolute in a log; later relative to the start of the
                      period */
    int64_t bytes;
} SteadyChange;

/* The limit of changes in SteadyLog.long_changes; a lap of this size may be
 * incomplete. */
#define STEADY_MAX_CHANGES (1 << 20)

typedef struct {
    GArray *changes; /* of SteadyChange; appended to if .is_on */
    gboolean is_on;
    GArray *long_changes; /* of SteadyChange, over a longer period, or NULL */
} SteadyLog;

static inline void steady_log_append_change(const SteadyLog *log,
                                            SimTime now_ps, int64_t bytes)
{
    const SteadyChange change = { now_ps, bytes };

    if (log->is_on)
        g_array_append_val(log->changes, change);
    if (log->long_changes && log->long_changes->len < STEADY_MAX_CHANGES)
        g_array_append_val(log->long_changes, change);
}

/* Visits the job or event @arg, which is served by the key @order. */
typedef void (*SteadyArgFn)(gpointer self, SteadyWalk *walk, uint64_t order,
                            uint32_t arg);
/* Visits the pending events whose .self is @address.  @arg visits the argument
 * of each event. */
typedef void (*SteadyOwnFn)(SteadyWalk *walk, gconstpointer address,
                            SteadyArgFn arg, gpointer self);

struct SteadyWalk {
    SimTime now_ps;
    StateWords *state; /* words recorded (not of a shift) */
    /* Counters recorded (not of a shift), of SimWide; NULL: they are not
     * recorded. */
    GArray *counts;
    /* Shifts the state by .n periods, in which the counters grow by .growth in
     * total.  FALSE: records it. */
    gboolean moves;
    SimTime shift_ps;
    uint64_t n;
    const SimWide *growth;
    SimTime period_ps;
    const GArray *changes; /* of SteadyChange: the changes in one period */
    /* The log in which the visited object keeps its changes from now on.  It is
     * set in the walk before the first recording, otherwise NULL. */
    const SteadyLog *log;
    guint n_visited; /* the number of counters that were visited so far */
    /* Set by the caller if nothing is in flight in the visited objects. */
    gboolean is_at_rest;
    /* No visited event happens within .rests_ps, and no message or chunk is
     * larger than .most_bytes. */
    SimTime rests_ps;
    uint64_t most_bytes;
    /* Some state cannot be recorded, so this record equals no other. */
    gboolean is_lost;
    /* Visits the subject of a message, given its cookie and its order. */
    SteadyArgFn about;
    /* Set if a listener is informed of events, so that the times of past events
     * matter.  While recording, .message then visits each message in flight. */
    gboolean is_told;
    void (*message)(gpointer self, SteadyWalk *walk, uint32_t message);
    SteadyOwnFn own;
    gpointer self;
    /* Records all times after .now_ps, which may have passed, so that the
     * record can be restored.  Earlier times are 0. */
    gboolean is_exact;
    /* Restores a record that was made with .is_exact: the state of equal
     * objects at rest, with .now_ps in place of its .now_ps.  Times that are 0
     * in the record stay as they are.  Counters grow by .growth.  Used with
     * .moves; .n_restored counts the words. */
    const uint64_t *restores;
    gsize n_restored;
};

/* Visits a value that is equal in equal states and does not change with
 * time. */
static inline void steady_visit_constant(SteadyWalk *walk, uint64_t value)
{
    if (!walk->moves)
        state_words_add(walk->state, value);
    else if (walk->restores)
        walk->is_lost |= walk->restores[walk->n_restored++] != value;
}

/* Sets a time from the next word of a record that was made with .is_exact. */
static inline void steady_advance_restored_time(SteadyWalk *walk, SimTime *ps)
{
    uint64_t word = walk->restores[walk->n_restored++];

    if (word == SIM_TIME_MAX)
        *ps = SIM_TIME_MAX;
    else if (word > 0)
        *ps = walk->now_ps + word;
}

/* Visits a point in time, past or future; "never" stays unchanged. */
static inline void steady_visit_time(SteadyWalk *walk, SimTime *ps)
{
    if (!walk->moves && walk->is_exact && *ps <= walk->now_ps)
        steady_visit_constant(walk, 0);
    else if (!walk->moves)
        steady_visit_constant(walk,
                              *ps == SIM_TIME_MAX ? *ps : *ps - walk->now_ps);
    else if (walk->restores)
        steady_advance_restored_time(walk, ps);
    else if (*ps != SIM_TIME_MAX)
        *ps += walk->shift_ps;
}

/* Visits a point in time that has no effect once it has passed. */
static inline void steady_visit_deadline(SteadyWalk *walk, SimTime *ps)
{
    if (*ps > walk->now_ps || walk->is_exact || walk->restores)
        steady_visit_time(walk, ps);
    else
        steady_visit_constant(walk, 0);
}

/* Visits a past point in time.  The exact time matters only if it will be less
 * than @long_ps ago when the next event happens. */
static inline void steady_visit_time_that_may_be_past(SteadyWalk *walk,
                                                      SimTime *ps,
                                                      SimTime long_ps)
{
    if (!walk->moves && !walk->is_exact &&
        walk->now_ps - *ps + walk->rests_ps >= long_ps)
        steady_visit_constant(walk, SIM_TIME_MAX);
    else
        steady_visit_time(walk, ps);
}

/* Visits a past point in time that affects only listeners. */
static inline void steady_visit_reported_time(SteadyWalk *walk, SimTime *ps)
{
    if (walk->restores)
        steady_advance_restored_time(walk, ps);
    else if (walk->moves)
        *ps += walk->shift_ps;
    else if (walk->is_exact)
        steady_visit_time(walk, ps);
    else if (walk->is_told)
        steady_visit_constant(walk, walk->now_ps - *ps);
}

/* Visits a counter, modulo 2^128. */
static inline void steady_visit_wide_counter(SteadyWalk *walk, SimWide *count)
{
    if (walk->moves)
        *count += walk->growth[walk->n_visited++];
    else if (walk->counts)
        g_array_append_val(walk->counts, *count);
}

/* Visits a counter or a summed time, modulo 2^64. */
static inline void steady_visit_counter(SteadyWalk *walk, uint64_t *count)
{
    SimWide wide = (SimWide)*count
                   << 64; /* overflows with the 64-bit counter */

    steady_visit_wide_counter(walk, &wide);
    *count = (uint64_t)(wide >> 64);
}

#endif
