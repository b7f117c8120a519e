/* test_size_estimate.c - Tests of models/run/prepare/size_estimate.c: the
 * estimated size of a run before it begins. */
#include "tests/system_fixture.h"

#include "models/run/prepare/size_estimate.h"
#include "models/run/run.h"

/* Asserts that the setup is refused if at most @most is allowed. */
static void assert_refused_above_size(const Setup *setup, SystemSize most,
                                      const char *message)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(
        &run.config, (RunOptions){ .fold = FOLD_OFF, .limits = most }, &error);
    assert_null(run.system);
    assert_gerror(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE, message);
    run_clear(&run);
}

static SystemSize estimated_size_of(const Setup *setup, FoldMode fold,
                                    uint64_t *n_hops)
{
    Run run;
    SystemSize size;

    *n_hops = run_to_result(&run, setup, fold).n_hops;
    size = system_estimate_size(run.system);
    run_clear(&run);
    return size;
}

/* Each message of a ring takes one link, so the estimate is exact. There are 2
 * x 3 steps of 16 chunks in 2 messages each, on 4 NPUs. */
static void test_the_estimate_of_ring_hops_is_exact(void **state)
{
    const Setup s = { .collectives = "{chunk: 64 KiB, message: 8 KiB}" };
    uint64_t n_hops;

    (void)state;
    assert_int_equal(estimated_size_of(&s, FOLD_OFF, &n_hops).n_hops,
                     4 * 16 * 6 * 2);
    assert_int_equal(n_hops, 4 * 16 * 6 * 2);
    assert_int_equal(estimated_size_of(&s, FOLD_AUTO, &n_hops).n_hops,
                     16 * 6 * 2);
    assert_int_equal(n_hops, 16 * 6 * 2);
}

static void test_estimated_memory_grows_with_npus_and_chunks(void **state)
{
    Setup s = { .collectives = "{window: 4}" };
    uint64_t few, many, more, n_hops;

    (void)state;
    few = estimated_size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    assert_true(estimated_size_of(&s, FOLD_AUTO, &n_hops).memory_bytes <
                few / 2);
    /* The window is as large as the number of chunks. */
    s.collectives = "{window: 16}";
    many = estimated_size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    assert_true(many > few);
    s.collectives = "{window: 1000000}";
    assert_int_equal(estimated_size_of(&s, FOLD_OFF, &n_hops).memory_bytes,
                     many);
    s.topology = ace_torus_text(4, 4, 4);
    more = estimated_size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    /* There are 16 times as many NPUs. Data that all NPUs share, such as the
     * records of chunks, does not grow. */
    assert_true(more > 14 * many && more < 64 * many);
}

static void
test_a_run_that_is_too_large_is_refused_before_it_begins(void **state)
{
    const Setup s = { .collectives = "{window: 7, message: 1 KiB}" };

    (void)state;
    assert_refused_above_size(
        &s, (SystemSize){ .n_hops = 100 },
        "the run would move 6.14e+03 messages, more than the "
        "100 that it may");
    assert_refused_above_size(
        &s, (SystemSize){ .memory_bytes = 1 << 16 },
        "the run would take some 8.79e-05 GiB of memory, more than the "
        "6.1e-05 GiB that it may have: 4 NPUs simulated, 7 chunks in flight in "
        "messages of 1024 bytes; fewer NPUs, a smaller collectives.window or a "
        "larger collectives.message take less");
}

/* The tables have eight bytes per chunk, in flight or not, for each collective
 * of an iteration. Without this estimate, GLib aborted when an allocation
 * failed. */
static void test_the_size_estimate_counts_tables_of_chunks(void **state)
{
    Setup s = { .workload = "{kind: collective, name: one, collective: "
                            "all-reduce, payload: 64 MiB}",
                .collectives = "{chunk: 64 B}" };
    uint64_t few, many, n_hops;

    (void)state;
    assert_refused_above_size(
        &s, (SystemSize){ .memory_bytes = 4 << 20 },
        "the run would take some 0.00792 GiB of memory, more than the 0.00391 "
        "GiB that it may have: 0.00786 GiB for tables of chunks of 64 bytes; a "
        "larger collectives.chunk takes less");
    s.workload = "{kind: collective, name: one, collective: all-reduce, "
                 "payload: 64 KiB}";
    few = estimated_size_of(&s, FOLD_AUTO, &n_hops).memory_bytes;
    s.workload = "{kind: collective, name: one, collective: all-reduce, "
                 "payload: 128 KiB}";
    many = estimated_size_of(&s, FOLD_AUTO, &n_hops).memory_bytes;
    assert_int_equal(many - few, 1024 * sizeof(gpointer));
}

static void test_each_repeated_layer_has_a_chunk_table(void **state)
{
    const Setup s = {
        .workload = "{kind: data-parallel, name: dp, batch: 16, layers: ["
                    "{kind: linear, name: l, in: 4096, out: 4096, "
                    "repeat: 100}]}",
        .collectives = "{chunk: 64 B}",
    };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system = system_new(
        &run.config,
        (RunOptions){ .fold = FOLD_OFF, .limits.memory_bytes = 300 << 20 },
        &error);
    assert_null(run.system);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE));
    g_clear_error(&error);
    run_clear(&run);
}

