/* run_progress.c - how far a run is, and ^C */
#include "sim/cli/run_progress.h"

#include <stdio.h>
#include <unistd.h>

#include "models/run/run.h"
#include "sim/host/interrupt.h"
#include "sim/host/progress.h"

#define FIRST_US G_GINT64_CONSTANT(2000000) /* who waits less needs no line */
#define EACH_US  200000

typedef struct {
    gint64 start_us, next_us;
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

static void show(Line *line, const System *system, uint64_t n_events)
{
    gint64 now_us = g_get_monotonic_time();
    g_autofree char *text = NULL;

    if (now_us < line->next_us)
        return;
    line->next_us = now_us + EACH_US;
    line->is_shown = TRUE;
    text = run_progress_text(&(RunPace){ system_n_iterations_done(system),
                                         line->n_iterations,
                                         system_now_ps(system), n_events },
                             (double)(now_us - line->start_us) / 1e6);
    fprintf(stderr, PROGRESS_CLEAR_LINE "%s", text);
    fflush(stderr);
}

static gboolean tell(gpointer self, const System *system, uint64_t n_events,
                     GError **error)
{
    Line *line = self;

    if (line->is_terminal)
        show(line, system, n_events);
    return interrupt_check(error);
}

gboolean run_with_progress(System *system, GError **error)
{
    gint64 now_us = g_get_monotonic_time();
    Line line = { .start_us = now_us,
                  .next_us = now_us + FIRST_US,
                  .n_iterations = system_n_iterations(system),
                  .is_terminal = isatty(STDERR_FILENO) };
    Interrupt interrupt;
    gboolean ok;

    interrupt_begin(&interrupt);
    ok = system_run_telling(system, tell, &line, error);
    interrupt_end(&interrupt);
    if (line.is_shown)
        fputs(PROGRESS_CLEAR_LINE, stderr);
    return ok;
}
