/* test_tensor_grouping_model.c - tests of
 * sim/study/optimise/tensor_grouping_model.h: which tensors share a message */
#include "sim/core/rng.h"
#include "sim/study/optimise/tensor_grouping_model.h"
#include "tests/test.h"

#define MAX_TENSORS 9

static GArray *tensor_array_new(const GroupingTensor *tensors, guint n)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof *tensors);

    g_array_append_vals(ret, tensors, n);
    return ret;
}

/* Draws tensors with sizes and times, and durations of messages. */
static void draw_grouping_case(guint number, GArray **tensors,
                               GArray **messages)
{
    RngStream stream = rng_new_stream(1, "grouping");
    GroupingTensor drawn[MAX_TENSORS];
    GroupingMessage seen[3];
    guint n =
        1 + (guint)(rng_value_at_indices(stream, number, 0, 0) % MAX_TENSORS);
    uint64_t now_ps = 0;

    for (guint i = 0; i < n; i++) {
        now_ps += rng_value_at_indices(stream, number, 1, i) % 1000;
        drawn[i] = (GroupingTensor){
            1 + rng_value_at_indices(stream, number, 2, i) % 500, now_ps
        };
    }
    for (guint i = 0; i < G_N_ELEMENTS(seen); i++)
        seen[i] = (GroupingMessage){
            1 + 700 * i,
            10 + i * (rng_value_at_indices(stream, number, 3, 0) % 2000)
        };
    *tensors = tensor_array_new(drawn, n);
    *messages = grouping_average_messages(seen, G_N_ELEMENTS(seen));
}

/* Returns the sizes of groups of @n tensors.  If bit i of @cuts is set, a group
 * ends after tensor i. */
static GArray *group_sizes_of_cuts(guint n, guint cuts)
{
    GArray *counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t count = 0;

    for (guint i = 0; i < n; i++) {
        count++;
        if (i + 1 < n && !(cuts >> i & 1))
            continue;
        g_array_append_val(counts, count);
        count = 0;
    }
    return counts;
}

static guint sum_of_group_sizes(const GArray *counts)
{
    guint sum = 0;

    for (guint i = 0; i < counts->len; i++)
        sum += g_array_index(counts, uint32_t, i);
    return sum;
}

static void test_the_grouping_plan_is_optimal(void **state)
{
    (void)state;
    for (guint number = 0; number < n_random_draws(200); number++) {
        g_autoptr(GArray) tensors = NULL;
        g_autoptr(GArray) messages = NULL;
        g_autoptr(GArray) plan = NULL;
        double found_ps, least_ps = G_MAXDOUBLE;
        guint first;

        draw_grouping_case(number, &tensors, &messages);
        plan = grouping_find_best_plan(tensors, messages);
        found_ps = grouping_plan_end_ps(tensors, messages, plan, &first);
        for (guint cuts = 0; cuts < 1u << (tensors->len - 1); cuts++) {
            g_autoptr(GArray) counts = group_sizes_of_cuts(tensors->len, cuts);

            least_ps = MIN(least_ps, grouping_plan_end_ps(tensors, messages,
                                                          counts, &first));
        }
        assert_int_equal(sum_of_group_sizes(plan), tensors->len);
        assert_true(found_ps == least_ps);
    }
}

static void test_message_times_are_interpolated_between_sizes(void **state)
{
    const GroupingMessage seen[] = {
        { 100, 30 }, { 300, 70 }, { 100, 10 }, { 200, 40 }
    };
    g_autoptr(GArray) messages = grouping_average_messages(seen, 4);

    (void)state;
    assert_int_equal(messages->len, 3);
    /* The expected time is the mean of two observations. */
    assert_true(grouping_message_time_ps(messages, 100) == 20);
    assert_true(grouping_message_time_ps(messages, 150) == 30);
    assert_true(grouping_message_time_ps(messages, 250) == 55);
    /* The expected time is extrapolated from the last segment. */
    assert_true(grouping_message_time_ps(messages, 400) == 100);
    /* The expected time is extrapolated from the first segment. */
    assert_true(grouping_message_time_ps(messages, 50) == 10);
    assert_true(grouping_message_time_ps(messages, 1) >= 0);
}

