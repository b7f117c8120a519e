/* test_isolated_kernel_study.c - lookups and copies by the driver of an
 * invented GPU, whose times are known in closed form; the files are deleted
 * afterwards */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "validate/kernels/isolated_kernel_study.h"

/* Ten SMs request 64 GB/s each from a memory of 320 GB/s. */
#define NPU                                                                    \
    "sms: 10\nclock: 1 GHz\nflops: 1 TFLOPS\nsm_bandwidth: 64\n"               \
    "launch_overhead: 5 us\nfp32: {flops: 10 TFLOPS}\n"                        \
    "hbm: {bandwidth: 320 GB/s, policy: shared}\n"

#define HEAD "family,kernel,n_sms,read_bytes,write_bytes,flop,median_us\n"

static GArray *run_rows(const char *rows, GError **error)
{
    char folder[] = "/tmp/acesim-lone-XXXXXX";
    g_autofree char *npu_path = NULL, *path = NULL;
    GArray *ret;

    assert_non_null(g_mkdtemp(folder));
    npu_path = g_build_filename(folder, "npu.yaml", NULL);
    path = g_build_filename(folder, "npu-measured.csv", NULL);
    assert_true(g_file_set_contents(npu_path, NPU, -1, NULL));
    assert_true(g_file_set_contents(path, rows, -1, NULL));
    ret = isolated_kernel_study_run(path, npu_path, error);
    assert_int_equal(g_unlink(npu_path), 0);
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(g_rmdir(folder), 0);
    return ret;
}

static void assert_row(const GArray *rows, guint i, const char *kernel,
                       double simulated_us, double nominal_us)
{
    const LoneRow *row = &g_array_index(rows, LoneRow, i);

    assert_string_equal(row->kernel, kernel);
    assert_true(fabs(row->simulated_us / simulated_us - 1) < 1e-3);
    assert_true(fabs(row->nominal_us / nominal_us - 1) < 1e-3);
}

/* The first lookup is limited by the memory, the second one by arithmetic at
 * the FP32 rate, the third one by the ports of two SMs. */
#define ROWS                                                                   \
    HEAD "lookup,lookup,10,300000000,20000000,1000,1100\n"                     \
         "lookup,lookup,10,320000,,10000000000,1000\n"                         \
         "lookup,lookup,2,128000000,,1000,1000\n"                              \
         "engine,memcpy-d2d,,160000000,160000000,,1000\n"                      \
         "engine,memcpy-h2d,,,57330000,,1000\n"                                \
         "engine,batch-d2h,,57330000,,,1010\n"                                 \
         "copy,copy,10,160000000,160000000,,1000\n"

static void test_times_are_those_of_the_shared_limits(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) rows = run_rows(ROWS, &error);

    (void)state;
    if (!rows)
        fail_msg("%s", error->message);
    assert_int_equal(rows->len, 6); /* a copy kernel is none of them */
    assert_row(rows, 0, "lookup", 1005, 1000);
    assert_row(rows, 1, "lookup", 1005, 1);
    assert_row(rows, 2, "lookup", 1005, 400);
    assert_row(rows, 3, "memcpy-d2d", 1005, 1000);
    assert_row(rows, 4, "memcpy-h2d", 1005, 910);
    assert_row(rows, 5, "batch-d2h", 1005, 910);
}

static void test_the_table_has_a_line_for_each_kernel(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) rows = run_rows(ROWS, &error);
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *csv = isolated_kernel_study_csv(rows);

    (void)state;
    isolated_kernel_study_render(rows, out);
    assert_true(g_regex_match_simple(
        "engine +batch-d2h +1 +0\\.5 +0\\.5 +9\\.9\n", out->str, 0, 0));
    assert_true(g_regex_match_simple("lookup +lookup +3 +3\\.2 +8\\.6 ",
                                     out->str, 0, 0));
    assert_non_null(strstr(csv, "\nengine,batch-d2h,57330000,1010.0000,"
                                "1005.0000,910.0000\n"));
}

static void test_a_bad_cell_is_named(void **state)
{
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_null(run_rows(HEAD "lookup,lookup,10,much,,1,1\n", &error));
    assert_non_null(strstr(error->message, "read_bytes"));
    g_clear_error(&error);
    assert_null(run_rows(HEAD "lookup,lookup,10,1,,1,0\n", &error));
    assert_non_null(strstr(error->message, ":2: median_us: '0'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_are_those_of_the_shared_limits),
        cmocka_unit_test(test_the_table_has_a_line_for_each_kernel),
        cmocka_unit_test(test_a_bad_cell_is_named),
    };

    return cmocka_run_group_tests_name("lone_study", tests, NULL, NULL);
}
