/* test_hbm_mover.c - Tests of the movers of models/npu/hbm_bandwidth.c. */
#include "tests/models/npu/hbm_fixture.h"

static void record_move_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    ((RateLog *)self)->done_ps[arg] = now_ps;
}

static void set_main_stream_demand(gpointer self, uint32_t gb_per_s,
                                   uint64_t now_ps)
{
    (void)now_ps;
    hbm_set_demand(((RateLog *)self)->hbm, HBM_MAIN, gb_per_s * GB);
}

static void set_share_of_mover(gpointer self, uint32_t gb_per_s,
                               uint64_t now_ps)
{
    (void)now_ps;
    hbm_set_share(((RateLog *)self)->hbm, HBM_COMM_READ, gb_per_s * GB);
}

static void add_mover_to_log(RateLog *log, SimEngine *engine,
                             uint64_t cap_bytes_per_s)
{
    log->mover = hbm_mover_new(log->hbm, engine, HBM_COMM_READ, cap_bytes_per_s,
                               record_move_end, log);
}

static void run_movers_to_the_end(RateLog *log)
{
    hbm_mover_free(log->mover);
    hbm_free(log->hbm);
}

static void
test_a_single_hbm_mover_runs_at_its_cap_or_the_bandwidth(void **state)
{
    const uint64_t caps[] = { 3 * GB, 10 * GB, 700 * GB };
    const SimTime ends_ps[] = { 333333334, 100000000, 100000000 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(caps); i++) {
        g_autoptr(SimEngine) engine = sim_engine_new();
        RateLog log;

        begin_shared_rate_log(&log, 10 * GB);
        add_mover_to_log(&log, engine, caps[i]);
        hbm_mover_submit_transfer(log.mover, 0, 1000000, 1);
        assert_int_equal(hbm_rate_of_stream(log.hbm, HBM_COMM_READ),
                         MIN(caps[i], 10 * GB));
        sim_engine_run(engine, SIM_TIME_MAX);
        assert_int_equal(log.done_ps[1], ends_ps[i]);
        assert_int_equal(hbm_rate_of_stream(log.hbm, HBM_COMM_READ), 0);
        run_movers_to_the_end(&log);
    }
}

static void test_an_hbm_mover_follows_its_rate(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    /* The mover moves 1 MB: 400 KB in 40 us at 10 GB/s, 300 KB in 60 us at 5
     * GB/s, and 300 KB in 30 us at 10 GB/s. */
    begin_shared_rate_log(&log, 10 * GB);
    add_mover_to_log(&log, engine, 700 * GB);
    hbm_mover_submit_transfer(log.mover, 0, 1000000, 1);
    sim_engine_schedule(engine, SIM_US(40), SIM_PHASE_ACT,
                        set_main_stream_demand, &log, 900);
    sim_engine_schedule(engine, SIM_US(100), SIM_PHASE_ACT,
                        set_main_stream_demand, &log, 0);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_US(130));
    assert_int_equal(sim_server_busy_ps(hbm_mover_server(log.mover)),
                     SIM_US(130));
    run_movers_to_the_end(&log);
}

static void test_an_hbm_mover_keeps_the_remainder_of_a_byte(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    /* The mover moves 100 B: 70 B in 10 ns at 7 GB/s, 15 B in 5 ns at 3 GB/s,
     * and the last 15 B in 2142.86 ps at 7 GB/s. */
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    hbm_set_share(log.hbm, HBM_COMM_READ, 7 * GB);
    add_mover_to_log(&log, engine, 700 * GB);
    hbm_mover_submit_transfer(log.mover, 0, 100, 1);
    sim_engine_schedule(engine, SIM_NS(10), SIM_PHASE_ACT, set_share_of_mover,
                        &log, 3);
    sim_engine_schedule(engine, SIM_NS(15), SIM_PHASE_ACT, set_share_of_mover,
                        &log, 7);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], 17143);
    run_movers_to_the_end(&log);
}

static void test_an_hbm_mover_without_a_share_waits(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    begin_rate_log(&log, HBM_PARTITIONED, 900 * GB, 1, 1);
    add_mover_to_log(&log, engine, 700 * GB);
    hbm_mover_submit_transfer(log.mover, 0, 1000, 1);
    sim_engine_schedule(engine, SIM_NS(10), SIM_PHASE_ACT, set_share_of_mover,
                        &log, 100);
    sim_engine_schedule(engine, SIM_NS(15), SIM_PHASE_ACT, set_share_of_mover,
                        &log, 0);
    sim_engine_schedule(engine, SIM_NS(40), SIM_PHASE_ACT, set_share_of_mover,
                        &log, 100);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_NS(45));
    run_movers_to_the_end(&log);
}

static void test_an_hbm_mover_serves_the_smallest_order_next(void **state)
{
    g_autoptr(SimEngine) engine = sim_engine_new();
    RateLog log;

    (void)state;
    begin_shared_rate_log(&log, 1 * GB);
    add_mover_to_log(&log, engine, 700 * GB);
    /* The first job starts immediately. */
    hbm_mover_submit_transfer(log.mover, 5, 10, 1);
    hbm_mover_submit_transfer(log.mover, 9, 10, 2);
    hbm_mover_submit_transfer(log.mover, 3, 10, 3);
    hbm_mover_submit_transfer(log.mover, 9, 10, 4);
    sim_engine_run(engine, SIM_TIME_MAX);
    assert_int_equal(log.done_ps[1], SIM_NS(10));
    assert_int_equal(log.done_ps[3], SIM_NS(20));
    assert_int_equal(log.done_ps[2], SIM_NS(30));
    assert_int_equal(log.done_ps[4], SIM_NS(40));
    run_movers_to_the_end(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_single_hbm_mover_runs_at_its_cap_or_the_bandwidth),
        cmocka_unit_test(test_an_hbm_mover_follows_its_rate),
        cmocka_unit_test(test_an_hbm_mover_keeps_the_remainder_of_a_byte),
        cmocka_unit_test(test_an_hbm_mover_without_a_share_waits),
        cmocka_unit_test(test_an_hbm_mover_serves_the_smallest_order_next),
    };

    return cmocka_run_group_tests_name("hbm_mover", tests, NULL, NULL);
}
