/* test_compare.c - tests of sim/study/compare/compare.h and of its text
 * tables */
#include <string.h>

#include "sim/core/aligned_table.h"
#include "sim/view/text/compare_text.h"
#include "sim/view/text/time_text.h"
#include "tests/test.h"

static CsvTable *csv_table_of_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    CsvTable *table = csv_table_parse("r.csv", text, strlen(text), &error);

    assert_no_error(error);
    return table;
}

/* Returns compare.csv for the rows in @text.  @baselines, @best and @offloads
 * are lists of names as "a,b". */
static char *comparison_csv_text(const char *text, const char *baselines,
                                 const char *best, const char *offloads)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table = csv_table_of_text(text);
    g_auto(GStrv) baseline_names = g_strsplit(baselines, ",", -1);
    g_auto(GStrv) best_names = g_strsplit(best, ",", -1);
    g_auto(GStrv) offload_names = g_strsplit(offloads, ",", -1);
    g_autoptr(Comparison) comparison = compare_sweep_table(
        table, "r.csv",
        &(CompareNames){ baseline_names, best_names, offload_names, NULL },
        &error);

    assert_no_error(error);
    return g_string_free(compare_csv(comparison), FALSE);
}

#define assert_csv(text, baselines, offloads, expected)                        \
    do {                                                                       \
        g_autofree char *got =                                                 \
            comparison_csv_text(text, baselines, "", offloads);                \
        assert_string_equal(got, expected);                                    \
    } while (0)

#define assert_compare_error(text, code, message)                              \
    do {                                                                       \
        g_autoptr(GError) error = NULL;                                        \
        g_autoptr(CsvTable) table = csv_table_of_text(text);                   \
        char *none[] = { NULL };                                               \
        assert_null(compare_sweep_table(                                       \
            table, "r.csv", &(CompareNames){ none, none, none, NULL },         \
            &error));                                                          \
        assert_gerror(error, CSV_ERROR, code, message);                        \
    } while (0)

#define HEAD "workload,n_npus,endpoint,iteration_time_us\n"
#define COLUMNS                                                                \
    "workload,n_npus,offload,offload_iteration_time_us,best_baseline,"         \
    "best_baseline_iteration_time_us,speedup,ceiling,best_built,"              \
    "best_built_iteration_time_us,best_built_speedup,"                         \
    "ideal_iteration_time_us,expected_error_percent,expected_error_from,"      \
    "verdict,best_built_verdict,"                                              \
    "notes\n"

static void
test_an_offload_is_compared_with_the_fastest_baseline_of_its_group(void **state)
{
    (void)state;
    assert_csv(HEAD "w,4,x,30\nw,4,y,20\nw,4,ace,10\n"
                    "w,8,x,20\nw,8,y,30\nw,8,ace,15\n",
               "", "",
               COLUMNS "w,4,ace,10.000000,y,20.000000,2.0000,,,,,,,,,,\n"
                       "w,8,ace,15.000000,x,20.000000,1.3333,,,,,,,,,,\n");
}

/* Each endpoint is fastest with another plan. */
#define PLANS                                                                  \
    "plan,overlap,workload,n_npus,endpoint,iteration_time_us\n"                \
    "a,0,w,4,x,30\nb,0,w,4,x,40\na,1,w,4,x,24\n"                               \
    "a,0,w,4,ace,28\nb,0,w,4,ace,20\nb,1,w,4,ace,20\n"

/* Compares PLANS, in which each endpoint takes its fastest values of @axes. */
static void assert_fastest_plans(char **axes, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table = csv_table_of_text(PLANS);
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, axes }, &error);
    g_autofree char *text = NULL;

    assert_no_error(error);
    text = g_string_free(compare_csv(c), FALSE);
    assert_string_equal(text, expected);
}

static void test_each_endpoint_takes_its_fastest_plan(void **state)
{
    char *axes[] = { (char *)"plan", (char *)"overlap", NULL };

    (void)state;
    assert_fastest_plans(
        axes, "plan,best_baseline.plan,overlap,best_baseline.overlap," COLUMNS
              "b,a,0,1,w,4,ace,20.000000,x,24.000000,1.2000,,,,,,,,,,\n");
}

