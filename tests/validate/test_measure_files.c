/* test_measure_files.c - tests of output files, the command line and
 * progress */
#include "tests/validate/measure_output.h"

static char *read_text_file(const char *path)
{
    char *text = NULL;

    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* ---- output files of acesim-measure -------------------------------------- */

static void test_output_paths_follow_from_target_and_device(void **state)
{
    Output *output = g_new0(Output, 1);

    (void)state;
    assert_true(output_choose_paths(output, "data", "NVIDIA H200", true));
    assert_string_equal(output->csv_path, "data/h200-measured.csv");
    assert_string_equal(output->json_path, "data/h200-measured.json");
    assert_string_equal(output->csv_tmp, "data/h200-measured.csv.tmp");
    assert_true(output_choose_paths(output, "data/", "NVIDIA H200", false));
    assert_string_equal(output->csv_path, "data/h200-partial.csv");
    assert_true(output_choose_paths(output, "a/b.csv", "NVIDIA H200", true));
    assert_string_equal(output->csv_path, "a/b.csv");
    assert_string_equal(output->json_path, "a/b.json");
    g_free(output);
}

static void test_an_output_name_that_is_too_long_is_refused(void **state)
{
    g_autofree char *name = g_strnfill(OUTPUT_PATH_SIZE, 'x');
    Output *output = g_new0(Output, 1);

    (void)state;
    assert_false(output_choose_paths(output, name, "H200", true));
    assert_string_equal(output->error, "-o: the name is too long");
    g_free(output);
}

static void test_output_files_get_their_names_at_the_end(void **state)
{
    g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
    g_autofree char *target = g_build_filename(folder, "new", NULL);
    g_autofree char *csv = NULL, *more = NULL, *json = NULL;
    Output *output = g_new0(Output, 1);

    (void)state;
    assert_true(output_choose_paths(output, target, "NVIDIA H200", true));
    assert_true(output_open(output));
    assert_false(g_file_test(output->csv_path, G_FILE_TEST_EXISTS));
    csv = read_text_file(output->csv_tmp);
    assert_true(g_str_has_prefix(csv, "family,kernel,"));
    (void)fputs("x\n", output->csv);
    assert_true(output_sync(output));
    more = read_text_file(output->csv_tmp);
    assert_true(g_str_has_suffix(more, ",key\nx\n"));
    (void)fputs("{}\n", output->json);
    assert_true(output_close(output));
    json = read_text_file(output->json_path);
    assert_string_equal(json, "{}\n");
    assert_true(g_file_test(output->csv_path, G_FILE_TEST_EXISTS));
    assert_false(g_file_test(output->csv_tmp, G_FILE_TEST_EXISTS));
    assert_false(g_file_test(output->json_tmp, G_FILE_TEST_EXISTS));
    g_free(output);
}

static void test_discarded_output_files_are_removed(void **state)
{
    g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
    Output *output = g_new0(Output, 1);

    (void)state;
    assert_true(output_choose_paths(output, folder, "NVIDIA H200", true));
    assert_true(output_open(output));
    output_discard(output);
    assert_int_equal(rmdir(folder), 0);
    g_free(output);
}

static void test_an_unwritable_output_file_has_a_reason(void **state)
{
    Output *output = g_new0(Output, 1);

    (void)state;
    assert_true(output_choose_paths(output, "/dev/null/x/y.csv", "H200", true));
    assert_false(output_open(output));
    assert_string_equal(
        output->error,
        "/dev/null/x/y.csv.tmp: cannot be written: Not a directory");
    g_free(output);
}

/* ---- command line of acesim-measure -------------------------------------- */

static bool parse_option_line(Options *options, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    bool ok = options_parse((int)g_strv_length(words), words, options);

    options->output = NULL; /* The pointer would point into freed memory. */
    return ok;
}

static void test_measurement_options_have_defaults(void **state)
{
    Options options;

    (void)state;
    assert_true(parse_option_line(&options, "acesim-measure"));
    assert_int_equal(options.repetitions, 25);
    assert_int_equal(options.n_passes, 1);
    assert_true(options.seed == 1);
    assert_false(options.is_quick || options.some_families);
    for (int family = 0; family < N_FAMILIES; family++)
        assert_true(options.families[family]);
}

static void test_measurement_options_are_parsed(void **state)
{
    Options options;

    (void)state;
    assert_true(parse_option_line(&options,
                                  "m --quick --family gemm,overlap -o x.csv "
                                  "--repetitions=40 --passes 2 --seed "
                                  "18446744073709551615 --list --check "
                                  "--budget 200 --keys "
                                  "5908ae67401e99c9,00000000000000ff"));
    assert_int_equal(options.budget_s, 200);
    assert_int_equal(options.n_keys, 2);
    assert_true(options.keys[0] == UINT64_C(0x5908ae67401e99c9) &&
                options.keys[1] == 255);
    assert_true(options.is_quick && options.wants_list && options.wants_check);
    assert_true(options.families[FAMILY_GEMM]);
    assert_true(options.families[FAMILY_OVERLAP]);
    assert_false(options.families[FAMILY_COPY]);
    assert_int_equal(options.repetitions, 40);
    assert_int_equal(options.n_passes, 2);
    assert_true(options.seed == UINT64_MAX);
}

static void test_invalid_measurement_options_are_reported(void **state)
{
    static const char *const lines[][2] = {
        { "m --fast",
          "unknown option '--fast'; acesim-measure --help lists them" },
        { "m --quickly",
          "unknown option '--quickly'; acesim-measure --help lists them" },
        { "m gemm", "unexpected 'gemm'; acesim-measure takes options only" },
        { "m --family", "--family: the value is missing" },
        { "m --family gem",
          "--family: unknown family 'gem'; did you mean 'gemm'?" },
        { "m --family copy,lokup",
          "--family: unknown family 'lokup'; did you mean 'lookup'?" },
        { "m --family x", "--family: unknown family 'x'; acesim-measure "
                          "--help lists them" },
        { "m --family copy,", "--family: unknown family ''; acesim-measure "
                              "--help lists them" },
        { "m --repetitions 19",
          "--repetitions: '19' is no number in [20, 1000]" },
        { "m --repetitions=1001",
          "--repetitions: '1001' is no number in [20, 1000]" },
        { "m --repetitions -30",
          "--repetitions: '-30' is no number in [20, 1000]" },
        { "m --passes 4", "--passes: '4' is no number in [1, 3]" },
        { "m --seed 1x",
          "--seed: '1x' is no number in [0, 18446744073709551615]" },
        { "m --seed 18446744073709551616",
          "--seed: '18446744073709551616' is no number in [0, "
          "18446744073709551615]" },
        { "m --budget 19", "--budget: '19' is no number in [20, 3600]" },
        { "m --keys 12", "--keys: '12' is no key of 16 digits 0-9, a-f" },
        { "m --keys 5908ae67401e99c9,5908AE67401E99C9",
          "--keys: '5908AE67401E99C9' is no key of 16 digits 0-9, a-f" },
        { "m --keys 5908ae67401e99c9,",
          "--keys: '' is no key of 16 digits 0-9, a-f" },
        { "m -o", "-o: the value is missing" },
        { "m --seed=", "--seed: '' is no number in [0, 18446744073709551615]" },
    };
    Options options;

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        assert_false(parse_option_line(&options, lines[i][0]));
        assert_string_equal(options.error, lines[i][1]);
    }
}

