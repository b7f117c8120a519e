/* Tests that features of later NCCL releases are off, and that one thread posts
 * all messages into a network. */
#include "tests/models/stacks/nccl_fixture.h"

#include "models/stacks/nccl/release_version.h"
#include "models/stacks/stack.h"

static void test_nccl_versions_are_ordered_by_their_numbers(void **state)
{
    (void)state;
    assert_int_equal(nccl_parse_version("2.18.5"), NCCL_VERSION(2, 18, 5));
    assert_int_equal(nccl_parse_version("latest"), NCCL_LATEST_VERSION);
    assert_true(nccl_parse_version("2.18") > nccl_parse_version("2.18.5"));
    assert_true(nccl_parse_version("2.18") < nccl_parse_version("2.19.0"));
    assert_true(nccl_parse_version("2.4") > nccl_parse_version("2.3.7"));
}

static void test_an_invalid_nccl_version_is_refused(void **state)
{
    static const char *const wrong[] = { "2",       "1.3.4", "two",  "2.18.5.1",
                                         "2.18.x ", "2.",    "2.100" };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        assert_int_equal(nccl_parse_version(wrong[i]), 0);
}

/* ---- features that old NCCL versions lack -------------------------------- */

static const char *chosen_algorithm(const char *topology, const char *version,
                                    CollKind kind, uint64_t payload_bytes)
{
    g_autofree char *stack =
        g_strdup_printf("{kind: nccl, version: %s}", version);
    Done done = run_collective_on(topology, stack, kind, payload_bytes);
    /* The algorithm name is a static text. */
    const char *name = done.recipe->algorithm;

    run_clear(&done.run);
    return name;
}

static void test_nccl_algorithms_exist_from_their_version_on(void **state)
{
    static const char apart[] = "{kind: switch, npus: 16, reach: network, "
                                "links: 1, bandwidth: 32 GB/s, latency: 1 us}";

    (void)state;
    assert_string_equal(
        chosen_algorithm(EIGHT, "2.17", COLL_ALL_REDUCE, MIB(16)), "NVLS");
    assert_string_equal(
        chosen_algorithm(EIGHT, "2.16", COLL_ALL_REDUCE, MIB(16)), "Ring");
    assert_string_equal(chosen_algorithm(apart, "2.4", COLL_ALL_REDUCE, 1024),
                        "Tree");
    assert_string_equal(chosen_algorithm(apart, "2.3", COLL_ALL_REDUCE, 1024),
                        "Ring");
    assert_string_equal(
        chosen_algorithm(apart, "2.23", COLL_ALL_GATHER, MIB(1)), "PAT");
    assert_string_equal(
        chosen_algorithm(apart, "2.22", COLL_ALL_GATHER, MIB(1)), "Ring");
}

static void test_early_nccl_versions_have_no_ll128(void **state)
{
    static const char later[] = "{kind: nccl, version: 2.5.6, protocol: LL128}";
    Done done = run_collective_on(EIGHT, later, COLL_ALL_REDUCE, MIB(1));

    (void)state;
    assert_string_equal(done.recipe->protocol->name, "LL128");
    run_clear(&done.run);
    for (uint64_t bytes = 1 << 10; bytes <= MIB(64); bytes *= 8) {
        done = run_collective_on(EIGHT, "{kind: nccl, version: 2.4.8}",
                                 COLL_ALL_REDUCE, bytes);
        assert_string_not_equal(done.recipe->protocol->name, "LL128");
        run_clear(&done.run);
    }
}

#define SHARP                                                                  \
    "{kind: nested, count: 2, inner: {kind: switch, npus: 4, links: 4, "       \
    "bandwidth: 32 GB/s, latency: 100 ns}, nics: 4, nic: {bandwidth: 32 "      \
    "GB/s, latency: 100 ns}, rails: true, outer: {kind: switch, npus: 2, "     \
    "bandwidth: 32 GB/s, latency: 1 us, reduces: true}}"

