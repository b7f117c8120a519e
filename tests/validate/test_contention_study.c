/* Tests of validate/kernels/contention_study.c: gains, errors and verdicts;
 * each row has a run file, and each run file has a row. */
#include "tests/test.h"

#include <glib/gstdio.h>

#include "models/run/system.h"
#include "validate/kernels/contention_study.h"

static char *source_file_path(const char *file)
{
    const char *source = g_getenv("SRCDIR");

    return g_build_filename(source ? source : ".", file, NULL);
}

static GArray *shipped_contention_rows(void)
{
    g_autofree char *path = source_file_path("validate/data/contention.csv");
    GError *error = NULL;
    GArray *rows = contention_rows_load(path, &error);

    if (!rows)
        fail_msg("%s", error->message);
    return rows;
}

static void add_contention_result(GArray *results, const char *group,
                                  const char *run, double simulated,
                                  double error_percent)
{
    ContentionResult result = { .row = { .group = g_strdup(group),
                                         .name = g_strdup("kernel"),
                                         .run = g_strdup(run),
                                         .source = g_strdup("KEY"),
                                         .assumed = g_strdup("all"),
                                         .published = 2 },
                                .simulated = simulated,
                                .error_percent = error_percent };

    g_array_append_val(results, result);
}

static gboolean is_nearly_equal(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

/* ---- arithmetic of contention gains -------------------------------------- */

static void test_a_contention_gain_is_a_part_of_the_ideal_gain(void **state)
{
    (void)state;
    assert_true(is_nearly_equal(contention_gain_of_overlap(10, 10, 20), 0));
    assert_true(is_nearly_equal(contention_gain_of_overlap(10, 10, 10), 100));
    /* The speedup is 1.5, where 2 is ideal. */
    assert_true(is_nearly_equal(contention_gain_of_overlap(12, 12, 16), 50));
    /* The speedup is 1.125, where 1.25 is ideal. */
    assert_true(
        is_nearly_equal(contention_gain_of_overlap(4, 1, 40.0 / 9), 50));
    /* The overlapped run is slower than one after the other. */
    assert_true(contention_gain_of_overlap(10, 10, 25) < 0);
    assert_true(is_nearly_equal(contention_gain_of_overlap(10, 0, 10), 100));
}

static void test_contention_errors_are_by_group(void **state)
{
    g_autoptr(GArray) results = contention_results_new();

    (void)state;
    add_contention_result(results, "a", "x", 1, -4);
    add_contention_result(results, "b", "x", 2, 50);
    add_contention_result(results, "a", "y", 3, 8);
    assert_true(is_nearly_equal(contention_mean_percent(results, "a"), 6));
    assert_true(
        is_nearly_equal(contention_error_percent(results, "a", "x"), 4));
    assert_true(contention_mean_percent(results, "c") < 0);
    assert_true(contention_error_percent(results, "b", "y") < 0);
}

static void test_contention_order_is_within_a_group(void **state)
{
    g_autoptr(GArray) results = contention_results_new();

    (void)state;
    add_contention_result(results, "a", "x", 1, 0);
    add_contention_result(results, "b", "x", 0, 0);
    add_contention_result(results, "a", "y", 3, 0);
    assert_true(contention_simulation_keeps_order(results, "a"));
    assert_false(contention_simulation_keeps_order(results, "c"));
    add_contention_result(results, "a", "z", 3, 0);
    assert_false(contention_simulation_keeps_order(results, "a"));
}

static void test_no_contention_verdict_holds_without_rows(void **state)
{
    g_autoptr(GArray) results = contention_results_new();
    g_autofree ContentionVerdict *none = contention_verdicts(results);
    g_autofree ContentionVerdict *some = NULL;

    (void)state;
    for (guint i = 0; i < CONTENTION_N_VERDICTS; i++)
        assert_false(none[i].is_met);
    add_contention_result(results, "waves", "h100-132-tiles", 1, 10.5);
    add_contention_result(results, "h800", "x", 1, -5);
    add_contention_result(results, "a100", "a100-product", 1, 24);
    add_contention_result(results, "a100", "a100-attention", 1, -26);
    some = contention_verdicts(results);
    assert_false(some[0].is_met);
    assert_true(some[1].is_met);
    assert_false(some[2].is_met);
    assert_string_equal(some[0].text,
                        "contention: 132 tiles beside 24 blocks on 132 SMs, "
                        "10.5 % off; at most 10 is right");
}

static void test_contention_results_become_a_table_and_rows(void **state)
{
    g_autoptr(GArray) results = contention_results_new();
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *csv = NULL;

    (void)state;
    add_contention_result(results, "a", "x", 1.5, -25);
    contention_render(results, text);
    assert_non_null(strstr(text->str, "-25.0"));
    csv = contention_csv(results);
    assert_non_null(strstr(csv, "\na,kernel,x,slowdown,KEY,2,1.5,-25.000,"));
}

/* ---- rows of the contention study ---------------------------------------- */

static void test_invalid_contention_rows_are_refused(void **state)
{
    const char *head = "group,name,run,measure,published,source,assumed\n";
    const char *const rows[] = { "a,b,c,speed,1.1,KEY,\n",
                                 "a,b,c,gain,0,KEY,\n" };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(head, rows[i], NULL);
        g_autofree char *path = NULL;
        g_autoptr(GError) error = NULL;
        int fd = g_file_open_tmp("contention-XXXXXX.csv", &path, NULL);

        assert_true(fd >= 0);
        g_close(fd, NULL);
        assert_true(g_file_set_contents(path, text, -1, NULL));
        assert_null(contention_rows_load(path, &error));
        assert_non_null(strstr(error->message, ":2: measure is slowdown or "
                                               "gain, and published above 0"));
        g_remove(path);
    }
}

