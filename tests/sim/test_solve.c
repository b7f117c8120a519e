/* test_solve.c - tests of sim/study/solve/goal_condition.h and
 * least_value_search.h: goals, and the smallest value that reaches a goal */
#include <string.h>

#include "models/run/system.h"
#include "sim/config/config.h"
#include "sim/study/solve/goal_condition.h"
#include "sim/study/solve/least_value_search.h"
#include "tests/test.h"

/* ---- parsing of conditions ----------------------------------------------- */

static Condition *parse_condition(const char *text)
{
    GError *error = NULL;
    Condition *condition = condition_parse(text, &error);

    assert_no_error(error);
    return condition;
}

#define assert_condition_error(text, code, message)                            \
    do {                                                                       \
        GError *error = NULL;                                                  \
        assert_null(condition_parse(text, &error));                            \
        assert_config_error(error, code, message);                             \
    } while (0)

static void test_a_goal_value_is_converted_to_its_column_unit(void **state)
{
    const struct {
        const char *text;
        double value;
        guint n_digits;
    } cases[] = {
        { "net_bw_gb_per_s>=90 GB/s", 90, 3 },
        { " iteration_time_us < 1.5 ms ", 1500, 6 },
        { "sram_peak_bytes <= 4 KiB", 4096, 0 },
        { "n_npus > 8", 8, 0 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Condition) c = parse_condition(cases[i].text);

        assert_null(c->reference);
        assert_true(c->value == cases[i].value);
        assert_int_equal(c->n_digits, cases[i].n_digits);
        assert_true(condition_goal_value(c, 7) == cases[i].value);
    }
}

static void test_a_share_refers_to_another_run(void **state)
{
    g_autoptr(Condition) ideal =
        parse_condition("net_bw_gb_per_s >= 90 % of ideal");
    g_autoptr(Condition) file =
        parse_condition("exposed_comm_us<=150% of  my runs/a b.yaml ");
    g_autofree char *text = condition_text(file);

    (void)state;
    assert_string_equal(ideal->reference, CONDITION_IDEAL);
    assert_true(condition_goal_value(ideal, 200) == 180);
    assert_string_equal(file->reference, "my runs/a b.yaml");
    assert_true(condition_goal_value(file, 200) == 300);
    assert_string_equal(text, "exposed_comm_us <= 150% of  my runs/a b.yaml");
}

static void test_each_comparison_operator_works(void **state)
{
    const struct {
        const char *op;
        gboolean below, equal, above;
    } cases[] = {
        { ">=", FALSE, TRUE, TRUE },
        { "<=", TRUE, TRUE, FALSE },
        { ">", FALSE, FALSE, TRUE },
        { "<", TRUE, FALSE, FALSE },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("n_npus %s 8", cases[i].op);
        g_autoptr(Condition) c = parse_condition(text);

        assert_int_equal(condition_is_met(c, 7, 8), cases[i].below);
        assert_int_equal(condition_is_met(c, 8, 8), cases[i].equal);
        assert_int_equal(condition_is_met(c, 9, 8), cases[i].above);
    }
}

static void test_goal_errors_have_their_column(void **state)
{
    (void)state;
    assert_condition_error("", CONFIG_ERROR_SYNTAX,
                           "--until:1:1: expected a metric, such as "
                           "'net_bw_gb_per_s'");
    assert_condition_error("  net_bw_gb_per > 1 GB/s", CONFIG_ERROR_UNKNOWN_KEY,
                           "--until:1:3: unknown metric 'net_bw_gb_per'; did "
                           "you mean 'net_bw_gb_per_s'?");
    assert_condition_error("workload > 3", CONFIG_ERROR_TYPE,
                           "--until:1:1: 'workload' is no number");
    assert_condition_error("n_npus", CONFIG_ERROR_SYNTAX,
                           "--until:1:7: expected one of >=, <=, >, <");
    assert_condition_error("n_npus == 3", CONFIG_ERROR_SYNTAX,
                           "--until:1:8: '==' is no comparison; expected one "
                           "of >=, <=, >, <");
    assert_condition_error("n_npus > ", CONFIG_ERROR_TYPE,
                           "--until:1:10: n_npus: expected a whole number, got "
                           "nothing");
    assert_condition_error("net_bw_gb_per_s > 90", CONFIG_ERROR_UNIT,
                           "--until:1:19: net_bw_gb_per_s: '90' has no unit; "
                           "expected a bandwidth such as '200 GB/s'");
    assert_condition_error("net_bw_gb_per_s > 90 %", CONFIG_ERROR_UNIT,
                           "--until:1:19: '90 %' of what? expected '90 % of "
                           "ideal' or '90 % of FILE'");
    assert_condition_error("net_bw_gb_per_s > 90 % of ", CONFIG_ERROR_SYNTAX,
                           "--until:1:27: expected 'ideal' or the name of a "
                           "file");
    assert_condition_error("net_bw_gb_per_s > -3 % of ideal",
                           CONFIG_ERROR_RANGE,
                           "--until:1:19: '-3 %' is negative");
    assert_condition_error("n\xff", CONFIG_ERROR_SYNTAX,
                           "--until:1:1: not UTF-8");
}

