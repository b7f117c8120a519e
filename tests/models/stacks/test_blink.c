/*
 * Tests that Blink's recipes take the times that formulas give, on endpoints
 * without costs: over the host in parallel with near links, in one hop over a
 * switch, and in three phases among servers.
 *
 * In the formulas S is the payload, c a chunk, t(b) the time of b bytes on a
 * link, L the latency of the link, p a packet of 256 bytes, and O the launch,
 * of which an all-reduce has two.  Rates are chosen such that all divisions
 * have no
 * remainder. */
#include "tests/models/run/closed_form_fixture.h"

#include "models/observe/verify_collectives.h"
#include "models/run/report/run_notes.h"

#define OWN    "{chunk: auto, message: auto, window: auto, packet: 256 B}"
#define IDEAL  "{kind: ideal, message_cycles: 0}"
#define FREE   "direct_rate: 1.0, broadcast_rate: 1.0, all_reduce_rate: 1.0"
#define O_PS   SIM_US(10)
#define LAUNCH "launch_time: 10 us"
#define L_PS   SIM_NS(500)
#define LINK   "links: 1, latency: 500 ns"
#define PACKET 256

/* Returns the time of an all-reduce, whose data are proved. */
static SimTime collective_time_on(const char *topology, const char *stack,
                                  uint64_t payload_bytes)
{
    const Setup setup = { .topology = topology,
                          .endpoint = IDEAL,
                          .workload = single_collective_workload(
                              COLL_ALL_REDUCE, payload_bytes),
                          .training = "{iterations: 1, optimiser: none}",
                          .collectives = OWN,
                          .stack = stack };
    Run run;
    SimTime iteration_ps;
    GError *error = NULL;
    Verify *verify;

    read_run_setup(&run, &setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    iteration_ps = system_result(run.system).iteration_ps;
    collective_verifier_free(verify);
    run_clear(&run);
    return iteration_ps;
}

/* ---- one chain --------------------------------------------------------- */

#define NEAR_PAIR                                                              \
    "{kind: graph, nodes: [{name: a, kind: npu}, {name: b, kind: npu}], "      \
    "links: [{from: a, to: b, " LINK ", bandwidth: 32 GB/s}]}"

/* The way up takes 2 O + n t(c) + L, and the way down t(c) + L for the last
 * chunk. */
static void test_two_ranks_send_each_chunk_up_and_down(void **state)
{
    SimTime t_ps = transfer_time_ps(MIB(1), 32 * GB);

    (void)state;
    assert_int_equal(collective_time_on(NEAR_PAIR,
                                        "{kind: blink, " LAUNCH ", " FREE
                                        ", chunk: 1 MiB}",
                                        MIB(16)),
                     2 * O_PS + 17 * t_ps + 2 * L_PS);
}

/* The middle rank of a chain forwards data: four steps, two links. */
static void test_a_chain_fills_before_it_drains(void **state)
{
    SimTime t_ps = transfer_time_ps(MIB(1), 32 * GB);

    (void)state;
    assert_int_equal(collective_time_on(
                         "{kind: graph, nodes: [{name: a, kind: npu}, "
                         "{name: b, kind: npu}, {name: c, kind: npu}], links: ["
                         "{from: a, to: b, " LINK ", bandwidth: 32 GB/s}, "
                         "{from: b, to: c, " LINK ", bandwidth: 32 GB/s}]}",
                         "{kind: blink, " LAUNCH ", " FREE
                         ", chunk: 1 MiB, trees: chain, near_step: 2 us}",
                         MIB(16)),
                     2 * O_PS + 19 * t_ps + 4 * (L_PS + SIM_US(2)));
}

/* ---- the host in parallel with near links -------------------------------- */

/* A private link of 32 GB/s, and 8 GB/s through a PCIe switch. */
#define HYBRID_PAIR                                                            \
    "{kind: graph, npus_forward: false, nodes: [{name: a, kind: npu}, "        \
    "{name: b, kind: npu}, {name: plx, kind: pcie}], "                         \
    "links: [{from: a, to: b, " LINK ", bandwidth: 32 GB/s}, "                 \
    "{from: a, to: plx, " LINK ", bandwidth: 8 GB/s}, "                        \
    "{from: b, to: plx, " LINK ", bandwidth: 8 GB/s}]}"

/* Both formulas above with n_n + n_h chunks.  A message through the switch
 * takes another L and a packet, and each of its two steps takes another T /
 * 2. */
static SimTime hybrid_broadcast_ps(uint64_t n_near, uint64_t n_host,
                                   SimTime wait_ps)
{
    SimTime near_ps =
        (n_near + 1) * transfer_time_ps(MIB(1), 32 * GB) + 2 * L_PS;
    SimTime hop_ps = 2 * L_PS + transfer_time_ps(PACKET, 8 * GB);
    SimTime host_ps =
        (n_host + 1) * transfer_time_ps(MIB(1), 8 * GB) + 2 * hop_ps + wait_ps;

    return 2 * O_PS + MAX(near_ps, host_ps);
}

/* The time equals the formula for some share of 1000 chunks, and no share would
 * be better by more than one near chunk. */
static void test_host_and_nvlink_chunks_end_together(void **state)
{
    static const uint64_t waits_us[] = { 0, 1000, 4000 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(waits_us); i++) {
        SimTime got_ps = collective_time_on(
            HYBRID_PAIR,
            format_text("{kind: blink, " LAUNCH ", " FREE
                        ", chunk: 1 MiB, hybrid: true, host_step: 0 us, "
                        "peer_access: %" G_GUINT64_FORMAT " us}",
                        waits_us[i]),
            MIB(1000));
        SimTime best_ps = SIM_TIME_MAX;
        gboolean is_some = FALSE;

        for (uint64_t n = 1; n < 1000; n++) {
            SimTime ps = hybrid_broadcast_ps(1000 - n, n, SIM_US(waits_us[i]));

            best_ps = MIN(best_ps, ps);
            is_some |= ps == got_ps;
        }
        assert_true(is_some);
        assert_true(got_ps <= best_ps + transfer_time_ps(MIB(1), 32 * GB));
    }
}

/* ---- in one hop -------------------------------------------------------- */

/* A rank receives n - 1 blocks of S / n and sends as many. Each direction has
 * two links, and one packet for the last message of a port. */
static void test_a_blink_switch_takes_one_hop_in_and_one_out(void **state)
{
    SimTime way_ps = 7 * transfer_time_ps(MIB(1), 32 * GB) + 2 * L_PS +
                     transfer_time_ps(PACKET, 32 * GB);

    (void)state;
    assert_int_equal(
        collective_time_on(
            "{kind: switch, npus: 8, " LINK ", bandwidth: 32 GB/s}",
            "{kind: blink, " LAUNCH ", " FREE ", chunk: 8 MiB}", MIB(8)),
        2 * O_PS + 2 * way_ps);
}

/* ---- an all-reduce among servers ----------------------------------------- */

/* Servers of two NPUs, of which the first has a NIC. */
static const char *server_topology_text(uint32_t n)
{
    g_autoptr(GString) nodes = g_string_new(NULL);
    g_autoptr(GString) links = g_string_new(NULL);

    for (uint32_t i = 0; i < n; i++) {
        g_string_append_printf(nodes,
                               "{name: a%u, kind: npu}, {name: b%u, kind: npu},"
                               " {name: nic%u, kind: nic}, ",
                               i, i, i);
        g_string_append_printf(
            links,
            "{from: a%u, to: b%u, " LINK ", bandwidth: 32 GB/s}, "
            "{from: a%u, to: nic%u, " LINK ", bandwidth: 16 GB/s}, "
            "{from: nic%u, to: net, " LINK ", bandwidth: 16 GB/s}, ",
            i, i, i, i, i);
    }
    return format_text("{kind: graph, nodes: [%s{name: net, kind: switch}], "
                       "links: [%s]}",
                       nodes->str, links->str);
}

/* One chunk: up, m - 1 blocks of S / m in and as many out over four links, each
 * in its own step, then down. */
static void test_blink_among_servers_takes_three_phases(void **state)
{
    (void)state;
    for (uint32_t m = 2; m <= 4; m *= 2) {
        SimTime tree_ps = transfer_time_ps(MIB(4), 32 * GB) + L_PS;
        SimTime block_ps = transfer_time_ps(MIB(4) / m, 16 * GB) +
                           3 * transfer_time_ps(PACKET, 16 * GB) + 4 * L_PS;

        assert_int_equal(
            collective_time_on(server_topology_text(m),
                               "{kind: blink, " LAUNCH ", " FREE
                               ", chunk: 4 MiB, network_step: 0 us}",
                               MIB(4)),
            2 * O_PS + 2 * tree_ps + 2 * (m - 1) * block_ps);
    }
}

/* Returns the notes of a run of one collective with Blink among two servers, in
 * one line. */
static char *notes_of_collective_in_two_servers(CollKind kind)
{
    const Setup setup = { .topology = server_topology_text(2),
                          .endpoint = IDEAL,
                          .workload = single_collective_workload(kind, MIB(4)),
                          .training = "{iterations: 1, optimiser: none}",
                          .collectives = OWN,
                          .stack = "{kind: blink}" };
    GError *error = NULL;
    char *line;
    Run run;

    read_run_setup(&run, &setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error));
    {
        g_autoptr(RunNotes) notes = run_notes_new(run.system);

        line = run_notes_line(notes, &run.config);
    }
    run_clear(&run);
    return line;
}

