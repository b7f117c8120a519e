/* test_acesim_library.c - Tests of sim/study/library/acesim.h: what a result
 * records, how a caller ends a call, and how rows are compared. */
#include "sim/study/library/acesim.h"

#include <math.h>
#include <string.h>

#include "sim/core/csv.h"
#include "tests/test.h"

#define RUN "configs/runs/isca21.yaml"

static AcesimRun *load_shipped_run(void)
{
    g_autofree char *path = g_build_filename(g_getenv("SRCDIR"), RUN, NULL);
    char *error = NULL;
    AcesimRun *run = acesim_load(path, &error);

    assert_string_equal(error ? error : "", "");
    assert_int_equal(acesim_set(run, "training.iterations", "1", &error), 1);
    return run;
}

static void set_value(AcesimRun *run, const char *key, const char *value)
{
    char *error = NULL;

    assert_int_equal(acesim_set(run, key, value, &error), 1);
}

static void set_shipped_file(AcesimRun *run, const char *key, const char *file)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs", file, NULL);

    set_value(run, key, path);
}

static AcesimResult *simulate(AcesimRun *run)
{
    char *error = NULL;
    AcesimResult *result = acesim_simulate(run, &error);

    assert_string_equal(error ? error : "", "");
    return result;
}

static CsvTable *read_table(const AcesimResult *result, const char *name)
{
    char *error = NULL;
    char *text = acesim_rows(result, name, &error);
    CsvTable *table;

    assert_string_equal(error ? error : "", "");
    table = csv_table_parse(name, text, strlen(text), NULL);
    assert_non_null(table);
    acesim_free(text);
    return table;
}

static double cell_number(const CsvTable *table, guint row, const char *name)
{
    guint column;
    double ret;

    assert_true(csv_table_column(table, name, &column, NULL));
    assert_true(csv_table_number(table, row, column, &ret, NULL));
    return ret;
}

static void assert_about(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9f, expected %.9f", value, expected);
}

/* Checks that @text, which is freed, contains @part. */
static void assert_error_has(char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' has no '%s'", text ? text : "(none)", part);
    acesim_free(text);
}

/* ---- what is recorded ---------------------------------------------------- */

static void test_parts_add_up_to_the_iteration(void **state)
{
    AcesimRun *run = load_shipped_run();
    AcesimResult *result;
    g_autoptr(CsvTable) parts = NULL;
    double sum_us = 0, iteration_us = 0;

    (void)state;
    acesim_set_record(run, ACESIM_RECORD_ATTRIBUTION);
    result = simulate(run);
    parts = read_table(result, "attribution");
    for (guint i = 0; i < csv_table_n_rows(parts); i++)
        sum_us += cell_number(parts, i, "time_us");
    assert_int_equal(
        acesim_number(result, "iteration_time_us", &iteration_us, NULL), 1);
    assert_true(csv_table_n_rows(parts) > 3);
    assert_about(sum_us, iteration_us, 1e-9);
    acesim_result_free(result);
    acesim_run_free(run);
}

/* A recorded run has the rows of an unrecorded one, also where values are
 * `auto`, which takes further runs. */
static void test_recording_changes_no_row(void **state)
{
    AcesimRun *run = load_shipped_run();

    (void)state;
    for (int tuned = 0; tuned < 2; tuned++) {
        AcesimResult *plain = simulate(run), *recorded;
        g_autoptr(CsvTable) parts = NULL;
        g_autoptr(CsvTable) spans = NULL;
        char *rows[2];

        acesim_set_record(run, ACESIM_RECORD_ATTRIBUTION |
                                   ACESIM_RECORD_UTILISATION);
        recorded = simulate(run);
        rows[0] = acesim_rows(plain, "runs", NULL);
        rows[1] = acesim_rows(recorded, "runs", NULL);
        assert_string_equal(rows[0], rows[1]);
        parts = read_table(recorded, "attribution");
        spans = read_table(recorded, "utilisation");
        assert_true(csv_table_n_rows(parts) > 3);
        assert_true(csv_table_n_rows(spans) > 3);
        acesim_free(rows[0]);
        acesim_free(rows[1]);
        acesim_result_free(plain);
        acesim_result_free(recorded);
        acesim_set_record(run, 0);
        set_shipped_file(run, "endpoint", "endpoints/tuned.yaml");
    }
    acesim_run_free(run);
}

