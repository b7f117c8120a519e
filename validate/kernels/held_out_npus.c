/* held_out_npus.c - times kernels on NPUs without what was fitted to their
 * chip */
#include "validate/kernels/held_out_npus.h"

#include <string.h>

#define FITTED "# fitted to"
#define INDENT 2 /* spaces for each section of an NPU file */

/* ---- reading of NPU files ------------------------------------------------ */

static void clear_npu_file(gpointer data)
{
    NpuFile *file = data;

    g_free(file->npu);
    g_free(file->chip);
    g_free(file->text);
}

GArray *npu_files_new(void)
{
    GArray *files = g_array_new(FALSE, TRUE, sizeof(NpuFile));

    g_array_set_clear_func(files, clear_npu_file);
    return files;
}

static const NpuFile *npu_file_at(const GArray *files, guint i)
{
    return &g_array_index(files, NpuFile, i);
}

GArray *npu_files_load(const CsvTable *gpus, GError **error)
{
    g_autoptr(GArray) files = npu_files_new();

    for (guint i = 0; i < csv_table_n_rows(gpus); i++) {
        const char *npu = simulator_cell_text(gpus, i, "npu", error);
        const char *chip =
            npu ? simulator_cell_text(gpus, i, "chip", error) : NULL;
        g_autofree char *path = NULL;
        NpuFile file = { 0 };

        if (!chip)
            return NULL;
        path = g_strdup_printf("configs/npus/%s.yaml", npu);
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        if (!g_file_get_contents(path, &file.text, NULL, error))
            return NULL;
        file.npu = g_strdup(npu);
        file.chip = g_strdup(chip);
        g_array_append_val(files, file);
    }
    return g_steal_pointer(&files);
}

const char *npu_files_chip_of_npu(const GArray *files, const char *npu)
{
    for (guint i = 0; i < files->len; i++)
        if (g_str_equal(npu_file_at(files, i)->npu, npu))
            return npu_file_at(files, i)->chip;
    return NULL;
}

/* ---- constants that were fitted ------------------------------------------ */

/* A line of an NPU file, and the sections that it is in. */
typedef struct {
    GPtrArray *sections; /* The struct owns the names of the open sections. */
    char *key;   /* The struct owns the key with its sections, "fp16.memory". */
    char *value; /* The struct owns the value; empty if a section begins. */
    gboolean is_fitted;
} NpuLine;

static void clear_npu_line(NpuLine *line)
{
    g_clear_pointer(&line->sections, g_ptr_array_unref);
    g_clear_pointer(&line->key, g_free);
    g_clear_pointer(&line->value, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NpuLine, clear_npu_line)

/* Reads the next line.  The key is NULL if the line has none. */
static void read_npu_line(NpuLine *line, const char *text)
{
    gsize n_spaces = strspn(text, " ");
    const char *colon = strchr(text, ':');
    const char *comment = strchr(text, '#');
    GString *key = g_string_new(NULL);
    gsize n;

    g_clear_pointer(&line->key, g_free);
    g_clear_pointer(&line->value, g_free);
    line->is_fitted = comment && strncmp(comment, FITTED, strlen(FITTED)) == 0;
    if (!colon || (comment && comment < colon)) {
        g_string_free(key, TRUE);
        return;
    }
    n = MIN(n_spaces / INDENT, line->sections->len);
    g_ptr_array_set_size(line->sections, (gint)n);
    for (guint i = 0; i < line->sections->len; i++)
        g_string_append_printf(key, "%s.",
                               (const char *)line->sections->pdata[i]);
    g_string_append_len(key, text + n_spaces, colon - text - (gssize)n_spaces);
    line->value = comment ? g_strndup(colon + 1, (gsize)(comment - colon - 1))
                          : g_strdup(colon + 1);
    g_strstrip(line->value);
    if (*line->value == '\0')
        g_ptr_array_add(
            line->sections,
            g_strndup(text + n_spaces, (gsize)(colon - text) - n_spaces));
    line->key = g_string_free(key, FALSE);
}

/* Reads "93.5 %" as 93.5 and "%", and a time in ns. */
static gboolean read_number_with_unit(const char *text, double *ret,
                                      const char **unit, GError **error)
{
    static const struct {
        const char *text, *unit;
        double factor;
    } units[] = {
        { "", "", 1 },      { "%", " %", 1 },     { "ps", " ns", 1e-3 },
        { "ns", " ns", 1 }, { "us", " ns", 1e3 },
    };
    char *end;

    *ret = g_ascii_strtod(text, &end);
    end += strspn(end, " ");
    for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
        if (!g_str_equal(end, units[i].text))
            continue;
        *ret *= units[i].factor;
        *unit = units[i].unit;
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "a fitted constant of an NPU, '%s', has a unit other than "
                "ps, ns, us and %%",
                text);
    return FALSE;
}

