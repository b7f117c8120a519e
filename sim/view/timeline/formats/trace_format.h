/*
 * trace_format.h - a form of trace files, a kind a file
 *
 * A new one is a file here and a line in trace_format.c.
 *
 * Owner    a writer, made by .open, is freed by .free; it borrows the stream
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_FORMAT_H
#define SIM_VIEW_TIMELINE_TRACE_FORMAT_H

#include "sim/core/time.h"
#include "sim/host/stream.h"
#include "sim/view/timeline/trace_args.h"
#include "sim/view/timeline/trace_track.h"

/* What is known at the end. */
typedef struct {
    SimTime iteration_ps;
    uint64_t n_slices, n_left_out;
} TraceTail;

typedef struct {
    const char *const *endings; /* of names of files, the last is NULL */
    uint64_t max_slices;        /* unless somebody says */

    gpointer (*open)(Stream *stream, const TraceHead *head);
    void (*name_process)(gpointer self, uint32_t process, uint32_t under,
                         const char *name);
    void (*name_thread)(gpointer self, TraceTrack track, const char *name);
    void (*begin)(gpointer self, TraceTrack track, const char *name,
                  const char *category, SimTime at_ps, const TraceArgs *args);
    void (*end)(gpointer self, TraceTrack track, const char *name,
                SimTime at_ps);
    void (*count)(gpointer self, uint32_t process, const char *name,
                  SimTime at_ps, const TraceArgs *values);
    void (*finish)(gpointer self, const TraceTail *tail);
    void (*free)(gpointer self);
} TraceFormat;

extern const TraceFormat trace_chrome, trace_perfetto;

/* By the ending of @path, that of chrome.c if it has none of these; and whether
 * what is written is packed. */
const TraceFormat *trace_format_of(const char *path, gboolean *ret_is_packed);

/* No two threads of a file have the same. */
static inline uint64_t trace_thread_id(uint32_t max_process, TraceTrack track)
{
    return track.thread * ((uint64_t)max_process + 1) + track.process;
}

#endif
