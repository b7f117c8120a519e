/* image_study.c - images/s of whole networks on one GPU: published and
 * simulated */
#include "validate/kernels/image_study.h"

#include <math.h>

#include "validate/deviation.h"
#include "validate/text_table.h"

#define WANTED_PERCENT 20.0
#define US_PER_S       1e6

static const char *const what_names[IMAGE_N_KINDS + 1] = { "pair", "other",
                                                           "at-least", NULL };

static ImageRow *image_rate_row_at(const ImageStudy *study, guint i)
{
    return &g_array_index(study->rows, ImageRow, i);
}

/* ---- reading of published images/s --------------------------------------- */

static gboolean read_image_row_kind(const CsvTable *table, guint row,
                                    ImageRowKind *ret, GError **error)
{
    const char *text = simulator_cell_text(table, row, "what", error);

    if (!text)
        return FALSE;
    for (guint i = 0; i < IMAGE_N_KINDS; i++) {
        if (!g_str_equal(text, what_names[i]))
            continue;
        *ret = (ImageRowKind)i;
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "images, row %u: what: '%s' is not pair, other or at-least",
                row + 1, text);
    return FALSE;
}

static gboolean read_image_row(const CsvTable *table, guint row, ImageRow *ret,
                               GError **error)
{
    const struct {
        const char *column, **text;
    } texts[] = {
        { "npu", &ret->npu },           { "model", &ret->model },
        { "workload", &ret->workload }, { "precision", &ret->precision },
        { "source", &ret->source },
    };

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        *texts[i].text =
            simulator_cell_text(table, row, texts[i].column, error);
        if (!*texts[i].text)
            return FALSE;
    }
    if (!read_image_row_kind(table, row, &ret->kind, error) ||
        !simulator_cell_number(table, row, "batch", &ret->batch, error) ||
        !simulator_cell_number(table, row, "images_per_s", &ret->measured_per_s,
                               error))
        return FALSE;
    if (ret->batch >= 1 && ret->measured_per_s > 0)
        return TRUE;
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "images, row %u: batch and images_per_s are above 0", row + 1);
    return FALSE;
}

ImageStudy *image_study_new(CsvTable *table, GError **error)
{
    g_autoptr(ImageStudy) study = g_new0(ImageStudy, 1);

    study->table = table;
    study->rows = g_array_new(FALSE, TRUE, sizeof(ImageRow));
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        ImageRow row = { 0 };

        if (!read_image_row(table, i, &row, error))
            return NULL;
        g_array_append_val(study->rows, row);
    }
    return g_steal_pointer(&study);
}

void image_study_free(ImageStudy *study)
{
    csv_table_free(study->table);
    g_array_unref(study->rows);
    g_free(study);
}

/* ---- simulation of networks on one GPU ----------------------------------- */

static gboolean run_image_row(const Simulator *simulator, const char *name,
                              ImageRow *row, const char *npu_path,
                              GError **error)
{
    g_autofree char *file =
        g_strdup_printf("%s/%s-%s-%g-%s", name, row->npu, row->workload,
                        row->batch, row->precision);
    g_autofree char *platform = g_strdup_printf(
        "platform={name: one, npu: %s, topology: {kind: switch, npus: 1, "
        "bandwidth: 1 GB/s, latency: 0 ns}}",
        npu_path);
    g_autofree char *workload =
        g_strdup_printf("workload=configs/workloads/%s.yaml", row->workload);
    g_autofree char *batch = g_strdup_printf("workload.batch=%g", row->batch);
    /* The rows fitted, since libraries compute activations in place, which
     * the estimate of memory does not know (memory_check.h). */
    g_autofree char *training = g_strdup_printf(
        "training={memory: ignored, iterations: 1, compute: roofline, optimiser: sgd, "
        "fused: false, precision: %s, gradient: %s}",
        row->precision, row->precision);
    const char *const arguments[] = {
        "--set", platform,
        "--set", "endpoint={kind: ideal, name: ideal}",
        "--set", workload,
        "--set", batch,
        "--set", "workload.first_input_gradient=false",
        "--set", training,
        NULL,
    };
    g_autoptr(CsvTable) table = simulator_run(
        simulator, file, "configs/runs/isca21.yaml", arguments, error);
    double iteration_us;

    if (!table || !simulator_cell_number(table, 0, "iteration_time_us",
                                         &iteration_us, error))
        return FALSE;
    row->simulated_per_s = row->batch * US_PER_S / iteration_us;
    return TRUE;
}

