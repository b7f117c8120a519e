/* paper_constants.c - lists the constants that the studies of a paper use */
#include "validate/papers/paper_constants.h"

#include <string.h>

/* The text that a sweep writes for an unknown source. */
#define NOT_SAID "not said"

/* The columns of a sweep's config.csv. */
typedef enum {
    KEY,
    VALUE,
    PLACE,
    SOURCE,
    N_COLUMNS,
} Column;

typedef struct {
    const CsvTable *table; /* Another object owns this memory. */
    guint columns[N_COLUMNS];
} ConfigurationValues;

static const char *constant_cell_text(const ConfigurationValues *values,
                                      guint row, Column column)
{
    return csv_table_text(values->table, row, values->columns[column]);
}

/* Returns whether the value is a number with a unit and is given by a file.
 * Names and lists have no source. */
static gboolean value_is_constant(const ConfigurationValues *values, guint row)
{
    const char *value = constant_cell_text(values, row, VALUE);

    return g_ascii_isdigit(*value) && strchr(value, ' ') &&
           !g_str_equal(constant_cell_text(values, row, PLACE), "default") &&
           *constant_cell_text(values, row, SOURCE) != '\0';
}

/* Returns whether other points of the sweep have another value for this key. */
static gboolean value_is_varied(const ConfigurationValues *values, guint row)
{
    for (guint i = 0; i < csv_table_n_rows(values->table); i++)
        if (i != row && g_str_equal(constant_cell_text(values, i, KEY),
                                    constant_cell_text(values, row, KEY)))
            return TRUE;
    return FALSE;
}

static void add_constant_row(const PaperClaims *claims,
                             const ConfigurationValues *values, guint row,
                             GHashTable *rows)
{
    g_autoptr(GString) line = g_string_new(NULL);
    const char *source = constant_cell_text(values, row, SOURCE);

    if (g_str_equal(source, NOT_SAID) && value_is_varied(values, row))
        source = "varied";
    csv_add_text(line, claims->name);
    csv_add_text(line, constant_cell_text(values, row, KEY));
    csv_add_text(line, constant_cell_text(values, row, VALUE));
    csv_add_text(line, source);
    csv_add_text(line, constant_cell_text(values, row, PLACE));
    csv_end_row(line);
    g_hash_table_add(rows, g_strdup(line->str));
}

static gboolean add_results_of_study(const Simulator *simulator,
                                     const PaperClaims *claims,
                                     const PaperStudy *study, GHashTable *rows,
                                     GError **error)
{
    static const char *const names[N_COLUMNS] = { "key", "value", "place",
                                                  "source" };
    g_autofree char *path = g_strdup_printf(
        "%s/%s/%s/config.csv", simulator->folder, claims->name, study->name);
    g_autoptr(CsvTable) table = NULL;
    ConfigurationValues values;

    if (!g_str_has_prefix(study->command, "sweep "))
        return TRUE;
    table = csv_table_load(path, error);
    if (!table)
        return FALSE;
    values.table = table;
    for (Column c = 0; c < N_COLUMNS; c++)
        if (!csv_table_column(table, names[c], &values.columns[c], error))
            return FALSE;
    for (guint i = 0; i < csv_table_n_rows(table); i++)
        if (value_is_constant(&values, i))
            add_constant_row(claims, &values, i, rows);
    return TRUE;
}

gboolean paper_constants_add(GString *out, const Simulator *simulator,
                             const PaperClaims *claims, GError **error)
{
    const PaperStudy *studies = claims->studies.items;
    g_autoptr(GHashTable) rows =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GList *sorted;

    for (guint i = 0; i < claims->studies.n; i++)
        if (!add_results_of_study(simulator, claims, &studies[i], rows, error))
            return FALSE;
    sorted = g_list_sort(g_hash_table_get_keys(rows), (GCompareFunc)strcmp);
    for (GList *row = sorted; row; row = row->next)
        g_string_append(out, row->data);
    g_list_free(sorted);
    return TRUE;
}
