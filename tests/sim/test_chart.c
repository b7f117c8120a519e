/* test_chart.c - tests of the charts in sim/view/plots/: which form the axes
 * of a sweep get, and where labels stand */
#include <math.h>
#include <string.h>

#include "sim/view/plots/chart_draw.h"
#include "sim/view/plots/chart_layout.h"
#include "sim/view/plots/chart_scale.h"
#include "sim/view/plots/chart_set.h"
#include "tests/sim/results_fixture.h"

#define HEAD                                                                   \
    "workload,n_npus,endpoint,iteration_time_us,compute_time_us,"              \
    "exposed_comm_us,net_bw_gb_per_s,status\n"

/* Returns "form y by x, each by; panels; fixed" of a chart, or the error.  The
 * caller frees it. */
static char *chart_says(const char *text, const ChartRequest *request)
{
    static const char *const forms[] = { "?", "lines", "dots", "bars",
                                         "cells" };
    g_autoptr(SweepResults) results = results_from_csv(text);
    g_autoptr(GError) error = NULL;
    g_autoptr(Chart) c = chart_new(results, request, &error);
    GString *out;

    if (!c)
        return g_strdup(error->message);
    out = g_string_new(forms[c->form]);
    g_string_append_printf(out, " %s", c->y);
    if (c->x)
        g_string_append_printf(out, " by %s", c->x->name);
    if (c->series_axis)
        g_string_append_printf(out, " each %s", c->series_axis->name);
    for (guint i = 0; i < c->panel_axes->len; i++)
        g_string_append_printf(
            out, "%s%s", i > 0 ? ", " : "; panels ",
            ((ChartAxis *)g_ptr_array_index(c->panel_axes, i))->name);
    for (guint i = 0; i < c->fixed_axes->len; i++)
        g_string_append_printf(
            out, "%s%s", i > 0 ? ", " : "; fixed ",
            ((ChartAxis *)g_ptr_array_index(c->fixed_axes, i))->name);
    return g_string_free(out, FALSE);
}

#define assert_chart(text, expected, ...)                                      \
    do {                                                                       \
        g_autofree char *got =                                                 \
            chart_says((text), &(ChartRequest){ __VA_ARGS__ });                \
        assert_string_equal(got, (expected));                                  \
    } while (0)

/* Returns the rows of all combinations of values of two numeric keys, two
 * workloads and two endpoints; @n_y = 0 leaves the second key out. */
static char *grid_text(guint n_x, guint n_y, guint n_workloads)
{
    GString *out =
        g_string_new(n_y > 0 ? "a.bandwidth_gb_per_s,b.size_bytes," HEAD
                             : "a.bandwidth_gb_per_s," HEAD);

    for (guint x = 0; x < n_x; x++)
        for (guint y = 0; y < MAX(n_y, 1); y++)
            for (guint w = 0; w < n_workloads; w++)
                for (guint e = 0; e < 2; e++) {
                    g_string_append_printf(out, "%u,", 100 * (x + 1));
                    if (n_y > 0)
                        g_string_append_printf(out, "%u,", 1024u << y);
                    g_string_append_printf(out, "w%u,4,%s,%u,9,1,5,ok\n", w,
                                           e > 0 ? "ace" : "base",
                                           10 + x + 3 * y + 10 * w + e);
                }
    return g_string_free(out, FALSE);
}

/* ---- the choice ---------------------------------------------------------- */

static void test_a_numeric_axis_of_four_values_makes_lines(void **state)
{
    g_autofree char *four = grid_text(4, 0, 1);
    g_autofree char *three = grid_text(3, 0, 1);

    (void)state;
    assert_chart(four, "lines iteration_time_us by a.bandwidth_gb_per_s each "
                       "endpoint");
    assert_chart(three, "dots iteration_time_us");
    assert_chart(four, "lines speedup by a.bandwidth_gb_per_s",
                 .y = CHART_SPEEDUP);
    assert_chart(three, "dots speedup", .y = CHART_SPEEDUP);
}

