/* npu_yaml.c - writes a fitted NPU as configs/npus/NAME.yaml */
#include "validate/fit/npu_yaml.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/quantity.h"

/* Column where comments begin. */
#define COMMENT_COLUMN 30
/* A value that is closer to an end of its range than this part of its width
 * counts as being at that end. */
#define AT_BOUND 0.002

/* ---- comments at the head of an NPU file --------------------------------- */

static void append_score_comment(GString *out, const char *what, NpuScore score)
{
    if (score.n > 0)
        g_string_append_printf(out, "#   %-34s %5u  %5.1f  %5.1f  %5.1f\n",
                               what, score.n, score.mean_percent,
                               score.median_percent, score.worst_percent);
}

static void append_family_scores(GString *out, const GArray *rows,
                                 const NpuConfig *npu, gboolean is_held_out)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    const NpuRange all = { 0 };

    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = g_array_index(rows, NpuRow, i).row;

        if (row->is_held_out == is_held_out &&
            g_hash_table_add(seen, row->family))
            append_score_comment(
                out, row->family,
                npu_fit_score(rows, npu, row->family, all, is_held_out));
    }
}

/* Returns the keys of SOURCES.md and the own files that @rows come from, each
 * once; with @only_own, the own files alone. */
static char *measurement_sources_text(const GArray *rows, gboolean only_own)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = g_array_index(rows, NpuRow, i).row;
        char *source = row->source;

        if ((row->is_own || !only_own) && g_hash_table_add(seen, source))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   source);
    }
    return g_string_free(out, FALSE);
}

static void append_head_comment(GString *out, const GArray *rows,
                                const Sheet *sheet, const NpuConfig *npu,
                                const NpuTrial *trials, guint n_trials)
{
    g_autofree char *sources = measurement_sources_text(rows, FALSE);
    g_autofree char *own = measurement_sources_text(rows, TRUE);

    g_string_append_printf(
        out,
        "# %s.  Written by `make fit` from what others %s (%s);\n"
        "# %s was measured here.  Errors of time of acesim on this file, "
        "in percent:\n"
        "#   held out                            rows   mean median  worst\n",
        sheet->gpu, *own ? "or we measured" : "published", sources,
        *own ? own : "nothing");
    append_family_scores(out, rows, npu, TRUE);
    for (guint i = 0; i < n_trials; i++)
        append_score_comment(
            out, trials[i].words,
            npu_fit_score(rows, &trials[i].npu, NULL, trials[i].range, TRUE));
    g_string_append(out, "#   fitted to\n");
    append_family_scores(out, rows, npu, FALSE);
    g_string_append(
        out, *own ? "# No key is fitted to: L2; kernels side by side.\n"
                  : "# Never measured: bandwidth by number of SMs, so that "
                    "sm_bandwidth and what is in\n# flight are of streams by "
                    "occupancy; L2; kernels side by side.\n");
}

/* ---- values of an NPU file ----------------------------------------------- */

static void append_value_line(GString *out, const char *indent, const char *key,
                              uint64_t value, ConfigType type,
                              const char *comment)
{
    g_autofree char *text = quantity_format(value, type);
    gsize start = out->len;

    g_string_append_printf(out, "%s%s: %s", indent, key, text);
    while (out->len - start < COMMENT_COLUMN)
        g_string_append_c(out, ' ');
    g_string_append_printf(out, " # %s\n", comment);
}

/* Returns the text of the end of the range that @value is at, or NULL if it is
 * at none. */
static const char *reached_bound_text(const NpuParam *param, uint64_t value)
{
    double near = AT_BOUND * (param->high - param->low);

    return (double)value <= param->low + near    ? param->low_text
           : (double)value >= param->high - near ? param->high_text
                                                 : NULL;
}

static gboolean family_has_training_rows(const GArray *rows, const char *family)
{
    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = g_array_index(rows, NpuRow, i).row;

        if (!row->is_held_out && g_str_equal(row->family, family))
            return TRUE;
    }
    return FALSE;
}

