/*
 * progress.h - how far a sweep is, on standard error
 *
 * On a terminal one line that is written over, else a plain line every few
 * seconds and at the end.
 */
#ifndef SIM_HOST_PROGRESS_H
#define SIM_HOST_PROGRESS_H

#include <glib.h>

/* Written before a line that takes the place of another on a terminal. */
#define PROGRESS_CLEAR_LINE "\r\033[K"

typedef struct {
    guint n_total, n_done, n_failed;
    guint n_found; /* of those done, before it began */
    gboolean is_terminal;
    gboolean is_quiet; /* set before it begins: news alone */
    gint64 start_us, shown_us;
} Progress;

/* Says so when @n_found of the points are done already. */
void progress_begin(Progress *progress, guint n_total, guint n_found);
/* Shows how far it is, when it is time to. */
void progress_show(Progress *progress);
/* Prints a line of news above it. */
void progress_say(Progress *progress, const char *format, ...)
    G_GNUC_PRINTF(2, 3);
void progress_end(Progress *progress);

double progress_seconds(const Progress *progress);

/* "0:05", "2:01:00", seconds rounded up.  Owner: the caller. */
char *progress_time(double seconds);

/* "12/60, 0 failed, 3.0/s, 0:04 elapsed, 0:16 left".  Owner: the caller. */
char *progress_text(const Progress *progress, double elapsed_s);

#endif
