/* kernel_study.c - compares NPUs with measurements of their kernels */
#include "validate/kernels/kernel_study.h"

#include <math.h>

#include "validate/kernels/kernel_rows_of_folder.h"
#include "validate/text_table.h"

/* ---- simulation of measured kernels -------------------------------------- */

/* Returns the names of NPUs in the order of their first rows, borrowed from the
 * rows. */
static GPtrArray *npu_names_of_kernel_rows(const GArray *rows)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *npus = g_ptr_array_new();

    for (guint i = 0; i < rows->len; i++)
        if (g_hash_table_add(seen, kernel_rows_at(rows, i)->npu))
            g_ptr_array_add(npus, kernel_rows_at(rows, i)->npu);
    return npus;
}

static char *kernels_file_text(const GArray *rows, const char *npu,
                               const char *path)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    GString *text = g_string_new(NULL);

    g_string_append_printf(text,
                           "# Measured kernels of %s, as acesim times them\n"
                           "npu: %s\nkernels:\n",
                           npu, absolute);
    for (guint i = 0; i < rows->len; i++)
        if (g_str_equal(kernel_rows_at(rows, i)->npu, npu))
            g_string_append_printf(text, "  - %s\n",
                                   kernel_rows_at(rows, i)->yaml);
    return g_string_free(text, FALSE);
}

static gboolean read_kernel_result(const CsvTable *table, guint line,
                                   KernelResult *ret, GError **error)
{
    return simulator_cell_number(table, line, "time_us", &ret->simulated_us,
                                 error) &&
           simulator_cell_number(table, line, "flop", &ret->flop, error) &&
           simulator_cell_number(table, line, "bytes", &ret->bytes, error) &&
           simulator_cell_number(table, line, "in_flight_bytes",
                                 &ret->in_flight_bytes, error);
}

static gboolean add_results_of_npu(KernelStudy *study, const char *npu,
                                   const CsvTable *table, GError **error)
{
    guint n = 0;

    for (guint i = 0; i < study->rows->len; i++) {
        const KernelRow *row = kernel_rows_at(study->rows, i);
        KernelResult result = { .row = i };

        if (!g_str_equal(row->npu, npu))
            continue;
        if (!read_kernel_result(table, n++, &result, error))
            return FALSE;
        result.error_percent = 100 * (result.simulated_us / row->time_us - 1);
        g_array_append_val(study->results, result);
    }
    return TRUE;
}

static void note_npu_without_file(KernelStudy *study, const char *npu)
{
    guint n = 0;

    for (guint i = 0; i < study->rows->len; i++)
        n += g_str_equal(kernel_rows_at(study->rows, i)->npu, npu);
    g_hash_table_insert(study->absent, (gpointer)npu, GUINT_TO_POINTER(n));
}

/* Writes the rows of @npu as a file and times them on the NPU file at
 * @npu_path. */
static CsvTable *time_kernels_of_npu(const KernelStudy *study,
                                     const Simulator *simulator,
                                     const char *name, const char *npu,
                                     const char *npu_path, GError **error)
{
    g_autofree char *base = g_strdup_printf("%s/%s", name, npu);
    g_autofree char *file = g_strdup_printf("%s.yaml", base);
    g_autofree char *path = g_build_filename(simulator->folder, file, NULL);
    g_autofree char *text = kernels_file_text(study->rows, npu, npu_path);

    if (!simulator_write_file(simulator, file, text, error))
        return NULL;
    return simulator_run_kernels(simulator, base, path, error);
}

static gboolean simulate_kernels_of_npu(KernelStudy *study,
                                        const Simulator *simulator,
                                        const char *name, const char *npu,
                                        GError **error)
{
    g_autofree char *npu_path = g_strdup_printf("configs/npus/%s.yaml", npu);
    g_autoptr(CsvTable) table = NULL;

    if (!g_file_test(npu_path, G_FILE_TEST_EXISTS)) {
        note_npu_without_file(study, npu);
        return TRUE;
    }
    table = time_kernels_of_npu(study, simulator, name, npu, npu_path, error);
    return table && add_results_of_npu(study, npu, table, error);
}

gboolean kernel_study_time_left_out(KernelStudy *study,
                                    const Simulator *simulator,
                                    const char *name, const char *npu,
                                    const char *path, GError **error)
{
    g_autoptr(CsvTable) table =
        time_kernels_of_npu(study, simulator, name, npu, path, error);
    guint n = 0;

    for (guint i = 0; table && i < study->results->len; i++)
        if (g_str_equal(kernel_result_row(study, i)->npu, npu) &&
            !simulator_cell_number(
                table, n++, "time_us",
                &g_array_index(study->results, KernelResult, i).left_out_us,
                error))
            return FALSE;
    return table != NULL;
}

KernelStudy *kernel_study_run(const Simulator *simulator, const char *name,
                              const char *folder, GError **error)
{
    g_autoptr(KernelStudy) study = g_new0(KernelStudy, 1);
    g_autoptr(GPtrArray) npus = NULL;

    study->results = g_array_new(FALSE, FALSE, sizeof(KernelResult));
    study->absent = g_hash_table_new(g_str_hash, g_str_equal);
    study->rows = kernel_rows_load_all(folder, error);
    if (!study->rows)
        return NULL;
    npus = npu_names_of_kernel_rows(study->rows);
    for (guint i = 0; i < npus->len; i++)
        if (!simulate_kernels_of_npu(study, simulator, name, npus->pdata[i],
                                     error))
            return NULL;
    return g_steal_pointer(&study);
}

