/*
 * test_servers.c - parameter servers through whole runs: what their links take,
 * to the picosecond
 */
#include "tests/models/run/closed_form_fixture.h"

#define LINK  "bandwidth: 25 GB/s, latency: 500 ns"
#define WHOLE "algorithm: star, chunk: 1 GiB, message: 1 GiB"
#define IDEAL "{kind: ideal, message_cycles: 0}"

static const char *switch_of(uint32_t n)
{
    return text_of("{kind: switch, npus: %u, " LINK "}", n);
}

/* ---- stars --------------------------------------------------------------- */

/* All of it comes down the root's link, one after the other, while the second
 * message waits for the first: n-1 payloads, a packet and two latencies; the
 * other way round likewise. */
static void test_a_star_takes_the_roots_link_for_all_payloads(void **state)
{
    static const CollKind kinds[] = { COLL_REDUCE, COLL_BROADCAST, COLL_GATHER,
                                      COLL_SCATTER };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
        for (uint32_t n = 3; n <= 9; n += 2) {
            gboolean is_in_parts =
                kinds[k] == COLL_GATHER || kinds[k] == COLL_SCATTER;
            uint64_t bytes = is_in_parts ? MIB(1) / n : MIB(1);
            SimTime expected_ps = time_of((n - 1) * bytes, 25 * GB) +
                                  time_of(256, 25 * GB) + SIM_NS(1000);

            assert_int_equal(
                result_of(
                    &(Setup){ .topology = switch_of(n),
                              .endpoint = IDEAL,
                              .workload = one_collective(
                                  kinds[k], bytes * (is_in_parts ? n : 1)),
                              .collectives = "{" WHOLE "}" })
                    .iteration_ps,
                expected_ps);
        }
}

/* ---- servers --------------------------------------------------------------
 */

/* The passes of a layer take 1 us each, and the first has no input gradient. */
static const char *layers(const char *weights)
{
    g_autofree char *rest = g_strdup(weights);
    g_auto(GStrv) each = g_strsplit(rest, ", ", -1);
    GString *text = g_string_new(NULL);
    const char *kept;

    for (guint i = 0; each[i]; i++)
        g_string_append_printf(
            text,
            "%s{kind: measured, name: l%u, forward_time: 1 us, "
            "input_gradient_time: 1 us, weight_gradient_time: 1 us, "
            "weights: %s}",
            i > 0 ? ", " : "", i, each[i]);
    kept = text_of("{kind: data-parallel, name: w, batch: 1, layers: [%s]}",
                   text->str);
    g_string_free(text, TRUE);
    return kept;
}

static const char *training(const char *exchange)
{
    return text_of("{iterations: 1, compute: measured, gradient: fp32, "
                   "optimiser: none, exchange: {kind: parameter-server, %s}}",
                   exchange);
}

static Setup servers(uint32_t n_npus, const char *weights, const char *exchange)
{
    return (Setup){
        .topology = switch_of(n_npus),
        .endpoint = IDEAL,
        .workload = layers(weights),
        .training = training(exchange),
        .collectives =
            "{chunk: 1 GiB, message: 1 GiB, window: 4096, scheduler: fifo}"
    };
}

/* Over the server's link, in or out, from the first byte to the last. */
static SimTime star_ps(uint32_t n_workers, uint64_t bytes)
{
    return time_of(n_workers * bytes, 25 * GB) + time_of(256, 25 * GB) +
           SIM_NS(1000);
}

/* Forward and one gradient, then all workers' gradients over the server's link
 * and its answers to all. */
static void test_the_link_of_a_server_binds(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        Setup s = servers(n + 1, "262144", text_of("servers: {list: [%u]}", n));

        assert_int_equal(result_of(&s).iteration_ps,
                         SIM_US(2) + 2 * star_ps(n, MIB(1)));
    }
}

/* All are pushed at the end, the large one first: who has it takes longest, and
 * the least is there before it although it is sent behind it. */
static void test_the_server_that_has_most_binds(void **state)
{
    Setup s =
        servers(6, "65536, 1048576", "push: step, servers: {size: 3, at: 2}");

    (void)state;
    assert_int_equal(result_of(&s).iteration_ps,
                     SIM_US(5) + 2 * star_ps(4, MIB(4)));
    /* on one server both: n times the sum of bytes each way, but for what is
     * answered while the second is pushed */
    s = servers(5, "65536, 1048576", "push: step, servers: {list: [4]}");
    assert_int_equal(result_of(&s).iteration_ps,
                     SIM_US(5) + star_ps(4, MIB(4)) +
                         time_of(4 * (MIB(4) + MIB(1) / 4), 25 * GB) +
                         time_of(256, 25 * GB) + SIM_NS(1000));
}

