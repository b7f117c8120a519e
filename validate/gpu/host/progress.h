/*
 * progress.h - one line that says how far the run is
 *
 * On a terminal the line is rewritten; in a log there is a line when a family
 * begins and one every 15 seconds.
 */
#ifndef VALIDATE_GPU_HOST_PROGRESS_H
#define VALIDATE_GPU_HOST_PROGRESS_H

#include <stdio.h>

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    FILE *file; /* borrowed */
    bool is_terminal;
    size_t n_cases;
    double estimate_s;
    int last_family; /* -1 before the first */
    double last_line_s;
} Progress;

Progress progress_start(FILE *file, size_t n_cases, double estimate_s);
/* Case @nth, from 0, begins at @now_s. */
void progress_show(Progress *progress, size_t nth, const MeasureCase *c,
                   double now_s);
/* Something to tell in a line of its own. */
void progress_say(Progress *progress, const char *what, const char *why);
void progress_end(Progress *progress);

/* Seconds on a clock that only goes forward. */
double progress_now_s(void);

/* From here on SIGINT and SIGTERM wait to be asked for, in this thread and
 * those it starts; so this stands before the first CUDA call, lest a thread of
 * the driver's take them.  interrupt_seen() stays true once it was. */
void interrupt_hold(void);
bool interrupt_seen(void);

#ifdef __cplusplus
}
#endif

#endif
