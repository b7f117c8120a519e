/*
 * csv.h - writes and reads tidy CSV
 *
 * The format is RFC 4180 with commas and LF: a field is quoted if it contains a
 * comma, a quote or a line break.  Numbers do not depend on the locale.  The
 * name of a column ends in its unit.
 *
 * Spreadsheets interpret a cell that begins with = + - @, a tab or a carriage
 * return as a formula.  So the writer puts an apostrophe before such a text,
 * and also before a text that has only apostrophes before such a character.
 * Numbers and a single dash are written unchanged.  The reader removes one
 * apostrophe, so each text is read back unchanged.
 *
 * Errors   CSV_ERROR, "file:line: reason"
 * Owner    the caller owns writers and tables
 */
#ifndef SIM_CORE_CSV_H
#define SIM_CORE_CSV_H

#include <glib.h>
#include <stdint.h>

#define CSV_ERROR csv_error_quark()
GQuark csv_error_quark(void);
typedef enum {
    CSV_ERROR_FILE,
    CSV_ERROR_SYNTAX,
    CSV_ERROR_COLUMN,
} CsvErrorCode;

/* ---- writing CSV: append cells, end rows --------------------------------- */

void csv_add_text(GString *out, const char *text);
void csv_add_u64(GString *out, uint64_t value);
/* Appends @value x 10^-@digits with all @digits: csv_add_fixed(out, 1234567, 6)
 * appends 1.234567.  So picoseconds become microseconds without floating
 * point. */
void csv_add_fixed(GString *out, uint64_t value, guint digits);
/* Appends @num / @den with @digits decimals, rounded half away from zero, or 0
 * if @den is 0. */
void csv_add_ratio(GString *out, uint64_t num, uint64_t den, guint digits);
void csv_add_empty(GString *out);
void csv_end_row(GString *out);

/* ---- reading CSV --------------------------------------------------------- */

typedef struct CsvTable CsvTable;

G_GNUC_WARN_UNUSED_RESULT
CsvTable *csv_table_load(const char *path, GError **error);
G_GNUC_WARN_UNUSED_RESULT
CsvTable *csv_table_parse(const char *name, const char *text, gsize n_bytes,
                          GError **error);
void csv_table_free(CsvTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsvTable, csv_table_free)

guint csv_table_n_rows(const CsvTable *table); /* without the header */
guint csv_table_n_columns(const CsvTable *table);
const char *csv_table_column_name(const CsvTable *table, guint column);
/* Sets *@ret to the index of column @name.  Returns FALSE and sets
 * CSV_ERROR_COLUMN if there is no such column. */
G_GNUC_WARN_UNUSED_RESULT
gboolean csv_table_column(const CsvTable *table, const char *name, guint *ret,
                          GError **error);
/* Returns whether each cell of @column is a decimal number or empty, and at
 * least one is a number. */
gboolean csv_table_is_number_column(const CsvTable *table, guint column);
const char *csv_table_text(const CsvTable *table, guint row, guint column);
/* Sets *@ret to the number in the cell.  Returns FALSE and sets
 * CSV_ERROR_SYNTAX if the cell is not a number. */
G_GNUC_WARN_UNUSED_RESULT
gboolean csv_table_number(const CsvTable *table, guint row, guint column,
                          double *ret, GError **error);

#endif
