/* kernel_families.c - rows of kernels, alone and beside others, and of whole
 * networks on one GPU */
#include <math.h>
#include <string.h>

#include "validate/accuracy/families.h"
#include "validate/kernels/contention_study.h"
#include "validate/kernels/overlap_study.h"

/* ---- data sheets --------------------------------------------------------- */

/* The peaks of an NPU in validate/data/gpus.csv. */
typedef struct {
    double fp32_flop_per_us, fp16_flop_per_us, bytes_per_us;
} NpuPeaks;

#define FLOP_PER_US_PER_TFLOPS    1e6
#define BYTES_PER_US_PER_GB_PER_S 1e3

static gboolean read_peaks_of_line(const CsvTable *gpus, guint i, NpuPeaks *ret,
                                   GError **error)
{
    if (!simulator_cell_number(gpus, i, "fp32_tflops", &ret->fp32_flop_per_us,
                               error) ||
        !simulator_cell_number(gpus, i, "fp16_tflops", &ret->fp16_flop_per_us,
                               error) ||
        !simulator_cell_number(gpus, i, "memory_gb_per_s", &ret->bytes_per_us,
                               error))
        return FALSE;
    ret->fp32_flop_per_us *= FLOP_PER_US_PER_TFLOPS;
    ret->fp16_flop_per_us *= FLOP_PER_US_PER_TFLOPS;
    ret->bytes_per_us *= BYTES_PER_US_PER_GB_PER_S;
    return TRUE;
}

static gboolean read_peaks_of_npu(const CsvTable *gpus, const char *npu,
                                  NpuPeaks *ret, GError **error)
{
    for (guint i = 0; i < csv_table_n_rows(gpus); i++) {
        const char *name = simulator_cell_text(gpus, i, "npu", error);

        if (!name)
            return FALSE;
        if (g_str_equal(name, npu))
            return read_peaks_of_line(gpus, i, ret, error);
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "gpus.csv has no line whose npu is %s", npu);
    return FALSE;
}

/* ---- kernels ------------------------------------------------------------- */

/* Returns whether @family is one of @families, which are separated by "|".  A
 * name that ends with "*" is a prefix. */
static gboolean family_list_contains(const char *families, const char *family)
{
    g_auto(GStrv) names = g_strsplit(families, "|", -1);

    for (guint i = 0; names[i]; i++) {
        gsize n = strlen(names[i]);

        if (g_str_equal(names[i], family) ||
            (g_str_has_suffix(names[i], "*") &&
             strncmp(names[i], family, n - 1) == 0))
            return TRUE;
    }
    return FALSE;
}

static gboolean precision_has_16_bits(const KernelRow *row)
{
    return strstr(row->yaml, "precision: fp16") ||
           strstr(row->yaml, "precision: bf16");
}

/* Returns the time of the roofline of the data sheet in us. */
static double roofline_us(const KernelRow *row, const KernelResult *result,
                          const NpuPeaks *peaks)
{
    double flop_per_us = precision_has_16_bits(row) ? peaks->fp16_flop_per_us
                                                    : peaks->fp32_flop_per_us;

    return MAX(result->flop / flop_per_us, result->bytes / peaks->bytes_per_us);
}

/* Streams are compared by the time that their bytes in flight cover, others by
 * their FLOP. */
static double size_of_kernel_for_comparison(const KernelResult *result,
                                            const NpuPeaks *peaks,
                                            gboolean is_stream)
{
    double value = is_stream ? result->in_flight_bytes / peaks->bytes_per_us
                             : result->flop;

    return value > 0 ? log2(value) : 0;
}

static JudgeRow judge_row_of_kernel(const KernelRow *row,
                                    const KernelResult *result,
                                    const NpuPeaks *peaks, const char *chip,
                                    const KernelDetail *detail)
{
    gboolean is_stream = strstr(row->yaml, "kind: stream") != NULL;

    return (JudgeRow){
        .system = g_intern_string(chip),
        .kind = g_intern_string(is_stream && !detail->is_constant ? row->family
                                                                  : row->yaml),
        .wide_kind =
            g_intern_string(precision_has_16_bits(row) ? "16 bits" : "32 bits"),
        .x = detail->is_constant
                 ? log2(result->bytes)
                 : size_of_kernel_for_comparison(result, peaks, is_stream),
        .measured = row->time_us,
        .simulated = result->simulated_us,
        .left_out_value = result->left_out_us,
        .basis = detail->is_constant ? 1 : roofline_us(row, result, peaks),
        .is_fitted_to = !row->is_held_out,
    };
}

gboolean add_kernel_rows(const MeasuredStudies *studies,
                         const AccuracyFamily *family, GArray *rows,
                         GError **error)
{
    const KernelDetail *detail = family->detail;
    const KernelStudy *study = studies->kernels;

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);
        const KernelRow *row = kernel_rows_at(study->rows, result->row);
        const char *chip = npu_files_chip_of_npu(studies->npu_files, row->npu);
        NpuPeaks peaks;
        JudgeRow ret;

        if (!family_list_contains(detail->families, row->family))
            continue;
        if (!read_peaks_of_npu(studies->gpus, row->npu, &peaks, error))
            return FALSE;
        ret = judge_row_of_kernel(row, result, &peaks, chip, detail);
        g_array_append_val(rows, ret);
    }
    return TRUE;
}

