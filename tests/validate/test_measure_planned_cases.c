/* Tests of validate/gpu/plan: which cases are planned, in which order, and in
 * which time. */
#include "tests/validate/measure_plan.h"

/* ---- tests of the whole measurement plan --------------------------------- */

static size_t count_rows_of_family(const Plan *plan, Family family)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_entries; i++)
        if (plan->entries[i].work.family == family)
            n += plan_entry_n_rows(&plan->entries[i]);
    return n;
}

static void test_a_full_plan_has_rows_of_all_families(void **state)
{
    static const size_t least[N_FAMILIES] = {
        [FAMILY_LAUNCH] = 12, [FAMILY_CEILING] = 8,   [FAMILY_REDUCE] = 120,
        [FAMILY_COPY] = 50,   [FAMILY_READ] = 29,     [FAMILY_WRITE] = 29,
        [FAMILY_STREAM] = 40, [FAMILY_GEMM] = 40,     [FAMILY_LOOKUP] = 20,
        [FAMILY_ENGINE] = 20, [FAMILY_OVERLAP] = 150, [FAMILY_SAME_SM] = 40,
        [FAMILY_ORDER] = 60,  [FAMILY_LONG] = 60,
    };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(count_rows_of_family(plan, (Family)family) >=
                    least[family]);
    assert_true(plan->n_rows >= 400);
    plan_free(plan);
}

/* Returns the time of sustained runs, which is fixed. */
static double unavoidable_plan_time_s(const Plan *plan)
{
    double sum_s = 0;

    for (size_t i = 0; i < plan->n_entries; i++)
        sum_s += plan->entries[i].work.seconds;
    return sum_s;
}

/* Returns whether the plan fits its budget even if all estimates of the other
 * cases are too low by a factor of two. */
static bool plan_fits_its_time(const Plan *plan)
{
    double fixed = unavoidable_plan_time_s(plan);

    return fixed + 2 * (plan->estimate_s - fixed) <= plan_budget_s(plan);
}

static void test_a_measurement_plan_fits_its_time(void **state)
{
    Plan *full = plan_of_all_families(PLAN_LIMITS_H200, false);
    Plan *quick = plan_of_all_families(PLAN_LIMITS_H200, true);

    (void)state;
    assert_true(plan_fits_its_time(full));
    assert_true(plan_fits_its_time(quick));
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(count_rows_of_family(quick, (Family)family) >= 3);
    plan_free(full);
    plan_free(quick);
}

static void test_measured_case_keys_are_unique(void **state)
{
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        assert_true(plan->entries[i].key ==
                    table_key_of_case(&plan->entries[i].work));
        assert_true(g_hash_table_add(seen, &plan->entries[i].key));
    }
    plan_free(plan);
}

static void test_the_same_request_has_the_same_plan(void **state)
{
    Plan *a = plan_of_all_families(PLAN_LIMITS_H200, false);
    Plan *b = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    assert_int_equal(a->n_entries, b->n_entries);
    for (size_t i = 0; i < a->n_entries; i++) {
        assert_true(a->entries[i].key == b->entries[i].key);
        assert_int_equal(a->entries[i].work.pair, b->entries[i].work.pair);
    }
    plan_free(a);
    plan_free(b);
}

static void test_reductions_and_copies_cover_all_sm_counts(void **state)
{
    static const uint32_t counts[] = { 1, 2, 4, 6, 8, 16, 32, 64, 132 };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        assert_true(plan_has_case(plan, FAMILY_REDUCE, KERNEL_REDUCE,
                                  KERNEL_NONE, counts[i]));
        assert_true(plan_has_case(plan, FAMILY_COPY, KERNEL_COPY, KERNEL_NONE,
                                  counts[i]));
    }
    plan_free(plan);
}

static void test_each_compute_kernel_has_all_partners(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_LOOKUP, KERNEL_FMA };
    static const Kernel engines[] = { KERNEL_MEMCPY_D2H, KERNEL_MEMCPY_D2D,
                                      KERNEL_BATCH_D2D };
    static const uint32_t counts[] = { 1, 2, 4, 6, 8, 16, 32 };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(computes); i++) {
        for (size_t j = 0; j < G_N_ELEMENTS(counts); j++) {
            assert_true(plan_has_case(plan, FAMILY_OVERLAP, computes[i],
                                      KERNEL_REDUCE, counts[j]));
            assert_true(plan_has_case(plan, FAMILY_OVERLAP, computes[i],
                                      KERNEL_IDLE, counts[j]));
        }
        assert_true(
            plan_has_case(plan, FAMILY_OVERLAP, computes[i], KERNEL_COPY, 16));
        for (size_t j = 0; j < G_N_ELEMENTS(engines); j++)
            assert_true(plan_has_case(plan, FAMILY_OVERLAP, computes[i],
                                      engines[j], 0));
    }
    plan_free(plan);
}

