/*
 * test_parameter_server_runs.c - Tests of parameter servers in whole runs: the
 * times of their links, exact to the picosecond. */
#include "tests/models/run/closed_form_fixture.h"

#define LINK  "bandwidth: 25 GB/s, latency: 500 ns"
#define WHOLE "algorithm: star, chunk: 1 GiB, message: 1 GiB"
#define IDEAL "{kind: ideal, message_cycles: 0}"

static const char *switch_topology_text(uint32_t n)
{
    return format_text("{kind: switch, npus: %u, " LINK "}", n);
}

/* ---- star collectives ---------------------------------------------------- */

/* All messages use the link of the root one after the other, and each waits for
 * the one before. This takes n-1 payloads, a packet and two latencies. The
 * other direction takes the same time. */
static void test_a_star_is_limited_by_the_link_of_the_root(void **state)
{
    static const CollKind kinds[] = { COLL_REDUCE, COLL_BROADCAST, COLL_GATHER,
                                      COLL_SCATTER };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
        for (uint32_t n = 3; n <= 9; n += 2) {
            gboolean is_divided =
                kinds[k] == COLL_GATHER || kinds[k] == COLL_SCATTER;
            uint64_t bytes = is_divided ? MIB(1) / n : MIB(1);
            SimTime expected_ps = transfer_time_ps((n - 1) * bytes, 25 * GB) +
                                  transfer_time_ps(256, 25 * GB) + SIM_NS(1000);

            assert_int_equal(
                simulate_setup(
                    &(Setup){ .topology = switch_topology_text(n),
                              .endpoint = IDEAL,
                              .workload = single_collective_workload(
                                  kinds[k], bytes * (is_divided ? n : 1)),
                              .collectives = "{" WHOLE "}" })
                    .iteration_ps,
                expected_ps);
        }
}

/* ---- parameter servers --------------------------------------------------- */

/* Returns layers whose passes take 1 us each. The first layer has no input
 * gradient. */
static const char *layers_of_weights_text(const char *weights)
{
    g_autofree char *list = g_strdup(weights);
    g_auto(GStrv) each = g_strsplit(list, ", ", -1);
    GString *text = g_string_new(NULL);
    const char *text_of_layers;

    for (guint i = 0; each[i]; i++)
        g_string_append_printf(
            text,
            "%s{kind: measured, name: l%u, forward_time: 1 us, "
            "input_gradient_time: 1 us, weight_gradient_time: 1 us, "
            "weights: %s}",
            i > 0 ? ", " : "", i, each[i]);
    text_of_layers = format_text(
        "{kind: data-parallel, name: w, batch: 1, layers: [%s]}", text->str);
    g_string_free(text, TRUE);
    return text_of_layers;
}

static const char *training_section_with_exchange(const char *exchange)
{
    return format_text(
        "{iterations: 1, compute: measured, gradient: fp32, "
        "optimiser: none, exchange: {kind: parameter-server, %s}}",
        exchange);
}

static Setup parameter_server_setup(uint32_t n_npus, const char *weights,
                                    const char *exchange)
{
    return (Setup){
        .topology = switch_topology_text(n_npus),
        .endpoint = IDEAL,
        .workload = layers_of_weights_text(weights),
        .training = training_section_with_exchange(exchange),
        .collectives =
            "{chunk: 1 GiB, message: 1 GiB, window: 4096, scheduler: fifo}"
    };
}

/* Returns the time of a server's link, in or out, from the first byte to the
 * last. */
static SimTime star_exchange_ps(uint32_t n_workers, uint64_t bytes)
{
    return transfer_time_ps(n_workers * bytes, 25 * GB) +
           transfer_time_ps(256, 25 * GB) + SIM_NS(1000);
}

/* The iteration is the forward pass and one gradient, the gradients of all
 * workers over the link of the server, and its answers. */
static void test_the_link_of_a_server_is_the_limit(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        Setup s = parameter_server_setup(
            n + 1, "262144", format_text("servers: {list: [%u]}", n));

        assert_int_equal(simulate_setup(&s).iteration_ps,
                         SIM_US(2) + 2 * star_exchange_ps(n, MIB(1)));
    }
}

/* All gradients are pushed at the end, the larger one first. The server with
 * the larger one takes longest. The smaller one arrives before it although it
 * is sent later. */
static void test_the_server_with_most_bytes_is_the_limit(void **state)
{
    Setup s = parameter_server_setup(6, "65536, 1048576",
                                     "push: step, servers: {size: 3, at: 2}");

    (void)state;
    assert_int_equal(simulate_setup(&s).iteration_ps,
                     SIM_US(5) + 2 * star_exchange_ps(4, MIB(4)));
    /* With both on one server, the link carries n times the sum of bytes in
     * each direction. Answers overlap with the push of the second gradient. */
    s = parameter_server_setup(5, "65536, 1048576",
                               "push: step, servers: {list: [4]}");
    assert_int_equal(simulate_setup(&s).iteration_ps,
                     SIM_US(5) + star_exchange_ps(4, MIB(4)) +
                         transfer_time_ps(4 * (MIB(4) + MIB(1) / 4), 25 * GB) +
                         transfer_time_ps(256, 25 * GB) + SIM_NS(1000));
}

