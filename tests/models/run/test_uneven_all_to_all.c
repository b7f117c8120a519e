/*
 * test_uneven_all_to_all.c - Tests of all-to-alls in which ranks receive
 * different amounts, in whole runs. */
#include "tests/models/run/closed_form_fixture.h"

#define LINK  "bandwidth: 25 GB/s, latency: 500 ns"
#define WHOLE "{chunk: 1 GiB, message: 1 GiB}"
#define AUTO  "{chunk: auto, message: auto}"
#define IDEAL "{kind: ideal, message_cycles: 0}"

static const char *uneven_all_to_all_setup(uint64_t payload_bytes,
                                           const char *weights)
{
    return format_text("{kind: collective, name: c, collective: all-to-allv, "
                       "payload: %" G_GUINT64_FORMAT " B, weights: [%s]}",
                       payload_bytes, weights);
}

static const char *switch_topology_text(uint32_t n)
{
    return format_text("{kind: switch, npus: %u, " LINK "}", n);
}

static const char *const topologies[] = {
    "{kind: switch, npus: 6, links: 2, " LINK "}",
    "{kind: fully-connected, npus: 6, " LINK "}",
    "{kind: torus, dims: [{size: 3, links: 2, " LINK "}, {size: 2, links: "
    "2, " LINK "}]}",
};

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ace, sram: 256 KiB, fsms: 8, chunks_per_fsm: 1}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    "{kind: copy-engine, sms: 2, engines: 3, memory_bandwidth: 45 GB/s}",
};

/* ---- verified data of uneven all-to-alls --------------------------------- */

static void test_each_rank_receives_the_share_of_its_weight(void **state)
{
    static const char *const weights[] = {
        "3, 1, 4, 1, 5, 9", "1, 1, 1, 1, 1, 2",    "0, 1, 0, 2, 0, 0",
        "0, 0, 0, 7, 0, 0", "1000, 1, 1, 1, 1, 1", "0, 1, 1, 1, 1, 1",
    };

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (gsize w = 0; w < G_N_ELEMENTS(weights); w++)
                assert_run_verified(
                    &(Setup){
                        .topology = topologies[t],
                        .endpoint = endpoints[e],
                        .workload = uneven_all_to_all_setup(10001, weights[w]),
                        .collectives =
                            w % 2 ? AUTO : "{chunk: 4000 B, message: 700 B}" },
                    FOLD_OFF);
}

static void test_sets_of_a_program_have_the_same_weights(void **state)
{
    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
        assert_run_verified(
            &(Setup){
                .topology = topologies[e % 3],
                .endpoint = endpoints[e],
                .workload =
                    "{kind: program, name: p, groups: [{name: g, size: 3, "
                    "stride: 1}], roles: [{name: r, ops: [{kind: "
                    "collective, name: c, collective: all-to-allv, group: "
                    "g, bytes: 9000 B, weights: [2, 0, 5]}]}]}" },
            FOLD_OFF);
}

/* ---- times of uneven all-to-alls ----------------------------------------- */

static void test_equal_weights_are_a_uniform_all_to_all(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            Setup s = { .topology = topologies[t],
                        .endpoint = endpoints[e],
                        .workload = single_collective_workload(COLL_ALL_TO_ALL,
                                                               100003) };
            SystemResult even = simulate_setup(&s), r;

            s.workload = uneven_all_to_all_setup(100003, "7, 7, 7, 7, 7, 7");
            r = simulate_setup(&s);
            assert_int_equal(r.iteration_ps, even.iteration_ps);
            assert_int_equal(r.sent_bytes, even.sent_bytes);
            assert_int_equal(r.n_events, even.n_events);
        }
}

