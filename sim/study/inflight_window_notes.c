/* inflight_window_notes.c - finds the runs of a sweep that the window of
 * in-flight chunks limited */
#include "sim/study/inflight_window_notes.h"

#include "sim/study/utilisation_summary.h"

#define MAX_NAMES 5 /* limit of the endpoints that a sentence names */

typedef struct {
    const CsvTable *table;
    guint endpoint, wait, active, busiest; /* column numbers */
} WindowColumns;

/* Returns FALSE if a column is missing, as in sweeps of earlier versions. */
static gboolean find_window_columns(WindowColumns *columns)
{
    return csv_table_column(columns->table, "endpoint", &columns->endpoint,
                            NULL) &&
           csv_table_column(columns->table, "window_wait_us", &columns->wait,
                            NULL) &&
           csv_table_column(columns->table, "comm_active_us", &columns->active,
                            NULL) &&
           csv_table_column(columns->table, "busiest_share", &columns->busiest,
                            NULL);
}

/* Returns FALSE also for a failed run, which has no numbers. */
static gboolean is_row_window_bound(const WindowColumns *columns, guint row)
{
    double wait_us, active_us, most;

    return csv_table_number(columns->table, row, columns->wait, &wait_us,
                            NULL) &&
           csv_table_number(columns->table, row, columns->active, &active_us,
                            NULL) &&
           csv_table_number(columns->table, row, columns->busiest, &most,
                            NULL) &&
           active_us > 0 &&
           utilisation_is_window_bound(wait_us / active_us, most);
}

static char *make_window_note(const GPtrArray *names, guint n_bound,
                              guint n_rows)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "in %u of %u points (", n_bound, n_rows);
    for (guint i = 0; i < MIN(names->len, MAX_NAMES); i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "",
                               (const char *)g_ptr_array_index(names, i));
    if (names->len > MAX_NAMES)
        g_string_append_printf(out, " and %u more", names->len - MAX_NAMES);
    g_string_append(out,
                    ") chunks waited for the window during half of the time "
                    "with collectives in flight or more, while no resource "
                    "was busy: leave collectives.window to `auto`, or try a "
                    "larger one");
    return g_string_free(out, FALSE);
}

struct WindowTally {
    GPtrArray *names;  /* owned: of owned text */
    GHashTable *known; /* owned: borrows the names */
    guint n_rows, n_bound;
    gboolean lacks_columns; /* some part of the table lacks the columns */
};

WindowTally *window_tally_new(void)
{
    WindowTally *tally = g_new0(WindowTally, 1);

    tally->names = g_ptr_array_new_with_free_func(g_free);
    tally->known = g_hash_table_new(g_str_hash, g_str_equal);
    return tally;
}

void window_tally_free(WindowTally *tally)
{
    if (!tally)
        return;
    g_hash_table_unref(tally->known);
    g_ptr_array_unref(tally->names);
    g_free(tally);
}

static void add_bound_endpoint(WindowTally *tally, const char *name)
{
    char *copy;

    if (g_hash_table_contains(tally->known, name))
        return;
    copy = g_strdup(name);
    g_ptr_array_add(tally->names, copy);
    g_hash_table_add(tally->known, copy);
}

void window_tally_add_table(WindowTally *tally, const CsvTable *table)
{
    WindowColumns c = { .table = table };
    guint n_rows = csv_table_n_rows(table);

    tally->lacks_columns |= !find_window_columns(&c);
    tally->n_rows += n_rows;
    for (guint row = 0; row < n_rows && !tally->lacks_columns; row++) {
        if (!is_row_window_bound(&c, row))
            continue;
        tally->n_bound++;
        add_bound_endpoint(tally, csv_table_text(table, row, c.endpoint));
    }
}

char *note_on_chunk_window_tally(const WindowTally *tally)
{
    return tally->n_bound > 0 && !tally->lacks_columns
               ? make_window_note(tally->names, tally->n_bound, tally->n_rows)
               : NULL;
}

char *note_on_chunk_window(const CsvTable *table)
{
    g_autoptr(WindowTally) tally = window_tally_new();

    window_tally_add_table(tally, table);
    return note_on_chunk_window_tally(tally);
}