/* ---- searches for thresholds --------------------------------------------- */

/* A goal that holds from bounds[0] to below bounds[1], from bounds[2] to below
 * bounds[3], and so on. */
typedef struct {
    uint64_t bounds[5]; /* The bounds end with 0. */
    guint n_evaluated;
    /* The value from which on the evaluation fails; 0 for never. */
    uint64_t fails_at;
} Steps;

static gboolean goal_holds_at_step(gpointer self, uint64_t value, gboolean *ret,
                                   GError **error)
{
    Steps *steps = self;

    steps->n_evaluated++;
    *ret = FALSE;
    for (guint i = 0; steps->bounds[i] > 0; i++)
        if (value >= steps->bounds[i])
            *ret = !*ret;
    if (steps->fails_at > 0 && value >= steps->fails_at) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE, "no");
        return FALSE;
    }
    return TRUE;
}

static SearchResult *search_step_thresholds(Steps *steps,
                                            LeastValueSearch search)
{
    GError *error = NULL;
    SearchResult *result;

    search.holds = goal_holds_at_step;
    search.self = steps;
    result = search_least_value(&search, &error);
    assert_no_error(error);
    assert_int_equal(result->points->len, steps->n_evaluated);
    for (guint i = 1; i < result->points->len; i++)
        assert_true(search_point(result, i - 1)->value <
                    search_point(result, i)->value);
    return result;
}

static void test_every_threshold_in_a_range_is_found_exactly(void **state)
{
    (void)state;
    for (uint64_t to = 2; to <= 40; to++) {
        for (uint64_t step = 1; step <= to; step++) {
            Steps steps = { .bounds = { step } };
            g_autoptr(SearchResult) result = search_step_thresholds(
                &steps, (LeastValueSearch){ .from = 1, .to = to });

            assert_true(result->is_found);
            assert_int_equal(result->least, step);
            assert_int_equal(result->crossings->len, step > 1);
        }
    }
}

static void test_a_threshold_in_many_decades_needs_few_points(void **state)
{
    (void)state;
    for (uint64_t step = 2; step < UINT64_C(1000000000000); step = step * 7) {
        Steps steps = { .bounds = { step } };
        g_autoptr(SearchResult) result = search_step_thresholds(
            &steps, (LeastValueSearch){ .from = 1,
                                        .to = UINT64_C(1000000000000),
                                        .tolerance_ppm = 1000 });
        const SearchCrossing *crossing = search_crossing_at(result, 0);

        assert_int_equal(result->crossings->len, 1);
        assert_true(result->least >= step);
        assert_true(result->least - step <= MAX(1, result->least / 1000));
        assert_true(crossing->below.value < step);
        assert_false(crossing->below.meets_goal);
        assert_int_equal(crossing->above.value, result->least);
        assert_true(steps.n_evaluated <= 24);
    }
}

static void test_evaluated_points_have_few_digits(void **state)
{
    Steps steps = { .bounds = { 379314159265 } };
    Steps sizes = { .bounds = { 5000000 } };
    g_autoptr(SearchResult) ten = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 32000000000,
                                    .to = 900000000000,
                                    .tolerance_ppm = 1000 });
    g_autoptr(SearchResult) two = search_step_thresholds(
        &sizes, (LeastValueSearch){ .from = 1 << 18,
                                    .to = 1 << 26,
                                    .tolerance_ppm = 1000,
                                    .is_binary = TRUE });

    (void)state;
    for (guint i = 0; i < ten->points->len; i++)
        assert_int_equal(search_point(ten, i)->value % 10000000, 0);
    for (guint i = 0; i < two->points->len; i++)
        assert_int_equal(search_point(two, i)->value % 512, 0);
}

static void test_a_goal_that_holds_at_the_start_needs_no_search(void **state)
{
    Steps steps = { .bounds = { 1 } };
    g_autoptr(SearchResult) result = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 1, .to = 1000000 });

    (void)state;
    assert_true(result->is_found);
    assert_int_equal(result->least, 1);
    assert_int_equal(result->crossings->len, 0);
    assert_int_equal(result->points->len, 5);
}

