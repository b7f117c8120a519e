/*
 * event_log_fixture.h - events that each append a letter to a log when they
 * run */
#ifndef TESTS_CORE_EVENT_LOG_FIXTURE_H
#define TESTS_CORE_EVENT_LOG_FIXTURE_H

#include "tests/test.h"

#include "sim/core/engine.h"

typedef struct {
    SimEngine *engine;
    GString *log;
    guint n_more; /* The number of times that a test repeats its event. */
} Fixture;

static int setup(void **state)
{
    Fixture *f = g_new0(Fixture, 1);

    f->engine = sim_engine_new();
    f->log = g_string_new(NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    sim_engine_free(f->engine);
    g_string_free(f->log, TRUE);
    g_free(f);
    return 0;
}

static void log_event_letter(gpointer self, uint32_t letter, SimTime now_ps)
{
    Fixture *f = self;

    assert_int_equal(sim_engine_now_ps(f->engine), now_ps);
    g_string_append_c(f->log, (char)letter);
}

static void schedule_letter_at(Fixture *f, SimTime at_ps, SimPhase phase,
                               char letter)
{
    sim_engine_schedule(f->engine, at_ps, phase, log_event_letter, f,
                        (uint32_t)letter);
}

#endif
