/* Tests of validate/fit/data_sheet.c, npu_fit_stages.c and npu_fit.c */
#include "tests/test.h"

#include <math.h>
#include <string.h>

#include "validate/fit/npu_yaml.h"

#define GB UINT64_C(1000000000)

#define HEADER                                                                  \
    "gpu,npu,memory_like,products_like,sms,clock_mhz,memory_bits,"              \
    "memory_gbit_per_s_a_pin,"                                                  \
    "memory_gb_per_s,memory_gib,fp32_tflops,fp16_tflops,operand_bytes_a_cycle," \
    "source\n"
#define A100 "A100,a100,,,108,1410,5120,2.43,1555,40,19.5,312,128,made up\n"

/* ---- reading of data sheets ---------------------------------------------- */

static GArray *data_sheet_of_a100(void)
{
    g_autoptr(GError) error = NULL;
    GArray *sheets = data_sheets_parse("gpus.csv", HEADER A100, &error);

    assert_no_error(error);
    assert_int_equal(sheets->len, 1);
    return sheets;
}

static void test_a_data_sheet_is_read_in_base_units(void **state)
{
    g_autoptr(GArray) sheets = data_sheet_of_a100();
    const Sheet *sheet = data_sheets_find_npu(sheets, "a100");

    (void)state;
    assert_non_null(sheet);
    assert_null(data_sheets_find_npu(sheets, "A100"));
    assert_int_equal(sheet->n_sms, 108);
    assert_int_equal(sheet->clock_hz, 1410000000);
    assert_int_equal(sheet->memory_bytes_per_s, 1555 * GB);
    assert_int_equal(sheet->memory_bytes, UINT64_C(40) << 30);
    assert_int_equal(sheet->fp16_flop_per_s, 312000 * GB);
    assert_int_equal(sheet->operand_bytes_per_cycle, 128);
    assert_true(npu_sheet_has_tensor_cores(sheet));
}

static void test_a_data_sheet_beyond_its_pin_rate_is_refused(void **state)
{
    g_autoptr(GError) error = NULL;
    const char *text =
        HEADER A100 "B,b,,,1,1,5120,2.43,1564,1,1,1,64,made up\n";

    (void)state;
    assert_null(data_sheets_parse("gpus.csv", text, &error));
    assert_gerror(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                  "gpus.csv:3: memory_gb_per_s is 1564, beyond 5120 bits x "
                  "2.43 Gbit/s = 1555.2 GB/s");
}

/* ---- bounds of fitted NPU values ----------------------------------------- */

static void test_npu_values_beyond_bounds_are_refused_by_name(void **state)
{
    g_autoptr(GArray) sheets = data_sheet_of_a100();
    const Sheet *sheet = data_sheets_find_npu(sheets, "a100");
    g_autoptr(GError) error = NULL;
    NpuConfig npu;

    (void)state;
    npu_init_from_sheet(&npu, sheet);
    assert_true(npu_check_bounds(&npu, sheet, &error));
    npu.hbm.bandwidth_bytes_per_s = 13200 * GB;
    assert_false(npu_check_bounds(&npu, sheet, &error));
    assert_gerror(error, NPU_FIT_ERROR, NPU_FIT_ERROR_BOUND,
                  "a100: hbm.bandwidth is 13.2 TB/s, beyond all of the data "
                  "sheet's bandwidth");
    npu.hbm.bandwidth_bytes_per_s = 1555 * GB;
    npu.sm_bytes_per_cycle = 65;
    assert_false(npu_check_bounds(&npu, sheet, &error));
    assert_gerror(error, NPU_FIT_ERROR, NPU_FIT_ERROR_BOUND,
                  "a100: sm_bandwidth is 65, beyond the port of an SM or CU, "
                  "64 B a cycle");
    npu.sm_bytes_per_cycle = 64;
    npu.flop_per_s++;
    assert_false(npu_check_bounds(&npu, sheet, &error));
    assert_gerror(error, NPU_FIT_ERROR, NPU_FIT_ERROR_BOUND,
                  "a100: flops is 312000000000001 FLOPS, beyond the data "
                  "sheet's peak");
}

static void test_usual_npu_values_lie_within_their_bounds(void **state)
{
    (void)state;
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++) {
            size_t offset;

            assert_non_null(npu_field_at_path(param->key, &offset));
            assert_true(param->low <= param->usual &&
                        param->usual <= param->high);
            assert_true(param->spread > 0 && param->low_text &&
                        param->high_text);
        }
}