static void test_messages_take_no_time_without_observations(void **state)
{
    g_autoptr(GArray) none = grouping_average_messages(NULL, 0);

    (void)state;
    assert_true(grouping_message_time_ps(none, 1000) == 0);
}

static void test_messages_without_start_cost_are_sent_separately(void **state)
{
    const GroupingTensor drawn[] = { { 10, 0 }, { 10, 100 }, { 10, 200 } };
    const GroupingMessage free_to_start[] = { { 10, 10 }, { 20, 20 } };
    const GroupingMessage dear_to_start[] = { { 10, 1000 }, { 20, 1001 } };
    g_autoptr(GArray) tensors = tensor_array_new(drawn, 3);
    g_autoptr(GArray) a = grouping_average_messages(free_to_start, 2);
    g_autoptr(GArray) b = grouping_average_messages(dear_to_start, 2);
    g_autoptr(GArray) separate = grouping_find_best_plan(tensors, a);
    g_autoptr(GArray) merged = grouping_find_best_plan(tensors, b);

    (void)state;
    assert_int_equal(g_array_index(separate, uint32_t, separate->len - 1), 1);
    assert_int_equal(merged->len, 1);
}

static void test_messages_before_a_pause_are_not_critical(void **state)
{
    const GroupingTensor drawn[] = {
        { 10, 0 }, { 10, 1 }, { 10, 1000 }, { 10, 1001 }
    };
    const GroupingMessage seen[] = { { 10, 10 }, { 20, 20 } };
    g_autoptr(GArray) tensors = tensor_array_new(drawn, 4);
    g_autoptr(GArray) messages = grouping_average_messages(seen, 2);
    g_autoptr(GArray) single = group_sizes_of_cuts(4, 7);
    guint first;

    (void)state;
    assert_true(grouping_plan_end_ps(tensors, messages, single, &first) ==
                1020);
    assert_int_equal(first, 2);
}

static void test_simple_grouping_plans_contain_all_tensors(void **state)
{
    const GroupingTensor drawn[] = {
        { 1, 0 }, { 1, 1 }, { 1000, 2 }, { 1, 3 }, { 1, 4 }
    };
    g_autoptr(GArray) tensors = tensor_array_new(drawn, 5);

    (void)state;
    for (guint n = 1; n <= 8; n++) {
        g_autoptr(GArray) bytes = grouping_split_by_bytes(tensors, n);
        g_autoptr(GArray) count = grouping_split_by_count(tensors, n);

        assert_int_equal(sum_of_group_sizes(bytes), 5);
        assert_int_equal(sum_of_group_sizes(count), 5);
        assert_int_equal(count->len, MIN(n, 5));
        assert_true(bytes->len <= n);
    }
}

/* These are more tensors than the quadratic algorithm handles, so neighbours
 * are merged first. */
static void test_a_grouping_plan_of_many_tensors_contains_all(void **state)
{
    const GroupingMessage seen[] = { { 10, 100 }, { 20, 110 } };
    g_autoptr(GArray) messages = grouping_average_messages(seen, 2);
    g_autoptr(GArray) tensors =
        g_array_new(FALSE, FALSE, sizeof(GroupingTensor));
    g_autoptr(GArray) plan = NULL;

    (void)state;
    for (guint i = 0; i < 2 * GROUPING_MAX_TENSORS + 7; i++) {
        GroupingTensor tensor = { 10, 50 * i };

        g_array_append_val(tensors, tensor);
    }
    plan = grouping_find_best_plan(tensors, messages);
    assert_int_equal(sum_of_group_sizes(plan), tensors->len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_grouping_plan_is_optimal),
        cmocka_unit_test(test_message_times_are_interpolated_between_sizes),
        cmocka_unit_test(test_messages_take_no_time_without_observations),
        cmocka_unit_test(test_messages_without_start_cost_are_sent_separately),
        cmocka_unit_test(test_messages_before_a_pause_are_not_critical),
        cmocka_unit_test(test_simple_grouping_plans_contain_all_tensors),
        cmocka_unit_test(test_a_grouping_plan_of_many_tensors_contains_all),
    };

    return cmocka_run_group_tests_name("grouping", tests, NULL, NULL);
}
