/*
 * trace_file.h - writes slices and counters to a file for trace viewers
 *
 * The name of the file selects the format.  The formats are in formats/, one
 * per file; each may be packed by gzip (.gz). Times of a thread must not
 * decrease.
 *
 * Errors   those of output_stream.h, from trace_file_finish()
 * Owner    the caller owns the file; it borrows its path
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_FILE_H
#define SIM_VIEW_TIMELINE_TRACE_FILE_H

#include "sim/core/time.h"
#include "sim/view/timeline/trace_event_args.h"
#include "sim/view/timeline/trace_track.h"

/* The value of @max_slices that selects the limit of the format. */
#define TRACE_FORMAT_LIMIT UINT64_MAX

typedef struct TraceFile TraceFile;

/* After @max_slices slices, no further slice is written; the number of those is
 * counted. */
G_GNUC_WARN_UNUSED_RESULT
TraceFile *trace_file_open(const char *path, const TraceFileHead *head,
                           uint64_t max_slices, GError **error);
void trace_file_free(TraceFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TraceFile, trace_file_free)

/* Processes and threads are shown in the order of their numbers.  A process
 * @under another process is shown inside it; 0: none. */
void trace_file_name_process(TraceFile *file, uint32_t process, uint32_t under,
                             const char *name);
void trace_file_name_thread(TraceFile *file, TraceTrack track,
                            const char *name);

/* Begins a slice.  Returns FALSE if it is left out; then its end must not be
 * written either.  Slices on a thread must be nested.  @args may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_begin_slice(TraceFile *file, TraceTrack track,
                                const char *name, const char *category,
                                SimTime at_ps, const TraceArgs *args);
void trace_file_end_slice(TraceFile *file, TraceTrack track, const char *name,
                          SimTime at_ps);
/* @values has one entry per series, always the same series. */
void trace_file_add_counter(TraceFile *file, uint32_t process, const char *name,
                            SimTime at_ps, const TraceArgs *values);

uint64_t trace_file_count_slices(const TraceFile *file);
uint64_t trace_file_count_left_out(const TraceFile *file);

G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_finish(TraceFile *file, SimTime iteration_ps,
                           GError **error);

#endif
