/*
 * fit_all_npus.c - `make fit`: writes configs/npus/NAME.yaml of each GPU that
 * has a data sheet, from measured kernels
 *
 * The measurements are published ones or those of
 * validate/gpu. */
#include "validate/fit/fit_all_npus.h"

#include <stdarg.h>

#include "validate/fit/npu_yaml.h"
#include "validate/kernels/kernel_rows_of_folder.h"

#define ROWS   "validate/data"
#define SHEETS "validate/data/gpus.csv"

/* ---- checks of measured rows against data sheets ------------------------- */

static gboolean set_kernel_row_error(const KernelRow *row, GError **error,
                                     const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean set_kernel_row_error(const KernelRow *row, GError **error,
                                     const char *format, ...)
{
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, NPU_FIT_ERROR, NPU_FIT_ERROR_ROWS, "%s/%s:%u: %s", ROWS,
                row->source, row->line, why);
    return FALSE;
}

/* Checks that each GPU with own measurements has a data sheet.  @npu limits the
 * check to one NPU if it is not NULL. */
static gboolean check_measured_on_this_gpu(const GArray *all,
                                           const GArray *sheets,
                                           const char *npu, GError **error)
{
    for (guint i = 0; i < all->len; i++) {
        const KernelRow *row = kernel_rows_at(all, i);

        if (row->is_own && (!npu || g_str_equal(npu, row->npu)) &&
            !data_sheets_find_npu(sheets, row->npu))
            return set_kernel_row_error(
                row, error,
                "%s has no line whose npu is %s: add one, with its "
                "SMs, clock, memory and peaks as its data sheet has "
                "them",
                SHEETS, row->npu);
    }
    return TRUE;
}

static gboolean check_sm_counts(const GArray *rows, const Sheet *sheet,
                                GError **error)
{
    for (guint i = 0; i < rows->len; i++) {
        const NpuRow *one = &g_array_index(rows, NpuRow, i);

        if (one->row->is_own && one->n_sms > sheet->n_sms)
            return set_kernel_row_error(
                one->row, error,
                "n_sms is %" G_GUINT64_FORMAT ", and %s has %" G_GUINT64_FORMAT
                " for %s",
                one->n_sms, SHEETS, sheet->n_sms, sheet->npu);
    }
    return TRUE;
}

/* ---- fit of one NPU ------------------------------------------------------ */

/* Ranges of trial fits.  256, 512 or 1024 threads of an SM with 8 B each, as a
 * part of the 1 GiB of an array and rounded up. */
static const struct {
    const char *words;
    double most_in_flight_ppm;
} trials[] = {
    { "above 256 threads, fitted below", 1.91 },
    { "above 512 threads, fitted below", 3.82 },
    { "above 1024 threads, fitted below", 7.64 },
};

static guint run_fit_trials(const GArray *rows, const Sheet *sheet,
                            NpuTrial *ret)
{
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(trials); i++) {
        NpuTrial trial = { .words = trials[i].words,
                           .range = { trials[i].most_in_flight_ppm } };

        npu_init_from_sheet(&trial.npu, sheet);
        if (npu_fit_score(rows, &trial.npu, NULL, trial.range, TRUE).n == 0)
            continue;
        npu_fit(rows, trial.range, &trial.npu);
        ret[n++] = trial;
    }
    return n;
}

/* Sets the keys of products that @own rows have no stage for, by a fit to the
 * rows of the NPU products_like of @sheet.  Returns these rows.  Returns NULL
 * if @sheet names no such NPU, or with @error set if it does not exist. */
static GArray *copy_rows_of_products(const GArray *all, const GArray *own,
                                     const GArray *sheets, const Sheet *sheet,
                                     NpuConfig *npu, GError **error)
{
    const NpuRange whole = { 0 };
    const Sheet *like = data_sheets_find_npu(sheets, sheet->products_like);
    g_autoptr(GArray) rows = NULL;
    NpuConfig other;
    guint n_rows;

    if (!*sheet->products_like)
        return NULL;
    if (!like) {
        g_set_error(error, NPU_FIT_ERROR, NPU_FIT_ERROR_ROWS,
                    "%s: products_like: no NPU called '%s'", SHEETS,
                    sheet->products_like);
        return NULL;
    }
    rows = npu_rows_new(all, like->npu, like->like, error);
    if (!rows)
        return NULL;
    npu_init_from_sheet(&other, like);
    npu_fit(rows, whole, &other);
    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++)
            if (npu_field_belongs_to_matrix_products(param->key) &&
                !npu_fit_stage_of_key(own, param->key, &n_rows))
                set_npu_field_at_path(
                    npu, param->key, get_npu_field_at_path(&other, param->key));
    return g_steal_pointer(&rows);
}

static gboolean fit_npu_of_sheet(const GArray *all, const GArray *sheets,
                                 const Sheet *sheet, const char *folder,
                                 GString *out, GError **error)
{
    const NpuRange whole = { 0 };
    NpuTrial trial_fits[G_N_ELEMENTS(trials)];
    NpuConfig npu;
    g_autoptr(GArray) rows = npu_rows_new(all, sheet->npu, sheet->like, error);
    g_autoptr(GArray) like_rows = NULL;
    g_autofree char *text = NULL, *path = NULL;
    g_autoptr(GError) wrong = NULL;
    NpuScore score;
    guint n_done;

    if (!rows || !check_sm_counts(rows, sheet, error))
        return FALSE;
    if (rows->len == 0) {
        g_string_append_printf(out, "%s: nothing measured\n", sheet->npu);
        return TRUE;
    }
    npu_init_from_sheet(&npu, sheet);
    npu_fit(rows, whole, &npu);
    like_rows = copy_rows_of_products(all, rows, sheets, sheet, &npu, &wrong);
    if (wrong) {
        g_propagate_error(error, g_steal_pointer(&wrong));
        return FALSE;
    }
    if (!npu_check_bounds(&npu, sheet, error))
        return FALSE;
    n_done = run_fit_trials(rows, sheet, trial_fits);
    text = npu_yaml_text(rows, like_rows, sheet, &npu, trial_fits, n_done);
    path = g_strdup_printf("%s/%s.yaml", folder, sheet->npu);
    score = npu_fit_score(rows, &npu, NULL, whole, TRUE);
    g_string_append_printf(out,
                           "%s: %u rows held out, %.1f %% off in the mean, "
                           "%.1f %% at worst\n",
                           path, score.n, score.mean_percent,
                           score.worst_percent);
    return g_file_set_contents(path, text, -1, error);
}

char *fit_warnings(GError **error)
{
    return kernel_rows_warnings(ROWS, error);
}

gboolean fit_npus(const char *npu, const char *folder, GString *out,
                  GError **error)
{
    g_autoptr(GArray) sheets = data_sheets_load(SHEETS, error);
    g_autoptr(GArray) rows = sheets ? kernel_rows_load_all(ROWS, error) : NULL;
    gboolean found = FALSE;

    if (!rows || !check_measured_on_this_gpu(rows, sheets, npu, error))
        return FALSE;
    for (guint i = 0; i < sheets->len; i++) {
        const Sheet *sheet = &g_array_index(sheets, Sheet, i);

        if (npu && !g_str_equal(npu, sheet->npu))
            continue;
        found = TRUE;
        if (!fit_npu_of_sheet(rows, sheets, sheet, folder, out, error))
            return FALSE;
    }
    if (!found)
        g_set_error(error, NPU_FIT_ERROR, NPU_FIT_ERROR_ROWS,
                    "%s has no NPU called '%s'", SHEETS, npu);
    return found;
}