static void test_what_was_not_recorded_is_an_error(void **state)
{
    AcesimRun *run = load_shipped_run();
    AcesimResult *result = simulate(run);
    char *error = NULL;

    (void)state;
    assert_null(acesim_rows(result, "attribution", &error));
    assert_error_has(error, RUN ": the attribution was not recorded");
    assert_null(acesim_rows(result, "utilisation", &error));
    assert_error_has(error, RUN ": the utilisation was not recorded");
    assert_null(acesim_rows(result, "what_ifs", &error));
    assert_error_has(error, RUN ": no what-ifs were simulated");
    assert_int_equal(acesim_what_ifs(result, NULL, NULL, &error), 0);
    assert_error_has(error, RUN ": the attribution was not recorded");
    assert_null(acesim_rows(result, "run", &error));
    assert_error_has(error, "there is no table 'run'; there are runs, layers, "
                            "links, jobs, memory, config, utilisation, "
                            "attribution, what_ifs");
    acesim_result_free(result);
    acesim_run_free(run);
}

/* The best what-if is a run with its settings. */
static void test_what_ifs_are_runs(void **state)
{
    AcesimRun *run = load_shipped_run();
    AcesimResult *result, *again;
    g_autoptr(CsvTable) what_ifs = NULL;
    g_auto(GStrv) sets = NULL;
    double us = 0;
    guint column;

    (void)state;
    acesim_set_record(run, ACESIM_RECORD_ATTRIBUTION);
    result = simulate(run);
    assert_int_equal(acesim_what_ifs(result, NULL, NULL, NULL), 1);
    what_ifs = read_table(result, "what_ifs");
    assert_true(cell_number(what_ifs, 0, "speedup") > 1);
    assert_true(csv_table_column(what_ifs, "set", &column, NULL));
    sets = g_strsplit(csv_table_text(what_ifs, 0, column), "=", 2);
    set_value(run, sets[0], sets[1]);
    again = simulate(run);
    assert_int_equal(acesim_number(again, "iteration_time_us", &us, NULL), 1);
    assert_about(us, cell_number(what_ifs, 0, "iteration_time_us"), 0);
    acesim_result_free(again);
    acesim_result_free(result);
    acesim_run_free(run);
}

static void test_config_has_each_value_and_its_place(void **state)
{
    AcesimRun *run = load_shipped_run();
    AcesimResult *result;
    g_autoptr(CsvTable) config = NULL;
    guint key, value, place, n_found = 0;

    (void)state;
    set_value(run, "endpoint.sram", "1 MiB");
    result = simulate(run);
    config = read_table(result, "config");
    assert_true(csv_table_column(config, "key", &key, NULL));
    assert_true(csv_table_column(config, "value", &value, NULL));
    assert_true(csv_table_column(config, "place", &place, NULL));
    for (guint i = 0; i < csv_table_n_rows(config); i++) {
        if (!g_str_equal(csv_table_text(config, i, key), "endpoint.sram"))
            continue;
        assert_string_equal(csv_table_text(config, i, value), "1 MiB");
        assert_string_equal(csv_table_text(config, i, place),
                            "--set endpoint.sram");
        n_found++;
    }
    assert_int_equal(n_found, 1);
    acesim_result_free(result);
    acesim_run_free(run);
}

/* ---- how a caller ends a call -------------------------------------------- */

typedef struct {
    guint n, n_max;
} Calls;

static int end_after_some_calls(void *self, unsigned long long n_done,
                                unsigned long long n_iterations)
{
    Calls *calls = self;

    assert_true(n_done <= n_iterations);
    return ++calls->n >= calls->n_max;
}

#define ENDED RUN ": ended by the caller's callback"

