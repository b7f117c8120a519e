/*
 * Tests of configs_with_same_results.h: which configurations a run covers
 *
 * Each configuration that is covered is simulated as well and must have the
 * same
 * rows. */
#include "tests/sim/shared_runs/run_cache_fixture.h"

/* ---- configurations that a run covers ------------------------------------ */

#define TORUS ace_torus_text(4, 2, 2)

static const char *ace_endpoint_text(uint64_t sram_bytes, guint n_fsms)
{
    return format_text("{kind: ace, launch_time: 0 ns, sram: %" G_GUINT64_FORMAT
                       " B, fsms: %u}",
                       sram_bytes, n_fsms);
}

/* Returns whether a run of @first is shared by @second; if so, asserts that the
 * rows are equal. */
static gboolean run_covers_setup(const Setup *first, const Setup *second)
{
    g_autoptr(RunCache) share = run_cache_new();
    Count count = { 0 };

    ask_cache_for_point(first, FOLD_AUTO, share, &count);
    assert_int_equal(count.n, 1);
    ask_cache_for_point(second, FOLD_AUTO, share, &count);
    return count.n_shared == 1;
}

static gboolean run_covers_sram_size(uint64_t first_bytes,
                                     uint64_t second_bytes)
{
    const Setup first = { .topology = TORUS,
                          .endpoint = ace_endpoint_text(first_bytes, 16) };
    const Setup second = { .topology = TORUS,
                           .endpoint = ace_endpoint_text(second_bytes, 16) };

    return run_covers_setup(&first, &second);
}

/* Tests the minimum, and one byte less, with which a chunk was once refused. */
static void
test_sram_that_was_never_full_may_have_any_sufficient_size(void **state)
{
    uint64_t most = 64 << 20, least = 1 << 10;

    (void)state;
    assert_true(run_covers_sram_size(most, UINT64_C(1) << 40));
    while (most - least > 1) {
        uint64_t middle = (least + most) / 2;

        if (run_covers_sram_size(64 << 20, middle))
            most = middle;
        else
            least = middle;
    }
    assert_false(run_covers_sram_size(most - 1, most));
    assert_false(run_covers_sram_size(most - 1, 64 << 20));
    assert_true(run_covers_sram_size(most, 64 << 20));
}

static void
test_sram_that_was_full_may_be_any_in_which_the_same_fits(void **state)
{
    (void)state;
    assert_true(run_covers_sram_size(512 << 10, (512 << 10) + 64));
    assert_false(run_covers_sram_size(512 << 10, 640 << 10));
}

static gboolean run_covers_n_fsms(guint first, guint second)
{
    const Setup a = { .topology = TORUS,
                      .endpoint = ace_endpoint_text(64 << 20, first) };
    const Setup b = { .topology = TORUS,
                      .endpoint = ace_endpoint_text(64 << 20, second) };

    return run_covers_setup(&a, &b);
}

static void test_there_may_be_more_fsms_if_some_were_always_free(void **state)
{
    (void)state;
    assert_true(run_covers_n_fsms(64, 4096));
    assert_true(run_covers_n_fsms(64, 63));
    assert_false(run_covers_n_fsms(5, 6));
    assert_false(run_covers_n_fsms(64, 4));
}

static gboolean run_covers_window(const char *chunk, guint first, guint second)
{
    g_autofree char *rest =
        g_strdup_printf("{chunk: %s, message: 1 KiB, window: ", chunk);
    const Setup a = { .topology = TORUS,
                      .collectives = format_text("%s%u}", rest, first) };
    const Setup b = { .topology = TORUS,
                      .collectives = format_text("%s%u}", rest, second) };

    return run_covers_setup(&a, &b);
}

/* 1 MiB is 64 chunks: all of them are in flight, and the window has room for
 * one more. */
static void
test_a_window_that_was_never_full_may_have_any_sufficient_size(void **state)
{
    (void)state;
    assert_true(run_covers_window("16 KiB", 65, 4096));
    assert_true(run_covers_window("16 KiB", 4096, 65));
    assert_false(run_covers_window("16 KiB", 65, 64));
    assert_false(run_covers_window("16 KiB", 64, 65));
    assert_false(run_covers_window("16 KiB", 63, 64));
}

static gboolean run_covers_n_alus(guint first, guint second)
{
    const char *rest = "{kind: ace, launch_time: 0 ns, sram: 64 MiB, fsms: "
                       "64, alus: ";
    const Setup a = { .topology = TORUS,
                      .endpoint = format_text("%s%u}", rest, first) };
    const Setup b = { .topology = TORUS,
                      .endpoint = format_text("%s%u}", rest, second) };

    return run_covers_setup(&a, &b);
}

