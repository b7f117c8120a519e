/*
 * run_progress.c - runs a system, shows its progress and handles ^C; see
 * run_progress.h
 */
#include "sim/cli/run_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "models/run/run.h"
#include "sim/host/interrupt.h"
#include "sim/host/progress.h"

/* Runs that take less than this time show no progress line. */
#define FIRST_US G_GINT64_CONSTANT(2000000)
#define EACH_US  200000

/* The time between plain lines.  Processor time is used, so a busy machine adds
 * no lines. */
#define EACH_CPU_S 10

typedef struct {
    gint64 start_us, next_us;
    double next_cpu_s;
    uint64_t n_iterations;
    gboolean is_terminal, is_shown;
} ProgressLine;

char *run_progress_text(const RunProgressState *pace, double elapsed_s)
{
    g_autofree char *elapsed = progress_duration_text(elapsed_s);

    return g_strdup_printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                           " iterations, %.3f ms simulated, %.1f million "
                           "events, %s elapsed",
                           pace->n_done, pace->n_iterations,
                           (double)pace->now_ps / 1e9,
                           (double)pace->n_events / 1e6, elapsed);
}

static char *current_progress_text(const ProgressLine *line,
                                   const System *system, uint64_t n_events)
{
    gint64 now_us = g_get_monotonic_time();

    return run_progress_text(
        &(RunProgressState){ system_n_iterations_done(system),
                             line->n_iterations, system_now_ps(system),
                             n_events },
        (double)(now_us - line->start_us) / 1e6);
}

static void update_progress_line(ProgressLine *line, const System *system,
                                 uint64_t n_events)
{
    gint64 now_us = g_get_monotonic_time();
    g_autofree char *text = NULL;

    if (now_us < line->next_us)
        return;
    line->next_us = now_us + EACH_US;
    line->is_shown = TRUE;
    text = current_progress_text(line, system, n_events);
    fprintf(stderr, PROGRESS_CLEAR_LINE "%s", text);
    fflush(stderr);
}

static double used_cpu_time_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

gboolean run_progress_is_due(double used_s, double *due_s)
{
    if (used_s < *due_s)
        return FALSE;
    while (*due_s <= used_s)
        *due_s += EACH_CPU_S;
    return TRUE;
}

static void print_progress_log_line(ProgressLine *line, const System *system,
                                    uint64_t n_events)
{
    g_autofree char *text = NULL;

    if (!run_progress_is_due(used_cpu_time_s(), &line->next_cpu_s))
        return;
    text = current_progress_text(line, system, n_events);
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

static gboolean report_slice_progress(gpointer self, const System *system,
                                      uint64_t n_events, GError **error)
{
    ProgressLine *line = self;

    if (line->is_terminal)
        update_progress_line(line, system, n_events);
    else
        print_progress_log_line(line, system, n_events);
    return interrupt_check_signal(error);
}

gboolean run_with_progress(System *system, GError **error)
{
    gint64 now_us = g_get_monotonic_time();
    ProgressLine line = { .start_us = now_us,
                          .next_us = now_us + FIRST_US,
                          .next_cpu_s = used_cpu_time_s() + EACH_CPU_S,
                          .n_iterations = system_n_iterations(system),
                          .is_terminal = isatty(STDERR_FILENO) };
    g_autofree char *warning = system_size_warning(system);
    Interrupt interrupt;
    gboolean ok;

    if (warning)
        fprintf(stderr, "%s\n", warning);

    interrupt_begin_deferring(&interrupt);
    ok = system_run_with_progress(system, report_slice_progress, &line, error);
    interrupt_end_deferring(&interrupt);
    if (line.is_shown)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    return ok;
}
