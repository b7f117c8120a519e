/*
 * trace_file.h - slices and counters into a file that trace viewers open
 *
 * Of which form the file is its name says: the kinds are in formats/, one a
 * file, and each may be packed by gzip (.gz).  Times of a thread never go
 * back.
 *
 * Errors   those of stream.h, from trace_file_finish()
 * Owner    the caller owns the file; it borrows its path
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_FILE_H
#define SIM_VIEW_TIMELINE_TRACE_FILE_H

#include "sim/core/time.h"
#include "sim/view/timeline/trace_args.h"
#include "sim/view/timeline/trace_track.h"

#define TRACE_BY_FORMAT UINT64_MAX /* as many slices as a format bears */

typedef struct TraceFile TraceFile;

/* Once @max_slices have begun no more do; those are counted. */
G_GNUC_WARN_UNUSED_RESULT
TraceFile *trace_file_open(const char *path, const TraceHead *head,
                           uint64_t max_slices, GError **error);
void trace_file_free(TraceFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TraceFile, trace_file_free)

/* Processes and threads are shown in the order of their numbers, those that
 * stand @under another process, unless that is 0, in it. */
void trace_file_name_process(TraceFile *file, uint32_t process, uint32_t under,
                             const char *name);
void trace_file_name_thread(TraceFile *file, TraceTrack track,
                            const char *name);

/* FALSE: it is left out, and so must be its end.  What begins in between on the
 * same thread ends before.  @args may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_begin(TraceFile *file, TraceTrack track, const char *name,
                          const char *category, SimTime at_ps,
                          const TraceArgs *args);
void trace_file_end(TraceFile *file, TraceTrack track, const char *name,
                    SimTime at_ps);
/* @values: a series each, the same ones each time. */
void trace_file_add_counter(TraceFile *file, uint32_t process, const char *name,
                            SimTime at_ps, const TraceArgs *values);

uint64_t trace_file_n_slices(const TraceFile *file);
uint64_t trace_file_n_left_out(const TraceFile *file);

G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_finish(TraceFile *file, SimTime iteration_ps,
                           GError **error);

#endif
