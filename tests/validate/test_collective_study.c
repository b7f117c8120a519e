/* Tests of validate/collectives: published times of collectives, the start time
 * and rate of each system, and the verdicts. */
#include "tests/test.h"

#include "validate/collectives/collective_study.h"
#include "validate/collectives/collective_text.h"

#define HEAD                                                                   \
    "source,system,n_npus,collective,pin,payload_bytes,time_us,n_rows\n"

#define KIB (1U << 10)
#define MIB (1U << 20)

static CollectiveRows *published_collectives_of_text(const char *text,
                                                     GError **error)
{
    static const char machines[] = "system,n_npus,platform,sets\n"
                                   "one,8,one.yaml,\n";
    g_autofree char *all = g_strconcat(HEAD, text, NULL);
    CsvTable *a = csv_table_parse("rows.csv", all, strlen(all), error);
    CsvTable *b =
        csv_table_parse("machines.csv", machines, strlen(machines), error);

    assert_non_null(a);
    assert_non_null(b);
    return published_collectives_new(a, b, error);
}

static CollectiveRows *published_collectives_of_good_text(void)
{
    GError *error = NULL;
    CollectiveRows *rows =
        published_collectives_of_text("KEY,one,8,all-reduce,,1024,30,1\n"
                                      "KEY,one,8,all-reduce,,1048576,100,1\n"
                                      "KEY,one,8,all-reduce,,67108864,230,1\n"
                                      "KEY,one,8,all-reduce,algorithm=ring,"
                                      "67108864,330,1\n"
                                      "KEY,two,8,all-reduce,,1024,30,1\n",
                                      &error);

    assert_no_error(error);
    assert_non_null(rows);
    return rows;
}

static void set_simulated_time(CollectiveRows *rows, guint i, double us,
                               const char *algorithm)
{
    published_collective_at(rows, i)->simulated_us = us;
    published_collective_at(rows, i)->algorithm = algorithm;
}

static void set_all_simulated_times(CollectiveRows *rows)
{
    set_simulated_time(rows, 0, 10, "ring");
    set_simulated_time(rows, 1, 50, "NVLS");
    set_simulated_time(rows, 2, 110, "NVLS");
    set_simulated_time(rows, 3, 220, "ring");
}

static void test_rows_of_one_run_differ_only_in_size(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();

    (void)state;
    assert_int_equal(published_collectives_count_rows_of_run(rows, 0), 3);
    assert_int_equal(published_collectives_count_rows_of_run(rows, 3), 1);
    assert_int_equal(published_collectives_count_rows_of_run(rows, 4), 1);
    assert_string_equal(published_collective_at(rows, 0)->platform, "one.yaml");
    assert_null(published_collective_at(rows, 4)->platform);
}

static void test_size_ranges_begin_and_end_at_powers_of_two(void **state)
{
    (void)state;
    assert_int_equal(collective_size_range(64 * KIB - 1),
                     COLLECTIVE_BELOW_64_KIB);
    assert_int_equal(collective_size_range(64 * KIB), COLLECTIVE_TO_1_MIB);
    assert_int_equal(collective_size_range(MIB), COLLECTIVE_TO_256_MIB);
    assert_int_equal(collective_size_range(256.0 * MIB), COLLECTIVE_TO_256_MIB);
    assert_int_equal(collective_size_range(512.0 * MIB), COLLECTIVE_TO_1_GIB);
    assert_int_equal(collective_size_range(1024.0 * MIB),
                     COLLECTIVE_FROM_1_GIB);
}

/* 30 = 10 + 2 x 10, 230 = 10 + 2 x 110: the start time is 10, the rate 2. */
static void
test_the_collective_fit_meets_smallest_and_largest_size(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();

    (void)state;
    set_all_simulated_times(rows);
    collective_study_fit_line(rows);
    assert_true(ABS(published_collective_at(rows, 0)->own_us - 30) < 1e-9);
    assert_true(ABS(published_collective_at(rows, 2)->own_us - 230) < 1e-9);
    assert_true(ABS(published_collective_at(rows, 1)->own_us - 110) < 1e-9);
    assert_true(published_collective_at(rows, 0)->is_fitted_to);
    assert_false(published_collective_at(rows, 1)->is_fitted_to);
    assert_true(published_collective_at(rows, 2)->is_fitted_to);
    assert_false(published_collective_at(rows, 3)->is_fitted_to);
    assert_true(published_collective_at(rows, 4)->own_us <= 0);
}

static void test_start_time_is_never_negative(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();

    (void)state;
    set_all_simulated_times(rows);
    set_simulated_time(rows, 0, 100, "ring");
    collective_study_fit_line(rows);
    assert_true(ABS(published_collective_at(rows, 2)->own_us - 230) < 1e-9);
    assert_true(published_collective_at(rows, 0)->own_us >= 100);
    assert_false(published_collective_at(rows, 0)->is_fitted_to);
}

