/* Tests of sim/sweep/sweep_plan.h: the points of a sweep and their run files */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/host/process_pool.h"
#include "sim/host/progress.h"
#include "sim/sweep/sweep_info.h"
#include "sim/sweep/sweep_plan.h"
#include "tests/test.h"

#define BASE "base: {a: {b: 1, c: 2}, d: 3}\n"

static SweepPlan *plan_of_sweep_text(const char *text, char *const *sets,
                                     GError **error)
{
    ConfigDoc *doc = config_doc_parse("s.yaml", text, strlen(text), error);

    return doc ? sweep_plan_new(doc, sets, error) : NULL;
}

/* Returns the points as "k=v, k=v; k=v, k=v". */
static char *sweep_points_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(text, NULL, &error);
    GString *out = g_string_new(NULL);

    assert_no_error(error);
    for (guint i = 0; i < sweep_plan_count_points(plan); i++) {
        g_autofree char *point = sweep_plan_describe_point(plan, i);

        g_string_append_printf(out, "%s%s", i > 0 ? "; " : "", point);
    }
    return g_string_free(out, FALSE);
}

#define assert_points(text, expected)                                          \
    do {                                                                       \
        g_autofree char *got = sweep_points_text(text);                        \
        assert_string_equal(got, expected);                                    \
    } while (0)

#define assert_plan_error(text, code, message)                                 \
    do {                                                                       \
        g_autoptr(GError) error = NULL;                                        \
        assert_null(plan_of_sweep_text(text, NULL, &error));                   \
        assert_config_error(error, code, message);                             \
    } while (0)

/* ---- points of a sweep --------------------------------------------------- */

static void test_the_last_sweep_axis_is_the_fastest(void **state)
{
    (void)state;
    assert_points(BASE "axes:\n  - d: [1, 2]\n  - a.b: [x, y, z]\n",
                  "d=1, a.b=x; d=1, a.b=y; d=1, a.b=z; "
                  "d=2, a.b=x; d=2, a.b=y; d=2, a.b=z");
    assert_points(BASE "axes: [{d: [1, 2], a.b: [x, y]}]\n",
                  "d=1, a.b=x; d=1, a.b=y; d=2, a.b=x; d=2, a.b=y");
}

static void test_the_axes_of_a_zip_advance_together(void **state)
{
    (void)state;
    assert_points(BASE "axes:\n"
                       "  - zip: {d: [1, 2], a.b: [x, y]}\n"
                       "  - a.c: [7, 8]\n",
                  "d=1, a.b=x, a.c=7; d=1, a.b=x, a.c=8; "
                  "d=2, a.b=y, a.c=7; d=2, a.b=y, a.c=8");
    assert_points(BASE "axes:\n"
                       "  - a.c: [7, 8]\n"
                       "  - zip: {d: [1, 2], a.b: [x, y]}\n",
                  "a.c=7, d=1, a.b=x; a.c=7, d=2, a.b=y; "
                  "a.c=8, d=1, a.b=x; a.c=8, d=2, a.b=y");
}

static void test_a_sweep_without_axes_has_one_point(void **state)
{
    (void)state;
    assert_points(BASE "axes: []\n", "");
}

static void test_a_sweep_label_is_a_stem_a_name_or_the_text(void **state)
{
    (void)state;
    assert_points(BASE "axes:\n  - a: [x/one.yaml, {name: n, b: 1}, "
                       "{b: [1, 2]}, 64 KiB]\n",
                  "a=one; a=n; a={b: [1, 2]}; a=64 KiB");
}

static void test_ambiguous_sweep_labels_are_full_texts(void **state)
{
    (void)state;
    assert_points(BASE "axes:\n  - a: [x/one.yaml, y/one.yaml]\n",
                  "a=x/one.yaml; a=y/one.yaml");
    assert_points(BASE "axes:\n  - a: [{name: n, b: 1}, {name: n, b: 2}]\n",
                  "a={name: n, b: 1}; a={name: n, b: 2}");
    assert_points(BASE "axes:\n  - zip: {d: [1, 1], a.b: [x, y]}\n",
                  "d=1, a.b=x; d=1, a.b=y");
}

