/* Tests of sim/core/job_server.c against closed forms */
#include "tests/core/server_fixture.h"

/* ---- service times of a server ------------------------------------------- */

static void test_a_job_takes_its_units_over_the_rate_rounded_up(void **state)
{
    static const struct {
        uint64_t units, units_per_s;
        SimTime end_ps;
    } cases[] = {
        { 1, 1, SIM_PS_PER_SEC },
        { 64, 25 * GIGA, 2560 },
        { 1, 3 * GIGA, 334 }, /* The exact time is 333.3 ps. */
        { 3, 3 * GIGA, 1000 },
        { 1, SIM_PS_PER_SEC, 1 },
        { 1, SIM_PS_PER_SEC + 1, 1 },
        { 2, SIM_PS_PER_SEC - 1, 3 },
        /* The exact time is 2788765.96 ps. */
        { 64 * 1024, 23500 * UINT64_C(1000000), 2788766 },
        /* The exact time is 157073089682285.72 ps. */
        { UINT64_C(1) << 40, 7 * GIGA, UINT64_C(157073089682286) },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Fixture *f = server_fixture_new(1, cases[i].units_per_s);

        sim_server_submit_job(f->server, 0, cases[i].units, 42);
        assert_false(sim_server_is_idle(f->server));
        run_server_fixture(f);
        assert_int_equal(f->n_done, 1);
        assert_job_done_at(f, 0, 42, cases[i].end_ps);
        assert_true(sim_server_is_idle(f->server));
        assert_int_equal(sim_server_processed_units(f->server), cases[i].units);
        assert_int_equal(sim_server_busy_ps(f->server), cases[i].end_ps);
        server_fixture_free(f);
    }
}

static void test_waiting_jobs_are_served_by_key_then_by_arrival(void **state)
{
    static const uint64_t orders[] = { 9, 5, 7, 5, 1, UINT64_MAX, 0, 7, 5 };
    static const uint32_t expected[] = { 0, 6, 4, 1, 3, 8, 2, 7, 5 };
    Fixture *f = server_fixture_new(1, GIGA);

    (void)state;
    /* The first job, with the second largest key, is already in service. */
    for (uint32_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        sim_server_submit_job(f->server, orders[i], 1, i);
        if (i == 0)
            (void)sim_engine_run(f->engine, 1);
    }
    assert_int_equal(sim_server_count_waiting(f->server), 8);
    run_server_fixture(f);
    assert_int_equal(f->n_done, G_N_ELEMENTS(expected));
    for (guint i = 0; i < f->n_done; i++)
        assert_job_done_at(f, i, expected[i], SIM_NS(i + 1));
    assert_int_equal(sim_server_count_waiting(f->server), 0);
    assert_int_equal(sim_server_busy_ps(f->server), SIM_NS(9));
    assert_int_equal(sim_server_processed_units(f->server), 9);
    server_fixture_free(f);
}

static void test_a_job_in_service_is_not_interrupted(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);
    Action urgent = { .fixture = f, .order = 0, .value = 1, .arg = 2 };

    (void)state;
    sim_server_submit_job(f->server, 5, 10, 1);
    schedule_rate_change(SIM_NS(3), SIM_PHASE_ACT, &urgent);
    run_server_fixture(f);
    assert_job_done_at(f, 0, 1, SIM_NS(10));
    assert_job_done_at(f, 1, 2, SIM_NS(11));
    server_fixture_free(f);
}

static void test_n_servers_serve_n_jobs_at_a_time(void **state)
{
    Fixture *f = server_fixture_new(3, GIGA);

    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        sim_server_submit_job(f->server, i, 10 + i, i);
    (void)sim_engine_run(f->engine, 0);
    assert_int_equal(sim_server_count_waiting(f->server), 2);
    run_server_fixture(f);
    assert_int_equal(f->n_done, 5);
    assert_job_done_at(f, 0, 0, SIM_NS(10));
    assert_job_done_at(f, 1, 1, SIM_NS(11));
    assert_job_done_at(f, 2, 2, SIM_NS(12));
    assert_job_done_at(f, 3, 3, SIM_NS(10 + 13));
    assert_job_done_at(f, 4, 4, SIM_NS(11 + 14));
    assert_int_equal(sim_server_busy_ps(f->server), SIM_NS(60));
    assert_int_equal(sim_server_processed_units(f->server), 60);
    server_fixture_free(f);
}