/* Once the caller has ended a run, no other run of the call begins. */
static void test_caller_ends_a_simulation(void **state)
{
    AcesimRun *run = load_shipped_run();
    char *error = NULL;

    (void)state;
    for (guint n_max = 1; n_max < 4; n_max++) {
        Calls calls = { .n_max = n_max };

        acesim_set_tell(run, end_after_some_calls, &calls);
        assert_null(acesim_simulate(run, &error));
        assert_error_has(error, ENDED);
        assert_int_equal(calls.n, n_max);
    }
    acesim_run_free(run);
}

static void test_caller_ends_the_choice_of_values(void **state)
{
    AcesimRun *run = load_shipped_run();
    Calls all = { .n_max = G_MAXUINT };
    char *error = NULL;

    (void)state;
    set_shipped_file(run, "endpoint", "endpoints/tuned.yaml");
    acesim_set_tell(run, end_after_some_calls, &all);
    acesim_result_free(simulate(run));
    assert_true(all.n > 6);
    for (guint n_max = 1; n_max < all.n; n_max += 1 + all.n / 5) {
        Calls calls = { .n_max = n_max };

        acesim_set_tell(run, end_after_some_calls, &calls);
        assert_null(acesim_simulate(run, &error));
        assert_error_has(error, ENDED);
        assert_int_equal(calls.n, n_max);
    }
    acesim_run_free(run);
}

static void test_caller_ends_a_search(void **state)
{
    AcesimRun *run = load_shipped_run();
    char *error = NULL;

    (void)state;
    for (guint n_max = 1; n_max < 60; n_max += 20) {
        Calls calls = { .n_max = n_max };

        acesim_set_tell(run, end_after_some_calls, &calls);
        assert_null(acesim_solve(run, "endpoint.sram", "64 KiB", "4 MiB",
                                 "iteration_time_us <= 110 % of ideal",
                                 &error));
        assert_error_has(error, ENDED);
        assert_int_equal(calls.n, n_max);
    }
    acesim_run_free(run);
}

/* The what-ifs can be asked for again. */
static void test_caller_ends_what_ifs(void **state)
{
    AcesimRun *run = load_shipped_run();
    Calls calls = { .n_max = 3 }, all = { .n_max = G_MAXUINT };
    AcesimResult *result;
    char *error = NULL;

    (void)state;
    acesim_set_record(run, ACESIM_RECORD_ATTRIBUTION);
    result = simulate(run);
    assert_int_equal(
        acesim_what_ifs(result, end_after_some_calls, &calls, &error), 0);
    assert_error_has(error, ENDED);
    assert_int_equal(calls.n, 3);
    assert_null(acesim_rows(result, "what_ifs", NULL));
    assert_int_equal(
        acesim_what_ifs(result, end_after_some_calls, &all, &error), 1);
    assert_true(all.n > calls.n);
    acesim_result_free(result);
    acesim_run_free(run);
}

/* Several NPUs are simulated, so a second run follows the critical path. */
static void test_caller_ends_the_second_run_of_an_attribution(void **state)
{
    AcesimRun *run = load_shipped_run();
    Calls all = { .n_max = G_MAXUINT }, calls = { 0 };
    char *error = NULL;

    (void)state;
    set_shipped_file(run, "platform", "platforms/ace-4x2x2.yaml");
    set_shipped_file(run, "workload", "workloads/all-reduce-64MiB.yaml");
    set_value(run, "perturb.jitter", "1 %");
    acesim_set_record(run, ACESIM_RECORD_ATTRIBUTION);
    acesim_set_tell(run, end_after_some_calls, &all);
    acesim_result_free(simulate(run));
    calls.n_max = all.n * 3 / 4;
    acesim_set_tell(run, end_after_some_calls, &calls);
    assert_null(acesim_simulate(run, &error));
    assert_error_has(error, ENDED);
    assert_int_equal(calls.n, calls.n_max);
    acesim_run_free(run);
}

/* ---- comparing rows ------------------------------------------------------ */

#define HEAD "workload,n_npus,endpoint,iteration_time_us,status,notes\n"
#define ROWS                                                                   \
    "w,4,slow,30.000000,ok,\n"                                                 \
    "w,4,fast,20.000000,ok,\n"                                                 \
    "w,4,engine,10.000000,ok,\n"

