/*
 * test_chunk_order.c - Tests of the order of chunks and of the window: runs of
 * one chunk at a time on a ring, whose times add up exactly. The tolerance is
 * 0. */
#include "tests/system_fixture.h"

#define ONE_WAY                                                                \
    "{kind: torus, dims: [{size: 4, direction: one, bandwidth: 25 GB/s, "      \
    "latency: 500 ns}]}"
#define CHUNKS(n) ((uint64_t)(n)*100000)
#define WHOLE     "chunk: 100 kB, message: 1 MB, "

/* 2 x 3 steps of a cycle, 25 kB at 25 GB/s, and 500 ns. */
#define CHUNK_PS (6 * (SIM_NS(1) + SIM_NS(1000) + SIM_NS(500)))

static void test_a_window_of_1_serves_chunk_after_chunk(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 5; n++) {
        Setup s = { .topology = ONE_WAY,
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, CHUNKS(n)),
                    .collectives = "{" WHOLE "window: 1}" };

        assert_int_equal(simulate_setup(&s).total_ps, n * CHUNK_PS);
    }
}

/* The latency of a step leaves the link idle long enough for a second chunk. */
static void test_a_window_of_2_serves_two_chunks_at_a_time(void **state)
{
    (void)state;
    for (uint64_t n = 2; n <= 6; n += 2) {
        Setup s = { .topology = "{kind: torus, dims: [{size: 4, direction: "
                                "one, bandwidth: 25 GB/s, latency: 5 us}]}",
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, CHUNKS(n)),
                    .collectives = "{" WHOLE "window: 2}" };
        SimTime pair_ps = 6 * (SIM_NS(1) + SIM_US(1) + SIM_US(5)) + SIM_US(1);
        SimTime total_ps = simulate_setup(&s).total_ps;

        /* The next two chunks begin one link time apart, just as these two
         * end. */
        assert_int_equal(total_ps, n / 2 * (pair_ps - SIM_US(1)) + SIM_US(1));
    }
}

/*
 * Returns how long the first of two layers waits in the second iteration. Each
 * layer has three chunks. In the backward pass, the all-reduce of the second
 * layer is issued first, and has a chunk in flight when that of the first layer
 * is issued. The next iteration begins with the first
 * layer. */
static SimTime first_layer_time_ps(const char *npu, const char *endpoint,
                                   const char *options)
{
    Setup s = {
        .topology = ONE_WAY,
        .npu = npu,
        .endpoint = endpoint,
        .workload = "{kind: data-parallel, name: d, batch: 1, layers: "
                    "[{kind: measured, name: l, repeat: 2, weights: 75000, "
                    "forward_time: 1 ns, input_gradient_time: 1 ns, "
                    "weight_gradient_time: 1 ns}]}",
        .training = "{compute: measured, gradient: fp32, iterations: 2, "
                    "drain: false}",
        .collectives = format_text("{" WHOLE "%s}", options),
    };
    Run run;
    SimTime wait_ps;

    (void)run_to_result(&run, &s, FOLD_AUTO);
    wait_ps = system_layer_wait_ps(run.system, 0, OP_FORWARD);
    run_clear(&run);
    return wait_ps;
}

static SimTime first_layer_wait_ps(const char *options)
{
    return first_layer_time_ps(NULL, NULL, options);
}

static void test_lifo_serves_the_newest_collective(void **state)
{
    /* The kernels of 2 ns run during the first chunk. */
    SimTime hidden_ps = SIM_NS(2);

    (void)state;
    assert_int_equal(first_layer_wait_ps("window: 1, scheduler: lifo"),
                     4 * CHUNK_PS - hidden_ps);
    assert_int_equal(first_layer_wait_ps("window: 1, scheduler: priority"),
                     4 * CHUNK_PS - hidden_ps);
    assert_int_equal(first_layer_wait_ps("window: 1, scheduler: fifo"),
                     6 * CHUNK_PS - hidden_ps);
}

static void test_without_preemption_a_collective_is_finished_first(void **state)
{
    (void)state;
    assert_int_equal(
        first_layer_wait_ps("window: 1, scheduler: lifo, preempt: false"),
        first_layer_wait_ps("window: 1, scheduler: fifo"));
    assert_int_equal(
        first_layer_wait_ps("window: 1, scheduler: priority, preempt: false"),
        first_layer_wait_ps("window: 1, scheduler: fifo"));
}

/* All six chunks are in flight. The newest ones still get the link first: they
 * only wait for the message that is on it. */