static void submit_another_job(gpointer self, uint32_t arg, SimTime now_ps)
{
    Fixture *f = self;

    log_kernel_done(f, arg, now_ps);
    if (arg > 0)
        sim_server_submit_job(f->server, 0, 2, arg - 1);
}

static void test_a_completion_callback_may_submit_the_next_job(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);

    (void)state;
    sim_server_free(f->server);
    f->server = sim_server_new(f->engine, 1, GIGA, submit_another_job, f);
    sim_server_submit_job(f->server, 0, 2, 4);
    run_server_fixture(f);
    assert_int_equal(f->n_done, 5);
    for (guint i = 0; i < 5; i++)
        assert_job_done_at(f, i, 4 - i, SIM_NS(2 * (i + 1)));
    assert_true(sim_server_is_idle(f->server));
    server_fixture_free(f);
}

/* ---- rate changes of a server -------------------------------------------- */

static void test_a_new_service_rate_applies_to_the_remaining_work(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);
    Action faster = rate_change_action(f, 3 * GIGA);

    (void)state;
    /* The job has 1000 units at 1 per ns; 300.5 are done when the rate trebles;
     * the other 699.5 take 233166.67 ps. */
    sim_server_submit_job(f->server, 0, 1000, 1);
    sim_server_submit_job(f->server, 0, 3, 2);
    schedule_rate_change(300500, SIM_PHASE_ACT, &faster);
    run_server_fixture(f);
    assert_int_equal(f->n_done, 2);
    assert_job_done_at(f, 0, 1, 300500 + 233167);
    assert_job_done_at(f, 1, 2, 300500 + 233167 + 1000);
    assert_int_equal(sim_server_processed_units(f->server), 1003);
    assert_int_equal(sim_server_busy_ps(f->server), 534667);
    server_fixture_free(f);
}

/* A third of a unit per ps: rounding at each change would lose work. */
static void test_remaining_work_is_exact_over_rate_changes(void **state)
{
    /* The rate is 0.333333333333 units per picosecond. */
    Fixture *f = server_fixture_new(1, SIM_PS_PER_SEC / 3);
    Action rates[100];

    (void)state;
    sim_server_submit_job(f->server, 0, 100, 1);
    for (guint i = 0; i < 100; i++) {
        rates[i] = rate_change_action(f, SIM_PS_PER_SEC / 3);
        schedule_rate_change(1 + i, SIM_PHASE_ACT, &rates[i]);
    }
    run_server_fixture(f);
    assert_int_equal(f->n_done, 1);
    /* The job takes 100 / 0.333333333333 = 300.0000000003 ps, rounded up. */
    assert_job_done_at(f, 0, 1, 301);
    server_fixture_free(f);
}

static void test_a_service_rate_of_zero_pauses_the_server(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);
    Action pause = rate_change_action(f, 0),
           resume = rate_change_action(f, GIGA);
    Action late = { .fixture = f, .order = 0, .value = 5, .arg = 2 };

    (void)state;
    sim_server_submit_job(f->server, 0, 10, 1);
    schedule_rate_change(SIM_NS(4), SIM_PHASE_ACT, &pause);
    schedule_rate_change(SIM_NS(50), SIM_PHASE_ACT, &late);
    schedule_rate_change(SIM_NS(100), SIM_PHASE_ACT, &resume);
    (void)sim_engine_run(f->engine, SIM_NS(99));
    assert_int_equal(f->n_done, 0);
    assert_false(sim_server_is_idle(f->server));
    run_server_fixture(f);
    assert_int_equal(f->n_done, 2);
    assert_job_done_at(f, 0, 1, SIM_NS(106));
    assert_job_done_at(f, 1, 2, SIM_NS(111));
    assert_int_equal(sim_server_processed_units(f->server), 15);
    server_fixture_free(f);
}

