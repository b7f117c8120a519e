/* Tests of validate/error_statistics.c with invented rows. */
#include "tests/test.h"

#include <math.h>

#include "validate/error_statistics.h"

#define NEAREST (1U << JUDGE_RULE_NEAREST)

static GArray *new_rows(void)
{
    return g_array_new(FALSE, TRUE, sizeof(JudgeRow));
}

static JudgeRow *add_row(GArray *rows, const char *system, double measured,
                         double simulated)
{
    JudgeRow row = { .system = g_intern_string(system),
                     .kind = g_intern_string("kind"),
                     .wide_kind = g_intern_string("wide"),
                     .measured = measured,
                     .simulated = simulated,
                     .basis = 1 };

    g_array_append_val(rows, row);
    return &g_array_index(rows, JudgeRow, rows->len - 1);
}

/* Three rows of `many` are 10 % off, one row of `few` is 50 % off. */
static void test_systems_weigh_the_same(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j;

    (void)state;
    add_row(rows, "many", 100, 110);
    add_row(rows, "few", 200, 100);
    add_row(rows, "many", 100, 90);
    add_row(rows, "many", 10, 11);
    j = judge_rows(rows, 1U << JUDGE_RULE_BASIS);
    assert_int_equal(j.n_rows, 4);
    assert_int_equal(j.n_systems, 2);
    assert_float_equal(j.by_row_percent, 20, 1e-9);
    assert_float_equal(j.by_system_percent, 30, 1e-9);
    assert_string_equal(j.worst_system, "few");
    assert_float_equal(j.worst_system_percent, 50, 1e-9);
}

static void test_no_rows_have_no_errors(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j = judge_rows(rows, NEAREST);

    (void)state;
    assert_int_equal(j.n_rows, 0);
    assert_null(j.worst_system);
    assert_float_equal(j.ratio, 0, 0);
}

/* One fitted row takes its whole system out of the error left out. */
static void test_a_fitted_system_is_not_left_out(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j;

    (void)state;
    add_row(rows, "a", 100, 100)->is_fitted_to = TRUE;
    add_row(rows, "a", 100, 101);
    add_row(rows, "b", 100, 140);
    j = judge_rows(rows, NEAREST);
    assert_false(j.is_refitted);
    assert_int_equal(j.n_left_out_rows, 1);
    assert_int_equal(j.n_left_out_systems, 1);
    assert_float_equal(j.left_out_percent, 40, 1e-9);
    /* The rule is judged on the same row.  It predicts 100. */
    assert_float_equal(j.rule_percent, 0, 1e-9);
    assert_true(isinf(j.ratio));
    assert_false(judge_beats_rule(&j));
}

static void test_refitted_values_are_preferred(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j;

    (void)state;
    add_row(rows, "a", 100, 100)->left_out_value = 120;
    add_row(rows, "b", 200, 200);
    g_array_index(rows, JudgeRow, 0).is_fitted_to = TRUE;
    j = judge_rows(rows, NEAREST);
    assert_true(j.is_refitted);
    assert_int_equal(j.n_left_out_rows, 1);
    assert_float_equal(j.left_out_percent, 20, 1e-9);
    assert_float_equal(j.rule_percent, 100, 1e-9);
    assert_float_equal(j.ratio, 0.2, 1e-6);
    assert_true(judge_beats_rule(&j));
}

static void test_without_a_left_out_row_the_rule_meets_all_rows(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j;

    (void)state;
    add_row(rows, "a", 100, 115)->is_fitted_to = TRUE;
    add_row(rows, "b", 50, 57.5)->is_fitted_to = TRUE;
    j = judge_rows(rows, NEAREST);
    assert_int_equal(j.n_left_out_rows, 0);
    assert_float_equal(j.rule_percent, 75, 1e-9); /* 50 for 100, 100 for 50 */
    assert_float_equal(j.ratio, 0.2, 1e-6);
}

/* The quotients of the other systems are 2, 3 and 10. */
static void test_the_nearest_rule_is_the_median_of_other_systems(void **state)
{
    g_autoptr(GArray) rows = new_rows();

    (void)state;
    add_row(rows, "a", 777, 1)->basis = 5;
    add_row(rows, "a", 888, 1);
    add_row(rows, "b", 20, 1)->basis = 10;
    add_row(rows, "c", 30, 1)->basis = 10;
    add_row(rows, "d", 10, 1);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 15, 1e-9);
    assert_float_equal(judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_BASIS),
                       5, 1e-9);
    /* The median of an even number is the mean of the middle two. */
    g_array_set_size(rows, 4);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 12.5, 1e-9);
}

