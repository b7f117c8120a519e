/* Tests of NCCL's trees between machines, with exact times */
#include "tests/models/stacks/nccl_fixture.h"

/* Machines of one GPU: 10 GB/s between them and 100 GB/s inside. */
#define MACHINES                                                               \
    "{kind: nested, count: %u, rails: false, inner: {kind: switch, npus: 1, "  \
    "bandwidth: 100 GB/s, latency: 0 ns}, nics: 1, nic: {bandwidth: 100 "      \
    "GB/s, latency: 0 ns}, outer: {kind: switch, bandwidth: 10 GB/s, "         \
    "latency: 1 us}}"
#define SOME_TREES(More)                                                       \
    "{kind: nccl, algorithm: tree, protocol: Simple, channels: 2, " More       \
    "Simple: {launch_time: 8 us, network_step: 14 us}}"
#define TREES   SOME_TREES("tree_efficiency: 100 %, ")
#define US      UINT64_C(1000000)
#define BYTE_PS UINT64_C(100)

static SimTime all_reduce_by_algorithm_ps(const char *stack, uint32_t n,
                                          uint64_t bytes)
{
    Done done = run_workload_of_fixture(
        format_text(MACHINES, n), stack,
        single_collective_workload(COLL_ALL_REDUCE, bytes));
    SimTime ps = done.iteration_ps;

    assert_string_equal(done.recipe->algorithm, "Tree");
    assert_int_equal(done.recipe->n_channels, n > 2 ? 2 : 1);
    run_clear(&done.run);
    return ps;
}

static SimTime all_reduce_by_tree_ps(uint32_t n, uint64_t bytes)
{
    return all_reduce_by_algorithm_ps(TREES, n, bytes);
}

/* Up and down log2 n levels, with one byte along each of two trees, into a NIC
 * and out of it over two links.  Of two children's bytes one waits for the
 * other at each level but the first, in both directions. */
static void test_trees_take_twice_log_n_steps(void **state)
{
    const SimTime hop_ps = 14 * US + 2 * US + 2 * BYTE_PS + 2 * BYTE_PS / 10;

    (void)state;
    for (uint32_t log = 2; log <= 6; log++)
        assert_int_equal(all_reduce_by_tree_ps(1U << log, 2),
                         8 * US + 2 * log * hop_ps + 2 * (log - 1) * BYTE_PS);
}

/* The busiest link carries two payloads in each direction.  The remaining time
 * is for pieces that fill the trees, and hardly grows with the payload. */
static void test_trees_send_two_payloads_over_a_link(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 16; n *= 2) {
        SimTime one_ps = all_reduce_by_tree_ps(n, MIB(32)),
                two_ps = all_reduce_by_tree_ps(n, MIB(64));

        assert_true(two_ps > 2 * MIB(64) * BYTE_PS);
        assert_near_per_mille(two_ps - one_ps, 2 * MIB(32) * BYTE_PS, 10);
    }
}

/* GPUs that forward data of a tree also reach only 92 % of the links between
 * their machines.  With two GPUs, none forwards data. */
static void test_trees_lose_a_share_of_links_between_machines(void **state)
{
    static const char stack[] = SOME_TREES("");

    (void)state;
    for (uint32_t n = 2; n <= 4; n *= 2) {
        SimTime more_ps = all_reduce_by_algorithm_ps(stack, n, MIB(64)) -
                          all_reduce_by_algorithm_ps(stack, n, MIB(32));
        SimTime links_ps = (n > 2 ? 2 : 1) * MIB(32) * BYTE_PS;

        assert_near_per_mille(more_ps, n > 2 ? links_ps * 100 / 92 : links_ps,
                              10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_take_twice_log_n_steps),
        cmocka_unit_test(test_trees_send_two_payloads_over_a_link),
        cmocka_unit_test(test_trees_lose_a_share_of_links_between_machines),
    };

    return cmocka_run_group_tests_name("nccl-trees", tests, NULL, NULL);
}