static void assert_axis_column(const char *values, const char *column,
                               const char *first, const char *second)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text =
        g_strconcat(BASE "axes:\n  - a.b: ", values, "\n", NULL);
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(text, NULL, &error);

    assert_no_error(error);
    assert_string_equal(sweep_plan_axis_column(plan, 0), column);
    assert_string_equal(sweep_plan_axis_cell(plan, 0, 0), first);
    assert_string_equal(sweep_plan_axis_cell(plan, 1, 0), second);
}

static void test_a_swept_quantity_is_a_number_with_its_unit(void **state)
{
    (void)state;
    assert_axis_column("[900 GB/s, 1.8 TB/s]", "a.b_gb_per_s", "900", "1800");
    assert_axis_column("[500 MB/s, 0.1 B/s]", "a.b", "500 MB/s", "0.1 B/s");
    assert_axis_column("[1 ps, 2.5 us]", "a.b_us", "0.000001", "2.5");
    assert_axis_column("[64 KiB, 1 kB]", "a.b_bytes", "65536", "1000");
    assert_axis_column("[1.2 GHz, 1 Hz]", "a.b_hz", "1200000000", "1");
    assert_axis_column("[1 PFLOPS, 1 GFLOPS]", "a.b_tflop_per_s", "1000",
                       "0.001");
    assert_axis_column("[3, 40]", "a.b", "3", "40");
    assert_axis_column("[50 %, 1]", "a.b", "0.5", "1");
    assert_axis_column("[auto, 64 KiB]", "a.b_bytes", "", "65536");
    /* These are names. */
    assert_axis_column("[auto, ring]", "a.b", "auto", "ring");
    assert_axis_column("[900 GB/s, 2 us]", "a.b", "900 GB/s", "2 us");
    assert_axis_column("[true, false]", "a.b", "true", "false");
}

static void test_sweep_exclusions_match_all_their_keys(void **state)
{
    (void)state;
    assert_points(BASE "axes:\n  - d: [1, 2]\n  - a: [x/p.yaml, x/q.yaml]\n"
                       "exclude:\n  - {d: 1, a: p}\n  - {a: x/q.yaml, d: 2}\n",
                  "d=1, a=q; d=2, a=p");
    assert_points(BASE "axes:\n  - d: [1, 2]\n  - a.b: [x, y]\n"
                       "exclude: [{d: 1}]\n",
                  "d=2, a.b=x; d=2, a.b=y");
}

static void test_too_many_sweep_points_are_refused(void **state)
{
    (void)state;
    GString *text = g_string_new(BASE "axes:\n");

    for (char key = 'e'; key < 'k'; key++)
        g_string_append_printf(text, "  - %c: [0,1,2,3,4,5,6,7,8,9,10]\n", key);
    assert_plan_error(text->str, CONFIG_ERROR_RANGE,
                      "s.yaml:3:3: axes: more than 1000000 points");
    g_string_free(text, TRUE);
}

/* ---- errors in sweep files ----------------------------------------------- */

static void test_errors_in_sweep_axes_have_positions(void **state)
{
    (void)state;
    assert_plan_error("axes: []\n", CONFIG_ERROR_MISSING_KEY,
                      "s.yaml:1:1: missing key 'base' (a run file, or what "
                      "would stand in one)");
    assert_plan_error(BASE "axes: 3\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:7: axes: expected a list of maps");
    assert_plan_error(BASE "axes: [3]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:8: axes: expected a map such as "
                      "'{key: [1, 2]}'");
    assert_plan_error(BASE "axes: [{d: 3}]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:12: d: expected a list of one value or more");
    assert_plan_error(BASE "axes: [{d: []}]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:12: d: expected a list of one value or more");
    assert_plan_error(BASE "axes: [{d: [1]}, {d: [2]}]\n",
                      CONFIG_ERROR_DUPLICATE_KEY,
                      "s.yaml:2:19: axis 'd' stands twice");
    assert_plan_error(BASE "axes: [{d: [1, 2, 1]}]\n", CONFIG_ERROR_CONFLICT,
                      "s.yaml:2:19: axis 'd' has the value '1' twice");
    assert_plan_error(BASE "axes: [{a: [{b: 1}, {b: 1}]}]\n",
                      CONFIG_ERROR_CONFLICT,
                      "s.yaml:2:21: axis 'a' has the value '{b: 1}' twice");
}