/* The check must not allocate anything of this size. */
static void test_absurd_run_sizes_are_refused_without_allocation(void **state)
{
    const Setup s = {
        .topology = "{kind: switch, npus: 1000000, links: 1, "
                    "bandwidth: 1 GB/s, latency: 1 us}",
        .workload = "{kind: collective, name: one, collective: all-to-all, "
                    "payload: 1 TiB}",
        .collectives = "{window: 1000000, chunk: 1 GiB, message: 64 B}",
    };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_null(run.system);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE));
    g_clear_error(&error);
    run_clear(&run);
}

/* ---- memory estimates of direct collectives ------------------------------ */

/* @self is the largest number of messages seen. It is sampled between
 * slices. */
static gboolean sample_message_count(gpointer self, const System *system,
                                     uint64_t n_events, GError **error)
{
    uint64_t *most = self;

    (void)n_events;
    (void)error;
    *most = MAX(*most, system_n_messages(system));
    return TRUE;
}

/* Returns the largest number of messages in a full run of @setup, in ppm of the
 * estimate. */
static uint64_t message_count_to_estimate_ppm(const Setup *setup)
{
    GError *error = NULL;
    uint64_t most = 0, estimate;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    estimate = system_op_in_flight(run.system, 0).n_inflight_messages *
               system_n_simulated_npus(run.system);
    assert_true(system_run_slices(run.system, 100, sample_message_count, &most,
                                  &error));
    run_clear(&run);
    return most * 1000000 / estimate;
}

#define DIM(size, n, rate, late)                                               \
    "{size: " #size ", links: " #n ", bandwidth: " #rate                       \
    " GB/s, latency: " #late " ns}"

/* Long and short links, one and many chunks, large and small messages. */
static void test_the_number_of_messages_is_within_the_estimate(void **state)
{
    static const char *const topologies[] = {
        "{kind: torus, dims: [" DIM(8, 2, 50, 500) ", " DIM(8, 2, 50, 500) "]}",
        "{kind: torus, dims: [" DIM(4, 4, 50, 5) ", " DIM(4, 4, 50, 5) ", " DIM(
            5, 4, 50, 5) "]}",
        "{kind: torus, dims: [" DIM(32, 2, 50, 50) "]}",
        "{kind: torus, dims: [" DIM(6, 2, 200, 70) ", " DIM(4, 2, 25, 500) "]}",
        "{kind: switch, npus: 32, links: 2, bandwidth: 50 GB/s, "
        "latency: 500 ns}",
    };
    static const char *const endpoints[] = { "{kind: ideal}",
                                             "{kind: ace, sram: 4 MiB}" };
    static const char *const cuts[] = {
        "{algorithm: direct, chunk: 1 MiB, message: 1 MiB}",
        "{algorithm: direct, chunk: 64 KiB, message: 64 KiB}",
        "{algorithm: direct, chunk: 8 KiB, message: 64 B, window: 8}",
    };

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (gsize c = 0; c < G_N_ELEMENTS(cuts); c++) {
            Setup s = { .topology = topologies[t],
                        .endpoint = endpoints[(t + c) % 2],
                        .workload = single_collective_workload(
                            COLL_ALL_TO_ALL, c == 2 ? 1 << 16 : 1 << 19),
                        .collectives = cuts[c] };
            uint64_t ppm = message_count_to_estimate_ppm(&s);

            if (ppm > 1000000)
                fail_msg("%s%" G_GUINT64_FORMAT " ppm", setup_text(&s), ppm);
        }
}

/* A listener is notified of each message when it is sent, so all messages exist
 * together. */
static void test_a_listener_needs_memory_for_all_messages(void **state)
{
    static const TraceOps silent_listener = { .ahead = TRUE };
    const Setup s = { .topology = "{kind: switch, npus: 256, links: 2, "
                                  "bandwidth: 50 GB/s, latency: 50 ns}",
                      .workload =
                          single_collective_workload(COLL_ALL_TO_ALL, 1 << 22),
                      .collectives = "{chunk: 4 MiB, message: 4 MiB}" };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system = system_new(
        &run.config,
        (RunOptions){ .fold = FOLD_OFF, .limits.memory_bytes = 7 << 20 },
        &error);
    assert_no_error(error);
    system_add_listener(run.system, &silent_listener, NULL);
    assert_false(system_run(run.system, &error));
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE));
    g_clear_error(&error);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_number_of_messages_is_within_the_estimate),
        cmocka_unit_test(test_a_listener_needs_memory_for_all_messages),
        cmocka_unit_test(test_the_estimate_of_ring_hops_is_exact),
        cmocka_unit_test(test_estimated_memory_grows_with_npus_and_chunks),
        cmocka_unit_test(
            test_a_run_that_is_too_large_is_refused_before_it_begins),
        cmocka_unit_test(test_the_size_estimate_counts_tables_of_chunks),
        cmocka_unit_test(test_each_repeated_layer_has_a_chunk_table),
        cmocka_unit_test(test_absurd_run_sizes_are_refused_without_allocation),
    };

    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
