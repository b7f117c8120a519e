/*
 * csv.h - tidy CSV out, and back in
 *
 * RFC 4180: comma, LF, a field is quoted when it holds a comma, a quote or a
 * line break.  Numbers never depend on the locale.  A column's name ends in
 * its unit.
 *
 * Spreadsheets take a cell that begins with = + - @, a tab or a carriage return
 * for a formula.  So a text that begins so gets an apostrophe before it when it
 * is written, and so does one that has only apostrophes before such a
 * character.  Numbers, and a dash alone, stay as they are.  Reading takes one
 * apostrophe away again, so that each text reads back as it was.
 *
 * Errors   CSV_ERROR, "file:line: what is wrong"
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

/* ---- writing: append cells, end rows, take the text ------------------- */

void csv_add_text(GString *out, const char *text);
void csv_add_u64(GString *out, uint64_t value);
/* @value * 10^-@digits, all @digits written: csv_add_fixed(out, 1234567, 6)
 * is 1.234567.  How picoseconds become microseconds without floating point. */
void csv_add_fixed(GString *out, uint64_t value, guint digits);
/* @num / @den with @digits decimals, half away from zero; 0 when @den is 0. */
void csv_add_ratio(GString *out, uint64_t num, uint64_t den, guint digits);
void csv_add_empty(GString *out);
void csv_end_row(GString *out);

/* ---- reading ---------------------------------------------------------- */

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
/* FALSE and CSV_ERROR_COLUMN when the header has no @name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean csv_table_column(const CsvTable *table, const char *name, guint *ret,
                          GError **error);
const char *csv_table_text(const CsvTable *table, guint row, guint column);
/* FALSE and CSV_ERROR_SYNTAX when the cell is no number. */
G_GNUC_WARN_UNUSED_RESULT
gboolean csv_table_number(const CsvTable *table, guint row, guint column,
                          double *ret, GError **error);

#endif