static void test_errors_in_sweep_zips_have_positions(void **state)
{
    (void)state;
    assert_plan_error(BASE "axes: [{zip: [1]}]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:14: zip: expected a map of lists");
    assert_plan_error(BASE "zip:\n  - {d: [1, 2]}\n", CONFIG_ERROR_UNKNOWN_KEY,
                      "s.yaml:3:3: 'zip' stands in the list of axes, as '- "
                      "zip: {...}'");
    assert_plan_error(BASE "axes: [{zip: {d: [1, 2], a: [3]}}]\n",
                      CONFIG_ERROR_CONFLICT,
                      "s.yaml:2:29: zip: 'a' has 1 values, 'd' has 2");
}

static void test_errors_in_sweep_exclusions_have_positions(void **state)
{
    (void)state;
#define AXES BASE "axes: [{scheduler: [lifo, fifo]}]\n"
    assert_plan_error(AXES "exclude: {}\n", CONFIG_ERROR_TYPE,
                      "s.yaml:3:10: exclude: expected a list of maps");
    assert_plan_error(AXES "exclude: [x]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:3:11: exclude: expected a map such as "
                      "'{key: value}'");
    assert_plan_error(AXES "exclude: [{schedular: lifo}]\n",
                      CONFIG_ERROR_UNKNOWN_KEY,
                      "s.yaml:3:12: exclude: 'schedular' is no axis; did you "
                      "mean 'scheduler'?");
    assert_plan_error(AXES "exclude: [{scheduler: liffo}]\n",
                      CONFIG_ERROR_UNKNOWN_KEY,
                      "s.yaml:3:23: exclude: axis 'scheduler' has no value "
                      "'liffo'; there are: lifo, fifo");
    assert_plan_error(AXES "exclude: [{scheduler: {}}]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:3:23: exclude: expected one value of axis "
                      "'scheduler', got a map; there are: lifo, fifo");
    assert_plan_error(AXES "exclude: [{scheduler: [lifo, fifo]}]\n",
                      CONFIG_ERROR_TYPE,
                      "s.yaml:3:23: exclude: expected one value of axis "
                      "'scheduler', got a list; there are: lifo, fifo");
    assert_plan_error(AXES "exclude: [{scheduler: lifo}, {scheduler: fifo}]\n",
                      CONFIG_ERROR_CONFLICT,
                      "s.yaml:3:10: exclude: no point is left");
#undef AXES
}

static void test_a_missing_sweep_base_has_a_position(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan =
        plan_of_sweep_text("base: none.yaml\naxes: []\n", NULL, &error);

    (void)state;
    assert_no_error(error);
    assert_null(sweep_plan_point_document(plan, 0, &error));
    assert_config_error(error, CONFIG_ERROR_FILE,
                        "s.yaml:1:7: base: none.yaml: cannot be read: No such "
                        "file or directory");
}

/* ---- run files of sweep points ------------------------------------------- */

static const char *config_value_at_path(ConfigDoc *doc, const char *path)
{
    return config_node_text(config_doc_find_nearest(doc, path));
}

static void test_a_sweep_point_has_its_own_run_file(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan =
        plan_of_sweep_text(BASE "axes: [{a.b: [x, y]}]\n", NULL, &error);
    g_autoptr(ConfigDoc) first = sweep_plan_point_document(plan, 0, &error);
    g_autoptr(ConfigDoc) second = sweep_plan_point_document(plan, 1, &error);

    (void)state;
    assert_no_error(error);
    assert_string_equal(config_value_at_path(first, "a.b"), "x");
    assert_string_equal(config_value_at_path(second, "a.b"), "y");
    assert_string_equal(config_value_at_path(second, "a.c"), "2");
    assert_string_equal(config_value_at_path(second, "d"), "3");
}

static void test_shorter_paths_are_set_before_longer_ones(void **state)
{
    char set_d[] = "a.c=9", set_a[] = "e.f=4";
    char *const sets[] = { set_d, set_a, NULL };
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(
        BASE "axes: [{a.b: [x]}, {a: [{b: 5, c: 6}]}]\n", sets, &error);
    g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, 0, &error);

    (void)state;
    assert_no_error(error);
    assert_string_equal(config_value_at_path(doc, "a.b"), "x");
    assert_string_equal(config_value_at_path(doc, "a.c"), "9");
    assert_string_equal(config_value_at_path(doc, "e.f"), "4");
}

