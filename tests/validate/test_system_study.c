/* Tests of validate/systems: rows joined to points of a sweep, errors, order,
 * best. */
#include "tests/test.h"

#include "validate/systems/system_study.h"

static const SystemTable table = { "p", "t", "method" };

static const char runs_text[] =
    "size,method,without,iteration_time_us,comm_active_us\n"
    "1,a,nothing,100000,1\n"
    "1,a,overlap,150000,1\n"
    "1,b,nothing,120000,1\n"
    "2,a,nothing,210000,40000\n"
    "2,b,nothing,190000,1\n";

static SystemStudy *system_study_of_text(const char *data_text, GError **error)
{
    CsvTable *runs =
        csv_table_parse("runs.csv", runs_text, strlen(runs_text), error);
    CsvTable *data =
        csv_table_parse("data.csv", data_text, strlen(data_text), error);
    SystemStudy *study = system_study_new(&table, data, runs, error);

    csv_table_free(runs);
    csv_table_free(data);
    return study;
}

static SystemStudy *good_system_study(const char *data_text)
{
    GError *error = NULL;
    SystemStudy *study = system_study_of_text(data_text, &error);

    if (!study)
        fail_msg("%s", error->message);
    return study;
}

static void test_measured_rows_are_joined_by_axes(void **state)
{
    g_autoptr(SystemStudy) study =
        good_system_study("method,size,column,measured_ms,use,source\n"
                          "a,2,comm_active_us,50,fitted,S\n"
                          "b,1,iteration_time_us,100,held,S\n"
                          "a,1,iteration_time_us,90,told,S\n");
    SystemErrors held = system_study_errors(study, SYSTEM_HELD_OUT, "");
    SystemErrors fitted = system_study_errors(study, SYSTEM_FITTED, "a");

    (void)state;
    assert_int_equal(held.n, 1);
    assert_float_equal(held.mean_percent, 20, 1e-9);
    assert_string_equal(held.worst, "b, 1");
    assert_int_equal(fitted.n, 1);
    assert_float_equal(fitted.worst_percent, 20, 1e-9);
    assert_int_equal(system_study_errors(study, SYSTEM_FITTED, "b").n, 0);
}

/* When simulated, a is faster at size 1 and b at size 2.  When measured, a is
 * faster at both sizes, so one of two pairs has the same order. */
static void test_system_order_counts_pairs_with_different_times(void **state)
{
    g_autoptr(SystemStudy) study =
        good_system_study("size,method,column,measured_ms,use,source\n"
                          "1,a,iteration_time_us,100,held,S\n"
                          "1,b,iteration_time_us,110,held,S\n"
                          "2,a,iteration_time_us,200,held,S\n"
                          "2,b,iteration_time_us,260,held,S\n");
    SystemOrder five = system_study_order(study, 5),
                twenty = system_study_order(study, 20);
    SystemOrder best = system_study_best(study);

    (void)state;
    assert_int_equal(five.n, 2);
    assert_int_equal(five.n_right, 1);
    assert_int_equal(twenty.n, 1);
    assert_int_equal(twenty.n_right, 0);
    assert_int_equal(best.n, 2);
    assert_int_equal(best.n_right, 1);
}

static void test_differences_below_the_spread_do_not_count(void **state)
{
    g_autoptr(SystemStudy) study = good_system_study(
        "size,method,column,measured_ms,use,spread_percent,source\n"
        "1,a,iteration_time_us,100,held,4,S\n"
        "1,b,iteration_time_us,110,held,,S\n"
        "2,a,iteration_time_us,200,held,6,S\n"
        "2,b,iteration_time_us,220,held,,S\n");

    (void)state;
    assert_int_equal(system_study_order(study, 5).n, 1);
}

static void test_ablation_errors_use_the_same_rows(void **state)
{
    g_autoptr(SystemStudy) study =
        good_system_study("size,method,column,measured_ms,use,source\n"
                          "1,a,iteration_time_us,100,held,S\n"
                          "1,b,iteration_time_us,100,held,S\n");
    const SystemAblation *without =
        &g_array_index(study->ablations, SystemAblation, 0);

    (void)state;
    assert_int_equal(study->ablations->len, 1);
    assert_string_equal(without->part, "overlap");
    assert_int_equal(without->n, 1);
    assert_float_equal(without->mean_percent, 0, 1e-9);
    assert_float_equal(without->mean_without, 50, 1e-9);
}

static void test_a_measured_row_without_a_point_is_an_error(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(
        system_study_of_text("size,method,column,measured_ms,use,source\n"
                             "3,a,iteration_time_us,100,held,S\n",
                             &error));
    assert_gerror(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                  "row 1 (3, a): the sweep has no such point");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_rows_are_joined_by_axes),
        cmocka_unit_test(test_system_order_counts_pairs_with_different_times),
        cmocka_unit_test(test_differences_below_the_spread_do_not_count),
        cmocka_unit_test(test_ablation_errors_use_the_same_rows),
        cmocka_unit_test(test_a_measured_row_without_a_point_is_an_error),
    };

    return cmocka_run_group_tests_name("system-study", tests, NULL, NULL);
}
