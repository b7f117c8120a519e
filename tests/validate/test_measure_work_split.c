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
    PlanRequest request = { .limits = PLAN_LIMITS_H200,
                            .families = families,
                            .repetitions = 25 };
    Plan *plan = plan_new(&request);

    (void)state;
    assert_non_null(plan);
    for (size_t i = 0; i < plan->n_entries; i++)
        assert_true(families[plan->entries[i].work.family]);
    assert_int_equal(plan->n_essential, 0);
    /* The twelve chosen pairs come first. */
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(plan->entries[i].worth, WORTH_PAIRS);
    assert_int_equal(plan->entries[12].work.family, FAMILY_GEMM);
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

typedef Walk (*WalkOfThread)(uint64_t n, WalkPlace place, uint32_t n_loads);

/* Processes a walk as reduce_kernel does: complete rounds of @n_loads first,
 * then the part of one more round that is inside. */
static void count_vectors_of_walk(Walk walk, uint32_t n_loads, uint8_t *n_done)
{
    for (; strided_walk_has_next(&walk, n_loads); strided_walk_advance(&walk))
        for (uint32_t i = 0; i < n_loads; i++)
            n_done[walk.at + i * walk.step]++;
    for (uint32_t i = 0; i < n_loads; i++)
        if (walk.at + i * walk.step < walk.end)
            n_done[walk.at + i * walk.step]++;
}

static void check_walks_cover_all_once(WalkOfThread walk_of, uint64_t n,
                                       uint32_t n_blocks, uint32_t n_loads)
{
    enum { N_THREADS = 128 };
    g_autofree uint8_t *n_done = g_new0(uint8_t, n);

    for (uint32_t block = 0; block < n_blocks; block++)
        for (uint32_t thread = 0; thread < N_THREADS; thread++)
            count_vectors_of_walk(
                walk_of(n, (WalkPlace){ n_blocks, block, N_THREADS, thread },
                        n_loads),
                n_loads, n_done);
    for (uint64_t at = 0; at < n; at++)
        assert_int_equal(n_done[at], 1);
}

/* 27 blocks and 10007 vectors leave a remainder everywhere; the last sizes fill
 * one round of some blocks exactly, and one vector less or more. */
static void test_a_reduction_does_each_vector_once(void **state)
{
    static const uint64_t sizes[] = { 1,    31,    32,   33,   512,  1000,
                                      4096, 10007, 3071, 3072, 3073, 27648 };
    static const uint32_t blocks[] = { 1, 3, 8, 27, 132 };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(blocks); j++)
            for (uint32_t n_loads = 1; n_loads <= 8; n_loads *= 2) {
                check_walks_cover_all_once(slice_walk_of_thread, sizes[i],
                                           blocks[j], n_loads);
                check_walks_cover_all_once(tile_walk_of_thread, sizes[i],
                                           blocks[j], n_loads);
            }
}

static uint64_t length_of_slice(uint64_t n, uint32_t n_parts, uint32_t part)
{
    return slice_begin_of_part(n, n_parts, part + 1) -
           slice_begin_of_part(n, n_parts, part);
}

/* The lengths are within the vectors of a warp of the mean, or shorter at the
 * end. */
static void test_slices_differ_by_a_warp_of_vectors_at_most(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 3000; n += 7)
        for (uint32_t n_parts = 1; n_parts < 20; n_parts++) {
            uint64_t first = length_of_slice(n, n_parts, 0), sum = 0;

            assert_true(slice_begin_of_part(n, n_parts, 0) == 0);
            assert_true(slice_begin_of_part(n, n_parts, n_parts) == n);
            assert_true(first * n_parts >= n);
            assert_true(first < n / n_parts + 2 * WARP_VECTORS);
            for (uint32_t part = 0; part < n_parts; part++) {
                uint64_t length = length_of_slice(n, n_parts, part);

                sum += length;
                assert_true(length <= first);
                if (sum < n)
                    assert_true(length + WARP_VECTORS >= first);
            }
            assert_true(sum == n);
        }
}

/* A warp that begins between two cache lines needs one more for each access. */
static void test_slices_begin_at_whole_cache_lines(void **state)
{
    static const uint32_t counts[] = { 2, 3, 6, 20, 24, 48, 112, 131, 132 };
    uint64_t n = (UINT64_C(256) << 20) / 16;

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        for (uint32_t part = 0; part < counts[i]; part++)
            assert_true(slice_begin_of_part(n, counts[i], part) * 16 % 512 ==
                        0);
}

/* With one block per SM and the default launch, a tile of a copy is 64 KiB. */
static void test_tiles_are_dealt_in_rotation(void **state)
{
    Walk first = tile_walk_of_thread(1 << 20, (WalkPlace){ 3, 0, 512, 0 }, 8);
    Walk last = tile_walk_of_thread(1 << 20, (WalkPlace){ 3, 2, 512, 5 }, 8);

    (void)state;
    assert_true(first.at == 0 && first.step == 512);
    assert_true(last.at * 16 == 2 * 65536 + 5 * 16);
    strided_walk_advance(&first);
    assert_true(first.at * 16 == 3 * 65536);
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
                GemmTile tile = gemm_tile_of_block(block, n_rows, n_columns);

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
        uint64_t bytes = shared_memory_bytes_above_half_of_sm(all, reserved);

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
        cmocka_unit_test(test_slices_differ_by_a_warp_of_vectors_at_most),
        cmocka_unit_test(test_slices_begin_at_whole_cache_lines),
        cmocka_unit_test(test_tiles_are_dealt_in_rotation),
        cmocka_unit_test(test_resident_warps_process_all_chunks),
        cmocka_unit_test(test_each_gemm_tile_has_one_block),
        cmocka_unit_test(test_more_than_half_of_shared_memory_fits_once),
    };

    return cmocka_run_group_tests_name("measure_split", tests, NULL, NULL);
}
