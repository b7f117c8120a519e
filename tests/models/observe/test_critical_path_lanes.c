/* Tests of waits in collective lanes, with exact times, and of their counts. */
#include "tests/models/run/collective_lanes_fixture.h"

#include "models/observe/critical_path.h"
#include "models/run/report/collective_lane_counts.h"

typedef struct {
    SimTime turn_ps, tick_ps, talk_ps, copy_ps, links_ps, latency_ps;
} Waits;

static Waits lane_waits_of_run(const Setup *setup)
{
    g_autoptr(CriticalPath) path = NULL;
    GError *error = NULL;
    SimTime sum_ps = 0;
    SystemResult r;
    Waits w;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, 0);
    (void)!system_run(run.system, &error);
    assert_no_error(error);
    r = system_result(run.system);
    critical_path_finish(path, r.total_ps);
    for (uint32_t row = 0; row < PATH_N; row++)
        sum_ps += critical_path_row_time_ps(path, row);
    assert_int_equal(sum_ps, r.total_ps);
    w = (Waits){
        critical_path_row_time_ps(path, PATH_RESOURCES + RESOURCE_LANE_TURN),
        critical_path_row_time_ps(path, PATH_RESOURCES + RESOURCE_LANE_CYCLE),
        critical_path_row_time_ps(path,
                                  PATH_RESOURCES + RESOURCE_LANE_NEGOTIATION),
        critical_path_row_time_ps(path, PATH_RESOURCES + RESOURCE_LANE_COPY),
        critical_path_row_time_ps(path, PATH_LINKS),
        critical_path_row_time_ps(path, PATH_LATENCIES)
    };
    run_clear(&run);
    return w;
}

static void assert_lane_waits(const Setup *setup, Waits expected)
{
    Waits w = lane_waits_of_run(setup);

    assert_int_equal(w.turn_ps, expected.turn_ps);
    assert_int_equal(w.tick_ps, expected.tick_ps);
    assert_int_equal(w.talk_ps, expected.talk_ps);
    assert_int_equal(w.copy_ps, expected.copy_ps);
    assert_int_equal(w.links_ps, expected.links_ps);
    assert_int_equal(w.latency_ps, expected.latency_ps);
}

/* The last collective takes 9 us and waits for two that take 9 us and 15 us. */
static void test_the_next_collective_waits_for_its_lane(void **state)
{
    Setup setup = lanes_setup("{name: l}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 200000, "l")
                                      REDUCE("c", "k", 100000, "l"),
                              1);

    (void)state;
    assert_lane_waits(
        &setup,
        (Waits){ .turn_ps = US(24), .links_ps = US(6), .latency_ps = US(3) });
}

/* The collective is ready at 10 us, polled at 12, negotiated until 15, copied
 * for 2 us twice, and 15 us in flight. */
static void test_lane_cycle_negotiation_and_copies_have_path_rows(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 1 MiB, cycle: 6 us, negotiation: 3 us, copy: "
        "100 GB/s}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l"),
        1);

    (void)state;
    assert_lane_waits(&setup, (Waits){ .tick_ps = US(2),
                                       .talk_ps = US(3),
                                       .copy_ps = US(4),
                                       .links_ps = US(12),
                                       .latency_ps = US(3) });
}

/* Collectives a and b run from 20 to 42 us (negotiated and copied), then c
 * until 51 us. Collective d is ready at 22 us and polled late: of 41 us it
 * waits 29 us for its turn. */
static void test_a_late_lane_poll_counts_as_waiting_for_its_turn(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 200000 B, cycle: 20 us, negotiation: 3 us, copy: "
        "100 GB/s}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l") REDUCE("c", "k", 100000, "l")
                KERNEL("m", 12) REDUCE("d", "m", 100000, "l"),
        1);

    (void)state;
    assert_lane_waits(&setup, (Waits){ .turn_ps = US(29),
                                       .talk_ps = US(3),
                                       .links_ps = US(6),
                                       .latency_ps = US(3) });
}

/* Collectives a and b start at 10 us. Collective c, ready at 10 us, and the
 * next a start at 25 us. The next b, ready at 25 us, and c start at 40 us. */
static void test_lane_buffers_and_waits_are_counted(void **state)
{
    Setup setup = lanes_setup("{name: l, fusion: 200000 B}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 100000, "l")
                                      REDUCE("c", "k", 100000, "l"),
                              2);
    LaneFigures f;
    Run run;

    (void)state;
    (void)run_to_result(&run, &setup, FOLD_AUTO);
    f = system_collective_lane_figures(run.system, 0);
    assert_int_equal(f.n_begun, 6);
    assert_int_equal(f.n_fused, 6);
    assert_int_equal(f.n_buffers, 3);
    assert_int_equal(f.fused_bytes, 600000);
    assert_int_equal(f.waited_ps, US(15) + US(15));
    run_clear(&run);
}

/* Data are copied into the buffer and out of it; each copy reads and writes. */
static void test_lane_buffer_copies_are_hbm_traffic(void **state)
{
    const char *ops = KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
        REDUCE("b", "k", 100000, "l");
    Setup setup = lanes_setup("{name: l, fusion: 200000 B}", ops, 1);
    SystemResult without = simulate_setup(&setup), with;

    (void)state;
    setup.workload =
        lanes_program_text("{name: l, fusion: 200000 B, copy: 1 TB/s}", ops);
    with = simulate_setup(&setup);
    assert_int_equal(with.hbm_comm_read_bytes,
                     without.hbm_comm_read_bytes + 400000);
    assert_int_equal(with.hbm_comm_write_bytes,
                     without.hbm_comm_write_bytes + 400000);
    assert_int_equal(with.total_ps, without.total_ps + 2 * 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_next_collective_waits_for_its_lane),
        cmocka_unit_test(test_lane_cycle_negotiation_and_copies_have_path_rows),
        cmocka_unit_test(test_a_late_lane_poll_counts_as_waiting_for_its_turn),
        cmocka_unit_test(test_lane_buffers_and_waits_are_counted),
        cmocka_unit_test(test_lane_buffer_copies_are_hbm_traffic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
