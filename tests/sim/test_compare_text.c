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
        table, "r.csv", &(CompareNames){ none, none, offloads }, NULL);
    g_autofree char *text = compare_text(c, FALSE);

    (void)state;
    assert_non_null(strstr(
        text, "workload  ace: mean    max  ceiling  copies: mean    max\n"
              "v             2.00x  2.00x    2.50x             -      -\n"
              "w             2.00x  2.00x        -         4.00x  4.00x\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_rows_and_ceilings_are_shown_as_dashes),
    };

    return cmocka_run_group_tests_name("compare_text", tests, NULL, NULL);
}