static void test_a_resumed_server_starts_waiting_jobs(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);
    Action resume = rate_change_action(f, 2 * GIGA);

    (void)state;
    sim_server_set_rate(f->server, 0);
    sim_server_submit_job(f->server, 0, 10, 1);
    schedule_rate_change(SIM_NS(7), SIM_PHASE_ACT, &resume);
    run_server_fixture(f);
    assert_int_equal(f->n_done, 1);
    assert_job_done_at(f, 0, 1, SIM_NS(12));
    server_fixture_free(f);
}

/* In every phase of the rate change, the work of the job is done, and the next
 * job has the new rate. */
static void
test_a_rate_change_at_the_end_of_a_job_affects_the_next(void **state)
{
    (void)state;
    for (SimPhase phase = SIM_PHASE_DELIVER; phase <= SIM_PHASE_SAMPLE;
         phase++) {
        Fixture *f = server_fixture_new(1, GIGA);
        Action halve = rate_change_action(f, GIGA / 2),
               pause = rate_change_action(f, 0);
        Action resume = rate_change_action(f, GIGA);

        sim_server_submit_job(f->server, 0, 10, 1);
        sim_server_submit_job(f->server, 0, 10, 2);
        sim_server_submit_job(f->server, 0, 10, 3);
        schedule_rate_change(SIM_NS(10), phase, &halve);
        schedule_rate_change(SIM_NS(30), phase, &pause);
        schedule_rate_change(SIM_NS(40), phase, &resume);
        run_server_fixture(f);
        assert_int_equal(f->n_done, 3);
        assert_job_done_at(f, 0, 1, SIM_NS(10));
        assert_job_done_at(f, 1, 2, SIM_NS(30));
        assert_job_done_at(f, 2, 3, SIM_NS(50));
        server_fixture_free(f);
    }
}

/* 1 unit at 3 per ns ends within its 334th ps, not at the end of it. */
static void
test_a_rate_change_in_the_last_picosecond_has_no_effect(void **state)
{
    Fixture *f = server_fixture_new(1, 3 * GIGA);
    Action pause = rate_change_action(f, 0);

    (void)state;
    sim_server_submit_job(f->server, 0, 1, 1);
    schedule_rate_change(334, SIM_PHASE_DELIVER, &pause);
    run_server_fixture(f);
    assert_int_equal(f->n_done, 1);
    assert_job_done_at(f, 0, 1, 334);
    server_fixture_free(f);
}

static void test_obsolete_end_events_are_ignored(void **state)
{
    Fixture *f = server_fixture_new(1, GIGA);
    Action slow = rate_change_action(f, GIGA / 10),
           fast = rate_change_action(f, 10 * GIGA);

    (void)state;
    sim_server_submit_job(f->server, 0, 100, 1);
    sim_server_submit_job(f->server, 0, 1000, 2);
    /* Job 1 would end at 550 ns with this rate. */
    schedule_rate_change(SIM_NS(50), SIM_PHASE_ACT, &slow);
    /* The remaining 49 units end at 64.9 ns with this rate. */
    schedule_rate_change(SIM_NS(60), SIM_PHASE_ACT, &fast);
    run_server_fixture(f);
    /* The obsolete end events at 100 and 550 ns fall into the time of job 2 and
     * after it. */
    assert_int_equal(f->n_done, 2);
    assert_job_done_at(f, 0, 1, 64900);
    assert_job_done_at(f, 1, 2, 164900);
    server_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job_takes_its_units_over_the_rate_rounded_up),
        cmocka_unit_test(test_waiting_jobs_are_served_by_key_then_by_arrival),
        cmocka_unit_test(test_a_job_in_service_is_not_interrupted),
        cmocka_unit_test(test_n_servers_serve_n_jobs_at_a_time),
        cmocka_unit_test(test_a_completion_callback_may_submit_the_next_job),
        cmocka_unit_test(test_a_new_service_rate_applies_to_the_remaining_work),
        cmocka_unit_test(test_remaining_work_is_exact_over_rate_changes),
        cmocka_unit_test(test_a_service_rate_of_zero_pauses_the_server),
        cmocka_unit_test(test_a_resumed_server_starts_waiting_jobs),
        cmocka_unit_test(
            test_a_rate_change_at_the_end_of_a_job_affects_the_next),
        cmocka_unit_test(
            test_a_rate_change_in_the_last_picosecond_has_no_effect),
        cmocka_unit_test(test_obsolete_end_events_are_ignored),
    };

    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
