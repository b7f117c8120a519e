/*
 * test_jobs_share_network.c - Tests of jobs on one network: how they slow each
 * other, to the picosecond.
 *
 * A line of four NPUs has links of 25 GB/s (40 ps per byte) and 500 ns in each
 * direction. Job a sends from NPU 0 to 2, job b from 1 to 3. Both use the link
 * from 1 to 2. A message of 100,000 bytes takes T = 4 us on a link. Alone over
 * two links, n messages take n T + 2 L and one packet of 256 bytes, by which
 * the second link is later.
 */
#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"
#include "models/run/report/job_results.h"

#define LINE                                                                   \
    "{kind: mesh, dims: [{size: 4, links: 2, bandwidth: 25 GB/s, latency: 500 ns}]}"
#define WHOLE "{chunk: 1 GiB, message: 1 GiB, window: 64, packet: 256 B%s}"
#define IDEAL "{kind: ideal, message_cycles: 0}"

#define T_PS      UINT64_C(4000000)
#define L_PS      UINT64_C(500000)
#define PACKET_PS (UINT64_C(256) * 40)

/* Returns a program that sends @n messages simultaneously. */
static const char *job_sends_text(guint n)
{
    const char *send = "", *receive = "";

    for (guint i = 0; i < n; i++) {
        send =
            format_text("%s{kind: send, name: m%u, group: all, from: 0, to: 1, "
                        "bytes: 100000 B}, ",
                        send, i);
        receive =
            format_text("%s{kind: receive, name: m%u, group: all, from: 0, "
                        "to: 1, bytes: 100000 B}, ",
                        receive, i);
    }
    return format_text(
        "{kind: program, name: p, roles: [{name: x, ranks: {list: "
        "[0]}, ops: [%s]}, {name: y, ranks: {list: [1]}, ops: "
        "[%s]}]}",
        send, receive);
}

static Setup setup_of_two_jobs(guint n_a, guint n_b, const char *start,
                               const char *only, const char *more)
{
    return (Setup){
        .topology = LINE,
        .endpoint = IDEAL,
        .collectives = format_text(WHOLE, more),
        .workload =
            format_text("{kind: jobs, name: j, only: [%s], jobs: [{name: "
                        "a, ranks: {list: [0, 2]}, workload: %s}, {name: "
                        "b, ranks: {list: [1, 3]}, start: %s, workload: "
                        "%s}]}",
                        only, job_sends_text(n_a), start, job_sends_text(n_b)),
    };
}

static JobResult simulated_result_of_job(const Setup *setup, guint job)
{
    JobResult result;
    Run run;

    (void)run_to_result(&run, setup, FOLD_AUTO);
    result = system_job_result(run.system, job);
    result.name = keep_text_until_exit(result.name);
    run_clear(&run);
    return result;
}

static void assert_job_times(const Setup *setup, guint job, const char *name,
                             SimTime start_ps, SimTime end_ps)
{
    JobResult result = simulated_result_of_job(setup, job);

    assert_string_equal(result.name, name);
    assert_int_equal(result.n_npus, 2);
    assert_int_equal(result.start_ps, start_ps);
    assert_int_equal(result.end_ps, end_ps);
    assert_int_equal(result.iteration_ps, end_ps - start_ps);
}

static void test_a_single_job_has_the_whole_network(void **state)
{
    Setup a = setup_of_two_jobs(4, 4, "0 us", "a", ""),
          b = setup_of_two_jobs(4, 4, "0 us", "b", "");

    (void)state;
    assert_job_times(&a, 0, "a", 0, 4 * T_PS + 2 * L_PS + PACKET_PS);
    assert_job_times(&b, 0, "b", 0, 4 * T_PS + 2 * L_PS + PACKET_PS);
}

/* The shared link serves b a, a b, a b, a b. Job a comes first among equals,
 * but the first message of b was there before. The last message of a ends at
 * its destination. */
static void test_two_jobs_on_one_link_take_twice_the_time(void **state)
{
    Setup setup = setup_of_two_jobs(4, 4, "0 us", "", "");

    (void)state;
    assert_job_times(&setup, 0, "a", 0, 7 * T_PS + L_PS);
    assert_job_times(&setup, 1, "b", 0, 8 * T_PS + 2 * L_PS + PACKET_PS);
}

/* Job a sends 4 messages and job b 40. All messages after the eighth belong to
 * b. */
static void test_a_job_that_ends_leaves_its_links_to_the_other(void **state)
{
    Setup setup = setup_of_two_jobs(4, 40, "0 us", "", "");

    (void)state;
    assert_job_times(&setup, 0, "a", 0, 7 * T_PS + L_PS);
    assert_job_times(&setup, 1, "b", 0, 44 * T_PS + 2 * L_PS + PACKET_PS);
}

