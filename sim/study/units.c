/* units.c - what the end of a column's name says of its cells */
#include "sim/study/units.h"

static const Unit units[] = {
    { "_us", "_ps", CONFIG_TIME, 6, 6 },
    { "_gb_per_s", "_bytes_per_s", CONFIG_BANDWIDTH, 9, 3 },
    { "_ps", "_ps", CONFIG_TIME, 0, 0 },
    { "_bytes", "_bytes", CONFIG_BYTES, 0, 0 },
    { "n_npus", "n_npus", CONFIG_COUNT, 0, 0 },
    { "endpoint_sms", "endpoint_sms", CONFIG_COUNT, 0, 0 },
    { "n_tried", "n_tried", CONFIG_COUNT, 0, 0 },
};

const Unit *unit_of_column(const char *column)
{
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_has_suffix(column, units[i].suffix))
            return &units[i];
    return NULL;
}

double unit_scale(const Unit *unit)
{
    double scale = 1;

    for (guint i = 0; i < unit->n_shift; i++)
        scale *= 10;
    return scale;
}
