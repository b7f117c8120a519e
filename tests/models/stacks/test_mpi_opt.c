/* Tests of MPI-Opt as a library and an endpoint, with exact times */
#include "tests/models/stacks/library_fixture.h"

/* Limits from the documentation of MVAPICH2-GDR: GPUDirect, staged by one side,
 * staged by both sides in pipelined blocks. */
static void test_limits_of_gpudirect_are_rows_of_messages(void **state)
{
    const char *stack =
        "rules: [{algorithm: recursive-doubling}], messages: [{most_bytes: "
        "8192 B, time: 2 us}, {most_bytes: 131072 B, time: 4 us, bandwidth: 10 "
        "GB/s}, {time: 6 us, bandwidth: 5 GB/s, block: 262144 B}]";
    const struct {
        uint64_t bytes;
        SimTime cost_ps;
    } points[] = {
        { 8192, 2 * US },
        { 8193, 4 * US + 100 * 8193 },
        { 131072, 4 * US + 100 * 131072 },
        { 131073, 6 * US + 200 * 131073 },
        { 262144, 6 * US + 200 * 262144 },
        { 1000000, 6 * US + 200 * 262144 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(points); i++)
        assert_int_equal(
            took_ps(8, stack, COLL_ALL_REDUCE, points[i].bytes),
            3 * (points[i].cost_ps + host_hop_time_ps(points[i].bytes)));
}

/* MPI-Opt: recursive doubling for small payloads, halving and doubling for
 * large ones; a copy of 10 GB/s out of each GPU; a kernel for each addition: 5
 * us, and 2 bytes read for each byte at 128 GB/s. */
#define MPI_OPT                                                                 \
    "rules: [{most_bytes: 16 KiB, algorithm: recursive-doubling}, {algorithm: " \
    "halving-doubling}], messages: [{most_bytes: 8192 B, time: 2 us}, "         \
    "{most_bytes: 131072 B, time: 4 us, bandwidth: 10 GB/s}, {time: 6 us, "     \
    "bandwidth: 5 GB/s, block: 262144 B}], pointer_query: 2 us, "               \
    "collective_queries: 2, message_queries: 2, pointer_cache: %s"

static SimTime host_send_time_ps(uint64_t bytes)
{
    SimTime cost_ps = 6 * US + 200 * MIN(bytes, 262144);

    if (bytes <= 131072)
        cost_ps = bytes <= 8192 ? 2 * US : 4 * US + 100 * bytes;
    return cost_ps + 100 * bytes + host_hop_time_ps(bytes);
}

static SimTime host_sum_time_ps(uint64_t bytes)
{
    return 5 * US + bytes * 2 * 1000 / 128;
}

static SimTime mpi_opt_ps(uint64_t bytes, const char *has_cache)
{
    Done done = run_collective_on(
        host_switch_text(16),
        "{kind: copy-engine, launch_time: 0 ns, message_cycles: 0, engines: 1, "
        "engine_bandwidth: 10 GB/s, copy_launch: 0 ns, sms: 2, reduce_launch: "
        "5 us, memory_bandwidth: 450 GB/s}",
        format_text(MPI_OPT, has_cache),
        single_collective_workload(COLL_ALL_REDUCE, bytes));

    g_free(done.algorithm);
    return done.took_ps;
}

static void test_mpi_opt_doubles_or_halves_and_adds_by_kernels(void **state)
{
    const uint64_t sizes[] = { 64, 8192, 16384, 65536, 1 << 20, 16 << 20 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        gboolean is_small = sizes[i] <= 16384;
        SimTime expected_ps =
            4 * (host_send_time_ps(sizes[i]) + host_sum_time_ps(sizes[i]));

        if (!is_small)
            expected_ps = 0;
        for (uint64_t b = sizes[i] / 2; b >= sizes[i] / 16 && !is_small; b /= 2)
            expected_ps += 2 * host_send_time_ps(b) + host_sum_time_ps(b);
        assert_int_equal(mpi_opt_ps(sizes[i], "true"), expected_ps);
        assert_int_equal(mpi_opt_ps(sizes[i], "false"),
                         expected_ps + 4 * US + (is_small ? 16U : 32U) * US);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_of_gpudirect_are_rows_of_messages),
        cmocka_unit_test(test_mpi_opt_doubles_or_halves_and_adds_by_kernels),
    };

    return cmocka_run_group_tests_name("mpi-opt", tests, NULL, NULL);
}
