/* test_hbm_mover.c - Tests of the movers of models/npu/hbm.c. */
#include "tests/models/npu/hbm_fixture.h"

static void on_moved(gpointer self, uint32_t arg, uint64_t now_ps)
{
    ((RateLog *)self)->done_ps[arg] = now_ps;
}

static void on_main(gpointer self, uint32_t gb_per_s, uint64_t now_ps)
{
    (void)now_ps;
    hbm_set_demand(((RateLog *)self)->hbm, HBM_MAIN, gb_per_s * GB);
}

static void on_share(gpointer self, uint32_t gb_per_s, uint64_t now_ps)
{
    (void)now_ps;
    hbm_set_share(((RateLog *)self)->hbm, HBM_COMM_READ, gb_per_s * GB);
}

static void add_mover(RateLog *log, SimEngine *engine, uint64_t cap_bytes_per_s)
{
    log->mover = hbm_mover_new(log->hbm, engine, HBM_COMM_READ, cap_bytes_per_s,
                               on_moved, log);
}

static void end_run(RateLog *log)
{
    hbm_mover_free(log->mover);
    hbm_free(log->hbm);
}

static void test_a_single_mover_runs_at_its_cap_or_the_bandwidth(void **state)
{
    const uint64_t caps[] = { 3 * GB, 10 * GB, 700 * GB };
    const SimTime ends_ps[] = { 333333334, 100000000, 100000000 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(caps); i++) {
        g_autoptr(SimEngine) engine = sim_engine_new();
        RateLog log;

        begin_shared(&log, 10 * GB);
        add_mover(&log, engine, caps[i]);
        hbm_mover_submit(log.mover, 0, 1000000, 1);
        assert_int_equal(hbm_rate(log.hbm, HBM_COMM_READ),
                         MIN(caps[i], 10 * GB));
        sim_engine_run(engine, SIM_TIME_MAX);
        assert_int_equal(log.done_ps[1], ends_ps[i]);
        assert_int_equal(hbm_rate(log.hbm, HBM_COMM_READ), 0);
        end_run(&log);
    }
}

static void test_a_mover_slows_and_speeds_up_with_its_rate(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    /* The mover moves 1 MB: 400 KB in 40 us at 10 GB/s, 300 KB in 60 us at 5
     * GB/s, and 300 KB in 30 us at 10 GB/s. */
    begin_shared(&log, 10 * GB);
    add_mover(&log, engine, 700 * GB);
    hbm_mover_submit(log.mover, 0, 1000000, 1);
    sim_engine_schedule(engine, SIM_US(40), SIM_PHASE_ACT, on_main, &log, 900);
    sim_engine_schedule(engine, SIM_US(100), SIM_PHASE_ACT, on_main, &log, 0);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_US(130));
    assert_int_equal(sim_server_busy_ps(hbm_mover_server(log.mover)),
                     SIM_US(130));
    end_run(&log);
}

static void test_a_mover_keeps_the_remainder_of_a_byte(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    /* The mover moves 100 B: 70 B in 10 ns at 7 GB/s, 15 B in 5 ns at 3 GB/s,
     * and the last 15 B in 2142.86 ps at 7 GB/s. */
    begin(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(log.hbm, HBM_COMM_READ, 7 * GB);
    add_mover(&log, engine, 700 * GB);
    hbm_mover_submit(log.mover, 0, 100, 1);
    sim_engine_schedule(engine, SIM_NS(10), SIM_PHASE_ACT, on_share, &log, 3);
    sim_engine_schedule(engine, SIM_NS(15), SIM_PHASE_ACT, on_share, &log, 7);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], 17143);
    end_run(&log);
}

static void test_a_mover_without_a_share_waits_for_one(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    begin(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    add_mover(&log, engine, 700 * GB);
    hbm_mover_submit(log.mover, 0, 1000, 1);
    sim_engine_schedule(engine, SIM_NS(10), SIM_PHASE_ACT, on_share, &log, 100);
    sim_engine_schedule(engine, SIM_NS(15), SIM_PHASE_ACT, on_share, &log, 0);
    sim_engine_schedule(engine, SIM_NS(40), SIM_PHASE_ACT, on_share, &log, 100);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_NS(45));
    end_run(&log);
}

static void test_a_mover_serves_the_smallest_order_next(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    begin_shared(&log, 1 * GB);
    add_mover(&log, engine, 700 * GB);
    /* The first job starts immediately. */
    hbm_mover_submit(log.mover, 5, 10, 1);
    hbm_mover_submit(log.mover, 9, 10, 2);
    hbm_mover_submit(log.mover, 3, 10, 3);
    hbm_mover_submit(log.mover, 9, 10, 4);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_NS(10));
    assert_int_equal(log.done_ps[3], SIM_NS(20));
    assert_int_equal(log.done_ps[2], SIM_NS(30));
    assert_int_equal(log.done_ps[4], SIM_NS(40));
    end_run(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_single_mover_runs_at_its_cap_or_the_bandwidth),
        cmocka_unit_test(test_a_mover_slows_and_speeds_up_with_its_rate),
        cmocka_unit_test(test_a_mover_keeps_the_remainder_of_a_byte),
        cmocka_unit_test(test_a_mover_without_a_share_waits_for_one),
        cmocka_unit_test(test_a_mover_serves_the_smallest_order_next),
    };

    return cmocka_run_group_tests_name("hbm_mover", tests, NULL, NULL);
}
