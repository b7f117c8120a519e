/* test_measure_case_properties.c - tests of the properties of planned cases */
#include "tests/validate/measure_plan.h"

/* ---- tests of planned cases ---------------------------------------------- */

/* cuBLAS has the same partners whether or not it knows the number of free
 * SMs. */
static void test_cublas_runs_with_and_without_known_sms(void **state)
{
    static const uint32_t counts[] = { 2, 8, 16, 32 };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        for (int is_known = 0; is_known < 2; is_known++) {
            Kernel kernel =
                is_known ? KERNEL_GEMM_CUBLAS_LIMITED : KERNEL_GEMM_CUBLAS;

            assert_true(plan_has_case(plan, FAMILY_OVERLAP, kernel,
                                      KERNEL_REDUCE, counts[i]));
            assert_true(plan_has_case(plan, FAMILY_OVERLAP, kernel, KERNEL_IDLE,
                                      counts[i]));
        }
    plan_free(plan);
}

/* Counts the combinations of loads and shared memory among cases of 64 MiB that
 * are equal otherwise. */
static size_t count_planned_loads(const Plan *plan, Kernel kernel,
                                  uint32_t n_sms)
{
    bool seen[N_LOADS][N_SHARED] = { { false } };
    size_t n = 0;

    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *measure_case = &plan->entries[i].work;

        if (measure_case->kernel == kernel && measure_case->n_sms == n_sms &&
            measure_case->n_threads == 512 &&
            measure_case->bytes == UINT64_C(64) << 20 &&
            measure_case->family != FAMILY_LAUNCH)
            seen[measure_case->loads][measure_case->shared] = true;
    }
    for (int loads = 0; loads < N_LOADS; loads++)
        for (int shared = 0; shared < N_SHARED; shared++)
            n += seen[loads][shared];
    return n;
}

static void test_loads_are_planned_with_and_without_l1(void **state)
{
    static const uint32_t counts[] = { 1, 8, 132 };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        assert_int_equal(count_planned_loads(plan, KERNEL_COPY, counts[i]), 7);
        assert_int_equal(count_planned_loads(plan, KERNEL_REDUCE, counts[i]),
                         7);
    }
    plan_free(plan);
}

/* Asynchronous loads need all shared memory for the data that arrive. */
static void test_async_loads_have_all_shared_memory(void **state)
{
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *measure_case = &plan->entries[i].work;
        bool is_ours = measure_case->kernel >= KERNEL_REDUCE &&
                       measure_case->kernel <= KERNEL_WRITE_SLICES;

        assert_int_equal(is_ours, measure_case->loads != LOADS_NONE);
        assert_int_equal(is_ours, measure_case->shared != SHARED_UNSPECIFIED);
        if (measure_case->loads == LOADS_ASYNC) {
            assert_int_equal(measure_case->shared, SHARED_WHOLE);
            assert_true(16 * measure_case->n_loads * measure_case->n_threads <=
                        163 << 10);
        }
    }
    plan_free(plan);
}

/* These cases are measured even if the run is cut off, and with --quick. */
static void test_bandwidth_by_number_of_sms_comes_first(void **state)
{
    static const uint32_t coarse[] = { 132, 1, 2, 4, 8, 16, 32, 64 };
    static const Kernel kernels[] = { KERNEL_REDUCE, KERNEL_COPY,
                                      KERNEL_READ_SLICES, KERNEL_WRITE_SLICES };

    (void)state;
    for (int is_quick = 0; is_quick < 2; is_quick++) {
        Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, is_quick);
        double estimate_s = 0;

        for (size_t i = 0; i < 32; i++) {
            assert_int_equal(plan->entries[i].work.n_sms, coarse[i % 8]);
            assert_int_equal(plan->entries[i].work.kernel, kernels[i / 8]);
        }
        assert_int_equal(plan->n_essential, is_quick ? 32 : 4 * 29 + 2 * 13);
        for (size_t i = 0; i < plan->n_entries; i++) {
            bool is_essential = i < plan->n_essential;

            assert_int_equal(plan->entries[i].is_essential, is_essential);
            estimate_s += is_essential ? plan->entries[i].estimate_s : 0;
        }
        assert_true(estimate_s < (is_quick ? 10 : 45));
        plan_free(plan);
    }
}

static void test_rows_of_a_pair_refer_to_each_other(void **state)
{
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);
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
        if (work->place == PLACE_SAME_SMS)
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

/* The buffers that launches use in rotation exceed the cache.  The table of a
 * lookup and the arrays of a partner do, too. */
static void test_no_measured_case_fits_into_the_cache(void **state)
{
    uint64_t cache_bytes = PLAN_LIMITS_H200.l2_bytes;
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *work = &plan->entries[i].work;
        const MeasureCase *partner = &plan->entries[i].partner;
        Traffic traffic = traffic_of_case(partner);

        if (work->kernel == KERNEL_LOOKUP)
            assert_true(work->rows * work->dim * sizeof(float) >=
                        4 * cache_bytes);
        if (partner->n_sms > 0 && partner->kernel != KERNEL_IDLE)
            assert_true(traffic.read_bytes + traffic.write_bytes >=
                        4 * cache_bytes);
    }
    assert_true(plan_n_buffer_sets(1, 100) == 400);
    assert_true(plan_n_buffer_sets(100, 100) == 4);
    assert_true(plan_n_buffer_sets(133, 100) == 4);
    assert_true(plan_n_buffer_sets(1000, 100) == 2);
    plan_free(plan);
}

