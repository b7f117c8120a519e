/* Tests of what acesim-measure writes: names, keys, the table, the record.  The
 * expected keys were computed by a separate implementation in Python, from the
 * description in measurement_table.h. */
#include "tests/validate/measure_output.h"

/* ---- names and keys of cases --------------------------------------------- */

static void test_case_identity_joins_its_cells(void **state)
{
    char identity[TABLE_IDENTITY_SIZE], label[TABLE_IDENTITY_SIZE];
    MeasureCase reduce = new_reduce_case(DTYPE_FP32, 2, 65536, 8);
    MeasureCase fma = new_fma_case(64, 3);

    (void)state;
    table_identity_of_case(&reduce, identity, sizeof identity);
    assert_string_equal(identity, "reduce|reduce|fp32|65536|8|2|||||||||512|8|"
                                  "no-allocate|half||||||||");
    assert_true(table_key_of_case(&reduce) == UINT64_C(0xed60f63fa085a105));
    table_label_of_case(&reduce, label, sizeof label);
    assert_string_equal(label, "reduce: kernel=reduce dtype=fp32 bytes=65536 "
                               "n_sms=8 ways=2 threads=512 loads_in_flight=8 "
                               "loads=no-allocate shared=half");
    fma.n_sms = 132;
    table_identity_of_case(&fma, identity, sizeof identity);
    assert_string_equal(identity,
                        "stream|fma|fp32|64|132|||||||||0.75||||||||||||");
    assert_true(table_key_of_case(&fma) == UINT64_C(0x588805a7ef8834e2));
}

