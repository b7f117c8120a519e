/*
 * sqlite_tables.c - reads rows of the tables of an untrusted SQLite file
 *
 * The query names the columns of an ordinary table.  An authorizer refuses
 * everything but reading, and a progress handler limits the work; see
 * sqlite_tables.h.
 */
#include "workloads/readers/nsys/sqlite_tables.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config_error.h"
#include "workloads/readers/nsys/open_sqlite.h"

/* A row has at least the length of the cell, its number, the length of its
 * header, and one type for each of the four or more required columns. */
#define MIN_ROW_BYTES 7

/* Limit of SQLite's work: some operations per byte of the file, because each
 * row needs a few and each operation reads some bytes, plus a constant for
 * everything else.  Both are about ten times the need of a profile. */
#define OPERATIONS_PER_BYTE 100
#define OPERATIONS_AT_LEAST 100000
#define OPERATIONS_A_CALL   1000

struct NsysTables {
    const char *file; /* name of the file, borrowed from the source */
    sqlite3 *db;      /* owned, like the next two fields; NULL if absent */
    sqlite3_stmt *rows, *strings;
    const NsysTable *table; /* the table that .rows or the error refers to */
    uint64_t row, max_rows;
    int64_t n_calls; /* remaining calls of the progress handler */
    GError *error;   /* owned */
};

/* ---- errors ------------------------------------------------------------ */