static void test_chunks_in_flight_can_be_overtaken(void **state)
{
    SimTime lifo_ps = first_layer_wait_ps("window: 64, scheduler: lifo");
    SimTime fifo_ps = first_layer_wait_ps("window: 64, scheduler: fifo");

    (void)state;
    assert_true(lifo_ps <= 4 * CHUNK_PS);
    assert_int_equal(first_layer_wait_ps("window: 64, scheduler: priority"),
                     lifo_ps);
    assert_true(fifo_ps > lifo_ps + CHUNK_PS);
    assert_true(first_layer_wait_ps(
                    "window: 64, scheduler: lifo, preempt: false") > lifo_ps);
}

/* The bus is the bottleneck, in both directions. */
static void test_chunks_that_wait_for_the_bus_can_be_overtaken(void **state)
{
    const char *npu = "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, "
                      "fabric_bus: 5 GB/s, hbm: {bandwidth: 900 GB/s}}";
    static const char *const endpoints[] = {
        "{kind: baseline, sms: 4, memory_bandwidth: 100 GB/s}",
        "{kind: copy-engine, sms: 4, memory_bandwidth: 100 GB/s}",
    };

    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        SimTime lifo_ps = first_layer_time_ps(npu, endpoints[e],
                                              "window: 64, scheduler: lifo");
        SimTime fifo_ps = first_layer_time_ps(npu, endpoints[e],
                                              "window: 64, scheduler: fifo");

        /* Half of the chunks belong to the first layer, and steps take time. */
        assert_true(4 * lifo_ps < 3 * fifo_ps);
    }
}

/* The partitions of ACE are tested as well. */
static void test_a_larger_window_hardly_delays_urgent_chunks(void **state)
{
    static const char *const endpoints[] = {
        "{kind: ideal}",
        "{kind: baseline, sms: 4, memory_bandwidth: 100 GB/s}",
        "{kind: ace, sram: 64 MiB}",
    };

    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        SimTime total_ps[2];

        for (int w = 0; w < 2; w++) {
            Setup s = {
                .endpoint = endpoints[e],
                .workload =
                    "{kind: data-parallel, name: d, batch: 1, layers: "
                    "[{kind: measured, name: l, repeat: 8, weights: 1000000, "
                    "forward_time: 20 us, input_gradient_time: 20 us, "
                    "weight_gradient_time: 20 us}]}",
                .training = "{compute: measured, iterations: 3, drain: false}",
                .collectives = format_text("{window: %d}", w ? 512 : 32),
            };

            total_ps[w] = simulate_setup(&s).total_ps;
        }
        assert_true(100 * total_ps[1] <= 101 * total_ps[0]);
    }
}

/*
 * Each partition holds one chunk. An all-gather reads a block (R), does its
 * steps (A) and writes four blocks (W). Since R + A < W, each chunk waits in
 * the first partition for the terminal one, and occupies the first until then.
 * For three chunks:
 *
 *     bytes x time = chunk x ((R + A) + W + W + 3
 * W) */
static void test_a_chunk_holds_its_sram_until_the_next_phase(void **state)
{
    Setup s = { .topology = "{kind: torus, dims: [{size: 4, direction: one, "
                            "bandwidth: 25 GB/s, latency: 0 ns}]}",
                .endpoint = "{kind: ace, memory_bandwidth: 10 GB/s, "
                            "sram: 200 kB, sram_split: equal, "
                            "message_cycles: 0, launch_time: 0 ns}",
                .workload =
                    single_collective_workload(COLL_ALL_GATHER, CHUNKS(3)),
                .collectives = "{" WHOLE "window: 64}" };
    SystemResult r = simulate_setup(&s);
    const ResourceUse *sram = &r.uses[resource_index_by_name("ace", "sram")];
    const uint64_t read_ns = 2500, steps_ns = 3000, write_ns = 10000;

    (void)state;
    assert_int_equal(r.total_ps, SIM_NS(read_ns + steps_ns + 3 * write_ns));
    assert_int_equal(sram->peak, CHUNKS(2));
    assert_int_equal(sram->unit_us,
                     CHUNKS(1) * (read_ns + steps_ns + 5 * write_ns) / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_window_of_1_serves_chunk_after_chunk),
        cmocka_unit_test(test_a_window_of_2_serves_two_chunks_at_a_time),
        cmocka_unit_test(test_lifo_serves_the_newest_collective),
        cmocka_unit_test(
            test_without_preemption_a_collective_is_finished_first),
        cmocka_unit_test(test_chunks_in_flight_can_be_overtaken),
        cmocka_unit_test(test_chunks_that_wait_for_the_bus_can_be_overtaken),
        cmocka_unit_test(test_a_larger_window_hardly_delays_urgent_chunks),
        cmocka_unit_test(test_a_chunk_holds_its_sram_until_the_next_phase),
    };

    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