static void test_only_one_of_the_chosen_axes_may_be_named(void **state)
{
    char *axes[] = { (char *)"plan", NULL };

    (void)state;
    assert_fastest_plans(
        axes, "overlap,plan,best_baseline.plan," COLUMNS
              "0,b,a,w,4,ace,20.000000,x,30.000000,1.5000,,,,,,,,,,\n"
              "1,b,a,w,4,ace,20.000000,x,24.000000,1.2000,,,,,,,,,,\n");
}

static void test_a_column_that_is_no_axis_cannot_be_chosen(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table = csv_table_of_text(PLANS);
    char *none[] = { NULL }, *axes[] = { (char *)"iteration_time_us", NULL };

    (void)state;
    assert_null(compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, axes }, &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_COLUMN,
                  "r.csv: 'iteration_time_us' is no axis of the sweep, so no "
                  "endpoint can take its fastest value");
}

static void test_the_first_of_equally_fast_baselines_is_used(void **state)
{
    (void)state;
    assert_csv(HEAD "w,4,x,20\nw,4,y,20\nw,4,ace,10\n", "", "",
               COLUMNS "w,4,ace,10.000000,x,20.000000,2.0000,,,,,,,,,,\n");
}

static void test_ideal_is_a_baseline_only_if_named(void **state)
{
    (void)state;
    assert_csv(HEAD "w,4,x,20\nw,4,ideal,5\nw,4,ace,10\n", "", "",
               COLUMNS
               "w,4,ace,10.000000,x,20.000000,2.0000,,,,,5.000000,,,,,\n");
    assert_csv(HEAD "w,4,x,20\nw,4,ideal,5\nw,4,ace,10\n", "ideal", "",
               COLUMNS
               "w,4,ace,10.000000,ideal,5.000000,0.5000,,,,,5.000000,,,,,\n");
}

static void test_each_offload_endpoint_has_its_row(void **state)
{
    (void)state;
    assert_csv(HEAD "w,4,x,20\nw,4,ideal,5\nw,4,ace,10\n", "x", "ace,ideal",
               COLUMNS
               "w,4,ideal,5.000000,x,20.000000,4.0000,,,,,5.000000,,,,,\n"
               "w,4,ace,10.000000,x,20.000000,2.0000,,,,,5.000000,,,,,\n");
}

static void test_the_speedup_ceiling_has_nothing_exposed(void **state)
{
    (void)state;
    assert_csv("workload,n_npus,endpoint,iteration_time_us,"
               "compute_roofline_us\nw,4,x,20,9\nw,4,y,30,12\n"
               "w,4,ace,10,8\nc,4,x,20,0\nc,4,ace,10,0\n",
               "", "",
               COLUMNS "w,4,ace,10.000000,x,20.000000,2.0000,2.5000,,,,,,,,,\n"
                       "c,4,ace,10.000000,x,20.000000,2.0000,,,,,,,,,,\n");
}

/* Baselines expose communication, so a bound by the roofline alone could be
 * exceeded. */
static void test_no_speedup_exceeds_its_ceiling(void **state)
{
    g_autoptr(CsvTable) table =
        csv_table_of_text("workload,n_npus,endpoint,iteration_time_us,"
                          "compute_roofline_us\nw,4,x,40,9\nw,4,ace,20,9\n"
                          "w,8,x,40,9\nw,8,ace,9,9\n");
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, NULL);

    (void)state;
    assert_int_equal(c->pairs->len, 2);
    for (guint i = 0; i < c->pairs->len; i++)
        assert_true(compare_speedup(compare_pair(c, i)) <=
                    compare_speedup_ceiling(compare_pair(c, i)));
}

/* `size` varies independently of the endpoint.  `overlap` depends on the
 * endpoint and `platform` on n_npus, so neither makes groups. */
