/* Tests of validate/gpu/host/work_split.h and measured_case.c.  The index
 * arithmetic of the kernels is executed thread by thread, as on the GPU.  The
 * traffic of cases is compared with numbers worked out by hand. */
#include "tests/test.h"

#include "validate/gpu/host/work_split.h"
#include "validate/gpu/plan/measurement_plan.h"

/* ---- choice of families -------------------------------------------------- */

static void test_measured_families_can_be_chosen(void **state)
{
    static const bool families[N_FAMILIES] = {
        [FAMILY_GEMM] = true, [FAMILY_OVERLAP] = true
    };
    PlanRequest request = { PLAN_LIMITS_H200, false, families, 25 };
    Plan *plan = plan_new(&request);

    (void)state;
    assert_non_null(plan);
    for (size_t i = 0; i < plan->n_entries; i++)
        assert_true(families[plan->entries[i].work.family]);
    assert_int_equal(plan->n_essential, 0);
    assert_int_equal(plan->entries[0].work.family, FAMILY_GEMM);
    assert_int_equal(plan->entries[plan->n_entries - 1].work.family,
                     FAMILY_OVERLAP);
    plan_free(plan);
}

/* ---- traffic of cases ---------------------------------------------------- */

static void test_case_traffic_counts_each_byte_once(void **state)
{
    MeasureCase reduce = new_reduce_case(DTYPE_BF16, 4, 1024, 8);
    MeasureCase gemm = new_gemm_case(KERNEL_GEMM_OWN, 10, 20, 30);
    MeasureCase lookup = new_lookup_case(100, 1000, 64, 5);
    MeasureCase fma = new_fma_case(4096, 16);
    Traffic traffic;

    (void)state;
    traffic = traffic_of_case(&reduce);
    assert_true(traffic.read_bytes == 4096 && traffic.write_bytes == 1024 &&
                traffic.flop == 512 * 3);
    traffic = traffic_of_case(&gemm);
    assert_true(traffic.read_bytes == 2 * (300 + 600) &&
                traffic.write_bytes == 400 && traffic.flop == 12000);
    traffic = traffic_of_case(&lookup);
    assert_true(traffic.read_bytes == 500 * (256 + 4) &&
                traffic.write_bytes == 25600 && traffic.flop == 32000);
    traffic = traffic_of_case(&fma);
    assert_true(traffic.read_bytes == 4096 && traffic.write_bytes == 4096 &&
                traffic.flop == 2 * 16 * 1024);
}

static void test_a_copy_to_the_host_only_reads(void **state)
{
    MeasureCase out = new_copy_engine_case(KERNEL_MEMCPY_D2H, 64);
    MeasureCase in = new_copy_engine_case(KERNEL_BATCH_H2D, 64);

    (void)state;
    assert_true(traffic_of_case(&out).read_bytes == 64 &&
                traffic_of_case(&out).write_bytes == 0);
    assert_true(traffic_of_case(&in).read_bytes == 0 &&
                traffic_of_case(&in).write_bytes == 64);
}

/* ---- division of work among blocks and threads --------------------------- */

/* Counts how often each vector is processed, as in reduce_kernel: complete
 * rounds of @n_loads first, then the part of one more round that is inside. */
static void check_walks_cover_all_once(uint64_t n, uint32_t n_blocks,
                                       uint32_t n_threads, uint32_t n_loads,
                                       uint8_t *n_done)
{
    for (uint32_t block = 0; block < n_blocks; block++)
        for (uint32_t thread = 0; thread < n_threads; thread++) {
            Walk walk =
                strided_walk_of_thread(n, n_blocks, block, n_threads, thread);

            for (; strided_walk_has_next(&walk, n_loads);
                 strided_walk_advance(&walk, n_loads))
                for (uint32_t i = 0; i < n_loads; i++)
                    n_done[walk.at + i * walk.step]++;
            for (uint32_t i = 0; i < n_loads; i++)
                if (walk.at + i * walk.step < walk.end)
                    n_done[walk.at + i * walk.step]++;
        }
}

