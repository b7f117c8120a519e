/*
 * What acesim-measure plans to measure, and who does which part of it: the
 * kernels' index arithmetic is walked here thread by thread, as the GPU would.
 */
#include "tests/test.h"

#include "validate/gpu/plan.h"
#include "validate/gpu/split.h"
#include "validate/gpu/table.h"

static const bool all_families[N_FAMILIES] = { true, true, true, true, true,
                                               true, true, true, true };

static Plan *plan_for(PlanLimits limits, bool is_quick)
{
    PlanRequest request = { limits, is_quick, all_families,
                            is_quick ? 20 : 25 };
    Plan *plan = plan_new(&request);

    assert_non_null(plan);
    return plan;
}

/* ---- the plan --------------------------------------------------------- */

static size_t count_rows(const Plan *plan, Family family)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_entries; i++)
        if (plan->entries[i].work.family == family)
            n += plan_entry_rows(&plan->entries[i]);
    return n;
}

static void test_a_full_plan_has_rows_of_all_families(void **state)
{
    static const size_t least[N_FAMILIES] = {
        [FAMILY_LAUNCH] = 12, [FAMILY_CEILING] = 8, [FAMILY_REDUCE] = 120,
        [FAMILY_COPY] = 50,   [FAMILY_STREAM] = 40, [FAMILY_GEMM] = 40,
        [FAMILY_LOOKUP] = 20, [FAMILY_ENGINE] = 20, [FAMILY_OVERLAP] = 150,
    };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(count_rows(plan, (Family)family) >= least[family]);
    assert_true(plan->n_rows >= 400);
    plan_free(plan);
}

static void test_a_plan_fits_its_time(void **state)
{
    Plan *full = plan_for(PLAN_LIMITS_H200, false);
    Plan *quick = plan_for(PLAN_LIMITS_H200, true);

    (void)state;
    assert_true(full->estimate_s <= PLAN_FULL_S / 2);
    assert_true(quick->estimate_s <= PLAN_QUICK_S / 2);
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(count_rows(quick, (Family)family) >= 3);
    plan_free(full);
    plan_free(quick);
}

static void test_keys_are_unique(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        assert_true(plan->entries[i].key == table_key(&plan->entries[i].work));
        assert_true(g_hash_table_add(seen, &plan->entries[i].key));
    }
    plan_free(plan);
}

static void test_each_family_has_rows_to_fit_and_rows_held_out(void **state)
{
    size_t n_fit[N_FAMILIES] = { 0 }, n_held[N_FAMILIES] = { 0 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        Family family = plan->entries[i].work.family;

        if (table_key_is_held_out(plan->entries[i].key))
            n_held[family]++;
        else
            n_fit[family]++;
    }
    for (int family = 0; family < N_FAMILIES; family++) {
        assert_true(n_fit[family] > 0);
        assert_true(n_held[family] > 0);
    }
    plan_free(plan);
}

static void test_the_same_request_has_the_same_plan(void **state)
{
    Plan *a = plan_for(PLAN_LIMITS_H200, false);
    Plan *b = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    assert_int_equal(a->n_entries, b->n_entries);
    for (size_t i = 0; i < a->n_entries; i++) {
        assert_true(a->entries[i].key == b->entries[i].key);
        assert_int_equal(a->entries[i].work.pair, b->entries[i].work.pair);
    }
    plan_free(a);
    plan_free(b);
}

/* Is there an entry with this family, kernel and number of SMs? */
static bool has_case(const Plan *plan, Family family, Kernel kernel,
                     Kernel partner, uint32_t n_sms)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        const PlanEntry *entry = &plan->entries[i];
        uint32_t wanted =
            partner == KERNEL_NONE ? entry->work.n_sms : entry->partner.n_sms;

        if (entry->work.family == family && entry->work.kernel == kernel &&
            entry->partner.kernel == partner && wanted == n_sms)
            return true;
    }
    return false;
}

static void test_reductions_and_copies_are_on_all_counts_of_sms(void **state)
{
    static const uint32_t counts[] = { 1, 2, 4, 6, 8, 16, 32, 64, 132 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        assert_true(has_case(plan, FAMILY_REDUCE, KERNEL_REDUCE, KERNEL_NONE,
                             counts[i]));
        assert_true(
            has_case(plan, FAMILY_COPY, KERNEL_COPY, KERNEL_NONE, counts[i]));
    }
    plan_free(plan);
}

static void test_compute_is_beside_all_partners(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_LOOKUP, KERNEL_FMA };
    static const Kernel engines[] = { KERNEL_MEMCPY_D2H, KERNEL_MEMCPY_D2D,
                                      KERNEL_BATCH_D2D };
    static const uint32_t counts[] = { 1, 2, 4, 6, 8, 16, 32 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(computes); i++) {
        for (size_t j = 0; j < G_N_ELEMENTS(counts); j++) {
            assert_true(has_case(plan, FAMILY_OVERLAP, computes[i],
                                 KERNEL_REDUCE, counts[j]));
            assert_true(has_case(plan, FAMILY_OVERLAP, computes[i], KERNEL_IDLE,
                                 counts[j]));
        }
        assert_true(
            has_case(plan, FAMILY_OVERLAP, computes[i], KERNEL_COPY, 16));
        for (size_t j = 0; j < G_N_ELEMENTS(engines); j++)
            assert_true(
                has_case(plan, FAMILY_OVERLAP, computes[i], engines[j], 0));
    }
    plan_free(plan);
}

