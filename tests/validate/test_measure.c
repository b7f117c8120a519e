/*
 * What acesim-measure plans to measure, in which order, and in what time.
 */
#include "tests/test.h"

#include "validate/gpu/host/table.h"
#include "validate/gpu/plan/plan.h"

static Plan *plan_for(PlanLimits limits, bool is_quick)
{
    bool families[N_FAMILIES];
    PlanRequest request = { limits, is_quick, families, is_quick ? 20 : 25 };
    Plan *plan;

    for (int family = 0; family < N_FAMILIES; family++)
        families[family] = true;
    plan = plan_new(&request);

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
        [FAMILY_LAUNCH] = 12,  [FAMILY_CEILING] = 8, [FAMILY_REDUCE] = 120,
        [FAMILY_COPY] = 50,    [FAMILY_STREAM] = 40, [FAMILY_GEMM] = 40,
        [FAMILY_LOOKUP] = 20,  [FAMILY_ENGINE] = 20, [FAMILY_OVERLAP] = 150,
        [FAMILY_SAME_SM] = 40, [FAMILY_ORDER] = 60,  [FAMILY_LONG] = 60,
    };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(count_rows(plan, (Family)family) >= least[family]);
    assert_true(plan->n_rows >= 400);
    plan_free(plan);
}

/* What goes on for a fixed time takes no longer than that. */
static double fixed_s(const Plan *plan)
{
    double sum_s = 0;

    for (size_t i = 0; i < plan->n_entries; i++)
        sum_s += plan->entries[i].work.seconds;
    return sum_s;
}

/* Estimates may be wrong by two. */
static bool fits(const Plan *plan)
{
    double fixed = fixed_s(plan);

    return fixed + 2 * (plan->estimate_s - fixed) <= plan_budget_s(plan);
}

static void test_a_plan_fits_its_time(void **state)
{
    Plan *full = plan_for(PLAN_LIMITS_H200, false);
    Plan *quick = plan_for(PLAN_LIMITS_H200, true);

    (void)state;
    assert_true(fits(full));
    assert_true(fits(quick));
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

/* Blocks that have an SM for themselves take its shared memory, those that
 * share it leave it; and loads pass L1 by, of which there is little then. */
static void test_partners_take_or_leave_shared_memory(void **state)
{
    static const Shared wanted[N_PLACES] = {
        [PLACE_APART] = SHARED_WHOLE, [PLACE_SAME] = SHARED_LEFT
    };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *partner = &plan->entries[i].partner;

        assert_int_equal(partner->place != PLACE_NONE, partner->n_sms > 0);
        assert_int_equal(partner->shared, wanted[partner->place]);
        assert_int_equal(partner->n_threads % 32, 0);
        assert_true(partner->n_threads <= 512);
        /* Registers of both: 152 a thread of our gemm, 56 of a partner. */
        if (partner->place == PLACE_SAME)
            assert_true(256 * 152 + partner->n_threads * 56 <= 65536);
        if (partner->n_sms > 0 && partner->kernel != KERNEL_IDLE)
            assert_int_equal(partner->loads, LOADS_NO_ALLOCATE);
    }
    plan_free(plan);
}

/* The same compute kernels beside the same partners as on SMs apart. */
static void test_partners_are_on_the_same_sms_too(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_LOOKUP, KERNEL_FMA };
    static const uint32_t counts[] = { 4, 8, 16, 32 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(computes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(counts); j++) {
            assert_true(has_case(plan, FAMILY_SAME_SM, computes[i],
                                 KERNEL_REDUCE, counts[j]));
            assert_true(has_case(plan, FAMILY_OVERLAP, computes[i],
                                 KERNEL_REDUCE, counts[j]));
        }
    plan_free(plan);
}

/* Each place, each order, with priority and without. */
static void test_all_orders_are_tried(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_FMA };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t c = 0; c < G_N_ELEMENTS(computes); c++) {
        bool seen[N_PLACES][N_FIRST][N_PRIORITIES] = { { { false } } };
        size_t n = 0;

        for (size_t i = 0; i < plan->n_entries; i++) {
            const MeasureCase *work = &plan->entries[i].work;

            assert_int_equal(work->first != FIRST_NONE,
                             work->family == FAMILY_ORDER);
            if (work->family != FAMILY_ORDER || work->kernel != computes[c] ||
                plan->entries[i].partner.n_sms != 32)
                continue;
            n += !seen[work->place][work->first][work->priority];
            seen[work->place][work->first][work->priority] = true;
        }
        assert_int_equal(n, 8);
    }
    plan_free(plan);
}

static void test_a_long_case_has_a_row_for_each_second(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);
    const PlanEntry *last = &plan->entries[plan->n_entries - 1];

    (void)state;
    assert_true(
        has_case(plan, FAMILY_LONG, KERNEL_GEMM_CUBLAS, KERNEL_NONE, 132));
    assert_true(has_case(plan, FAMILY_LONG, KERNEL_GEMM_OWN, KERNEL_NONE, 132));
    assert_int_equal(last->work.family, FAMILY_LONG);
    assert_int_equal(last->work.seconds, PLAN_LONG_S);
    assert_int_equal(plan_entry_rows(last), PLAN_LONG_S);
    assert_true(last->estimate_s >= PLAN_LONG_S);
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