/* With a separate plan, no block differs by more than a byte. */
static void
test_nearly_equal_weights_are_nearly_a_uniform_all_to_all(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            Setup s = { .topology = topologies[t],
                        .endpoint = endpoints[e],
                        .workload = single_collective_workload(COLL_ALL_TO_ALL,
                                                               8 * 49152),
                        .collectives = "{chunk: 48 KiB, message: 5 KiB}" };
            SystemResult even = simulate_setup(&s);

            s.workload = uneven_all_to_all_setup(
                8 * 49152, "1000000000, 1000000000, 1000000000, "
                           "1000000000, 1000000000, 999999999");
            assert_near_per_mille(simulate_setup(&s).iteration_ps,
                                  even.iteration_ps, 2);
        }
}

/* All blocks for the busiest rank use its link one after the other. The
 * messages to other ranks, which are sent first, overlap: (n-1) S w / sum / B +
 * t(packet) + 2 latency. */
static void test_the_busiest_receiver_limits_an_uneven_all_to_all(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 12; n++) {
        g_autoptr(GString) weights = g_string_new("1000");
        uint64_t payload_bytes = (1000 + 5 * (n - 1)) * UINT64_C(4096);
        Setup s = { .topology = switch_topology_text(n),
                    .endpoint = IDEAL,
                    .collectives = WHOLE };

        for (uint32_t r = 1; r < n; r++)
            g_string_append(weights, ", 5");
        s.workload = uneven_all_to_all_setup(payload_bytes, weights->str);
        assert_int_equal(
            simulate_setup(&s).iteration_ps,
            transfer_time_ps((n - 1) * UINT64_C(1000) * 4096, 25 * GB) +
                transfer_time_ps(256, 25 * GB) + SIM_NS(1000));
    }
}

/* Every pair has its own link, so all ranks wait for the largest block. */
static void test_the_largest_block_limits_on_pairwise_links(void **state)
{
    Setup s = { .topology = "{kind: fully-connected, npus: 4, " LINK "}",
                .endpoint = IDEAL,
                .workload = uneven_all_to_all_setup(1000000, "3, 1, 0, 6"),
                .collectives = WHOLE };
    SystemResult r = simulate_setup(&s);

    (void)state;
    assert_int_equal(r.iteration_ps,
                     transfer_time_ps(600000, 25 * GB) + SIM_NS(500));
    /* The expected bytes are the mean over ranks of all blocks except their
     * own. */
    assert_int_equal(r.sent_bytes, (700000 + 900000 + 1000000 + 400000) / 4);
}

static void test_uneven_blocks_add_up_to_the_payload(void **state)
{
    Setup s = { .topology = switch_topology_text(3),
                .endpoint = IDEAL,
                .workload = uneven_all_to_all_setup(1000003, "0, 1, 2"),
                .collectives = WHOLE };

    (void)state;
    assert_int_equal(simulate_setup(&s).sent_bytes, 2 * 1000003 / 3);
}

/* A rank that sends little is done before the busiest link is. */
static void test_the_rate_is_within_the_capacity_of_links_in_use(void **state)
{
    static const char *const weights[] = { "1, 0, 0, 0, 0, 0",
                                           "0, 0, 0, 0, 0, 1",
                                           "0, 5, 1, 1, 0, 0",
                                           "1, 1, 1, 1, 1, 1" };

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (gsize w = 0; w < G_N_ELEMENTS(weights); w++) {
            Setup s = { .topology = topologies[t],
                        .endpoint = IDEAL,
                        .workload =
                            uneven_all_to_all_setup(6000000, weights[w]),
                        .collectives = AUTO };
            SystemResult r = simulate_setup(&s);

            assert_true(r.net_bytes_per_s > 0);
            assert_true(r.net_bytes_per_s <= r.net_cap_bytes_per_s);
        }
}

/* ---- symmetry reduction of uneven all-to-alls ---------------------------- */