static void test_rows_are_compared(void **state)
{
    char *error = NULL;
    char *text =
        acesim_compare(HEAD ROWS, "slow, fast", "fast", "engine", &error);
    g_autoptr(CsvTable) table = NULL;

    (void)state;
    assert_string_equal(error ? error : "", "");
    table = csv_table_parse("compare", text, strlen(text), NULL);
    assert_int_equal(csv_table_n_rows(table), 1);
    assert_about(cell_number(table, 0, "speedup"), 2, 0);
    acesim_free(text);
}

static void test_rows_that_cannot_be_compared_are_an_error(void **state)
{
    char *error = NULL;

    (void)state;
    assert_null(acesim_compare("a,b\n1,2\n", NULL, NULL, NULL, &error));
    assert_error_has(error, "runs");
    assert_null(acesim_compare("", NULL, NULL, NULL, &error));
    assert_error_has(error, "runs");
    assert_null(acesim_compare(HEAD ROWS, NULL, NULL, "nothing", &error));
    assert_error_has(error, "nothing");
}

/* ---- columns ------------------------------------------------------------- */

static void assert_axis(const char *key, const char *values,
                        const char *expected)
{
    char *error = NULL;
    char *text = acesim_axis(key, values, &error);

    assert_string_equal(error ? error : "", "");
    assert_string_equal(text, expected);
    acesim_free(text);
}

static void test_axis_has_the_column_of_a_sweep(void **state)
{
    char *error = NULL;

    (void)state;
    assert_axis("platform.npu.hbm.bandwidth", "900 GB/s\n1.8 TB/s\nauto",
                "platform.npu.hbm.bandwidth_gb_per_s\n900\n1800\n\n");
    assert_axis("endpoint", "a/ace.yaml\nb/ideal.yaml\na/ace.yaml",
                "endpoint\nace\nideal\nace\n");
    assert_axis("training.overlap", "true\nfalse",
                "training.overlap\ntrue\nfalse\n");
    assert_axis("a \"key\": [", "1\n2", "\"a \"\"key\"\": [\"\n1\n2\n");
    assert_null(acesim_axis("key", "[1", &error));
    assert_error_has(error, "key:");
    assert_null(acesim_axis("key", "", &error));
    assert_error_has(error, "key:");
}

static void test_columns_have_types_and_units(void **state)
{
    char *error = NULL;
    char *text = acesim_columns(
        "runs", "a.b_gb_per_s,workload,n_npus,iteration_time_us\n,12,4,1.5\n",
        &error);

    (void)state;
    assert_string_equal(error ? error : "", "");
    assert_non_null(strstr(text, "\"name\": \"a.b_gb_per_s\",\n"
                                 "    \"type\": \"number\",\n"
                                 "    \"unit\": \"GB/s\""));
    assert_non_null(strstr(text, "\"name\": \"workload\",\n"
                                 "    \"type\": \"string\""));
    assert_non_null(strstr(text, "\"name\": \"n_npus\",\n"
                                 "    \"type\": \"integer\""));
    assert_non_null(strstr(text, "\"better\": \"less\""));
    acesim_free(text);
    assert_null(acesim_columns("runs", "a,b\n1\n", &error));
    assert_error_has(error, "runs:");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_axis_has_the_column_of_a_sweep),
    cmocka_unit_test(test_columns_have_types_and_units),
    cmocka_unit_test(test_parts_add_up_to_the_iteration),
    cmocka_unit_test(test_recording_changes_no_row),
    cmocka_unit_test(test_what_was_not_recorded_is_an_error),
    cmocka_unit_test(test_what_ifs_are_runs),
    cmocka_unit_test(test_config_has_each_value_and_its_place),
    cmocka_unit_test(test_caller_ends_a_simulation),
    cmocka_unit_test(test_caller_ends_the_choice_of_values),
    cmocka_unit_test(test_caller_ends_a_search),
    cmocka_unit_test(test_caller_ends_what_ifs),
    cmocka_unit_test(test_caller_ends_the_second_run_of_an_attribution),
    cmocka_unit_test(test_rows_are_compared),
    cmocka_unit_test(test_rows_that_cannot_be_compared_are_an_error),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
