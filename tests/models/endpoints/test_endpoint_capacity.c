/* test_endpoint_capacity.c - Tests of endpoints with too little SRAM, too few
 * FSMs, or a configuration that does not fit the NPU. */
#include "tests/models/endpoints/endpoint_fixture.h"

/* ---- endpoints with too little SRAM or too few FSMs ---------------------- */

static SimTime ace_time_with_options(const char *options)
{
    Setup s = { .topology = ace_torus_text(4, 4, 4),
                .npu = ACE_NPU,
                .endpoint = format_text("{kind: ace, %s}", options),
                .workload =
                    single_collective_workload(COLL_ALL_REDUCE, MIB(16)),
                .collectives = "{window: 1000}" };
    SystemResult r = simulate_setup(&s);
    const ResourceUse *sram = &r.uses[resource_index_by_name("ace", "sram")];
    const ResourceUse *fsms = &r.uses[resource_index_by_name("ace", "fsms")];

    assert_true(sram->peak > 0 && sram->peak <= sram->capacity);
    assert_true(fsms->busy_ps > 0);
    assert_true(fsms->busy_ps <= fsms->capacity * r.total_ps);
    return r.total_ps;
}

/* Asserts that twice the resource is never slower by more than 1 %, and that
 * the last doubling does not help. */
static void assert_falling_then_constant(const SimTime *times_ps, gsize n)
{
    for (gsize i = 1; i < n; i++)
        assert_true(times_ps[i] <= times_ps[i - 1] + times_ps[i - 1] / 100);
    assert_true(times_ps[0] > times_ps[n - 1] / 10 * 12);
    assert_near_per_mille(times_ps[n - 1], times_ps[n - 2], 10);
}

static void test_too_little_sram_slows_ace_down(void **state)
{
    const char *splits[] = { "equal", "bandwidth", "latency" };
    const char *sizes[] = { "256 KiB", "512 KiB", "1 MiB", "2 MiB",
                            "4 MiB",   "8 MiB",   "16 MiB" };
    SimTime times_ps[G_N_ELEMENTS(sizes)];

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(splits); k++) {
        for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
            times_ps[i] = ace_time_with_options(format_text(
                "sram_split: %s, fsms: 64, sram: %s", splits[k], sizes[i]));
        assert_falling_then_constant(times_ps, G_N_ELEMENTS(sizes));
    }
}

static void test_too_few_fsms_slow_ace_down(void **state)
{
    const char *splits[] = { "equal", "latency" };
    const int numbers[] = { 4, 8, 16, 32, 64, 128 };
    SimTime times_ps[G_N_ELEMENTS(numbers)];

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(splits); k++) {
        for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
            times_ps[i] = ace_time_with_options(
                format_text("sram: 16 MiB, chunks_per_fsm: 1, "
                            "fsm_split: %s, fsms: %d",
                            splits[k], numbers[i]));
        assert_falling_then_constant(times_ps, G_N_ELEMENTS(numbers));
    }
}

static void test_an_fsm_of_four_chunks_equals_four_fsms(void **state)
{
    (void)state;
    assert_int_equal(
        ace_time_with_options(
            "sram: 16 MiB, fsm_split: equal, fsms: 4, chunks_per_fsm: 4"),
        ace_time_with_options(
            "sram: 16 MiB, fsm_split: equal, fsms: 16, chunks_per_fsm: 1"));
}

static void
test_ace_finishes_with_the_smallest_sram_and_fewest_fsms(void **state)
{
    (void)state;
    /* A 64 KiB chunk needs 64 + 16 + 16 + 64 KiB for its phases, and 64 KiB in
     * the output partition. */
    for (gsize i = 0; platform_text_at(i); i++) {
        Setup s = { .topology = platform_text_at(i),
                    .npu = ACE_NPU,
                    .endpoint = "{kind: ace, fsms: 4, chunks_per_fsm: 1, "
                                "sram: 224 KiB}",
                    .workload =
                        single_collective_workload(COLL_ALL_REDUCE, MIB(1)) };
        SystemResult r = simulate_setup(&s);

        assert_hbm_traffic(&r, MIB(1), MIB(1));
        assert_true(r.uses[resource_index_by_name("ace", "sram")].peak <=
                    224 * 1024);
    }
}

