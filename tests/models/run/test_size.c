/* Tests of models/run/prepare/size.c: what a run will take, before it is begun
 */
#include "tests/system_fixture.h"

/* Refuses when more is allowed to nobody. */
static void assert_refused_within(const Setup *setup, SystemSize most,
                                  const char *message)
{
    GError *error = NULL;
    Run run;

    run_read(&run, setup);
    run.system = system_new_within(&run.config, FOLD_OFF, most, &error);
    assert_null(run.system);
    assert_gerror(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE, message);
    run_clear(&run);
}

static SystemSize size_of(const Setup *setup, FoldMode fold, uint64_t *n_hops)
{
    Run run;
    SystemSize size;

    *n_hops = run_setup(&run, setup, fold).n_hops;
    size = system_size(run.system);
    run_clear(&run);
    return size;
}

/* Each message of a ring takes one link, so hops are told exactly: 2 x 3 steps
 * of 16 chunks in 2 messages each, on 4 NPUs. */
static void test_hops_of_a_ring_are_exact(void **state)
{
    const Setup s = { .collectives = "{chunk: 64 KiB, message: 8 KiB}" };
    uint64_t n_hops;

    (void)state;
    assert_int_equal(size_of(&s, FOLD_OFF, &n_hops).n_hops, 4 * 16 * 6 * 2);
    assert_int_equal(n_hops, 4 * 16 * 6 * 2);
    assert_int_equal(size_of(&s, FOLD_AUTO, &n_hops).n_hops, 16 * 6 * 2);
    assert_int_equal(n_hops, 16 * 6 * 2);
}

static void test_memory_grows_with_npus_and_chunks_in_flight(void **state)
{
    Setup s = { .collectives = "{window: 4}" };
    uint64_t few, many, more, n_hops;

    (void)state;
    few = size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    assert_true(size_of(&s, FOLD_AUTO, &n_hops).memory_bytes < few / 3);
    s.collectives = "{window: 16}"; /* as many as there are */
    many = size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    assert_true(many > few);
    s.collectives = "{window: 1000000}";
    assert_int_equal(size_of(&s, FOLD_OFF, &n_hops).memory_bytes, many);
    s.topology = torus_ace(4, 4, 4);
    more = size_of(&s, FOLD_OFF, &n_hops).memory_bytes;
    assert_true(more > 16 * many && more < 64 * many);
}

static void test_what_is_too_large_is_refused_before_it_begins(void **state)
{
    const Setup s = { .collectives = "{window: 7, message: 1 KiB}" };

    (void)state;
    assert_refused_within(&s, (SystemSize){ .n_hops = 100 },
                          "the run would move 6.14e+03 messages, more than the "
                          "100 that it may");
    assert_refused_within(
        &s, (SystemSize){ .memory_bytes = 1 << 16 },
        "the run would take some 8.53e-05 GiB of memory, more than the "
        "6.1e-05 GiB that it may have: 4 NPUs simulated, 7 chunks in flight in "
        "messages of 1024 bytes; fewer NPUs, a smaller collectives.window or a "
        "larger collectives.message take less");
}

/* Eight bytes a chunk, in flight or not, of each collective of an iteration;
 * GLib ended the run where there was no room for them. */
static void test_tables_of_chunks_are_counted(void **state)
{
    Setup s = { .workload = "{kind: collective, name: one, collective: "
                            "all-reduce, payload: 64 MiB}",
                .collectives = "{chunk: 64 B}" };
    uint64_t few, many, n_hops;

    (void)state;
    assert_refused_within(
        &s, (SystemSize){ .memory_bytes = 4 << 20 },
        "the run would take some 0.0079 GiB of memory, more than the 0.00391 "
        "GiB that it may have: 0.00784 GiB for tables of chunks of 64 bytes; a "
        "larger collectives.chunk takes less");
    s.workload = "{kind: collective, name: one, collective: all-reduce, "
                 "payload: 64 KiB}";
    few = size_of(&s, FOLD_AUTO, &n_hops).memory_bytes;
    s.workload = "{kind: collective, name: one, collective: all-reduce, "
                 "payload: 128 KiB}";
    many = size_of(&s, FOLD_AUTO, &n_hops).memory_bytes;
    assert_int_equal(many - few, 1024 * sizeof(gpointer));
}

static void test_repeated_layers_have_a_table_each(void **state)
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
    run_read(&run, &s);
    run.system =
        system_new_within(&run.config, FOLD_OFF,
                          (SystemSize){ .memory_bytes = 300 << 20 }, &error);
    assert_null(run.system);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE));
    g_clear_error(&error);
    run_clear(&run);
}

/* Nothing of this size is allocated on the way to the answer. */
static void test_absurd_sizes_are_refused_at_once(void **state)
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
    run_read(&run, &s);
    run.system = system_new(&run.config, FOLD_OFF, &error);
    assert_null(run.system);
    assert_true(g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE));
    g_clear_error(&error);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hops_of_a_ring_are_exact),
        cmocka_unit_test(test_memory_grows_with_npus_and_chunks_in_flight),
        cmocka_unit_test(test_what_is_too_large_is_refused_before_it_begins),
        cmocka_unit_test(test_tables_of_chunks_are_counted),
        cmocka_unit_test(test_repeated_layers_have_a_table_each),
        cmocka_unit_test(test_absurd_sizes_are_refused_at_once),
    };

    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
