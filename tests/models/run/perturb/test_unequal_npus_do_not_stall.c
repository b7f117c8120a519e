/* test_unequal_npus_do_not_stall.c - Tests of runs that once stalled because
 * NPUs with unequal speed waited for each other. */
#include "tests/models/run/perturb/perturb_fixture.h"

/* The SRAM of a phase holds two chunks of 4 KiB or one of 8 KiB. The other NPUs
 * are behind and have not issued the broadcast that NPUs 0 and 1 would admit,
 * and for which NPUs 0 and 1 have no capacity. NPUs 0 and 1 must therefore
 * follow the decisions of the others. */
static void test_npus_with_little_capacity_follow_the_others(void **state)
{
    static const char *const schedulers[] = { "lifo", "fifo", "priority" };
    Setup s = {
        .topology = "{kind: nested, count: 3, inner: {kind: torus, dims: ["
                    "{size: 2, links: 2, bandwidth: 100 GB/s, latency: 1 "
                    "us}]}, nics: 1, nic: {bandwidth: 100 GB/s}, outer: "
                    "{kind: switch, bandwidth: 100 GB/s, latency: 1 us}}",
        .npu = "{sms: 1, clock: 1 GHz, flops: 10 TFLOPS, "
               "hbm: {bandwidth: 100 GB/s, policy: shared}}",
        .endpoint = "{kind: ace, sram: 24 KiB}",
        .workload =
            "{kind: program, name: p, roles: [{name: r, ops: ["
            "{kind: kernel, name: k, read: 100 KiB}, "
            "{kind: collective, name: b, collective: broadcast, bytes: 200 "
            "KiB, priority: 1, after: [k@-1]}, "
            "{kind: collective, name: g, collective: all-gather, bytes: 16 "
            "KiB, priority: 1}, "
            "{kind: collective, name: s, collective: reduce-scatter, bytes: 4 "
            "KiB}, "
            "{kind: kernel, name: l, flop: 999999999}]}]}",
        .training = "{iterations: 3}",
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(schedulers); i++) {
        s.collectives =
            format_text("{chunk: 8 KiB, scheduler: %s}", schedulers[i]);
        assert_true(run_with_perturbation(
                        &s, "{npus: [{npu: 2, time_factor: 3}]}", FOLD_AUTO)
                        .total_ps > 0);
    }
}

/* The DMA engines take all HBM bandwidth while chunks are in flight. With lifo,
 * the faster NPU admits the all-to-all, issued last, to the only FSM. The
 * slower NPU cannot issue it while its first chunk is in flight. Chunks must
 * therefore keep the order of admission. */
static void test_chunks_that_starve_kernels_keep_their_order(void **state)
{
    const Setup s = {
        .topology = "{kind: switch, npus: 2, bandwidth: 100 GB/s, latency: 1 "
                    "us}",
        .npu = "{sms: 2, clock: 1 GHz, flops: 10 TFLOPS, hbm: {bandwidth: 500 "
               "GB/s, charge_writes: true}}",
        .endpoint = "{kind: ace, memory_bandwidth: 256 GB/s, "
                    "only_while_communicating: true, fsms: 1, chunks_per_fsm: "
                    "1}",
        .workload = "{kind: dlrm, name: dl, batch: 1, embedding: {tables: 8, "
                    "dimension: 16, lookups: 1}, bottom: [{name: b, in: 1, "
                    "out: 16}], top: [{name: t0, in: 144, out: 128}, {name: "
                    "t1, in: 128, out: 1}]}",
    };

    (void)state;
    assert_true(run_with_perturbation(&s, "{npus: [{npu: 1, time_factor: 2}]}",
                                      FOLD_AUTO)
                    .total_ps > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npus_with_little_capacity_follow_the_others),
        cmocka_unit_test(test_chunks_that_starve_kernels_keep_their_order),
    };

    return cmocka_run_group_tests_name("stalls", tests, NULL, NULL);
}
