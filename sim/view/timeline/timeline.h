/*
 * timeline.h - writes a run as a trace for a viewer
 *
 * Each selected NPU has three processes in the trace:
 *
 *   NPU n               kernels of the main and the side stream, exposed waits
 *                       named by the operation that ended them, and counters
 *   NPU n collectives   from issue to end
 *   NPU n chunks        from admission to end, with phases and transfers
 * through the DMA engines; gaps are waits for free capacity
 *
 * If the program has a pipeline schedule, a process "pipeline" has the units of
 * each stage on a thread (timeline_pipeline.c).
 *
 * Collectives and chunks overlap, so each uses the first free thread.  Slices
 * of operations have their dependencies, so that a timeline of all NPUs can be
 * read as a program (timeline_dependencies.c). Counters are means over the
 * buckets of time_buckets.h, written when they change.
 *
 * Errors   of the file: see trace_file.h
 * Owner    the caller owns the timeline; it borrows the path, and the system
 *          until it is finished
 */
#ifndef SIM_VIEW_TIMELINE_TIMELINE_H
#define SIM_VIEW_TIMELINE_TIMELINE_H

#include "models/run/system.h"
#include "workloads/recording/iteration_window.h"

/* The value of the maximum number of slices that selects the limit of the
 * format. */
#define TIMELINE_FORMAT_LIMIT UINT64_MAX

/* An iteration of a recording that is shown next to the run. */
typedef struct {
    const Recording *recording; /* borrowed */
    const RecordWindow *window; /* borrowed */
} TimelineRecorded;

typedef struct Timeline Timeline;

/* Parses "0,5" into an array of uint32_t, and "all" into an empty array.
 * Returns NULL if the text is not a list of numbers. */
GArray *timeline_parse_npus(const char *text);

/* Returns a timeline that listens to @system.  An empty @npus selects all
 * simulated NPUs; an NPU that is not simulated is an error. */
G_GNUC_WARN_UNUSED_RESULT
Timeline *timeline_open(const char *path, const GArray *npus,
                        uint64_t max_slices, System *system, GError **error);
/* Same as timeline_open(), with a process "rank n recorded" for each rank of
 * @recorded whose number is that of a selected NPU. @recorded may be NULL and
 * must outlive the timeline. */
G_GNUC_WARN_UNUSED_RESULT
Timeline *timeline_open_with_recording(const char *path, const GArray *npus,
                                       uint64_t max_slices,
                                       const TimelineRecorded *recorded,
                                       System *system, GError **error);
void timeline_free(Timeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Timeline, timeline_free)

/* Completes the file of the timeline.  Must be called at the end of the run. */
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_finish(Timeline *timeline, GError **error);

/* Returns a line about the written file.  The caller owns the text. */
char *timeline_note_text(const Timeline *timeline);

#endif