static void set_table_error(NsysTables *tables, const char *where,
                            const char *what)
{
    g_autofree char *valid = g_utf8_make_valid(what, -1);

    if (tables->error)
        return;
    for (char *c = valid; *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = ' ';
    tables->error =
        g_error_new(CONFIG_ERROR, CONFIG_ERROR_TYPE, "%s: table %s: %s%s",
                    tables->file, tables->table->name, where, valid);
}

void nsys_set_row_error(NsysTables *tables, const char *format, ...)
{
    g_autofree char *where =
        g_strdup_printf("row %" G_GUINT64_FORMAT ": ", tables->row);
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    set_table_error(tables, where, what);
}

static void fail_by_sqlite(NsysTables *tables, int code)
{
    g_autofree char *what = NULL;

    if (code == SQLITE_INTERRUPT)
        what = g_strdup("it takes more to read than a file of its size can "
                        "have");
    else
        what = g_strdup_printf("SQLite says: %s", sqlite3_errmsg(tables->db));
    set_table_error(tables, "", what);
}

gboolean nsys_has_error(const NsysTables *tables)
{
    return tables->error != NULL;
}

gboolean nsys_tables_finish(const NsysTables *tables, GError **error)
{
    if (!tables->error)
        return TRUE;
    g_propagate_error(error, g_error_copy(tables->error));
    return FALSE;
}

/* ---- opening and closing ----------------------------------------------- */

gboolean nsys_is_sqlite(Source *source)
{
    /* The first bytes of an SQLite file, including the NUL. */
    static const char magic[] = "SQLite format 3";
    gsize n;
    const uint8_t *first = source_peek(source, sizeof magic, &n);

    return n >= sizeof magic && memcmp(first, magic, sizeof magic) == 0;
}

static int limit_sqlite_steps(void *data)
{
    NsysTables *tables = data;

    return tables->n_calls-- <= 0;
}

NsysTables *nsys_tables_open(Source *source, GError **error)
{
    g_autoptr(NsysTables) tables = g_new0(NsysTables, 1);
    uint64_t n_bytes = 0;

    tables->file = source_name(source);
    tables->db = nsys_open_database(source, &n_bytes, error);
    if (!tables->db)
        return NULL;
    tables->max_rows = n_bytes / MIN_ROW_BYTES;
    tables->n_calls =
        (int64_t)((MIN(n_bytes, (uint64_t)INT64_MAX / OPERATIONS_PER_BYTE / 2) *
                       OPERATIONS_PER_BYTE +
                   OPERATIONS_AT_LEAST) /
                  OPERATIONS_A_CALL);
    sqlite3_progress_handler(tables->db, OPERATIONS_A_CALL, limit_sqlite_steps,
                             tables);
    return g_steal_pointer(&tables);
}

static void finish_sql_rows(NsysTables *tables)
{
    sqlite3_finalize(tables->rows);
    tables->rows = NULL;
}

void nsys_tables_free(NsysTables *tables)
{
    if (!tables)
        return;
    finish_sql_rows(tables);
    sqlite3_finalize(tables->strings);
    sqlite3_close(tables->db);
    g_clear_error(&tables->error);
    g_free(tables);
}

/* ---- tables ------------------------------------------------------------ */

static sqlite3_stmt *prepare_statement(NsysTables *tables, const char *sql)
{
    sqlite3_stmt *ret = NULL;
    int code = sqlite3_prepare_v2(tables->db, sql, -1, &ret, NULL);

    if (code != SQLITE_OK)
        fail_by_sqlite(tables, code);
    return ret;
}

/* Returns whether the current table exists and is an ordinary table.  Views may
 * be endless, and virtual tables may run code. */
static gboolean table_exists(NsysTables *tables)
{
    sqlite3_stmt *found = prepare_statement(
        tables, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
                "name = ? AND rootpage > 0");
    int code;

    if (!found)
        return FALSE;
    sqlite3_bind_text(found, 1, tables->table->name, -1, SQLITE_STATIC);
    code = sqlite3_step(found);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail_by_sqlite(tables, code);
    sqlite3_finalize(found);
    return code == SQLITE_ROW;
}

/* Returns whether the current table has a stored column named @column.
 * Generated columns may run code. */
static gboolean table_has_column(NsysTables *tables, const char *column)
{
    enum { NAME = 1, HIDDEN = 6 };
    g_autofree char *sql =
        g_strdup_printf("PRAGMA table_xinfo(\"%s\")", tables->table->name);
    sqlite3_stmt *columns = prepare_statement(tables, sql);
    gboolean has = FALSE;

    while (columns && !has && sqlite3_step(columns) == SQLITE_ROW)
        has = sqlite3_column_int(columns, HIDDEN) == 0 &&
              g_strcmp0((const char *)sqlite3_column_text(columns, NAME),
                        column) == 0;
    sqlite3_finalize(columns);
    return has;
}

/* Returns the query for the current table, with NULL for missing columns.
 * Returns NULL and fails if a required column is missing. */
static char *sql_query_of_table(NsysTables *tables)
{
    const NsysTable *table = tables->table;
    g_autoptr(GString) sql = g_string_new("SELECT ");

    for (guint i = 0; table->columns[i].name; i++) {
        const NsysColumn *column = &table->columns[i];
        gboolean has = table_has_column(tables, column->name);

        if (!has && column->is_needed) {
            g_autofree char *what =
                g_strdup_printf("it has no column '%s'", column->name);

            set_table_error(tables, "", what);
            return NULL;
        }
        g_string_append(sql, i > 0 ? ", " : "");
        g_string_append_printf(sql, has ? "\"%s\"" : "NULL", column->name);
    }
    g_string_append_printf(sql, " FROM \"%s\"", table->name);
    if (table->order)
        g_string_append_printf(sql, " ORDER BY \"%s\"", table->order);
    return g_string_free(g_steal_pointer(&sql), FALSE);
}

gboolean nsys_begin_table(NsysTables *tables, const NsysTable *table)
{
    g_autofree char *sql = NULL;

    finish_sql_rows(tables);
    if (tables->error)
        return FALSE;
    tables->table = table;
    tables->row = 0;
    if (!table_exists(tables))
        return FALSE;
    sql = sql_query_of_table(tables);
    tables->rows = sql ? prepare_statement(tables, sql) : NULL;
    return tables->rows != NULL;
}

/* ---- rows -------------------------------------------------------------- */

static gboolean row_has_required_values(NsysTables *tables)
{
    const NsysColumn *columns = tables->table->columns;

    for (guint i = 0; columns[i].name; i++)
        if (columns[i].is_needed &&
            sqlite3_column_type(tables->rows, (int)i) == SQLITE_NULL) {
            nsys_set_row_error(tables, "it has no '%s'", columns[i].name);
            return FALSE;
        }
    return TRUE;
}

gboolean nsys_next_row(NsysTables *tables)
{
    int code;

    if (!tables->rows || tables->error)
        return FALSE;
    code = sqlite3_step(tables->rows);
    tables->row++;
    if (code == SQLITE_ROW && tables->row > tables->max_rows)
        nsys_set_row_error(tables,
                           "there are more rows than the file has room for");
    else if (code == SQLITE_ROW)
        return row_has_required_values(tables);
    else if (code != SQLITE_DONE)
        fail_by_sqlite(tables, code);
    finish_sql_rows(tables);
    return FALSE;
}

uint64_t nsys_row_number(const NsysTables *tables)
{
    return tables->row;
}

int64_t nsys_row_value(NsysTables *tables, guint column)
{
    switch (sqlite3_column_type(tables->rows, (int)column)) {
    case SQLITE_INTEGER:
        return sqlite3_column_int64(tables->rows, (int)column);
    case SQLITE_NULL:
        return NSYS_NONE;
    default:
        nsys_set_row_error(tables, "'%s' is no whole number",
                           tables->table->columns[column].name);
        return tables->table->columns[column].is_needed ? 0 : NSYS_NONE;
    }
}

const char *nsys_row_text(NsysTables *tables, guint column)
{
    if (sqlite3_column_type(tables->rows, (int)column) != SQLITE_TEXT)
        return NULL;
    return (const char *)sqlite3_column_text(tables->rows, (int)column);
}

/* ---- texts ------------------------------------------------------------- */

const char *nsys_string_of_id(NsysTables *tables, int64_t id)
{
    static const NsysTable of_strings = { .name = "StringIds" };
    const NsysTable *table = tables->table;
    const char *found = NULL;
    int code;

    if (id == 0 || id == NSYS_NONE || tables->error)
        return NULL;
    tables->table = &of_strings;
    if (!tables->strings)
        tables->strings =
            table_exists(tables)
                ? prepare_statement(tables,
                                    "SELECT value FROM StringIds WHERE id = ?")
                : NULL;
    if (tables->strings) {
        sqlite3_reset(tables->strings);
        sqlite3_bind_int64(tables->strings, 1, id);
        code = sqlite3_step(tables->strings);
        if (code == SQLITE_ROW)
            found = (const char *)sqlite3_column_text(tables->strings, 0);
        else if (code != SQLITE_DONE)
            fail_by_sqlite(tables, code);
    }
    tables->table = table;
    return found;
}
