/* Tests of validate/accuracy and of the NPUs that a chip is left out of, with
 * invented rows and files. */
#include "tests/test.h"

#include "validate/accuracy/accuracy.h"

/* ---- NPUs without what was fitted to their chip -------------------------- */

static void add_npu(GArray *files, const char *npu, const char *chip,
                    const char *text)
{
    NpuFile file = { .npu = g_strdup(npu),
                     .chip = g_strdup(chip),
                     .text = g_strdup(text) };

    g_array_append_val(files, file);
}

static void assert_left_out_text(const GArray *files, guint i,
                                 const char *expected)
{
    GError *error = NULL;
    g_autofree char *text = npu_files_left_out_text(files, i, &error);

    if (!text)
        fail_msg("%s", error->message);
    assert_string_equal(text, expected);
}

static void test_fitted_constants_come_from_other_chips(void **state)
{
    g_autoptr(GArray) files = npu_files_new();

    (void)state;
    add_npu(files, "one", "A",
            "# fitted to: a comment\n"
            "sms: 4 # data sheet\n"
            "latency: 100 ns # fitted to 9 rows\n"
            "fp16:\n"
            "  memory: 90 % # fitted to 9 rows\n"
            "  own: 3 # fitted to 9 rows\n"
            "latency_of_others: 7 # fitted to 9 rows");
    add_npu(files, "sibling", "A", "latency: 900 ns # fitted to 9 rows\n");
    add_npu(files, "two", "B",
            "latency: 0.2 us # fitted to 9 rows\n"
            "memory: 1 % # fitted to 9 rows\n"
            "fp16:\n"
            "  memory: 50 % # fitted to 9 rows\n"
            "latency_of_others: 12 # fitted to 9 rows\n");
    add_npu(files, "three", "C",
            "latency: 400000 ps # fitted to 9 rows\n"
            "fp16:\n"
            "  memory: 10 % # assumed\n");
    assert_left_out_text(files, 0,
                         "# fitted to: a comment\n"
                         "sms: 4 # data sheet\n"
                         "latency: 300.00 ns\n"
                         "fp16:\n"
                         "  memory: 50.00 %\n"
                         "latency_of_others: 12\n");
    assert_string_equal(npu_files_chip_of_npu(files, "sibling"), "A");
    assert_null(npu_files_chip_of_npu(files, "none"));
}

static void test_an_unknown_unit_is_an_error(void **state)
{
    g_autoptr(GArray) files = npu_files_new();
    g_autoptr(GError) error = NULL;

    (void)state;
    add_npu(files, "one", "A", "rate: 1 GB/s # fitted to 9 rows");
    add_npu(files, "two", "B", "rate: 1 GB/s # fitted to 9 rows");
    assert_null(npu_files_left_out_text(files, 0, &error));
    assert_string_equal(error->message,
                        "a fitted constant of an NPU, '1 GB/s', has a unit "
                        "other than ps, ns, us and %");
}

/* ---- rows of training systems -------------------------------------------- */

static SystemStudy *study_of_text(const SystemTable *table, const char *data,
                                  const char *runs)
{
    GError *error = NULL;
    g_autoptr(CsvTable) d = csv_table_parse("d", data, strlen(data), &error);
    g_autoptr(CsvTable) r = csv_table_parse("r", runs, strlen(runs), &error);
    SystemStudy *study = system_study_new(table, d, r, &error);

    if (!study)
        fail_msg("%s", error->message);
    return study;
}

static GArray *rows_of_system(SystemStudy *study, const SystemDetail *detail)
{
    g_auto(MeasuredStudies) studies = { 0 };
    AccuracyFamily family = { .detail = detail };
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(JudgeRow));
    GError *error = NULL;

    measured_studies_init(&studies);
    g_ptr_array_add(studies.systems, study);
    if (!add_system_rows(&studies, &family, rows, &error))
        fail_msg("%s", error->message);
    return rows;
}

#define ROW(rows, i) (&g_array_index(rows, JudgeRow, i))

static void test_axes_name_systems_and_kinds(void **state)
{
    static const SystemTable table = { "p", "t", NULL };
    static const SystemDetail detail = { .table = "t",
                                         .axes = "nfx",
                                         .basis = SYSTEM_BASIS_COMPUTE,
                                         .not_system = "bad" };
    SystemStudy *study = study_of_text(
        &table,
        "net,method,size,column,measured_ms,use\n"
        "tcp 8,mg x,2 KiB,iteration_time_us,5,fitted\n"
        "tcp 8,mg x,4 KiB,iteration_time_us,6,told\n"
        "bad 8,mg x,2 KiB,iteration_time_us,7,held\n"
        "tcp 4,ps,2 KiB,comm_us,8,held\n",
        "net,method,size,iteration_time_us,comm_us,compute_time_us\n"
        "tcp 8,mg x,2 KiB,4000,0,3000\n"
        "tcp 8,mg x,4 KiB,4000,0,3000\n"
        "bad 8,mg x,2 KiB,4000,0,3000\n"
        "tcp 4,ps,2 KiB,4000,9000,2500\n");
    g_autoptr(GArray) rows = rows_of_system(study, &detail);

    (void)state;
    assert_int_equal(rows->len, 2);
    assert_string_equal(ROW(rows, 0)->system, "tcp 8");
    assert_string_equal(ROW(rows, 0)->kind, "mg, iteration_time_us");
    assert_float_equal(ROW(rows, 0)->x, 11, 1e-9); /* the last axis with .x */
    assert_float_equal(ROW(rows, 0)->simulated, 4, 1e-9);
    assert_float_equal(ROW(rows, 0)->basis, 3, 1e-9);
    assert_true(ROW(rows, 0)->is_fitted_to);
    assert_string_equal(ROW(rows, 1)->kind, "ps, comm_us");
    assert_float_equal(ROW(rows, 1)->simulated, 9, 1e-9);
    assert_false(ROW(rows, 1)->is_fitted_to);
}

