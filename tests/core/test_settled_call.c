/* Tests of sim_engine_call_when_instant_settles(): the call at the end of an
 * instant */
#include "tests/core/event_log_fixture.h"

static void log_settled_call(gpointer self)
{
    const Fixture *f = self;

    log_event_letter(self, '.', sim_engine_now_ps(f->engine));
}

static void request_settled_call(gpointer self, uint32_t letter, SimTime now_ps)
{
    Fixture *f = self;

    log_event_letter(f, letter, now_ps);
    sim_engine_call_when_instant_settles(f->engine, log_settled_call, f);
}

/* Schedules two events at instant 5, one of which requests the call, and later
 * events. */
static void schedule_event_in_each_phase(Fixture *f)
{
    schedule_letter_at(f, 5, SIM_PHASE_LINK, 'l');
    sim_engine_schedule(f->engine, 5, SIM_PHASE_DELIVER, request_settled_call,
                        f, 'd');
    schedule_letter_at(f, 5, SIM_PHASE_ACT, 'a');
    schedule_letter_at(f, 6, SIM_PHASE_DELIVER, 'e');
}

static void test_settled_call_comes_after_ACT_and_before_LINK(void **state)
{
    Fixture *f = *state;

    schedule_event_in_each_phase(f);
    assert_int_equal(sim_engine_run_events(f->engine, UINT64_MAX), 4);
    assert_string_equal(f->log->str, "da.le");
}

static void test_settled_call_comes_wherever_a_slice_ends(void **state)
{
    Fixture *f = *state;

    schedule_event_in_each_phase(f);
    for (guint n = 1; n <= 4; n++)
        assert_int_equal(sim_engine_run_events(f->engine, 1), 1);
    assert_int_equal(sim_engine_run_events(f->engine, 1), 0);
    assert_string_equal(f->log->str, "da.le");
}

static void test_settled_call_comes_after_the_last_event_too(void **state)
{
    Fixture *f = *state;

    sim_engine_schedule(f->engine, 5, SIM_PHASE_SAMPLE, request_settled_call, f,
                        's');
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 1);
    assert_string_equal(f->log->str, "s.");
}

static void test_settled_call_comes_when_n_max_is_reached(void **state)
{
    Fixture *f = *state;

    sim_engine_schedule(f->engine, 5, SIM_PHASE_ACT, request_settled_call, f,
                        'a');
    schedule_letter_at(f, 6, SIM_PHASE_ACT, 'b');
    assert_int_equal(sim_engine_run(f->engine, 5), 1);
    assert_string_equal(f->log->str, "a.");
}

static void test_settled_call_does_not_exceed_n_max_events(void **state)
{
    Fixture *f = *state;

    schedule_event_in_each_phase(f);
    assert_int_equal(sim_engine_run_events(f->engine, 3), 3);
    assert_string_equal(f->log->str, "da.l");
}

static void request_settled_call_again(gpointer self)
{
    Fixture *f = self;

    log_settled_call(f);
    if (f->n_more-- == 0)
        return;
    if (f->n_more % 2)
        schedule_letter_at(f, sim_engine_now_ps(f->engine), SIM_PHASE_ACT, 'n');
    sim_engine_call_when_instant_settles(f->engine, request_settled_call_again,
                                         f);
}

static void schedule_event_at_same_time(gpointer self, uint32_t arg,
                                        SimTime now_ps)
{
    Fixture *f = self;

    log_event_letter(f, arg, now_ps);
    sim_engine_call_when_instant_settles(f->engine, request_settled_call_again,
                                         f);
}

static void test_events_of_a_settled_call_run_before_the_next(void **state)
{
    Fixture *f = *state;

    f->n_more = 4;
    schedule_letter_at(f, 5, SIM_PHASE_LINK, 'l');
    sim_engine_schedule(f->engine, 5, SIM_PHASE_ACT,
                        schedule_event_at_same_time, f, 'a');
    assert_int_equal(sim_engine_run_events(f->engine, UINT64_MAX), 4);
    assert_string_equal(f->log->str, "a.n..n..l");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_settled_call_comes_after_ACT_and_before_LINK, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_settled_call_comes_wherever_a_slice_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_settled_call_comes_after_the_last_event_too, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_settled_call_comes_when_n_max_is_reached, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_settled_call_does_not_exceed_n_max_events, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_events_of_a_settled_call_run_before_the_next, setup, teardown),
    };

    return cmocka_run_group_tests_name("settled", tests, NULL, NULL);
}
