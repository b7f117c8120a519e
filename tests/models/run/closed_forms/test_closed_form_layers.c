/* test_closed_form_layers.c - Tests of the closed form of a layer, with
 * tolerance 0. */
#include "tests/models/run/closed_form_fixture.h"

/* ---- closed forms of layers ---------------------------------------------- */

/* One linear layer has a forward pass and a weight gradient. Each takes 2 x 32
 * x 1000 x 500 FLOP and 2 (32 x 1000 + 32 x 500 + 1000 x 500) bytes. */
#define LAYER_FLOP  UINT64_C(32000000)
#define LAYER_BYTES UINT64_C(1096000)
#define ONE_LAYER                                                              \
    "{kind: data-parallel, name: layer, batch: 32, layers: "                   \
    "[{kind: linear, name: fc, in: 1000, out: 500}]}"
#define NO_STEP "{iterations: 1, optimiser: none}"
#define ONE_NPU                                                                \
    "{kind: torus, dims: [{size: 1, bandwidth: 25 GB/s, latency: 500 ns}]}"

static void test_a_layer_bound_by_memory_takes_bytes_by_bandwidth(void **state)
{
    Setup s = { .topology = ONE_NPU,
                .npu = "{sms: 80, clock: 1 GHz, flops: 1000 PFLOPS, "
                       "hbm: {bandwidth: 7 GB/s}}",
                .workload = ONE_LAYER,
                .training = NO_STEP };
    SystemResult r = simulate_setup(&s);

    (void)state;
    assert_int_equal(r.iteration_ps, 2 * transfer_time_ps(LAYER_BYTES, 7 * GB));
    assert_int_equal(r.compute_ps, r.iteration_ps);
    assert_int_equal(r.roofline_ps, r.iteration_ps);
    assert_int_equal(r.hbm_compute_bytes, 2 * LAYER_BYTES);
}

static void test_a_layer_bound_by_flops_takes_flops_by_the_peak(void **state)
{
    Setup s = { .topology = ONE_NPU,
                .npu = "{sms: 80, clock: 1 GHz, flops: 7 GFLOPS, "
                       "hbm: {bandwidth: 900 GB/s}}",
                .workload = ONE_LAYER,
                .training = NO_STEP };
    SystemResult r = simulate_setup(&s);

    (void)state;
    assert_int_equal(r.iteration_ps, 2 * transfer_time_ps(LAYER_FLOP, 7 * GB));
    assert_int_equal(r.sm_compute_ns, r.iteration_ps * 80 / 1000);
    assert_int_equal(r.exposed_ps, 0);
}

/* The endpoint keeps its share even while it does not communicate. */
static void test_the_share_of_an_endpoint_slows_the_layer(void **state)
{
    Setup s = { .topology = ONE_NPU,
                .npu = "{sms: 80, clock: 1 GHz, flops: 1000 PFLOPS, "
                       "hbm: {bandwidth: 900 GB/s}}",
                .endpoint = "{kind: ace, memory_bandwidth: 123 GB/s}",
                .workload = ONE_LAYER,
                .training = NO_STEP };

    (void)state;
    assert_int_equal(simulate_setup(&s).iteration_ps,
                     2 * transfer_time_ps(LAYER_BYTES, 777 * GB));
    s.endpoint = "{kind: baseline, sms: 75, memory_bandwidth: 123 GB/s}";
    /* The bandwidth of the kernel is 5 SMs x 64 B x 1 GHz. */
    assert_int_equal(simulate_setup(&s).iteration_ps,
                     2 * transfer_time_ps(LAYER_BYTES, 320 * GB));
}

static void test_one_npu_has_nothing_to_communicate(void **state)
{
    const char *endpoints[] = {
        "{kind: ideal}",
        "{kind: ace}",
        "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
        ("{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "
         "only_while_communicating: true}"),
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(endpoints); i++) {
        Setup s = { .topology = ONE_NPU,
                    .endpoint = endpoints[i],
                    .workload = ONE_LAYER,
                    .training = "{iterations: 3}" };
        SystemResult r = simulate_setup(&s);

        assert_int_equal(r.sent_bytes, 0);
        assert_int_equal(r.exposed_ps, 0);
        assert_int_equal(r.comm_ps, 0);
        assert_int_equal(r.iteration_ps, r.roofline_ps);
        assert_int_equal(r.hbm_comm_read_bytes, 0);
        assert_int_equal(r.hbm_comm_write_bytes, 0);
        for (CollKind k = 0; k < COLL_N_KINDS; k++) {
            s.workload = single_collective_workload(k, MIB(1));
            assert_int_equal(simulate_setup(&s).iteration_ps, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_layer_bound_by_memory_takes_bytes_by_bandwidth),
        cmocka_unit_test(test_a_layer_bound_by_flops_takes_flops_by_the_peak),
        cmocka_unit_test(test_the_share_of_an_endpoint_slows_the_layer),
        cmocka_unit_test(test_one_npu_has_nothing_to_communicate),
    };

    return cmocka_run_group_tests_name("closed_form", tests, NULL, NULL);
}