static void test_fitted_errors_exclude_the_rows_fitted_to(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();
    CollectiveFilter filter = { .range = COLLECTIVE_N_RANGES };
    CollectiveErrors errors;

    (void)state;
    set_all_simulated_times(rows);
    collective_study_fit_line(rows);
    errors = collective_study_errors(rows, &filter);
    /* The row without a machine is not counted. */
    assert_int_equal(errors.n, 4);
    assert_true(ABS(errors.worst - 200.0 / 3) < 1e-9);
    filter.own = TRUE;
    errors = collective_study_errors(rows, &filter);
    /* The simulated times are 110 for 100, and 450 for 330. */
    assert_int_equal(errors.n, 2);
    assert_true(ABS(errors.mean - (10 + 100 * 120.0 / 330) / 2) < 1e-9);
    filter.range = COLLECTIVE_FROM_1_GIB;
    assert_int_equal(collective_study_errors(rows, &filter).n, 0);
}

static void test_algorithm_choices_are_read_from_unpinned_rows(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();

    (void)state;
    set_all_simulated_times(rows);
    assert_true(collective_study_first_bytes_of_algorithm(rows, "one", 8,
                                                          "NVLS") == MIB);
    assert_true(
        collective_study_first_bytes_of_algorithm(rows, "one", 8, "tree") <= 0);
    assert_true(
        ABS(collective_study_slowdown_of_pin(rows, "one", 8, "algorithm=ring") -
            2) < 1e-9);
    assert_true(collective_study_slowdown_of_pin(rows, "one", 7,
                                                 "algorithm=ring") <= 0);
}

static void test_no_collective_verdict_holds_without_results(void **state)
{
    g_autoptr(CollectiveRows) rows = published_collectives_of_good_text();
    g_autoptr(GArray) verdicts = collective_study_verdicts(rows);

    (void)state;
    for (guint i = 0; i < verdicts->len; i++)
        assert_false(g_array_index(verdicts, CollectiveVerdict, i).is_met);
}

static void test_a_bandwidth_curve_has_one_point_per_size(void **state)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(CollectiveRows) rows = NULL;
    g_autofree char *name = NULL;
    g_autofree char *points = NULL;
    GError *error = NULL;

    (void)state;
    for (guint i = 0; i < 5; i++)
        g_string_append_printf(text, "KEY,one,8,all-reduce,,%u,2,1\n",
                               1000U << i);
    rows = published_collectives_of_text(text->str, &error);
    /* No row is simulated yet. */
    assert_null(collective_study_points(rows, 0, 5, &name));
    for (guint i = 0; i < 5; i++)
        set_simulated_time(rows, i, 1, "ring");
    points = collective_study_points(rows, 0, 5, &name);
    assert_string_equal(name, "collectives/one-8.dat");
    /* 1000 B in 2 us are 0.5 GB/s; the busbw of 8 ranks is 7/4 of that. */
    assert_non_null(strstr(points, "\n1000 0.8750 1.7500 0.0000\n"));
}

static void test_invalid_collective_rows_are_refused(void **state)
{
    static const char *const bad[] = {
        "KEY,one,1,all-reduce,,8,30,1\n",
        "KEY,one,8,all-reduce,,0,30,1\n",
        "KEY,one,8,all-reduce,,8,0,1\n",
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        CollectiveRows *rows = published_collectives_of_text(bad[i], &error);

        assert_null(rows);
        assert_true(
            g_error_matches(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT));
    }
}

static void test_published_collective_rows_are_valid(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(g_getenv("SRCDIR") ?: ".",
                                             COLLECTIVE_MEASURED_FILE, NULL);
    g_autofree char *other = g_build_filename(g_getenv("SRCDIR") ?: ".",
                                              COLLECTIVE_MACHINES_FILE, NULL);
    CsvTable *measured = csv_table_load(path, &error);
    CsvTable *machines = csv_table_load(other, &error);
    g_autoptr(CollectiveRows) rows = NULL;

    (void)state;
    assert_no_error(error);
    rows = published_collectives_new(measured, machines, &error);
    assert_no_error(error);
    assert_true(rows->rows->len > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_one_run_differ_only_in_size),
        cmocka_unit_test(test_size_ranges_begin_and_end_at_powers_of_two),
        cmocka_unit_test(
            test_the_collective_fit_meets_smallest_and_largest_size),
        cmocka_unit_test(test_start_time_is_never_negative),
        cmocka_unit_test(test_fitted_errors_exclude_the_rows_fitted_to),
        cmocka_unit_test(test_algorithm_choices_are_read_from_unpinned_rows),
        cmocka_unit_test(test_no_collective_verdict_holds_without_results),
        cmocka_unit_test(test_a_bandwidth_curve_has_one_point_per_size),
        cmocka_unit_test(test_invalid_collective_rows_are_refused),
        cmocka_unit_test(test_published_collective_rows_are_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