/* ---- progress of acesim-measure ------------------------------------------ */

static void test_a_progress_log_has_a_line_for_each_family(void **state)
{
    MeasureCase gemm = new_gemm_case(KERNEL_GEMM_OWN, 8, 8, 8);
    MeasureCase copy = new_copy_case(64, 2);
    g_autofree char *text = NULL;
    FILE *file = tmpfile();
    Progress progress = progress_start(file, 9, 100);

    (void)state;
    progress_show_case(&progress, 0, &copy, 1);
    progress_show_case(&progress, 1, &copy, 2);
    progress_show_case(&progress, 2, &copy, 16.5);
    progress_show_case(&progress, 3, &gemm, 17);
    progress_print_message(&progress, "gemm", "failed");
    progress_finish(&progress);
    text = text_of_file(file);
    assert_string_equal(
        text, "1/9, 1 of about 100 s, copy: kernel=copy bytes=64 n_sms=2 "
              "threads=512 loads_in_flight=8 loads=no-allocate shared=half\n"
              "3/9, 16 of about 100 s, copy: kernel=copy bytes=64 n_sms=2 "
              "threads=512 loads_in_flight=8 loads=no-allocate shared=half\n"
              "4/9, 17 of about 100 s, gemm: kernel=own dtype=bf16 m=8 n=8 "
              "k=8\n"
              "gemm: failed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_paths_follow_from_target_and_device),
        cmocka_unit_test(test_an_output_name_that_is_too_long_is_refused),
        cmocka_unit_test(test_output_files_get_their_names_at_the_end),
        cmocka_unit_test(test_discarded_output_files_are_removed),
        cmocka_unit_test(test_an_unwritable_output_file_has_a_reason),
        cmocka_unit_test(test_measurement_options_have_defaults),
        cmocka_unit_test(test_measurement_options_are_parsed),
        cmocka_unit_test(test_invalid_measurement_options_are_reported),
        cmocka_unit_test(test_a_progress_log_has_a_line_for_each_family),
    };

    return cmocka_run_group_tests_name("measure-output", tests, NULL, NULL);
}