/* Returns the kernel families of @stage that have training rows. */
static char *families_of_stage_text(const GArray *rows, const NpuStage *stage)
{
    GString *out = g_string_new(NULL);

    for (const char *const *family = stage->families; *family; family++)
        if (family_has_training_rows(rows, *family))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   *family);
    return g_string_free(out, FALSE);
}

/* The NPU to write, and the rows and the data sheet that it was fitted to. */
typedef struct {
    const GArray *rows, *like_rows; /* The member .like_rows may be NULL. */
    const Sheet *sheet;
    const NpuConfig *npu;
} Source;

/* Returns the comment that says how the value was found. */
static char *provenance_comment(const Source *source, const NpuParam *param,
                                uint64_t value)
{
    guint n_rows;
    const NpuStage *stage =
        npu_fit_stage_of_key(source->rows, param->key, &n_rows);
    const NpuStage *like_stage =
        !stage && source->like_rows &&
                npu_field_belongs_to_matrix_products(param->key)
            ? npu_fit_stage_of_key(source->like_rows, param->key, &n_rows)
            : NULL;
    g_autofree char *families =
        stage ? families_of_stage_text(source->rows, stage) : NULL;
    const char *bound = reached_bound_text(param, value);

    if (like_stage)
        return g_strdup_printf("assumed: as %s, fitted to %u rows",
                               source->sheet->products_like, n_rows);
    if (!stage)
        return g_strdup("assumed: usual, nothing published was fitted to");
    if (!npu_fit_rows_depend_on(source->rows, stage, source->npu, param))
        return g_strdup_printf("assumed: usual, no row of %s shows it",
                               families);
    return g_strdup_printf("fitted to %u rows of %s%s%s", n_rows, families,
                           bound ? "; at its bound: " : "", bound ? bound : "");
}

/* Returns whether @key is directly in the section at @path, such as "hbm." or
 * "fp32.convolution.".  The path "" is the top level. */
static gboolean key_is_directly_in_section(const char *key, const char *path)
{
    return g_str_has_prefix(key, path) && !strchr(key + strlen(path), '.');
}

static void append_fitted_values(GString *out, const Source *source,
                                 const char *path, const char *indent)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);

    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++) {
            uint64_t value = get_npu_field_at_path(source->npu, param->key);
            g_autofree char *comment = provenance_comment(source, param, value);
            size_t offset;
            const ConfigField *field = npu_field_at_path(param->key, &offset);

            if (key_is_directly_in_section(param->key, path) &&
                !npu_param_is_default(param, source->npu) &&
                g_hash_table_add(done, (gpointer)param->key))
                append_value_line(out, indent, field->key, value, field->type,
                                  comment);
        }
}

static void append_assumed_value(GString *out, const NpuConfig *npu,
                                 const char *path, const char *key,
                                 const char *indent)
{
    g_autofree char *full = g_strconcat(path, key, NULL);
    size_t offset;
    const ConfigField *field = npu_field_at_path(full, &offset);

    append_value_line(out, indent, field->key, get_npu_field_at_path(npu, full),
                      field->type, "assumed: libraries' names of kernels");
}