static void test_a_job_is_timed_from_its_own_start(void **state)
{
    Setup apart = setup_of_two_jobs(4, 4, "30 us", "", "");
    Setup half = setup_of_two_jobs(4, 4, "8 us", "", "");

    (void)state;
    assert_job_times(&apart, 0, "a", 0, 4 * T_PS + 2 * L_PS + PACKET_PS);
    assert_job_times(&apart, 1, "b", 30000000,
                     30000000 + 4 * T_PS + 2 * L_PS + PACKET_PS);
    /* When b begins, two messages of a are on the shared link, L and one packet
     * later. The link then alternates between b and a, and the remainder
     * belongs to b. */
    assert_true(simulated_result_of_job(&half, 0).end_ps >
                4 * T_PS + 2 * L_PS + PACKET_PS);
    assert_int_equal(simulated_result_of_job(&half, 1).end_ps,
                     8 * T_PS + 3 * L_PS + 2 * PACKET_PS);
}

/* The newest message goes first only among messages of the same job. Otherwise
 * one job would wait for all messages of the other. */
static void test_all_schedulers_share_links_between_jobs(void **state)
{
    static const char *const schedulers[] = { "lifo", "fifo", "priority" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(schedulers); i++) {
        Setup setup = setup_of_two_jobs(
            4, 4, "0 us", "", format_text(", scheduler: %s", schedulers[i]));

        assert_job_times(&setup, 0, "a", 0, 7 * T_PS + L_PS);
        assert_job_times(&setup, 1, "b", 0, 8 * T_PS + 2 * L_PS + PACKET_PS);
    }
}

/* Packets of the two jobs alternate, so both jobs end within a few packets of 2
 * T. */
static void test_packets_of_two_jobs_alternate_on_a_link(void **state)
{
    Setup setup = setup_of_two_jobs(1, 1, "0 us", "",
                                    ", fidelity: packet, buffer: 1 MiB");
    SimTime late_ps = 2 * L_PS + 4 * PACKET_PS;

    (void)state;
    for (guint job = 0; job < 2; job++) {
        SimTime end_ps = simulated_result_of_job(&setup, job).end_ps;

        assert_true(end_ps > 2 * T_PS - 2 * L_PS &&
                    end_ps < 2 * T_PS + late_ps);
    }
}

/* Two jobs on a switch, with different sizes, with symmetry reduction and in
 * full. The full run verifies the data. */
static void test_two_jobs_are_folded_and_verified(void **state)
{
    Setup setup = {
        .topology = "{kind: switch, npus: 12, links: 2, bandwidth: 25 GB/s, "
                    "latency: 500 ns}",
        .training = "{iterations: 3}",
        .workload =
            "{kind: jobs, name: j, jobs: [{name: a, ranks: {size: 3, at: 0}, "
            "workload: {kind: collective, name: r, collective: all-reduce, "
            "payload: 1 MiB}}, {name: b, ranks: {size: 3, at: 1}, start: 7 us, "
            "workload: {kind: collective, name: r, collective: all-to-all, "
            "payload: 1 MiB}}]}",
    };
    GError *error = NULL;
    Verify *verify;
    Run folded, full;

    (void)state;
    (void)run_to_result(&folded, &setup, FOLD_AUTO);
    read_run_setup(&full, &setup);
    full.system =
        system_new(&full.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(full.system, &error);
    assert_no_error(error);
    assert_true(system_run(full.system, &error) || error);
    assert_no_error(error);
    assert_int_equal(system_n_simulated_npus(folded.system), 3);
    for (guint i = 0; i < 2; i++) {
        JobResult a = system_job_result(folded.system, i);
        JobResult b = system_job_result(full.system, i);

        assert_int_equal(a.n_npus, 4);
        assert_int_equal(a.end_ps, b.end_ps);
        assert_int_equal(a.sent_bytes, b.sent_bytes);
        assert_int_equal(a.comm_ps, b.comm_ps);
    }
    collective_verifier_free(verify);
    run_clear(&folded);
    run_clear(&full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_single_job_has_the_whole_network),
        cmocka_unit_test(test_two_jobs_on_one_link_take_twice_the_time),
        cmocka_unit_test(test_a_job_that_ends_leaves_its_links_to_the_other),
        cmocka_unit_test(test_a_job_is_timed_from_its_own_start),
        cmocka_unit_test(test_all_schedulers_share_links_between_jobs),
        cmocka_unit_test(test_packets_of_two_jobs_alternate_on_a_link),
        cmocka_unit_test(test_two_jobs_are_folded_and_verified),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
