/* window.c - whether the window held up runs of a sweep */
#include "sim/study/window.h"

#include "sim/study/busy.h"

#define MAX_NAMES 5 /* of endpoints, in a sentence */

typedef struct {
    const CsvTable *table;
    guint endpoint, wait, active, busiest; /* columns */
} Columns;

/* Sweeps of earlier versions lack some. */
static gboolean find_columns(Columns *c)
{
    return csv_table_column(c->table, "endpoint", &c->endpoint, NULL) &&
           csv_table_column(c->table, "window_wait_us", &c->wait, NULL) &&
           csv_table_column(c->table, "comm_active_us", &c->active, NULL) &&
           csv_table_column(c->table, "busiest_share", &c->busiest, NULL);
}

/* A run that failed has no numbers. */
static gboolean is_bound(const Columns *c, guint row)
{
    double wait_us, active_us, most;

    return csv_table_number(c->table, row, c->wait, &wait_us, NULL) &&
           csv_table_number(c->table, row, c->active, &active_us, NULL) &&
           csv_table_number(c->table, row, c->busiest, &most, NULL) &&
           active_us > 0 && busy_is_window_bound(wait_us / active_us, most);
}

static char *note(const GPtrArray *names, guint n_bound, guint n_rows)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "in %u of %u points (", n_bound, n_rows);
    for (guint i = 0; i < MIN(names->len, MAX_NAMES); i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "",
                               (const char *)g_ptr_array_index(names, i));
    if (names->len > MAX_NAMES)
        g_string_append_printf(out, " and %u more", names->len - MAX_NAMES);
    g_string_append(out,
                    ") chunks waited for the window for half of the time that "
                    "collectives were under way, or more, while nothing was "
                    "busy: leave collectives.window to `auto`, or try a larger "
                    "one");
    return g_string_free(out, FALSE);
}

char *window_note(const CsvTable *table)
{
    Columns c = { .table = table };
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    guint n_rows = csv_table_n_rows(table), n_bound = 0;

    if (!find_columns(&c))
        return NULL;
    for (guint row = 0; row < n_rows; row++) {
        const char *name = csv_table_text(table, row, c.endpoint);

        if (!is_bound(&c, row))
            continue;
        n_bound++;
        if (g_hash_table_add(known, (gpointer)name))
            g_ptr_array_add(names, (gpointer)name);
    }
    return n_bound > 0 ? note(names, n_bound, n_rows) : NULL;
}