static void
test_groups_are_made_by_columns_that_vary_independently_of_the_endpoint(
    void **state)
{
    (void)state;
    assert_csv("size,overlap,platform," HEAD "1,no,p,w,4,x,20\n"
               "1,yes,p,w,4,ace,10\n2,no,p,w,4,x,30\n2,yes,p,w,4,ace,20\n"
               "1,no,q,w,8,x,9\n1,yes,q,w,8,ace,9\n",
               "", "",
               "size," COLUMNS
               "1,w,4,ace,10.000000,x,20.000000,2.0000,,,,,,,,,,\n"
               "2,w,4,ace,20.000000,x,30.000000,1.5000,,,,,,,,,,\n"
               "1,w,8,ace,9.000000,x,9.000000,1.0000,,,,,,,,,,\n");
}

static void test_failed_and_unpaired_rows_are_left_out_with_a_note(void **state)
{
    g_autoptr(CsvTable) table = csv_table_of_text(
        "size,workload,n_npus,endpoint,iteration_time_us,status\n"
        "1,w,4,x,20,ok\n1,w,4,ace,10,ok\n2,w,4,x,,too large\n"
        "2,w,4,ace,10,ok\n");
    g_autoptr(GError) error = NULL;
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(c->pairs->len, 1);
    assert_int_equal(c->notes->len, 2);
    assert_string_equal(g_ptr_array_index(c->notes, 0),
                        "size=2, w, 4 NPUs, x: left out: too large");
    assert_string_equal(g_ptr_array_index(c->notes, 1),
                        "size=2, w, 4 NPUs, ace: no baseline to compare it "
                        "with");
}

static void test_errors_in_compared_rows_are_reported(void **state)
{
    (void)state;
    assert_compare_error(HEAD "w,4,x,20\nw,4,acee,10\n", CSV_ERROR_COLUMN,
                         "r.csv: no row has endpoint 'ace'; there are: x, acee "
                         "(`compare --offload NAME` takes another, and so does "
                         "`offload: [NAME]` under `compare:` in the sweep)");
    assert_compare_error(HEAD "w,4,x,20\nw,4,ace,-1\n", CSV_ERROR_SYNTAX,
                         "r.csv: row 2, iteration_time_us: '-1 us' is "
                         "negative");
}

static void test_the_table_has_means_of_each_workload(void **state)
{
    g_autoptr(CsvTable) table =
        csv_table_of_text(HEAD "v,4,x,20\nv,4,ace,10\n"
                               "v,8,x,40\nv,8,ace,10\n"
                               "w,4,x,10\nw,4,ace,20\n");
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, NULL);
    g_autofree char *plain = compare_text(c, FALSE);
    g_autofree char *bold = compare_text(c, TRUE);

    (void)state;
    assert_string_equal(
        plain,
        "ace against the fastest of x: iteration times\n"
        "workload  NPUs       ace  baseline  which  speedup\n"
        "v            4  10.00 us  20.00 us  x        2.00x\n"
        "v            8  10.00 us  40.00 us  x        4.00x\n"
        "w            4  20.00 us  10.00 us  x        0.50x\n"
        "no baseline was tuned; with configs/endpoints/tuned.yaml as a point, "
        "`best: [tuned]` adds that\n\n"
        "speedup over the fastest baseline\n"
        "workload  ace: mean    max\n"
        "v             2.83x  4.00x\n"
        "w             0.50x  0.50x\n");
    assert_true(g_str_has_prefix(bold, "\033[1mace against"));
    assert_null(strchr(plain, '\033'));
}

/* A note needs waiting for half of the active time.  A busy link (above 0.8)
 * and a failed run suppress it. */
