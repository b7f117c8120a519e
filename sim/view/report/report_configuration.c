/* report_configuration.c - section of a report about config.csv */
#include "sim/view/report/report_configuration.h"

#include <string.h>

#include "sim/core/csv.h"
#include "sim/sweep/resolved_values.h"
#include "sim/view/report/html_escape.h"

/* The number of values that are shown for a key that varies; further values are
 * only counted. */
#define MAX_VALUES 12

enum { KEY, VALUE, N_POINTS, PLACE, SOURCE, N_COLUMNS };

typedef struct {
    CsvTable *table; /* owned */
    guint columns[N_COLUMNS];
} ConfigValues;

static void clear_config_values(ConfigValues *values)
{
    g_clear_pointer(&values->table, csv_table_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConfigValues, clear_config_values)

static gboolean load_config_csv(ConfigValues *values, const char *path,
                                GError **error)
{
    static const char *const names[N_COLUMNS] = {
        [KEY] = "key",     [VALUE] = "value",   [N_POINTS] = "n_points",
        [PLACE] = "place", [SOURCE] = "source",
    };

    values->table = csv_table_load(path, error);
    for (guint i = 0; values->table && i < N_COLUMNS; i++)
        if (!csv_table_column(values->table, names[i], &values->columns[i],
                              error))
            return FALSE;
    return values->table != NULL;
}

static const char *configuration_csv_cell_text(const ConfigValues *values,
                                               guint row, guint column)
{
    return csv_table_text(values->table, row, values->columns[column]);
}

/* Returns the index after the last row with the key of @row. */
static guint end_of_key_rows(const ConfigValues *values, guint row)
{
    guint end = row + 1;

    while (end < csv_table_n_rows(values->table) &&
           g_str_equal(configuration_csv_cell_text(values, end, KEY),
                       configuration_csv_cell_text(values, row, KEY)))
        end++;
    return end;
}

static gboolean has_several_values(const ConfigValues *values, guint row,
                                   guint end)
{
    for (guint i = row + 1; i < end; i++)
        if (!g_str_equal(configuration_csv_cell_text(values, i, VALUE),
                         configuration_csv_cell_text(values, row, VALUE)))
            return TRUE;
    return FALSE;
}

/* Adds the distinct texts of a column of @rows, one per line, in order. */
static void append_distinct_cells(GString *out, const ConfigValues *values,
                                  const GArray *rows, guint column)
{
    g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
    guint n = 0;

    g_string_append(out, "<td>");
    for (guint i = 0; i < rows->len; i++) {
        const char *says = configuration_csv_cell_text(
            values, g_array_index(rows, guint, i), column);

        if (*says == '\0' || !g_hash_table_add(said, (gpointer)says))
            continue;
        if (n++ < MAX_VALUES)
            html_append_format(out, n > 1 ? "<br />%s" : "%s", says);
    }
    if (n > MAX_VALUES)
        g_string_append_printf(out, "<br />and %u more", n - MAX_VALUES);
    g_string_append(out, "</td>");
}

static guint64 count_points_of_rows(const ConfigValues *values, guint begin,
                                    guint end)
{
    guint64 n = 0;

    for (guint i = begin; i < end; i++)
        n += g_ascii_strtoull(configuration_csv_cell_text(values, i, N_POINTS),
                              NULL, 10);
    return n;
}

static guint64 largest_point_count(const ConfigValues *values)
{
    guint64 max = 0;

    for (guint i = 0, end; i < csv_table_n_rows(values->table); i = end) {
        end = end_of_key_rows(values, i);
        max = MAX(max, count_points_of_rows(values, i, end));
    }
    return max;
}

static void append_point_count_note(GString *out, const ConfigValues *values,
                                    guint begin, guint end, guint64 max)
{
    guint64 n = count_points_of_rows(values, begin, end);

    if (n < max)
        g_string_append_printf(out,
                               "<br /><small>in %" G_GUINT64_FORMAT
                               " of %" G_GUINT64_FORMAT " points</small>",
                               n, max);
}

/* Returns an array of arrays: the rows of each value from @begin to @end, in
 * order of appearance.  The caller owns it. */
static GPtrArray *group_rows_by_value(const ConfigValues *config_values,
                                      guint begin, guint end)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *values =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    for (guint i = begin; i < end; i++) {
        GArray *rows = g_hash_table_lookup(
            known, configuration_csv_cell_text(config_values, i, VALUE));

        if (!rows) {
            rows = g_array_new(FALSE, FALSE, sizeof(guint));
            g_ptr_array_add(values, rows);
            g_hash_table_insert(
                known,
                (gpointer)configuration_csv_cell_text(config_values, i, VALUE),
                rows);
        }
        g_array_append_val(rows, i);
    }
    return values;
}

/* Adds one row per value of the key; only the first row shows the name. */
static void append_key_value_rows(GString *out,
                                  const ConfigValues *config_values,
                                  guint begin, guint end, guint64 max)
{
    g_autoptr(GPtrArray) values =
        group_rows_by_value(config_values, begin, end);

    for (guint i = 0; i < MIN(values->len, MAX_VALUES); i++) {
        const GArray *rows = g_ptr_array_index(values, i);

        g_string_append(out, "<tr><th scope=\"row\">");
        if (i == 0) {
            g_string_append(out, "<code>");
            html_append_key(
                out, configuration_csv_cell_text(config_values, begin, KEY));
            g_string_append(out, "</code>");
            append_point_count_note(out, config_values, begin, end, max);
        }
        html_append_format(
            out, "</th><td>%s</td>",
            configuration_csv_cell_text(config_values,
                                        g_array_index(rows, guint, 0), VALUE));
        append_distinct_cells(out, config_values, rows, PLACE);
        append_distinct_cells(out, config_values, rows, SOURCE);
        g_string_append(out, "</tr>\n");
    }
    if (values->len > MAX_VALUES)
        g_string_append_printf(out,
                               "<tr><th></th><td>and %u more"
                               "</td><td></td><td></td></tr>\n",
                               values->len - MAX_VALUES);
}