static void test_there_may_be_more_alus_if_one_was_always_free(void **state)
{
    (void)state;
    assert_true(run_covers_n_alus(1024, 1025));
    assert_false(run_covers_n_alus(1025, 1024));
    assert_false(run_covers_n_alus(1, 2));
}

static gboolean run_covers_npu_text(const char *endpoint, const char *workload,
                                    const char *first, const char *second)
{
    const char *const format =
        "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: %s}";
    g_auto(GStrv) parts = g_strsplit(format, "%s", 2);
    const Setup a = { .endpoint = endpoint,
                      .workload = workload,
                      .npu = format_text("%s%s%s", parts[0], first, parts[1]) };
    const Setup b = { .endpoint = endpoint,
                      .workload = workload,
                      .npu =
                          format_text("%s%s%s", parts[0], second, parts[1]) };

    return run_covers_setup(&a, &b);
}

static void
test_memory_without_kernels_may_be_any_that_has_all_shares(void **state)
{
    const char *kernels = "{kind: data-parallel, name: d, batch: 16, layers: ["
                          "{kind: linear, name: a, in: 40, out: 41}]}";
    const char *ace = "{kind: ace, memory_bandwidth: 100 GB/s}";

    (void)state;
    assert_true(run_covers_npu_text(ace, NULL, "{bandwidth: 900 GB/s}",
                                    "{bandwidth: 200 GB/s}"));
    assert_true(run_covers_npu_text(
        "{kind: ideal}", NULL, "{bandwidth: 900 GB/s}", "{bandwidth: 1 GB/s}"));
    /* With this kind, a smaller memory bandwidth slows kernels, because reads
     * and writes share it. */
    assert_false(run_covers_npu_text(ace, NULL, "{bandwidth: 900 GB/s}",
                                     "{bandwidth: 199 GB/s}"));
    assert_false(run_covers_npu_text(ace, NULL, "{bandwidth: 199 GB/s}",
                                     "{bandwidth: 900 GB/s}"));
    assert_false(run_covers_npu_text(ace, kernels, "{bandwidth: 900 GB/s}",
                                     "{bandwidth: 901 GB/s}"));
    assert_false(run_covers_npu_text(ace, NULL,
                                     "{bandwidth: 900 GB/s, policy: shared}",
                                     "{bandwidth: 901 GB/s, policy: shared}"));
    /* With this kind, the SMs need the bandwidth of the memory. */
    assert_false(run_covers_npu_text(
        "{kind: baseline, sms: 4, memory_bandwidth: "
        "100 GB/s}",
        NULL, "{bandwidth: 900 GB/s}", "{bandwidth: 901 GB/s}"));
}

/* With less SRAM smaller chunks are chosen, or no others. */
static void test_chosen_chunk_sizes_must_be_the_same(void **state)
{
    Setup first = { .topology = TORUS,
                    .endpoint = ace_endpoint_text(64 << 20, 64),
                    .collectives = "{chunk: auto, message: auto, "
                                   "window: auto}" };
    Setup second = first;

    (void)state;
    second.endpoint = ace_endpoint_text(63 << 20, 64);
    assert_true(run_covers_setup(&first, &second));
    second.endpoint = ace_endpoint_text(256 << 10, 64);
    assert_false(run_covers_setup(&first, &second));
}

static void test_another_value_of_any_other_field_is_another_run(void **state)
{
    const Setup first = { .topology = TORUS,
                          .endpoint = ace_endpoint_text(64 << 20, 64) };
    Setup second = first;

    (void)state;
    second.endpoint = "{kind: ace, launch_time: 0 ns, sram: 64 MiB, fsms: 64, "
                      "alu_width: 512 B}";
    assert_false(run_covers_setup(&first, &second));
    second = first;
    second.collectives = "{scheduler: fifo}";
    assert_false(run_covers_setup(&first, &second));
    second = first;
    second.topology = ace_torus_text(4, 2, 3);
    assert_false(run_covers_setup(&first, &second));
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(
            test_sram_that_was_never_full_may_have_any_sufficient_size),
        cmocka_unit_test(
            test_sram_that_was_full_may_be_any_in_which_the_same_fits),
        cmocka_unit_test(
            test_a_window_that_was_never_full_may_have_any_sufficient_size),
        cmocka_unit_test(test_there_may_be_more_alus_if_one_was_always_free),
        cmocka_unit_test(test_there_may_be_more_fsms_if_some_were_always_free),
        cmocka_unit_test(
            test_memory_without_kernels_may_be_any_that_has_all_shares),
        cmocka_unit_test(test_chosen_chunk_sizes_must_be_the_same),
        cmocka_unit_test(test_another_value_of_any_other_field_is_another_run),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