/* Writes the section of one precision. */
static void append_precision_section(GString *out, const Source *source,
                                     const char *precision)
{
    const NpuConfig *npu = source->npu;
    g_autofree char *path = g_strconcat(precision, ".", NULL);
    g_autofree char *flops = g_strconcat(path, "flops", NULL);
    g_autofree char *convolution = g_strconcat(path, "convolution.", NULL);
    g_autofree char *recurrent = g_strconcat(path, "recurrent.", NULL);
    gboolean has_granules = npu_sheet_has_tensor_cores(source->sheet) &&
                            g_str_equal(precision, "fp16");

    g_string_append_printf(out, "%s:\n", precision);
    append_value_line(out, "  ", "flops", get_npu_field_at_path(npu, flops),
                      CONFIG_FLOPS, "data sheet");
    append_fitted_values(out, source, path, "  ");
    if (has_granules) {
        append_assumed_value(out, npu, path, "granule", "  ");
        append_assumed_value(out, npu, path, "least_tile", "  ");
    }
    if (has_granules && source->sheet->operands_overlap)
        g_string_append(out, "  operand_overlap: true        # derived: "
                             "gpus.csv, README.md beside it\n");
    g_string_append(out, "  convolution:\n");
    if (has_granules)
        append_assumed_value(out, npu, convolution, "weight_tile", "    ");
    else if (g_str_equal(precision, "fp16"))
        append_assumed_value(out, npu, convolution, "winograd", "    ");
    append_fitted_values(out, source, convolution, "    ");
    g_string_append(out, "  recurrent:\n");
    append_fitted_values(out, source, recurrent, "    ");
}

static gboolean append_language_of(GString *out, const char *npu)
{
    g_autofree char *file = g_strdup_printf("language/%s.yaml", npu);
    g_autofree char *path = g_strconcat("configs/npus/", file, NULL);

    if (*npu == '\0' || !g_file_test(path, G_FILE_TEST_EXISTS))
        return FALSE;
    g_string_append_printf(out, "language: %s\n", file);
    return TRUE;
}

/* Names the file of the speeds of training steps on the NPU
 * (training_step_fit.h), or on one of the same chip, if there is one. */
static void append_language_line(GString *out, const Sheet *sheet)
{
    if (!append_language_of(out, sheet->npu))
        append_language_of(out, sheet->products_like);
}

char *npu_yaml_text(const GArray *rows, const GArray *like_rows,
                    const Sheet *sheet, const NpuConfig *npu,
                    const NpuTrial *trials, guint n_trials)
{
    const Source source = { rows, like_rows, sheet, npu };
    g_autofree char *own = measurement_sources_text(rows, TRUE);
    GString *out = g_string_new(NULL);

    append_head_comment(out, rows, sheet, npu, trials, n_trials);
    g_string_append_printf(out, "# Data sheet: %s\n", sheet->source);
    if (*sheet->like)
        g_string_append_printf(
            out, "# Its memory is that of %s, whose rows count here, too.\n",
            sheet->like);
    append_value_line(out, "", "sms", npu->n_sms, CONFIG_COUNT, "data sheet");
    append_value_line(out, "", "clock", npu->clock_hz, CONFIG_FREQUENCY,
                      "data sheet");
    append_value_line(out, "", "flops", npu->flop_per_s, CONFIG_FLOPS,
                      "data sheet, FP16");
    append_fitted_values(out, &source, "", "");
    append_value_line(out, "", "operand_bandwidth",
                      npu->operand_bytes_per_cycle, CONFIG_COUNT,
                      "derived: gpus.csv, README.md beside it");
    append_value_line(
        out, "", "lone_tile", npu->waves.lone_tile_ppm, CONFIG_FRACTION,
        "derived: two on an SM are 1.70 times one, NVFORUM337991");
    append_precision_section(out, &source, "fp32");
    append_precision_section(out, &source, "fp16");
    append_language_line(out, sheet);
    g_string_append(out, "hbm:\n");
    append_value_line(out, "  ", "bandwidth", npu->hbm.bandwidth_bytes_per_s,
                      CONFIG_BANDWIDTH, "data sheet");
    append_value_line(out, "  ", "capacity", npu->hbm.capacity_bytes,
                      CONFIG_BYTES, "data sheet: its GB are GiB");
    append_fitted_values(out, &source, "hbm.", "  ");
    g_string_append(
        out,
        "  policy: shared              # kernels on a GPU share what there "
        "is\n");
    if (*own)
        g_string_append(out, "  share_by: sms               # measured: "
                             "docs/measured.md\n");
    return g_string_free(out, FALSE);
}