static void test_uneven_ranks_are_not_folded(void **state)
{
    Setup s = { .topology = switch_topology_text(4),
                .endpoint = IDEAL,
                .workload = uneven_all_to_all_setup(4096, "2, 2, 2, 2") };
    Run run;

    (void)state;
    run_to_result(&run, &s, FOLD_REQUIRE);
    run_clear(&run);
    s.workload = uneven_all_to_all_setup(4096, "2, 2, 2, 1");
    assert_setup_refused(
        &s, FOLD_REQUIRE, SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
        "cannot fold: group `all` is not moved onto groups, rank by "
        "rank");
}

/* ---- refused weights of uneven all-to-alls ------------------------------- */

static void test_there_is_one_all_to_all_weight_per_rank(void **state)
{
    (void)state;
    assert_setup_refused(
        &(Setup){ .workload = uneven_all_to_all_setup(4096, "1, 2, 3") },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:90: weights: 3, but a group of 'all' has 4 "
        "ranks");
    assert_setup_refused(
        &(Setup){ .workload = uneven_all_to_all_setup(4096, "1, 1") },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:90: weights: 2, but a group of 'all' has 4 "
        "ranks");
    assert_setup_refused(
        &(Setup){ .workload = uneven_all_to_all_setup(4096, "0, 0, 0, 0") },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_RANGE,
        "run.yaml:4:90: weights: all are 0, so nothing is sent");
}

static void test_only_an_all_to_allv_has_weights(void **state)
{
    (void)state;
    assert_setup_refused(
        &(Setup){ .workload = "{kind: collective, name: c, "
                              "collective: all-to-all, payload: "
                              "1 KiB, weights: [1, 2, 3, 4]}" },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:88: weights: a collective of kind 'all-to-all' "
        "has none; leave them out");
}

static void test_roles_must_agree_in_all_to_all_weights(void **state)
{
    (void)state;
    assert_setup_refused(
        &(Setup){ .workload =
                      "{kind: program, name: p, roles: [{name: a, ranks: {"
                      "list: [0, 1]}, ops: [{kind: collective, name: c, "
                      "collective: all-to-allv, bytes: 1 KiB, weights: [1, 2, "
                      "3, 4]}]}, {name: b, ranks: {list: [2, 3]}, ops: [{kind: "
                      "collective, name: c, collective: all-to-allv, bytes: 1 "
                      "KiB, weights: [1, 2, 3, 5]}]}]}" },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:291: weights: 'c' is another in role 'a', and what roles "
        "share is one operation");
}

static void test_uneven_all_to_all_needs_the_direct_algorithm(void **state)
{
    (void)state;
    assert_setup_refused(
        &(Setup){ .workload = uneven_all_to_all_setup(4096, "1, 2, 3, 4"),
                  .collectives = "{choices: [{collective: all-to-allv, "
                                 "algorithm: bruck}]}" },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:6:62: algorithm: 'bruck' has no all-to-allv for 4 NPUs on a "
        "torus; these have: auto, direct");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rank_receives_the_share_of_its_weight),
        cmocka_unit_test(test_sets_of_a_program_have_the_same_weights),
        cmocka_unit_test(test_equal_weights_are_a_uniform_all_to_all),
        cmocka_unit_test(
            test_nearly_equal_weights_are_nearly_a_uniform_all_to_all),
        cmocka_unit_test(test_the_busiest_receiver_limits_an_uneven_all_to_all),
        cmocka_unit_test(test_the_largest_block_limits_on_pairwise_links),
        cmocka_unit_test(test_uneven_blocks_add_up_to_the_payload),
        cmocka_unit_test(test_the_rate_is_within_the_capacity_of_links_in_use),
        cmocka_unit_test(test_uneven_ranks_are_not_folded),
        cmocka_unit_test(test_there_is_one_all_to_all_weight_per_rank),
        cmocka_unit_test(test_only_an_all_to_allv_has_weights),
        cmocka_unit_test(test_roles_must_agree_in_all_to_all_weights),
        cmocka_unit_test(test_uneven_all_to_all_needs_the_direct_algorithm),
    };

    return cmocka_run_group_tests_name("uneven", tests, NULL, NULL);
}