static void test_the_end_of_an_interval_is_found(void **state)
{
    Steps steps = { .bounds = { 1, 700 } };
    g_autoptr(SearchResult) result = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 1, .to = 1000 });

    (void)state;
    assert_int_equal(result->least, 1);
    assert_int_equal(result->crossings->len, 1);
    assert_int_equal(search_crossing_at(result, 0)->below.value, 699);
    assert_false(search_crossing_at(result, 0)->above.meets_goal);
}

static void test_a_goal_that_is_never_reached_is_scanned_for(void **state)
{
    Steps steps = { .bounds = { 5000 } };
    g_autoptr(SearchResult) result = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 1, .to = 1000 });

    (void)state;
    assert_false(result->is_found);
    assert_int_equal(result->crossings->len, 0);
    assert_true(result->points->len >= 20);
}

/* The first five points miss the interval, because it is too narrow. */
static void test_a_narrow_interval_is_found_by_the_scan(void **state)
{
    Steps steps = { .bounds = { 610, 690 } };
    g_autoptr(SearchResult) result = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 500, .to = 1000 });

    (void)state;
    assert_true(result->is_found);
    assert_int_equal(result->least, 610);
    assert_int_equal(result->crossings->len, 2);
    assert_int_equal(search_crossing_at(result, 1)->below.value, 689);
}

static void test_all_crossings_are_found(void **state)
{
    Steps steps = { .bounds = { 200, 400, 600, 800 } };
    g_autoptr(SearchResult) result = search_step_thresholds(
        &steps, (LeastValueSearch){ .from = 100, .to = 900 });

    (void)state;
    assert_int_equal(result->least, 200);
    assert_int_equal(result->crossings->len, 4);
    for (guint i = 0; i < 4; i++) {
        const SearchCrossing *crossing = search_crossing_at(result, i);

        assert_int_equal(crossing->above.value, steps.bounds[i]);
        assert_int_equal(crossing->below.value, steps.bounds[i] - 1);
        assert_int_equal(crossing->above.meets_goal, i % 2 == 0);
    }
}

static void test_an_error_ends_the_threshold_search(void **state)
{
    Steps steps = { .bounds = { 5 }, .fails_at = 100 };
    LeastValueSearch search = {
        .from = 0, .to = 1000, .holds = goal_holds_at_step, .self = &steps
    };
    GError *error = NULL;

    (void)state;
    assert_null(search_least_value(&search, &error));
    assert_config_error(error, CONFIG_ERROR_FILE, "no");
    assert_int_equal(steps.n_evaluated, 2);
}

/* ---- paths to parameters ------------------------------------------------- */

static void test_a_goal_path_leads_to_its_parameter(void **state)
{
    const char *text =
        "platform:\n"
        "  topology: {kind: torus, dims: [{size: 4, bandwidth: 1 GB/s, "
        "latency: 1 ns}]}\n"
        "  npu: {}\n"
        "endpoint: {kind: ace}\n";
    const struct {
        const char *path, *key;
    } cases[] = {
        { "platform.topology.dims.0.bandwidth", "bandwidth" },
        { "platform.topology.dims.0", "dim" },
        { "endpoint.sram", "sram" },
        { "endpoint.sms", NULL },
        { "training.iterations", "iterations" },
        { "training.iterations.x", NULL },
        /* The document has no workload, so the kind of the workload is
         * unknown. */
        { "workload.payload", NULL },
        { "", NULL },
    };
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("a.yaml", text, strlen(text), NULL);

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ConfigField *field =
            config_doc_field(doc, system_fields, cases[i].path);

        assert_string_equal(field ? field->key : "none",
                            cases[i].key ? cases[i].key : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_goal_value_is_converted_to_its_column_unit),
        cmocka_unit_test(test_a_share_refers_to_another_run),
        cmocka_unit_test(test_each_comparison_operator_works),
        cmocka_unit_test(test_goal_errors_have_their_column),
        cmocka_unit_test(test_every_threshold_in_a_range_is_found_exactly),
        cmocka_unit_test(test_a_threshold_in_many_decades_needs_few_points),
        cmocka_unit_test(test_evaluated_points_have_few_digits),
        cmocka_unit_test(test_a_goal_that_holds_at_the_start_needs_no_search),
        cmocka_unit_test(test_the_end_of_an_interval_is_found),
        cmocka_unit_test(test_a_goal_that_is_never_reached_is_scanned_for),
        cmocka_unit_test(test_a_narrow_interval_is_found_by_the_scan),
        cmocka_unit_test(test_all_crossings_are_found),
        cmocka_unit_test(test_an_error_ends_the_threshold_search),
        cmocka_unit_test(test_a_goal_path_leads_to_its_parameter),
    };

    return cmocka_run_group_tests_name("solve", tests, NULL, NULL);
}