/* The launch, three GPUs forward and back, and the link latency to the switch
 * between machines and back. */
static void test_old_versions_use_sharp_on_a_chain_with_ll(void **state)
{
    SimTime least_ps = SIM_NS(9400) + 6 * SIM_NS(900) + 2 * SIM_NS(1100);
    Done ll = run_collective_on(
        SHARP, "{kind: nccl, algorithm: collnet, version: 2.8.4}",
        COLL_ALL_REDUCE, 64);
    Done simple = run_collective_on(
        SHARP, "{kind: nccl, algorithm: collnet, version: 2.8.4}",
        COLL_ALL_REDUCE, MIB(64));
    Done later = run_collective_on(SHARP, "{kind: nccl, algorithm: collnet}",
                                   COLL_ALL_REDUCE, 64);

    (void)state;
    assert_string_equal(ll.recipe->protocol->name, "LL");
    assert_true(ll.iteration_ps >= least_ps);
    assert_true(ll.iteration_ps < least_ps + SIM_NS(100));
    assert_string_equal(simple.recipe->protocol->name, "Simple");
    assert_int_equal(simple.recipe->launch_ps, SIM_NS(10700));
    assert_string_equal(later.recipe->protocol->name, "Simple");
    assert_int_equal(later.recipe->launch_ps, SIM_US(31));
    run_clear(&ll.run);
    run_clear(&simple.run);
    run_clear(&later.run);
}

/* ---- piece sizes of trees between switches ------------------------------- */

/* 4 GPUs in a machine and 16 channels: a slice of 64 KiB makes a piece of 4
 * MiB. */
static uint64_t slice_size_of_version(uint32_t n_nodes, const char *version,
                                      uint64_t payload_bytes)
{
    g_autofree char *topology = g_strdup_printf(
        "{kind: nested, count: %u, inner: {kind: switch, npus: 4, reduces: "
        "true, " LINK "}, nics: 4, nic: {bandwidth: 32 GB/s, latency: 100 ns}, "
        "rails: true, outer: {kind: switch, npus: %u, "
        "bandwidth: 32 GB/s, latency: 1 us}}",
        n_nodes, n_nodes);
    g_autofree char *stack = g_strdup_printf(
        "{kind: nccl, algorithm: nvls-tree, version: %s}", version);
    Done done =
        run_collective_on(topology, stack, COLL_ALL_REDUCE, payload_bytes);
    uint64_t bytes =
        done.recipe->chunk_bytes * done.recipe->n_channels / (4 * 16);

    run_clear(&done.run);
    return bytes;
}

static void test_trees_have_larger_pieces_the_larger_the_payload(void **state)
{
    (void)state;
    assert_int_equal(slice_size_of_version(2, "2.18.5", MIB(4)), 64 << 10);
    assert_int_equal(slice_size_of_version(2, "2.18.5", MIB(32)), 128 << 10);
    assert_int_equal(slice_size_of_version(2, "2.18.5", MIB(256)), 256 << 10);
    assert_int_equal(slice_size_of_version(2, "2.18.5", MIB(1024)), 512 << 10);
}

static void test_later_nccl_versions_have_smaller_pieces(void **state)
{
    (void)state;
    assert_int_equal(slice_size_of_version(2, "2.20.3", MIB(1024)), 128 << 10);
    assert_int_equal(slice_size_of_version(4, "2.19.1", MIB(256)), 256 << 10);
    assert_int_equal(slice_size_of_version(4, "2.19.3", MIB(256)), 64 << 10);
}

/* ---- posting of messages by one thread ----------------------------------- */

#define APART                                                                  \
    "{kind: switch, npus: 2, reach: network, links: 1, bandwidth: 32 GB/s, "   \
    "latency: 100 ns}"

/* A ring of two sends 1 MiB twice, in four messages on four channels, and each
 * message takes three posts.  The last post is part of the step, which
 * otherwise takes 14 us. */