ImageStudy *image_study_run(const Simulator *simulator, const char *name,
                            const char *npus, GError **error)
{
    CsvTable *table = csv_table_load(IMAGE_STUDY_FILE, error);
    g_autoptr(ImageStudy) study = table ? image_study_new(table, error) : NULL;

    for (guint i = 0; study && i < study->rows->len; i++) {
        ImageRow *row = image_rate_row_at(study, i);
        g_autofree char *file = g_strdup_printf("%s/%s.yaml", npus, row->npu);
        g_autofree char *path = g_canonicalize_filename(file, NULL);

        if (g_file_test(path, G_FILE_TEST_EXISTS) &&
            !run_image_row(simulator, name, row, path, error))
            return NULL;
    }
    return g_steal_pointer(&study);
}

/* ---- errors and output of the image study -------------------------------- */

static double rate_error_percent(const ImageRow *row)
{
    return compare_deviation_percent(row->simulated_per_s, row->measured_per_s);
}

guint image_study_count_within(const ImageStudy *study, double percent,
                               guint *ret_n_pairs)
{
    guint n = 0;

    *ret_n_pairs = 0;
    for (guint i = 0; i < study->rows->len; i++) {
        const ImageRow *row = image_rate_row_at(study, i);

        if (row->kind != IMAGE_PAIR || row->simulated_per_s <= 0)
            continue;
        ++*ret_n_pairs;
        n += fabs(rate_error_percent(row)) <= percent;
    }
    return n;
}

static char *rate_error_text(const ImageRow *row)
{
    if (row->simulated_per_s <= 0)
        return g_strdup("no file");
    if (row->kind == IMAGE_AT_LEAST)
        return g_strdup(row->simulated_per_s >= row->measured_per_s
                            ? "as it must"
                            : "TOO SLOW");
    return g_strdup_printf("%+.1f %%", rate_error_percent(row));
}

void image_study_render(const ImageStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lllrrrr");
    guint n_pairs;
    guint n = image_study_count_within(study, WANTED_PERCENT, &n_pairs);

    text_table_add_row(table, "what\tNPU\tnetwork\tbatch\tpublished, images/s\t"
                              "simulated\terror");
    for (guint i = 0; i < study->rows->len; i++) {
        const ImageRow *row = image_rate_row_at(study, i);
        g_autofree char *error = rate_error_text(row);
        g_autofree char *simulated =
            row->simulated_per_s > 0
                ? g_strdup_printf("%.1f", row->simulated_per_s)
                : g_strdup("-");

        text_table_add_row(table, "%s\t%s, %s\t%s [%s]\t%g\t%s%.1f\t%s\t%s",
                           what_names[row->kind], row->npu, row->precision,
                           row->model, row->source, row->batch,
                           row->kind == IMAGE_AT_LEAST ? ">= " : "",
                           row->measured_per_s, simulated, error);
    }
    text_table_render(table, out);
    g_string_append_printf(
        out, "  within %g %%: %u of %u pairs of network and GPU\n",
        WANTED_PERCENT, n, n_pairs);
}

char *image_study_csv(const ImageStudy *study)
{
    GString *out = g_string_new("what,npu,precision,model,batch,source,"
                                "measured_images_per_s,simulated_images_per_s,"
                                "error_percent\n");

    for (guint i = 0; i < study->rows->len; i++) {
        const ImageRow *row = image_rate_row_at(study, i);

        csv_add_text(out, what_names[row->kind]);
        csv_add_text(out, row->npu);
        csv_add_text(out, row->precision);
        csv_add_text(out, row->model);
        g_string_append_printf(out, "%g,", row->batch);
        csv_add_text(out, row->source);
        g_string_append_printf(out, "%.3f,", row->measured_per_s);
        if (row->simulated_per_s > 0)
            g_string_append_printf(out, "%.3f,%.2f,", row->simulated_per_s,
                                   rate_error_percent(row));
        else
            g_string_append(out, ",,");
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
