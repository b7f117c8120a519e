/*
 * library_calls.h - how the threads of a host call the library of a timed
 * collective
 *
 * A thread that serves several NPUs calls the library for one after the other,
 * as nccl-tests does with `-g 8`.  Calls are asynchronous.  If they are queued,
 * repeated collectives follow each other at the slower of two rates: that of
 * the NPUs, and that of the thread.  If the thread waits for each collective,
 * as a program does that needs the result, both times add up.
 *
 * Units    ps
 * Sources  [NCCLTESTS] in validate/SOURCES.md
 */
#ifndef SIM_STUDY_COLLECTIVES_LIBRARY_CALLS_H
#define SIM_STUDY_COLLECTIVES_LIBRARY_CALLS_H

#include "models/run/system.h"

typedef struct {
    uint64_t n_per_thread; /* NPUs; CONFIG_AUTO: see library_calls_time_ps() */
    uint64_t issue_ps;     /* time of one call */
    gboolean waits;        /* the thread waits for the end of each collective */
} LibraryCalls;

extern const ConfigField library_calls_fields[];

/* Returns the time in which a thread calls the library once for each of its
 * NPUs.  If their number is automatic, a machine has one thread for all its
 * NPUs, and NPUs of several machines have a thread each.  Returns 0 if no
 * library decides on the collectives of @system. */
SimTime library_calls_time_ps(const LibraryCalls *calls, const System *system);

/* Returns the time of a collective that takes @npu_ps on the NPUs, if the
 * thread of the host needs @calls_ps. */
SimTime library_calls_add(const LibraryCalls *calls, SimTime calls_ps,
                          SimTime npu_ps);

#endif
