/* Tests of validate/kernels/card_to_card_study.c */
#include "tests/test.h"

#include "validate/kernels/card_to_card_study.h"

/* ---- invented studies ---------------------------------------------------- */

static KernelStudy *study_new(void)
{
    KernelStudy *study = g_new0(KernelStudy, 1);

    study->rows = kernel_rows_new();
    study->results = g_array_new(FALSE, FALSE, sizeof(KernelResult));
    study->absent = g_hash_table_new(g_str_hash, g_str_equal);
    return study;
}

/* Adds a measured row with @key, which may be NULL, and its simulated time. */
static void add_kernel(KernelStudy *study, const char *npu, const char *family,
                       const char *key, double measured_us, double simulated_us)
{
    KernelRow row = { .npu = g_strdup(npu),
                      .family = g_strdup(family),
                      .source = g_strdup("invented.csv"),
                      .yaml = g_strdup("{}"),
                      .key = g_strdup(key),
                      .time_us = measured_us,
                      .is_own = TRUE };
    KernelResult result = { .row = study->rows->len,
                            .simulated_us = simulated_us,
                            .error_percent =
                                100 * (simulated_us / measured_us - 1) };

    g_array_append_val(study->rows, row);
    g_array_append_val(study->results, result);
}

/* The first card: case a takes 10 us, case b 20; case a on another GPU 99. */
static KernelStudy *first_card_new(void)
{
    KernelStudy *first = study_new();

    add_kernel(first, "other", "sum", "a", 99, 99);
    add_kernel(first, "gpu", "sum", "a", 10, 10);
    add_kernel(first, "gpu", "copy", "b", 20, 20);
    add_kernel(first, "gpu", "copy", NULL, 5, 5);
    return first;
}

/* ---- errors -------------------------------------------------------------- */

static void test_cases_are_compared_by_their_key(void **state)
{
    g_autoptr(KernelStudy) first = first_card_new();
    g_autoptr(KernelStudy) second = study_new();
    SecondCardScore score;

    (void)state;
    add_kernel(second, "gpu", "sum", "a", 8, 10);
    add_kernel(second, "gpu", "copy", "b", 25, 20);
    score = card_to_card_score(second, first, "gpu", "sum");
    assert_int_equal(score.n, 1);
    assert_float_equal(score.mean_percent, 25, 1e-6);
    assert_float_equal(score.first_mean_percent, 25, 1e-6);
    score = card_to_card_score(second, first, "gpu", NULL);
    assert_int_equal(score.n, 2);
    assert_int_equal(score.n_on_first, 2);
    assert_float_equal(score.mean_percent, (25 + 20) / 2.0, 1e-6);
    assert_float_equal(score.worst_percent, 25, 1e-6);
    assert_float_equal(score.first_worst_percent, 25, 1e-6);
}

static void test_a_case_that_the_first_card_lacks_has_one_error(void **state)
{
    g_autoptr(KernelStudy) first = first_card_new();
    g_autoptr(KernelStudy) second = study_new();
    SecondCardScore score;

    (void)state;
    add_kernel(second, "gpu", "sum", "c", 10, 11);
    add_kernel(second, "gpu", "sum", NULL, 10, 13);
    score = card_to_card_score(second, first, "gpu", "sum");
    assert_int_equal(score.n, 2);
    assert_int_equal(score.n_on_first, 0);
    assert_float_equal(score.mean_percent, 20, 1e-6);
    assert_float_equal(score.first_mean_percent, 0, 1e-6);
}

static void test_the_table_has_a_line_for_each_family(void **state)
{
    g_autoptr(KernelStudy) first = first_card_new();
    g_autoptr(KernelStudy) second = study_new();
    g_autoptr(GString) text = g_string_new(NULL);

    (void)state;
    add_kernel(second, "gpu", "sum", "a", 8, 10);
    add_kernel(second, "gpu", "copy", "b", 25, 20);
    card_to_card_render(second, first, text);
    assert_non_null(strstr(text->str, "gpu  sum        1            25.0"));
    assert_non_null(strstr(text->str, "gpu  all        2            22.5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_are_compared_by_their_key),
        cmocka_unit_test(test_a_case_that_the_first_card_lacks_has_one_error),
        cmocka_unit_test(test_the_table_has_a_line_for_each_family),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
