/* csv.c - reads tables from CSV text and files; see csv.h */
#include "sim/core/csv_impl.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "sim/core/file_read.h"
#include "sim/core/word_suggestions.h"

G_DEFINE_QUARK(csv_error_quark, csv_error)

#define MAX_FILE_BYTES (256 * 1024 * 1024)

struct CsvTable {
    char *name;          /* owned */
    char *text;          /* owned: cells are unquoted and ended in place */
    GPtrArray *cells;    /* owned array of borrowed text, row by row */
    GArray *lines;       /* owned: guint, the first line of each row */
    GHashTable *columns; /* owned: borrowed name -> index */
    guint n_columns;
};

typedef struct {
    CsvTable *table;
    char *p;    /* borrowed: the next character */
    guint line; /* the line of .p, from 1 */
} CsvCursor;

G_GNUC_PRINTF(4, 5)
static gboolean set_csv_error(GError **error, const char *name, guint line,
                              const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX, "%s:%u: %s", name, line,
                text);
    return FALSE;
}

static gboolean is_at_csv_row_end(const char *p)
{
    return *p == '\0' || *p == '\n' || (p[0] == '\r' && p[1] == '\n');
}

/* Advances past the closing quote; sets *@end to the end of the unquoted
 * text. */
static gboolean read_quoted_cell(CsvCursor *cursor, char **end, GError **error)
{
    guint first_line = cursor->line;
    char *to = cursor->p;

    cursor->p++;
    for (;;) {
        if (*cursor->p == '\0')
            return set_csv_error(error, cursor->table->name, first_line,
                                 "a quote is opened and not closed");
        if (cursor->p[0] == '"' && cursor->p[1] != '"')
            break;
        cursor->p += *cursor->p == '"';
        cursor->line += *cursor->p == '\n';
        *to++ = *cursor->p++;
    }
    cursor->p++;
    *end = to;
    if (*cursor->p != ',' && !is_at_csv_row_end(cursor->p))
        return set_csv_error(error, cursor->table->name, cursor->line,
                             "text follows a closing quote");
    return TRUE;
}

static gboolean read_unquoted_cell(CsvCursor *cursor, char **end,
                                   GError **error)
{
    while (*cursor->p != ',' && !is_at_csv_row_end(cursor->p)) {
        if (*cursor->p == '"')
            return set_csv_error(
                error, cursor->table->name, cursor->line,
                "a quote stands inside a cell that does not begin "
                "with one");
        cursor->p++;
    }
    *end = cursor->p;
    return TRUE;
}

/* Reads one cell and sets *@last if it ends the row.  Terminating the cell in
 * place overwrites the separator, so the cursor first steps over the
 * separator. */
static gboolean read_csv_cell(CsvCursor *cursor, gboolean *last, GError **error)
{
    char *begin = cursor->p;
    char *end = NULL;
    gboolean ok = *cursor->p == '"' ? read_quoted_cell(cursor, &end, error)
                                    : read_unquoted_cell(cursor, &end, error);

    if (!ok)
        return FALSE;
    *last = is_at_csv_row_end(cursor->p);
    if (*cursor->p == '\r' && *last)
        cursor->p++;
    cursor->line += *cursor->p == '\n';
    cursor->p += *cursor->p != '\0';
    *end = '\0';
    g_ptr_array_add(cursor->table->cells,
                    *begin == '\'' && csv_looks_like_formula(begin) ? begin + 1
                                                                    : begin);
    return TRUE;
}

static gboolean read_csv_row(CsvCursor *cursor, GError **error)
{
    guint before = cursor->table->cells->len;
    guint line = cursor->line;
    gboolean last = FALSE;
    guint n;

    while (!last) {
        if (!read_csv_cell(cursor, &last, error))
            return FALSE;
    }
    n = cursor->table->cells->len - before;
    if (before == 0)
        cursor->table->n_columns = n;
    if (n != cursor->table->n_columns)
        return set_csv_error(error, cursor->table->name, line,
                             "expected %u cells, got %u",
                             cursor->table->n_columns, n);
    g_array_append_val(cursor->table->lines, line);
    return TRUE;
}

static gboolean index_column_names(CsvTable *table, GError **error)
{
    for (guint i = 0; i < table->n_columns; i++) {
        char *name = g_ptr_array_index(table->cells, i);
        g_autofree char *quoted = words_quote_text(name);

        if (*name == '\0')
            return set_csv_error(error, table->name, 1, "column %u has no name",
                                 i + 1);
        if (g_hash_table_contains(table->columns, name))
            return set_csv_error(error, table->name, 1,
                                 "column %s is given twice", quoted);
        g_hash_table_insert(table->columns, name, GUINT_TO_POINTER(i));
    }
    return TRUE;
}

/* Returns an empty table that owns @text, which ends with a NUL. */
static CsvTable *new_csv_table(const char *name, char *text)
{
    CsvTable *table = g_new0(CsvTable, 1);

    table->name = g_strdup(name);
    table->text = text;
    table->cells = g_ptr_array_new();
    table->lines = g_array_new(FALSE, FALSE, sizeof(guint));
    table->columns = g_hash_table_new(g_str_hash, g_str_equal);
    return table;
}

