/*
 * progress.h - shows the progress of a sweep on standard error
 *
 * On a terminal, one line is overwritten repeatedly.  Otherwise a plain line is
 * printed every few seconds and at the end.
 */
#ifndef SIM_HOST_PROGRESS_H
#define SIM_HOST_PROGRESS_H

#include <glib.h>

/* Printed before a line that replaces the previous line on a terminal. */
#define PROGRESS_CLEAR_LINE "\r\033[K"

typedef struct {
    guint n_total, n_done, n_failed;
    guint n_found; /* the number of points that were done before the start */
    gboolean is_terminal;
    gboolean is_quiet; /* set before the start: only messages are printed */
    gint64 start_us, shown_us;
} Progress;

/* Starts the progress, and prints how many points are already done if @n_found
 * > 0. */
void progress_start_display(Progress *progress, guint n_total, guint n_found);
/* Prints the progress if enough time has passed. */
void progress_show(Progress *progress);
/* Prints a message above the progress line. */
void progress_print_message(Progress *progress, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
void progress_finish(Progress *progress);

double progress_elapsed_s(const Progress *progress);

/* Returns "0:05" or "2:01:00", with seconds rounded up.  The caller owns the
 * text. */
char *progress_duration_text(double seconds);

/* Returns "12/60, 0 failed, 3.0/s, 0:04 elapsed, 0:16 left".  The caller owns
 * the text. */
char *progress_line_text(const Progress *progress, double elapsed_s);

#endif
