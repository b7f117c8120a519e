/* published_collective_times.c - published times of collectives, and their
 * machines */
#include "validate/collectives/published_collective_times.h"

#include <string.h>

/* The character separates several settings in a cell. */
#define PAIR_BREAK ";"

/* ---- reading of published collective times ------------------------------- */

static gboolean find_machine_of_row(const CsvTable *machines,
                                    CollectiveRow *row, GError **error)
{
    for (guint i = 0; i < csv_table_n_rows(machines); i++) {
        const char *system = simulator_cell_text(machines, i, "system", error);
        double n_npus;

        if (!system ||
            !simulator_cell_number(machines, i, "n_npus", &n_npus, error))
            return FALSE;
        if (!g_str_equal(system, row->system) || (guint)n_npus != row->n_npus)
            continue;
        row->platform = simulator_cell_text(machines, i, "platform", error);
        row->sets = simulator_cell_text(machines, i, "sets", error);
        return row->platform && row->sets;
    }
    return TRUE;
}

static gboolean read_collective_row(const CsvTable *table, guint i,
                                    CollectiveRow *ret, GError **error)
{
    const struct {
        const char *column, **text;
    } texts[] = {
        { "source", &ret->source },
        { "system", &ret->system },
        { "collective", &ret->kind },
        { "pin", &ret->pin },
    };
    double n_npus;

    for (guint k = 0; k < G_N_ELEMENTS(texts); k++) {
        *texts[k].text = simulator_cell_text(table, i, texts[k].column, error);
        if (!*texts[k].text)
            return FALSE;
    }
    if (!simulator_cell_number(table, i, "n_npus", &n_npus, error) ||
        !simulator_cell_number(table, i, "payload_bytes", &ret->bytes, error) ||
        !simulator_cell_number(table, i, "time_us", &ret->measured_us, error))
        return FALSE;
    ret->n_npus = (guint)n_npus;
    if (n_npus >= 2 && ret->bytes >= 1 && ret->measured_us > 0)
        return TRUE;
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "collectives, row %u: n_npus is 2 or more, payload_bytes and "
                "time_us are above 0",
                i + 1);
    return FALSE;
}

CollectiveRows *published_collectives_new(CsvTable *measured,
                                          CsvTable *machines, GError **error)
{
    g_autoptr(CollectiveRows) rows = g_new0(CollectiveRows, 1);

    rows->measured = measured;
    rows->machines = machines;
    rows->rows = g_array_new(FALSE, TRUE, sizeof(CollectiveRow));
    rows->simulated =
        g_ptr_array_new_with_free_func((GDestroyNotify)csv_table_free);
    for (guint i = 0; i < csv_table_n_rows(measured); i++) {
        CollectiveRow row = { 0 };

        if (!read_collective_row(measured, i, &row, error) ||
            !find_machine_of_row(machines, &row, error))
            return NULL;
        g_array_append_val(rows->rows, row);
    }
    return g_steal_pointer(&rows);
}

void published_collectives_free(CollectiveRows *rows)
{
    if (!rows)
        return;
    csv_table_free(rows->measured);
    csv_table_free(rows->machines);
    g_ptr_array_unref(rows->simulated);
    g_array_unref(rows->rows);
    g_free(rows);
}

guint published_collectives_count_rows_of_run(const CollectiveRows *rows,
                                              guint first)
{
    const CollectiveRow *one = published_collective_at(rows, first);
    guint n = 1;

    while (first + n < rows->rows->len) {
        const CollectiveRow *other = published_collective_at(rows, first + n);

        if (!g_str_equal(other->system, one->system) ||
            !g_str_equal(other->kind, one->kind) ||
            !g_str_equal(other->pin, one->pin) || other->n_npus != one->n_npus)
            break;
        n++;
    }
    return n;
}

/* ---- simulation of published collective rows ----------------------------- */

static void append_set_arguments(GPtrArray *arguments, const char *sets,
                                 const char *prefix)
{
    g_auto(GStrv) all = g_strsplit(sets, PAIR_BREAK, -1);

    for (guint i = 0; all[i]; i++) {
        if (*all[i] == '\0')
            continue;
        g_ptr_array_add(arguments, g_strdup("--set"));
        g_ptr_array_add(arguments, g_strconcat(prefix, all[i], NULL));
    }
}

static GPtrArray *arguments_of_run(const CollectiveRows *rows, guint first,
                                   guint n)
{
    const CollectiveRow *row = published_collective_at(rows, first);
    GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);
    GString *sizes = g_string_new("--sizes=");

    for (guint i = 0; i < n; i++)
        g_string_append_printf(sizes, "%s%.0f B", i > 0 ? "," : "",
                               published_collective_at(rows, first + i)->bytes);
    g_ptr_array_add(ret, g_strdup("--stack=nccl"));
    g_ptr_array_add(ret, g_strconcat("--kind=", row->kind, NULL));
    g_ptr_array_add(ret, g_string_free(sizes, FALSE));
    append_set_arguments(ret, row->sets, "");
    append_set_arguments(ret, row->pin, "stack.");
    g_ptr_array_add(ret, NULL);
    return ret;
}

/* Returns a file name below @folder.  Characters other than letters and digits
 * become dashes. */
static char *file_name_of_row(const char *folder, const CollectiveRow *row)
{
    g_autofree char *name =
        g_strdup_printf("%s-%u-%s%s%s", row->system, row->n_npus, row->kind,
                        *row->pin != '\0' ? "-" : "", row->pin);

    for (char *c = name; *c != '\0'; c++)
        *c = g_ascii_isalnum(*c) ? g_ascii_tolower(*c) : '-';
    return g_strdup_printf("%s/%s", folder, name);
}

static gboolean simulate_rows_of_run(CollectiveRows *rows,
                                     const Simulator *simulator,
                                     const char *name, guint first, guint n,
                                     GError **error)
{
    const CollectiveRow *row = published_collective_at(rows, first);
    g_autofree char *file = file_name_of_row(name, row);
    g_autoptr(GPtrArray) arguments = arguments_of_run(rows, first, n);
    CsvTable *table =
        simulator_run_collectives(simulator, file, row->platform,
                                  (const char *const *)arguments->pdata, error);

    if (!table)
        return FALSE;
    g_ptr_array_add(rows->simulated, table);
    if (csv_table_n_rows(table) != n) {
        g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                    "%s.csv: %u rows, expected %u", file,
                    csv_table_n_rows(table), n);
        return FALSE;
    }
    for (guint i = 0; i < n; i++) {
        CollectiveRow *one = published_collective_at(rows, first + i);

        one->algorithm = simulator_cell_text(table, i, "algorithm", error);
        if (!one->algorithm)
            return FALSE;
        one->protocol = simulator_cell_text(table, i, "protocol", error);
        if (!one->protocol || !simulator_cell_number(table, i, "time_us",
                                                     &one->simulated_us, error))
            return FALSE;
    }
    return TRUE;
}

/* Returns whether a row has a platform and was measured with the library that
 * is modelled.  Rows with a pin "library=" used another one. */
static gboolean row_can_be_simulated(const CollectiveRow *row)
{
    return row->platform && !g_str_has_prefix(row->pin, "library=");
}

gboolean published_collectives_run(CollectiveRows *rows,
                                   const Simulator *simulator, const char *name,
                                   GError **error)
{
    guint n;

    for (guint i = 0; i < rows->rows->len; i += n) {
        n = published_collectives_count_rows_of_run(rows, i);
        if (row_can_be_simulated(published_collective_at(rows, i)) &&
            !simulate_rows_of_run(rows, simulator, name, i, n, error))
            return FALSE;
    }
    return TRUE;
}