/* ---- whole networks on one GPU ------------------------------------------- */

/* A multiply-add is two FLOP, and both gradients cost as much as the forward
 * pass each. */
#define FLOP_PER_MULTIPLY_ADD 6

gboolean add_image_rows(const MeasuredStudies *studies,
                        const AccuracyFamily *family, GArray *rows,
                        GError **error)
{
    (void)family;
    for (guint i = 0; i < studies->images->rows->len; i++) {
        const ImageRow *row =
            &g_array_index(studies->images->rows, ImageRow, i);
        const ImageRow *left_out =
            &g_array_index(studies->images_left_out->rows, ImageRow, i);
        g_autofree char *system =
            g_strdup_printf("%s on %s", row->model, row->npu);
        g_autofree char *kind =
            g_strdup_printf("%s, %s", row->model, row->precision);
        double multiply_adds, flop_per_us;
        NpuPeaks peaks;
        JudgeRow ret;

        if (row->kind == IMAGE_AT_LEAST || row->simulated_per_s <= 0)
            continue;
        if (!read_peaks_of_npu(studies->gpus, row->npu, &peaks, error) ||
            !simulator_cell_number(studies->images->table, i, "multiply_adds",
                                   &multiply_adds, error))
            return FALSE;
        flop_per_us = g_str_equal(row->precision, "fp32")
                          ? peaks.fp32_flop_per_us
                          : peaks.fp16_flop_per_us;
        ret = (JudgeRow){
            .system = g_intern_string(system),
            .kind = g_intern_string(kind),
            .wide_kind = g_intern_string(row->precision),
            .measured = G_USEC_PER_SEC / row->measured_per_s,
            .simulated = G_USEC_PER_SEC / row->simulated_per_s,
            .left_out_value = G_USEC_PER_SEC / left_out->simulated_per_s,
            .basis = FLOP_PER_MULTIPLY_ADD * multiply_adds / flop_per_us,
        };
        g_array_append_val(rows, ret);
    }
    return TRUE;
}

/* ---- kernels beside communication and beside each other ------------------ */

/* The rule for a gain in percent of the ideal one, and for a slowdown. */
#define WHOLE_GAIN  100.0
#define NO_SLOWDOWN 1.0

gboolean add_contention_rows(const MeasuredStudies *studies,
                             const AccuracyFamily *family, GArray *rows,
                             GError **error)
{
    const ContentionDetail *detail = family->detail;

    (void)error;
    for (guint i = 0; i < studies->contention->len; i++) {
        const ContentionResult *result =
            contention_result_at(studies->contention, i);
        const char *system =
            detail->kernels_are_systems ? result->row.name : result->row.group;
        JudgeRow row = {
            .system = g_intern_string(system),
            .kind = g_intern_string(""),
            .wide_kind = g_intern_string(""),
            .measured = result->row.published,
            .simulated = result->simulated,
            .basis = result->row.is_gain ? WHOLE_GAIN : NO_SLOWDOWN,
        };

        if (g_str_equal(result->row.group, detail->group) ==
            detail->kernels_are_systems)
            g_array_append_val(rows, row);
    }
    return TRUE;
}

static void add_overlap_pairs_of_file(const OverlapFile *file,
                                      gboolean is_partner, GArray *rows)
{
    for (guint i = 0; i < file->pairs->len; i++) {
        const OverlapPair *pair = overlap_pair_at(file->pairs, i);
        const OverlapPair *left_out = overlap_pair_at(file->left_out, i);
        g_autofree char *kind =
            g_strdup_printf("%s beside %s", pair->kernel, pair->partner);
        g_autofree char *system = g_strdup_printf("%s, %s", file->npu, kind);
        JudgeRow row = {
            .system = g_intern_string(system),
            .kind = g_intern_string(kind),
            .wide_kind = g_intern_string(pair->partner),
            .x = log2(1.0 + (double)pair->n_partner_sms),
            .measured = is_partner ? pair->partner_measured : pair->measured,
            .simulated = is_partner ? pair->partner_simulated : pair->simulated,
            .left_out_value =
                is_partner ? left_out->partner_simulated : left_out->simulated,
            .basis = NO_SLOWDOWN,
        };

        g_array_append_val(rows, row);
    }
}

gboolean add_overlap_rows(const MeasuredStudies *studies,
                          const AccuracyFamily *family, GArray *rows,
                          GError **error)
{
    const gboolean *is_partner = family->detail;

    (void)error;
    for (guint i = 0; i < studies->overlaps->len; i++)
        add_overlap_pairs_of_file(
            &g_array_index(studies->overlaps, OverlapFile, i), *is_partner,
            rows);
    return TRUE;
}