static void test_a_server_updates_weights_before_it_answers(void **state)
{
    Setup s = parameter_server_setup(4, "262144",
                                     "servers: {list: [3]}, update: 2 GB/s");

    (void)state;
    assert_int_equal(simulate_setup(&s).iteration_ps,
                     SIM_US(2) + 2 * star_exchange_ps(3, MIB(1)) +
                         transfer_time_ps(MIB(1), 2 * GB));
}

/* The server answers one worker while pushes of others still arrive. */
static void test_asynchronous_workers_do_not_wait_for_others(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 6; n++) {
        Setup s = parameter_server_setup(
            n + 1, "262144",
            format_text("servers: {list: [%u]}, asynchronous: true, "
                        "stale: 1000000",
                        n));

        assert_int_equal(simulate_setup(&s).iteration_ps,
                         SIM_US(2) + star_exchange_ps(n, MIB(1)) +
                             star_exchange_ps(1, MIB(1)));
    }
}

static SimTime iteration_with_straggler_ps(const char *stale)
{
    Setup s = parameter_server_setup(4, "262144", "");

    s.perturb = "{npus: [{npu: 1, time_factor: 100}]}";
    s.training = format_text(
        "{iterations: 4, compute: measured, gradient: fp32, optimiser: none, "
        "exchange: {kind: parameter-server, servers: {list: [3]}, "
        "asynchronous: true, stale: %s}}",
        stale);
    return simulate_setup(&s).total_ps;
}

/* One worker of three takes 100 times as long. When it pushes, no other worker
 * is behind it, so it has the server to itself, except for messages of workers
 * that may be ahead. If none may be ahead, the server answers all together. */
static void test_workers_wait_for_a_straggler_up_to_the_bound(void **state)
{
    SimTime alone_ps = 4 * (SIM_US(200) + 2 * star_exchange_ps(1, MIB(1)));
    SimTime any_ps = iteration_with_straggler_ps("1000000");

    (void)state;
    assert_in_range(any_ps, alone_ps,
                    alone_ps + transfer_time_ps(4 * MIB(1), 25 * GB));
    assert_int_equal(iteration_with_straggler_ps("1"), alone_ps);
    assert_true(iteration_with_straggler_ps("0") > any_ps);
    assert_true(iteration_with_straggler_ps("0") <=
                4 * (SIM_US(200) + star_exchange_ps(1, MIB(1)) +
                     star_exchange_ps(3, MIB(1))));
}

/* Pieces of gradients change between servers, of which each has half of them. A
 * hash leaves a few in a row on one server, so that links are idle for
 * a while. */
static void test_partitions_use_all_servers_in_parallel(void **state)
{
    Setup s = parameter_server_setup(
        16, "25600000",
        "servers: {size: 2, at: 1}, placement: partition, "
        "partition: 64000 B");

    (void)state;
    assert_near_per_mille(simulate_setup(&s).iteration_ps,
                          transfer_time_ps(UINT64_C(102400000), 25 * GB), 25);
}

static void test_one_simulated_worker_gives_the_results(void **state)
{
    Setup s = parameter_server_setup(
        8, "262144, 262144", "servers: {size: 2, at: 1}, update: 1 MB/s");
    SystemResult r = simulate_setup(&s);

    (void)state;
    assert_int_equal(r.compute_ps, SIM_US(5));
    assert_int_equal(r.roofline_ps, SIM_US(5));
    assert_int_equal(r.sent_bytes, 2 * MIB(1));
    assert_int_equal(r.n_npus, 8);
}

/* ---- sums at parameter servers ------------------------------------------- */

static void test_servers_add_what_all_workers_push(void **state)
{
    static const char *const exchanges[] = {
        "servers: {size: 4, at: 3}",
        "servers: {size: 4, at: 3}, placement: round-robin, pull: step",
        "servers: {size: 4, at: 3}, placement: partition, partition: 9999 B, "
        "local: reduce, update: 10 GB/s",
        "servers: {list: [7]}, push: buffer, placement: balanced, partition: "
        "70 kB",
        "servers: {list: [6, 7]}, machine: 4, placement: in-order, push: step",
        "servers: {list: [3, 7]}, asynchronous: true, stale: 1",
    };
    static const char *const endpoints[] = {
        "{kind: ideal}",
        "{kind: ace, sram: 256 KiB, fsms: 8, chunks_per_fsm: 1}",
        "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            Setup s = parameter_server_setup(8, "1000, 30000, 7, 64000",
                                             exchanges[i]);

            s.endpoint = endpoints[e];
            s.collectives = "{chunk: auto, message: auto, window: auto}";
            s.perturb = e == 1 ? "{npus: [{npu: 1, time_factor: 3}]}" : NULL;
            assert_run_verified(&s, FOLD_AUTO);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_is_limited_by_the_link_of_the_root),
        cmocka_unit_test(test_the_link_of_a_server_is_the_limit),
        cmocka_unit_test(test_the_server_with_most_bytes_is_the_limit),
        cmocka_unit_test(test_a_server_updates_weights_before_it_answers),
        cmocka_unit_test(test_asynchronous_workers_do_not_wait_for_others),
        cmocka_unit_test(test_workers_wait_for_a_straggler_up_to_the_bound),
        cmocka_unit_test(test_partitions_use_all_servers_in_parallel),
        cmocka_unit_test(test_one_simulated_worker_gives_the_results),
        cmocka_unit_test(test_servers_add_what_all_workers_push),
    };

    return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
