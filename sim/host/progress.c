/*
 * progress.c - shows the progress of a sweep on standard error; see progress.h
 */
#include "sim/host/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* The line on a terminal changes ten times a second. */
#define TERMINAL_US (100 * 1000)
/* The interval of plain lines, which keeps logs short. */
#define PLAIN_US (5 * 1000 * 1000)

void progress_start_display(Progress *progress, guint n_total, guint n_found)
{
    *progress = (Progress){ .n_total = n_total,
                            .n_done = n_found,
                            .n_found = n_found,
                            .is_quiet = progress->is_quiet,
                            .is_terminal = isatty(STDERR_FILENO),
                            .start_us = g_get_monotonic_time() };
    progress->shown_us = progress->start_us;
    if (n_found > 0 && !progress->is_quiet)
        fprintf(stderr, "%u of %u points are already done\n", n_found, n_total);
}

double progress_elapsed_s(const Progress *progress)
{
    return (double)(g_get_monotonic_time() - progress->start_us) / 1e6;
}

char *progress_duration_text(double seconds)
{
    guint64 s = (guint64)ceil(seconds);

    if (s >= 3600)
        return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", s / 3600,
                               (guint)(s / 60 % 60), (guint)(s % 60));
    return g_strdup_printf("%u:%02u", (guint)(s / 60), (guint)(s % 60));
}

char *progress_line_text(const Progress *progress, double elapsed_s)
{
    GString *out = g_string_new(NULL);
    guint n_run = progress->n_done - progress->n_found;
    double rate = elapsed_s > 0 ? n_run / elapsed_s : 0;
    g_autofree char *elapsed = progress_duration_text(elapsed_s);

    g_string_append_printf(out, "%u/%u, %u failed, %.1f/s, %s elapsed",
                           progress->n_done, progress->n_total,
                           progress->n_failed, rate, elapsed);
    if (rate > 0 && progress->n_done < progress->n_total) {
        guint n_left = progress->n_total - progress->n_done;
        g_autofree char *left = progress_duration_text(n_left / rate);

        g_string_append_printf(out, ", %s left", left);
    }
    return g_string_free(out, FALSE);
}

static void print_progress_line(const Progress *progress)
{
    g_autofree char *text =
        progress_line_text(progress, progress_elapsed_s(progress));

    if (progress->is_terminal)
        fprintf(stderr, PROGRESS_CLEAR_LINE "%s", text);
    else
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

void progress_show(Progress *progress)
{
    gint64 now_us = g_get_monotonic_time();
    gint64 wait_us = progress->is_terminal ? TERMINAL_US : PLAIN_US;

    if (progress->is_quiet || now_us - progress->shown_us < wait_us)
        return;
    progress->shown_us = now_us;
    print_progress_line(progress);
}

void progress_print_message(Progress *progress, const char *format, ...)
{
    va_list args;

    if (progress->is_terminal)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    progress->shown_us -= progress->is_terminal ? TERMINAL_US : 0;
}

void progress_finish(Progress *progress)
{
    if (progress->is_quiet)
        return;
    print_progress_line(progress);
    if (progress->is_terminal)
        fputc('\n', stderr);
}