static void
test_two_numeric_axes_make_a_heat_map_unless_x_is_named(void **state)
{
    g_autofree char *text = grid_text(4, 3, 1);

    (void)state;
    assert_chart(text, "cells iteration_time_us by a.bandwidth_gb_per_s each "
                       "b.size_bytes; panels endpoint");
    assert_chart(text,
                 "lines net_bw_gb_per_s by a.bandwidth_gb_per_s each endpoint; "
                 "panels b.size_bytes",
                 .y = "net_bw_gb_per_s", .x = "a.bandwidth");
    assert_chart(text,
                 "lines iteration_time_us by a.bandwidth_gb_per_s each "
                 "b.size_bytes; panels endpoint",
                 .x = "bandwidth", .series = "size");
}

static void test_a_heat_map_of_speedups_tells_gains_from_losses(void **state)
{
    g_autofree char *text = grid_text(4, 3, 1);
    g_autoptr(SweepResults) r = results_from_csv(text);
    g_autoptr(Chart) chart =
        chart_new(r, &(ChartRequest){ .y = CHART_SPEEDUP }, NULL);
    g_autofree char *subtitle = NULL;

    (void)state;
    assert_int_equal(chart->form, CHART_CELLS);
    subtitle = chart_subtitle(chart);
    assert_string_equal(subtitle, "grey: slower; framed: faster");
    chart->error = 0.118;
    g_free(subtitle);
    subtitle = chart_subtitle(chart);
    assert_string_equal(subtitle, "grey: slower; framed: faster by more than "
                                  "the error to expect, 11.8 %");
}

static void test_a_categorical_axis_makes_dots_sorted_by_value(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv(HEAD "w,4,slow,30,9,1,5,ok\nw,4,fast,10,9,1,5,ok\n"
                              "w,4,middle,20,9,1,5,ok\n");
    g_autoptr(Chart) c = chart_new(r, &(ChartRequest){ .x = "endpoint" }, NULL);

    (void)state;
    assert_non_null(c);
    assert_int_equal(c->form, CHART_DOTS);
    assert_string_equal(distinct_names_text_at(&c->rows, 0), "fast");
    assert_string_equal(distinct_names_text_at(&c->rows, 2), "slow");
    assert_int_equal(chart_point_at(c, 0)->x, 0);
    assert_true(chart_point_at(c, 0)->y == 10);
}

static void
test_too_many_panels_leave_the_least_effect_at_one_value(void **state)
{
    /* Size changes times more than the workload does in 4 x 5 panels. */
    g_autofree char *text = grid_text(4, 5, 4);

    (void)state;
    assert_chart(text,
                 "lines iteration_time_us by a.bandwidth_gb_per_s each "
                 "endpoint; panels workload; fixed b.size_bytes",
                 .x = "a.bandwidth");
    assert_chart(text,
                 "lines iteration_time_us by a.bandwidth_gb_per_s each "
                 "endpoint; panels b.size_bytes; fixed workload",
                 .x = "a.bandwidth", .panels = "size");
}

static void test_columns_that_change_together_are_one_axis(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(
        "a.bandwidth_gb_per_s,b.bandwidth_gb_per_s,c.name," HEAD
        "1,10,p,w,4,e,9,9,0,1,ok\n2,20,q,w,4,e,9,9,0,1,ok\n"
        "4,40,q,w,4,e,9,9,0,1,ok\n");
    g_autoptr(GPtrArray) axes = chart_list_axes(r);
    g_autofree char *title = NULL;

    (void)state;
    assert_int_equal(axes->len, 1);
    title = chart_axis_title(g_ptr_array_index(axes, 0));
    assert_true(g_str_has_prefix(title, "a bandwidth and "));
    assert_non_null(strstr(title, "b bandwidth"));
    assert_true(g_str_has_suffix(title, ", GB/s"));
}

