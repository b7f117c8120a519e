/* test_plot.c - tests of sim/view/plots/: points and texts of each kind of
 * plot */
#include <string.h>

#include "sim/view/plots/plot_kinds.h"
#include "sim/view/plots/svg.h"
#include "tests/sim/results_fixture.h"

#define HEAD                                                                   \
    "workload,n_npus,endpoint,iteration_time_us,compute_time_us,"              \
    "exposed_comm_us,net_bw_gb_per_s,net_cap_gb_per_s,status\n"

/* Returns why @kind cannot draw the rows in @text, or "" if it can.  The caller
 * frees it. */
static char *plot_misfit_message(const PlotKind *kind, const char *text)
{
    g_autoptr(SweepResults) results = results_from_csv(text);
    g_autoptr(GError) error = NULL;
    char *reason;

    assert_true(plot_fits_results(kind, results, &reason, &error));
    assert_no_error(error);
    return reason ? reason : g_strdup("");
}

#define assert_misfit(kind, text, expected)                                    \
    do {                                                                       \
        g_autofree char *got = plot_misfit_message((kind), (text));            \
        assert_string_equal(got, (expected));                                  \
    } while (0)

/* ---- texts in plots ------------------------------------------------------ */

#define assert_clean(text, max_chars, expected)                                \
    do {                                                                       \
        g_autofree char *got = canvas_clean_text((text), (max_chars));         \
        assert_string_equal(got, (expected));                                  \
    } while (0)

static void test_plot_texts_are_cleaned_for_gnuplot(void **state)
{
    (void)state;
    assert_clean("a b", 9, "a b");
    assert_clean("a\tb\nc\x01", 9, "a b c ");
    assert_clean("\"a\\n\"", 9, "″a∖n″");
    assert_clean("", 9, "-");
    assert_clean("\xff", 9, "□");
    assert_clean("é中\xe2\x80\xaez", 9, "é□z");
    assert_clean("`$(x)`@y{z}%", 20, "`$(x)`@y{z}%");
}

static void test_long_plot_texts_are_cut_in_the_middle(void **state)
{
    (void)state;
    assert_clean("abcdefghij", 10, "abcdefghij");
    assert_clean("abcdefghij", 9, "abcd…ghij");
    assert_clean("abcdefghij", 4, "ab…j");
}

static void test_names_are_numbered_in_order_of_appearance(void **state)
{
    g_auto(DistinctNames) names = { 0 };

    (void)state;
    distinct_names_init(&names);
    assert_int_equal(distinct_names_add(&names, "b"), 0);
    assert_int_equal(distinct_names_add(&names, "a"), 1);
    assert_int_equal(distinct_names_add(&names, "b"), 0);
    assert_int_equal(distinct_names_count(&names), 2);
    assert_string_equal(distinct_names_text_at(&names, 1), "a");
}

/* ---- results in plots ---------------------------------------------------- */

static void test_labels_name_the_quantity_of_a_number(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv("endpoint.sram_bytes,case,t.overlap," HEAD
                         "4194304,fast,true,w,4,e,1,1,0,1,1,ok\n");
    static const char *const expected[] = { "sram 4 MiB",   "fast",
                                            "overlap true", "w",
                                            "4 NPUs",       "e" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        const char *label = results_cell_label(r, 0, i);

        assert_string_equal(label, expected[i]);
    }
}

static void test_failed_rows_are_not_plotted(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(HEAD "w,4,a,,,,,,too large\n"
                                                      "w,4,b,2,2,0,1,1,ok\n");

    (void)state;
    assert_int_equal(r->rows->len, 1);
    assert_int_equal(results_row_at(r, 0), 1);
}

static void test_invalid_plotted_numbers_are_errors(void **state)
{
    static const char text[] = HEAD "w,4,a,1,x,0,1,1,ok\n";
    static const char negative[] = HEAD "w,4,a,-1,1,0,1,1,ok\n";
    g_autoptr(SweepResults) r = results_from_csv(text);
    g_autoptr(GError) error = NULL;
    CsvTable *table;
    char *reason;

    (void)state;
    assert_false(plot_fits_results(plot_find_kind("iteration-time"), r, &reason,
                                   &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                  "r.csv:2: compute_time_us: expected a number, got 'x'");
    table = csv_table_parse("r.csv", negative, strlen(negative), &error);
    assert_null(results_new_from_table(table, "r.csv", &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                  "r.csv: row 1, iteration_time_us: -1 is outside [0, 1e15]");
}

/* ---- kinds of plots ------------------------------------------------------ */

static void test_a_kind_says_why_it_cannot_be_drawn(void **state)
{
    (void)state;
    assert_misfit(plot_find_kind("scaling"), HEAD "w,4,a,2,2,0,1,1,ok\n",
                  "n_npus does not vary");
    assert_misfit(plot_find_kind("sms"),
                  HEAD "w,4,a,2,2,0,1,1,ok\nw,8,a,2,2,0,1,1,ok\n",
                  "'endpoint.sms' is no axis of this sweep; its axes: n_npus");
    assert_misfit(plot_find_kind("speedup"), HEAD "w,4,ace,10,1,0,1,1,ok\n",
                  "no speedup: no row has a baseline to compare with");
    assert_misfit(plot_find_kind("sms"),
                  "endpoint.sms," HEAD "1,w,4,a,1,0,1,1,1,ok\n"
                  "many,w,4,a,1,0,1,1,1,ok\n",
                  "the x axis is not numeric");
}

/* ---- SVG output of plots ------------------------------------------------- */

static void test_an_svg_is_normalised(void **state)
{
    g_autoptr(GString) svg = g_string_new(
        "<?xml?>\n<svg width=\"8\">\n<title>f</title>\n<desc>v5</desc>\n"
        "<g fill=\"none\">\n</g>\n"
        "<text font-family=\"DejaVu Sans:Bold\">id='a' ]]></text>\n</svg>\n\n");

    (void)state;
    svg_normalise(svg);
    assert_string_equal(
        svg->str, "<?xml?>\n<svg width=\"8\">\n\n"
                  "<text font-family=\"DejaVu Sans, Verdana, sans-serif\" "
                  "font-weight=\"bold\">id='a' ]]&gt;</text>\n</svg>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot_texts_are_cleaned_for_gnuplot),
        cmocka_unit_test(test_long_plot_texts_are_cut_in_the_middle),
        cmocka_unit_test(test_names_are_numbered_in_order_of_appearance),
        cmocka_unit_test(test_labels_name_the_quantity_of_a_number),
        cmocka_unit_test(test_failed_rows_are_not_plotted),
        cmocka_unit_test(test_invalid_plotted_numbers_are_errors),
        cmocka_unit_test(test_a_kind_says_why_it_cannot_be_drawn),
        cmocka_unit_test(test_an_svg_is_normalised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
