/*
 * fuzz_csv.c - fuzzes the reader of CSV tables
 *
 * No table may crash or hang the reader, leak memory, or be refused without a
 * message that begins with its name and line.  A table that was read, written
 * and read again must be the same.
 */
#include <glib.h>
#include <math.h>
#include <stdint.h>

#include "sim/core/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_csv_error(const GError *error)
{
    g_assert_nonnull(error);
    g_assert_true(g_str_has_prefix(error->message, "x.csv:"));
    g_assert_true(g_ascii_isdigit(error->message[6]));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
}

/* Checks that each cell is a number or gives an error message. */
static void check_numeric_cells(const CsvTable *table)
{
    for (guint row = 0; row < csv_table_n_rows(table); row++)
        for (guint column = 0; column < csv_table_n_columns(table); column++) {
            g_autoptr(GError) error = NULL;
            double value = NAN;

            if (csv_table_number(table, row, column, &value, &error))
                g_assert_true(isfinite(value));
            else
                check_csv_error(error);
        }
}

static void write_csv_row(const CsvTable *table,
                          const char *(*cell)(const CsvTable *table, guint row,
                                              guint column),
                          guint row, GString *out)
{
    for (guint column = 0; column < csv_table_n_columns(table); column++)
        csv_add_text(out, cell(table, row, column));
    csv_end_row(out);
}

static const char *csv_column_name(const CsvTable *table, guint row,
                                   guint column)
{
    (void)row;
    return csv_table_column_name(table, column);
}

/* Returns the table as CSV text. */
static GString *csv_text_of_table(const CsvTable *table)
{
    GString *out = g_string_new(NULL);

    write_csv_row(table, csv_column_name, 0, out);
    for (guint row = 0; row < csv_table_n_rows(table); row++)
        write_csv_row(table, csv_table_text, row, out);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table =
        csv_table_parse("x.csv", (const char *)data, size, &error);
    g_autoptr(CsvTable) again = NULL;
    g_autoptr(GString) text = NULL, text_again = NULL;

    if (!table) {
        check_csv_error(error);
        return 0;
    }
    check_numeric_cells(table);
    text = csv_text_of_table(table);
    again = csv_table_parse("x.csv", text->str, text->len, &error);
    g_assert_no_error(error);
    text_again = csv_text_of_table(again);
    g_assert_cmpstr(text->str, ==, text_again->str);
    return 0;
}
