/*
 * trace_format.h - interface of the formats of trace files
 *
 * To add a format, add a file here and a line in trace_format.c.
 *
 * Owner    .open creates a writer, and .free frees it; it borrows the stream
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_FORMAT_H
#define SIM_VIEW_TIMELINE_TRACE_FORMAT_H

#include "sim/core/time.h"
#include "sim/host/output_stream.h"
#include "sim/view/timeline/trace_event_args.h"
#include "sim/view/timeline/trace_track.h"

/* Facts that are known at the end. */
typedef struct {
    SimTime iteration_ps;
    uint64_t n_slices, n_left_out;
} TraceFileTail;

typedef struct {
    const char *const *endings; /* of file names; ends with NULL */
    uint64_t max_slices;        /* default limit */

    gpointer (*open)(Stream *stream, const TraceFileHead *head);
    void (*name_process)(gpointer self, uint32_t process, uint32_t under,
                         const char *name);
    void (*name_thread)(gpointer self, TraceTrack track, const char *name);
    void (*begin)(gpointer self, TraceTrack track, const char *name,
                  const char *category, SimTime at_ps, const TraceArgs *args);
    void (*end)(gpointer self, TraceTrack track, const char *name,
                SimTime at_ps);
    void (*count)(gpointer self, uint32_t process, const char *name,
                  SimTime at_ps, const TraceArgs *values);
    void (*finish)(gpointer self, const TraceFileTail *tail);
    void (*free)(gpointer self);
} TraceFormat;

extern const TraceFormat trace_chrome, trace_perfetto;

/* Returns the format for the ending of @path, or chrome_trace_format.c's for
 * other endings, and sets whether the file is packed. */
const TraceFormat *trace_format_of_path(const char *path,
                                        gboolean *ret_is_packed);

/* Returns an id that is unique among the threads of a file. */
static inline uint64_t trace_thread_id(uint32_t max_process, TraceTrack track)
{
    return track.thread * ((uint64_t)max_process + 1) + track.process;
}

#endif