static void test_what_blink_leaves_to_collectives_has_a_note(void **state)
{
    g_autofree char *packed =
        notes_of_collective_in_two_servers(COLL_ALL_REDUCE);
    g_autofree char *broadcast =
        notes_of_collective_in_two_servers(COLL_BROADCAST);
    g_autofree char *reduce = notes_of_collective_in_two_servers(COLL_REDUCE);

    (void)state;
    assert_null(strstr(packed, "blink"));
    assert_non_null(strstr(
        broadcast, "warning: blink packs a broadcast within one server only; "
                   "among 4 NPUs in 2 servers `collectives` chooses its "
                   "algorithm, at no cost of the stack"));
    assert_non_null(
        strstr(reduce, "warning: blink packs a reduce within one server"));
}

/* ---- mistakes ---------------------------------------------------------- */

static void test_links_of_two_rates_are_refused(void **state)
{
    static const CollKind kinds[] = { COLL_ALL_REDUCE, COLL_BROADCAST,
                                      COLL_REDUCE };
    Setup setup = {
        .topology = "{kind: graph, nodes: [{name: a, kind: npu}, "
                    "{name: b, kind: npu}, {name: c, kind: npu}], links: ["
                    "{from: a, to: b, " LINK ", bandwidth: 32 GB/s}, "
                    "{from: b, to: c, " LINK ", bandwidth: 16 GB/s}]}",
        .collectives = OWN,
        .stack = "{kind: blink}",
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        setup.workload = single_collective_workload(kinds[i], MIB(1));
        assert_setup_refused(
            &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
            "run.yaml:8:8: blink: no trees can be packed on the links "
            "of this group of 3");
    }
}

/* A tree uses its links downwards, and sums use the reverse links. */
static void test_a_ring_that_goes_one_way_is_refused(void **state)
{
    const Setup setup = {
        .topology = "{kind: torus, dims: [{size: 4, direction: one, "
                    "bandwidth: 25 GB/s, latency: 100 ns}]}",
        .collectives = OWN,
        .stack = "{kind: blink}",
    };

    (void)state;
    assert_setup_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:8:8: blink: no trees can be packed on the links "
        "of this group of 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks_send_each_chunk_up_and_down),
        cmocka_unit_test(test_a_chain_fills_before_it_drains),
        cmocka_unit_test(test_host_and_nvlink_chunks_end_together),
        cmocka_unit_test(test_a_blink_switch_takes_one_hop_in_and_one_out),
        cmocka_unit_test(test_blink_among_servers_takes_three_phases),
        cmocka_unit_test(test_what_blink_leaves_to_collectives_has_a_note),
        cmocka_unit_test(test_links_of_two_rates_are_refused),
        cmocka_unit_test(test_a_ring_that_goes_one_way_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
