/*
 * trace_file.h - Chrome's trace-event format, which ui.perfetto.dev and
 * chrome://tracing open
 *
 * A JSON object whose "traceEvents" are slices (a B and an E), counters (C) and
 * names (M).  Times are microseconds with six decimals, so whole picoseconds,
 * and those of a thread never go back.  There are no slices of one event with
 * a duration (X): viewers add that up in floating point or cut both to
 * nanoseconds, and what follows at once seems to begin before.
 *
 * Errors   those of stream.h, from trace_file_finish()
 * Owner    the caller owns the file; it borrows its path
 */
#ifndef SIM_VIEW_TIMELINE_TRACE_FILE_H
#define SIM_VIEW_TIMELINE_TRACE_FILE_H

#include "sim/core/time.h"

typedef struct TraceFile TraceFile;

/* Once @max_slices have begun no more do; those are counted.  Processes have
 * numbers up to @max_process.  @head is keys and values before the events, each
 * with a comma behind it. */
G_GNUC_WARN_UNUSED_RESULT
TraceFile *trace_file_open(const char *path, const char *head,
                           uint64_t max_slices, uint32_t max_process,
                           GError **error);
void trace_file_free(TraceFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TraceFile, trace_file_free)

/* Where a slice stands. */
typedef struct {
    uint32_t process, thread;
} TraceTrack;

/* Processes and threads are shown in the order of their numbers. */
void trace_file_name_process(TraceFile *file, uint32_t process,
                             const char *name);
void trace_file_name_thread(TraceFile *file, TraceTrack track,
                            const char *name);

/* FALSE: it is left out, and so must be its end.  What begins in between on the
 * same thread ends before.  @args is the inside of a JSON object, or NULL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_begin(TraceFile *file, TraceTrack track, const char *name,
                          const char *category, SimTime at_ps,
                          const char *args);
void trace_file_end(TraceFile *file, TraceTrack track, const char *name,
                    SimTime at_ps);
/* @values likewise: a series each. */
void trace_file_add_counter(TraceFile *file, uint32_t process, const char *name,
                            SimTime at_ps, const char *values);

uint64_t trace_file_n_slices(const TraceFile *file);
uint64_t trace_file_n_left_out(const TraceFile *file);

G_GNUC_WARN_UNUSED_RESULT
gboolean trace_file_finish(TraceFile *file, SimTime iteration_ps,
                           GError **error);

#endif
