/*
 * steady.h - walking through the whole state of a run, to compare or to move it
 *
 * What has state has one function that visits all of it, in an order of its
 * own.  A walk that looks writes down what it visits in a form that two states
 * which go on alike have in common: times from now on, no addresses and no
 * numbers of records.  A walk that moves takes the same state to a later time:
 * moments are shifted, and what counts goes on as it did.  Since both are one
 * function, what was compared is what is moved.
 *
 * Units    ps
 * Owner    the caller; words and arrays are borrowed for the walk
 */
#ifndef SIM_CORE_STEADY_H
#define SIM_CORE_STEADY_H

#include "sim/core/steady_words.h"
#include "sim/core/time.h"

typedef struct SteadyWalk SteadyWalk;

/* What is counted in steps coarser than a picosecond does not grow evenly: its
 * changes are kept, and gone through again.  Of one place in a run. */
typedef struct {
    SimTime at_ps; /* while it is written; then after the period's begin */
    int64_t bytes;
} SteadyChange;

#define STEADY_MOST_CHANGES (1 << 20) /* of a lap: as many may not be all */

typedef struct {
    GArray *changes; /* of SteadyChange; written if */
    gboolean is_on;
    GArray *lap; /* likewise, of a longer period; NULL: of none */
} SteadyLog;

static inline void steady_log(const SteadyLog *log, SimTime now_ps,
                              int64_t bytes)
{
    const SteadyChange change = { now_ps, bytes };

    if (log->is_on)
        g_array_append_val(log->changes, change);
    if (log->lap && log->lap->len < STEADY_MOST_CHANGES)
        g_array_append_val(log->lap, change);
}

/* Visits what job or event @arg is, which is served by @order. */
typedef void (*SteadyArgFn)(gpointer self, SteadyWalk *walk, uint64_t order,
                            uint32_t arg);
/* Events of an address: what their @arg is. */
typedef void (*SteadyOwnFn)(SteadyWalk *walk, gconstpointer address,
                            SteadyArgFn arg, gpointer self);

struct SteadyWalk {
    SimTime now_ps;
    SteadyWords *state; /* looks */
    GArray *counts;     /* of SimWide: looks */
    /* It moves: by n periods in which the counts grow by @grows in all. */
    gboolean moves;
    SimTime shift_ps;
    uint64_t n;
    const SimWide *grows;
    SimTime period_ps;
    const GArray *changes; /* of SteadyChange, of the period */
    /* Before the first: where changes can be kept; NULL: they need not be. */
    const SteadyLog *log;
    guint at; /* of counts, visited */
    /* Nothing is under way that what is visited does. */
    gboolean is_at_rest;
    /* Nothing of what is visited happens for as long; no message or chunk is
     * larger. */
    SimTime rests_ps;
    uint64_t most_bytes;
    gboolean is_lost; /* something cannot be told: no state equals another */
    /* Visits what a message is about, by its cookie and order. */
    SteadyArgFn about;
    /* Where somebody is told of what happens, and so it matters when it did:
     * likewise of each message that is under way, while it looks. */
    gboolean is_told;
    void (*message)(gpointer self, SteadyWalk *walk, uint32_t message);
    SteadyOwnFn own;
    gpointer self;
};

/* Is the same in equal states, and does not move. */
static inline void steady_same(SteadyWalk *walk, uint64_t value)
{
    if (!walk->moves)
        steady_words_add(walk->state, value);
}

/* A moment, past or to come; "never" stays what it is. */
static inline void steady_time(SteadyWalk *walk, SimTime *ps)
{
    if (!walk->moves)
        steady_same(walk, *ps == SIM_TIME_MAX ? *ps : *ps - walk->now_ps);
    else if (*ps != SIM_TIME_MAX)
        *ps += walk->shift_ps;
}

/* A moment that, once it is past, could as well be now. */
static inline void steady_until(SteadyWalk *walk, SimTime *ps)
{
    if (*ps > walk->now_ps)
        steady_time(walk, ps);
    else
        steady_same(walk, 0);
}

/* A moment in the past: whether it will be @long_ps ago or more, when something
 * happens again, or when it was. */
static inline void steady_since(SteadyWalk *walk, SimTime *ps, SimTime long_ps)
{
    if (!walk->moves && walk->now_ps - *ps + walk->rests_ps >= long_ps)
        steady_same(walk, SIM_TIME_MAX);
    else
        steady_time(walk, ps);
}

/* A moment that nothing hangs on but what is told of it. */
static inline void steady_told(SteadyWalk *walk, SimTime *ps)
{
    if (walk->moves)
        *ps += walk->shift_ps;
    else if (walk->is_told)
        steady_same(walk, walk->now_ps - *ps);
}

/* What only counts, modulo 2^128, */
static inline void steady_wide(SteadyWalk *walk, SimWide *count)
{
    if (walk->moves)
        *count += walk->grows[walk->at++];
    else
        g_array_append_val(walk->counts, *count);
}

/* and modulo 2^64: a time that is summed, too. */
static inline void steady_count(SteadyWalk *walk, uint64_t *count)
{
    SimWide wide = (SimWide)*count << 64; /* what wraps, wraps there */

    steady_wide(walk, &wide);
    *count = (uint64_t)(wide >> 64);
}

#endif