static void test_a_wrong_axis_is_an_error_with_a_suggestion(void **state)
{
    g_autofree char *text = grid_text(4, 3, 1);
    static const char hint[] =
        "r.csv: 'endpiont' is no axis of this sweep; did you mean 'endpoint'?";

    (void)state;
    assert_chart(text, hint, .x = "endpiont");
    assert_chart(text, "r.csv: workload does not vary", .x = "workload");
    assert_chart(text, "r.csv: one axis is asked for twice", .x = "endpoint",
                 .panels = "endpoint");
    assert_chart(text,
                 "r.csv:1: no column 'iteration_time'; did you mean "
                 "'iteration_time_us'?",
                 .y = "iteration_time");
    assert_chart(HEAD "w,4,e,9,9,0,x,ok\nw,8,e,9,9,0,2,ok\n",
                 "r.csv:2: net_bw_gb_per_s: expected a number, got 'x'",
                 .y = "net_bw_gb_per_s");
    assert_chart(HEAD "w,4,e,9,9,0,,ok\nw,8,e,9,9,0,,ok\n",
                 "r.csv: net_bw_gb_per_s has no values",
                 .y = "net_bw_gb_per_s");
}

static void test_too_many_lines_are_an_error(void **state)
{
    g_autoptr(GString) text = g_string_new(HEAD);

    (void)state;
    for (guint i = 0; i < 64; i++)
        g_string_append_printf(text, "w,%u,e%u,2,1,1,1,ok\n", i / 8 + 1, i % 8);
    assert_chart(text->str, "r.csv: 8 lines are more than 7", .x = "n_npus",
                 .series = "endpoint");
    assert_chart(text->str,
                 "lines iteration_time_us by n_npus; panels endpoint");
}

static void test_a_missing_cell_is_no_point(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(
        HEAD "w,4,e,9,9,0,,ok\nw,8,e,9,9,0,2,ok\nw,16,e,9,9,0,3,ok\n");
    g_autoptr(Chart) c =
        chart_new(r, &(ChartRequest){ .y = "net_bw_gb_per_s" }, NULL);

    (void)state;
    assert_non_null(c);
    assert_int_equal(c->points->len, 2);
}

static void test_speedups_equal_those_of_compare(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(
        HEAD "w,4,a,30,1,0,1,ok\nw,4,b,20,1,0,1,ok\nw,4,ace,10,1,0,1,ok\n"
             "w,8,a,30,1,0,1,ok\nw,8,b,20,1,0,1,ok\nw,8,ace,16,1,0,1,ok\n");
    g_autoptr(Chart) c =
        chart_new(r, &(ChartRequest){ .y = CHART_SPEEDUP }, NULL);

    (void)state;
    assert_non_null(c);
    assert_int_equal(c->points->len, 2);
    assert_true(chart_point_at(c, 0)->y == 2);
    assert_true(chart_point_at(c, 1)->y == 1.25);
    assert_int_equal(chart_role_of(c, 0), CHART_PUBLISHED);
}

static void test_bars_add_up_to_the_iteration(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(
        HEAD "w,4,a,1000,900,100,1,ok\nw,4,b,2000,2000,0,1,ok\n");
    g_autoptr(Chart) c = chart_new(
        r, &(ChartRequest){ .y = "iteration_time_us", .form = CHART_BARS },
        NULL);

    (void)state;
    assert_non_null(c);
    assert_int_equal(c->points->len, 4);
    assert_true(chart_point_at(c, 0)->y + chart_point_at(c, 2)->y == 1000);
    assert_string_equal(c->unit.name, "ms");
}