/* Cases of 64 MiB that differ in nothing but loads and shared memory. */
static size_t count_loads(const Plan *plan, Kernel kernel, uint32_t n_sms)
{
    bool seen[N_LOADS][N_SHARED] = { { false } };
    size_t n = 0;

    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *c = &plan->entries[i].work;

        if (c->kernel == kernel && c->n_sms == n_sms && c->n_threads == 512 &&
            c->bytes == UINT64_C(64) << 20 && c->family != FAMILY_LAUNCH)
            seen[c->loads][c->shared] = true;
    }
    for (int loads = 0; loads < N_LOADS; loads++)
        for (int shared = 0; shared < N_SHARED; shared++)
            n += seen[loads][shared];
    return n;
}

static void test_loads_are_tried_with_and_without_l1(void **state)
{
    static const uint32_t counts[] = { 1, 8, 132 };
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        assert_int_equal(count_loads(plan, KERNEL_COPY, counts[i]), 7);
        assert_int_equal(count_loads(plan, KERNEL_REDUCE, counts[i]), 7);
    }
    plan_free(plan);
}

/* What lands in shared memory has room there, and only there. */
static void test_copies_to_shared_memory_have_all_of_it(void **state)
{
    Plan *plan = plan_for(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *c = &plan->entries[i].work;
        bool is_ours = c->kernel == KERNEL_REDUCE || c->kernel == KERNEL_COPY;

        assert_int_equal(is_ours, c->loads != LOADS_NONE);
        assert_int_equal(is_ours, c->shared != SHARED_UNSAID);
        if (c->loads == LOADS_ASYNC) {
            assert_int_equal(c->shared, SHARED_WHOLE);
            assert_true(16 * c->n_loads * c->n_threads <= 163 << 10);
        }
    }
    plan_free(plan);
}

/* A run that is cut off has it, and so has --quick. */
static void test_bandwidth_by_number_of_sms_comes_first(void **state)
{
    static const uint32_t coarse[] = { 132, 1, 2, 4, 8, 16, 32, 64 };
    static const Kernel kernels[] = { KERNEL_REDUCE, KERNEL_COPY };

    (void)state;
    for (int is_quick = 0; is_quick < 2; is_quick++) {
        Plan *plan = plan_for(PLAN_LIMITS_H200, is_quick);
        double estimate_s = 0;

        for (size_t i = 0; i < 16; i++) {
            assert_int_equal(plan->entries[i].work.n_sms, coarse[i % 8]);
            assert_int_equal(plan->entries[i].work.kernel, kernels[i / 8]);
        }
        assert_int_equal(plan->n_essential, is_quick ? 16 : 36);
        for (size_t i = 0; i < plan->n_entries; i++) {
            bool is_essential = i < plan->n_essential;

            assert_int_equal(plan->entries[i].is_essential, is_essential);
            estimate_s += is_essential ? plan->entries[i].estimate_s : 0;
        }
        assert_true(estimate_s < 10);
        plan_free(plan);
    }
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
        if (work->place == PLACE_SAME)
            assert_int_equal(work->n_sms, 132);
        else
            assert_int_equal(work->n_sms + partner->n_sms, 132);
        assert_int_equal(work->place, partner->place);
        assert_int_equal(work->first, partner->first);
        assert_int_equal(work->priority, partner->priority);
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
    assert_int_equal(plan->entries[0].work.n_sms, 20);
    for (size_t i = 0; i < plan->n_entries; i++) {
        assert_true(plan->entries[i].work.n_sms <= 20);
        assert_true(plan->entries[i].partner.n_sms <= 10);
    }
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_plan_has_rows_of_all_families),
        cmocka_unit_test(test_a_plan_fits_its_time),
        cmocka_unit_test(test_keys_are_unique),
        cmocka_unit_test(test_the_same_request_has_the_same_plan),
        cmocka_unit_test(test_reductions_and_copies_are_on_all_counts_of_sms),
        cmocka_unit_test(test_compute_is_beside_all_partners),
        cmocka_unit_test(test_partners_take_or_leave_shared_memory),
        cmocka_unit_test(test_partners_are_on_the_same_sms_too),
        cmocka_unit_test(test_all_orders_are_tried),
        cmocka_unit_test(test_a_long_case_has_a_row_for_each_second),
        cmocka_unit_test(test_a_library_is_told_of_sms_that_are_taken),
        cmocka_unit_test(test_loads_are_tried_with_and_without_l1),
        cmocka_unit_test(test_copies_to_shared_memory_have_all_of_it),
        cmocka_unit_test(test_bandwidth_by_number_of_sms_comes_first),
        cmocka_unit_test(test_the_two_of_a_pair_know_each_other),
        cmocka_unit_test(test_no_case_fits_into_the_cache),
        cmocka_unit_test(test_sizes_suit_the_kernels),
        cmocka_unit_test(test_a_small_gpu_has_a_smaller_plan),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