static guint line_number_of_position(const char *text, const char *at)
{
    guint line = 1;

    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

/* Rejects control characters, because a terminal that shows a cell would obey
 * them. */
static gboolean check_no_control_characters(const char *name, const char *text,
                                            gsize n_bytes, GError **error)
{
    const char *bad = NULL;
    gboolean ok = n_bytes == 0 || g_utf8_validate_len(text, n_bytes, &bad);

    if (!ok)
        return set_csv_error(error, name, line_number_of_position(text, bad),
                             "the byte 0x%02x is not UTF-8 text",
                             (guint)(guchar)*bad);
    for (const char *p = text; p < text + n_bytes; p = g_utf8_next_char(p))
        if (g_unichar_iscntrl(g_utf8_get_char(p)) && !strchr("\t\r\n", *p))
            return set_csv_error(error, name, line_number_of_position(text, p),
                                 "control characters are not allowed");
    return TRUE;
}

static CsvTable *parse_owned_csv_text(const char *name, char *text,
                                      gsize n_bytes, GError **error)
{
    g_autoptr(CsvTable) table = new_csv_table(name, text);
    CsvCursor c = { .table = table, .p = text, .line = 1 };

    if (!check_no_control_characters(name, text, n_bytes, error))
        return NULL;
    if (g_str_has_prefix(text, BYTE_ORDER_MARK))
        c.p += strlen(BYTE_ORDER_MARK);
    if (*c.p == '\0') {
        set_csv_error(error, name, 1, "the file is empty");
        return NULL;
    }
    while (*c.p != '\0') {
        if (!read_csv_row(&c, error))
            return NULL;
    }
    if (!index_column_names(table, error))
        return NULL;
    return g_steal_pointer(&table);
}

CsvTable *csv_table_parse(const char *name, const char *text, gsize n_bytes,
                          GError **error)
{
    char *copy;

    g_return_val_if_fail(name && (text || n_bytes == 0), NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    copy = g_malloc(n_bytes + 1);
    if (n_bytes > 0)
        memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    return parse_owned_csv_text(name, copy, n_bytes, error);
}

CsvTable *csv_table_load(const char *path, GError **error)
{
    g_autoptr(GError) reason = NULL;
    gsize n_bytes = 0;
    char *text;

    g_return_val_if_fail(path, NULL);

    text = file_read(path, MAX_FILE_BYTES, &n_bytes, &reason);
    if (!text) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_FILE, "%s: %s", path,
                    reason->message);
        return NULL;
    }
    return parse_owned_csv_text(path, text, n_bytes, error);
}

void csv_table_free(CsvTable *table)
{
    if (!table)
        return;
    g_hash_table_unref(table->columns);
    g_array_unref(table->lines);
    g_ptr_array_unref(table->cells);
    g_free(table->text);
    g_free(table->name);
    g_free(table);
}

guint csv_table_n_rows(const CsvTable *table)
{
    return table->lines->len - 1;
}

guint csv_table_n_columns(const CsvTable *table)
{
    return table->n_columns;
}

const char *csv_table_column_name(const CsvTable *table, guint column)
{
    g_return_val_if_fail(column < table->n_columns, NULL);

    return g_ptr_array_index(table->cells, column);
}

gboolean csv_table_column(const CsvTable *table, const char *name, guint *ret,
                          GError **error)
{
    g_autofree const char **names = NULL;
    g_autofree char *quoted = NULL;
    g_autofree char *hint = NULL;
    gpointer column;

    if (g_hash_table_lookup_extended(table->columns, name, NULL, &column)) {
        *ret = GPOINTER_TO_UINT(column);
        return TRUE;
    }
    names = g_new0(const char *, table->n_columns + 1);
    memcpy(names, table->cells->pdata, table->n_columns * sizeof *names);
    quoted = words_quote_text(name);
    hint = words_suggestion_hint(name, names, "columns");
    g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN, "%s:1: no column %s%s",
                table->name, quoted, hint);
    return FALSE;
}

const char *csv_table_text(const CsvTable *table, guint row, guint column)
{
    gsize cell = ((gsize)row + 1) * table->n_columns + column;

    g_return_val_if_fail(row < csv_table_n_rows(table), NULL);
    g_return_val_if_fail(column < table->n_columns, NULL);

    return table->cells->pdata[cell];
}

/* Returns whether @text is a number of JSON, which has no plus sign and no
 * leading zeros. */
static gboolean is_decimal_number(const char *text)
{
    const char *p = text + (*text == '-');

    if (!g_ascii_isdigit(*p) || (p[0] == '0' && g_ascii_isdigit(p[1])))
        return FALSE;
    while (g_ascii_isdigit(*p))
        p++;
    if (p[0] == '.' && g_ascii_isdigit(p[1]))
        for (p++; g_ascii_isdigit(*p);)
            p++;
    return *p == '\0';
}

gboolean csv_table_is_number_column(const CsvTable *table, guint column)
{
    gboolean any = FALSE;

    for (guint row = 0; row < csv_table_n_rows(table); row++) {
        const char *text = csv_table_text(table, row, column);

        if (*text == '\0')
            continue;
        if (!is_decimal_number(text))
            return FALSE;
        any = TRUE;
    }
    return any;
}

gboolean csv_table_number(const CsvTable *table, guint row, guint column,
                          double *ret, GError **error)
{
    const char *text = csv_table_text(table, row, column);
    g_autofree char *quoted = NULL;
    char *end = NULL;
    double value;

    g_return_val_if_fail(text, FALSE);

    value = g_ascii_strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(value) &&
        !g_ascii_isspace(*text)) {
        *ret = value;
        return TRUE;
    }
    quoted = words_quote_text(text);
    return set_csv_error(error, table->name,
                         g_array_index(table->lines, guint, row + 1),
                         "%s: expected a number, got %s",
                         csv_table_column_name(table, column), quoted);
}