static void test_a_limiting_window_is_noted(void **state)
{
    g_autoptr(CsvTable) table = csv_table_of_text(
        "workload,n_npus,endpoint,iteration_time_us,comm_active_us,"
        "window_wait_us,busiest_share,status\n"
        "w,4,x,20,10,4.9,0.5,ok\nw,4,ace,10,10,5,0.5,ok\n"
        "w,8,x,20,10,10,0.81,ok\nw,8,ace,10,10,10,0.8,ok\n"
        "w,16,x,20,0,0,0,ok\nw,16,ace,,,,,stalled\n");
    char *none[] = { NULL };
    g_autoptr(GError) error = NULL;
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(c->notes->len, 2);
    assert_string_equal(
        g_ptr_array_index(c->notes, 1),
        "in 2 of 6 points (ace) chunks waited for the window during half of "
        "the time with collectives in flight or more, while no resource was "
        "busy: leave collectives.window to `auto`, or try a larger one");
}

/* The columns that a sweep writes for a tuned endpoint: SMs, HBM bandwidth in
 * GB/s, number of runs tried. */
#define TUNED                                                                  \
    "workload,n_npus,endpoint,iteration_time_us,endpoint_sms,"                 \
    "endpoint_hbm_gb_per_s,n_tried\n"

static void
test_speedups_over_the_best_built_endpoint_are_reported(void **state)
{
    static const char rows[] =
        TUNED "w,4,x,30,6,450,\nw,4,t,12,3,240,5\nw,4,ace,10,0,128,\n"
              "w,8,x,20,6,450,\nw,8,t,25,3,240,5\nw,8,ace,10,0,128,\n";
    static const char expected[] = COLUMNS
        "w,4,ace,10.000000,x,30.000000,3.0000,,t,12.000000,1.2000,,,,,,\n"
        /* A baseline may itself be the best built endpoint. */
        "w,8,ace,10.000000,x,20.000000,2.0000,,x,20.000000,2.0000,,,,,,\n";
    g_autofree char *named = comparison_csv_text(rows, "x", "t", "");
    g_autofree char *automatic = comparison_csv_text(rows, "", "", "");

    (void)state;
    assert_string_equal(named, expected);
    assert_string_equal(automatic, expected);
}

/* An endpoint that is named as a baseline is not also taken as the best built
 * one. */
static void test_a_named_baseline_is_not_also_the_best_built(void **state)
{
    static const char rows[] = TUNED "w,4,t,12,3,240,5\nw,4,ace,10,0,128,\n";
    g_autofree char *named = comparison_csv_text(rows, "t", "", "");
    g_autofree char *unnamed = comparison_csv_text(rows, "", "", "");

    (void)state;
    assert_string_equal(named, COLUMNS
                        "w,4,ace,10.000000,t,12.000000,1.2000,,,,,,,,,,\n");
    assert_string_equal(unnamed, COLUMNS
                        "w,4,ace,10.000000,t,12.000000,1.2000,,t,12.000000,"
                        "1.2000,,,,,,\n");
}

/* Tuned endpoints are the best built ones only if no others are named. */
static void
test_a_tuned_endpoint_is_a_baseline_beside_a_named_best(void **state)
{
    static const char rows[] =
        TUNED "w,4,x,11,6,450,\nw,4,t,12,3,240,5\nw,4,ace,10,0,128,\n";
    g_autofree char *text = comparison_csv_text(rows, "", "x", "");

    (void)state;
    assert_string_equal(text, COLUMNS
                        "w,4,ace,10.000000,t,12.000000,1.2000,,x,11.000000,"
                        "1.1000,,,,,,\n");
}

static void test_notes_are_those_of_the_runs_compared(void **state)
{
    (void)state;
    assert_csv("workload,n_npus,endpoint,iteration_time_us,notes\n"
               "w,4,x,20,slow links\nw,4,y,30,not compared\n"
               "w,4,ace,10,rounded\nw,8,x,20,\nw,8,ace,10,\n",
               "", "",
               COLUMNS "w,4,ace,10.000000,x,20.000000,2.0000,,,,,,,,,,"
                       "ace: rounded; x: slow links\n"
                       "w,8,ace,10.000000,x,20.000000,2.0000,,,,,,,,,,\n");
}

/* The larger error of the two runs counts, and without a family of one of them
 * there is no verdict. */