/* With and without knowing of them, beside the same partners. */
static void test_a_library_is_told_of_sms_that_are_taken(void **state)
{
    static const uint32_t counts[] = { 2, 8, 16, 32 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        for (int told = 0; told < 2; told++) {
            Kernel kernel = told ? KERNEL_GEMM_CUBLAS_TOLD : KERNEL_GEMM_CUBLAS;

            assert_true(has_case(plan, FAMILY_OVERLAP, kernel, KERNEL_REDUCE,
                                 counts[i]));
            assert_true(
                has_case(plan, FAMILY_OVERLAP, kernel, KERNEL_IDLE, counts[i]));
        }
    plan_free(plan);
}

static void test_a_copy_is_made_with_and_without_l1(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    assert_true(
        has_case(plan, FAMILY_COPY, KERNEL_COPY_CACHED, KERNEL_NONE, 1));
    assert_true(
        has_case(plan, FAMILY_COPY, KERNEL_COPY_CACHED, KERNEL_NONE, 132));
    plan_free(plan);
}

static void test_the_two_of_a_pair_know_each_other(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);
    uint32_t n_pairs = 0;

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *work = &plan->entries[i].work;
        const MeasureCase *partner = &plan->entries[i].partner;

        if (partner->kernel == KERNEL_NONE) {
            assert_int_equal(work->pair, 0);
            assert_int_equal(work->beside, KERNEL_NONE);
            continue;
        }
        assert_int_equal(work->pair, ++n_pairs);
        assert_int_equal(partner->pair, work->pair);
        assert_int_equal(work->beside, partner->kernel);
        assert_int_equal(partner->beside, work->kernel);
        assert_int_equal(work->n_sms + partner->n_sms, 132);
        assert_true(work->beside_bytes == partner->bytes);
    }
    plan_free(plan);
}

/* Bytes that launches take turns with exceed the cache; a lookup's table, a
 * partner's arrays too. */
static void test_no_case_fits_into_the_cache(void **state)
{
    uint64_t cache_bytes = PLAN_LIMITS_H200.l2_bytes;
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *work = &plan->entries[i].work;
        const MeasureCase *partner = &plan->entries[i].partner;
        Traffic traffic = case_traffic(partner);

        if (work->kernel == KERNEL_LOOKUP)
            assert_true(work->rows * work->dim * sizeof(float) >=
                        4 * cache_bytes);
        if (partner->n_sms > 0 && partner->kernel != KERNEL_IDLE)
            assert_true(traffic.read_bytes + traffic.write_bytes >=
                        4 * cache_bytes);
    }
    assert_true(plan_sets(1, 100) == 400);
    assert_true(plan_sets(100, 100) == 4);
    assert_true(plan_sets(133, 100) == 4);
    assert_true(plan_sets(1000, 100) == 2);
    plan_free(plan);
}

static void test_sizes_suit_the_kernels(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *work = &plan->entries[i].work;
        MeasureCase small = case_small(work);

        assert_int_equal(work->bytes % 16, 0);
        assert_int_equal(small.bytes % 16, 0);
        assert_int_equal((work->m | work->n | work->k) % 8, 0);
        assert_int_equal((small.m | small.n | small.k) % 8, 0);
        assert_int_equal(work->dim % 4, 0);
        assert_true(work->n_threads <= 1024);
        assert_true(small.bytes <= work->bytes && small.m <= work->m);
    }
    plan_free(plan);
}

static void test_a_small_gpu_has_a_smaller_plan(void **state)
{
    PlanLimits limits = { 20, UINT64_C(4) << 20 };
    Plan *plan = plan_for(limits, false);

    (void)state;
    assert_true(plan->n_rows > 200);
    for (size_t i = 0; i < plan->n_entries; i++) {
        assert_true(plan->entries[i].work.n_sms <= 20);
        assert_true(plan->entries[i].partner.n_sms <= 10);
    }
    plan_free(plan);
}

static void test_families_can_be_chosen(void **state)
{
    static const bool families[N_FAMILIES] = {
        [FAMILY_GEMM] = true, [FAMILY_OVERLAP] = true
    };
    PlanRequest request = { PLAN_LIMITS_H200, false, families, 25 };
    Plan *plan = plan_new(&request);

    (void)state;
    assert_non_null(plan);
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true((count_rows(plan, (Family)family) > 0) == families[family]);
    assert_int_equal(plan->entries[plan->n_entries - 1].work.family,
                     FAMILY_OVERLAP);
    plan_free(plan);
}

/* ---- cases ------------------------------------------------------------ */

