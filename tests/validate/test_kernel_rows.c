/* Tests of validate/kernels: reading rows of published kernels, refused rows,
 * errors and points of plots. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "validate/kernels/kernel_study.h"

static char *write_kernel_table(const char *text)
{
    char *path = NULL;
    int fd = g_file_open_tmp("rows-XXXXXX.csv", &path, NULL);

    assert_true(fd >= 0);
    g_close(fd, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

#define HEAD "npu,family,part,source,kind,m,name,time_us\n"

static void test_a_published_row_is_a_kernel(void **state)
{
    g_autofree char *path =
        write_kernel_table(HEAD "v100,product,held-out,KEY,product,4,,1.5\n"
                                "v100,product,training,KEY,product,,x,2\n");
    g_autoptr(GArray) rows = kernel_rows_load(path, NULL);

    (void)state;
    assert_non_null(rows);
    assert_int_equal(rows->len, 2);
    assert_string_equal(kernel_rows_at(rows, 0)->yaml, "{kind: product, m: 4}");
    assert_string_equal(kernel_rows_at(rows, 1)->yaml,
                        "{kind: product, name: x}");
    assert_true(kernel_rows_at(rows, 0)->is_held_out);
    assert_false(kernel_rows_at(rows, 1)->is_held_out);
    assert_true(kernel_rows_at(rows, 0)->time_us == 1.5);
    assert_int_equal(kernel_rows_at(rows, 1)->line, 3);
    g_remove(path);
}

static void test_kernel_rows_without_time_are_refused(void **state)
{
    static const char *const wrong[] = {
        HEAD "v100,product,some,KEY,product,4,,1.5\n",
        HEAD "v100,product,training,KEY,product,4,,0\n",
        HEAD "v100,product,training,KEY,product,4,,x\n",
        "npu,family,source,kind,time_us\nv100,p,KEY,product,1\n",
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = write_kernel_table(wrong[i]);

        assert_null(kernel_rows_load(path, &error));
        assert_non_null(error);
        assert_true(g_str_has_prefix(error->message, path));
        g_remove(path);
    }
}

static void test_kernel_errors_are_absolute_and_by_part(void **state)
{
    g_autofree char *path = write_kernel_table(
        HEAD "v100,p,held-out,K,product,1,,10\nv100,p,held-out,K,product,2,,10"
             "\nv100,p,held-out,K,product,3,,10\nv100,p,training,K,product,4,,"
             "10\nv100,q,held-out,K,product,5,,10\n");
    static const double errors[] = { -30, 10, 20, 90, 80 };
    KernelStudy study = { .rows = kernel_rows_load(path, NULL) };
    KernelScore score;

    (void)state;
    study.results = g_array_new(FALSE, FALSE, sizeof(KernelResult));
    for (guint i = 0; i < G_N_ELEMENTS(errors); i++) {
        KernelResult result = { .row = i,
                                .simulated_us = 10 * (1 + errors[i] / 100),
                                .error_percent = errors[i] };

        g_array_append_val(study.results, result);
    }
    score = kernel_study_score(&study, "v100", "p", TRUE);
    assert_int_equal(score.n, 3);
    assert_true(score.mean_percent == 20 && score.median_percent == 20);
    assert_true(score.worst_percent == 30);
    assert_int_equal(score.worst_line, 2);
    assert_int_equal(kernel_study_score(&study, "a100", "p", TRUE).n, 0);
    g_array_unref(study.results);
    g_array_unref(study.rows);
    g_remove(path);
}

static void test_kernel_plot_points_are_sorted_by_x(void **state)
{
    g_autofree char *path =
        write_kernel_table(HEAD "v100,p,held-out,K,product,1,,2\n"
                                "v100,p,training,K,product,2,,1\n");
    KernelStudy study = { .rows = kernel_rows_load(path, NULL) };
    KernelResult results[] = { { .row = 0, .simulated_us = 4, .flop = 8e6 },
                               { .row = 1, .simulated_us = 2, .flop = 1e6 } };
    g_autofree char *points = NULL, *page = NULL;
    g_autofree char *csv = NULL;

    (void)state;
    study.results = g_array_new(FALSE, FALSE, sizeof(KernelResult));
    g_array_append_vals(study.results, results, 2);
    points = kernel_study_points(&study, "v100");
    assert_string_equal(points, "\"p\" \"FLOP\" \"TFLOPS\"\n"
                                "1e+06 1 0.5 1 2 0\n8e+06 4 2 2 4 1\n");
    csv = kernel_study_csv(&study);
    assert_non_null(strstr(csv, "\nv100,p,held-out,K,"
                                "\"{kind: product, m: 1}\",2,4,0.000\n"));
    page = kernel_study_page(&study, "kernels");
    assert_non_null(strstr(page, "kernels/v100-1.svg"));
    g_array_unref(study.results);
    g_array_unref(study.rows);
    g_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_published_row_is_a_kernel),
        cmocka_unit_test(test_kernel_rows_without_time_are_refused),
        cmocka_unit_test(test_kernel_errors_are_absolute_and_by_part),
        cmocka_unit_test(test_kernel_plot_points_are_sorted_by_x),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
