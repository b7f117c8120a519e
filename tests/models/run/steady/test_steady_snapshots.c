/*
 * test_steady_snapshots.c - the cost and the delay of finding a period
 *
 * Snapshots cost little if no state ever repeats, and find soon if one does.
 * The case is the all-reduce of the ISCA 2021 study, 64 KiB a chunk on 64 NPUs.
 */
#include "tests/system_fixture.h"

#include "models/run/steady/skip_mode.h"

static const Setup all_reduce = {
    .topology = "{kind: torus, dims: ["
                "{size: 4, links: 2, bandwidth: 200 GB/s, latency: 72.29 ns, "
                "efficiency: 94 %}, "
                "{size: 4, links: 2, bandwidth: 25 GB/s, latency: 401.61 ns, "
                "efficiency: 94 %}, "
                "{size: 4, links: 2, bandwidth: 25 GB/s, latency: 401.61 ns, "
                "efficiency: 94 %}]}",
    .npu = "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, fabric_bus: 500 "
           "GB/s, hbm: {bandwidth: 900 GB/s}}",
    .training = "{iterations: 1}",
    .collectives = "{chunk: 64 KiB, packet: 256 B, message: 8 KiB, window: 64, "
                   "scheduler: lifo, order: fixed}",
};

/* The window never fills: the DMA admits a chunk every 512.0 ns, and links
 * forward one every 522.9 ns. */
static const char ace[] =
    "{kind: ace, memory_bandwidth: 128 GB/s, sram: 4 MiB, fsms: 16, "
    "sram_split: latency, fsm_split: latency, launch_time: 0 ns}";

static void run_with_skip_mode(const char *endpoint, uint64_t n_chunks,
                               SkipMode mode, Run *run)
{
    Setup s = all_reduce;
    GError *error = NULL;

    s.endpoint = endpoint;
    s.workload =
        format_text("{kind: collective, name: c, collective: all-reduce, "
                    "payload: %u KiB}",
                    (unsigned)n_chunks * 64);
    read_run_setup(run, &s);
    run->system =
        system_new(&run->config, (RunOptions){ .skip = mode }, &error);
    assert_no_error(error);
    assert_true(system_run(run->system, &error));
}

static uint64_t count_skipped_chunks(const char *endpoint, uint64_t n_chunks)
{
    Run run;
    uint64_t n;

    run_with_skip_mode(endpoint, n_chunks, SKIP_AUTO, &run);
    n = system_n_skipped(run.system);
    run_clear(&run);
    return n;
}

static uint64_t n_events(const char *endpoint, uint64_t n_chunks, SkipMode mode)
{
    Run run;
    uint64_t n;

    run_with_skip_mode(endpoint, n_chunks, mode, &run);
    n = system_result(run.system).n_events;
    run_clear(&run);
    return n;
}

/* Each snapshot is an event, and costs as much as a chunk. */
static void test_few_snapshots_are_taken_if_no_state_repeats(void **state)
{
    uint64_t all = n_events(ace, 1024, SKIP_OFF);

    (void)state;
    assert_int_equal(count_skipped_chunks(ace, 1024), 0);
    assert_in_range(n_events(ace, 1024, SKIP_AUTO), all + 1, all + 10);
}

/* From chunk 1,264 on the state equals that of 8 chunks before, so at most
 * 2,776 could be skipped.  Of every eight chunks, seven end 512.0 ns apart,
 * which looks like a period of one. */
static void test_a_late_steady_period_is_found(void **state)
{
    (void)state;
    assert_in_range(count_skipped_chunks(ace, 4096), 2600, 2776);
}

/* Chunk 3 ends as chunk 1 did. */
static void test_an_early_steady_period_is_found_early(void **state)
{
    (void)state;
    assert_in_range(
        count_skipped_chunks("{kind: host, staging_bandwidth: 6.33 GB/s, "
                             "staging_launch: 10 us, reduce_bandwidth: "
                             "5 GB/s}",
                             1024),
        930, 958);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_snapshots_are_taken_if_no_state_repeats),
        cmocka_unit_test(test_a_late_steady_period_is_found),
        cmocka_unit_test(test_an_early_steady_period_is_found_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
