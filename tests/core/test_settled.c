/* Tests of sim_engine_when_settled(): the call at the end of an instant */
#include "tests/core/letters_fixture.h"

static void on_settled(gpointer self)
{
    const Fixture *f = self;

    mark(self, '.', sim_engine_now(f->engine));
}

static void wait(gpointer self, uint32_t letter, SimTime now_ps)
{
    Fixture *f = self;

    mark(f, letter, now_ps);
    sim_engine_when_settled(f->engine, on_settled, f);
}

/* Schedules two events at instant 5, one of which requests the call, and later
 * events. */
static void put_all(Fixture *f)
{
    mark_at(f, 5, SIM_PHASE_LINK, 'l');
    sim_engine_schedule(f->engine, 5, SIM_PHASE_DELIVER, wait, f, 'd');
    mark_at(f, 5, SIM_PHASE_ACT, 'a');
    mark_at(f, 6, SIM_PHASE_DELIVER, 'e');
}

static void test_the_call_comes_after_ACT_and_before_LINK(void **state)
{
    Fixture *f = *state;

    put_all(f);
    assert_int_equal(sim_engine_run_events(f->engine, UINT64_MAX), 4);
    assert_string_equal(f->log->str, "da.le");
}

static void test_the_call_comes_wherever_a_slice_ends(void **state)
{
    Fixture *f = *state;

    put_all(f);
    for (guint n = 1; n <= 4; n++)
        assert_int_equal(sim_engine_run_events(f->engine, 1), 1);
    assert_int_equal(sim_engine_run_events(f->engine, 1), 0);
    assert_string_equal(f->log->str, "da.le");
}

static void test_the_call_comes_after_the_last_event_too(void **state)
{
    Fixture *f = *state;

    sim_engine_schedule(f->engine, 5, SIM_PHASE_SAMPLE, wait, f, 's');
    assert_int_equal(sim_engine_run(f->engine, SIM_TIME_MAX), 1);
    assert_string_equal(f->log->str, "s.");
}

static void test_the_call_comes_when_n_max_is_reached(void **state)
{
    Fixture *f = *state;

    sim_engine_schedule(f->engine, 5, SIM_PHASE_ACT, wait, f, 'a');
    mark_at(f, 6, SIM_PHASE_ACT, 'b');
    assert_int_equal(sim_engine_run(f->engine, 5), 1);
    assert_string_equal(f->log->str, "a.");
}

static void test_the_call_does_not_run_more_events_than_n_max(void **state)
{
    Fixture *f = *state;

    put_all(f);
    assert_int_equal(sim_engine_run_events(f->engine, 3), 3);
    assert_string_equal(f->log->str, "da.l");
}

static void wait_again(gpointer self)
{
    Fixture *f = self;

    on_settled(f);
    if (f->n_more-- == 0)
        return;
    if (f->n_more % 2)
        mark_at(f, sim_engine_now(f->engine), SIM_PHASE_ACT, 'n');
    sim_engine_when_settled(f->engine, wait_again, f);
}

static void begin_again(gpointer self, uint32_t arg, SimTime now_ps)
{
    Fixture *f = self;

    mark(f, arg, now_ps);
    sim_engine_when_settled(f->engine, wait_again, f);
}

static void test_events_of_the_call_run_before_the_next_call(void **state)
{
    Fixture *f = *state;

    f->n_more = 4;
    mark_at(f, 5, SIM_PHASE_LINK, 'l');
    sim_engine_schedule(f->engine, 5, SIM_PHASE_ACT, begin_again, f, 'a');
    assert_int_equal(sim_engine_run_events(f->engine, UINT64_MAX), 4);
    assert_string_equal(f->log->str, "a.n..n..l");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_the_call_comes_after_ACT_and_before_LINK, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_the_call_comes_wherever_a_slice_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_the_call_comes_after_the_last_event_too, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_the_call_comes_when_n_max_is_reached, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_the_call_does_not_run_more_events_than_n_max, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_events_of_the_call_run_before_the_next_call, setup, teardown),
    };

    return cmocka_run_group_tests_name("settled", tests, NULL, NULL);
}
