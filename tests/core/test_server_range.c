/* Tests of sim/core/job_server.c at the limits of its range */
#include "tests/core/death_signal.h"

#include "sim/core/job_server.h"

typedef struct {
    SimEngine *engine;
    SimServer *server;
    SimTime done_ps;
} Fixture;

static void log_job_done(gpointer self, uint32_t arg, SimTime now_ps)
{
    (void)arg;
    ((Fixture *)self)->done_ps = now_ps;
}

static void set_server_rate(gpointer self, uint32_t units_per_s, SimTime now_ps)
{
    (void)now_ps;
    sim_server_set_rate(((Fixture *)self)->server, units_per_s);
}

/* At 1 unit/s the remaining work would take longer than the range of the
 * engine. */
static void test_a_job_that_would_never_end_waits_for_another_rate(void **state)
{
    const uint32_t giga = 1000000000;
    Fixture f = { .engine = sim_engine_new() };

    (void)state;
    f.server = sim_server_new(f.engine, 1, giga, log_job_done, &f);
    sim_server_submit_job(f.server, 0, 18446745, 0);
    sim_engine_schedule(f.engine, 900, SIM_PHASE_ACT, set_server_rate, &f, 1);
    assert_int_equal(sim_engine_run(f.engine, SIM_NS(1)), 1);
    assert_int_equal(f.done_ps, 0);
    assert_false(sim_server_is_idle(f.server));

    sim_engine_schedule(f.engine, SIM_NS(2), SIM_PHASE_ACT, set_server_rate, &f,
                        giga);
    sim_engine_run(f.engine, SIM_TIME_MAX);
    /* 900 ps at the first rate, 1100 ps at 1 unit/s (1.1e-9 units), then
     * 18446745 units less 0.9 at 1 ns each. */
    assert_int_equal(f.done_ps, SIM_NS(2) + SIM_NS(18446745) - 900);
    sim_server_free(f.server);
    sim_engine_free(f.engine);
}

static void submit_job_without_work(gpointer data)
{
    (void)data;
    sim_server_submit_job(
        sim_server_new(sim_engine_new(), 1, 1, log_job_done, NULL), 0, 0, 0);
}

static void test_a_job_without_work_asserts(void **state)
{
    (void)state;
    assert_int_equal(death_signal_of_child(submit_job_without_work, NULL),
                     SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_job_that_would_never_end_waits_for_another_rate),
        cmocka_unit_test(test_a_job_without_work_asserts),
    };

    return cmocka_run_group_tests_name("server range", tests, NULL, NULL);
}