static void test_the_case_hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(table_hash_fnv_1a("") == UINT64_C(0xcbf29ce484222325));
    assert_true(table_hash_fnv_1a("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(table_hash_fnv_1a("foobar") == UINT64_C(0x85944171f73967e8));
}

static void test_kernel_names_are_unique(void **state)
{
    (void)state;
    for (int a = 0; a < N_KERNELS; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(kernel_name((Kernel)a),
                                    kernel_name((Kernel)b));
    assert_string_equal(kernel_kind(KERNEL_GEMM_CUBLAS), "gemm");
    assert_string_equal(kernel_kind(KERNEL_BATCH_D2D), "engine-d2d");
}

static void test_a_device_slug_is_the_npu_or_the_model(void **state)
{
    static const char *const names[][2] = {
        { "NVIDIA H200", "h200" },
        { "NVIDIA H100 80GB HBM3", "h100-sxm" },
        { "NVIDIA H100 PCIe", "h100-pcie" },
        { "NVIDIA H100 NVL", "h100-nvl" },
        { "NVIDIA A100-SXM4-80GB", "a100-80gb" },
        { "NVIDIA A100-SXM4-40GB", "a100-40gb" },
        { "NVIDIA A100-PCIE-40GB", "a100-pcie-40gb" },
        { "NVIDIA L40", "l40" },
        { "NVIDIA GeForce RTX 4090", "geforce-rtx-4090" },
        { "Tesla T4", "t4" },
        { " -- ", "gpu" },
        { "", "gpu" },
        { "NVIDIA X (1)", "x-1" },
    };
    char slug[64], short_slug[6];

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        output_device_slug(names[i][0], slug, sizeof slug);
        assert_string_equal(slug, names[i][1]);
    }
    output_device_slug("abcdefghij", short_slug, sizeof short_slug);
    assert_string_equal(short_slug, "abcd");
}

/* ---- CSV table of acesim-measure ----------------------------------------- */

static void test_a_measured_row_has_a_cell_for_each_column(void **state)
{
    MeasureCase measure_case = new_reduce_case(DTYPE_BF16, 4, 1048576, 16);
    MeasureResult result = { .median_us = 12.34567,
                             .p10_us = 12,
                             .p90_us = 13.5,
                             .repetitions = 25,
                             .batch_launches = 17,
                             .rotated_bytes = 251658240,
                             .sm_mhz = 1740.25,
                             .sms = { { 5 } },
                             .beside_sms = { { 2, 1 } } };
    g_autofree char *text = NULL;
    FILE *file = tmpfile();

    (void)state;
    assert_true(table_write_header(file));
    assert_true(table_write_row(file, &measure_case, 255, &result));
    text = text_of_file(file);
    assert_string_equal(
        text,
        "family,kernel,dtype,bytes,n_sms,ways,m,n,k,batch,rows,dim,pooling,"
        "flop_per_byte,threads,loads_in_flight,loads,shared,bytes_in_flight,"
        "read_bytes,write_bytes,flop,beside,beside_kernel,beside_n_sms,"
        "beside_bytes,place,first,priority,seconds,pair,alone_us,"
        "batch_launches,rotated_bytes,median_us,p10_us,p90_us,repetitions,"
        "sm_mhz,alone_mhz,second,power_w,celsius,throttle,sms,beside_sms,"
        "caveat,key\n"
        "reduce,reduce,bf16,1048576,16,4,,,,,,,,,512,8,no-allocate,half,65536,"
        "4194304,1048576,1572864,,,,,,,,,,,17,251658240,12.3457,12.0000,"
        "13.5000,25,1740.25,,,,,,5,10000000000000002,,00000000000000ff\n");
}

/* Bit n is SM n, so that sets of different sizes can be compared. */
static void test_a_set_of_sms_is_a_hexadecimal_number(void **state)
{
    SmSet set = { { 0 } };
    char text[SM_SET_TEXT];

    (void)state;
    sm_set_text(&set, text);
    assert_string_equal(text, "");
    sm_set_add(&set, 0);
    sm_set_add(&set, 2);
    sm_set_add(&set, 3);
    sm_set_text(&set, text);
    assert_string_equal(text, "d");
    sm_set_add(&set, 131);
    sm_set_add(&set, SM_SET_SIZE);
    sm_set_text(&set, text);
    assert_string_equal(text, "80000000000000000000000000000000d");
    sm_set_add(&set, SM_SET_SIZE - 1);
    sm_set_text(&set, text);
    assert_int_equal(strlen(text), SM_SET_SIZE / 4);
}

static void test_row_of_a_long_case_has_throttle_reasons(void **state)
{
    MeasureCase measure_case = new_gemm_case(KERNEL_GEMM_OWN, 8, 8, 8);
    MeasureResult result = { .median_us = 2,
                             .second = 20,
                             .power_w = 698.5,
                             .celsius = 71,
                             .throttle = 0x4 | 0x20,
                             .caveat = "no-cublas" };
    g_autofree char *text = NULL;
    FILE *file = tmpfile();

    (void)state;
    measure_case.seconds = 20;
    assert_true(table_write_row(file, &measure_case, 1, &result));
    text = text_of_file(file);
    assert_true(g_str_has_suffix(text, ",20,698.5,71,power-cap sw-thermal,"
                                       ",,no-cublas,0000000000000001\n"));
}

static void test_a_kernel_pair_has_two_rows_with_one_key(void **state)
{
    bool families[N_FAMILIES] = { [FAMILY_OVERLAP] = true };
    PlanRequest request = { .limits = PLAN_LIMITS_H200,
                            .families = families,
                            .repetitions = 25 };
    Plan *plan = plan_new(&request);
    const PlanEntry *entry = &plan->entries[plan->n_entries - 1];
    MeasureResult result = { .median_us = 2, .alone_us = 1 };
    g_autofree char *text = NULL, *key = NULL;
    g_auto(GStrv) lines = NULL;
    FILE *file = tmpfile();

    (void)state;
    assert_true(table_write_row(file, &entry->work, entry->key, &result));
    assert_true(table_write_row(file, &entry->partner, entry->key, &result));
    text = text_of_file(file);
    lines = g_strsplit(text, "\n", -1);
    key = g_strdup_printf("%016" G_GINT64_MODIFIER "x", entry->key);
    assert_true(g_str_has_suffix(lines[0], key));
    assert_true(g_str_has_suffix(lines[1], key));
    assert_non_null(strstr(lines[0], ",engine-d2d,batch-d2d,,67108864,"));
    assert_non_null(strstr(lines[1], ",stream,fma,132,536870912,"));
    plan_free(plan);
}

static void test_csv_text_is_quoted_when_it_must_be(void **state)
{
    g_autofree char *text = NULL;
    FILE *file = tmpfile();

    (void)state;
    assert_true(table_write_text(file, "plain "));
    assert_true(table_write_text(file, "a,b"));
    assert_true(table_write_text(file, "say \"so\""));
    assert_true(table_write_text(file, "two\nlines"));
    text = text_of_file(file);
    assert_string_equal(text, "plain \"a,b\"\"say \"\"so\"\"\"\"two\nlines\"");
}

static SmSet set_of_two_sms(uint32_t a, uint32_t b)
{
    SmSet set = { { 0 } };

    sm_set_add(&set, a);
    sm_set_add(&set, b);
    return set;
}

static void test_sets_with_a_common_sm_are_joined(void **state)
{
    SmGroups groups = { .n = 0 };
    char text[SM_SET_TEXT];

    (void)state;
    sm_groups_add(&groups, set_of_two_sms(0, 2));
    sm_groups_add(&groups, set_of_two_sms(1, 3));
    sm_groups_add(&groups, set_of_two_sms(4, 70));
    assert_int_equal(groups.n, 3);
    sm_groups_add(&groups, set_of_two_sms(70, 2));
    assert_int_equal(groups.n, 2);
    sm_set_text(&groups.sets[0], text);
    assert_string_equal(text, "a");
    sm_set_text(&groups.sets[1], text);
    assert_string_equal(text, "400000000000000015");
    sm_groups_add(&groups, set_of_two_sms(70, 4));
    assert_int_equal(groups.n, 2);
}

/* ---- JSON record of acesim-measure --------------------------------------- */

static void test_json_text_is_escaped(void **state)
{
    g_autofree char *text = NULL;
    FILE *file = tmpfile();

    (void)state;
    record_write_json_text(file, "a\"b\\c\nd\te\x01"
                                 "f\xc3\xa9");
    text = text_of_file(file);
    assert_string_equal(text, "\"a\\\"b\\\\c\\nd\\te\\u0001f??\"");
}

static void test_unknown_values_of_a_record_are_null(void **state)
{
    Record *record = g_new0(Record, 1);
    g_autofree char *text = NULL;
    FILE *file = tmpfile();

    (void)state;
    (void)g_strlcpy(record->device_name, "NVIDIA \"X\"",
                    sizeof record->device_name);
    record->compute_capability[0] = 9;
    record->cuda_driver_version = 12080;
    record->clocks[CLOCK_MID].sm_measured_mhz = 1980;
    record->is_complete = true;
    record->n_rows = 3;
    record->n_left_out = 4;
    sm_groups_add(&record->gpcs, set_of_two_sms(0, 2));
    sm_groups_add(&record->gpcs, set_of_two_sms(1, 3));
    record_add_note(&record->failed, "gemm: m=8", "wrong result");
    (void)g_strlcpy(record->cublas_missing, "none loads",
                    sizeof record->cublas_missing);
    record->sustained[record->n_sustained++] =
        (Sustained){ .what = "long: kernel=own",
                     .seconds = 20,
                     .first_us = 10,
                     .last_us = 12.5,
                     .most_w = 700,
                     .throttle = 4 };
    record_write_json(file, record);
    text = text_of_file(file);
    assert_true(g_str_has_prefix(text, "{\n  \"device\": \"NVIDIA \\\"X\\\"\","
                                       "\n  \"compute_capability\": \"9.0\","));
    assert_non_null(strstr(text, "\"cuda_driver\": \"12.8\","));
    assert_non_null(strstr(text, "\"cublas\": null,"));
    assert_non_null(strstr(text, "\"cublas_missing\": \"none loads\","));
    assert_non_null(strstr(
        text, "\"sustained\": [\n    {\"case\": \"long: kernel=own\", "
              "\"seconds\": 20.0, \"first_us\": 10.0, \"last_us\": 12.5, "
              "\"first_mhz\": null, \"last_mhz\": null, \"most_w\": 700.0, "
              "\"limit_w\": null, \"most_celsius\": null, "
              "\"throttle\": \"power-cap\"}\n  ],"));
    assert_non_null(strstr(text, "\"memory_bus_bits\": null,"));
    assert_non_null(strstr(text, "\"mid\": {\"sm_measured_mhz\": 1980.0, "
                                 "\"sm_nvml_mhz\": null, "));
    assert_non_null(strstr(text, "\"complete\": true,\n  \"n_rows\": 3,"
                                 "\n  \"n_left_out\": 4,"));
    assert_non_null(strstr(text, "\"sms_of_gpcs\": [\"5\", \"a\"],"));
    assert_non_null(strstr(text, "\"failed\": [\n    {\"case\": \"gemm: m=8\", "
                                 "\"why\": \"wrong result\"}\n  ],"));
    assert_true(g_str_has_suffix(text, "\"skipped\": []\n}\n"));
    g_free(record);
}

static void test_record_notes_beyond_the_capacity_are_counted(void **state)
{
    RecordNotes *notes = g_new0(RecordNotes, 1);

    (void)state;
    for (int i = 0; i < RECORD_NOTES + 5; i++)
        record_add_note(notes, "what", "why");
    assert_int_equal(notes->n, RECORD_NOTES + 5);
    g_free(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_identity_joins_its_cells),
        cmocka_unit_test(test_the_case_hash_is_fnv_1a),
        cmocka_unit_test(test_kernel_names_are_unique),
        cmocka_unit_test(test_a_device_slug_is_the_npu_or_the_model),
        cmocka_unit_test(test_a_measured_row_has_a_cell_for_each_column),
        cmocka_unit_test(test_a_set_of_sms_is_a_hexadecimal_number),
        cmocka_unit_test(test_sets_with_a_common_sm_are_joined),
        cmocka_unit_test(test_row_of_a_long_case_has_throttle_reasons),
        cmocka_unit_test(test_a_kernel_pair_has_two_rows_with_one_key),
        cmocka_unit_test(test_csv_text_is_quoted_when_it_must_be),
        cmocka_unit_test(test_json_text_is_escaped),
        cmocka_unit_test(test_unknown_values_of_a_record_are_null),
        cmocka_unit_test(test_record_notes_beyond_the_capacity_are_counted),
    };

    return cmocka_run_group_tests_name("measure-output", tests, NULL, NULL);
}
