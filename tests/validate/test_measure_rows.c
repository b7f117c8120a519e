/* Tests of the way from acesim-measure's table to a fitted NPU.  The table
 * contains the whole plan of a GPU, with the times of a known NPU. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "validate/fit/npu_yaml.h"
#include "validate/gpu/host/measurement_table.h"
#include "validate/gpu/plan/measurement_plan.h"
#include "validate/kernels/kernel_rows_of_folder.h"

#define N_SMS 108

/* ---- measured files of a test -------------------------------------------- */

static char *temporary_folder_new(void)
{
    g_autoptr(GError) error = NULL;
    char *folder = g_dir_make_tmp("rows-XXXXXX", &error);

    assert_no_error(error);
    return folder;
}

static void write_measured_case(FILE *file, const MeasureCase *measure_case,
                                uint64_t key)
{
    const MeasureResult result = { .median_us = 1 };

    if (measure_case->kernel != KERNEL_NONE)
        assert_true(table_write_row(file, measure_case, key, &result));
}

/* Writes a table of all planned cases; each row takes 1 us. */
static void write_planned_table(const char *path)
{
    bool families[N_FAMILIES];
    PlanRequest request = { .limits = { N_SMS, 40 << 20 },
                            .families = families,
                            .repetitions = 25 };
    FILE *file = g_fopen(path, "w");
    Plan *plan;

    for (int family = 0; family < N_FAMILIES; family++)
        families[family] = true;
    plan = plan_new(&request);
    assert_true(plan && file && table_write_header(file));
    for (size_t i = 0; i < plan->n_entries; i++) {
        write_measured_case(file, &plan->entries[i].work, plan->entries[i].key);
        write_measured_case(file, &plan->entries[i].partner,
                            plan->entries[i].key);
    }
    plan_free(plan);
    fclose(file);
}

/* Returns the rows of @folder, which contains only @path and no published rows.
 * Then removes the folder. */
static GArray *rows_of_folder(const char *folder, const char *path,
                              GError **error)
{
    g_autofree char *published = g_build_filename(folder, "published", NULL);
    GArray *rows;

    g_mkdir(published, 0777);
    rows = kernel_rows_load_all(folder, error);
    g_remove(path);
    g_remove(published);
    g_remove(folder);
    return rows;
}

static GArray *rows_of_planned_table(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = temporary_folder_new();
    g_autofree char *path = g_build_filename(folder, "a100-measured.csv", NULL);
    GArray *rows;

    write_planned_table(path);
    rows = rows_of_folder(folder, path, &error);
    assert_no_error(error);
    return rows;
}

static GArray *rows_of_table_text(const char *text, GError **error)
{
    g_autofree char *folder = temporary_folder_new();
    g_autofree char *path = g_build_filename(folder, "x-measured.csv", NULL);

    assert_true(g_file_set_contents(path, text, -1, NULL));
    return rows_of_folder(folder, path, error);
}

/* ---- cases that become rows ---------------------------------------------- */

static void count_rows_of_family(const GArray *rows, const char *family,
                                 guint *ret_training, guint *ret_held_out)
{
    *ret_training = *ret_held_out = 0;
    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = kernel_rows_at(rows, i);

        if (g_str_equal(row->family, family))
            (*(row->is_held_out ? ret_held_out : ret_training))++;
    }
}

static void test_kernel_families_have_training_and_held_out_rows(void **state)
{
    static const struct {
        const char *family;
        /* The minimum number of training rows and of held-out rows. */
        guint n_training, n_held_out;
    } expected[] = {
        { "measured sum", 20, 80 },      { "measured copy", 20, 40 },
        { "measured small copy", 6, 2 }, { "measured product", 12, 8 },
        { "measured read", 7, 15 },      { "measured write", 7, 15 },
        { "measured fma", 0, 8 },        { "measured mix", 3, 9 },
    };
    g_autoptr(GArray) rows = rows_of_planned_table();
    guint n = 0;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        guint n_training, n_held_out;

        count_rows_of_family(rows, expected[i].family, &n_training,
                             &n_held_out);
        assert_true(n_training >= expected[i].n_training);
        assert_true(n_held_out >= expected[i].n_held_out);
        assert_true(expected[i].n_training > 0 || n_training == 0);
        assert_true(expected[i].n_held_out > 0 || n_held_out == 0);
        n += n_training + n_held_out;
    }
    assert_int_equal(rows->len, n);
}

