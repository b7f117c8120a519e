/* collectives_text.c - one collective on a platform, by size, as text */
#include "sim/view/text/collectives_text.h"

#include <inttypes.h>

#include "sim/config/quantity.h"
#include "sim/core/aligned_table.h"

static const char *text_or_dash_if_null(const char *text)
{
    return *text != '\0' ? text : "-";
}

static void add_channels_cell(Table *table, uint64_t n)
{
    if (n > 0)
        table_add_cell_printf(table, "%" PRIu64, n);
    else
        table_add_cell(table, "-");
}

static void add_size_row(Table *table, const CollectivesRow *row, double bus)
{
    g_autofree char *size = quantity_format(row->bytes, CONFIG_BYTES);
    double algbw =
        row->time_ps > 0 ? (double)row->bytes * 1e3 / (double)row->time_ps : 0;

    table_add_cell(table, size);
    table_add_cell(table, text_or_dash_if_null(row->algorithm));
    table_add_cell(table, text_or_dash_if_null(row->protocol));
    add_channels_cell(table, row->n_channels);
    if (row->reason) {
        for (guint i = 0; i < 3; i++)
            table_add_cell(table, "-");
        return;
    }
    table_add_cell_printf(table, "%.2f", (double)row->time_ps / 1e6);
    table_add_cell_printf(table, "%.2f", algbw);
    table_add_cell_printf(table, "%.2f", algbw * bus);
}

/* Writes each reason once, with the first size that has it. */
static void append_missing_reasons(const Collectives *collectives, GString *out)
{
    const char *last = NULL;

    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesRow *row = collectives_row(collectives, i);
        g_autofree char *size = quantity_format(row->bytes, CONFIG_BYTES);

        if (row->reason && g_strcmp0(row->reason, last) != 0)
            g_string_append_printf(out, "%s %s: %s\n", size,
                                   row->has_crashed ? "was not run"
                                                    : "cannot be run",
                                   row->reason);
        last = row->reason ?: last;
    }
}

/* Writes each note once, with the first size that has it. */
static void append_size_notes(const Collectives *collectives, GString *out)
{
    const char *last = "";

    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesRow *row = collectives_row(collectives, i);
        g_autofree char *size = quantity_format(row->bytes, CONFIG_BYTES);

        if (*row->notes != '\0' && !g_str_equal(row->notes, last))
            g_string_append_printf(out, "%s: %s\n", size, row->notes);
        last = row->notes;
    }
}

GString *collectives_text(const Collectives *collectives)
{
    static const TableColumn columns[] = {
        { "payload", TRUE, 0 },    { "algorithm", FALSE, 0 },
        { "protocol", FALSE, 0 },  { "channels", TRUE, 0 },
        { "us", TRUE, 0 },         { "algbw GB/s", TRUE, 0 },
        { "busbw GB/s", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    GString *out = g_string_new(NULL);
    uint64_t num, den;

    collectives_bus_factor(collectives, &num, &den);
    g_string_append_printf(out, "%s of %" PRIu64 " NPUs, %s\n\n",
                           collectives->kind, collectives->n_npus,
                           collectives->name);
    for (guint i = 0; i < collectives->rows->len; i++)
        add_size_row(table, collectives_row(collectives, i),
                     (double)num / (double)den);
    table_write(table, out, 0, table_terminal_width());
    append_missing_reasons(collectives, out);
    append_size_notes(collectives, out);
    return out;
}