static void test_a_speedup_within_its_expected_error_is_none(void **state)
{
    static const char head[] =
        "workload,n_npus,endpoint,iteration_time_us,expected_error_from,"
        "expected_error_basis\n";
    static const char ddl[] = "\"ResNet-50 by 7 methods (DDL)\"";
    static const char v100[] = "3 schedules on 16 V100 (MG-WFBP)";
    g_autofree char *rows = g_strdup_printf(
        "%s"
        "w,4,x,200,%s,known system\nw,4,ace,100,%s,systems left out\n"
        "w,8,x,101,%s,systems left out\nw,8,ace,100,%s,known system\n"
        "w,16,x,100,%s,known system\nw,16,ace,200,%s,none is near: a\n"
        "w,32,x,101,nothing,known system\nw,32,ace,100,%s,known system\n",
        head, ddl, v100, v100, ddl, ddl, ddl, ddl);
    g_autofree char *text = comparison_csv_text(rows, "", "", "");
    g_auto(ExpectedError) wide = { 0 };
    g_autofree char *expected = NULL;

    (void)state;
    assert_true(expected_error_of_ratio(v100, EXPECTED_ERROR_LEFT_OUT, &wide));
    assert_true(wide.percent > 1 && wide.percent < 50);
    expected = g_strdup_printf(
        COLUMNS
        "w,4,ace,100.000000,x,200.000000,2.0000,,,,,,%.1f,%s,faster,,\n"
        "w,8,ace,100.000000,x,101.000000,1.0100,,,,,,%.1f,%s,"
        "no measurable difference,,\n"
        "w,16,ace,200.000000,x,100.000000,0.5000,,,,,,%.1f,%s,slower,,\n"
        "w,32,ace,100.000000,x,101.000000,1.0100,,,,,,,,,,\n",
        wide.percent, wide.family, wide.percent, wide.family, wide.percent,
        wide.family);
    assert_string_equal(text, expected);
}

static void test_the_table_shows_both_speedups_and_the_best_built(void **state)
{
    g_autoptr(CsvTable) table =
        csv_table_of_text(TUNED "w,4,x,30,6,450,\nw,4,t,10,3,240,5\n"
                                "w,4,ace,10,0,128,\nw,8,x,20,6,450,\n"
                                "w,8,t,18,2,159.5,7\nw,8,ace,10,0,128,\n");
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, NULL);
    g_autofree char *text = compare_text(c, FALSE);

    (void)state;
    assert_string_equal(
        text,
        "ace against the fastest of x: iteration times\n"
        "workload  NPUs       ace  baseline  which  speedup      best  over it  "
        "best is\n"
        "w            4  10.00 us  30.00 us  x        3.00x  10.00 us    1.00x  "
        "t (3 SMs, 240 GB/s)\n"
        "w            8  10.00 us  20.00 us  x        2.00x  18.00 us    1.80x  "
        "t (2 SMs, 159.5 GB/s)\n"
        "best: the fastest that could be built without it, of the baselines "
        "and t\n"
        "on 1 of the 2 points on which ace is faster than the baselines it is "
        "not faster than that best\n"
        "\n"
        "speedup over the fastest baseline, and over the best that could be "
        "built\n"
        "workload  ace: mean    max  over best    max\n"
        "w             2.45x  3.00x      1.34x  1.80x\n");
}

static void test_means_cover_all_sizes_of_a_group(void **state)
{
    g_autoptr(CsvTable) table = csv_table_of_text("case," HEAD "a,v,4,x,20\n"
                                                  "a,v,4,ace,10\na,v,8,x,40\n"
                                                  "a,v,8,ace,10\nb,v,4,x,10\n"
                                                  "b,v,4,ace,20\n");
    char *none[] = { NULL };
    g_autoptr(Comparison) c = compare_sweep_table(
        table, "r.csv", &(CompareNames){ none, none, none, NULL }, NULL);
    g_autofree char *text = compare_text(c, FALSE);

    (void)state;
    assert_true(g_str_has_suffix(text, "workload  case  ace: mean    max\n"
                                       "v         a         2.83x  4.00x\n"
                                       "v         b         0.50x  0.50x\n"));
}