/* Partners on separate SMs take all shared memory; partners on shared SMs leave
 * it to others.  Loads bypass the L1 cache, which is small in both cases. */
static void test_partners_take_or_leave_shared_memory(void **state)
{
    static const SharedMemoryUse wanted[N_PLACES] = { [PLACE_SEPARATE_SMS] =
                                                          SHARED_WHOLE,
                                                      [PLACE_SAME_SMS] =
                                                          SHARED_FOR_OTHERS };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const MeasureCase *partner = &plan->entries[i].partner;

        assert_int_equal(partner->place != PLACE_NONE, partner->n_sms > 0);
        assert_int_equal(partner->shared, wanted[partner->place]);
        assert_int_equal(partner->n_threads % 32, 0);
        assert_true(partner->n_threads <= 512);
        /* The registers of both must fit: 152 per thread of the gemm kernel, 56
         * per thread of a partner. */
        if (partner->place == PLACE_SAME_SMS)
            assert_true(256 * 152 + partner->n_threads * 56 <= 65536);
        if (partner->n_sms > 0 && partner->kernel != KERNEL_IDLE)
            assert_int_equal(partner->loads, LOADS_NO_ALLOCATE);
    }
    plan_free(plan);
}

/* The pairs of compute kernels and partners are those that also run on separate
 * SMs. */
static void test_partners_are_on_the_same_sms_too(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_LOOKUP, KERNEL_FMA };
    static const uint32_t counts[] = { 4, 8, 16, 32 };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(computes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(counts); j++) {
            assert_true(plan_has_case(plan, FAMILY_SAME_SM, computes[i],
                                      KERNEL_REDUCE, counts[j]));
            assert_true(plan_has_case(plan, FAMILY_OVERLAP, computes[i],
                                      KERNEL_REDUCE, counts[j]));
        }
    plan_free(plan);
}

/* Both placements, both release orders, with and without priority. */
static void test_all_release_orders_are_planned(void **state)
{
    static const Kernel computes[] = { KERNEL_GEMM_OWN, KERNEL_GEMM_CUBLAS,
                                       KERNEL_FMA };
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);

    (void)state;
    for (size_t c = 0; c < G_N_ELEMENTS(computes); c++) {
        bool seen[N_PLACES][N_RELEASE_ORDERS][N_PRIORITIES] = { { { false } } };
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
    Plan *plan = plan_of_all_families(PLAN_LIMITS_H200, false);
    const PlanEntry *last = &plan->entries[plan->n_entries - 1];

    (void)state;
    assert_true(
        plan_has_case(plan, FAMILY_LONG, KERNEL_GEMM_CUBLAS, KERNEL_NONE, 132));
    assert_true(
        plan_has_case(plan, FAMILY_LONG, KERNEL_GEMM_OWN, KERNEL_NONE, 132));
    assert_int_equal(last->work.family, FAMILY_LONG);
    assert_int_equal(last->work.seconds, PLAN_LONG_S);
    assert_int_equal(plan_entry_n_rows(last), PLAN_LONG_S);
    assert_true(last->estimate_s >= PLAN_LONG_S);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_plan_has_rows_of_all_families),
        cmocka_unit_test(test_a_measurement_plan_fits_its_time),
        cmocka_unit_test(test_measured_case_keys_are_unique),
        cmocka_unit_test(test_the_same_request_has_the_same_plan),
        cmocka_unit_test(test_reductions_and_copies_cover_all_sm_counts),
        cmocka_unit_test(test_each_compute_kernel_has_all_partners),
        cmocka_unit_test(test_partners_take_or_leave_shared_memory),
        cmocka_unit_test(test_partners_are_on_the_same_sms_too),
        cmocka_unit_test(test_all_release_orders_are_planned),
        cmocka_unit_test(test_a_long_case_has_a_row_for_each_second),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
