/* csv_columns.c - the columns of CSV files and their units */
#include "sim/study/csv_columns.h"

#include "sim/core/csv.h"

static const ColumnUnitScale units[UNIT_N] = {
    [UNIT_COUNT] = { "", "", CONFIG_COUNT, 0, 0 },
    [UNIT_US] = { "_us", "_ps", CONFIG_TIME, 6, 6 },
    [UNIT_PS] = { "_ps", "_ps", CONFIG_TIME, 0, 0 },
    [UNIT_GB_PER_S] = { "_gb_per_s", "_bytes_per_s", CONFIG_BANDWIDTH, 9, 3 },
    [UNIT_BYTES] = { "_bytes", "_bytes", CONFIG_BYTES, 0, 0 },
};

const ColumnUnitScale *column_unit_of(ColumnUnit unit)
{
    g_assert(unit < UNIT_N);
    return units[unit].suffix ? &units[unit] : NULL;
}

double column_unit_base_scale(const ColumnUnitScale *unit)
{
    double scale = 1;

    for (guint i = 0; i < unit->n_shift; i++)
        scale *= 10;
    return scale;
}

const Column *columns_find(const Column *columns, const char *name)
{
    for (const Column *c = columns; c->name; c++)
        if (g_str_equal(c->name, name))
            return c;
    return NULL;
}

const char **columns_list_names(const Column *columns, gboolean all)
{
    GPtrArray *names = g_ptr_array_new();

    for (const Column *c = columns; c->name; c++)
        if (all || column_unit_of(c->unit))
            g_ptr_array_add(names, (gpointer)c->name);
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

void columns_append_header(GString *out, const Column *columns)
{
    for (const Column *c = columns; c->name; c++)
        csv_add_text(out, c->name);
    csv_end_row(out);
}

void columns_append_row(GString *out, const Column *columns, gconstpointer of)
{
    for (const Column *c = columns; c->name; c++)
        c->add(out, of);
    csv_end_row(out);
}
