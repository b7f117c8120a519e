/* test_compare_text.c - tests of compare_text.h: missing values */
#include <string.h>

#include "sim/view/text/compare_text.h"
#include "tests/test.h"

/* `copies` has no row of workload v, and w has no computation and so no
 * ceiling. */
static void test_missing_rows_and_ceilings_are_shown_as_dashes(void **state)
{
    static const char rows[] =
        "workload,n_npus,endpoint,iteration_time_us,compute_roofline_us\n"
        "v,4,x,20,9\nv,4,ace,10,8\n"
        "w,4,x,40,0\nw,4,ace,20,0\nw,4,copies,10,0\n";
    g_autoptr(CsvTable) table =
        csv_table_parse("r.csv", rows, strlen(rows), NULL);
    char *none[] = { NULL };
    g_auto(GStrv) offloads = g_strsplit("ace,copies", ",", -1);
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, offloads, NULL }, NULL);
    g_autofree char *text = compare_text(c, FALSE);

    (void)state;
    assert_non_null(strstr(
        text, "workload  ace: mean    max  ceiling  copies: mean    max\n"
              "v             2.00x  2.00x    2.50x             -      -\n"
              "w             2.00x  2.00x        -         4.00x  4.00x\n"));
}

/* A speedup of 1.001 is within any error, one of 10 is not. */
static void test_speedups_within_their_expected_errors_are_marked(void **state)
{
    static const char rows[] =
        "workload,n_npus,endpoint,iteration_time_us,expected_error_from,"
        "expected_error_basis\n"
        "v,4,x,1000,training on one GPU,systems left out\n"
        "v,4,ace,999,training on one GPU,systems left out\n"
        "w,4,x,1000,training on one GPU,systems left out\n"
        "w,4,ace,100,training on one GPU,systems left out\n";
    g_autoptr(CsvTable) table =
        csv_table_parse("r.csv", rows, strlen(rows), NULL);
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, NULL);
    g_autofree char *text = compare_text(c, FALSE);

    (void)state;
    assert_non_null(strstr(text, "  1.00x~\n"));
    assert_non_null(strstr(text, "  10.00x\n"));
    assert_non_null(strstr(text, "(of measured systems: training on one GPU)\n"
                                 "~: within it, so there is no measurable "
                                 "difference: 1 of 2 speedups"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_rows_and_ceilings_are_shown_as_dashes),
        cmocka_unit_test(test_speedups_within_their_expected_errors_are_marked),
    };

    return cmocka_run_group_tests_name("compare_text", tests, NULL, NULL);
}
