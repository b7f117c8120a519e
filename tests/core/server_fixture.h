/* server_fixture.h - a server that records its finished jobs */
#ifndef TESTS_CORE_SERVER_FIXTURE_H
#define TESTS_CORE_SERVER_FIXTURE_H

#include "tests/test.h"

#include <stdlib.h>

#include "sim/core/job_server.h"

#define GIGA  UINT64_C(1000000000)
#define N_MAX 200

typedef struct {
    uint32_t arg;
    SimTime at_ps;
} Done;

typedef struct {
    SimEngine *engine;
    SimServer *server;
    Done done[N_MAX];
    guint n_done;
} Fixture;

static inline void log_kernel_done(gpointer self, uint32_t arg, SimTime now_ps)
{
    Fixture *f = self;

    assert_true(f->n_done < N_MAX);
    assert_int_equal(sim_engine_now_ps(f->engine), now_ps);
    f->done[f->n_done++] = (Done){ arg, now_ps };
}

static inline Fixture *server_fixture_new(uint32_t n_servers,
                                          uint64_t units_per_s)
{
    Fixture *f = g_new0(Fixture, 1);

    f->engine = sim_engine_new();
    f->server =
        sim_server_new(f->engine, n_servers, units_per_s, log_kernel_done, f);
    return f;
}

static inline void server_fixture_free(Fixture *f)
{
    sim_server_free(f->server);
    sim_engine_free(f->engine);
    g_free(f);
}

static inline void run_server_fixture(Fixture *f)
{
    (void)sim_engine_run(f->engine, SIM_TIME_MAX);
}

static inline void assert_job_done_at(const Fixture *f, guint i, uint32_t arg,
                                      SimTime at_ps)
{
    assert_true(i < f->n_done);
    assert_int_equal(f->done[i].arg, arg);
    assert_int_equal(f->done[i].at_ps, at_ps);
}

/* A change of the rate or a job, at a given time. */
typedef struct {
    Fixture *fixture;
    gboolean is_rate;
    uint64_t order, value;
    uint32_t arg;
} Action;

static inline void change_server_rate(gpointer self, uint32_t arg,
                                      SimTime now_ps)
{
    Action *a = self;

    (void)arg;
    (void)now_ps;
    if (a->is_rate)
        sim_server_set_rate(a->fixture->server, a->value);
    else
        sim_server_submit_job(a->fixture->server, a->order, a->value, a->arg);
}

static inline Action rate_change_action(Fixture *f, uint64_t units_per_s)
{
    return (Action){ .fixture = f, .is_rate = TRUE, .value = units_per_s };
}

static inline void schedule_rate_change(SimTime at_ps, SimPhase phase,
                                        Action *action)
{
    sim_engine_schedule(action->fixture->engine, at_ps, phase,
                        change_server_rate, action, 0);
}

#endif