#define HEADER                                                                 \
    "family,kernel,dtype,bytes,n_sms,m,n,k,loads,shared,bytes_in_flight,"      \
    "read_bytes,write_bytes,flop,median_us,caveat\n"
#define COPY_OF(sms)                                                           \
    "copy,copy,,67108864," sms                                                 \
    ",,,,no-allocate,half,65536,67108864,67108864,,9.5,\n"
#define WRITE_OF(sms)                                                          \
    "write,write-slices,,67108864," sms                                        \
    ",,,,no-allocate,half,65536,,67108864,,9.5,\n"
#define SUM_OF(sms, read)                                                      \
    "reduce,reduce,fp32,67108864," sms ",,,,no-allocate,half,65536," read      \
    ",67108864,,9.5,\n"
#define PRODUCT_OF(k, caveat)                                                  \
    "gemm,cublas,bf16,,100,512,256," k ",,,,1,1,9,9.5," caveat "\n"

static void check_row_part(const GArray *rows, guint i, const char *yaml,
                           gboolean is_held_out)
{
    assert_string_equal(kernel_rows_at(rows, i)->yaml, yaml);
    assert_int_equal(kernel_rows_at(rows, i)->is_held_out, is_held_out);
}

#define STREAM(read, in_flight, sms)                                           \
    "{kind: stream, read: " read                                               \
    " B, write: 67108864 B, flop: 0, in_flight: " in_flight " B, sms: " sms    \
    ", persistent: true}"
#define PRODUCT(k)                                                             \
    "{kind: product, precision: fp16, m: 512, n: 256, k: " k ", sms: 100}"