void kernel_study_free(KernelStudy *study)
{
    if (!study)
        return;
    g_clear_pointer(&study->absent, g_hash_table_unref);
    g_clear_pointer(&study->results, g_array_unref);
    g_clear_pointer(&study->rows, g_array_unref);
    g_free(study);
}

static GPtrArray *family_names_of_npu(const KernelStudy *study, const char *npu)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *names = g_ptr_array_new();

    for (guint i = 0; i < study->results->len; i++) {
        const KernelRow *row = kernel_result_row(study, i);
        char *name = npu ? row->family : row->npu;

        if ((!npu || g_str_equal(npu, row->npu)) &&
            g_hash_table_add(seen, name))
            g_ptr_array_add(names, name);
    }
    return names;
}

GPtrArray *kernel_study_npus(const KernelStudy *study)
{
    return family_names_of_npu(study, NULL);
}

GPtrArray *kernel_study_families(const KernelStudy *study, const char *npu)
{
    return family_names_of_npu(study, npu);
}

/* ---- errors of simulated kernel times ------------------------------------ */

static gint compare_by_value(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

KernelScore kernel_study_score(const KernelStudy *study, const char *npu,
                               const char *family, gboolean is_held_out)
{
    g_autoptr(GArray) errors = g_array_new(FALSE, FALSE, sizeof(double));
    KernelScore score = { 0 };
    double sum = 0;

    for (guint i = 0; i < study->results->len; i++) {
        const KernelRow *row = kernel_result_row(study, i);
        double error = fabs(kernel_result_at(study, i)->error_percent);

        if (row->is_held_out != is_held_out || !g_str_equal(row->npu, npu) ||
            (family && !g_str_equal(row->family, family)))
            continue;
        g_array_append_val(errors, error);
        sum += error;
        if (errors->len == 1 || error > score.worst_percent) {
            score.worst_percent = error;
            score.worst_line = row->line;
        }
    }
    score.n = errors->len;
    if (score.n == 0)
        return score;
    g_array_sort(errors, compare_by_value);
    score.mean_percent = sum / score.n;
    score.median_percent = g_array_index(errors, double, score.n / 2);
    return score;
}

static void render_family_line(const KernelStudy *study, TextTable *table,
                               const char *npu, const char *family)
{
    KernelScore held = kernel_study_score(study, npu, family, TRUE);
    KernelScore training = kernel_study_score(study, npu, family, FALSE);

    if (held.n > 0)
        text_table_add_row(table,
                           "%s\t%s\t%u\t%.1f\t%.1f\t%.1f\tline %u\t%u\t%.1f",
                           npu, family, held.n, held.mean_percent,
                           held.median_percent, held.worst_percent,
                           held.worst_line, training.n, training.mean_percent);
    else
        text_table_add_row(table, "%s\t%s\t0\t\t\t\t\t%u\t%.1f", npu, family,
                           training.n, training.mean_percent);
}

static void render_npus_without_file(const KernelStudy *study, GString *out)
{
    g_autoptr(GPtrArray) npus = npu_names_of_kernel_rows(study->rows);
    gboolean is_first = TRUE;

    for (guint i = 0; i < npus->len; i++) {
        gpointer n;

        if (!g_hash_table_lookup_extended(study->absent, npus->pdata[i], NULL,
                                          &n))
            continue;
        g_string_append_printf(
            out, "%s%s (%u rows)",
            is_first ? "  Without a file in configs/npus: " : ", ",
            (const char *)npus->pdata[i], GPOINTER_TO_UINT(n));
        is_first = FALSE;
    }
    if (!is_first)
        g_string_append_c(out, '\n');
}

void kernel_study_render(const KernelStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrlrr");
    g_autoptr(GPtrArray) npus = kernel_study_npus(study);

    text_table_add_row(table,
                       "NPU\tfamily\theld out\tmean %%\tmedian\tworst\tof"
                       "\tfitted to\tmean %%");
    for (guint i = 0; i < npus->len; i++) {
        g_autoptr(GPtrArray) families =
            kernel_study_families(study, npus->pdata[i]);

        for (guint j = 0; j < families->len; j++)
            render_family_line(study, table, npus->pdata[i],
                               families->pdata[j]);
    }
    text_table_render(table, out);
    render_npus_without_file(study, out);
}

char *kernel_study_csv(const KernelStudy *study)
{
    GString *out =
        g_string_new("npu,family,part,source,kernel,measured_us,simulated_us,"
                     "error_percent\n");

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);
        const KernelRow *row = kernel_result_row(study, i);

        csv_add_text(out, row->npu);
        csv_add_text(out, row->family);
        csv_add_text(out, row->is_held_out ? "held-out" : "training");
        csv_add_text(out, row->source);
        csv_add_text(out, row->yaml);
        g_string_append_printf(out, "%.6g,%.6g,%.3f,", row->time_us,
                               result->simulated_us, result->error_percent);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