static void test_sweep_cases_are_set_last(void **state)
{
    static const char text[] = BASE "axes:\n"
                                    "  - cases: {size: {as is: {}, big: "
                                    "{a.b: 7, d: 8}}}\n"
                                    "  - a: [{b: 5, c: 6}]\n"
                                    "exclude: [{size: as is}]\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(text, NULL, &error);
    g_autoptr(ConfigDoc) doc = NULL;

    (void)state;
    assert_no_error(error);
    assert_int_equal(sweep_plan_count_points(plan), 1);
    assert_string_equal(sweep_plan_value_label(plan, 0, 0), "big");
    doc = sweep_plan_point_document(plan, 0, &error);
    assert_no_error(error);
    assert_string_equal(config_value_at_path(doc, "a.b"), "7");
    assert_string_equal(config_value_at_path(doc, "a.c"), "6");
    assert_string_equal(config_value_at_path(doc, "d"), "8");
}

static void test_errors_in_sweep_cases_have_positions(void **state)
{
    (void)state;
    assert_plan_error(BASE "axes: [{cases: {x: {}}}]\n", CONFIG_ERROR_TYPE,
                      "s.yaml:2:16: cases: expected one name and its cases, "
                      "such as '{size: {small: {key: 1}, large: {key: 2}}}'");
    assert_plan_error(BASE "axes: [{cases: {x: {small: 3}}}]\n",
                      CONFIG_ERROR_TYPE,
                      "s.yaml:2:28: cases: 'small' is no map of keys and "
                      "values");
    assert_plan_error(BASE "axes: [{d: [1]}, {cases: {d: {a: {}}}}]\n",
                      CONFIG_ERROR_DUPLICATE_KEY,
                      "s.yaml:2:27: axis 'd' stands twice");
}

static void test_the_command_line_may_not_set_a_sweep_axis(void **state)
{
    char set[] = "a.b=9";
    char *const sets[] = { set, NULL };
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_null(plan_of_sweep_text(BASE "axes: [{a.b: [x]}]\n", sets, &error));
    assert_config_error(error, CONFIG_ERROR_CONFLICT,
                        "--set: 'a.b' is an axis of the sweep");
}

static void test_sweep_names_to_compare_are_returned(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(
        BASE "axes: []\ncompare: {baselines: [x, y]}\n", NULL, &error);

    (void)state;
    assert_no_error(error);
    assert_string_equal(sweep_plan_baseline_names(plan)[1], "y");
    assert_null(sweep_plan_baseline_names(plan)[2]);
    assert_null(sweep_plan_offload_names(plan)[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_sweep_axis_is_the_fastest),
        cmocka_unit_test(test_the_axes_of_a_zip_advance_together),
        cmocka_unit_test(test_a_sweep_without_axes_has_one_point),
        cmocka_unit_test(test_a_sweep_label_is_a_stem_a_name_or_the_text),
        cmocka_unit_test(test_ambiguous_sweep_labels_are_full_texts),
        cmocka_unit_test(test_a_swept_quantity_is_a_number_with_its_unit),
        cmocka_unit_test(test_sweep_exclusions_match_all_their_keys),
        cmocka_unit_test(test_too_many_sweep_points_are_refused),
        cmocka_unit_test(test_errors_in_sweep_axes_have_positions),
        cmocka_unit_test(test_errors_in_sweep_zips_have_positions),
        cmocka_unit_test(test_sweep_cases_are_set_last),
        cmocka_unit_test(test_errors_in_sweep_cases_have_positions),
        cmocka_unit_test(test_errors_in_sweep_exclusions_have_positions),
        cmocka_unit_test(test_a_missing_sweep_base_has_a_position),
        cmocka_unit_test(test_a_sweep_point_has_its_own_run_file),
        cmocka_unit_test(test_shorter_paths_are_set_before_longer_ones),
        cmocka_unit_test(test_the_command_line_may_not_set_a_sweep_axis),
        cmocka_unit_test(test_sweep_names_to_compare_are_returned),
    };

    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
