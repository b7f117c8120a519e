/* trace_track.h - what a trace begins with, and where a slice of it stands */
#ifndef SIM_VIEW_TIMELINE_TRACE_TRACK_H
#define SIM_VIEW_TIMELINE_TRACE_TRACK_H

#include <glib.h>
#include <stdint.h>

/* What stands before the events: a title, and in JSON, an object, what a reader
 * needs.  Processes have numbers from 1 up to @max_process. */
typedef struct {
    const char *title, *json; /* borrowed */
    uint32_t max_process;
} TraceHead;

typedef struct {
    uint32_t process, thread;
    gboolean is_coarse; /* nanoseconds are enough where a format counts them */
} TraceTrack;

#endif
