/* progress.c - shows the progress of a run in one line, and holds interrupts */
#include "validate/gpu/host/progress.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "validate/gpu/host/measurement_table.h"

#define LOG_EVERY_S 15.0

Progress progress_start(FILE *file, size_t n_cases, double estimate_s)
{
    return (Progress){ .file = file,
                       .is_terminal = isatty(fileno(file)) == 1,
                       .n_cases = n_cases,
                       .estimate_s = estimate_s,
                       .last_family = -1 };
}

void progress_show_case(Progress *progress, size_t nth,
                        const MeasureCase *measure_case, double now_s)
{
    char label[TABLE_IDENTITY_SIZE];
    bool is_due = (int)measure_case->family != progress->last_family ||
                  now_s - progress->last_line_s >= LOG_EVERY_S;

    if (!progress->is_terminal && !is_due)
        return;
    table_label_of_case(measure_case, label, sizeof label);
    /* The label is truncated: a line wider than the terminal would wrap and
     * could not be erased. */
    (void)fprintf(progress->file, "%s%zu/%zu, %.0f of about %.0f s, %.*s%s",
                  progress->is_terminal ? "\r\033[K" : "", nth + 1,
                  progress->n_cases, now_s, progress->estimate_s,
                  progress->is_terminal ? 45 : TABLE_IDENTITY_SIZE, label,
                  progress->is_terminal ? "" : "\n");
    (void)fflush(progress->file);
    progress->last_family = (int)measure_case->family;
    progress->last_line_s = now_s;
}

void progress_print_message(Progress *progress, const char *subject,
                            const char *text)
{
    (void)fprintf(progress->file, "%s%s: %s\n",
                  progress->is_terminal ? "\r\033[K" : "", subject, text);
    (void)fflush(progress->file);
}

void progress_finish(Progress *progress)
{
    if (progress->is_terminal)
        (void)fputs("\r\033[K", progress->file);
    (void)fflush(progress->file);
}

double progress_now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- blocked interrupt signals ------------------------------------------- */

static sigset_t interrupt_signal_set(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
}

void interrupts_block(void)
{
    sigset_t set = interrupt_signal_set();

    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Returns whether SIGINT or SIGTERM arrived.  A blocked signal stays pending,
 * so the result stays true. */
bool interrupts_pending(void)
{
    sigset_t pending;

    (void)sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 ||
           sigismember(&pending, SIGTERM) == 1;
}