static SimTime ring_with_costs_ps(const char *costs)
{
    g_autofree char *stack = g_strdup_printf(
        "{kind: nccl, algorithm: ring, protocol: Simple, channels: 4, %s}",
        costs);

    return collective_time_on(APART, stack, COLL_ALL_REDUCE, MIB(2));
}

static SimTime ring_with_step_time_ps(SimTime step_ps)
{
    return SIM_NS(8400) +
           2 * (step_ps + transfer_time_ps(MIB(1), RATE) +
                transfer_time_ps(PACKET, RATE) + 2 * SIM_NS(100));
}

static void test_messages_into_a_network_are_posted_in_turn(void **state)
{
    (void)state;
    assert_int_equal(ring_with_costs_ps("post_time: 0 us"),
                     ring_with_step_time_ps(SIM_US(14)));
    assert_int_equal(ring_with_costs_ps("post_time: 1 us"),
                     ring_with_step_time_ps(SIM_US(14)));
    assert_int_equal(ring_with_costs_ps("post_time: 10 us"),
                     ring_with_step_time_ps(3 * SIM_US(30)));
    assert_int_equal(ring_with_costs_ps("post_time: 10 us, Simple: {posts: 1}"),
                     ring_with_step_time_ps(3 * SIM_US(10)));
}

static void test_striped_messages_are_posted_once_per_nic(void **state)
{
    (void)state;
    assert_int_equal(
        ring_with_costs_ps("post_time: 2 us, stripes: 4, stripe_above: 8 KiB"),
        ring_with_step_time_ps(3 * SIM_US(12)));
    assert_int_equal(ring_with_costs_ps(
                         "post_time: 2 us, stripes: 4, stripe_above: 256 KiB"),
                     ring_with_step_time_ps(3 * SIM_US(6)));
}

static void test_nothing_is_posted_within_a_machine(void **state)
{
    static const char stack[] =
        "{kind: nccl, algorithm: ring, post_time: %u us}";
    g_autofree char *none = g_strdup_printf(stack, 0);
    g_autofree char *much = g_strdup_printf(stack, 1000);

    (void)state;
    assert_int_equal(collective_time_on(PAIR, none, COLL_ALL_REDUCE, MIB(2)),
                     collective_time_on(PAIR, much, COLL_ALL_REDUCE, MIB(2)));
}

/* Hopper needs no flush from 2.19.1 on. */
static void test_an_nccl_flush_is_one_post(void **state)
{
    static const char stack[] =
        "{kind: nccl, algorithm: nvls-tree, post_time: 1 us, version: %s}";
    static const struct {
        const char *version;
        uint64_t n_posts;
    } cases[] = { { "2.18.5", 3 }, { "2.19.1", 2 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(stack, cases[i].version);
        Done done = run_collective_on(NODES, text, COLL_ALL_REDUCE, MIB(1));

        assert_int_equal(done.recipe->post_ps, cases[i].n_posts * SIM_US(1));
        run_clear(&done.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nccl_versions_are_ordered_by_their_numbers),
        cmocka_unit_test(test_an_invalid_nccl_version_is_refused),
        cmocka_unit_test(test_nccl_algorithms_exist_from_their_version_on),
        cmocka_unit_test(test_early_nccl_versions_have_no_ll128),
        cmocka_unit_test(test_old_versions_use_sharp_on_a_chain_with_ll),
        cmocka_unit_test(test_trees_have_larger_pieces_the_larger_the_payload),
        cmocka_unit_test(test_later_nccl_versions_have_smaller_pieces),
        cmocka_unit_test(test_messages_into_a_network_are_posted_in_turn),
        cmocka_unit_test(test_striped_messages_are_posted_once_per_nic),
        cmocka_unit_test(test_nothing_is_posted_within_a_machine),
        cmocka_unit_test(test_an_nccl_flush_is_one_post),
    };

    return cmocka_run_group_tests_name("nccl_versions", tests, NULL, NULL);
}