static void test_traffic_counts_each_byte_once(void **state)
{
    MeasureCase reduce = case_reduce(DTYPE_BF16, 4, 1024, 8);
    MeasureCase gemm = case_gemm(KERNEL_GEMM_OWN, 10, 20, 30);
    MeasureCase lookup = case_lookup(100, 1000, 64, 5);
    MeasureCase fma = case_fma(4096, 16);
    Traffic traffic;

    (void)state;
    traffic = case_traffic(&reduce);
    assert_true(traffic.read_bytes == 4096 && traffic.write_bytes == 1024 &&
                traffic.flop == 512 * 3);
    traffic = case_traffic(&gemm);
    assert_true(traffic.read_bytes == 2 * (300 + 600) &&
                traffic.write_bytes == 400 && traffic.flop == 12000);
    traffic = case_traffic(&lookup);
    assert_true(traffic.read_bytes == 500 * (256 + 4) &&
                traffic.write_bytes == 25600 && traffic.flop == 32000);
    traffic = case_traffic(&fma);
    assert_true(traffic.read_bytes == 4096 && traffic.write_bytes == 4096 &&
                traffic.flop == 2 * 16 * 1024);
}

static void test_a_copy_to_the_host_only_reads(void **state)
{
    MeasureCase out = case_engine(KERNEL_MEMCPY_D2H, 64);
    MeasureCase in = case_engine(KERNEL_BATCH_H2D, 64);

    (void)state;
    assert_true(case_traffic(&out).read_bytes == 64 &&
                case_traffic(&out).write_bytes == 0);
    assert_true(case_traffic(&in).read_bytes == 0 &&
                case_traffic(&in).write_bytes == 64);
}

/* ---- who does what ----------------------------------------------------- */

/* As reduce_kernel: whole rounds of @n_loads first, then what is inside of one
 * more. */
static void walk_all(uint64_t n, uint32_t n_blocks, uint32_t n_threads,
                     uint32_t n_loads, uint8_t *n_done)
{
    for (uint32_t block = 0; block < n_blocks; block++)
        for (uint32_t thread = 0; thread < n_threads; thread++) {
            Walk walk = walk_of(n, n_blocks, block, n_threads, thread);

            for (; walk_has(&walk, n_loads); walk_next(&walk, n_loads))
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

                walk_all(sizes[i], blocks[j], 128, n_loads, n_done);
                for (uint64_t at = 0; at < sizes[i]; at++)
                    assert_int_equal(n_done[at], 1);
            }
}

static void test_slices_differ_by_one_vector_at_most(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 300; n += 7)
        for (uint32_t n_parts = 1; n_parts < 20; n_parts++) {
            assert_true(split_begin(n, n_parts, 0) == 0);
            assert_true(split_begin(n, n_parts, n_parts) == n);
            for (uint32_t part = 0; part < n_parts; part++) {
                uint64_t length = split_begin(n, n_parts, part + 1) -
                                  split_begin(n, n_parts, part);

                assert_true(length == n / n_parts || length == n / n_parts + 1);
            }
        }
}

static void test_partners_go_round_all_chunks(void **state)
{
    enum { N_CHUNKS = 53, N_WARPS = 48, N_ROUNDS = 53 };
    uint32_t n_done[N_CHUNKS] = { 0 };

    (void)state;
    for (uint32_t warp = 0; warp < N_WARPS; warp++) {
        uint32_t chunk = chunk_after(17, warp, N_CHUNKS);

        for (int round = 0; round < N_ROUNDS; round++) {
            assert_true(chunk < N_CHUNKS);
            n_done[chunk]++;
            chunk = chunk_after(chunk, N_WARPS, N_CHUNKS);
        }
    }
    for (int i = 0; i < N_CHUNKS; i++)
        assert_int_equal(n_done[i], N_WARPS);
}

static void test_each_tile_has_one_block(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_plan_has_rows_of_all_families),
        cmocka_unit_test(test_a_plan_fits_its_time),
        cmocka_unit_test(test_keys_are_unique),
        cmocka_unit_test(test_each_family_has_rows_to_fit_and_rows_held_out),
        cmocka_unit_test(test_the_same_request_has_the_same_plan),
        cmocka_unit_test(test_reductions_and_copies_are_on_all_counts_of_sms),
        cmocka_unit_test(test_compute_is_beside_all_partners),
        cmocka_unit_test(test_a_library_is_told_of_sms_that_are_taken),
        cmocka_unit_test(test_a_copy_is_made_with_and_without_l1),
        cmocka_unit_test(test_the_two_of_a_pair_know_each_other),
        cmocka_unit_test(test_no_case_fits_into_the_cache),
        cmocka_unit_test(test_sizes_suit_the_kernels),
        cmocka_unit_test(test_a_small_gpu_has_a_smaller_plan),
        cmocka_unit_test(test_families_can_be_chosen),
        cmocka_unit_test(test_traffic_counts_each_byte_once),
        cmocka_unit_test(test_a_copy_to_the_host_only_reads),
        cmocka_unit_test(test_a_reduction_does_each_vector_once),
        cmocka_unit_test(test_slices_differ_by_one_vector_at_most),
        cmocka_unit_test(test_partners_go_round_all_chunks),
        cmocka_unit_test(test_each_tile_has_one_block),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