/* Appends the value of @key to @values if it was fitted in @file. */
static gboolean add_fitted_value(const NpuFile *file, const char *key,
                                 GArray *values, const char **unit,
                                 GError **error)
{
    g_auto(GStrv) lines = g_strsplit(file->text, "\n", -1);
    g_auto(NpuLine)
        line = { .sections = g_ptr_array_new_with_free_func(g_free) };
    double value;

    for (guint i = 0; lines[i]; i++) {
        read_npu_line(&line, lines[i]);
        if (!line.is_fitted || g_strcmp0(line.key, key) != 0)
            continue;
        if (!read_number_with_unit(line.value, &value, unit, error))
            return FALSE;
        g_array_append_val(values, value);
    }
    return TRUE;
}

static gint compare_fitted_values(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Appends "KEY: VALUE" with the median over the NPUs of other chips, or nothing
 * if @key was fitted in none. */
static gboolean append_median_of_other_chips(const GArray *files,
                                             const NpuFile *own,
                                             const char *key,
                                             const char *indented, GString *out,
                                             GError **error)
{
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
    const char *unit = "";
    guint half;
    double median;

    for (guint i = 0; i < files->len; i++)
        if (!g_str_equal(npu_file_at(files, i)->chip, own->chip) &&
            !add_fitted_value(npu_file_at(files, i), key, values, &unit, error))
            return FALSE;
    if (values->len == 0)
        return TRUE;
    g_array_sort(values, compare_fitted_values);
    half = values->len / 2;
    median = g_array_index(values, double, half);
    if (values->len % 2 == 0)
        median = (median + g_array_index(values, double, half - 1)) / 2;
    g_string_append_len(out, indented, strchr(indented, ':') + 1 - indented);
    /* Whole numbers stay whole, because bytes a cycle have no fraction. */
    if (*unit == '\0')
        g_string_append_printf(out, " %.0f\n", median);
    else
        g_string_append_printf(out, " %.2f%s\n", median, unit);
    return TRUE;
}

char *npu_files_left_out_text(const GArray *files, guint i, GError **error)
{
    const NpuFile *own = npu_file_at(files, i);
    g_auto(GStrv) lines = g_strsplit(own->text, "\n", -1);
    g_auto(NpuLine)
        line = { .sections = g_ptr_array_new_with_free_func(g_free) };
    g_autoptr(GString) out = g_string_new(NULL);

    for (guint k = 0; lines[k]; k++) {
        read_npu_line(&line, lines[k]);
        /* The file that this key names has only constants of language models,
         * which validate/llm holds out. */
        if (g_strcmp0(line.key, "language") == 0)
            continue;
        if (!line.key || !line.is_fitted)
            g_string_append_printf(out, "%s\n", lines[k]);
        else if (!append_median_of_other_chips(files, own, line.key, lines[k],
                                               out, error))
            return NULL;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- times on these NPUs ------------------------------------------------- */

char *left_out_npus_folder(const Simulator *simulator, const char *name)
{
    return g_build_filename(simulator->folder, name, "npus", NULL);
}

static gboolean run_left_out_npu(const Simulator *simulator, const char *name,
                                 const GArray *files, guint i,
                                 KernelStudy *study, GError **error)
{
    const char *npu = npu_file_at(files, i)->npu;
    g_autofree char *file = g_strdup_printf("%s/npus/%s.yaml", name, npu);
    g_autofree char *path = g_build_filename(simulator->folder, file, NULL);
    g_autofree char *text = npu_files_left_out_text(files, i, error);

    return text && simulator_write_file(simulator, file, text, error) &&
           kernel_study_time_left_out(study, simulator, name, npu, path, error);
}

gboolean left_out_npus_run(const Simulator *simulator, const char *name,
                           const GArray *files, KernelStudy *study,
                           GError **error)
{
    for (guint i = 0; i < files->len; i++)
        if (!run_left_out_npu(simulator, name, files, i, study, error))
            return FALSE;
    return TRUE;
}