/* Each pass of a convolution has its launch and its overhead, so none was
 * measured to be shorter than both. */
static void test_no_shipped_overhead_is_longer_than_a_row(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows =
        kernel_rows_load("validate/data/published/convolutions.csv", &error);
    g_autoptr(ConfigDoc) doc =
        config_doc_load("configs/npus/p100-sxm2.yaml", &error);
    NpuConfig npu;

    (void)state;
    assert_no_error(error);
    assert_true(config_doc_read(doc, npu_fields, &npu, &error));
    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = kernel_rows_at(rows, i);
        gboolean is_fp16 = g_str_equal(row->family, "convolution fp16");
        SimTime ps = npu.launch_ps +
                     (is_fp16 ? &npu.precisions.fp16 : &npu.precisions.fp32)
                         ->convolution.overhead_ps;

        if (g_str_equal(row->npu, "p100-sxm2") && !row->is_held_out)
            assert_true((double)ps <= row->time_us * 1e6);
    }
}

/* `make fit` would not refuse any file that ships. */
static void test_shipped_npus_are_within_their_bounds(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) sheets =
        data_sheets_load("validate/data/gpus.csv", &error);

    (void)state;
    assert_no_error(error);
    for (guint i = 0; i < sheets->len; i++) {
        const Sheet *sheet = &g_array_index(sheets, Sheet, i);
        g_autofree char *path =
            g_strdup_printf("configs/npus/%s.yaml", sheet->npu);
        g_autoptr(ConfigDoc) doc = config_doc_load(path, &error);
        NpuConfig npu;

        assert_no_error(error);
        assert_true(config_doc_read(doc, npu_fields, &npu, &error));
        assert_true(npu_check_bounds(&npu, sheet, &error));
        assert_int_equal(npu.hbm.bandwidth_bytes_per_s,
                         sheet->memory_bytes_per_s);
        assert_int_equal(npu.precisions.fp16.operands_overlap,
                         sheet->operands_overlap);
    }
}

/* ---- fits to kernels with known parameters ------------------------------- */

static void clear_kernel_row(gpointer data)
{
    KernelRow *row = data;

    g_free(row->yaml);
}

static void add_timed_row(GArray *rows, const char *family, guint n_read,
                          guint n_written, guint threads)
{
    KernelRow row = {
        .npu = (char *)"a100",
        .family = (char *)family,
        .source = (char *)"none",
        .time_us = 1,
        .is_held_out = n_read == 2,
        .yaml = g_strdup_printf(
            "{kind: stream, read: %u GiB, write: %u GiB, in_flight: %u B}",
            n_read, n_written, 8 * threads * (n_read + n_written)),
    };

    g_array_append_val(rows, row);
}

/* Returns kernels with different numbers of threads, with the times that @npu
 * takes. */
static GArray *rows_timed_by_model(const NpuConfig *npu)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) read = NULL;
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(KernelRow));

    g_array_set_clear_func(rows, clear_kernel_row);
    for (guint threads = 64; threads <= 2048; threads *= 2) {
        add_timed_row(rows, "init", 0, 1, threads);
        add_timed_row(rows, "read", 1, 0, threads);
        add_timed_row(rows, "scale", 1, 1, threads);
        add_timed_row(rows, "triad", 2, 1, threads);
    }
    read = npu_rows_new(rows, "a100", "", &error);
    assert_no_error(error);
    for (guint i = 0; i < rows->len; i++)
        g_array_index(rows, KernelRow, i).time_us =
            npu_row_modelled_us(npu, &g_array_index(read, NpuRow, i));
    return rows;
}

static void npu_of_data_sheet(NpuConfig *npu, const Sheet *sheet)
{
    npu_init_from_sheet(npu, sheet);
    npu->memory_latency_ps = SIM_NS(500);
    npu->store_latency_ps = SIM_NS(40);
    npu->block_start_ps = SIM_NS(220);
    npu->sm_bytes_per_cycle = 40;
    npu->hbm.efficiency_ppm = 930000;
    npu->hbm.turnaround_ppm = 100000;
}

