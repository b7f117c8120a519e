/* study_tables.c - stores results of studies as tables for SQL queries */
#include "validate/papers/study_tables.h"

#include <sqlite3.h>

#include "sim/core/csv.h"

struct StudyTables {
    sqlite3 *db; /* The struct owns this memory. */
};

StudyTables *study_tables_new(void)
{
    StudyTables *tables = g_new0(StudyTables, 1);

    if (sqlite3_open(":memory:", &tables->db) != SQLITE_OK)
        g_error("SQLite cannot make a database in memory");
    /* By default SQLite reads a name in double quotes that is no column as a
     * text, so that a query for a renamed column yields a wrong figure. */
    sqlite3_db_config(tables->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(tables->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    return tables;
}

void study_tables_free(StudyTables *tables)
{
    if (!tables)
        return;
    sqlite3_close(tables->db);
    g_free(tables);
}

static gboolean fail_with_sqlite_error(const StudyTables *tables,
                                       const char *what, GError **error)
{
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT, "%s: %s", what,
                sqlite3_errmsg(tables->db));
    return FALSE;
}

/* ---- filling of the SQL tables ------------------------------------------- */

/* Returns the SQL statement `create table "a" ("b", "c")` or `insert into "a"
 * values (?, ?)`. */
static char *sql_statement_for_table(const char *name, const CsvTable *csv,
                                     gboolean creates)
{
    GString *sql = g_string_new(NULL);
    char *quoted = sqlite3_mprintf(creates ? "create table \"%w\" ("
                                           : "insert into \"%w\" values (",
                                   name);

    g_string_append(sql, quoted);
    sqlite3_free(quoted);
    for (guint i = 0; i < csv_table_n_columns(csv); i++) {
        quoted = sqlite3_mprintf("\"%w\"", csv_table_column_name(csv, i));
        g_string_append(sql, i > 0 ? ", " : "");
        g_string_append(sql, creates ? quoted : "?");
        sqlite3_free(quoted);
    }
    g_string_append_c(sql, ')');
    return g_string_free(sql, FALSE);
}

static void bind_sql_cell(sqlite3_stmt *insert, int column, const char *text)
{
    char *end;
    double number = g_ascii_strtod(text, &end);

    if (*text == '\0')
        sqlite3_bind_null(insert, column);
    else if (*end == '\0')
        sqlite3_bind_double(insert, column, number);
    else
        sqlite3_bind_text(insert, column, text, -1, SQLITE_TRANSIENT);
}

static gboolean insert_sql_rows(sqlite3_stmt *insert, const CsvTable *csv)
{
    for (guint row = 0; row < csv_table_n_rows(csv); row++) {
        for (guint i = 0; i < csv_table_n_columns(csv); i++)
            bind_sql_cell(insert, (int)i + 1, csv_table_text(csv, row, i));
        if (sqlite3_step(insert) != SQLITE_DONE ||
            sqlite3_reset(insert) != SQLITE_OK)
            return FALSE;
    }
    return TRUE;
}

gboolean study_tables_add(StudyTables *tables, const char *name,
                          const CsvTable *csv, GError **error)
{
    g_autofree char *create = sql_statement_for_table(name, csv, TRUE);
    g_autofree char *text = sql_statement_for_table(name, csv, FALSE);
    sqlite3_stmt *insert = NULL;
    gboolean ok;

    ok = sqlite3_exec(tables->db, create, NULL, NULL, NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(tables->db, text, -1, &insert, NULL) == SQLITE_OK &&
         insert_sql_rows(insert, csv);
    if (!ok)
        fail_with_sqlite_error(tables, name, error);
    sqlite3_finalize(insert);
    return ok;
}

gboolean study_tables_add_view(StudyTables *tables, const char *name,
                               const char *query, GError **error)
{
    char *sql = sqlite3_mprintf("create view \"%w\" as %s", name, query);
    gboolean ok = sqlite3_exec(tables->db, sql, NULL, NULL, NULL) == SQLITE_OK;

    if (!ok)
        fail_with_sqlite_error(tables, name, error);
    sqlite3_free(sql);
    return ok;
}

/* ---- SQL queries for figures --------------------------------------------- */

static gboolean set_sql_answer_error(const char *sql, const char *what,
                                     GError **error)
{
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT, "%s: %s", sql,
                what);
    return FALSE;
}

static gboolean read_sql_figure(sqlite3_stmt *query, const char *sql,
                                StudyFigure *ret, GError **error)
{
    double *const cells[] = { &ret->value, &ret->least, &ret->most };
    int n_columns = sqlite3_column_count(query);

    if (n_columns != 1 && n_columns != 3)
        return set_sql_answer_error(sql, "yields neither one column nor three",
                                    error);
    for (int i = 0; i < n_columns; i++) {
        if (sqlite3_column_type(query, i) != SQLITE_FLOAT &&
            sqlite3_column_type(query, i) != SQLITE_INTEGER)
            return set_sql_answer_error(sql, "yields no number", error);
        *cells[i] = sqlite3_column_double(query, i);
    }
    if (n_columns == 1)
        ret->least = ret->most = ret->value;
    return TRUE;
}

gboolean study_tables_query(StudyTables *tables, const char *sql,
                            StudyFigure *ret, GError **error)
{
    sqlite3_stmt *query = NULL;
    gboolean ok = FALSE;
    int step;

    if (sqlite3_prepare_v2(tables->db, sql, -1, &query, NULL) != SQLITE_OK)
        return fail_with_sqlite_error(tables, sql, error);
    step = sqlite3_step(query);
    if (step == SQLITE_ROW)
        ok = read_sql_figure(query, sql, ret, error) &&
             (sqlite3_step(query) == SQLITE_DONE ||
              set_sql_answer_error(sql, "yields more than one row", error));
    else if (step == SQLITE_DONE)
        set_sql_answer_error(sql, "yields no row", error);
    else
        fail_with_sqlite_error(tables, sql, error);
    sqlite3_finalize(query);
    return ok;
}

static void append_sql_row(sqlite3_stmt *query, GString *out)
{
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        const unsigned char *text = sqlite3_column_text(query, i);

        csv_add_text(out, text ? (const char *)text : "");
    }
    csv_end_row(out);
}

CsvTable *study_tables_select(StudyTables *tables, const char *sql,
                              GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    sqlite3_stmt *query = NULL;
    int step;

    if (sqlite3_prepare_v2(tables->db, sql, -1, &query, NULL) != SQLITE_OK) {
        fail_with_sqlite_error(tables, sql, error);
        return NULL;
    }
    for (int i = 0; i < sqlite3_column_count(query); i++)
        csv_add_text(out, sqlite3_column_name(query, i));
    csv_end_row(out);
    while ((step = sqlite3_step(query)) == SQLITE_ROW)
        append_sql_row(query, out);
    if (step != SQLITE_DONE)
        fail_with_sqlite_error(tables, sql, error);
    sqlite3_finalize(query);
    return step == SQLITE_DONE ? csv_table_parse(sql, out->str, out->len, error)
                               : NULL;
}
