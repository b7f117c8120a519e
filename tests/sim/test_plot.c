/* test_plot.c - tests of sim/view/plots/: points and texts of each kind of
 * plot */
#include <string.h>

#include "sim/view/plots/bar_layout.h"
#include "sim/view/plots/line_plot_data.h"
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

/* Returns the points that @kind draws, which the caller frees. */
static char *plot_points_text(const PlotKind *kind, const char *text)
{
    g_autoptr(SweepResults) results = results_from_csv(text);
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    kind->draw(kind, results, &canvas);
    return g_strdup(canvas.files[CANVAS_POINTS]->str);
}

#define assert_points(kind, text, expected)                                    \
    do {                                                                       \
        g_autofree char *got = plot_points_text((kind), (text));               \
        assert_string_equal(got, (expected));                                  \
    } while (0)

#define assert_caption(kind, text, expected)                                   \
    do {                                                                       \
        g_autoptr(SweepResults) results = results_from_csv(text);              \
        g_autofree char *got = (kind)->caption((kind), results);               \
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
    names_init(&names);
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
    assert_false(plot_fits_results(&plot_iteration_time, r, &reason, &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                  "r.csv:2: compute_time_us: expected a number, got 'x'");
    table = csv_table_parse("r.csv", negative, strlen(negative), &error);
    assert_null(results_new_from_table(table, "r.csv", &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                  "r.csv: row 1, iteration_time_us: -1 is outside [0, 1e15]");
}

/* ---- kinds of plots ------------------------------------------------------ */

static void test_bars_stack_compute_and_exposed_time(void **state)
{
    (void)state;
    assert_points(&plot_iteration_time,
                  HEAD "w,4,a,1000,900,100,1,1,ok\n"
                       "w,4,b,2000,2000,0,1,1,ok\n"
                       "v,8,b,3,2,1,1,1,ok\n",
                  "1\t1.75\t0.9\t1\t1.00\n"
                  "1\t2.75\t2\t2\t2.00\n"
                  "2\t5.25\t2\t3\t3.00\n");
    assert_caption(
        &plot_iteration_time,
        HEAD "w,4,a,1000,900,100,1,1,ok\nw,4,b,9,9,0,1,1,ok\n",
        "Communication is exposed most with a (w, 4 NPUs): 10 % of the "
        "iteration. Runs in which it is less than 1 %: 1 of 2.");
}

static void test_additional_parameters_make_groups_of_bars(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv("x," HEAD "1,w,4,a,1,1,0,1,1,ok\n"
                         "2,w,4,a,1,1,0,1,1,ok\n"
                         "2,w,8,b,1,1,0,1,1,ok\n");
    g_auto(GroupedBars) bars = { 0 };

    (void)state;
    bars_init(&bars, r);
    for (guint i = 0; i < r->rows->len; i++)
        bar_layout_add(&bars, i, i);
    assert_int_equal(distinct_names_count(&bars.panels), 2);
    assert_string_equal(distinct_names_text_at(&bars.panels, 1), "w, 8 NPUs");
    assert_int_equal(distinct_names_count(&bars.groups), 2);
    assert_string_equal(distinct_names_text_at(&bars.groups, 1), "x 2");
    assert_null(bars_too_many_reason(&bars));
}

static void test_speedups_equal_those_of_compare(void **state)
{
    static const char text[] = HEAD
        "w,4,a,30,1,0,1,1,ok\nw,4,b,20,1,0,1,1,ok\nw,4,ace,10,1,0,1,1,ok\n";

    (void)state;
    assert_points(&plot_speedup, text, "1\t0.75\t2\t0\t0\t2.00x\n");
    assert_caption(&plot_speedup, text,
                   "ace is 2.00 times as fast as the best baseline.");
    /* With 4 NPUs, ace exposes 30 of its 40 us, so a large gain remains. */
    assert_caption(
        &plot_speedup,
        "workload,n_npus,endpoint,iteration_time_us,"
        "compute_roofline_us\n"
        "w,4,a,44,9\nw,4,ace,40,10\nw,8,a,20,9\nw,8,ace,10,9.9\n",
        "ace is 1.10 to 2.00 times as fast as the best baseline; were "
        "all of its communication hidden, it would be 2.02 to 4.40 "
        "times. On 1 of 2 it comes within 2 % of that: there a better "
        "network or endpoint gains little, unless it leaves more SMs "
        "or memory bandwidth to compute.");
    assert_misfit(&plot_speedup, HEAD "w,4,ace,10,1,0,1,1,ok\n",
                  "no row has a baseline to compare with");
}

static void test_scaling_sorts_sizes_and_separates_lines(void **state)
{
    static const char text[] = HEAD "w,16,a,4,3,1,1,1,ok\nw,4,a,2,2,0,1,1,ok\n";

    (void)state;
    assert_points(&plot_scaling, text,
                  "1\t1\t4\t2\n1\t1\t16\t4\n2\t1\t4\t0\n2\t1\t16\t25\n");
    assert_caption(
        &plot_scaling, text,
        "From the fewest to the most NPUs an iteration grows most with "
        "a on w (2.00 times) and least with a on w (2.00 times).");
    assert_misfit(&plot_scaling, HEAD "w,4,a,2,2,0,1,1,ok\n",
                  "n_npus does not vary");
}

static void test_bandwidth_is_plotted_over_the_size_in_bytes(void **state)
{
    static const char text[] =
        "workload.payload_bytes," HEAD "1048576,w,4,a,1,0,1,95,120,ok\n"
        "65536,w,4,a,1,0,1,50,120,ok\n1073741824,w,4,a,1,0,1,100,120,ok\n";

    (void)state;
    assert_points(&plot_bandwidth, text,
                  "1\t1\t65536\t50\t120\n1\t1\t1048576\t95\t120\n"
                  "1\t1\t1.07374182e+09\t100\t120\n");
    assert_caption(
        &plot_bandwidth, text,
        "The most is 100 GB/s. 90 % of it is reached by a with payload "
        "1 MiB.");
}

static void test_bandwidth_marks_90_percent_of_its_maximum(void **state)
{
    static const char text[] =
        "endpoint.memory_bandwidth_gb_per_s," HEAD "20,w,4,a,1,0,1,95,120,ok\n"
        "10,w,4,a,1,0,1,50,120,ok\n"
        "30,w,4,a,1,0,1,100,120,ok\n"
        "10,w,4,b,1,0,1,10,120,ok\n";

    (void)state;
    assert_points(&plot_memory_bandwidth, text,
                  "1\t1\t10\t50\t120\n1\t1\t20\t95\t120\n"
                  "1\t1\t30\t100\t120\n1\t2\t10\t10\t120\n");
    assert_caption(&plot_memory_bandwidth, text,
                   "The most is 100 GB/s. 90 % of it is reached by a with "
                   "memory_bandwidth 20 GB/s; b with no value that was tried.");
    assert_misfit(&plot_sms, text, "endpoint.sms does not vary");
    assert_misfit(&plot_sms,
                  "endpoint.sms," HEAD "1,w,4,a,1,0,1,1,1,ok\n"
                  "many,w,4,a,1,0,1,1,1,ok\n",
                  "endpoint.sms is not always a quantity");
}

/* Returns the texts and marks that @kind draws, which the caller frees. */
static char *plot_labels_text(const PlotKind *kind, const char *text)
{
    g_autoptr(SweepResults) results = results_from_csv(text);
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    kind->draw(kind, results, &canvas);
    return g_strconcat(canvas.files[CANVAS_TEXTS]->str,
                       canvas.files[CANVAS_MARKS]->str, NULL);
}

static void test_marks_at_one_position_share_a_text(void **state)
{
    static const char text[] =
        "endpoint.sms," HEAD "1,w,4,a,1,0,1,5,120,ok\n"
        "2,w,4,a,1,0,1,95,120,ok\n2,w,4,b,1,0,1,100,120,ok\n"
        "4,w,4,c,1,0,1,95,120,ok\n";
    g_autofree char *texts = plot_labels_text(&plot_sms, text);

    (void)state;
    assert_true(g_str_has_suffix(texts, "\n1\t2\t95\t0\t2\n"
                                        "1\t2\t100\t1\t2\n"
                                        "1\t4\t95\t1\t4\n"));
}

static void test_a_long_panel_title_has_two_lines(void **state)
{
    g_autoptr(GString) text =
        g_string_new("endpoint.sms,x.size of the window," HEAD);
    g_autofree char *texts = NULL;

    (void)state;
    for (guint n_npus = 4; n_npus <= 64; n_npus *= 2)
        for (guint sms = 1; sms <= 2; sms++)
            for (guint window = 16; window <= 32; window *= 2)
                g_string_append_printf(text, "%u,%u,w,%u,a,1,0,1,9,120,ok\n",
                                       sms, window, n_npus);
    texts = plot_labels_text(&plot_sms, text->str);
    assert_non_null(strstr(texts, "\t64 NPUs, size of the window 32\n"));
    assert_null(strstr(texts, "…"));
}

static void test_a_single_panel_has_no_title(void **state)
{
    static const char text[] = "endpoint.sms," HEAD "1,w,4,a,1,0,1,50,120,ok\n"
                               "2,w,4,a,1,0,1,99,120,ok\n";
    static const char two[] = "endpoint.sms," HEAD "1,w,4,a,1,0,1,50,120,ok\n"
                              "2,w,4,a,1,0,1,99,120,ok\n"
                              "2,w,8,a,1,0,1,99,120,ok\n";
    g_autoptr(SweepResults) one_panel = results_from_csv(text);
    g_autoptr(SweepResults) two_panels = results_from_csv(two);
    g_auto(Canvas) alone = { 0 };
    g_auto(Canvas) titled = { 0 };

    (void)state;
    canvas_init(&alone);
    plot_sms.draw(&plot_sms, one_panel, &alone);
    assert_int_equal(alone.n_texts[CANVAS_PANEL], 0);
    canvas_init(&titled);
    plot_sms.draw(&plot_sms, two_panels, &titled);
    assert_int_equal(titled.n_texts[CANVAS_PANEL], 2);
}

static void test_a_map_plot_sorts_its_values(void **state)
{
    static const char text[] = "endpoint.sram_bytes,endpoint.fsms," HEAD
                               "1048576,8,w,4,a,1,0,1,99,120,ok\n"
                               "524288,8,w,4,a,1,0,1,50,120,ok\n"
                               "1048576,16,w,4,a,1,0,1,100,120,ok\n";

    (void)state;
    assert_points(&plot_sram_fsm, text,
                  "1\t0\t1\t99\t1\t99\n1\t0\t0\t50\t0\t50\n"
                  "1\t1\t1\t100\t1\t100\n");
    assert_caption(&plot_sram_fsm, text,
                   "The most is 100 GB/s. 95 % of it needs no more than 8 FSMs "
                   "and 1 MiB of SRAM.");
}

static void test_plots_with_too_much_data_are_left_out(void **state)
{
    g_autoptr(GString) text = g_string_new(HEAD);

    (void)state;
    for (guint i = 0; i < 200; i++)
        g_string_append_printf(text, "w,4,e%u,2,1,1,1,1,ok\n", i);
    assert_misfit(&plot_iteration_time, text->str,
                  "200 rows of bars are more than 180");
    g_string_assign(text, HEAD);
    for (guint i = 0; i < 30; i++)
        g_string_append_printf(text, "w,%u,e%u,2,1,1,1,1,ok\n", i + 1, i % 15);
    assert_misfit(&plot_scaling, text->str, "15 lines are more than 14");
}

/* ---- SVG output of plots ------------------------------------------------- */

static void test_an_svg_is_embedded_in_a_page(void **state)
{
    g_autoptr(GString) svg = g_string_new(
        "<?xml?>\n<svg width=\"8\">\n<title>f</title>\n<desc>v5</desc>\n"
        "<rect x=\"0\" y=\"0\" width=\"8\"/>\n<g fill=\"none\">\n</g>\n"
        "<g id=\"a\"><use xlink:href='#a' color='rgb( 51,  51,  51)'/>"
        "<text font-family=\"DejaVu Sans:Bold\">id='a' ]]> rgb(51,51,51)"
        "</text></g>\n</svg>\n\n");
    g_autoptr(GString) out = NULL;

    (void)state;
    svg_normalise(svg);
    out = svg_make_inline(svg, "p", "a<b");
    assert_string_equal(
        out->str,
        "<svg role=\"img\" aria-label=\"a&lt;b\" width=\"8\">\n\n\n"
        "<g id=\"p-a\"><use xlink:href='#p-a' color='var(--ink)'/>"
        "<text font-family=\"DejaVu Sans, Verdana, sans-serif\" "
        "font-weight=\"bold\">id='a' ]]&gt; rgb(51,51,51)</text></g>\n</svg>\n");
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
        cmocka_unit_test(test_bars_stack_compute_and_exposed_time),
        cmocka_unit_test(test_additional_parameters_make_groups_of_bars),
        cmocka_unit_test(test_speedups_equal_those_of_compare),
        cmocka_unit_test(test_scaling_sorts_sizes_and_separates_lines),
        cmocka_unit_test(test_bandwidth_is_plotted_over_the_size_in_bytes),
        cmocka_unit_test(test_bandwidth_marks_90_percent_of_its_maximum),
        cmocka_unit_test(test_marks_at_one_position_share_a_text),
        cmocka_unit_test(test_a_long_panel_title_has_two_lines),
        cmocka_unit_test(test_a_single_panel_has_no_title),
        cmocka_unit_test(test_a_map_plot_sorts_its_values),
        cmocka_unit_test(test_plots_with_too_much_data_are_left_out),
        cmocka_unit_test(test_an_svg_is_embedded_in_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
