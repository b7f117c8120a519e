/* configuration.c - section of a report about config.csv */
#include "sim/view/report/configuration.h"

#include <string.h>

#include "sim/core/csv.h"
#include "sim/sweep/resolved.h"
#include "sim/view/report/html.h"

/* The number of values that are shown for a key that varies; further values are
 * only counted. */
#define MAX_VALUES 12

enum { KEY, VALUE, N_POINTS, PLACE, SOURCE, N_COLUMNS };

typedef struct {
    CsvTable *table; /* owned */
    guint columns[N_COLUMNS];
} Values;

static void clear_values(Values *values)
{
    g_clear_pointer(&values->table, csv_table_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Values, clear_values)

static gboolean load(Values *v, const char *path, GError **error)
{
    static const char *const names[N_COLUMNS] = {
        [KEY] = "key",     [VALUE] = "value",   [N_POINTS] = "n_points",
        [PLACE] = "place", [SOURCE] = "source",
    };

    v->table = csv_table_load(path, error);
    for (guint i = 0; v->table && i < N_COLUMNS; i++)
        if (!csv_table_column(v->table, names[i], &v->columns[i], error))
            return FALSE;
    return v->table != NULL;
}

static const char *text(const Values *v, guint row, guint what)
{
    return csv_table_text(v->table, row, v->columns[what]);
}

/* Returns the index after the last row with the key of @row. */
static guint key_end(const Values *v, guint row)
{
    guint end = row + 1;

    while (end < csv_table_n_rows(v->table) &&
           g_str_equal(text(v, end, KEY), text(v, row, KEY)))
        end++;
    return end;
}

static gboolean varies(const Values *v, guint row, guint end)
{
    for (guint i = row + 1; i < end; i++)
        if (!g_str_equal(text(v, i, VALUE), text(v, row, VALUE)))
            return TRUE;
    return FALSE;
}

/* Adds the distinct texts of a column of @rows, one per line, in order. */
static void add_distinct(GString *out, const Values *v, const GArray *rows,
                         guint what)
{
    g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
    guint n = 0;

    g_string_append(out, "<td>");
    for (guint i = 0; i < rows->len; i++) {
        const char *says = text(v, g_array_index(rows, guint, i), what);

        if (*says == '\0' || !g_hash_table_add(said, (gpointer)says))
            continue;
        if (n++ < MAX_VALUES)
            html_add(out, n > 1 ? "<br />%s" : "%s", says);
    }
    if (n > MAX_VALUES)
        g_string_append_printf(out, "<br />and %u more", n - MAX_VALUES);
    g_string_append(out, "</td>");
}

static guint64 n_points(const Values *v, guint begin, guint end)
{
    guint64 n = 0;

    for (guint i = begin; i < end; i++)
        n += g_ascii_strtoull(text(v, i, N_POINTS), NULL, 10);
    return n;
}

static guint64 max_points(const Values *v)
{
    guint64 max = 0;

    for (guint i = 0, end; i < csv_table_n_rows(v->table); i = end) {
        end = key_end(v, i);
        max = MAX(max, n_points(v, i, end));
    }
    return max;
}

static void add_note(GString *out, const Values *v, guint begin, guint end,
                     guint64 max)
{
    guint64 n = n_points(v, begin, end);

    if (n < max)
        g_string_append_printf(out,
                               "<br /><small>in %" G_GUINT64_FORMAT
                               " of %" G_GUINT64_FORMAT " points</small>",
                               n, max);
}

/* Returns an array of arrays: the rows of each value from @begin to @end, in
 * order of appearance.  The caller owns it. */
static GPtrArray *rows_by_value(const Values *v, guint begin, guint end)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *values =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    for (guint i = begin; i < end; i++) {
        GArray *rows = g_hash_table_lookup(known, text(v, i, VALUE));

        if (!rows) {
            rows = g_array_new(FALSE, FALSE, sizeof(guint));
            g_ptr_array_add(values, rows);
            g_hash_table_insert(known, (gpointer)text(v, i, VALUE), rows);
        }
        g_array_append_val(rows, i);
    }
    return values;
}