/* A chunk of the all-gather is larger than its data in the first phase. Here it
 * is also larger than any chunk of the collective with the most phases. */
static void test_chunks_of_a_collective_with_fewer_phases_fit_sram(void **state)
{
    Setup s = {
        .topology = "{kind: torus, dims: [{size: 4, " LINK_LOCAL "}, "
                    "{size: 4, " LINK_LOCAL "}]}",
        .workload = "{kind: program, name: p, roles: [{name: r, ops: ["
                    "{kind: collective, name: a, collective: all-reduce, "
                    "bytes: 1000 B}, {kind: collective, name: b, "
                    "collective: all-gather, bytes: 4096 B}]}]}",
        .collectives = "{chunk: auto, message: auto, window: auto}",
    };

    (void)state;
    for (guint kb = 4; kb <= 24; kb++) {
        s.endpoint = format_text("{kind: ace, sram: %u kB}", kb);
        assert_true(simulate_setup(&s).total_ps > 0);
    }
}

/* ---- endpoint configurations that do not fit the NPU --------------------- */

static void assert_endpoint_refused(const char *endpoint, const char *message)
{
    Setup s = { .topology = ace_torus_text(4, 4, 4), .endpoint = endpoint };

    assert_setup_refused(&s, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                         message);
}

static void test_a_baseline_with_more_sms_than_the_npu_is_refused(void **state)
{
    (void)state;
    assert_endpoint_refused(
        "{kind: baseline, sms: 81, memory_bandwidth: 450 GB/s}",
        "run.yaml:3:33: sms: 81 for communication, but the NPU has 80");
}

static void test_every_sram_partition_must_hold_one_chunk(void **state)
{
    (void)state;
    assert_endpoint_refused(
        "{kind: ace, sram: 229375 B}",
        "run.yaml:3:29: sram: 229375 bytes are less than one chunk needs "
        "in every partition, 229376 bytes; a smaller collectives.chunk "
        "needs less");
}

/* The configuration does not give a chunk size, so the message names the key
 * that sets one. */
static void test_the_sram_error_names_a_chunk_size_chosen_by_auto(void **state)
{
    Setup s = {
        .topology = ace_torus_text(4, 4, 4),
        .endpoint = "{kind: ace, sram: 4 KiB}",
        .workload = "{kind: collective, name: c, collective: all-reduce, "
                    "payload: 64 MiB}",
        .collectives = "{chunk: auto, message: auto, window: auto}",
    };

    (void)state;
    assert_setup_refused(
        &s, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:3:29: sram: 4096 bytes are less than one chunk "
        "needs in every partition, 234881024 bytes; a smaller "
        "collectives.chunk needs less");
}

static void test_every_ace_phase_must_have_one_fsm(void **state)
{
    (void)state;
    assert_endpoint_refused(
        "{kind: ace, fsms: 3}",
        "run.yaml:3:29: fsms: 3 cannot serve 4 phases; one each is needed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_little_sram_slows_ace_down),
        cmocka_unit_test(test_too_few_fsms_slow_ace_down),
        cmocka_unit_test(test_an_fsm_of_four_chunks_equals_four_fsms),
        cmocka_unit_test(
            test_ace_finishes_with_the_smallest_sram_and_fewest_fsms),
        cmocka_unit_test(
            test_chunks_of_a_collective_with_fewer_phases_fit_sram),
        cmocka_unit_test(test_a_baseline_with_more_sms_than_the_npu_is_refused),
        cmocka_unit_test(test_every_sram_partition_must_hold_one_chunk),
        cmocka_unit_test(test_the_sram_error_names_a_chunk_size_chosen_by_auto),
        cmocka_unit_test(test_every_ace_phase_must_have_one_fsm),
    };

    return cmocka_run_group_tests_name("endpoint_room", tests, NULL, NULL);
}
