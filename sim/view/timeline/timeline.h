/*
 * timeline.h - what happens in a run, as a trace that a viewer shows
 *
 * For each NPU that is watched three processes:
 *
 *   NPU n               kernels of the main and the side stream, exposed waits
 *                       named by what ended them, and the counters
 *   NPU n collectives   from issue to end
 *   NPU n chunks        from intake to end; in it its phases and its ways
 *                       through the DMA engines, what is between them is
 *                       waiting for room
 *
 * Collectives and chunks overlap: each takes the first thread that is free.
 * Slices of operations say what waits for what, so that a reader can make a
 * program of a timeline of all NPUs (timeline_cause.c).
 * Counters are means over the buckets of buckets.h, written where they change.
 *
 * Errors   of the file: see trace_file.h
 * Owner    the caller owns the timeline; it borrows the path, and the system
 *          until it is finished
 */
#ifndef SIM_VIEW_TIMELINE_TIMELINE_H
#define SIM_VIEW_TIMELINE_TIMELINE_H

#include "models/run/system.h"
#include "workloads/recording/window.h"

#define TIMELINE_BY_FORM UINT64_MAX /* slices: as many as the form bears */

/* What stands beside the run: an iteration of it. */
typedef struct {
    const Recording *recording; /* borrowed */
    const RecordWindow *window; /* borrowed */
} TimelineBeside;

typedef struct Timeline Timeline;

/* "0,5" as an array of uint32_t, "all" as none; NULL: that is no list of
 * numbers. */
GArray *timeline_parse_npus(const char *text);

/* Listens to @system; no @npus are all that are simulated.  An NPU that is not
 * simulated is an error. */
G_GNUC_WARN_UNUSED_RESULT
Timeline *timeline_open(const char *path, const GArray *npus,
                        uint64_t max_slices, System *system, GError **error);
/* Likewise, with a process "rank n recorded" for each rank of @beside (NULL:
 * none), which has to outlive the timeline, of whose number an NPU is watched.
 */
G_GNUC_WARN_UNUSED_RESULT
Timeline *timeline_open_beside(const char *path, const GArray *npus,
                               uint64_t max_slices,
                               const TimelineBeside *beside, System *system,
                               GError **error);
void timeline_free(Timeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Timeline, timeline_free)

/* The run is over. */
G_GNUC_WARN_UNUSED_RESULT
gboolean timeline_finish(Timeline *timeline, GError **error);

/* A line on what was written.  Owner: the caller. */
char *timeline_note(const Timeline *timeline);

#endif