static void test_planned_sizes_suit_the_kernels(void **state)
{
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *work = &plan->entries[i].work;
        MeasureCase small = case_reduced_for_check(work);

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
    Plan *plan = plan_of_all_families(limits, false);

    (void)state;
    assert_true(plan->n_rows > 200);
    assert_int_equal(plan->entries[0].work.n_sms, 20);
    for (size_t i = 0; i < plan->n_entries; i++) {
        assert_true(plan->entries[i].work.n_sms <= 20);
        assert_true(plan->entries[i].partner.n_sms <= 10);
    }
    plan_free(plan);
}

/* Products beside reductions and beside the copy engine, before all families
 * but bandwidth. */
static void test_twelve_pairs_follow_the_bandwidth(void **state)
{
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);
    size_t n_reductions = 0;

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++)
        assert_int_equal(plan->entries[i].worth,
                         i < plan->n_essential        ? WORTH_BANDWIDTH
                         : i < plan->n_essential + 12 ? WORTH_PAIRS
                                                      : WORTH_REST);
    for (size_t i = plan->n_essential; i < plan->n_essential + 12; i++) {
        const PlanEntry *entry = &plan->entries[i];

        assert_string_equal(kernel_kind(entry->work.kernel), "gemm");
        assert_true(entry->partner.kernel == KERNEL_REDUCE ||
                    kernel_is_copy_engine(entry->partner.kernel));
        n_reductions += entry->partner.kernel == KERNEL_REDUCE;
    }
    assert_int_equal(n_reductions, 9);
    plan_free(plan);
}

/* ---- tests of plans with a budget or with keys --------------------------- */

static Plan *plan_of_budget_s(double budget_s)
{
    bool families[N_FAMILIES];
    PlanRequest request = { .limits = PLAN_LIMITS_H200,
                            .families = families,
                            .repetitions = 25,
                            .budget_s = budget_s };
    Plan *plan;

    memset(families, 1, sizeof families);
    plan = plan_new(&request);
    assert_non_null(plan);
    return plan;
}

static void test_a_budget_keeps_what_is_worth_most(void **state)
{
    Plan *full = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (double budget_s = 20; budget_s <= 320; budget_s += 50) {
        Plan *plan = plan_of_budget_s(budget_s);
        bool has_family[N_FAMILIES] = { false };

        assert_true(plan->estimate_s <= budget_s);
        assert_true(plan_budget_s(plan) == budget_s);
        assert_int_equal(plan->n_entries + plan->n_left_out, full->n_entries);
        for (size_t i = 0; i < plan->n_entries; i++)
            has_family[plan->entries[i].work.family] = true;
        for (int family = 0; family < N_FAMILIES && budget_s >= 120; family++)
            assert_true(has_family[family]);
        for (size_t i = 1; i < plan->n_entries; i++)
            assert_true(plan->entries[i].worth >= plan->entries[i - 1].worth);
        if (budget_s >= 120) {
            assert_int_equal(plan->n_essential, full->n_essential);
            for (size_t i = 0; i < full->n_essential + 12; i++)
                assert_true(plan->entries[i].key == full->entries[i].key);
        }
        plan_free(plan);
    }
    plan_free(full);
}

/* The whole plan fits into a budget that is large enough. */
static void test_a_large_budget_leaves_nothing_out(void **state)
{
    Plan *full = plan_of_all_families(PLAN_LIMITS_H200, false);
    Plan *plan = plan_of_budget_s(3600);

    (void)state;
    assert_int_equal(plan->n_left_out, 0);
    assert_int_equal(plan->n_entries, full->n_entries);
    assert_int_equal(plan->n_rows, full->n_rows);
    plan_free(full);
    plan_free(plan);
}

static void test_only_cases_with_the_keys_are_planned(void **state)
{
    Plan *full = plan_of_all_families(PLAN_LIMITS_H200, false);
    uint64_t keys[] = { full->entries[300].key, full->entries[3].key, 1 };
    bool families[N_FAMILIES];
    PlanRequest request = { .limits = PLAN_LIMITS_H200,
                            .families = families,
                            .repetitions = 25,
                            .keys = keys,
                            .n_keys = G_N_ELEMENTS(keys) };
    Plan *plan;

    (void)state;
    memset(families, 1, sizeof families);
    plan = plan_new(&request);
    assert_non_null(plan);
    assert_int_equal(plan->n_entries, 2);
    assert_true(plan->entries[0].key == keys[1]);
    assert_true(plan->entries[1].key == keys[0]);
    plan_free(plan);
    plan_free(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cublas_runs_with_and_without_known_sms),
        cmocka_unit_test(test_loads_are_planned_with_and_without_l1),
        cmocka_unit_test(test_async_loads_have_all_shared_memory),
        cmocka_unit_test(test_bandwidth_by_number_of_sms_comes_first),
        cmocka_unit_test(test_twelve_pairs_follow_the_bandwidth),
        cmocka_unit_test(test_a_budget_keeps_what_is_worth_most),
        cmocka_unit_test(test_a_large_budget_leaves_nothing_out),
        cmocka_unit_test(test_only_cases_with_the_keys_are_planned),
        cmocka_unit_test(test_rows_of_a_pair_refer_to_each_other),
        cmocka_unit_test(test_no_measured_case_fits_into_the_cache),
        cmocka_unit_test(test_planned_sizes_suit_the_kernels),
        cmocka_unit_test(test_a_small_gpu_has_a_smaller_plan),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