/* Constants `of-2` were fitted to 2 hosts only, so 4 hosts are left out. */
static void test_left_out_values_are_of_other_constants(void **state)
{
    static const SystemTable table = { "p", "t", NULL };
    static const SystemDetail detail = { .table = "t",
                                         .axes = "rsx",
                                         .basis = SYSTEM_BASIS_RING,
                                         .whole = "both",
                                         .count_of = "hosts",
                                         .shown_rows_count = TRUE };
    SystemStudy *study =
        study_of_text(&table,
                      "constants,n,size,column,measured_ms,use\n"
                      "both,4,8 B,t_us,5,told\n"
                      "both,4,64 B,t_us,6,fitted\n"
                      "of-2,4,8 B,t_us,5,told\n"
                      "of-2,4,64 B,t_us,6,held\n"
                      "of-4,4,8 B,t_us,5,told\n"
                      "of-4,4,64 B,t_us,6,fitted\n",
                      "constants,n,size,t_us\n"
                      "both,4,8 B,1000\n"
                      "both,4,64 B,2000\n"
                      "of-4,4,8 B,3000\n"
                      "of-4,4,64 B,4000\n"
                      "of-2,4,8 B,5000\n"
                      "of-2,4,64 B,6000\n");
    g_autoptr(GArray) rows = rows_of_system(study, &detail);

    (void)state;
    assert_int_equal(rows->len, 2);
    assert_string_equal(ROW(rows, 0)->system, "4 hosts");
    assert_float_equal(ROW(rows, 0)->left_out_value, 5, 1e-9);
    assert_float_equal(ROW(rows, 1)->left_out_value, 6, 1e-9);
    assert_float_equal(ROW(rows, 1)->basis, 1.5, 1e-9);
}

/* The measured slower row is divided by the faster one, and rows of another
 * system, and of use `told` or `order`, are in no pair. */
static void test_speedups_are_of_pairs_of_one_system(void **state)
{
    static const SystemTable table = { "p", "t", NULL };
    static const SystemDetail detail = { .table = "t", .axes = "sk" };
    AccuracyFamily family = { .detail = &detail };
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(JudgeRow));
    g_auto(MeasuredStudies) studies = { 0 };
    GError *error = NULL;

    (void)state;
    measured_studies_init(&studies);
    g_ptr_array_add(studies.systems,
                    study_of_text(&table,
                                  "net,method,column,measured_ms,use\n"
                                  "tcp,a,t_us,10,held\n"
                                  "tcp,b,t_us,15,fitted\n"
                                  "tcp,c,t_us,99,told\n"
                                  "tcp,d,t_us,50,order\n"
                                  "ib,a,t_us,77,held\n",
                                  "net,method,t_us\n"
                                  "tcp,a,8000\n"
                                  "tcp,b,4000\n"
                                  "tcp,c,4000\n"
                                  "tcp,d,4000\n"
                                  "ib,a,4000\n"));
    assert_true(add_speedup_rows(&studies, &family, rows, &error));
    assert_int_equal(rows->len, 1);
    assert_string_equal(ROW(rows, 0)->kind, "b, t_us over a, t_us");
    assert_float_equal(ROW(rows, 0)->measured, 1.5, 1e-9);
    assert_float_equal(ROW(rows, 0)->simulated, 0.5, 1e-9);
    assert_true(ROW(rows, 0)->is_fitted_to);
}

/* ---- texts --------------------------------------------------------------- */

static void test_a_family_that_loses_says_so(void **state)
{
    static const AccuracyFamily family = { .name = "ropes",
                                           .system = "knot",
                                           .rules = { "as long", NULL, NULL } };
    AccuracyLine line = { &family,
                          { .n_rows = 3,
                            .n_systems = 2,
                            .by_row_percent = 1,
                            .by_system_percent = 2,
                            .worst_system = "reef",
                            .worst_system_percent = 3,
                            .n_left_out_rows = 1,
                            .n_left_out_systems = 1,
                            .left_out_percent = 4,
                            .rule_percent = 3.5,
                            .ratio = 4 / 3.5 } };
    g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(AccuracyLine));
    g_autofree char *text = NULL;
    g_autofree char *csv = NULL;

    (void)state;
    g_array_append_val(lines, line);
    text = accuracy_markdown(lines);
    assert_non_null(strstr(text,
                           "| ropes | 3 | 2 (knot) | 1.0 | 2.0 | reef: 3.0 "
                           "| 4.0 (not refitted, 1 of 2) | as long | 3.5 "
                           "|\n"));
    assert_non_null(strstr(text,
                           "- The simulator does not beat the simple rule "
                           "for ropes: 4.0 % against 3.5 %.\n"));
    csv = accuracy_csv(lines);
    assert_non_null(strstr(csv, "\nropes,knot,3,2,1.00,2.00,reef,3.00,1,1,no,"
                                "4.00,as long,3.50\n"));
    g_array_index(lines, AccuracyLine, 0).judgement.ratio = 0.9;
    g_free(text);
    text = accuracy_markdown(lines);
    assert_null(strstr(text, "does not beat"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fitted_constants_come_from_other_chips),
        cmocka_unit_test(test_an_unknown_unit_is_an_error),
        cmocka_unit_test(test_axes_name_systems_and_kinds),
        cmocka_unit_test(test_left_out_values_are_of_other_constants),
        cmocka_unit_test(test_speedups_are_of_pairs_of_one_system),
        cmocka_unit_test(test_a_family_that_loses_says_so),
    };

    return cmocka_run_group_tests_name("accuracy", tests, NULL, NULL);
}