/* Adds one row per value of the key; only the first row shows the name. */
static void add_key(GString *out, const Values *v, guint begin, guint end,
                    guint64 max)
{
    g_autoptr(GPtrArray) values = rows_by_value(v, begin, end);

    for (guint i = 0; i < MIN(values->len, MAX_VALUES); i++) {
        const GArray *rows = g_ptr_array_index(values, i);

        g_string_append(out, i == 0 ? "<tr><td>" : "<tr class=\"more\"><td>");
        if (i == 0) {
            g_string_append(out, "<code>");
            html_key(out, text(v, begin, KEY));
            g_string_append(out, "</code>");
            add_note(out, v, begin, end, max);
        }
        html_add(out, "</td><td>%s</td>",
                 text(v, g_array_index(rows, guint, 0), VALUE));
        add_distinct(out, v, rows, PLACE);
        add_distinct(out, v, rows, SOURCE);
        g_string_append(out, "</tr>\n");
    }
    if (values->len > MAX_VALUES)
        g_string_append_printf(out,
                               "<tr class=\"more\"><td></td><td>and %u more"
                               "</td><td></td><td></td></tr>\n",
                               values->len - MAX_VALUES);
}

typedef gboolean (*Choice)(const Values *v, guint begin, guint end);

/* Returns whether the rows are about files and not values. */
static gboolean is_file(const Values *v, guint begin)
{
    return g_str_equal(text(v, begin, KEY), RESOLVED_FILE);
}

static gboolean is_varied(const Values *v, guint begin, guint end)
{
    return !is_file(v, begin) && varies(v, begin, end);
}

static gboolean is_fixed(const Values *v, guint begin, guint end)
{
    return !is_file(v, begin) && !varies(v, begin, end);
}

/* Returns whether the source of a value contains "assumed". */
static gboolean is_assumed(const Values *v, guint begin, guint end)
{
    for (guint i = begin; i < end && !is_file(v, begin); i++)
        if (strstr(text(v, i, SOURCE), "assumed"))
            return TRUE;
    return FALSE;
}

static void write_keys(GString *out, const Values *v, const char *heading,
                       const char *note, Choice choice)
{
    guint64 max = max_points(v);

    html_add(out,
             "<section>\n<h2>%s</h2>\n<p>%s</p>\n<div class=\"wide\">\n"
             "<table class=\"keys\">\n"
             "<thead><tr><th>key</th><th>value</th><th>set in</th>"
             "<th>where the number is from</th></tr></thead>\n<tbody>\n",
             heading, note);
    for (guint i = 0, end; i < csv_table_n_rows(v->table); i = end) {
        end = key_end(v, i);
        if (choice(v, i, end))
            add_key(out, v, i, end, max);
    }
    g_string_append(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

/* Writes the description that each file has at its head. */
static void write_files(GString *out, const Values *v)
{
    gboolean any = FALSE;

    for (guint i = 0; i < csv_table_n_rows(v->table); i++) {
        if (!is_file(v, i))
            continue;
        if (!any)
            g_string_append(out, "<section>\n<h2>Files</h2>\n<p>What each "
                                 "says of itself, at its head.</p>\n<dl>\n");
        any = TRUE;
        html_add(out, "<dt><code>%s</code></dt><dd>%s</dd>\n",
                 text(v, i, VALUE), text(v, i, SOURCE));
    }
    if (any)
        g_string_append(out, "</dl>\n</section>\n");
}

gboolean configuration_write(GString *out, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "config.csv", NULL);
    g_auto(Values) v = { 0 };

    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_string_append(out, "<section>\n<h2>Configuration</h2>\n<p>It was not "
                             "written down: there is no config.csv beside the "
                             "rows.</p>\n</section>\n");
        return TRUE;
    }
    if (!load(&v, path, error))
        return FALSE;
    write_keys(out, &v, "What varied",
               "Every key that had more than one value, and where each was "
               "set.",
               is_varied);
    write_keys(out, &v, "What is assumed",
               "Nobody's numbers: these are where to doubt the result first.",
               is_assumed);
    write_keys(out, &v, "What was fixed",
               "Names in brackets or capitals are keys of "
               "validate/SOURCES.md.",
               is_fixed);
    write_files(out, &v);
    return TRUE;
}
