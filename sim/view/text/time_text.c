/* time_text.c - times and rates as text, with a suitable unit */
#include "sim/view/text/time_text.h"

char *time_text(SimTime ps)
{
    static const struct {
        double ps;
        const char *name;
    } units[] = { { 1e12, "s" }, { 1e9, "ms" }, { 1e6, "us" }, { 1e3, "ns" } };

    for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
        double value = (double)ps / units[i].ps;

        if (value >= 1)
            return g_strdup_printf("%.*f %s",
                                   value < 10    ? 3
                                   : value < 100 ? 2
                                                 : 1,
                                   value, units[i].name);
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT " ps", ps);
}

char *format_rate(double bytes_per_s)
{
    static const struct {
        double bytes_per_s;
        const char *name;
    } units[] = { { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "kB/s" } };

    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (bytes_per_s >= units[i].bytes_per_s)
            return g_strdup_printf(
                "%.1f %s", bytes_per_s / units[i].bytes_per_s, units[i].name);
    return g_strdup_printf("%.0f B/s", bytes_per_s);
}
