/* report_text.c - writes a line of the verdict and a heading of the report */
#include <stdarg.h>

#include "validate/report_impl.h"

void report_add_condition(Report *report, gboolean holds, const char *format,
                          ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_string_append_printf(report->verdict, "  %s  %s\n", holds ? "ok" : "NO",
                           text);
    report->is_right &= holds;
}

void report_add_heading(Report *report, const char *text)
{
    g_string_append_printf(report->tables, "\n%s\n\n", text);
}