static void test_the_set_has_the_answer_and_each_axis(void **state)
{
    g_autofree char *text = grid_text(4, 3, 1);
    g_autoptr(SweepResults) r = results_from_csv(text);
    g_autoptr(GString) left_out = g_string_new(NULL);
    g_autoptr(GPtrArray) charts = chart_set_new(r, left_out, NULL);
    g_autoptr(GString) names = g_string_new(NULL);

    (void)state;
    assert_non_null(charts);
    for (guint i = 0; i < charts->len; i++) {
        g_autofree char *name = chart_file_name(g_ptr_array_index(charts, i));

        g_string_append_printf(names, "%s\n", name);
    }
    assert_non_null(strstr(names->str, "speedup-by-"));
    assert_non_null(strstr(names->str, "iteration_time_us-by-endpoint\n"));
    assert_non_null(strstr(names->str, "-by-bandwidth"));
    assert_non_null(strstr(names->str, "-and-"));
    assert_string_equal(left_out->str, "");
}

/* ---- words, scales and labels -------------------------------------------- */

static void test_labels_are_words_with_a_unit(void **state)
{
    static const char *const cases[][2] = {
        { "platform.npu.hbm.bandwidth_gb_per_s", "HBM bandwidth" },
        { "endpoint.memory_bandwidth_gb_per_s", "endpoint memory bandwidth" },
        { "iteration_time_us", "iteration time" },
        { "n_npus", "number of NPUs" },
        { "net_bw_gb_per_s", "network bandwidth" },
        { "platform.topology.1.bandwidth_gb_per_s", "dimension 1 bandwidth" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *label = chart_column_label(cases[i][0]);

        assert_string_equal(label, cases[i][1]);
    }
    assert_string_equal(chart_unit_for("a_us", 2500).name, "ms");
    assert_string_equal(chart_unit_for("a_us", 2).name, "us");
    assert_string_equal(chart_unit_for("a_gb_per_s", 2e9).name, "GB/s");
    assert_string_equal(chart_unit_for("n_npus", 4).name, "");
}

static void assert_value(double value, const char *expected)
{
    g_autofree char *text = chart_value_text(value);

    assert_string_equal(text, expected);
}

static void test_values_have_few_digits(void **state)
{
    (void)state;
    assert_value(3350, "3350");
    assert_value(0.25, "0.25");
    assert_value(12345, "12345");
    assert_value(1048576, "1.049e+06");
}

static void test_spread_labels_do_not_overlap_and_stay_inside(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(random_seed(1));

    (void)state;
    for (guint draw = 0; draw < n_random_draws(500); draw++) {
        guint n = (guint)g_rand_int_range(rand, 1, 8);
        double want[8], at[8];

        for (guint i = 0; i < n; i++)
            want[i] = at[i] = g_rand_double_range(rand, 0, 180);
        chart_spread_labels(at, n, 14, 0, 180);
        for (guint i = 0; i < n; i++) {
            assert_true(at[i] >= 7 - 1e-6 && at[i] <= 173 + 1e-6);
            for (guint k = 0; k < i; k++) {
                assert_true(fabs(at[i] - at[k]) >= 14 - 1e-6);
                assert_true((want[i] > want[k]) == (at[i] > at[k]));
            }
        }
    }
}

static void test_labels_that_are_apart_stay(void **state)
{
    double at[] = { 100, 50, 20 };

    (void)state;
    chart_spread_labels(at, 3, 14, 0, 180);
    assert_true(at[0] == 100 && at[1] == 50 && at[2] == 20);
}

static void test_thinned_labels_do_not_overlap(void **state)
{
    const double at[] = { 0, 5, 20, 38, 45 };
    const double width[] = { 10, 10, 10, 10, 10 };
    gboolean shown[5];

    (void)state;
    chart_thin_labels(at, width, 5, 4, shown);
    assert_true(shown[0] && !shown[1] && shown[2] && !shown[3] && shown[4]);
}

static void test_steps_are_round(void **state)
{
    (void)state;
    assert_true(chart_tick_step(10, 5) == 2);
    assert_true(fabs(chart_tick_step(0.35, 4) - 0.1) < 1e-12);
    assert_true(chart_tick_step(7000, 4) == 2000);
    assert_true(chart_tick_step(0, 4) == 1);
}

/* ---- several offloads ---------------------------------------------------- */

static void test_each_of_several_offloads_has_its_colour(void **state)
{
    g_autofree char *text = grid_text(3, 0, 1);
    g_autoptr(SweepResults) r = results_from_csv(text);
    g_autoptr(Chart) c =
        chart_new(r, &(ChartRequest){ .y = CHART_SPEEDUP }, NULL);
    const ChartRole offload = CHART_OFFLOAD;

    (void)state;
    g_array_set_size(c->roles, 0);
    g_array_append_val(c->roles, offload);
    assert_int_equal(chart_series_colour(c, 0), 0x007a4d);
    g_array_append_val(c->roles, offload);
    assert_int_not_equal(chart_series_colour(c, 0), chart_series_colour(c, 1));
}

/* ---- drawing ------------------------------------------------------------- */

/* Returns whether a label of the canvas is @text. */
static gboolean has_label(const Canvas *canvas, const char *text)
{
    g_autofree char *cell = g_strdup_printf("\t%s\n", text);

    return strstr(canvas->files[CANVAS_LABELS]->str, cell) != NULL;
}

static void test_a_drawing_has_ticks_names_and_figures(void **state)
{
    g_autofree char *text = grid_text(4, 3, 2);
    g_autoptr(SweepResults) r = results_from_csv(text);
    g_autoptr(Chart) cells = chart_new(r, &(ChartRequest){ 0 }, NULL);
    g_autoptr(Chart) lines =
        chart_new(r, &(ChartRequest){ .x = "a.bandwidth" }, NULL);
    g_auto(Canvas) map = { 0 };
    g_auto(Canvas) plot = { 0 };

    (void)state;
    canvas_init(&map);
    chart_draw(cells, &map);
    assert_true(has_label(&map, "4 KiB"));
    assert_true(has_label(&map, "400"));
    assert_int_equal(map.n_panels, 4);
    canvas_init(&plot);
    chart_draw(lines, &plot);
    assert_true(has_label(&plot, "ace"));
    assert_true(has_label(&plot, "400"));
    assert_int_equal(plot.n_panels, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_numeric_axis_of_four_values_makes_lines),
        cmocka_unit_test(
            test_two_numeric_axes_make_a_heat_map_unless_x_is_named),
        cmocka_unit_test(test_a_heat_map_of_speedups_tells_gains_from_losses),
        cmocka_unit_test(test_each_of_several_offloads_has_its_colour),
        cmocka_unit_test(test_a_categorical_axis_makes_dots_sorted_by_value),
        cmocka_unit_test(
            test_too_many_panels_leave_the_least_effect_at_one_value),
        cmocka_unit_test(test_columns_that_change_together_are_one_axis),
        cmocka_unit_test(test_a_wrong_axis_is_an_error_with_a_suggestion),
        cmocka_unit_test(test_too_many_lines_are_an_error),
        cmocka_unit_test(test_a_missing_cell_is_no_point),
        cmocka_unit_test(test_speedups_equal_those_of_compare),
        cmocka_unit_test(test_bars_add_up_to_the_iteration),
        cmocka_unit_test(test_the_set_has_the_answer_and_each_axis),
        cmocka_unit_test(test_labels_are_words_with_a_unit),
        cmocka_unit_test(test_values_have_few_digits),
        cmocka_unit_test(test_spread_labels_do_not_overlap_and_stay_inside),
        cmocka_unit_test(test_labels_that_are_apart_stay),
        cmocka_unit_test(test_thinned_labels_do_not_overlap),
        cmocka_unit_test(test_steps_are_round),
        cmocka_unit_test(test_a_drawing_has_ticks_names_and_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
