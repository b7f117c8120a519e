/* write_yaml_values.c - writes times and bytes in YAML */
#include "workloads/recording/trace_to_program/program_writer_impl.h"

/* Appends @ps / @unit_ps as an exact decimal number. */
static void append_decimal(GString *out, uint64_t ps, uint64_t unit_ps)
{
    uint64_t rest = ps % unit_ps;

    g_string_append_printf(out, "%" G_GUINT64_FORMAT, ps / unit_ps);
    if (rest == 0)
        return;
    g_string_append_c(out, '.');
    while (rest > 0) {
        unit_ps /= 10;
        g_string_append_c(out, (char)('0' + rest / unit_ps));
        rest %= unit_ps;
    }
}

void write_microseconds(GString *out, uint64_t ps)
{
    append_decimal(out, ps, 1000000);
}

void write_time_with_unit(GString *out, uint64_t ps)
{
    if (ps >= 1000000) {
        write_microseconds(out, ps);
        g_string_append(out, " us");
    } else {
        append_decimal(out, ps, 1000);
        g_string_append(out, " ns");
    }
}

void write_bytes(GString *out, uint64_t bytes)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } units[] = { { 1 << 30, "GiB" }, { 1 << 20, "MiB" }, { 1 << 10, "KiB" } };

    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (bytes > 0 && bytes % units[i].bytes == 0) {
            g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s",
                                   bytes / units[i].bytes, units[i].name);
            return;
        }
    g_string_append_printf(out, "%" G_GUINT64_FORMAT " B", bytes);
}
