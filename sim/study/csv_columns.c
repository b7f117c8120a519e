/* csv_columns.c - the columns of CSV files and their units */
#include "sim/study/csv_columns.h"

#include "sim/core/csv.h"

static const ColumnUnitScale units[UNIT_N] = {
    [UNIT_COUNT] = { "", CONFIG_COUNT, 0, 0, "" },
    [UNIT_US] = { "_us", CONFIG_TIME, 6, 6, "us" },
    [UNIT_GB_PER_S] = { "_gb_per_s", CONFIG_BANDWIDTH, 9, 3, "GB/s" },
    [UNIT_BYTES] = { "_bytes", CONFIG_BYTES, 0, 0, "bytes" },
    [UNIT_HZ] = { "_hz", CONFIG_FREQUENCY, 0, 0, "Hz" },
    [UNIT_TFLOP_PER_S] = { "_tflop_per_s", CONFIG_FLOPS, 12, 3, "TFLOP/s" },
};

/* A swept fraction; results have UNIT_RATIO, which holds no quantity. */
static const ColumnUnitScale fraction = { "", CONFIG_FRACTION, 6, 6, "" };

const ColumnUnitScale *column_scale_of_unit(ColumnUnit unit)
{
    g_assert(unit < UNIT_N);
    return units[unit].suffix ? &units[unit] : NULL;
}

const ColumnUnitScale *column_unit_of_type(ConfigType type)
{
    for (ColumnUnit unit = 0; unit < UNIT_N; unit++)
        if (units[unit].suffix && units[unit].type == type)
            return &units[unit];
    return type == CONFIG_FRACTION ? &fraction : NULL;
}

const ColumnUnitScale *column_unit_of_name(const char *name)
{
    for (ColumnUnit unit = 0; unit < UNIT_N; unit++)
        if (units[unit].suffix && *units[unit].suffix != '\0' &&
            g_str_has_suffix(name, units[unit].suffix))
            return &units[unit];
    return NULL;
}

void column_unit_append_exact(GString *out, const ColumnUnitScale *unit,
                              uint64_t value)
{
    guint n_digits = unit->n_shift;

    for (; n_digits > 0 && value % 10 == 0; n_digits--)
        value /= 10;
    csv_add_fixed(out, value, n_digits);
    g_string_truncate(out, out->len - 1); /* without the comma */
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
    for (const Column *column = columns; column->name; column++)
        if (g_str_equal(column->name, name))
            return column;
    return NULL;
}

const char **columns_list_names(const Column *columns, gboolean all)
{
    GPtrArray *names = g_ptr_array_new();

    for (const Column *column = columns; column->name; column++)
        if (all || column_scale_of_unit(column->unit))
            g_ptr_array_add(names, (gpointer)column->name);
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

void columns_append_header(GString *out, const Column *columns)
{
    for (const Column *column = columns; column->name; column++)
        csv_add_text(out, column->name);
    csv_end_row(out);
}

void columns_append_row(GString *out, const Column *columns, gconstpointer row)
{
    for (const Column *column = columns; column->name; column++)
        column->add(out, row);
    csv_end_row(out);
}
