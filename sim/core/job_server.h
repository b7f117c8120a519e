/*
 * job_server.h - rate servers: a queue of jobs in front of one or more equal
 * servers
 *
 * A job is an amount of work (bytes, values), which a server processes at a
 * rate.  Waiting jobs are served by their order key, the smallest first, then
 * in order of arrival.  A job in service is not interrupted.  The rate of a
 * single server may change during service: the remaining work is then processed
 * at the new rate; a rate of 0 is a pause.  A job that would end past the
 * engine's range is paused until the rate changes.
 *
 * Units    work in units, rate in units per second, time in ps
 * Rounding a job ends at the first picosecond at which its work is done; the
 *          remainder is kept exactly (units x 10^12) and is never rounded twice
 * Counters are credited when a job starts; pauses are not busy time
 * Owner    the caller owns the server; it borrows the engine and @self
 */
#ifndef SIM_CORE_JOB_SERVER_H
#define SIM_CORE_JOB_SERVER_H

#include "sim/core/engine.h"
#include "sim/core/state_walk.h"

typedef struct SimServer SimServer;

/* Returns an idle server.  It calls @done(@self, arg, now_ps) at the end of
 * each job. */
SimServer *sim_server_new(SimEngine *engine, uint32_t n_servers,
                          uint64_t units_per_s, SimEventFn done, gpointer self);
void sim_server_free(SimServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimServer, sim_server_free)

/* Queues @units > 0 of work; @arg is passed to done(). */
void sim_server_submit_job(SimServer *server, uint64_t order, uint64_t units,
                           uint32_t arg);

/* Changes the rate.  Allowed only if n_servers is 1. */
void sim_server_set_rate(SimServer *server, uint64_t units_per_s);

gboolean sim_server_is_idle(const SimServer *server);
guint sim_server_count_waiting(const SimServer *server);
/* Returns whether any job so far has found all servers busy. */
gboolean sim_server_has_queued(const SimServer *server);
uint64_t sim_server_processed_units(const SimServer *server);
/* Returns the time in service, summed over the servers. */
SimTime sim_server_busy_ps(const SimServer *server);

/* Visits the whole state (state_walk.h); @arg visits the jobs. */
void sim_server_visit_state(SimServer *server, SteadyWalk *walk,
                            SteadyArgFn arg, gpointer self);

#endif
