/* trace_track.h - the head of a trace, and the position of a slice */
#ifndef SIM_VIEW_TIMELINE_TRACE_TRACK_H
#define SIM_VIEW_TIMELINE_TRACE_TRACK_H

#include <glib.h>
#include <stdint.h>

/* The head of a trace: a title, and data for readers as a JSON object.
 * Processes have numbers from 1 to @max_process. */
typedef struct {
    const char *title, *json; /* borrowed */
    uint32_t max_process;
} TraceFileHead;

typedef struct {
    uint32_t process, thread;
    /* TRUE if a resolution of 1 ns suffices in formats that count
     * nanoseconds. */
    gboolean is_coarse;
} TraceTrack;

#endif
