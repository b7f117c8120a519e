/*
 * progress.h - shows the progress of a run in one line, and holds interrupts
 *
 * On a terminal, the line is overwritten.  In a log, a line is written when a
 * family begins, and otherwise at most every 15
 * seconds. */
#ifndef VALIDATE_GPU_HOST_PROGRESS_H
#define VALIDATE_GPU_HOST_PROGRESS_H

#include <stdio.h>

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    FILE *file; /* Another object owns this memory. */
    bool is_terminal;
    size_t n_cases;
    double estimate_s;
    /* The kernel family (such as gemm or reduce) of the case that was shown
     * last; -1 before the first case. */
    int last_family;
    double last_line_s;
} Progress;

/* Returns the progress of a run of @n_cases that is estimated to take
 * @estimate_s. */
Progress progress_start(FILE *file, size_t n_cases, double estimate_s);
/* Shows that case number @nth, counted from 0, begins at @now_s. */
void progress_show_case(Progress *progress, size_t nth,
                        const MeasureCase *measure_case, double now_s);
/* Prints "@subject: @text" on a separate line. */
void progress_print_message(Progress *progress, const char *subject,
                            const char *text);
void progress_finish(Progress *progress);

/* Returns the seconds of a monotonic clock. */
double progress_now_s(void);

/* Blocks SIGINT and SIGTERM in this thread and in all threads that it starts;
 * interrupts_pending() polls them.  Call this before the first CUDA call.
 * Otherwise, a thread of the driver could receive the signals. */
void interrupts_block(void);
/* Returns whether one of the signals has arrived.  The result stays true. */
bool interrupts_pending(void);

#ifdef __cplusplus
}
#endif

#endif
