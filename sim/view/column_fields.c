/*
 * column_fields.c - what the columns of a table mean, as JSON; see
 * column_fields.h
 */
#include "sim/view/column_fields.h"

#include <string.h>

#include "sim/study/column_descriptions.h"
#include "sim/study/rows/run_rows.h"

static gboolean is_boolean_column(const CsvTable *table, guint column)
{
    for (guint row = 0; row < csv_table_n_rows(table); row++)
        if (!g_str_equal(csv_table_text(table, row, column), "true") &&
            !g_str_equal(csv_table_text(table, row, column), "false"))
            return FALSE;
    return csv_table_n_rows(table) > 0;
}

/* Returns the type of the column of a swept key. */
static const char *type_of_axis_column(const CsvTable *table, guint column,
                                       gboolean is_whole)
{
    if (column_unit_of_name(csv_table_column_name(table, column)))
        return "number";
    if (!is_whole)
        return "any";
    if (csv_table_is_number_column(table, column))
        return "number";
    return is_boolean_column(table, column) ? "boolean" : "string";
}

static const char *type_of_column(const char *file, const CsvTable *table,
                                  guint column, gboolean is_whole)
{
    const char *name = csv_table_column_name(table, column);
    const ColumnDescription *text = column_description(name);
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    const Column *found = columns_find(columns, name);

    if (g_str_equal(file, "sensitivity") && g_str_equal(name, "value"))
        return "number";
    if (!text)
        return type_of_axis_column(table, column, is_whole);
    if (text->is_text)
        return "string";
    return found && (found->unit == UNIT_COUNT || found->unit == UNIT_BYTES)
               ? "integer"
               : "number";
}

static void add_column_field(Json *json, const char *file,
                             const CsvTable *table, guint column,
                             gboolean is_whole)
{
    const char *name = csv_table_column_name(table, column);
    const ColumnDescription *text = column_description(name);
    const ColumnUnitScale *unit = column_unit_of_name(name);
    g_autofree char *key =
        g_strndup(name, strlen(name) - (unit ? strlen(unit->suffix) : 0));
    g_autofree char *swept =
        g_strdup_printf("The swept key `%s` of the configuration.", key);

    json_begin_object(json, NULL);
    json_add_text(json, "name", name);
    json_add_text(json, "type", type_of_column(file, table, column, is_whole));
    if (unit)
        json_add_text(json, "unit", unit->name);
    json_add_text(json, "title", text ? text->label : key);
    if (text && text->better)
        json_add_text(json, "better", text->better);
    json_add_text(json, "description", text ? text->text : swept);
    json_end_object(json);
}

void json_add_column_fields(Json *json, const char *key, const char *file,
                            const CsvTable *table, gboolean is_whole)
{
    json_begin_array(json, key);
    for (guint c = 0; c < csv_table_n_columns(table); c++)
        add_column_field(json, file, table, c, is_whole);
    json_end_array(json);
}
