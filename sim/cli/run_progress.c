/* run_progress.c - see run_progress.h */
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
} Line;

char *run_progress_text(const RunPace *pace, double elapsed_s)
{
    g_autofree char *elapsed = progress_time(elapsed_s);

    return g_strdup_printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                           " iterations, %.3f ms simulated, %.1f million "
                           "events, %s elapsed",
                           pace->n_done, pace->n_iterations,
                           (double)pace->now_ps / 1e9,
                           (double)pace->n_events / 1e6, elapsed);
}

static char *text_now(const Line *line, const System *system, uint64_t n_events)
{
    gint64 now_us = g_get_monotonic_time();

    return run_progress_text(&(RunPace){ system_n_iterations_done(system),
                                         line->n_iterations,
                                         system_now_ps(system), n_events },
                             (double)(now_us - line->start_us) / 1e6);
}

static void show(Line *line, const System *system, uint64_t n_events)
{
    gint64 now_us = g_get_monotonic_time();
    g_autofree char *text = NULL;

    if (now_us < line->next_us)
        return;
    line->next_us = now_us + EACH_US;
    line->is_shown = TRUE;
    text = text_now(line, system, n_events);
    fprintf(stderr, PROGRESS_CLEAR_LINE "%s", text);
    fflush(stderr);
}

static double cpu_s(void)
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

static void log_line(Line *line, const System *system, uint64_t n_events)
{
    g_autofree char *text = NULL;

    if (!run_progress_is_due(cpu_s(), &line->next_cpu_s))
        return;
    text = text_now(line, system, n_events);
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

static gboolean on_slice(gpointer self, const System *system, uint64_t n_events,
                         GError **error)
{
    Line *line = self;

    if (line->is_terminal)
        show(line, system, n_events);
    else
        log_line(line, system, n_events);
    return interrupt_check(error);
}

gboolean run_with_progress(System *system, GError **error)
{
    gint64 now_us = g_get_monotonic_time();
    Line line = { .start_us = now_us,
                  .next_us = now_us + FIRST_US,
                  .next_cpu_s = cpu_s() + EACH_CPU_S,
                  .n_iterations = system_n_iterations(system),
                  .is_terminal = isatty(STDERR_FILENO) };
    g_autofree char *warning = system_size_warning(system);
    Interrupt interrupt;
    gboolean ok;

    if (warning)
        fprintf(stderr, "%s\n", warning);

    interrupt_begin(&interrupt);
    ok = system_run_with_progress(system, on_slice, &line, error);
    interrupt_end(&interrupt);
    if (line.is_shown)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    return ok;
}