static gboolean rows_have_run_file(const GArray *rows, const char *run)
{
    for (guint i = 0; i < rows->len; i++)
        if (g_str_equal(g_array_index(rows, ContentionRow, i).run, run))
            return TRUE;
    return FALSE;
}

static void test_every_contention_run_file_has_a_row(void **state)
{
    g_autoptr(GArray) rows = shipped_contention_rows();
    g_autofree char *folder = source_file_path("configs/contention");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *file;
    guint n = 0;

    (void)state;
    assert_non_null(dir);
    while ((file = g_dir_read_name(dir))) {
        g_autofree char *run = g_strdup(file);

        if (!g_str_has_suffix(run, ".yaml"))
            continue;
        run[strlen(run) - strlen(".yaml")] = '\0';
        if (!rows_have_run_file(rows, run))
            fail_msg("%s has no row", file);
        n++;
    }
    assert_int_equal(n, rows->len);
}

static void test_every_contention_run_file_simulates(void **state)
{
    g_autoptr(GArray) rows = shipped_contention_rows();

    (void)state;
    for (guint i = 0; i < rows->len; i++) {
        const ContentionRow *row = &g_array_index(rows, ContentionRow, i);
        g_autofree char *file =
            g_strdup_printf("configs/contention/%s.yaml", row->run);
        g_autofree char *path = source_file_path(file);
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = config_doc_load(path, &error);
        SystemConfig config;
        System *system;

        assert_no_error(error);
        /* The payload is shorter than the kernels here, because the run need
         * only succeed. */
        assert_true(
            config_doc_set(doc, "workload.payload", "--set", "1 MiB", &error));
        if (!config_doc_read(doc, system_fields, &config, &error))
            fail_msg("%s: %s", file, error->message);
        system = system_new(&config, (RunOptions){ 0 }, &error);
        if (!system || !system_run(system, &error))
            fail_msg("%s: %s", file, error->message);
        assert_true(system_result(system).total_ps > 0);
        system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_contention_gain_is_a_part_of_the_ideal_gain),
        cmocka_unit_test(test_contention_errors_are_by_group),
        cmocka_unit_test(test_contention_order_is_within_a_group),
        cmocka_unit_test(test_no_contention_verdict_holds_without_rows),
        cmocka_unit_test(test_contention_results_become_a_table_and_rows),
        cmocka_unit_test(test_invalid_contention_rows_are_refused),
        cmocka_unit_test(test_every_contention_run_file_has_a_row),
        cmocka_unit_test(test_every_contention_run_file_simulates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