static void test_a_reduction_does_each_vector_once(void **state)
{
    static const uint64_t sizes[] = { 1, 31, 512, 1000, 4096, 10007 };
    static const uint32_t blocks[] = { 1, 3, 8, 132 };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(blocks); j++)
            for (uint32_t n_loads = 1; n_loads <= 8; n_loads *= 2) {
                g_autofree uint8_t *n_done = g_new0(uint8_t, sizes[i]);

                check_walks_cover_all_once(sizes[i], blocks[j], 128, n_loads,
                                           n_done);
                for (uint64_t at = 0; at < sizes[i]; at++)
                    assert_int_equal(n_done[at], 1);
            }
}

static void test_slices_differ_by_one_vector_at_most(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 300; n += 7)
        for (uint32_t n_parts = 1; n_parts < 20; n_parts++) {
            assert_true(slice_begin_of_part(n, n_parts, 0) == 0);
            assert_true(slice_begin_of_part(n, n_parts, n_parts) == n);
            for (uint32_t part = 0; part < n_parts; part++) {
                uint64_t length = slice_begin_of_part(n, n_parts, part + 1) -
                                  slice_begin_of_part(n, n_parts, part);

                assert_true(length == n / n_parts || length == n / n_parts + 1);
            }
        }
}

static void test_resident_warps_process_all_chunks(void **state)
{
    enum { N_CHUNKS = 53, N_WARPS = 48, N_ROUNDS = 53 };
    uint32_t n_done[N_CHUNKS] = { 0 };

    (void)state;
    for (uint32_t warp = 0; warp < N_WARPS; warp++) {
        uint32_t chunk = next_chunk_of_warp(17, warp, N_CHUNKS);

        for (int round = 0; round < N_ROUNDS; round++) {
            assert_true(chunk < N_CHUNKS);
            n_done[chunk]++;
            chunk = next_chunk_of_warp(chunk, N_WARPS, N_CHUNKS);
        }
    }
    for (int i = 0; i < N_CHUNKS; i++)
        assert_int_equal(n_done[i], N_WARPS);
}

static void test_each_gemm_tile_has_one_block(void **state)
{
    (void)state;
    for (uint32_t n_rows = 1; n_rows < 40; n_rows += 3)
        for (uint32_t n_columns = 1; n_columns < 30; n_columns += 4) {
            g_autofree uint8_t *n_done = g_new0(uint8_t, n_rows * n_columns);

            for (uint32_t block = 0; block < n_rows * n_columns; block++) {
                GemmTile tile = gemm_tile_of(block, n_rows, n_columns);

                assert_true(tile.row < n_rows && tile.column < n_columns);
                n_done[tile.row * n_columns + tile.column]++;
            }
            for (uint32_t i = 0; i < n_rows * n_columns; i++)
                assert_int_equal(n_done[i], 1);
        }
}

/* Shared memory of an SM and the reserved part: 228 KiB on Hopper, 164 on
 * Ampere, 64 and nothing reserved on Turing. */
static void test_more_than_half_of_shared_memory_fits_once(void **state)
{
    static const uint64_t sms[][2] = { { 228 << 10, 1 << 10 },
                                       { 164 << 10, 1 << 10 },
                                       { 100 << 10, 1 << 10 },
                                       { 64 << 10, 0 } };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(sms); i++) {
        uint64_t all = sms[i][0], reserved = sms[i][1];
        uint64_t bytes = shared_bytes_over_half_of_sm(all, reserved);

        assert_true(2 * (bytes + reserved) > all);
        assert_true(2 * (bytes + reserved) <= all + 256);
        assert_int_equal(bytes % 128, 0);
        assert_int_equal(shared_carveout_percent(all, bytes + reserved), 51);
    }
    assert_int_equal(shared_carveout_percent(228 << 10, 0), 0);
    assert_int_equal(shared_carveout_percent(228 << 10, 228 << 10), 100);
    assert_int_equal(shared_carveout_percent(100, 250), 100);
    assert_int_equal(shared_carveout_percent(0, 250), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_families_can_be_chosen),
        cmocka_unit_test(test_case_traffic_counts_each_byte_once),
        cmocka_unit_test(test_a_copy_to_the_host_only_reads),
        cmocka_unit_test(test_a_reduction_does_each_vector_once),
        cmocka_unit_test(test_slices_differ_by_one_vector_at_most),
        cmocka_unit_test(test_resident_warps_process_all_chunks),
        cmocka_unit_test(test_each_gemm_tile_has_one_block),
        cmocka_unit_test(test_more_than_half_of_shared_memory_fits_once),
    };

    return cmocka_run_group_tests_name("measure_split", tests, NULL, NULL);
}
