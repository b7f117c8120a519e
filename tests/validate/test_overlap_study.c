/* Tests of validate/kernels/overlap_study.c: pairs of an invented GPU whose
 * slowdowns are known in closed form. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <math.h>

#include "validate/kernels/overlap_study.h"

/* Ten SMs request 64 GB/s each from a memory of 320 GB/s. */
#define NPU                                                                    \
    "sms: 10\nclock: 1 GHz\nflops: 1 TFLOPS\nsm_bandwidth: 64\n"               \
    "fp32: {flops: 1000 TFLOPS}\n"                                             \
    "hbm: {bandwidth: 320 GB/s, policy: shared, share_by: %s}\n"

/* The stream moves 320 MB, in 1000 us alone.  The reduction moves 128 MB on two
 * SMs, in 1000 us alone.  The product has 100 tiles, 10 rounds on 10 SMs. */
#define ROWS                                                                   \
    "family,kernel,dtype,bytes,n_sms,m,n,k,read_bytes,write_bytes,flop,"       \
    "beside,beside_kernel,beside_n_sms,pair,first,priority,batch_launches,"    \
    "alone_us,median_us\n"                                                     \
    "overlap,fma,fp32,320000000,8,,,,320000000,,1000,reduce,reduce,2,0,,,,"    \
    "1000,1250\n"                                                              \
    "overlap,reduce,fp32,,2,,,,128000000,,,stream,,,0,,,,1000,2500\n"          \
    "overlap,own,bf16,,8,1280,1280,1280,3000,,4194304000,reduce,reduce,2,1,,"  \
    ",,100,130\n"                                                              \
    "overlap,reduce,fp32,,2,,,,128000000,,,gemm,,,1,,,,1000,1000\n"            \
    "overlap,own,bf16,,8,1280,1280,1280,3000,,4194304000,idle,idle,2,2,,,,"    \
    "100,130\n"                                                                \
    "overlap,fma,fp32,320000000,10,,,,320000000,,1000,engine-d2h,memcpy-d2h,"  \
    ",3,,,,1000,1250\n"                                                        \
    "overlap,memcpy-d2h,,,,,,,64000000,,,stream,,,3,,,,1000,1000\n"            \
    "order,own,bf16,,8,1280,1280,1280,3000,,4194304000,reduce,reduce,2,4,"     \
    "partner,partner,4,100,110\n"                                              \
    "order,reduce,fp32,,2,,,,20480000,,,gemm,,,4,partner,partner,,160,160\n"   \
    "order,fma,fp32,320000000,8,,,,320000000,,1000,reduce,reduce,2,5,"         \
    "compute,,2,1000,1250\n"                                                   \
    "order,reduce,fp32,,2,,,,128000000,,,stream,,,5,compute,,,1000,1600\n"

static GArray *run_pairs(const char *share_by, const char *rows, GError **error)
{
    g_autofree char *npu = g_strdup_printf(NPU, share_by);
    char folder[] = "/tmp/acesim-overlap-XXXXXX";
    g_autofree char *npu_path = NULL, *path = NULL;
    GArray *pairs;

    assert_non_null(g_mkdtemp(folder));
    npu_path = g_build_filename(folder, "npu.yaml", NULL);
    path = g_build_filename(folder, "npu-measured.csv", NULL);
    assert_true(g_file_set_contents(npu_path, npu, -1, NULL));
    assert_true(g_file_set_contents(path, rows, -1, NULL));
    pairs = overlap_study_run(path, npu_path, error);
    assert_int_equal(g_unlink(npu_path), 0);
    assert_int_equal(g_unlink(path), 0);
    assert_int_equal(g_rmdir(folder), 0);
    return pairs;
}

static void assert_is_near(double value, double expected)
{
    assert_true(fabs(value / expected - 1) < 1e-3);
}