static void test_measured_rows_are_held_out_by_structure(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = rows_of_table_text(
        HEADER COPY_OF("16") COPY_OF("50") COPY_OF("64") WRITE_OF("16")
            SUM_OF("16", "134217728") SUM_OF("16", "268435456")
                PRODUCT_OF("1024", "") PRODUCT_OF("1000", "")
                    PRODUCT_OF("8192", ""),
        &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(rows->len, 9);
    check_row_part(rows, 0, STREAM("67108864", "131072", "16"), FALSE);
    check_row_part(rows, 1, STREAM("67108864", "131072", "50"), TRUE);
    check_row_part(rows, 2, STREAM("67108864", "131072", "64"), TRUE);
    /* Stores do not wait for data, so nothing limits them in flight. */
    check_row_part(rows, 3, STREAM("0", "0", "16"), FALSE);
    check_row_part(rows, 4, STREAM("134217728", "98304", "16"), FALSE);
    check_row_part(rows, 5, STREAM("268435456", "81920", "16"), TRUE);
    check_row_part(rows, 6, PRODUCT("1024"), FALSE);
    check_row_part(rows, 7, PRODUCT("1000"), TRUE);
    check_row_part(rows, 8, PRODUCT("8192"), TRUE);
    assert_string_equal(kernel_rows_at(rows, 0)->npu, "x");
    assert_string_equal(kernel_rows_at(rows, 0)->source, "x-measured.csv");
    assert_true(kernel_rows_at(rows, 0)->time_us == 9.5);
    assert_int_equal(kernel_rows_at(rows, 8)->line, 10);
}

static void test_measured_cases_without_a_key_are_skipped(void **state)
{
    g_autoptr(GError) error = NULL;
    /* The table also has a row of the own gemm kernel. */
    g_autoptr(GArray) rows = rows_of_table_text(
        HEADER PRODUCT_OF(
            "1024",
            "no-cublas") "gemm,own,bf16,,100,512,256,1024,,,,1,1,9,9.5,\n"
                         "copy,copy,,1,8,,,,ordinary,half,65536,1,1,,9.5,\n"
                         "copy,copy,,1,8,,,,no-allocate,whole,65536,1,1,,9.5,\n"
                         "stream,fma,fp32,8,100,,,,,,,8,8,80,9.5,\n"
                         "overlap,copy,,1,8,,,,no-allocate,half,65536,1,1,,9.5,\n"
                         "lookup,lookup,fp32,,100,,,,,,,9,9,9,9.5,\n"
                         "engine,memcpy-d2h,,9,,,,,,,,9,,,9.5,\n",
        &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(rows->len, 0);
}

static void check_table_refused(const char *text, const char *expected)
{
    g_autoptr(GError) error = NULL;

    assert_null(rows_of_table_text(text, &error));
    assert_true(g_error_matches(error, CSV_ERROR, CSV_ERROR_SYNTAX) ||
                g_error_matches(error, CSV_ERROR, CSV_ERROR_COLUMN));
    assert_true(g_str_has_suffix(error->message, expected));
}

static void test_invalid_measured_files_are_refused(void **state)
{
    (void)state;
    check_table_refused(
        "family,kernel\n",
        "x-measured.csv:1: no column 'dtype'; columns: family, kernel");
    check_table_refused(HEADER "copy,copy,,1,1,,,,,,,1,1,,0,\n",
                        "x-measured.csv:2: median_us: '0' is out of range");
    check_table_refused(HEADER "copy,copy,,1,1,,,,,,,1,1,,,\n",
                        "x-measured.csv:2: median_us: '' is out of range");
    check_table_refused(HEADER "copy,copy,,-1,1,,,,,,,1,1,,5,\n",
                        "x-measured.csv:2: bytes: '-1' is out of range");
}

/* Returns the warnings about a table beside which is a JSON file with @text, or
 * no JSON file if it is NULL. */
static char *warnings_of_json_text(const char *text, GError **error)
{
    g_autofree char *folder = temporary_folder_new();
    g_autofree char *csv = g_build_filename(folder, "x-measured.csv", NULL);
    g_autofree char *json = g_build_filename(folder, "x-measured.json", NULL);
    char *warnings;

    assert_true(g_file_set_contents(csv, HEADER, -1, NULL));
    assert_true(!text || g_file_set_contents(json, text, -1, NULL));
    warnings = kernel_rows_warnings(folder, error);
    g_remove(csv);
    g_remove(json);
    g_remove(folder);
    return warnings;
}

static void check_warning(const char *json, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *warnings = warnings_of_json_text(json, &error);

    assert_no_error(error);
    assert_true(*expected ? g_str_has_suffix(warnings, expected)
                          : *warnings == '\0');
}

static void test_incomplete_measurements_give_a_warning(void **state)
{
    g_autoptr(GError) error = NULL;

    (void)state;
    check_warning(NULL, "");
    check_warning("{\"complete\": true, \"n_left_out\": 0}", "");
    check_warning("{\"device\": \"X\"}", "");
    check_warning("{\"complete\": true, \"n_left_out\": 7}",
                  "x-measured.csv: the measurement left out 7 cases for lack "
                  "of time\n");
    check_warning("{\"complete\": false, \"n_left_out\": 7}",
                  "x-measured.csv: the measurement was interrupted; rows are "
                  "missing\n");
    assert_null(warnings_of_json_text("{\"complete\": ", &error));
    assert_non_null(error);
    assert_non_null(strstr(error->message, "x-measured.json:"));
}

/* ---- fits to measured rows ----------------------------------------------- */

#define SHEETS                                                                             \
    "gpu,npu,memory_like,products_like,sms,clock_mhz,memory_bits,memory_gbit_per_s_a_pin," \
    "memory_gb_per_s,memory_gib,fp32_tflops,fp16_tflops,operand_bytes_a_cycle,source\n"    \
    "A100,a100,,,108,1410,5120,2.43,1555,40,19.5,312,128,made up\n"

typedef struct {
    GArray *sheets, *rows, *read;
    const Sheet *sheet;
    NpuConfig made;
} MeasuredTables;

static void npu_of_data_sheet(NpuConfig *npu, const Sheet *sheet)
{
    npu_init_from_sheet(npu, sheet);
    npu->memory_latency_ps = SIM_NS(500);
    npu->store_latency_ps = SIM_NS(40);
    npu->sm_bytes_per_cycle = 40;
    npu->sm_store_bytes_per_cycle = 24;
    npu->port_sharing_ppm = 700000;
    npu->port_queueing_ppm = 20000;
    npu->hbm.efficiency_ppm = 930000;
    npu->hbm.turnaround_ppm = 100000;
    npu->launch_ps = SIM_NS(1700);
    npu->precisions.fp16.efficiency_ppm = 820000;
    npu->precisions.fp16.overhead_ps = SIM_NS(4000);
}

static MeasuredTables make_measured_tables(void)
{
    g_autoptr(GError) error = NULL;
    MeasuredTables made = { .sheets =
                                data_sheets_parse("gpus.csv", SHEETS, &error) };

    assert_no_error(error);
    made.sheet = data_sheets_find_npu(made.sheets, "a100");
    npu_of_data_sheet(&made.made, made.sheet);
    made.rows = rows_of_planned_table();
    made.read = npu_rows_new(made.rows, "a100", "", &error);
    assert_no_error(error);
    for (guint i = 0; i < made.rows->len; i++)
        g_array_index(made.rows, KernelRow, i).time_us = npu_row_modelled_us(
            &made.made, &g_array_index(made.read, NpuRow, i));
    return made;
}

static void clear_measured_tables(MeasuredTables *made)
{
    g_array_unref(made->read);
    g_array_unref(made->rows);
    g_array_unref(made->sheets);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MeasuredTables, clear_measured_tables)

static void assert_near_relative(uint64_t value, uint64_t expected, double part)
{
    assert_true(fabs((double)value / (double)expected - 1) < part);
}

static void test_known_npu_parameters_are_found_again(void **state)
{
    const NpuRange all = { 0 };
    g_auto(MeasuredTables) made = make_measured_tables();
    g_autofree char *text = NULL;
    NpuScore score;
    NpuConfig npu;

    (void)state;
    npu_init_from_sheet(&npu, made.sheet);
    npu_fit(made.read, all, &npu);
    assert_near_relative(npu.memory_latency_ps, SIM_NS(500), .02);
    /* No persistent kernel waits for the start of a block or for its stores, so
     * both keep their usual values. */
    assert_int_equal(npu.store_latency_ps, SIM_NS(70));
    assert_int_equal(npu.block_start_ps, SIM_NS(180));
    assert_near_relative(npu.sm_bytes_per_cycle, 40, .05);
    assert_near_relative(npu.sm_store_bytes_per_cycle, 24, .05);
    assert_near_relative(npu.port_sharing_ppm, 700000, .05);
    assert_in_range(npu.port_queueing_ppm, 15000, 25000);
    /* The usual value of 96 % attracts the result. */
    assert_in_range(npu.hbm.efficiency_ppm, 925000, 950000);
    assert_near_relative(npu.launch_ps, SIM_NS(1700), .05);
    assert_near_relative(npu.precisions.fp16.efficiency_ppm, 820000, .05);
    score = npu_fit_score(made.read, &npu, NULL, all, TRUE);
    assert_true(score.n > 150 && score.mean_percent < 1.5 &&
                score.worst_percent < 3);
    text = npu_yaml_text(made.read, NULL, made.sheet, &npu, NULL, 0);
    assert_non_null(strstr(text, "rows of measured sum, measured copy, "
                                 "measured read, measured write, measured "
                                 "mix\n"));
    /* Persistent kernels start no blocks, so that no row shows the start. */
    assert_non_null(
        strstr(text, "block_start: 180 ns            # assumed: usual, no row "
                     "of measured sum, "));
    assert_non_null(strstr(text, "rows of measured small copy\n"));
    assert_non_null(strstr(text, "measured (a100-measured.csv);\n"));
}

/* A card with the same memory may have other SMs and another clock, so only
 * published rows are shared. */
static void test_own_measurements_are_not_shared_between_cards(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = rows_of_planned_table();
    g_autoptr(GArray) shared = npu_rows_new(rows, "a100-too", "a100", &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(shared->len, 0);
}

static void test_held_out_rows_do_not_change_the_fit(void **state)
{
    const NpuRange all = { 0 };
    g_auto(MeasuredTables) made = make_measured_tables();
    NpuConfig before = { 0 }, after = { 0 };

    (void)state;
    npu_init_from_sheet(&before, made.sheet);
    npu_fit(made.read, all, &before);
    for (guint i = 0; i < made.rows->len; i++)
        if (kernel_rows_at(made.rows, i)->is_held_out)
            g_array_index(made.rows, KernelRow, i).time_us *= 7;
    npu_init_from_sheet(&after, made.sheet);
    npu_fit(made.read, all, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_families_have_training_and_held_out_rows),
        cmocka_unit_test(test_measured_rows_are_held_out_by_structure),
        cmocka_unit_test(test_measured_cases_without_a_key_are_skipped),
        cmocka_unit_test(test_invalid_measured_files_are_refused),
        cmocka_unit_test(test_incomplete_measurements_give_a_warning),
        cmocka_unit_test(test_known_npu_parameters_are_found_again),
        cmocka_unit_test(test_own_measurements_are_not_shared_between_cards),
        cmocka_unit_test(test_held_out_rows_do_not_change_the_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