static void test_the_fit_recovers_known_npu_parameters(void **state)
{
    g_autoptr(GArray) sheets = data_sheet_of_a100();
    const Sheet *sheet = data_sheets_find_npu(sheets, "a100");
    const NpuRange all = { 0 };
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = NULL;
    g_autoptr(GArray) read = NULL;
    NpuConfig made, npu;

    (void)state;
    npu_of_data_sheet(&made, sheet);
    rows = rows_timed_by_model(&made);
    read = npu_rows_new(rows, "a100", "", &error);
    npu_init_from_sheet(&npu, sheet);
    npu_fit(read, all, &npu);
    assert_int_equal(npu_fit_score(read, &npu, NULL, all, FALSE).n, 18);
    assert_true(npu_fit_score(read, &npu, NULL, all, FALSE).worst_percent < 2);
    assert_int_equal(npu_fit_score(read, &npu, "triad", all, TRUE).n, 6);
    assert_true(npu_fit_score(read, &npu, "triad", all, TRUE).worst_percent <
                2);
    /* The usual values of 420 ns and 96 % attract the result. */
    assert_in_range(npu.memory_latency_ps, SIM_NS(475), SIM_NS(510));
    assert_in_range(npu.hbm.efficiency_ppm, 925000, 950000);
}

static void test_held_out_rows_do_not_change_the_fit(void **state)
{
    g_autoptr(GArray) sheets = data_sheet_of_a100();
    const Sheet *sheet = data_sheets_find_npu(sheets, "a100");
    /* The range selects rows of at most 512 threads. */
    const NpuRange few = { 3.82 };
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = NULL;
    g_autoptr(GArray) read = NULL;
    NpuConfig made, before = { 0 }, after = { 0 };
    guint n_spoilt = 0;

    (void)state;
    npu_of_data_sheet(&made, sheet);
    rows = rows_timed_by_model(&made);
    read = npu_rows_new(rows, "a100", "", &error);
    npu_init_from_sheet(&before, sheet);
    npu_fit(read, few, &before);
    for (guint i = 0; i < read->len; i++) {
        const NpuRow *row = &g_array_index(read, NpuRow, i);

        if (row->row->is_held_out || !npu_fit_range_contains_row(few, row)) {
            g_array_index(rows, KernelRow, i).time_us *= 7;
            n_spoilt++;
        }
    }
    assert_int_equal(n_spoilt, 6 + 2 * 3);
    assert_int_equal(npu_fit_score(read, &before, NULL, few, TRUE).n, 6);
    npu_init_from_sheet(&after, sheet);
    npu_fit(read, few, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

static void test_the_npu_file_says_which_values_are_fitted(void **state)
{
    g_autoptr(GArray) sheets = data_sheet_of_a100();
    const Sheet *sheet = data_sheets_find_npu(sheets, "a100");
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = NULL;
    g_autoptr(GArray) read = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    g_autofree char *text = NULL;
    NpuConfig made, npu = { 0 };

    (void)state;
    npu_of_data_sheet(&made, sheet);
    rows = rows_timed_by_model(&made);
    read = npu_rows_new(rows, "a100", "", &error);
    text = npu_yaml_text(read, NULL, sheet, &made, NULL, 0);
    assert_non_null(strstr(text, "memory_latency: 500 ns         # fitted to "
                                 "18 rows of init, read, scale\n"));
    assert_non_null(strstr(text, "launch_overhead: 2.2 us        # assumed"));
    assert_non_null(strstr(text, "#   triad                                  "
                                 "6    0.0    0.0    0.0\n"));
    assert_non_null(
        strstr(text, "  flops: 19.5 TFLOPS           # data sheet"));
    doc = config_doc_parse("npu", text, strlen(text), &error);
    assert_no_error(error);
    assert_true(config_doc_read(doc, npu_fields, &npu, &error));
    assert_int_equal(npu.precisions.fp32.flop_per_s, 19500 * GB);
    assert_int_equal(npu.memory_latency_ps, made.memory_latency_ps);
    assert_int_equal(npu.hbm.write_loss_ppm, made.hbm.write_loss_ppm);
    assert_int_equal(npu.hbm.policy, HBM_SHARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_data_sheet_is_read_in_base_units),
        cmocka_unit_test(test_a_data_sheet_beyond_its_pin_rate_is_refused),
        cmocka_unit_test(test_npu_values_beyond_bounds_are_refused_by_name),
        cmocka_unit_test(test_usual_npu_values_lie_within_their_bounds),
        cmocka_unit_test(test_no_shipped_overhead_is_longer_than_a_row),
        cmocka_unit_test(test_shipped_npus_are_within_their_bounds),
        cmocka_unit_test(test_the_fit_recovers_known_npu_parameters),
        cmocka_unit_test(test_held_out_rows_do_not_change_the_fit),
        cmocka_unit_test(test_the_npu_file_says_which_values_are_fitted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