/* Returns whether the rows are about files and not values. */
static gboolean is_row_about_file(const ConfigValues *values, guint begin)
{
    return g_str_equal(configuration_csv_cell_text(values, begin, KEY),
                       RESOLVED_FILE);
}

/* ---- where the numbers are from, counted --------------------------------- */

typedef enum {
    CLASS_CITED,
    CLASS_FITTED,
    CLASS_DERIVED,
    CLASS_ASSUMED,
    CLASS_NOT_SAID,
    N_CLASSES
} SourceClass;

static const char *const class_names[N_CLASSES] = { "cited", "fitted",
                                                    "derived", "assumed",
                                                    "without a source" };

/* Returns the weakest class of the sources of a key. */
static SourceClass source_class_of_config_key(const ConfigValues *values,
                                              guint begin, guint end)
{
    static const char *const words[N_CLASSES] = { NULL, "fit", "deriv",
                                                  "assumed", NULL };
    SourceClass weakest = CLASS_CITED;

    for (guint i = begin; i < end; i++) {
        const char *source = configuration_csv_cell_text(values, i, SOURCE);
        SourceClass class = *source != '\0' ? CLASS_CITED : CLASS_NOT_SAID;

        for (guint c = 0; c < N_CLASSES; c++)
            if (words[c] && strstr(source, words[c]))
                class = c;
        weakest = MAX(weakest, class);
    }
    return weakest;
}

static void write_source_counts(GString *out, const ConfigValues *values)
{
    guint counts[N_CLASSES] = { 0 }, n = 0;

    for (guint i = 0, end; i < csv_table_n_rows(values->table); i = end) {
        end = end_of_key_rows(values, i);
        if (is_row_about_file(values, i))
            continue;
        counts[source_class_of_config_key(values, i, end)]++;
        n++;
    }
    g_string_append_printf(out, "Sources of %u values: ", n);
    for (guint c = 0, n_written = 0; c < N_CLASSES; c++)
        if (counts[c] > 0)
            g_string_append_printf(out, "%s%u %s", n_written++ > 0 ? ", " : "",
                                   counts[c], class_names[c]);
}

/* Writes the keys of which several values were used, or the other ones. */
static void write_configuration_keys(GString *out, const ConfigValues *values,
                                     gboolean varied, guint64 max)
{
    for (guint i = 0, end; i < csv_table_n_rows(values->table); i = end) {
        end = end_of_key_rows(values, i);
        if (!is_row_about_file(values, i) &&
            has_several_values(values, i, end) == varied)
            append_key_value_rows(out, values, i, end, max);
    }
}

/* Writes the description that each file has at its head. */
static void write_file_descriptions(GString *out, const ConfigValues *values)
{
    gboolean any = FALSE;

    for (guint i = 0; i < csv_table_n_rows(values->table); i++) {
        if (!is_row_about_file(values, i))
            continue;
        if (!any)
            g_string_append(out, "<h3>Files</h3>\n<dl>\n");
        any = TRUE;
        html_append_format(out, "<dt><code>%s</code></dt><dd>%s</dd>\n",
                           configuration_csv_cell_text(values, i, VALUE),
                           configuration_csv_cell_text(values, i, SOURCE));
    }
    if (any)
        g_string_append(out, "</dl>\n");
}

gboolean report_write_configuration(GString *out, const char *folder,
                                    GError **error)
{
    g_autofree char *path = g_build_filename(folder, "config.csv", NULL);
    g_auto(ConfigValues) v = { 0 };

    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_string_append(out, "<section>\n<h2>Configuration</h2>\n<p>It was not "
                             "written down: there is no config.csv beside the "
                             "rows.</p>\n</section>\n");
        return TRUE;
    }
    if (!load_config_csv(&v, path, error))
        return FALSE;
    g_string_append(out, "<details id=\"sources\">\n<summary>");
    write_source_counts(out, &v);
    g_string_append(
        out, "</summary>\n<p class=\"cap\">Keys with several values come "
             "first. Names in brackets or capitals are keys of "
             "validate/SOURCES.md.</p>\n<p class=\"scripted\" "
             "hidden=\"hidden\"><label>Filter <input id=\"source-find\" "
             "type=\"search\" placeholder=\"assumed\" /></label></p>\n"
             "<table class=\"sources\" id=\"source-table\">\n<caption "
             "class=\"hidden\">Values of the configuration and their "
             "sources</caption>\n<thead><tr><th scope=\"col\">key</th>"
             "<th scope=\"col\">value</th><th scope=\"col\">set in</th>"
             "<th scope=\"col\">source</th></tr></thead>\n<tbody>\n");
    write_configuration_keys(out, &v, TRUE, largest_point_count(&v));
    write_configuration_keys(out, &v, FALSE, largest_point_count(&v));
    g_string_append(out, "</tbody>\n</table>\n");
    write_file_descriptions(out, &v);
    g_string_append(out, "</details>\n");
    return TRUE;
}
