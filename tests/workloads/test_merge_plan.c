/* test_merge_plan.c - tests of workloads/exchange/merge_plan.c: which gradients
 * MG-WFBP's rule merges */
#include "tests/test.h"

#include "sim/core/rng.h"
#include "workloads/exchange/merge_plan.h"

#define US UINT64_C(1000000)

/* The latency is 10 us and the rate 1 byte/ns, so that 90,000 B take 100 us. */
static const MergeCostModel model = { 10 * US, 1000000000, 0 };

static void assert_merge_plan(const MergeCostModel *b,
                              const MergeTensor *tensors, guint n,
                              const uint32_t *expected, guint n_expected)
{
    g_autoptr(GArray) plan = merge_plan_make(b, tensors, n);

    assert_int_equal(plan->len, n_expected);
    for (guint i = 0; i < n_expected; i++)
        assert_int_equal(g_array_index(plan, uint32_t, i), expected[i]);
}

static void
test_a_message_takes_its_latency_plus_bytes_over_bandwidth(void **state)
{
    const MergeCostModel slow = { 1, 3, 0 };

    (void)state;
    assert_int_equal(merge_cost_of_message_ps(&model, 0), 10 * US);
    assert_int_equal(merge_cost_of_message_ps(&model, 90000), 100 * US);
    assert_int_equal(merge_cost_of_message_ps(&slow, 1),
                     1 + UINT64_C(333333333334));
    assert_int_equal(merge_cost_of_message_ps(&slow, UINT64_MAX), UINT64_C(1)
                                                                      << 63);
}

/*
 * Expected plan, by hand.  Each tensor has a time at which it is ready.
 *
 * Tensor 0 is sent alone from 0 to 100 us: the next tensor is ready at 20 us,
 * more than one latency (10 us) later.
 *
 * Tensor 1 cannot start before 100 us.  Tensors 2 and 3 are ready by then and
 * are merged with it.  Tensor 4 is ready at 111 us, which is too late.  The
 * message ends at 100 + 10 + 3 x 5 = 125 us.
 *
 * Tensor 4 could start at 125 us.  Tensor 5 is merged because 134 - 125 < 10.
 * Tensor 6 is not, because 144 - 134 is a whole
 * latency. */
static void test_the_plan_equals_one_made_by_hand(void **state)
{
    static const MergeTensor tensors[] = {
        { 0, 9, 90000 },       { 20 * US, 9, 5000 },  { 50 * US, 9, 5000 },
        { 99 * US, 9, 5000 },  { 111 * US, 9, 1000 }, { 134 * US, 9, 1000 },
        { 144 * US, 9, 1000 },
    };
    static const uint32_t expected[] = { 1, 3, 2, 1 };

    (void)state;
    assert_merge_plan(&model, tensors, G_N_ELEMENTS(tensors), expected,
                      G_N_ELEMENTS(expected));
}

static void test_tensors_less_than_one_latency_apart_are_merged(void **state)
{
    static const MergeTensor early[] = { { 0, 1, 1 }, { 10 * US - 1, 1, 1 } };
    static const MergeTensor late[] = { { 0, 1, 1 }, { 10 * US, 1, 1 } };

    (void)state;
    assert_merge_plan(&model, early, 2, (const uint32_t[]){ 2 }, 1);
    assert_merge_plan(&model, late, 2, (const uint32_t[]){ 1, 1 }, 2);
}

static void test_merged_messages_have_a_minimum_number_of_values(void **state)
{
    static const MergeTensor tensors[] = { { 0, 7, 28 },
                                           { 1000 * US, 1, 4 },
                                           { 2000 * US, 8, 32 },
                                           { 3000 * US, 1, 4 } };
    const MergeCostModel few = { 10 * US, 1000000000, 8 };

    (void)state;
    assert_merge_plan(&few, tensors, 4, (const uint32_t[]){ 2, 1, 1 }, 3);
    assert_merge_plan(&model, tensors, 4, (const uint32_t[]){ 1, 1, 1, 1 }, 4);
}

static void test_one_tensor_is_one_gradient_message(void **state)
{
    static const MergeTensor one = { 5, 1, 1 };

    (void)state;
    assert_merge_plan(&model, &one, 1, (const uint32_t[]){ 1 }, 1);
}

/* Returns the end of the last message.  Messages are sent one after the other,
 * each after its last tensor is ready. */
static uint64_t end_of_merge_plan_ps(const MergeCostModel *b,
                                     const MergeTensor *tensors,
                                     const uint32_t *groups, guint n_groups)
{
    uint64_t now_ps = 0;
    guint next = 0;

    for (guint g = 0; g < n_groups; g++) {
        uint64_t bytes = 0;

        for (uint32_t i = 0; i < groups[g]; i++)
            bytes += tensors[next++].bytes;
        now_ps = MAX(now_ps, tensors[next - 1].ready_ps) +
                 merge_cost_of_message_ps(b, bytes);
    }
    return now_ps;
}

typedef struct {
    RngStream stream;
    uint64_t n;
} Draw;

static uint64_t draw_number_below(Draw *draw, uint64_t end)
{
    return rng_value_at_indices(draw->stream, draw->n++, 0, 0) % end;
}

static void
test_no_plan_ends_later_than_one_message_or_one_per_tensor(void **state)
{
    Draw draw = { rng_new_stream(1, "plans"), 0 };

    (void)state;
    for (guint run = 0; run < 2000; run++) {
        guint n = 1 + (guint)draw_number_below(&draw, 40);
        const MergeCostModel b = { draw_number_below(&draw, 50 * US),
                                   1 + draw_number_below(&draw, 4000000000),
                                   0 };
        g_autofree MergeTensor *tensors = g_new0(MergeTensor, n);
        g_autofree uint32_t *each = g_new0(uint32_t, n);
        g_autoptr(GArray) plan = NULL;
        uint64_t ready_ps = 0, planned_ps;

        for (guint i = 0; i < n; i++) {
            ready_ps += draw_number_below(&draw, 40 * US);
            tensors[i] = (MergeTensor){ ready_ps, 1,
                                        1 + draw_number_below(&draw, 100000) };
            each[i] = 1;
        }
        plan = merge_plan_make(&b, tensors, n);
        planned_ps = end_of_merge_plan_ps(
            &b, tensors, (const uint32_t *)(gpointer)plan->data, plan->len);
        assert_true(planned_ps <= end_of_merge_plan_ps(&b, tensors, each, n));
        assert_true(planned_ps <= end_of_merge_plan_ps(&b, tensors, &n, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_message_takes_its_latency_plus_bytes_over_bandwidth),
        cmocka_unit_test(test_the_plan_equals_one_made_by_hand),
        cmocka_unit_test(test_tensors_less_than_one_latency_apart_are_merged),
        cmocka_unit_test(test_merged_messages_have_a_minimum_number_of_values),
        cmocka_unit_test(test_one_tensor_is_one_gradient_message),
        cmocka_unit_test(
            test_no_plan_ends_later_than_one_message_or_one_per_tensor),
    };

    return cmocka_run_group_tests_name("merge plan", tests, NULL, NULL);
}
