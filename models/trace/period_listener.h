/*
 * period_listener.h - callbacks for a listener that lets periods of a run be
 * skipped
 *
 * If the state of an NPU repeats within an iteration, the simulator skips
 * whole periods (models/run/steady).  No events are reported for a skipped
 * period, except those of kernels, which continue meanwhile: their events come
 * as usual, and before all other events of the same time.  No wait of the main
 * stream and no iteration begins or ends within a skipped period.
 *
 * Snapshot the state that look(), chunk() and message() visit at one time
 *
 * Units    ps
 * Owner    snapshots and periods are reference counted by their owners
 */
#ifndef MODELS_TRACE_PERIOD_LISTENER_H
#define MODELS_TRACE_PERIOD_LISTENER_H

#include "sim/core/state_walk.h"

/* The callbacks of one listener, or of several listeners with the same self. */
typedef struct {
    /* Begins a snapshot.  Visits the state of the listener that affects later
     * results. */
    void (*begin_snapshot)(gpointer self, SteadyWalk *walk);
    /* Visit the active items one by one: first the slots of chunks, then
     * messages. */
    void (*chunk)(gpointer self, SteadyWalk *walk, uint32_t slot, uint32_t op);
    void (*message)(gpointer self, SteadyWalk *walk, uint32_t message);
    /* Returns the data that the listener keeps of the snapshot that has just
     * ended. */
    gpointer (*end_snapshot)(gpointer self);
    /* Returns the data that the listener keeps of the period between two
     * snapshots with the same state; NULL if this period cannot be skipped. */
    gpointer (*period_of_snapshots)(gpointer self, gpointer from, gpointer to);
    void (*free_snapshot)(gpointer look);
    void (*free_period)(gpointer period);
    /* Returns how many of @n periods may be skipped after the last snapshot. */
    uint64_t (*max_periods_to_skip)(gpointer self, gpointer period, uint64_t n);
    /* Notes that @n periods were skipped while operation @op was active. */
    void (*skipped)(gpointer self, gpointer period, uint64_t n,
                    SimTime shift_ps, uint32_t op);
} TracePeriodOps;

#endif
