/* Tests of validate/kernels/image_study.c: reading a table of images/s, and
 * errors. */
#include "tests/test.h"

#include "validate/kernels/image_study.h"

#define HEAD                                                                   \
    "npu,model,workload,batch,precision,what,images_per_s,source,note\n"

static ImageStudy *image_study_of_rows(const char *rows, GError **error)
{
    g_autofree char *text = g_strconcat(HEAD, rows, NULL);
    CsvTable *table = csv_table_parse("t.csv", text, strlen(text), error);

    return table ? image_study_new(table, error) : NULL;
}

static ImageStudy *good_image_study(void)
{
    GError *error = NULL;
    ImageStudy *study =
        image_study_of_rows("p100,A,a,64,fp32,pair,100,KEY,\n"
                            "p100,B,b,64,fp32,pair,100,KEY,\n"
                            "v100,A,a,64,fp32,pair,100,KEY,\n"
                            "p100,A,a,32,fp32,other,100,KEY,\n"
                            "v100,B,b,64,fp32,at-least,100,KEY,\n",
                            &error);

    assert_no_error(error);
    assert_non_null(study);
    return study;
}

static void set_simulated_rate(ImageStudy *study, guint row,
                               double images_per_s)
{
    g_array_index(study->rows, ImageRow, row).simulated_per_s = images_per_s;
}

static void test_only_simulated_image_pairs_are_judged(void **state)
{
    g_autoptr(ImageStudy) study = good_image_study();
    guint n_pairs;

    (void)state;
    assert_int_equal(image_study_count_within(study, 20, &n_pairs), 0);
    assert_int_equal(n_pairs, 0);
    set_simulated_rate(study, 0, 119);
    set_simulated_rate(study, 1, 79);
    set_simulated_rate(study, 3,
                       100); /* A row of kind `other` does not count. */
    assert_int_equal(image_study_count_within(study, 20, &n_pairs), 1);
    assert_int_equal(n_pairs, 2);
}

static void test_at_least_row_is_wrong_only_below(void **state)
{
    g_autoptr(ImageStudy) study = good_image_study();
    g_autoptr(GString) fast = g_string_new(NULL);
    g_autoptr(GString) slow = g_string_new(NULL);

    (void)state;
    set_simulated_rate(study, 4, 300);
    image_study_render(study, fast);
    set_simulated_rate(study, 4, 99);
    image_study_render(study, slow);
    assert_non_null(strstr(fast->str, "as it must"));
    assert_null(strstr(fast->str, "TOO SLOW"));
    assert_non_null(strstr(slow->str, "TOO SLOW"));
    assert_non_null(strstr(slow->str, "no file"));
}

static void test_image_csv_has_no_error_without_simulation(void **state)
{
    g_autoptr(ImageStudy) study = good_image_study();
    g_autofree char *csv = NULL;

    (void)state;
    set_simulated_rate(study, 0, 150);
    csv = image_study_csv(study);
    assert_non_null(
        strstr(csv, "\npair,p100,fp32,A,64,KEY,100.000,150.000,50.00\n"));
    assert_non_null(strstr(csv, "\npair,p100,fp32,B,64,KEY,100.000,,\n"));
}

static void test_invalid_image_rows_are_errors(void **state)
{
    static const char *const wrong[][2] = {
        { "p100,A,a,64,fp32,par,1,KEY,\n",
          "images, row 1: what: 'par' is not pair, other or at-least" },
        { "p100,A,a,64,fp32,pair,0,KEY,\n",
          "images, row 1: batch and images_per_s are above 0" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        GError *error = NULL;

        assert_null(image_study_of_rows(wrong[i][0], &error));
        assert_non_null(error);
        assert_string_equal(error->message, wrong[i][1]);
        g_clear_error(&error);
    }
}

static void test_the_shipped_image_table_is_read(void **state)
{
    const char *source = g_getenv("SRCDIR");
    g_autofree char *path =
        g_build_filename(source ? source : ".", IMAGE_STUDY_FILE, NULL);
    GError *error = NULL;
    CsvTable *table = csv_table_load(path, &error);
    g_autoptr(ImageStudy) study = table ? image_study_new(table, &error) : NULL;

    (void)state;
    assert_no_error(error);
    assert_true(study->rows->len >= 6);
    for (guint i = 0; i < study->rows->len; i++) {
        const ImageRow *row = &g_array_index(study->rows, ImageRow, i);
        g_autofree char *file =
            g_strdup_printf("%s/configs/workloads/%s.yaml",
                            source ? source : ".", row->workload);

        assert_true(g_file_test(file, G_FILE_TEST_EXISTS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_simulated_image_pairs_are_judged),
        cmocka_unit_test(test_at_least_row_is_wrong_only_below),
        cmocka_unit_test(test_image_csv_has_no_error_without_simulation),
        cmocka_unit_test(test_invalid_image_rows_are_errors),
        cmocka_unit_test(test_the_shipped_image_table_is_read),
    };

    return cmocka_run_group_tests_name("image_study", tests, NULL, NULL);
}
