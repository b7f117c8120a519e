/*
 * test_recorded_program_times.c - Tests of programs like those made from
 * recordings, against closed forms with tolerance 0: stages, gaps, times per
 * NPU, and recorded communication.
 */
#include "tests/system_fixture.h"

#include "models/observe/critical_path.h"

#define US(n) ((SimTime)(n)*1000000)

#define SWITCH_4                                                               \
    "{kind: switch, npus: 4, links: 1, bandwidth: 100 GB/s, latency: 1 us}"
#define PROGRAM(ops)                                                           \
    "{kind: program, name: r, groups: [{name: pair, size: 2}], roles: "        \
    "[{name: all, ops: [" ops "]}]}"
#define TRAINING(rest) "{compute: measured, " rest "}"

/* Two host calls of 10 us, a copy, a kernel with a gap, two collectives, and a
 * kernel. */
#define OPS                                                                    \
    "{kind: host, name: l0, time: 10 us}, {kind: host, name: l1, "             \
    "time: 10 us}, {kind: device, name: copy, queue: s7, time: 5 us, after: "  \
    "[l0]}, {kind: kernel, name: k0, times: [50 us, 60 us, 50 us, 70 us], "    \
    "gap: 2 us, after: [l1, copy]}, {kind: collective, name: c0, "             \
    "collective: all-reduce, bytes: 4 MiB, group: pair, time: 30 us, after: "  \
    "[k0]}, {kind: collective, name: c1, collective: all-gather, bytes: "      \
    "4 MiB, time: 31 us, after: [c0]}, {kind: kernel, name: k1, time: 50 us, " \
    "after: [c1]}"

static Setup replay_setup(const char *training, const char *perturb)
{
    return (Setup){ .topology = SWITCH_4,
                    .workload = PROGRAM(OPS),
                    .training = training,
                    .perturb = perturb };
}

static SimTime total_ps(const char *training, const char *perturb)
{
    const Setup setup = replay_setup(training, perturb);

    return simulate_setup(&setup).total_ps;
}

#define RECORDED TRAINING("iterations: 1, communication: recorded")

/* 10 + 10, a gap of 2 and the slowest kernel. All NPUs then wait for each
 * other. */
static void a_recording_is_replayed_as_a_sum_of_its_times(void **state)
{
    (void)state;
    assert_int_equal(total_ps(RECORDED, NULL), US(20 + 2 + 70 + 30 + 31 + 50));
}

static void replayed_gaps_are_scaled(void **state)
{
    (void)state;
    assert_int_equal(
        total_ps(TRAINING("iterations: 1, communication: recorded, "
                          "gaps: 150 %"),
                 NULL),
        US(20 + 3 + 70 + 30 + 31 + 50));
}

static void replayed_operations_are_scaled_by_name_kind_and_npu(void **state)
{
    (void)state;
    assert_int_equal(total_ps(RECORDED, "{ops: [{match: k*, time_factor: "
                                        "50 %}]}"),
                     US(20 + 2 + 35 + 30 + 31 + 25));
    assert_int_equal(total_ps(RECORDED, "{ops: [{match: '*', kind: host, "
                                        "time_factor: 200 %}]}"),
                     US(40 + 2 + 70 + 30 + 31 + 50));
    assert_int_equal(total_ps(RECORDED, "{ops: [{match: c?, kind: collective, "
                                        "npus: [0], time_factor: 300 %}]}"),
                     US(20 + 2 + 70 + 30 + 93 + 50) + US(60 + 90) -
                         US(70 + 30));
    assert_int_equal(total_ps(RECORDED, "{ops: [{match: k0, npus: [3], "
                                        "time_factor: 0 %}]}"),
                     US(20 + 2 + 60 + 30 + 31 + 50));
}

static void a_replay_rule_must_match_a_timed_operation(void **state)
{
    const Setup nothing =
        replay_setup(RECORDED, "{ops: [{match: z*, time_factor: 50 %}]}");
    const Setup simulated = replay_setup(
        TRAINING("iterations: 1"), "{ops: [{match: '*', time_factor: 50 %}]}");

    (void)state;
    assert_setup_refused(
        &nothing, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:7:25: match: no operation of that kind is called "
        "'z*'");
    assert_setup_refused(
        &simulated, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:7:25: match: '*' includes all-reduce of c0 (forward), which "
        "is simulated and has no given time; give another 'kind', or, if "
        "times were recorded, 'training.communication: recorded'");
}