static void test_times_have_a_fitting_unit(void **state)
{
    static const struct {
        SimTime ps;
        const char *text;
    } cases[] = {
        { 0, "0 ps" },
        { 999, "999 ps" },
        { 1000, "1.000 ns" },
        { SIM_US(12), "12.00 us" },
        { SIM_US(141670), "141.7 ms" },
        { 2 * SIM_PS_PER_SEC, "2.000 s" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = time_text(cases[i].ps);

        assert_string_equal(text, cases[i].text);
    }
}

static void test_a_table_wraps_its_rest_column(void **state)
{
    const TableColumn columns[] = {
        { "key", FALSE, 0 },
        { "n", TRUE, 0 },
        { "", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    table_add_cell(table, "sm\xc3\xa4ll");
    table_add_cell_printf(table, "%d", 7);
    table_add_cell(table, "words that go on and on until the line is full");
    table_write(table, out, 2, 41);
    assert_string_equal(out->str,
                        "  key    n\n"
                        "  sm\xc3\xa4ll  7  words that go on and on until\n"
                        "            the line is full\n");
    /* Too little width is left, so the text is written below the row. */
    g_string_truncate(out, 0);
    table_write(table, out, 2, 33);
    assert_string_equal(out->str, "  key    n\n"
                                  "  sm\xc3\xa4ll  7\n"
                                  "      words that go on and on\n"
                                  "      until the line is full\n");
}

static void test_an_invalid_time_of_ideal_is_an_error(void **state)
{
    (void)state;
    assert_compare_error(HEAD "w,4,x,20\nw,4,ace,10\nw,4,ideal,soon\n",
                         CSV_ERROR_SYNTAX,
                         "r.csv:4: iteration_time_us: expected a number, got "
                         "'soon'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_an_offload_is_compared_with_the_fastest_baseline_of_its_group),
        cmocka_unit_test(test_the_first_of_equally_fast_baselines_is_used),
        cmocka_unit_test(test_each_endpoint_takes_its_fastest_plan),
        cmocka_unit_test(test_only_one_of_the_chosen_axes_may_be_named),
        cmocka_unit_test(test_a_column_that_is_no_axis_cannot_be_chosen),
        cmocka_unit_test(test_ideal_is_a_baseline_only_if_named),
        cmocka_unit_test(test_an_invalid_time_of_ideal_is_an_error),
        cmocka_unit_test(test_each_offload_endpoint_has_its_row),
        cmocka_unit_test(test_the_speedup_ceiling_has_nothing_exposed),
        cmocka_unit_test(test_no_speedup_exceeds_its_ceiling),
        cmocka_unit_test(
            test_groups_are_made_by_columns_that_vary_independently_of_the_endpoint),
        cmocka_unit_test(
            test_failed_and_unpaired_rows_are_left_out_with_a_note),
        cmocka_unit_test(test_errors_in_compared_rows_are_reported),
        cmocka_unit_test(test_the_table_has_means_of_each_workload),
        cmocka_unit_test(test_a_limiting_window_is_noted),
        cmocka_unit_test(
            test_speedups_over_the_best_built_endpoint_are_reported),
        cmocka_unit_test(test_a_named_baseline_is_not_also_the_best_built),
        cmocka_unit_test(
            test_a_tuned_endpoint_is_a_baseline_beside_a_named_best),
        cmocka_unit_test(test_the_table_shows_both_speedups_and_the_best_built),
        cmocka_unit_test(test_means_cover_all_sizes_of_a_group),
        cmocka_unit_test(test_times_have_a_fitting_unit),
        cmocka_unit_test(test_a_table_wraps_its_rest_column),
        cmocka_unit_test(test_notes_are_those_of_the_runs_compared),
        cmocka_unit_test(test_a_speedup_within_its_expected_error_is_none),
    };

    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