static void test_a_server_updates_before_it_answers(void **state)
{
    Setup s = servers(4, "262144", "servers: {list: [3]}, update: 2 GB/s");

    (void)state;
    assert_int_equal(result_of(&s).iteration_ps, SIM_US(2) +
                                                     2 * star_ps(3, MIB(1)) +
                                                     time_of(MIB(1), 2 * GB));
}

/* Answers go out while others' pushes still come in. */
static void test_nobody_waits_for_others_who_is_asynchronous(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 6; n++) {
        Setup s = servers(n + 1, "262144",
                          text_of("servers: {list: [%u]}, asynchronous: true, "
                                  "stale: 1000000",
                                  n));

        assert_int_equal(result_of(&s).iteration_ps,
                         SIM_US(2) + star_ps(n, MIB(1)) + star_ps(1, MIB(1)));
    }
}

static SimTime with_straggler_ps(const char *stale)
{
    Setup s = servers(4, "262144", "");

    s.perturb = "{npus: [{npu: 1, time_factor: 100}]}";
    s.training = text_of(
        "{iterations: 4, compute: measured, gradient: fp32, optimiser: none, "
        "exchange: {kind: parameter-server, servers: {list: [3]}, "
        "asynchronous: true, stale: %s}}",
        stale);
    return result_of(&s).total_ps;
}

/* One worker of three takes 100 times as long.  Nobody is behind it when it
 * pushes, so that it has the server to itself, but for messages of workers that
 * may be ahead; where none may, all are answered with it. */
static void test_a_straggler_is_waited_for_up_to_the_bound(void **state)
{
    SimTime alone_ps = 4 * (SIM_US(200) + 2 * star_ps(1, MIB(1)));
    SimTime any_ps = with_straggler_ps("1000000");

    (void)state;
    assert_in_range(any_ps, alone_ps, alone_ps + time_of(4 * MIB(1), 25 * GB));
    assert_int_equal(with_straggler_ps("1"), alone_ps);
    assert_true(with_straggler_ps("0") > any_ps);
    assert_true(with_straggler_ps("0") <=
                4 * (SIM_US(200) + star_ps(1, MIB(1)) + star_ps(3, MIB(1))));
}

/* Pieces of all servers go round, so that no link is idle for long. */
static void test_pieces_go_to_all_servers_at_once(void **state)
{
    Setup s = servers(16, "25600000",
                      "servers: {size: 2, at: 1}, placement: partition, "
                      "partition: 64000 B");

    (void)state;
    assert_near(result_of(&s).iteration_ps,
                time_of(UINT64_C(102400000), 25 * GB), 20);
}

static void test_results_are_the_workers(void **state)
{
    Setup s = servers(8, "262144, 262144",
                      "servers: {size: 2, at: 1}, update: 1 MB/s");
    SystemResult r = result_of(&s);

    (void)state;
    assert_int_equal(r.compute_ps, SIM_US(5));
    assert_int_equal(r.roofline_ps, SIM_US(5));
    assert_int_equal(r.sent_bytes, 2 * MIB(1));
    assert_int_equal(r.n_npus, 8);
}

/* ---- sums -----------------------------------------------------------------
 */

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
            Setup s = servers(8, "1000, 30000, 7, 64000", exchanges[i]);

            s.endpoint = endpoints[e];
            s.collectives = "{chunk: auto, message: auto, window: auto}";
            s.perturb = e == 1 ? "{npus: [{npu: 1, time_factor: 3}]}" : NULL;
            assert_verified(&s, FOLD_AUTO);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_takes_the_roots_link_for_all_payloads),
        cmocka_unit_test(test_the_link_of_a_server_binds),
        cmocka_unit_test(test_the_server_that_has_most_binds),
        cmocka_unit_test(test_a_server_updates_before_it_answers),
        cmocka_unit_test(test_nobody_waits_for_others_who_is_asynchronous),
        cmocka_unit_test(test_a_straggler_is_waited_for_up_to_the_bound),
        cmocka_unit_test(test_pieces_go_to_all_servers_at_once),
        cmocka_unit_test(test_results_are_the_workers),
        cmocka_unit_test(test_servers_add_what_all_workers_push),
    };

    return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