static void recorded_communication_needs_a_time(void **state)
{
    const Setup setup = {
        .workload = PROGRAM("{kind: collective, name: c, collective: "
                            "all-reduce, bytes: 1 MiB}"),
        .training = RECORDED,
    };

    (void)state;
    assert_setup_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:95: 'training.communication' is recorded, and "
        "all-reduce of c (forward) has no 'time' that was");
}

/* Two queues run in parallel, each in its own order. */
static void replayed_queues_run_in_parallel(void **state)
{
    const Setup setup = {
        .workload = PROGRAM("{kind: host, name: a0, queue: a, time: 7 us}, "
                            "{kind: host, name: b0, queue: b, time: 4 us}, "
                            "{kind: host, name: b1, queue: b, time: 4 us}, "
                            "{kind: host, name: a1, queue: a, time: 1 us, "
                            "after: [b0]}, {kind: kernel, name: k, time: "
                            "3 us, after: [a1, b1]}"),
        .training = TRAINING("iterations: 3"),
    };

    (void)state;
    /* Queues run ahead of kernels. Kernels take 3 us each, and the last starts
     * after 3 x 8 us. */
    assert_int_equal(simulate_setup(&setup).total_ps, US(3 * 8 + 3));
}

/* Rank 0 is ready to send after 5 us, rank 1 to receive after 9 us. Both end at
 * 16 us. */
static void a_replayed_message_ends_on_both_sides_simultaneously(void **state)
{
    const Setup setup = {
        .topology = SWITCH_4,
        .workload =
            "{kind: program, name: m, groups: [{name: pair, size: 2}], roles: "
            "[{name: from, ranks: {size: 2, at: 0}, ops: [{kind: host, name: "
            "a, time: 5 us}, {kind: send, name: m, group: pair, from: 0, to: "
            "1, bytes: 1 MiB, time: 7 us, after: [a]}, {kind: kernel, name: "
            "k, time: 2 us, after: [m]}]}, {name: to, ranks: {size: 2, at: "
            "1}, ops: [{kind: host, name: b, time: 9 us}, {kind: receive, "
            "name: m, group: pair, from: 0, to: 1, bytes: 1 MiB, time: 7 us, "
            "after: [b]}, {kind: kernel, name: q, time: 3 us, after: [m]}]}]}",
        .training = RECORDED,
    };

    (void)state;
    assert_int_equal(simulate_setup(&setup).total_ps, US(9 + 7 + 3));
}

static void the_critical_path_shows_replayed_hosts_and_gaps(void **state)
{
    const Setup setup = replay_setup(RECORDED, NULL);
    CriticalPath *path;
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, 3);
    assert_true(system_run(run.system, &error));
    critical_path_finish(path, system_result(run.system).total_ps);
    assert_int_equal(
        critical_path_row_time_ps(path, PATH_STAGES + OP_STAGE_HOST), US(20));
    assert_int_equal(critical_path_row_time_ps(path, PATH_GAPS), US(2));
    assert_int_equal(critical_path_row_time_ps(path, PATH_RECORDED), US(61));
    assert_int_equal(critical_path_row_time_ps(path, PATH_UNKNOWN), 0);
    critical_path_free(path);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_is_replayed_as_a_sum_of_its_times),
        cmocka_unit_test(replayed_gaps_are_scaled),
        cmocka_unit_test(replayed_operations_are_scaled_by_name_kind_and_npu),
        cmocka_unit_test(a_replay_rule_must_match_a_timed_operation),
        cmocka_unit_test(recorded_communication_needs_a_time),
        cmocka_unit_test(replayed_queues_run_in_parallel),
        cmocka_unit_test(a_replayed_message_ends_on_both_sides_simultaneously),
        cmocka_unit_test(the_critical_path_shows_replayed_hosts_and_gaps),
    };

    return cmocka_run_group_tests_name("replay_forms", tests, NULL, NULL);
}