static void test_the_rule_never_sees_its_own_system(void **state)
{
    g_autoptr(GArray) rows = new_rows();

    (void)state;
    add_row(rows, "a", 100, 1);
    add_row(rows, "a", 300, 1);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 1, 1e-9);
}

static void test_the_rule_prefers_the_same_kind(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    JudgeRow *row;

    (void)state;
    add_row(rows, "a", 1, 1);
    add_row(rows, "b", 7, 1);
    row = add_row(rows, "c", 9, 1);
    row->kind = g_intern_string("other");
    row = add_row(rows, "d", 11, 1);
    row->kind = row->wide_kind = g_intern_string("other");
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 7, 1e-9);
    g_array_remove_index(rows, 1);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 9, 1e-9);
    g_array_remove_index(rows, 1);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 11, 1e-9);
}

static void test_the_rule_takes_the_nearest_rows(void **state)
{
    g_autoptr(GArray) rows = new_rows();

    (void)state;
    add_row(rows, "a", 1, 1)->x = 3;
    add_row(rows, "b", 50, 1)->x = 8;
    add_row(rows, "b", 10, 1)->x = 4;
    add_row(rows, "b", 20, 1)->x = 4; /* as near: their mean is 15 */
    add_row(rows, "c", 25, 1)->x = 1.6;
    add_row(rows, "d", 99, 1)->x = 0; /* 3 away, where b is 1 away */
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_NEAREST), 20, 1e-9);
}

/* The medians of the other systems are 3 and 10: kinds and .x do not count. */
static void test_the_median_rule_takes_each_system_once(void **state)
{
    g_autoptr(GArray) rows = new_rows();

    (void)state;
    add_row(rows, "a", 100, 1)->basis = 2;
    add_row(rows, "b", 1, 1);
    add_row(rows, "b", 3, 1)->x = 9;
    add_row(rows, "b", 50, 1)->kind = g_intern_string("other");
    add_row(rows, "c", 10, 1);
    assert_float_equal(
        judge_value_predicted_by_rule(rows, 0, JUDGE_RULE_MEDIAN), 13, 1e-9);
}

/* The basis is 50 % off, the nearest rule 100 and the median 25 %. */
static void test_the_best_of_the_admitted_rules_counts(void **state)
{
    g_autoptr(GArray) rows = new_rows();
    Judgement j;

    (void)state;
    add_row(rows, "a", 4, 4)->basis = 2;
    add_row(rows, "b", 4, 4)->is_fitted_to = TRUE;
    add_row(rows, "b", 2.5, 4)->x = 9;
    add_row(rows, "b", 1, 4)->x = 9;
    j = judge_rows(rows, JUDGE_ALL_RULES);
    assert_int_equal(j.n_left_out_systems, 1);
    assert_int_equal(j.rule, JUDGE_RULE_MEDIAN);
    assert_float_equal(j.rule_percent, 25, 1e-6);
    j = judge_rows(rows, NEAREST | 1U << JUDGE_RULE_BASIS);
    assert_int_equal(j.rule, JUDGE_RULE_BASIS);
    assert_float_equal(j.rule_percent, 50, 1e-6);
    j = judge_rows(rows, NEAREST);
    assert_float_equal(j.rule_percent, 100, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_systems_weigh_the_same),
        cmocka_unit_test(test_no_rows_have_no_errors),
        cmocka_unit_test(test_a_fitted_system_is_not_left_out),
        cmocka_unit_test(test_refitted_values_are_preferred),
        cmocka_unit_test(test_without_a_left_out_row_the_rule_meets_all_rows),
        cmocka_unit_test(test_the_nearest_rule_is_the_median_of_other_systems),
        cmocka_unit_test(test_the_rule_never_sees_its_own_system),
        cmocka_unit_test(test_the_rule_prefers_the_same_kind),
        cmocka_unit_test(test_the_rule_takes_the_nearest_rows),
        cmocka_unit_test(test_the_median_rule_takes_each_system_once),
        cmocka_unit_test(test_the_best_of_the_admitted_rules_counts),
    };

    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