static void test_sms_divide_a_full_memory(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) pairs = run_pairs("sms", ROWS, &error);

    (void)state;
    assert_null(error);
    assert_int_equal(pairs->len, 5); /* A partner that is idle is left out. */
    /* Eight SMs get 256 of 320 GB/s, and two get 64 of the 128 they had. */
    assert_is_near(overlap_pair_at(pairs, 0)->simulated, 1.25);
    assert_is_near(overlap_pair_at(pairs, 0)->partner_simulated, 2);
    /* 13 rounds on eight SMs. */
    assert_is_near(overlap_pair_at(pairs, 1)->simulated, 1.3);
    assert_is_near(overlap_pair_at(pairs, 1)->partner_simulated, 1);
    /* The engine comes first, and leaves 256 GB/s. */
    assert_is_near(overlap_pair_at(pairs, 2)->simulated, 1.25);
    assert_is_near(overlap_pair_at(pairs, 2)->partner_simulated, 1);
}

/* The reduction of 160 us is released 30 us before four products of 100 us, so
 * 130 us of both are beside each other.  Four streams of 1000 us are released
 * 30 us before a reduction of 1000 us, which takes 2000 us beside them. */
static void test_pairs_in_order_begin_and_end(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) pairs = run_pairs("sms", ROWS, &error);
    const OverlapPair *product = overlap_pair_at(pairs, 3);
    const OverlapPair *stream = overlap_pair_at(pairs, 4);

    (void)state;
    assert_string_equal(product->kernel, "own, partner first, priority");
    assert_is_near(product->simulated, (130 + 400 - 130 / 1.3) / 400);
    assert_is_near(product->partner_simulated, 1);
    assert_string_equal(stream->kernel, "fma, compute first");
    assert_is_near(stream->simulated, (30 + 2000 + 1970 - 2000 / 1.25) / 2000);
    assert_is_near(stream->partner_simulated, 2);
}

static void test_streams_divide_a_full_memory_equally(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) pairs = run_pairs("streams", ROWS, &error);

    (void)state;
    assert_null(error);
    /* The reduction needs less than half and gets all of it. */
    assert_is_near(overlap_pair_at(pairs, 0)->simulated, 320.0 / 192);
    assert_is_near(overlap_pair_at(pairs, 0)->partner_simulated, 1);
}

static void test_scores_are_means_beside_a_trivial_rule(void **state)
{
    GError *error = NULL;
    g_autoptr(GArray) pairs = run_pairs("sms", ROWS, &error);
    OverlapScore kernels = overlap_study_score(pairs, "overlap", "fma", FALSE);
    OverlapScore partners = overlap_study_score(pairs, NULL, NULL, TRUE);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *csv = overlap_study_csv(pairs);

    (void)state;
    assert_int_equal(kernels.n, 2);
    assert_true(kernels.mean_percent < 0.1);
    assert_is_near(kernels.trivial_mean_percent, 20);
    assert_int_equal(partners.n, 5);
    /* 2 where 1.6 is measured */
    assert_is_near(partners.worst_percent, 25);
    overlap_study_render(pairs, text);
    assert_true(g_regex_match_simple("order +own, partner first, priority +1 "
                                     "+2\\.3 +2\\.3 +9\\.1 ",
                                     text->str, 0, 0));
    assert_true(g_regex_match_simple("order +all +2 ", text->str, 0, 0));
    assert_non_null(strstr(csv, "overlap,own,reduce,8,2,"));
}

static void test_a_file_without_a_column_is_refused(void **state)
{
    GError *error = NULL;

    (void)state;
    assert_null(run_pairs("sms", "family,kernel\noverlap,fma\n", &error));
    assert_non_null(strstr(error->message, "dtype"));
    g_clear_error(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sms_divide_a_full_memory),
        cmocka_unit_test(test_streams_divide_a_full_memory_equally),
        cmocka_unit_test(test_pairs_in_order_begin_and_end),
        cmocka_unit_test(test_scores_are_means_beside_a_trivial_rule),
        cmocka_unit_test(test_a_file_without_a_column_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
